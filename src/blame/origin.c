// SPDX-License-Identifier: GPL-2.0
/*
 * Page by page, the dirtier pays for a write from the page cache.  The act that changed
 * metadata pays for metadata that is no page of a page cache, and the participants of a
 * transaction pay for what serves it as a whole.  The submitting task pays for everything
 * else, and for what no act is known for, with its stack as the intent.
 */
#include <linux/sched.h>
#include <linux/swap.h>

#include "core/intent.h"
#include "look.h"
#include "look_metadata.h"
#include "look_pages.h"
#include "origin.h"
#include "stack/stack.h"

/* Why this write happens now, as far as the submitting task says. */
static u32 modifier_of(const struct iob_look *l)
{
	if (l->op == IOB_OP_READ || l->op == IOB_OP_AHEAD)
		return 0;
	if (l->bio->bi_opf & REQ_SWAP || (l->task && current_is_kswapd()))
		return IOB_MODIFIER_RECLAIM;
	return l->task ? l->task->modifier : 0;
}

/*
 * True if the task submits data of others, as far as is known: it swaps out, say, or is the one
 * that unplugs an array's copies.  What it writes itself is direct IO, or the zeroes of a range.
 */
static bool is_others_data(const struct iob_look *l)
{
	if (l->op != IOB_OP_WRITE || !bio_has_data(l->bio) || !l->bio->bi_iter.bi_size)
		return false;
	if (l->bio->bi_opf & REQ_SWAP)
		return true;
	return l->kind != &iob_bio_direct && bio_page(l->bio) != ZERO_PAGE(0) &&
	       !iob_look_in_direct(l);
}

/*
 * How sure the submitter is the originator.  A kernel thread only carries out what another
 * task wanted.
 */
static enum iob_how direct_how(const struct iob_look *l)
{
	if (!l->task || l->late)
		return IOB_HOW_LOST;
	if (l->for_other || l->task->role_guessed)
		return IOB_HOW_INHERITED;
	return current->flags & PF_KTHREAD || l->not_own || is_others_data(l) ?
	       IOB_HOW_SUBMITTER : IOB_HOW_EXACT;
}

/*
 * True if a read goes to a page of the page cache, and not to the buffer of a direct IO: the
 * kernel waits for both by the same function.  A page that is mapped as a buffer has been read.
 */
static bool is_cached_read(const struct bio *bio)
{
	return bio_op(bio) == REQ_OP_READ && bio->bi_iter.bi_size &&
	       !(iob_folio_flags(iob_folio_of(bio_page(bio))) & BIT(PG_uptodate));
}

/* The file whose pages the bio carries, or NULL. */
static struct inode *host_of_bio(struct iob_look *l)
{
	struct bio *bio = l->bio;
	struct inode *host = NULL;

	if (!bio_has_data(bio) || (l->kind == &iob_bio_direct && !is_cached_read(bio)))
		return NULL;
	if (bio->bi_iter.bi_size)
		host = iob_look_host(l, iob_folio_of(bio_page(bio)));
	/* direct IO that ends in a function of the file system's, from a mapped file */
	if (host && !l->kind && !iob_is_bdev(host) && iob_look_in_direct(l))
		return NULL;
	if (host && iob_provider_mixes_files(host->i_sb))
		l->bounces = true;
	if (!host && l->op == IOB_OP_WRITE) {
		host = iob_look_bounce_host(l, bio_page(bio));
		l->bounces = host;
	}
	return host;
}

static void find_origin(struct iob_look *l)
{
	struct iob_origin *o = l->o;
	struct bio *bio = l->bio;
	struct inode *host;
	struct iob_file file;
	bool write;
	u64 ref;

	iob_origin_begin(o);
	l->task = iob_task_get();
	l->modifier = modifier_of(l);
	l->kind = iob_bio_kind_of(bio, &l->whole);
	/* (blocks that are zeroed are in use) */
	if (bio_op(bio) == REQ_OP_DISCARD && iob_look_at_discard(l))
		return;
	host = host_of_bio(l);
	write = l->op == IOB_OP_WRITE || l->op == IOB_OP_FLUSH;
	if (!host && write && iob_look_at_extent(l))
		return;
	if (host && !iob_is_bdev(host))
		l->meta_host = host;
	/* a log may be written from pages of the cache that are on their way elsewhere */
	if ((!host || iob_is_bdev(host) || l->kind == &iob_bio_buffer) &&
	    write && iob_look_at_metadata(l))
		return;
	if (host && l->op == IOB_OP_WRITE) {
		iob_look_at_pages(l);
		return;
	}
	ref = iob_look_submitter(l, host, &file);
	iob_origin_put(o, ref, &file, direct_how(l), bio->bi_iter.bi_size, IOB_DIRTY_NEVER);
}

/*
 * The fast path: a direct IO that a task does for itself, and that is no log's.
 * Return: false if it is none; @o is not set.
 */
static __always_inline bool find_direct(struct iob_origin *o,
					const struct bio *bio,
					const struct iob_frame *at)
{
	const struct iob_stack_slot *m;
	const struct bio *whole;
	struct iob_task *t;
	u64 ref;

	if (!at || iob_bio_kind_of(bio, &whole) != &iob_bio_direct || is_cached_read(bio))
		return false;
	t = iob_task_get();
	if (!t || iob_task_serves(t) || current->flags & PF_KTHREAD ||
	    bio->bi_opf & REQ_SWAP)
		return false;
	if (!iob_stack_known(at->ip, at->sp, at->bp, true, &m) || !m->intent ||
	    m->modifier || iob_stack_cut(m))
		return false;
	ref = iob_task_cause(t, m->intent);
	/* there iob_origin_put() decides how */
	if (unlikely(ref <= IOB_CAUSE_LOST || t->role_guessed))
		return false;
	if (unlikely(t->direct) && iob_stack_slot_has(m, t->direct))
		o->one.file = t->file;
	else
		iob_look_device(bio, &o->one.file);
	o->shape = IOB_ORIGIN_ONE;
	o->one.cause = ref;
	o->one.how = IOB_HOW_EXACT;
	o->one.bytes = bio->bi_iter.bi_size;
	o->one.dirty_ns = IOB_DIRTY_NEVER;
	return true;
}

static noinline void find_origin_slow(struct iob_origin *o, struct bio *bio,
				      enum iob_op op, const struct iob_frame *at,
				      struct pt_regs *regs)
{
	struct iob_look l = { .o = o, .bio = bio, .op = op, .at = at,
			      .regs = regs };

	iob_disk_second_learn(bio);
	find_origin(&l);
}

/**
 * iob_origin_find - which acts pay for a bio
 * @o:    gets the shares; iob_origin_free() it in the end
 * @bio:  as it is queued
 * @op:   what it does
 * @at:   where a tracepoint's probe is, see iob_stack_here(); else NULL
 * @regs: in a kprobe's handler what it was given, else NULL
 *
 * Any context but NMI, inside iob_read_lock(), in the submitter's context.  The shares'
 * bytes add up to the bio's.
 * Return: true if it is direct IO that the current task does for itself.
 */
bool iob_origin_find(struct iob_origin *o, struct bio *bio, enum iob_op op,
		     const struct iob_frame *at, struct pt_regs *regs)
{
	bool direct = find_direct(o, bio, at);

	if (!direct)
		find_origin_slow(o, bio, op, at, regs);
	return direct;
}

/**
 * iob_origin_find_late - which acts pay for a bio whose submitter is gone
 * @o:    gets the shares; iob_origin_free() it in the end
 * @bio:  the bio
 * @op:   what it does
 *
 * As iob_origin_find(), but only its pages can tell.
 */
void iob_origin_find_late(struct iob_origin *o, struct bio *bio, enum iob_op op)
{
	struct iob_look l = { .o = o, .bio = bio, .op = op, .late = true };

	find_origin(&l);
}

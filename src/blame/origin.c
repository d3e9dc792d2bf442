// SPDX-License-Identifier: GPL-2.0
/*
 * A write from the page cache is paid for by whoever dirtied its pages, page
 * by page; metadata that is no page of a page cache by whoever changed it, and
 * what serves a whole transaction by those who took part in it.  Everything
 * else, and what nobody is known for, is paid for by the task that submits it,
 * with its stack as the intent.
 *
 * The pages of a direct IO may be in the page cache too, when the buffer is a
 * mapped file: those have a dirtier who has nothing to do with this IO.  Two
 * signs tell them: who ends the bio, and that a file's page goes to its own
 * disk only while it is under writeback.
 *
 * What is encrypted or compressed is written from other pages, see blame/standin
 * and blame/compressed.
 */
#include <linux/magic.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/swap.h>

#include <compat/compiler.h>
#include <compat/folio.h>
#include <compat/memcg.h>
#include <compat/rcu.h>

#include "core/act.h"
#include "fs/btrfs_compressed.h"
#include "dirtier.h"
#include "dirty.h"
#include "bio_kind.h"
#include "freed_extent.h"
#include "core/intent.h"
#include "transaction.h"
#include "origin.h"
#include "association.h"
#include "core/role.h"
#include "stack/stack.h"
#include "fs/bounce.h"
#include "core/stats.h"
#include "core/task.h"

/* who dirtied pages that have become one */
enum hands {
	ONE_ACT,
	ONE_ROLE,		/* by several acts */
	SEVERAL,
};

/* one bio being looked at */
struct look {
	struct iob_origin *o;
	struct bio *bio;
	enum iob_op op;
	const struct iob_frame *at;	/* see iob_stack_from(), or NULL: */
	struct pt_regs *regs;	/* in a kprobe, else NULL */
	struct iob_task *task;	/* NULL in an interrupt */
	enum iob_bio_kind end;	/* what kind of bio */
	const struct bio *whole; /* that it is a piece of, or itself */
	bool late;		/* who submitted it is long gone */
	bool for_other;		/* it is submitted for somebody who is known */
	bool bounces;		/* there may be such pages, see below */
	const struct iob_file *file;	/* it is this one's, NULL: see below */
	u32 modifier;
	u64 submitter;		/* act, IOB_ACT_NONE until it is asked for */
	const struct inode *submitter_host;	/* on this file */
	struct iob_cluster cluster;	/* the last one */
	enum hands hands;	/* it is of */
	u32 last_nr;		/* entry of the page before, as verified: */
	u64 last_act;		/* pays */
	enum iob_how last_how;
};

/* The inode from or to whose page cache a bio goes, by one of its folios. */
static struct inode *cache_host(const struct look *l, struct iob_folio *f)
{
	struct inode *host = iob_folio_host(f);

	/* buffers are written without a word to their page */
	if (!host || iob_is_bdev(host) || l->end == IOB_BIO_BUFFER)
		return host;
	if (l->op == IOB_OP_WRITE)
		return iob_folio_writeback(f) ? host : NULL;
	return iob_folio_locked(f) ? host : NULL;
}

static __always_inline void block_device_file(const struct bio *bio, struct iob_file *file)
{
	file->ino = 0;
	file->gen = 0;
	file->dev = iob_bio_devt(bio);
}

/* For whom the task reads or writes a file that is a disk, or IOB_ACT_NONE. */
static u64 act_of_backing(struct look *l, const struct iob_stack *stack)
{
	const struct iob_backing *b = l->task ? &l->task->backing : NULL;

	l->for_other = b && iob_stack_has(stack, b->call.ret) &&
		     iob_origin_at(&b->origin, 0) > IOB_ACT_LOST;
	return l->for_other ? iob_origin_at(&b->origin, 0) : IOB_ACT_NONE;
}

/* The role that a page which is swapped out belongs to, or IOB_ROLE_NOMEM. */
static u64 role_of_swapped(const struct look *l)
{
	u64 cgroup;

	if (!(l->bio->bi_opf & REQ_SWAP) || l->op != IOB_OP_WRITE ||
	    iob_roles_kind() != IOB_ROLE_CGROUP)
		return IOB_ROLE_NOMEM;
	cgroup = iob_folio_cgroup(iob_folio_of(bio_page(l->bio)));
	return cgroup ? iob_role_of_cgroup(cgroup) : IOB_ROLE_NOMEM;
}

/* The act of the task that submits, on the file whose inode is @host if any. */
static u64 submitter_of(struct look *l, const struct inode *host)
{
	struct iob_stack stack IOB_UNINIT;
	struct iob_file file;
	u32 intent;
	u64 other, role;

	if (l->late)
		return IOB_ACT_LOST;
	if (l->at)
		iob_stack_from(&stack, l->at, NULL);
	else
		iob_stack_get(&stack, l->regs);
	intent = iob_stack_intent(&stack, l->modifier);
	other = act_of_backing(l, &stack);
	if (host)
		iob_file_of(host, &file);
	else if (l->file)
		file = *l->file;
	else if (l->task && iob_stack_has(&stack, l->task->direct))
		file = l->task->file;
	else
		block_device_file(l->bio, &file);
	if (other != IOB_ACT_NONE)
		return iob_act_on(other, &file, true);
	role = role_of_swapped(l);
	if (role != IOB_ROLE_NOMEM) {
		l->for_other = true;
		return iob_act_get(role, intent, &file);
	}
	if (!l->task)
		return iob_act_get(IOB_ROLE_LOST, intent, &file);
	return iob_task_act(l->task, intent, &file);
}

/* A page's entry says @nr: who pays?  IOB_ACT_NONE if it is another file's. */
static u64 act_of_entry(struct look *l, u32 nr, const struct inode *host)
{
	struct iob_act *act = iob_act_nr(nr);
	struct iob_file file;

	l->last_how = IOB_HOW_LOST;
	if (nr <= IOB_ACT_LOST)
		return nr;
	iob_file_of(host, &file);
	if (!act || !iob_file_same(&act->file, &file)) {
		iob_stat_inc(act_stale);
		return IOB_ACT_NONE;
	}
	l->last_how = iob_act_how(act);
	return l->modifier ? iob_act_modified(act->node.id, l->modifier) :
			     act->node.id;
}

static enum iob_how submitter_how(const struct look *l)
{
	if (l->for_other)
		return IOB_HOW_INHERITED;
	return l->task && !l->late ? IOB_HOW_SUBMITTER : IOB_HOW_LOST;
}

/* @bytes more of a file's pages whose dirtier is not known. */
static void add_submitter(struct look *l, const struct inode *host, u32 bytes)
{
	if (!l->submitter || host != l->submitter_host)
		l->submitter = submitter_of(l, host);
	l->submitter_host = host;
	iob_origin_put(l->o, l->submitter, submitter_how(l), bytes, IOB_DIRTY_UNKNOWN);
}

/*
 * @bytes more of what was made of a file's pages, by his share: @shared with
 * others, who have one, too.
 */
static void add_share(struct look *l, const struct inode *host, u64 act,
		      enum iob_how how, u32 bytes, u64 dirty_ns, bool shared)
{
	if (act <= IOB_ACT_LOST) {
		add_submitter(l, host, bytes);
		return;
	}
	if (l->modifier)
		act = iob_act_modified(act, l->modifier);
	if (how == IOB_HOW_EXACT && shared)
		how = IOB_HOW_INHERITED;
	iob_origin_put(l->o, act, how, bytes, dirty_ns);
}

/* Who dirtied the pages of a cluster. */
static enum hands hands_of(const struct iob_cluster *c)
{
	const struct iob_act *first = NULL;
	enum hands hands = ONE_ACT;
	unsigned int i;
	u64 ns;

	for (i = 0; i < c->nr; i++) {
		u64 id = iob_dirty_of_page(c->host, c->first + i, &ns);
		const struct iob_act *act = iob_act_id(id);

		if (!i)
			first = act;
		if (act == first)
			continue;
		if (!act || !first || act->role != first->role)
			return SEVERAL;
		hands = ONE_ROLE;
	}
	return hands;
}

/*
 * @bytes from @off on of a page into which f2fs has compressed a cluster.  If
 * that is of several, nobody knows what has become of whose: sector by sector the
 * pages take turns, so that each pays by his share of them.
 */
static noinline_for_stack void look_at_cluster(struct look *l,
					       const struct iob_cluster *c,
					       u32 off, u32 bytes)
{
	const unsigned int sectors = PAGE_SIZE >> SECTOR_SHIFT;
	const unsigned int step = max(c->nr / sectors, 1U);

	if (l->cluster.host != c->host || l->cluster.first != c->first) {
		l->cluster = *c;
		l->hands = hands_of(c);
	}
	while (bytes) {
		unsigned int sector = off >> SECTOR_SHIFT;
		unsigned int nth = sector * c->nr / sectors +
				   (sector + c->share) % step;
		u32 now = l->hands == ONE_ACT ? bytes :
			  min_t(u32, bytes, SECTOR_SIZE);
		const struct iob_act *act;
		u64 dirty_ns, id;

		id = iob_dirty_of_page(c->host, c->first + nth, &dirty_ns);
		act = iob_act_id(id);
		add_share(l, c->host, act ? id : IOB_ACT_LOST,
			  act ? iob_act_how(act) : IOB_HOW_LOST, now,
			  dirty_ns ? dirty_ns : IOB_DIRTY_UNKNOWN,
			  l->hands == SEVERAL);
		off += now;
		bytes -= now;
	}
}

/* Whose file a page is written for that is none of the cache, or NULL. */
static struct inode *standin_host(const struct look *l, struct page *page)
{
	struct page *own = iob_bounce_for(page);
	struct iob_cluster c;

	if (iob_bounce_cluster(own, &c))
		return c.host;
	return own == page ? NULL : cache_host(l, iob_folio_of(own));
}

/* One page of a write from the page cache, or of what was made of such. */
static void look_at_page(struct look *l, struct page *page, u32 off, u32 bytes)
{
	struct iob_cluster c;
	struct inode *host;
	unsigned long pfn;
	u64 dirty_ns;
	u32 nr;

	if (unlikely(l->bounces)) {
		page = iob_bounce_for(page);
		if (iob_bounce_cluster(page, &c)) {
			look_at_cluster(l, &c, off, bytes);
			l->last_nr = 0;
			return;
		}
	}
	pfn = page_to_pfn(page);
	nr = iob_dirtier_get(pfn);
	if (nr && nr == l->last_nr) {
		l->o->share[l->o->nr - 1].bytes += bytes;
		return;
	}
	l->last_nr = 0;
	host = cache_host(l, iob_folio_of(page));
	if (nr && host) {
		l->last_act = act_of_entry(l, nr, host);
		if (l->last_act) {
			dirty_ns = iob_dirtier_time(pfn);
			iob_origin_put(l->o, l->last_act, l->last_how, bytes,
				       dirty_ns ? dirty_ns : IOB_DIRTY_UNKNOWN);
			l->last_nr = nr;
			return;
		}
	}
	add_submitter(l, host, bytes);
}

/*
 * Behind the page that was looked at, most have the same entry: they are counted
 * where it was, as look_at_page() would.  Return: how many of up to @max.
 */
static __always_inline u32 pages_alike(struct look *l, struct page *page,
				       u32 max)
{
	u32 n;

	if (!max || !l->last_nr)
		return 0;
	n = iob_dirtier_run(page_to_pfn(page), max, l->last_nr);
	l->o->share[l->o->nr - 1].bytes += n << PAGE_SHIFT;
	return n;
}

static void look_at_pages(struct look *l)
{
	u32 run;

	struct bvec_iter iter;
	struct bio_vec bv;

	bio_for_each_bvec(bv, l->bio, iter) {
		struct page *page = bv.bv_page + (bv.bv_offset >> PAGE_SHIFT);
		u32 off = offset_in_page(bv.bv_offset), left = bv.bv_len;

		while (left) {
			u32 bytes = min_t(u32, left, PAGE_SIZE - off);

			look_at_page(l, page, off, bytes);
			left -= bytes;
			off = 0;
			page++;
			run = pages_alike(l, page, left >> PAGE_SHIFT);
			left -= run << PAGE_SHIFT;
			page += run;
		}
	}
}

/* Why this write happens now, as far as the one who does it says. */
static u32 modifier_of(const struct look *l)
{
	if (l->op == IOB_OP_READ || l->op == IOB_OP_AHEAD)
		return 0;
	if (l->bio->bi_opf & REQ_SWAP || (l->task && current_is_kswapd()))
		return IOB_MODIFIER_RECLAIM;
	return l->task ? l->task->modifier : 0;
}

/*
 * Who asks for it himself is known for certain; a kernel thread only carries
 * out what somebody else wanted.
 */
static enum iob_how direct_how(const struct look *l)
{
	if (!l->task || l->late)
		return IOB_HOW_LOST;
	if (l->for_other)
		return IOB_HOW_INHERITED;
	return current->flags & PF_KTHREAD ? IOB_HOW_SUBMITTER : IOB_HOW_EXACT;
}

/* The block of a log that a bio writes, as IOB_ASSOC_LOG_BLOCKs are numbered. */
static bool log_block(const struct look *l, const struct iob_transaction_write *log, u64 *nr)
{
	u64 sector = l->bio->bi_iter.bi_sector;

	if (!l->bio->bi_iter.bi_size || !log->gd ||
	    log->gd != iob_bio_disk(l->bio) || sector < log->start)
		return false;
	*nr = iob_transaction_block(log->first, (sector - log->start) >> log->shift);
	return true;
}

/* Who changed what the bio carries, as far as an owner is noted. */
static bool find_owner(struct look *l, u64 id)
{
	const struct iob_act *act = iob_act_id(id);
	struct iob_file file;
	enum iob_how how;

	if (!act || id <= IOB_ACT_LOST)
		return false;
	how = iob_act_how(act);
	/* such an act knows its file system no better than by the disk */
	if (!act->file.dev) {
		block_device_file(l->bio, &file);
		id = iob_act_on(id, &file, act->inherited);
	}
	if (l->modifier)
		id = iob_act_modified(id, l->modifier);
	iob_origin_put(l->o, id, how, l->bio->bi_iter.bi_size, IOB_DIRTY_UNKNOWN);
	return true;
}

/* Whether the task that submits writes a log, and if so who pays. */
static bool find_in_log(struct look *l)
{
	const struct iob_transaction_write *log = l->task ? &l->task->writes : NULL;
	struct iob_file file;
	u64 nr;

	/* reclaim strikes anywhere */
	if (!log || !log->key || l->late || l->bio->bi_opf & REQ_SWAP)
		return false;
	if (!log->always && l->end != IOB_BIO_XFS_LOG &&
	    !(l->end == IOB_BIO_BTRFS_SUPER && log->key == l->task->common))
		return false;
	l->modifier = IOB_MODIFIER_JOURNAL;
	if (log_block(l, log, &nr) &&
	    find_owner(l, iob_assoc_get(IOB_ASSOC_LOG_BLOCK, log->key, nr)))
		return true;
	block_device_file(l->bio, &file);
	return iob_transaction_split(l->o, log, &file, l->bio->bi_iter.bi_size);
}

static bool find_metadata(struct look *l)
{
	if (l->end == IOB_BIO_XFS_BUF)
		return find_owner(l, iob_assoc_get(IOB_ASSOC_BUF,
						   l->whole->bi_private, 0));
	return find_in_log(l);
}

/*
 * What a call discards are addresses of a file system's own, in their order; as
 * often as there are copies.
 */
static u64 freed_own(struct iob_freeing *f, u64 *bytes)
{
	u64 act, end;

	if (f->pos >= f->end)
		f->pos = f->start;
	end = min(f->pos + *bytes, f->end);
	act = iob_freed_extent_by(f->space, f->pos, &end, false);
	*bytes = end - f->pos;
	f->pos = end;
	return act;
}

/* ... else they are sectors of the disk; @forget: this is their own discard. */
static u64 freed_sectors(const struct look *l, u64 done, u64 *bytes,
			 bool forget)
{
	u64 pos = l->bio->bi_iter.bi_sector + (done >> SECTOR_SHIFT);
	u64 end = pos + (*bytes >> SECTOR_SHIFT);
	u64 act = iob_freed_extent_by(iob_bio_disk(l->bio), pos, &end, forget);

	*bytes = (end - pos) << SECTOR_SHIFT;
	return act;
}

/*
 * What a worker discards is paid for by whoever freed it.  With what he freed,
 * more may be discarded, as ext4 does up to the end of the free space, or what a
 * disk's granularity takes along: that is his, too.  What was freed behind such a
 * gap has its own discard yet to come.  Return: false if nobody is known for any
 * of it.
 */
static bool look_at_freed(struct look *l, struct iob_freeing *f)
{
	u64 all = l->bio->bi_iter.bi_size, done, act, bytes;
	u64 last = IOB_ACT_NONE, nobodys = 0;
	struct iob_file file;
	bool gap = false;

	block_device_file(l->bio, &file);
	for (done = 0; done < all; done += bytes) {
		bytes = all - done;
		act = f ? freed_own(f, &bytes) :
			  freed_sectors(l, done, &bytes, !gap);
		if (iob_act_id(act) && act > IOB_ACT_LOST)
			last = act;
		else if (last != IOB_ACT_NONE)
			gap = true;
		nobodys += bytes;
		if (last == IOB_ACT_NONE)
			continue;
		iob_origin_add(l->o, last, &file, nobodys,
			       IOB_MODIFIER_DISCARD);
		nobodys = 0;
	}
	return last != IOB_ACT_NONE;
}

/* Whether a discard is for others than the one who submits it. */
static noinline_for_stack bool find_freed(struct look *l)
{
	struct iob_task *t = l->task;
	struct iob_transaction_write log = { .modifier = IOB_MODIFIER_DISCARD };
	struct iob_file file;
	struct iob_stack stack IOB_UNINIT;

	if (!t || l->late)
		return false;
	iob_stack_get(&stack, l->regs);
	if (t->freeing.call.ret && iob_stack_has(&stack, t->freeing.call.ret))
		return !t->freeing.own && look_at_freed(l, &t->freeing);
	if (t->xfs.done.ret && iob_stack_has(&stack, t->xfs.done.ret)) {
		log.key = iob_transaction_freed_key(t->xfs.done_log);
		log.first = t->xfs.done_seq;
		log.last = t->xfs.done_seq;
		block_device_file(l->bio, &file);
		return iob_transaction_split(l->o, &log, &file,
				     l->bio->bi_iter.bi_size);
	}
	/* who asks for it himself is known */
	return current->flags & PF_KTHREAD && look_at_freed(l, NULL);
}

/*
 * The pages of a bio are nobody's if a worker of btrfs has compressed a file's
 * into them; whose those are is noted.  Where they are of several, nobody
 * knows what has become of whose: each pays by his share.
 */
static noinline_for_stack bool find_compressed(struct look *l)
{
	const struct iob_compressed *c;
	struct iob_compressed own;
	struct iob_stack stack IOB_UNINIT;
	u64 size = l->bio->bi_iter.bi_size, sum = 0, done = 0, end;
	unsigned int i;

	if (!l->task || !iob_compressed_any(l->task) || l->late)
		return false;
	iob_stack_get(&stack, l->regs);
	c = iob_compressed_of(l->bio, &stack, &own);
	if (!c)
		return false;
	l->file = &c->written;
	for (i = 0; i < c->origin.nr; i++) {
		const struct iob_share *p = &c->origin.share[i];

		sum += p->bytes;
		end = sum < c->bytes ? round_down(div64_u64(size * sum,
							    c->bytes),
						  SECTOR_SIZE) : size;
		if (end == done)
			continue;
		add_share(l, NULL, p->act, p->how, end - done, p->dirty_ns,
			  c->origin.nr > 1);
		done = end;
	}
	l->file = NULL;
	iob_origin_free(&own.origin);
	return done;
}

static bool is_write(const struct look *l)
{
	return l->op == IOB_OP_WRITE || l->op == IOB_OP_FLUSH;
}

static void find(struct look *l)
{
	struct iob_origin *o = l->o;
	struct bio *bio = l->bio;
	struct inode *host = NULL;
	u64 act;

	iob_origin_begin(o);
	l->task = iob_task_get();
	l->modifier = modifier_of(l);
	l->end = iob_bio_kind_of(bio, &l->whole);
	/* (what is zeroed is in use) */
	if (bio_op(bio) == REQ_OP_DISCARD && find_freed(l))
		return;
	if (bio_has_data(bio) && bio->bi_iter.bi_size &&
	    l->end != IOB_BIO_DIRECT)
		host = cache_host(l, iob_folio_of(bio_page(bio)));
	/* a bio of f2fs has pages of several files */
	if (host && host->i_sb->s_magic == F2FS_SUPER_MAGIC)
		l->bounces = true;
	if (!host && l->op == IOB_OP_WRITE && bio_has_data(bio) &&
	    l->end != IOB_BIO_DIRECT) {
		host = standin_host(l, bio_page(bio));
		l->bounces = host;
	}
	if (!host && is_write(l) && find_compressed(l))
		return;
	/* what a log holds may be pages of the cache, on their way elsewhere */
	if ((!host || iob_is_bdev(host) || l->end == IOB_BIO_BUFFER) &&
	    is_write(l) && find_metadata(l))
		return;
	if (host && l->op == IOB_OP_WRITE) {
		look_at_pages(l);
		return;
	}
	act = submitter_of(l, host);
	iob_origin_put(o, act, direct_how(l), bio->bi_iter.bi_size, IOB_DIRTY_NEVER);
}

/*
 * A direct IO that a task does for itself, and no log's: find() in short.
 * Return: false if it is none.
 */
static __always_inline bool find_direct(struct iob_origin *o,
					const struct bio *bio,
					const struct iob_frame *at)
{
	const struct iob_stack_slot *m;
	const struct bio *whole;
	struct iob_file file IOB_UNINIT;
	struct iob_task *t;

	if (!at || iob_bio_kind_of(bio, &whole) != IOB_BIO_DIRECT)
		return false;
	t = iob_task_get();
	if (!t || iob_task_serves(t) || current->flags & PF_KTHREAD ||
	    bio->bi_opf & REQ_SWAP)
		return false;
	if (!iob_stack_known(at->ip, at->sp, at->bp, true, &m) || !m->intent ||
	    m->modifier || iob_stack_cut(m))
		return false;
	if (unlikely(t->direct) && iob_stack_slot_has(m, t->direct))
		file = t->file;
	else
		block_device_file(bio, &file);
	o->share = &o->one;
	o->nr = 1;
	o->room = 1;
	o->one.act = iob_task_act(t, m->intent, &file);
	o->one.how = IOB_HOW_EXACT;
	o->one.bytes = bio->bi_iter.bi_size;
	o->one.dirty_ns = IOB_DIRTY_NEVER;
	return true;
}

static noinline void find_slow(struct iob_origin *o, struct bio *bio,
				 enum iob_op op, const struct iob_frame *at,
				 struct pt_regs *regs)
{
	struct look l = { .o = o, .bio = bio, .op = op, .at = at,
			  .regs = regs };

	find(&l);
}

/**
 * iob_origin_find - who pays for a bio
 * @o:    gets the parts; iob_origin_free() it in the end
 * @bio:  as it is queued
 * @op:   what it does
 * @at:   in a tracepoint's probe where that is, see iob_stack_here(); else NULL
 * @regs: in a kprobe's handler what it was given, else NULL
 *
 * Any context but NMI, inside iob_read_lock(), in the context of whoever
 * submits.  The parts' bytes add up to the bio's.
 * Return: whether it is direct IO that the current task does for itself, with the
 * act that it was asked for last.
 */
bool iob_origin_find(struct iob_origin *o, struct bio *bio, enum iob_op op,
		     const struct iob_frame *at, struct pt_regs *regs)
{
	bool direct = find_direct(o, bio, at);

	if (!direct)
		find_slow(o, bio, op, at, regs);
	return direct;
}

/**
 * iob_origin_find_late - who pays for a bio that was submitted by somebody else
 * @o:    gets the parts; iob_origin_free() it in the end
 * @bio:  the bio
 * @op:   what it does
 *
 * As iob_origin_find(), but only its pages can tell.
 */
void iob_origin_find_late(struct iob_origin *o, struct bio *bio, enum iob_op op)
{
	struct look l = { .o = o, .bio = bio, .op = op, .late = true };

	find(&l);
}

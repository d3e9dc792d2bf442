// SPDX-License-Identifier: GPL-2.0
#include <linux/sched.h>

#include <compat/compiler.h>
#include <compat/memcg.h>

#include "behalf.h"
#include "core/intent.h"
#include "core/mark.h"
#include "core/metadata.h"
#include "core/role.h"
#include "look.h"
#include "stack/stack.h"

/**
 * iob_look_stack - the submitter's stack
 * @l:     the bio, which is not late: else the stack is of whoever runs the queue
 * @stack: what is found
 *
 * It begins at the probe at which the bio is looked at.  In the probe's context.
 */
void iob_look_stack(const struct iob_look *l, struct iob_stack *stack)
{
	if (l->at)
		iob_stack_from(stack, l->at, NULL);
	else
		iob_stack_get(stack, l->regs);
}

/**
 * iob_look_in_direct - whether the submitter does a direct IO of a file in this call
 * @l: the bio
 *
 * Before a direct IO the file's cached pages are written, which is no part of it.
 */
noinline_for_stack bool iob_look_in_direct(const struct iob_look *l)
{
	struct iob_stack stack IOB_UNINIT;

	if (l->late || !l->task || !l->task->direct)
		return false;
	iob_look_stack(l, &stack);
	return iob_stack_has(&stack, l->task->direct) &&
	       !(iob_marks_of(stack.ip, stack.depth) & IOB_INTENT_WRITEBACK);
}

/**
 * iob_look_host - the inode from or to whose page cache a bio goes
 * @l: the bio
 * @f: one of its folios
 *
 * The pages of a direct IO may be in the page cache, too, if its buffer is a mapped file.
 * So a page counts only while it is under writeback, or locked for a read.  Nobody can map
 * the pages of a file system's own inodes, and they always count.
 * Return: NULL if it goes from or to no file's page cache.
 */
struct inode *iob_look_host(const struct iob_look *l, struct iob_folio *f)
{
	struct inode *host = iob_folio_host(f);

	/* buffers are written, and metadata may be read, without a mark on the page */
	if (!host || iob_is_bdev(host) || iob_is_metadata(host) || l->kind == &iob_bio_buffer)
		return host;
	if (l->op == IOB_OP_WRITE)
		return iob_folio_writeback(f) ? host : NULL;
	return iob_folio_locked(f) ? host : NULL;
}

/*
 * True if a bio is no part of the direct IO in whose call it is submitted: memory is swapped out
 * for it, its buffer is swapped in, or the file system needs metadata.  A buffer that a direct IO
 * reads into has been read, or is no anonymous memory.
 */
static bool is_beside_direct(const struct iob_look *l)
{
	const unsigned long swapped_in = BIT(PG_swapbacked);

	if (l->bio->bi_opf & REQ_SWAP)
		return true;
	if (l->kind && (l->kind->changed_by || l->kind->is_log))
		return true;
	return l->op == IOB_OP_READ && bio_has_data(l->bio) &&
	       (iob_folio_flags(iob_folio_of(bio_page(l->bio))) &
		(BIT(PG_uptodate) | swapped_in)) == swapped_in;
}

/* The cause of the parent request that the submitter carries out, or IOB_CAUSE_NONE. */
static u64 submitter_parent(struct iob_look *l, const struct iob_stack *stack)
{
	const struct iob_parent_io *p = l->task ? iob_parent_io_of(l->task) : NULL;

	l->for_other = p && iob_stack_has(stack, p->call.ret) &&
		       iob_origin_at(&p->origin, 0) > IOB_CAUSE_LOST;
	return l->for_other ? iob_origin_at(&p->origin, 0) : IOB_CAUSE_NONE;
}

/*
 * The cause on whose behalf the submitter reads, or IOB_CAUSE_NONE.
 *
 * Example: the flusher writes dirty pages of A and allocates blocks for them.  The bitmap
 * that it must read first is charged to A.
 */
static u64 submitter_reads_for(struct iob_look *l, const struct iob_stack *stack,
			       const struct inode *host)
{
	struct iob_behalf *b;
	u64 ref;

	if ((l->op != IOB_OP_READ && l->op != IOB_OP_AHEAD) || !l->task)
		return IOB_CAUSE_NONE;
	b = iob_behalf_active(l->task, stack);
	/* without @b, too: metadata that a worker reads in a transaction of others */
	ref = iob_behalf_cause(l->task, b, host);
	l->for_other = ref != IOB_CAUSE_NONE;
	return ref;
}

/*
 * Whether a write may be that of an inode.  Some file systems keep inodes in pages of a file of
 * their own, and write such a page while it is locked, without a mark that it is under writeback.
 * Pages that serve a log as well are not locked.
 */
static bool may_write_inode(const struct iob_look *l)
{
	const struct inode *host;
	struct iob_folio *f;

	if (l->op != IOB_OP_WRITE || !bio_has_data(l->bio) || l->bio->bi_opf & REQ_SWAP)
		return false;
	f = iob_folio_of(bio_page(l->bio));
	host = iob_folio_host(f);
	return host && !iob_is_bdev(host) && iob_folio_locked(f) && !iob_folio_writeback(f);
}

/* Whether blocks are zeroed, by a command or by writing zeroes. */
static bool is_zeroing(const struct iob_look *l)
{
	if (bio_op(l->bio) == REQ_OP_WRITE_ZEROES)
		return true;
	return l->op == IOB_OP_WRITE && bio_has_data(l->bio) && l->bio->bi_iter.bi_size &&
	       bio_page(l->bio) == ZERO_PAGE(0);
}

/*
 * The cause that changed the inode which a kernel thread writes now, or for whose page it zeroes
 * blocks, or IOB_CAUSE_NONE.  A task that syncs a file does so for itself.
 *
 * Example: B has changed the mode of a file.  The flusher writes the inode, 1 KiB of a page that
 * has four of them, which is charged to B.  A has written 1 KiB in the middle of blocks that were
 * allocated before.  The flusher zeroes those around it, which is charged to A.
 */
static u64 submitter_writes_for(struct iob_look *l, const struct iob_stack *stack)
{
	bool zeroes = is_zeroing(l);
	struct iob_behalf *b;
	u64 ref;

	if (!l->task || !(current->flags & PF_KTHREAD))
		return IOB_CAUSE_NONE;
	if (!zeroes && !may_write_inode(l))
		return IOB_CAUSE_NONE;
	b = iob_behalf_active(l->task, stack);
	if (!b || (!zeroes && !b->open))
		return IOB_CAUSE_NONE;
	ref = iob_behalf_cause(l->task, b, NULL);
	l->for_other = ref != IOB_CAUSE_NONE;
	return ref;
}

/* The role that a page which is swapped out belongs to, or IOB_ROLE_NOMEM. */
static u64 swapped_role(const struct iob_look *l)
{
	u64 cgroup;

	if (!(l->bio->bi_opf & REQ_SWAP) || l->op != IOB_OP_WRITE ||
	    iob_roles_kind() != IOB_ROLE_CGROUP)
		return IOB_ROLE_NOMEM;
	cgroup = iob_folio_cgroup(iob_folio_of(bio_page(l->bio)));
	return cgroup ? iob_role_of_cgroup(cgroup) : IOB_ROLE_NOMEM;
}

/**
 * iob_look_submitter - the cause of the task that submits a bio
 * @l:    the bio
 * @host: the file, if its pages tell it, else NULL
 * @file: gets the file
 *
 * Return: a reference; IOB_CAUSE_LOST if the submitter is long gone.
 */
u64 iob_look_submitter(struct iob_look *l, const struct inode *host, struct iob_file *file)
{
	struct iob_stack stack IOB_UNINIT;
	u64 other, role;
	u32 intent;

	if (l->late) {
		iob_look_device(l->bio, file);
		return IOB_CAUSE_LOST;
	}
	iob_look_stack(l, &stack);
	intent = iob_stack_intent(&stack, l->modifier);
	other = submitter_parent(l, &stack);
	if (other == IOB_CAUSE_NONE)
		other = submitter_reads_for(l, &stack, host);
	if (other == IOB_CAUSE_NONE && !host)
		other = submitter_writes_for(l, &stack);
	if (host)
		iob_file_of(host, file);
	else if (l->file)
		*file = *l->file;
	else if (l->task && iob_stack_has(&stack, l->task->direct) && !is_beside_direct(l))
		*file = l->task->file;
	else
		iob_look_device(l->bio, file);
	if (other != IOB_CAUSE_NONE)
		return other | IOB_CAUSE_INHERITED;
	role = swapped_role(l);
	if (role != IOB_ROLE_NOMEM) {
		l->for_other = true;
		return iob_cause_get(role, intent);
	}
	if (!l->task)
		return iob_cause_get(IOB_ROLE_LOST, intent);
	return iob_task_cause(l->task, intent);
}

static enum iob_how submitter_how(const struct iob_look *l)
{
	if (l->for_other)
		return IOB_HOW_INHERITED;
	return l->task && !l->late ? IOB_HOW_SUBMITTER : IOB_HOW_LOST;
}

/* The dirtier of @bytes more of @host's pages is not known: the submitter pays. */
void iob_look_add_submitter(struct iob_look *l, const struct inode *host, u32 bytes)
{
	if (!l->submitter || host != l->submitter_host)
		l->submitter = iob_look_submitter(l, host, &l->submitter_file);
	l->submitter_host = host;
	iob_origin_put(l->o, l->submitter, &l->submitter_file, submitter_how(l), bytes,
		       IOB_DIRTY_UNKNOWN);
}

/**
 * iob_look_add_share - the next bytes of what was made of a file's pages
 * @l:      the bio
 * @host:   the file, if it has one
 * @share:  which cause pays, on which file; the submitter if that is not known
 * @shared: several roles pay for a part each: exact becomes inherited
 */
void iob_look_add_share(struct iob_look *l, const struct inode *host,
			const struct iob_share *share, bool shared)
{
	enum iob_how how = share->how;

	if (share->cause <= IOB_CAUSE_LOST) {
		iob_look_add_submitter(l, host, share->bytes);
		return;
	}
	if (how == IOB_HOW_EXACT && shared)
		how = IOB_HOW_INHERITED;
	iob_origin_put(l->o, iob_cause_modified(share->cause, l->modifier), &share->file,
		       how, share->bytes, share->dirty_ns);
}

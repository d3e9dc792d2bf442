// SPDX-License-Identifier: GPL-2.0
/*
 * A note is not taken away when its write is ended, but by a worker, which asks for it: most writes
 * are ended in an interrupt, or by their task, with nothing to change.  So there is one note for
 * each kiocb of late, whatever files it has written.  It is never believed of another write:
 *
 *  - A kiocb is of one write at a time.  Each that is ended where a worker asks has begun in
 *    __iomap_dio_rw(): there it is noted anew, or what is noted of its kiocb is dropped.  So what
 *    a worker finds was noted since its write began, by whoever submits it.
 *  - One that began before the session finds nothing, as the cache was empty, and its kiocb was in
 *    use all the time.
 *  - One that nobody notes when it begins is ended by iob_async_end_other(), which does not ask.
 *
 * Should the beginning of a write be missed for any other reason, the file is another one in most
 * cases.  A note has a tag of it.
 *
 * Example: fio (cause 7) writes to file 12 by kiocb 0xffff9a3e01427a80, and has no more to do with
 * it.  A minute later mariadbd (cause 9) gets the address for a write to file 13, which becomes
 * longer by that.  When it begins, the note becomes mariadbd's: the worker acts for 9.
 */
#include <linux/hash.h>
#include <linux/jiffies.h>

#include <compat/compiler.h>

#include "async.h"
#include "behalf.h"
#include "core/cause.h"
#include "core/disk.h"
#include "core/hands_on.h"
#include "stack/stack.h"

/* A write takes no longer than that, but where the disk fails.  Most notes are left behind. */
struct iob_assoc_kind iob_assoc_kiocb = { .name = "kiocb", .life = 2 * 60 * HZ };

struct iob_task_part iob_async_part = {
	.name = "asynchronous write",
	.size = sizeof(struct iob_async),
};

const struct iob_bio_kind iob_async_end_io = { .name = "asynchronous write" };

/* What is noted of the last kiocb at this address is of another one.  Inside iob_read_lock(). */
void iob_async_forget(const struct kiocb *iocb)
{
	iob_assoc_forget(&iob_assoc_kiocb, iocb, 0);
}

/* What the tag of a note is made from: it is cheaper than to hash the file's number. */
static u32 async_hash(const struct inode *inode)
{
	return hash_ptr(inode, 32);
}

/* A worker's own write is for somebody who is not known: its end is, too. */
static bool async_is_for_itself(u64 cause)
{
	const struct iob_cause *c = iob_cause_of(cause);

	return !c || iob_hands_on_unknown(c, cause);
}

static void async_note(const struct iob_async *a, u64 cause)
{
	if (cause <= IOB_CAUSE_LOST || async_is_for_itself(cause)) {
		iob_async_forget(a->iocb);
		return;
	}
	iob_cause_touch_nr(iob_cause_number(cause));
	iob_assoc_set(&iob_assoc_kiocb, a->iocb, 0,
		      iob_cause_tagged(cause, async_hash(a->inode)));
}

/**
 * iob_async_begin - the current task begins a write that a worker may end
 * @t:     its context
 * @iocb:  the write
 * @inode: the file
 * @cause: who will most likely pay; IOB_CAUSE_NONE: iob_async_bio() is going to tell
 *
 * From a probe, inside iob_read_lock().
 */
void iob_async_begin(struct iob_task *t, const struct kiocb *iocb, const struct inode *inode,
		     u64 cause)
{
	struct iob_async *a = iob_async_of(t);

	a->iocb = iocb;
	a->inode = inode;
	async_note(a, cause);
}

/* Of iob_async_bio(): is it a bio of the write that the task has begun? */
void iob_async_found(const struct iob_task *t, const struct bio *bio, u64 cause,
		     const struct iob_frame *at, struct pt_regs *regs)
{
	struct iob_stack stack IOB_UNINIT;
	const struct bio *whole;

	if (iob_bio_kind_of(bio, &whole) != &iob_bio_direct)
		return;
	if (at)
		iob_stack_from(&stack, at, NULL);
	else
		iob_stack_get(&stack, regs);
	/* the next write, from the same place or another, replaces what the task has begun */
	if (iob_stack_has(&stack, t->direct))
		async_note(iob_async_of(t), cause);
}

/* Who is noted for a write, and not yet asked for; IOB_CAUSE_NONE if nobody is. */
static u64 async_take(const struct kiocb *iocb, const struct inode *inode)
{
	u64 cause = iob_assoc_take(&iob_assoc_kiocb, iocb, 0);

	return iob_cause_is_about(cause, async_hash(inode)) ? cause & ~IOB_CAUSE_TAG :
							      IOB_CAUSE_NONE;
}

/**
 * iob_async_end - a direct write is ended
 * @iocb: the write
 * @regs: as they were at the entry of the file system's end_io()
 *
 * By the task that waits for its write, by a worker, or in an interrupt if there is nothing to
 * change.  From a probe, inside iob_read_lock().
 */
void iob_async_end(struct kiocb *iocb, struct pt_regs *regs)
{
	struct inode *inode;
	u64 cause = IOB_CAUSE_NONE;

	if (!(current->flags & PF_WQ_WORKER))
		return;
	inode = file_inode(iocb->ki_filp);
	if (!is_sync_kiocb(iocb) && iob_disk_watches(inode))
		cause = async_take(iocb, inode);
	/* also where it is not known: the last call from there was for another write */
	iob_behalf_surely(cause, regs);
}

/**
 * iob_async_end_other - a direct write is ended that was not noted when it began
 * @regs: as iob_async_end()'s
 *
 * A note of its kiocb is of an earlier write.  Context: as iob_async_end().
 */
void iob_async_end_other(struct pt_regs *regs)
{
	if (current->flags & PF_WQ_WORKER)
		iob_behalf_surely(IOB_CAUSE_NONE, regs);
}

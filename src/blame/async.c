// SPDX-License-Identifier: GPL-2.0
#include <compat/compiler.h>

#include "async.h"
#include "behalf.h"
#include "core/cause.h"
#include "core/disk.h"
#include "core/hands_on.h"
#include "stack/stack.h"

/*
 * By the file, too.  A write that failed may not have been ended, and leaves its note: the next
 * kiocb at its address is noted anew, or forgotten, when it writes the same file.
 */
struct iob_assoc_kind iob_assoc_kiocb = { .name = "kiocb" };

struct iob_task_part iob_async_part = {
	.name = "asynchronous write",
	.size = sizeof(struct iob_async),
};

const struct iob_bio_kind iob_async_end_io = { .name = "asynchronous write" };

/* What is noted of the last kiocb at this address is of another one.  Inside iob_read_lock(). */
void iob_async_forget(const struct kiocb *iocb, const struct inode *inode)
{
	iob_assoc_forget(&iob_assoc_kiocb, iocb, (unsigned long)inode);
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
		iob_async_forget(a->iocb, a->inode);
		return;
	}
	iob_cause_touch_nr(iob_cause_number(cause));
	iob_assoc_set(&iob_assoc_kiocb, a->iocb, (unsigned long)a->inode, cause);
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
	struct inode *inode = file_inode(iocb->ki_filp);
	u64 cause = IOB_CAUSE_NONE;

	if (!is_sync_kiocb(iocb) && iob_disk_watches(inode))
		cause = iob_assoc_take(&iob_assoc_kiocb, iocb, (unsigned long)inode);
	/* also where it is not known: the last call from there was for another write */
	if (current->flags & PF_WQ_WORKER)
		iob_behalf_surely(cause, regs);
}

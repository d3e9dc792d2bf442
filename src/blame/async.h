/* SPDX-License-Identifier: GPL-2.0 */
/*
 * async - for which cause a worker ends an asynchronous direct write
 *
 * A task asks for a direct write and goes on.  When the data are on the disk, a worker may have to
 * change the file: blocks that were allocated only have data now, or the file is longer.  All that
 * the worker has of the task is the struct kiocb by which the task asked.
 *
 * Example: fio (cause 7) writes by kiocb 0xffff9a3e01427a80, whose bio is charged to 7: the kiocb
 * is noted for 7.  A worker calls the file system's end_io() with the kiocb.  Until that returns,
 * the worker acts on behalf of 7.
 */
#ifndef IOB_BLAME_ASYNC_H
#define IOB_BLAME_ASYNC_H

#include <linux/fs.h>

#include "association.h"
#include "bio_kind.h"
#include "core/task.h"

struct iob_frame;
struct pt_regs;

/* What the current task writes: .iocb is compared and not followed. */
struct iob_async {
	const struct kiocb *iocb;	/* NULL: nothing that a worker may end */
	const struct inode *inode;	/* the file, not followed either */
};

extern struct iob_assoc_kind iob_assoc_kiocb;
extern struct iob_task_part iob_async_part;
/* Not of bios: the functions by which file systems end direct writes, and that are hooked. */
extern const struct iob_bio_kind iob_async_end_io;

void iob_async_begin(struct iob_task *t, const struct kiocb *iocb, const struct inode *inode,
		     u64 cause);
void iob_async_forget(const struct kiocb *iocb);
void iob_async_found(const struct iob_task *t, const struct bio *bio, u64 cause,
		     const struct iob_frame *at, struct pt_regs *regs);
void iob_async_end(struct kiocb *iocb, struct pt_regs *regs);
void iob_async_end_other(struct pt_regs *regs);

static inline struct iob_async *iob_async_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_async_part);
}

/* The task writes nothing that a worker may end.  By the task itself, inside iob_read_lock(). */
static inline void iob_async_none(struct iob_task *t)
{
	iob_async_of(t)->iocb = NULL;
}

/**
 * iob_async_bio - it was found out who pays for a bio
 * @bio:   the bio, a write
 * @cause: who pays for its first byte
 * @at:    where a tracepoint's probe is, or NULL
 * @regs:  in a kprobe's handler, else NULL
 *
 * In the submitter's context: any but NMI, inside iob_read_lock().
 */
static inline void iob_async_bio(const struct bio *bio, u64 cause, const struct iob_frame *at,
				 struct pt_regs *regs)
{
	const struct iob_task *t = in_task() ? iob_task_peek(current) : NULL;

	if (t && iob_task_is_of_session(t) && iob_async_of(t)->iocb)
		iob_async_found(t, bio, cause, at, regs);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * async_end - the entry of a function by which a file system ends a direct write
 *
 * struct iomap_dio_ops has a function of the file system for it: int end_io(iocb, size, error,
 * flags).  What a worker changes in there is changed for who wrote (blame/async.h).
 *
 * Example: ext4_dio_write_end_io().
 */
#ifndef IOB_FS_ASYNC_END_H
#define IOB_FS_ASYNC_END_H

#include "blame/async.h"
#include "hooks/hook.h"

/* (iocb, size, error, flags).  In tasks and in interrupts, preemption off. */
static inline void iob_async_end_entered(struct pt_regs *regs)
{
	iob_async_end(iob_arg_ptr(regs, 0), regs);
}

#endif

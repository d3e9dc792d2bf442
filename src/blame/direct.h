/* SPDX-License-Identifier: GPL-2.0 */
/*
 * direct - the file of a direct IO
 *
 * Example: __iomap_dio_rw() is entered for inode 13.  The task's context gets the file and the
 * call's return address.  A bio that is submitted later, with that address in its trace, goes to
 * that file, though nothing in it names one.
 */
#ifndef IOB_BLAME_DIRECT_H
#define IOB_BLAME_DIRECT_H

#include "core/disk.h"
#include "core/task.h"
#include "stack/call.h"

/**
 * iob_direct_begin - a direct IO begins
 * @inode: the file
 * @regs:  as they were at the function's entry
 *
 * Much may be called before its bios are submitted, but all of it in this task; a bio belongs to
 * it only if its stack goes through the same call.  From a probe, inside iob_read_lock().
 * Return: the task's context; NULL if the file is not watched, or without memory.
 */
static inline struct iob_task *iob_direct_begin(struct inode *inode, struct pt_regs *regs)
{
	struct iob_task *t;

	t = iob_disk_watches(inode) ? iob_task_get() : NULL;
	if (t) {
		iob_file_of(inode, &t->file);
		t->direct = iob_call_ret(regs);
	}
	return t;
}

#endif

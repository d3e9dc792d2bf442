/* SPDX-License-Identifier: GPL-2.0 */
/*
 * freed_extent - which act freed which blocks, for the discard that comes later
 *
 * Example: rm (act 7) frees sectors 2048 to 4095.  Seconds later the journal's thread
 * discards sectors 2048 to 8191: the first 1 MiB is charged to act 7.
 */
#ifndef IOB_BLAME_FREED_EXTENT_H
#define IOB_BLAME_FREED_EXTENT_H

#include <linux/types.h>

#include "core/task.h"
#include "stack/call.h"

struct iob_stack;
struct pt_regs;

/* A task's call that discards what was freed. */
struct iob_discard_call {
	struct iob_call call;	/* until it returns */
	bool own;		/* on the task's own account, as fstrim does */
	/* a range of a file system's own addresses; NULL: ranges of the disk */
	const void *space;
	u64 start, end;
	u64 pos;		/* where the next bio begins */
};

extern struct iob_task_part iob_discard_call_part;

/* Any context that may look at @t. */
static inline struct iob_discard_call *iob_discard_call_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_discard_call_part);
}

int iob_freed_extents_init(void);
void iob_freed_extents_exit(void);
int iob_freed_extents_start(void);
void iob_freed_extents_stop(void);
unsigned long iob_freed_extents_bytes(void);
bool iob_freed_extents_mark(unsigned long *causes, const bool *stop);
bool iob_freed_extent_discards(const void *space);
void iob_freed_extent_set(const void *space, u64 start, u64 end, u64 act);
void iob_freed_extent_forget(const void *space, u64 start, u64 end);
u64 iob_freed_extent_by(const void *space, u64 pos, u64 *end, bool forget);
void iob_freed_extent_end(const void *space);
void iob_freed_extent_share(const void *space, u64 start, u64 end, struct pt_regs *regs);
void iob_freed_extent_discard(const void *space, u64 start, u64 bytes,
			      const struct iob_call *call, struct pt_regs *regs);
void iob_freed_extent_discard_rest(const struct iob_call *call);

#endif

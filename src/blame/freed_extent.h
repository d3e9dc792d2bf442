/* SPDX-License-Identifier: GPL-2.0 */
/*
 * freed - who freed which blocks, for whoever discards them later
 */
#ifndef IOB_BLAME_FREED_EXTENT_H
#define IOB_BLAME_FREED_EXTENT_H

#include <linux/types.h>

struct iob_call;
struct iob_stack;
struct pt_regs;

int iob_freed_extent_init(void);
void iob_freed_extent_exit(void);
void iob_freed_extent_stop(void);
void iob_freed_extent_set(const void *space, u64 start, u64 end, u64 act);
u64 iob_freed_extent_by(const void *space, u64 pos, u64 *end, bool forget);
void iob_freed_extent_share(const void *space, u64 start, u64 end,
		     struct pt_regs *regs);
void iob_freed_extent_discard(const void *space, u64 start, u64 bytes,
		       const struct iob_call *call, struct pt_regs *regs);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * walk - a stack trace by the kernel's unwinder, without the tracer's own frames
 *
 * A trace taken in a tracepoint's probe begins with functions of this module.  Where several
 * probes are attached, the tracepoint's iterator follows.  Neither says anything about the
 * IO, and the iterator comes and goes with other tracers, which would make two intents of
 * one.  So iob_walk_own() tells how many addresses to cut off.
 *
 * Example: { iob_dirty_folio, __traceiter_writeback_dirty_folio, folio_account_dirtied, ... }
 * has 2 own addresses.
 */
#ifndef IOB_STACK_WALK_H
#define IOB_STACK_WALK_H

#include <linux/types.h>

#include <compat/unwind.h>

#include "slot.h"

void iob_stack_hide(unsigned long func);
void iob_stack_unhide_all(void);

unsigned int iob_walk_own(const unsigned long *ip, unsigned int nr);
unsigned int iob_walk(unsigned long *ip, unsigned int max, struct pt_regs *regs);
#ifdef IOB_UNWIND_FRAMES
unsigned int iob_walk_frames(struct iob_frame *f, struct pt_regs *regs, bool *clean);
#endif

#endif

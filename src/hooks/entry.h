/* SPDX-License-Identifier: GPL-2.0 */
/*
 * entry - calls a handler whenever the kernel enters a function
 */
#ifndef IOB_HOOKS_ENTRY_H
#define IOB_HOOKS_ENTRY_H

#include <linux/kprobes.h>

#include "own_ops.h"

/* One watched function and its handler.  Zeroed first; H: hooks_mutex, see table.c. */
struct iob_entry {
	struct iob_own_ops *own_ops;	/* or NULL */
	iob_entry_fn fn;		/* the handler */
	iob_entry_fn live;		/* fn while the entry is on, else NULL */
	unsigned long addr;		/* the function, where a kprobe attaches, or 0 */
	unsigned long place;		/* where ftrace attaches, if it does: iob_entry_place() */
	bool ftraced;			/* ftrace can attach there */
	bool unprobed;			/* no kprobe can, for tests */
	bool armed;
	bool by_kprobe;			/* armed, and ftrace did not attach */
	struct kprobe kp;		/* if by_kprobe */
};

bool iob_entry_wants_ftrace(const struct iob_entry *e);
int iob_entry_arm(struct iob_entry *e);
void iob_entry_on(struct iob_entry *e);
void iob_entry_off(struct iob_entry *e);
void iob_entry_disarm(struct iob_entry *e);
int iob_entries_check(void);
int iob_entries_begin(void);
void iob_entries_end(void);
void iob_entries_exit(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * entry - to be called whenever the kernel enters a function
 */
#ifndef IOB_HOOKS_ENTRY_H
#define IOB_HOOKS_ENTRY_H

#include <linux/kprobes.h>

/*
 * Called with preemption off inside iob_read_lock(), in whatever context the
 * function runs, which has only just been entered: of @regs the arguments, the
 * instruction, stack and frame pointers are valid, and no others.
 */
typedef void (*iob_entry_fn)(struct pt_regs *regs);

/* One function and who wants to know.  Zeroed first; H, see hooks/table.c. */
struct iob_entry {
	iob_entry_fn fn;
	iob_entry_fn live;	/* fn, or NULL: is not to be called now */
	unsigned long addr;	/* where ftrace or a kprobe gets at it, or 0 */
	bool ftraced;		/* ftrace does */
	bool armed;
	struct kprobe kp;	/* where ftrace does not */
};

int iob_entry_arm(struct iob_entry *e);
void iob_entry_on(struct iob_entry *e);
void iob_entry_off(struct iob_entry *e);
void iob_entry_disarm(struct iob_entry *e);
int iob_entries_begin(void);
void iob_entries_end(void);

#endif

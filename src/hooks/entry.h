/* SPDX-License-Identifier: GPL-2.0 */
/*
 * entry - to be called whenever the kernel enters a function
 */
#ifndef IOB_HOOKS_ENTRY_H
#define IOB_HOOKS_ENTRY_H

#include <linux/kprobes.h>
#include <linux/list.h>

#include <compat/entry.h>

/*
 * Called with preemption off inside iob_read_lock(), in whatever context the
 * function runs, which has only just been entered: of @regs the arguments, the
 * instruction, stack and frame pointers are valid, and no others.
 */
typedef void (*iob_entry_fn)(struct pt_regs *regs);

struct iob_entry;

/*
 * For a function that is called so often that looking it up shows: an ftrace_ops
 * of its own, whose callback has tests that most calls end with.
 */
struct iob_own_ops {
#ifdef IOB_ENTRY_FTRACE
	struct ftrace_ops ops;
	struct iob_entry *entry;	/* H: NULL while ops are not registered */
	bool armed;			/* H: calls come */
	struct list_head begun;		/* H: in entry.c's list, if registered */
#endif
};

/* One function and who wants to know.  Zeroed first; H, see hooks/table.c. */
struct iob_entry {
	struct iob_own_ops *own_ops;	/* or NULL */
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
void iob_entries_exit(void);

#ifdef IOB_ENTRY_FTRACE
void iob_entry_own_ops(struct ftrace_ops *ops, struct pt_regs *regs);

/*
 * struct iob_own_ops @name, for whose function bool @skip(const struct pt_regs *)
 * says that a call is of no interest.  It is asked before anything else is
 * done, with preemption maybe on, also while the function is not to be called.
 * Where kprobes serve it is not asked: the handler has to make sure by itself.
 */
#define IOB_OWN_OPS(name, skip)						\
static void notrace name##_entered(IOB_FTRACE_ARGS)			\
{									\
	struct pt_regs *regs = iob_entry_regs(fregs);			\
									\
	if (!(skip)(regs))						\
		iob_entry_own_ops(ops, regs);				\
}									\
									\
static struct iob_own_ops name = {					\
	.ops = { .func = name##_entered, .flags = IOB_ENTRY_OPS_FLAGS },	\
}
#else
#define IOB_OWN_OPS(name, skip)	static struct iob_own_ops name
#endif

#endif

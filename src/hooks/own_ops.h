/* SPDX-License-Identifier: GPL-2.0 */
/*
 * own_ops - an ftrace_ops for one function that is called very often
 */
#ifndef IOB_HOOKS_OWN_OPS_H
#define IOB_HOOKS_OWN_OPS_H

#include <linux/list.h>
#include <linux/types.h>

#include <compat/entry.h>

/*
 * A handler of a function's entry.  It runs with preemption off inside iob_read_lock(), in
 * the context of the watched function.  The arguments and the instruction, stack and frame
 * pointers in @regs are valid, other registers are not.
 */
typedef void (*iob_entry_fn)(struct pt_regs *regs);

/*
 * The shared ftrace_ops looks up the function at each call, which shows in a function that
 * is called for each page.  Such a function has an ftrace_ops of its own: there is no
 * look-up, and a test ends most calls early.  H: hooks_mutex, see table.c.
 */
struct iob_own_ops {
#ifdef IOB_ENTRY_FTRACE
	struct ftrace_ops ops;
	const iob_entry_fn *live;	/* H: the entry's; NULL while ops is not registered */
	unsigned long place;		/* H: ftrace's, in the function, while armed */
	bool armed;			/* H: ftrace calls ops */
	struct list_head node;		/* H: in the list of registered ones */
#endif
};

#ifdef IOB_ENTRY_FTRACE
int iob_own_ops_arm(struct iob_own_ops *own, unsigned long place, const iob_entry_fn *live);
void iob_own_ops_disarm(struct iob_own_ops *own);
bool iob_own_ops_exit(void);
void iob_ops_keep(void);
void iob_ops_clear_filter(struct ftrace_ops *ops);
void iob_own_ops_call(struct ftrace_ops *ops, struct pt_regs *regs);

/*
 * Define struct iob_own_ops @name.  bool @skip(const struct pt_regs *) returns true for
 * calls of no interest.  It runs before anything else, maybe with preemption on, and also
 * while the hook is off.  Kprobes do not ask it: the handler must repeat the test.
 */
#define IOB_OWN_OPS(name, skip)						\
static void notrace name##_entered(IOB_FTRACE_ARGS)			\
{									\
	struct iob_entry_room room IOB_UNINIT;				\
	struct pt_regs *regs = iob_entry_regs(fregs, &room);		\
									\
	if (!(skip)(regs))						\
		iob_own_ops_call(ops, regs);				\
}									\
									\
static struct iob_own_ops name = {					\
	.ops = { .func = name##_entered, .flags = IOB_ENTRY_OPS_FLAGS },	\
}
#else
#define IOB_OWN_OPS(name, skip)	static struct iob_own_ops name
#endif

#endif

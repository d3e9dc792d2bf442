// SPDX-License-Identifier: GPL-2.0
/*
 * A live patch of functions that ioblame hooks, for the case failure/livepatch.  Each
 * replacement counts the call, and then goes on in the patched function, behind the call of
 * ftrace at its entry.  It does what the function does, whatever the kernel.
 */
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/module.h>

#define CALL		0xe8
#define ENDBR_SIZE	4	/* it, or what was put in its place, may stand before the call of ftrace */

typedef unsigned long (*patched_fn)(unsigned long, unsigned long, unsigned long,
				    unsigned long, unsigned long, unsigned long);

/* (5.10 has no kCFI) */
#ifndef __nocfi
#define __nocfi
#endif

static unsigned long calls;
module_param(calls, ulong, 0444);
MODULE_PARM_DESC(calls, "how often the replacements were called");

/* The function without its call of ftrace, which is there while it is patched. */
static patched_fn patched_rest(const struct klp_func *func)
{
	const u8 *at = func->old_func;

	if (*at != CALL)
		at += ENDBR_SIZE;
	BUG_ON(*at != CALL);
	return (patched_fn)(at + MCOUNT_INSN_SIZE);
}

/* All arguments are in registers.  What is called begins behind the mark that kCFI asks for. */
#define REPLACEMENT(name, func)							\
static noinline __nocfi								\
unsigned long name(unsigned long a, unsigned long b, unsigned long c,		\
		   unsigned long d, unsigned long e, unsigned long f)		\
{										\
	unsigned long ret;							\
										\
	WRITE_ONCE(calls, calls + 1);						\
	ret = patched_rest(func)(a, b, c, d, e, f);				\
	/* no tail call: this function is part of the stack */			\
	barrier();								\
	return ret;								\
}

static struct klp_func kernel_funcs[3];
static struct klp_func journal_funcs[2];

REPLACEMENT(replaced_writepages, &kernel_funcs[0])
REPLACEMENT(replaced_iter_write, &kernel_funcs[1])
REPLACEMENT(replaced_create_access, &journal_funcs[0])

static struct klp_func kernel_funcs[3] = {
	{ .old_name = "do_writepages", .new_func = replaced_writepages },
	{ .old_name = "vfs_iter_write", .new_func = replaced_iter_write },
	{ }
};

static struct klp_func journal_funcs[2] = {
	{ .old_name = "jbd2_journal_get_create_access", .new_func = replaced_create_access },
	{ }
};

static struct klp_object objects[] = {
	{ .funcs = kernel_funcs },
	{ .name = "jbd2", .funcs = journal_funcs },
	{ }
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objects,
};

static int __init patch_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit patch_exit(void)
{
}

module_init(patch_init);
module_exit(patch_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("A live patch of functions that ioblame hooks");
MODULE_INFO(livepatch, "Y");

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hook - one place in the kernel that ioblame attaches to
 *
 * Each file with probes has one const table of hooks.  A hook that is needed and cannot be
 * had makes the module refuse to load; `status` shows one that is optional as missing, with
 * its impact.
 */
#ifndef IOB_HOOKS_HOOK_H
#define IOB_HOOKS_HOOK_H

#include <linux/kernel.h>
#include <linux/ptrace.h>

#include "entry.h"

struct iob_bio_kind;

enum iob_hook_kind {
	IOB_HOOK_TRACEPOINT,
	IOB_HOOK_FUNCTION,	/* the function's entry; while a session runs */
	IOB_HOOK_ADDRESS,	/* only where the function is */
};

enum iob_hook_phase {
	IOB_HOOK_LOADED,	/* as long as the module is there */
	IOB_HOOK_ENABLED,	/* while a session runs */
};

struct iob_hook {
	/* the kernel's name; names of other releases follow behind '|' */
	const char *name;
	enum iob_hook_kind kind;
	enum iob_hook_phase phase;
	bool needed;
	const char *module;			/* the module it is in; NULL: the kernel */
	bool builtin;				/* the module is built into the kernel */
	void *probe;				/* tracepoint: the probe */
	iob_entry_fn entered;			/* function: called at its entry */
	void (*attached)(bool on);		/* told when that begins and ends, or NULL; may sleep */
	struct iob_own_ops *own_ops;		/* function that is called very often, or NULL */
	void (*found)(unsigned long func);	/* address: told it, and 0 when it is gone; or: */
	const struct iob_bio_kind *bio_kind;	/* address: bios that the function ends are these */
	const char *impact;			/* what is lost without the hook */
};

struct iob_hook_list {
	const struct iob_hook *hook;
	unsigned int nr;
};

/* .module and .builtin of a hook in the module @name, configured by @config */
#define IOB_IN_MODULE(name, config)	.module = (name), .builtin = IS_BUILTIN(config)

#define IOB_HOOK_LIST(list, table)					\
	const struct iob_hook_list list = { table, ARRAY_SIZE(table) }

/* The pointer that is argument @nr of the function that was entered, from 0. */
static inline void *iob_arg_ptr(struct pt_regs *regs, unsigned int nr)
{
	return (void *)regs_get_kernel_argument(regs, nr);
}

/* The number that is argument @nr of the function that was entered, from 0. */
static inline unsigned long iob_arg(struct pt_regs *regs, unsigned int nr)
{
	return regs_get_kernel_argument(regs, nr);
}

#endif

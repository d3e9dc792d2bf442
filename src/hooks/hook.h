/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hook - one place in the kernel that ioblame attaches to
 *
 * Each file with probes has one const table of hooks.  The module refuses to load if a needed
 * hook does not exist.  An optional one is shown as missing in `status`, with its impact:
 *
 *     hook function __folio_cancel_dirty missing error=-2 lost: the count of pages_cancelled
 */
#ifndef IOB_HOOKS_HOOK_H
#define IOB_HOOKS_HOOK_H

#include <linux/kernel.h>
#include <linux/ptrace.h>

#include "entry.h"

struct iob_bio_kind;

enum iob_hook_kind {
	IOB_HOOK_TRACEPOINT,
	IOB_HOOK_FUNCTION,	/* a function's entry; in phase ENABLED only */
	IOB_HOOK_ADDRESS,	/* a function's address: nothing is attached there */
};

enum iob_hook_phase {
	IOB_HOOK_LOADED,	/* while the module is loaded */
	IOB_HOOK_ENABLED,	/* while a session runs */
};

struct iob_hook {
	/* the kernel's name; '|' separates names of other releases: "new|old" */
	const char *name;
	enum iob_hook_kind kind;
	enum iob_hook_phase phase;
	bool needed;
	const char *module;		/* the module it is in; NULL: the kernel */
	bool builtin;			/* the module is built into the kernel */
	bool sole;			/* of "module:name", "name" suffices if it is built in */
	void *probe;			/* tracepoint: the probe */
	iob_entry_fn entered;		/* function: the handler of its entry */
	/* called after attaching (true) and before detaching (false), or NULL; may sleep */
	void (*attached)(bool on);
	struct iob_own_ops *own_ops;	/* function: if it is called very often, or NULL */
	/* address: gets it, and 0 when the function is gone; NULL if bio_kind is set */
	void (*found)(unsigned long func);
	/* address: the kind of bios, or of direct writes, whose end_io the function is, or NULL */
	const struct iob_bio_kind *bio_kind;
	/*
	 * function: it is used only if the code of this function, the first of these names that
	 * exists, calls it: a compiler may have put it there.  One of these names is used so.
	 */
	const char *called_in;
	/* function: used only if the kernel does not have the function of this other hook */
	const char *spare_for;
	/* nothing is lost if the kernel has this other hook's function instead */
	const char *instead;
	/* tracepoint: attached only while this is true, see iob_hooks_renew(); or NULL */
	bool (*wanted)(void);
	const char *impact;		/* what is lost without the hook */
};

struct iob_hook_list {
	const struct iob_hook *hook;
	unsigned int nr;
};

/* .module and .builtin of a hook in the module @name, which @config configures */
#define IOB_IN_MODULE(name, config)	.module = name, .builtin = IS_BUILTIN(config)

/*
 * Rows of tables.  ..._IN: of a function in a module; @what is the impact.
 * Example: IOB_HOOK_FUNC("do_writepages", writepages_entered, "which act ...")
 */
#define IOB_HOOK_FUNC(func, probe, what)	{				\
	.name = func, .kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,	\
	.entered = probe, .impact = what,					\
}

#define IOB_HOOK_FUNC_IN(mod, config, func, probe, what)	{		\
	.name = func, .kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,	\
	.entered = probe, IOB_IN_MODULE(mod, config), .impact = what,		\
}

/* used only if the kernel does not have the function of the hook @first */
#define IOB_HOOK_SPARE(func, first, probe, what)	{			\
	.name = func, .kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,	\
	.entered = probe, .spare_for = first, .impact = what,			\
}

#define IOB_HOOK_SPARE_IN(mod, config, func, first, probe, what)	{	\
	.name = func, .kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,	\
	.entered = probe, IOB_IN_MODULE(mod, config), .spare_for = first,	\
	.impact = what,								\
}

/* told where the function is */
#define IOB_HOOK_ADDR(func, told, what)	{				\
	.name = func, .kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,	\
	.found = told, .impact = what,						\
}

#define IOB_HOOK_ADDR_IN(mod, config, func, told, what)	{		\
	.name = func, .kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,	\
	.found = told, IOB_IN_MODULE(mod, config), .impact = what,		\
}

/* bios, or direct writes, that the function ends are of that kind */
#define IOB_HOOK_END(func, ended, what)	{				\
	.name = func, .kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,	\
	.bio_kind = ended, .impact = what,					\
}

#define IOB_HOOK_END_IN(mod, config, func, ended, what)	{		\
	.name = func, .kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,	\
	.bio_kind = ended, IOB_IN_MODULE(mod, config), .impact = what,		\
}

#define IOB_HOOK_LIST(list, table)					\
	const struct iob_hook_list list = { table, ARRAY_SIZE(table) }

/* Argument @nr, from 0, of the entered function: a pointer. */
static inline void *iob_arg_ptr(struct pt_regs *regs, unsigned int nr)
{
	return (void *)regs_get_kernel_argument(regs, nr);
}

/* Argument @nr, from 0, of the entered function: a number. */
static inline unsigned long iob_arg(struct pt_regs *regs, unsigned int nr)
{
	return regs_get_kernel_argument(regs, nr);
}

#endif

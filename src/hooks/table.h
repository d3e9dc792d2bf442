/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table - what ioblame attaches to, in one const table for each source file
 *
 * A hook that is needed and cannot be had makes the module refuse to load; one
 * that is optional shows in `status`, with what is lost without it.
 */
#ifndef IOB_HOOKS_TABLE_H
#define IOB_HOOKS_TABLE_H

#include <linux/seq_file.h>

#include <compat/unwind.h>

#include "blame/bio_kind.h"
#include "core/task.h"
#include "entry.h"

enum iob_hook_kind {
	IOB_HOOK_TRACEPOINT,
	IOB_HOOK_FUNCTION,	/* its entry; while a session runs */
	IOB_HOOK_ADDRESS,	/* only where the function is */
};

enum iob_hook_phase {
	IOB_HOOK_LOADED,	/* as long as the module is there */
	IOB_HOOK_ENABLED,	/* while a session runs */
};

struct iob_hook {
	/* the kernel's name; alternatives of other releases behind '|' */
	const char *name;
	enum iob_hook_kind kind;
	enum iob_hook_phase phase;
	bool needed;
	const char *module;			/* where it is, NULL: kernel */
	void *probe;				/* tracepoint */
	iob_entry_fn entered;			/* function, */
	void (*attached)(bool on);		/* and is told whether it is; may sleep */
	struct iob_own_ops *own_ops;		/* called very often, or NULL */
	void (*found)(unsigned long func);	/* address, 0: gone; or: */
	enum iob_bio_kind end;			/* bios that it ends are that */
	const char *impact;			/* without it */
};

struct iob_hook_list {
	const struct iob_hook *hook;
	unsigned int nr;
};

extern const struct iob_hook_list iob_block_hooks;
extern const struct iob_hook_list iob_writeback_hooks;
extern const struct iob_hook_list iob_fs_hooks;
extern const struct iob_hook_list iob_journal_hooks;
extern const struct iob_hook_list iob_xfs_hooks;
extern const struct iob_hook_list iob_discard_hooks;
extern const struct iob_hook_list iob_stacked_hooks;
extern const struct iob_hook_list iob_sched_hooks;

/* The call of the function that has been entered. */
static inline struct iob_call iob_call_at(struct pt_regs *regs)
{
	return (struct iob_call){ iob_caller_of(regs), iob_stack_at(regs) };
}

#define IOB_HOOK_LIST(list, table)					\
	const struct iob_hook_list list = { table, ARRAY_SIZE(table) }

int iob_hooks_init(void);
void iob_hooks_exit(void);
int iob_hooks_attach(void);
void iob_hooks_detach(void);
void iob_hooks_show(struct seq_file *m);

#endif

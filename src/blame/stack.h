/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack - where the kernel is, without our own frames
 */
#ifndef IOB_BLAME_STACK_H
#define IOB_BLAME_STACK_H

#include <linux/types.h>

#include <compat/compiler.h>
#include <compat/unwind.h>

#include "memo.h"

#define IOB_STACK_DEPTH	40

/* the code of one function: return addresses lie in (start, end]; 0, 0: none */
struct iob_code {
	unsigned long start;
	unsigned long end;
};

static inline bool iob_code_has(const struct iob_code *code, unsigned long ip)
{
	/* pairs with iob_code_publish() */
	return ip <= smp_load_acquire(&code->end) &&
	       ip > READ_ONCE(code->start);
}

bool iob_code_of(unsigned long func, struct iob_code *code);
void iob_code_publish(unsigned long func, struct iob_code *code);

void iob_stack_hide(unsigned long func);
void iob_stack_show_all(void);

/* A trace of the current task, without our own frames. */
struct iob_stack {
	const unsigned long *ip;	/* return addresses, innermost first */
	unsigned int depth;
	struct iob_memo *memo;		/* where it is remembered, or NULL */
	/* a probe's own frames are few; room for them to be cut off again */
	unsigned long room[IOB_STACK_DEPTH + 8];
};

/*
 * Where the caller is, for iob_stack_from(): to be asked for by a function that
 * is still at work then.
 */
static __always_inline void iob_stack_here(struct iob_frame *at)
{
#ifdef IOB_UNWIND_FRAMES
	iob_here(&at->ip, &at->sp, &at->bp);
#endif
}

struct pt_regs;
void iob_stack_from(struct iob_stack *s, const struct iob_frame *at,
		    struct pt_regs *regs);
const struct iob_memo *iob_stack_known(unsigned long ip, unsigned long sp,
				       unsigned long bp);
void iob_stack_get(struct iob_stack *s, struct pt_regs *regs);

/**
 * iob_stack_has - whether a call has not returned yet
 * @s:   a trace of the task
 * @ret: the call's return address, 0 for none
 *
 * Any context.  Tells calls from one place apart from calls from another: so
 * the caller must be one that calls this function directly.
 */
static inline bool iob_stack_has(const struct iob_stack *s, unsigned long ret)
{
	unsigned int i;

	for (i = 0; ret && i < s->depth; i++) {
		if (s->ip[i] == ret)
			return true;
	}
	return false;
}

/* The same, for a stack that is known. */
static inline bool iob_stack_memo_has(const struct iob_memo *m,
				      unsigned long ret)
{
	unsigned int i;

	for (i = m->own; ret && i < m->nr; i++) {
		if (m->ip[i] == ret)
			return true;
	}
	return false;
}

void iob_stack_forget(void);
int iob_stacks_init(void);
void iob_stacks_exit(void);

#endif

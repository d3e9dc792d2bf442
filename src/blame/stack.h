/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stack - where the kernel is, without our own frames
 */
#ifndef IOB_BLAME_STACK_H
#define IOB_BLAME_STACK_H

#include <linux/types.h>

#define IOB_STACK_DEPTH	40

/* the code of one function: return addresses lie in (start, end] */
struct iob_code {
	unsigned long start;
	unsigned long end;
};

static inline bool iob_code_has(const struct iob_code *code, unsigned long ip)
{
	return ip > code->start && ip <= code->end;
}

bool iob_code_of(unsigned long func, struct iob_code *code);

void iob_stack_hide(unsigned long func);
void iob_stack_show_all(void);
struct pt_regs;
bool iob_stack_has(const unsigned long *trace, unsigned int depth,
		   unsigned long ret);
unsigned int iob_stack_save(unsigned long *trace, struct pt_regs *regs);

#endif

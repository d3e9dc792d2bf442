/* SPDX-License-Identifier: GPL-2.0 */
/*
 * code - where a function is, and whether a return address lies in it
 *
 * A stack trace tells what a task does by the functions in it.  The hooks find the
 * functions that matter and publish their addresses; probes compare.
 *
 * Example: vfs_write() begins at 0x1000 and has 0x200 bytes.  A return address is that of
 * the instruction behind a call: 0x1005 is in vfs_write(), and so is 0x1200, when the call
 * is the last instruction.  0x1000 belongs to the function before.
 */
#ifndef IOB_CORE_CODE_H
#define IOB_CORE_CODE_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <asm/barrier.h>

/* The code of one function: return addresses lie in (start, end].  0, 0: none. */
struct iob_code {
	unsigned long start;
	unsigned long end;
};

/* True if @ip is a return address in @code.  Any context. */
static inline bool iob_code_has(const struct iob_code *code, unsigned long ip)
{
	/* pairs with iob_code_publish() */
	return ip <= smp_load_acquire(&code->end) &&
	       ip > READ_ONCE(code->start);
}

bool iob_code_of(unsigned long func, struct iob_code *code);
bool iob_code_calls(unsigned long func, unsigned long called);
void iob_code_publish(unsigned long func, struct iob_code *code);

#endif

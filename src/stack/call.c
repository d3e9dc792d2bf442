// SPDX-License-Identifier: GPL-2.0
/*
 * The word at the top of the stack is not always the return address.  A tracer of returns
 * (function_graph, a kretprobe) that was called before us has put its own address there, and
 * the same one for all functions.  Stack traces have the right one, as the unwinder asks the
 * tracer.
 *
 * So a word that is new is compared with what the unwinder says.  If they are the same, it is
 * remembered.  That holds for ever: a tracer's address is one of the kernel's code, and no
 * function returns there.  What is remembered of a module that has gone is never met again, or
 * is a return address in another module.
 *
 * Example: do_writepages() is entered with the word return_to_handler, and the unwinder says
 * __writeback_single_inode()+0x4e.  The call is noted with that address.
 */
#include "call.h"

#define CALL_WAYS	4	/* places of an address, from that of its hash on */

/* Any CPU fills an empty place, or replaces the address of a first one. */
unsigned long iob_call_rets[IOB_CALL_PLACES];

/* The slow path of iob_call_ret(): @word is not in its first place. */
noinline unsigned long iob_call_find_ret(unsigned long word, struct pt_regs *regs)
{
	unsigned long *first = &iob_call_rets[hash_long(word, IOB_CALL_BITS)], *place = first;
	unsigned long ret;
	unsigned int i;

	for (i = 0; i < CALL_WAYS && READ_ONCE(*place); i++) {
		if (READ_ONCE(*place) == word)
			return word;
		place = &iob_call_rets[(first - iob_call_rets + i + 1) % IOB_CALL_PLACES];
	}
	ret = iob_unwind_caller(regs, word);
	if (ret == word)
		WRITE_ONCE(*(i < CALL_WAYS ? place : first), word);
	return ret ? ret : word;
}

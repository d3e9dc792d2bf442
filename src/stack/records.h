/* SPDX-License-Identifier: GPL-2.0 */
/*
 * records - a stack that was walked once, known again by its frame records
 *
 * On arm64 a function puts two words on the stack: where its caller's two words are, and where it
 * returns to.  The kernel's unwinder goes from record to record, and looks at nothing else: its
 * rules depend on no address.  So whoever follows the records, and finds the return addresses of
 * a walk in their order and then its end, has that walk.
 *
 * - The unwinder takes a record only if it is aligned, on the task's stack and above the one
 *   before.  So does iob_records_are().
 * - It ends at the record in the registers at the end of the stack, @last here.
 * - It puts another address in the place of one that a tracer of returns has left.  Such a walk is
 *   not learned (iob_walk_frames()), and the tracer's address is no other's.
 * - Signed addresses are taken without their signature.
 *
 * Example: records at 0x100, 0x140 and 0x1a0, last = 0x1f0.
 *
 *	0x100	0x140 A		the probe returns to A
 *	0x140	0x1a0 B		A's function returns to B
 *	0x1a0	0x1f0 C		B's function returns to C, the kernel's entry
 *
 * The slot has A, B, C.  Next time the records are at 0x0c0, 0x100 and 0x160, as the entry has
 * moved the stack: they return to A, B and C, and the third points to 0x1f0.
 *
 * Pure: needs memory between two addresses, nothing of the kernel.
 */
#ifndef IOB_STACK_RECORDS_H
#define IOB_STACK_RECORDS_H

#include <linux/types.h>

#include <compat/raw.h>

/**
 * iob_records_are - compare a chain of records
 * @ip:   the return addresses, innermost first
 * @nr:   how many, at least 1
 * @at:   the innermost record, which must be on the stack below @last: the caller's own
 * @last: where the unwinder ends
 *
 * Any context; the stack is the current one.
 */
static __always_inline bool iob_records_are(const unsigned long *ip, unsigned int nr,
					    unsigned long at, unsigned long last)
{
	const unsigned long *behind = ip + nr;
	unsigned long next, ret;

	for (;;) {
		next = IOB_RAW(((const unsigned long *)at)[0]);
		ret = IOB_RAW(((const unsigned long *)at)[1]);
		if (unlikely(ret != *ip) && iob_raw_ret(ret) != *ip)
			return false;
		if (++ip == behind)
			return next == last;
		/* (one that overlaps this has an address of code for its own next one) */
		if (next <= at || next > last - 16 || next % sizeof(long))
			return false;
		at = next;
	}
}

/**
 * iob_records_read - take down a chain of records
 * @ip:   gets the return addresses, innermost first
 * @max:  room in @ip
 * @at:   as iob_records_are() has it
 * @last: likewise
 *
 * Any context; the stack is the current one.  Return: how many, 0 if the chain is longer or does
 * not come to @last.
 */
static inline unsigned int iob_records_read(unsigned long *ip, unsigned int max,
					    unsigned long at, unsigned long last)
{
	unsigned int nr = 0;

	while (nr < max && at % sizeof(long) == 0 && at < last && last - at >= 16) {
		unsigned long next = IOB_RAW(((const unsigned long *)at)[0]);

		ip[nr++] = iob_raw_ret(IOB_RAW(((const unsigned long *)at)[1]));
		if (next == last)
			return nr;
		if (next <= at || next - at < 16)
			break;
		at = next;
	}
	return 0;
}

#endif

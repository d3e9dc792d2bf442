/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memo - a stack that was walked once, known again by its return addresses
 *
 * Pure: what it reads of a stack is memory between two addresses.
 */
#ifndef IOB_BLAME_MEMO_H
#define IOB_BLAME_MEMO_H

#include <linux/types.h>

#define IOB_MEMO_FRAMES	48
#define IOB_MEMO_PROOFS	16

/* Where an unwinder is: in the code, and the registers it has there. */
struct iob_frame {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
};

/* a word of the stack that has to point to the same place of the stack */
struct iob_proof {
	u16 place;		/* in words above sp; all ones: the register */
	bool to_end;		/* what it points to is below the end, */
	s32 offset;		/* so far; else above sp */
};

struct iob_memo {
	unsigned long start;	/* where the walk begins; 0: nothing here */
	u32 span;		/* this much stack above sp there must be, */
	bool whole;		/* and no more: all places are above sp */
	u8 nr;			/* return addresses, */
	u8 nr_low;		/* so many of them above sp, others below end */
	u8 nr_proofs;		/* so many words have to point somewhere, */
	u8 nr_plain;		/* the first of them from and to above sp */
	u16 place[IOB_MEMO_FRAMES];
	unsigned long ip[IOB_MEMO_FRAMES];
	struct iob_proof proof[IOB_MEMO_PROOFS];
	/* the user's: */
	u8 own;			/* so many of the addresses are ours */
	u32 intent;		/* the stack's intent, */
	u32 modifier;		/* under this modifier */
};

bool iob_memo_learn(struct iob_memo *m, const struct iob_frame *f,
		    unsigned int nr, unsigned long end);
bool iob_memo_fits(const struct iob_memo *m, const struct iob_frame *at,
		   unsigned long end);

#endif

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
#define IOB_MEMO_LIVE	0xffff	/* for a place: the register itself */

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
	long offset;		/* so far; else above sp */
};

struct iob_memo {
	unsigned long start;	/* where the walk begins; 0: nothing here */
	u32 span;		/* this much stack above sp there must be, */
	u32 slack;		/* and so much more at most: none if all places */
				/* are above sp */
	u8 nr;			/* return addresses, */
	u8 nr_low;		/* so many of them above sp, others below end */
	u8 nr_proofs;		/* so many words have to point somewhere, */
	u8 nr_plain;		/* the first of them from and to above sp */
	bool short_end;		/* one address is below end, and one word above sp */
				/* points there; and at most the register above sp: */
	bool live;		/* it does, */
	long live_offset;	/* so far */
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
bool iob_memo_differs(const struct iob_memo *m, const struct iob_frame *at,
		      unsigned long end, u16 *place, unsigned long *ip);

bool iob_memo_ends(const struct iob_memo *m, unsigned long sp, unsigned long bp,
		   unsigned long end);

/**
 * iob_memo_is - as iob_memo_fits(), in line
 * @m:   what is remembered
 * @ip:  where a walk would begin
 * @sp:  likewise
 * @bp:  likewise
 * @end: of the stack
 *
 * The loops are unrolled, and the end is mostly that of a system call: this is most
 * of what a stack costs that is known.
 */
static __always_inline bool iob_memo_is(const struct iob_memo *m,
					unsigned long ip, unsigned long sp,
					unsigned long bp, unsigned long end)
{
	const unsigned long *low = (const unsigned long *)sp;
	const unsigned long *top = (const unsigned long *)end;
	const unsigned long *addr = m->ip;
	const struct iob_proof *p = m->proof;
	const u16 *place = m->place;
	unsigned long room = end - sp;
	unsigned int i;

	if (m->start != ip || room - m->span > m->slack)
		return false;
	for (i = m->nr_low; i >= 4; i -= 4, addr += 4, place += 4) {
		if (low[place[0]] != addr[0] || low[place[1]] != addr[1] ||
		    low[place[2]] != addr[2] || low[place[3]] != addr[3])
			return false;
	}
	if (i & 2) {
		if (low[place[0]] != addr[0] || low[place[1]] != addr[1])
			return false;
		addr += 2;
		place += 2;
	}
	if (i & 1 && low[*place++] != *addr++)
		return false;
	for (i = m->nr_plain; i >= 2; i -= 2, p += 2) {
		if ((long)(low[p[0].place] - sp) != p[0].offset ||
		    (long)(low[p[1].place] - sp) != p[1].offset)
			return false;
	}
	if (i) {
		if ((long)(low[p->place] - sp) != p->offset)
			return false;
		p++;
	}
	if (!m->short_end)
		return iob_memo_ends(m, sp, bp, end);
	if (m->live && (long)(bp - sp) != m->live_offset)
		return false;
	return top[-(long)*place] == *addr &&
	       (long)(low[p->place] - end) == p->offset;
}

#endif

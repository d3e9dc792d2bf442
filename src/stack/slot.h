/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memo - a stack that was walked once, known again by its return addresses
 *
 * Pure: what it reads of a stack is memory between two addresses.
 */
#ifndef IOB_STACK_SLOT_H
#define IOB_STACK_SLOT_H

#include <linux/types.h>

#define IOB_STACK_SLOT_FRAMES	48
#define IOB_STACK_SLOT_GUARDS	16
#define IOB_STACK_SLOT_LIVE	0xffff	/* for a place: the register itself */

/* Where an unwinder is: in the code, and the registers it has there. */
struct iob_frame {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
};

/* a word of the stack that has to point to the same place of the stack */
struct iob_guard {
	u16 place;		/* in words above sp; all ones: the register */
	bool to_end;		/* what it points to is below the end, */
	long offset;		/* so far; else above sp */
};

struct iob_stack_slot {
	unsigned long start;	/* where the walk begins; 0: nothing here */
	u32 span;		/* this much stack above sp there must be, */
	u32 slack;		/* and so much more at most: none if all places */
				/* are above sp */
	u8 nr;			/* return addresses, */
	u8 nr_low;		/* so many of them above sp, others below end */
	u8 nr_guards;		/* so many words have to point somewhere, */
	u8 nr_above;		/* the first of them from and to above sp */
	bool short_end;		/* one address is below end, and one word above sp */
				/* points there; and at most the register above sp: */
	bool live;		/* it does, */
	long live_offset;	/* so far */
	u16 place[IOB_STACK_SLOT_FRAMES];
	unsigned long ip[IOB_STACK_SLOT_FRAMES];
	struct iob_guard guard[IOB_STACK_SLOT_GUARDS];
	/* the user's: */
	u8 own;			/* so many of the addresses are ours */
	u32 intent;		/* the stack's intent, */
	u32 modifier;		/* under this modifier */
};

/* a word of a stack: an address, or so far from the stack pointer or the end */
struct iob_word {
	unsigned long value;
	u16 place;		/* in words above sp */
};

#define IOB_SIGNATURE_STEP	4
#define IOB_SIGNATURE_WORDS	27

/*
 * The same as a memo, of one that is like most system calls' and not too deep, for
 * comparing with still less: all words in the order in which they are looked at.
 */
struct iob_signature {
	unsigned long start;	/* 0: nothing here */
	u32 span;		/* as in the memo */
	u32 addrs;		/* bytes of words with addresses above sp, and behind */
	u32 links;		/* them with what points to above sp: neither is 0 */
	struct iob_word word[IOB_SIGNATURE_WORDS];
	struct iob_word frame;	/* this word points to below end; there, */
	long last_place;	/* so many bytes from the end, */
	unsigned long last;	/* is this address */
	long live_offset;	/* and the register points to above sp, if */
	bool live;		/* it is to */
};

bool iob_stack_slot_learn(struct iob_stack_slot *m, const struct iob_frame *f,
		    unsigned int nr, unsigned long end);
bool iob_stack_slot_fits(const struct iob_stack_slot *m, const struct iob_frame *at,
		   unsigned long end);
bool iob_stack_slot_differs(const struct iob_stack_slot *m, const struct iob_frame *at,
		      unsigned long end, u16 *place, unsigned long *ip);

bool iob_stack_slot_ends(const struct iob_stack_slot *m, unsigned long sp, unsigned long bp,
		   unsigned long end);
bool iob_signature_make(const struct iob_stack_slot *m, struct iob_signature *b);

/**
 * iob_stack_slot_is - as iob_stack_slot_fits(), in line
 * @m:   what is remembered
 * @ip:  where a walk would begin
 * @sp:  likewise
 * @bp:  likewise
 * @end: of the stack
 *
 * The loops are unrolled, and the end is mostly that of a system call: this is most
 * of what a stack costs that is known.
 */
static __always_inline bool iob_stack_slot_is(const struct iob_stack_slot *m,
					unsigned long ip, unsigned long sp,
					unsigned long bp, unsigned long end)
{
	const unsigned long *low = (const unsigned long *)sp;
	const unsigned long *top = (const unsigned long *)end;
	const unsigned long *addr = m->ip;
	const struct iob_guard *p = m->guard;
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
	for (i = m->nr_above; i >= 2; i -= 2, p += 2) {
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
		return iob_stack_slot_ends(m, sp, bp, end);
	if (m->live && (long)(bp - sp) != m->live_offset)
		return false;
	return top[-(long)*place] == *addr &&
	       (long)(low[p->place] - end) == p->offset;
}

/**
 * iob_signature_is - as iob_stack_slot_is() of the memo that it was made from
 * @b:   what is remembered
 * @ip:  where a walk would begin
 * @sp:  likewise
 * @bp:  likewise
 * @end: of the stack
 */
static __always_inline bool iob_signature_is(const struct iob_signature *b,
					 unsigned long ip, unsigned long sp,
					 unsigned long bp, unsigned long end)
{
	const unsigned long *low = (const unsigned long *)sp;
	const struct iob_word *w = b->word, *behind;

	if (b->start != ip || end - sp < b->span)
		return false;
	behind = (const void *)w + b->addrs;
	do {
		if (low[w[0].place] != w[0].value ||
		    low[w[1].place] != w[1].value ||
		    low[w[2].place] != w[2].value ||
		    low[w[3].place] != w[3].value)
			return false;
		w += IOB_SIGNATURE_STEP;
	} while (w != behind);
	behind = (const void *)w + b->links;
	do {
		if (low[w[0].place] - sp != w[0].value ||
		    low[w[1].place] - sp != w[1].value)
			return false;
		w += 2;
	} while (w != behind);
	if (b->live && (long)(bp - sp) != b->live_offset)
		return false;
	return *(const unsigned long *)(end + b->last_place) == b->last &&
	       low[b->frame.place] - end == b->frame.value;
}

#endif

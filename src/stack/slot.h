/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slot - a stack that was walked once, known again by its return addresses
 *
 * A slot says at which places of the stack which words must be.  If all are there, it is the
 * stack that was walked, and its return addresses are those of the slot.  slot.c says why,
 * with an example.  The signature is a denser form of the same.
 *
 * Pure: needs memory between two addresses, nothing of the kernel.  The unit test
 * selftests/unit/test_slot.c compares it with simulated stacks.
 */
#ifndef IOB_STACK_SLOT_H
#define IOB_STACK_SLOT_H

#include <linux/types.h>

#include <compat/raw.h>

#define IOB_STACK_SLOT_FRAMES	48
#define IOB_STACK_SLOT_GUARDS	16
#define IOB_STACK_SLOT_LIVE	0xffff	/* as a place: the frame pointer's register */

/* Where an unwinder is: the instruction pointer, and the registers that it has there. */
struct iob_frame {
	unsigned long ip;
	unsigned long sp;
	unsigned long bp;
};

/* A word of the stack, or the register, that must point to a place of the stack. */
struct iob_guard {
	u16 place;		/* in words above sp, or IOB_STACK_SLOT_LIVE */
	bool to_end;		/* @offset counts from the end, else from sp */
	long offset;		/* of the place that it points to, in bytes */
};

/*
 * Places of the first nr_low addresses are in words above sp, those of the others in words
 * below the end.  Guards are sorted: nr_above words that point above sp, words that point
 * below the end, the register.
 *
 * short_end: the end is like that of most system calls.  One address is below the end, one
 * word points below the end, and no other guard follows but, if @live, the register that
 * points to live_offset bytes above sp.
 */
struct iob_stack_slot {
	unsigned long start;	/* ip where the walk begins; 0: empty */
	u32 span;		/* bytes from sp to the end, at least, */
	u32 slack;		/* and so many more at most; 0 without a hinge */
	u8 nr;			/* return addresses */
	u8 nr_low;
	u8 nr_guards;
	u8 nr_above;
	bool short_end;
	bool live;
	long live_offset;
	u16 place[IOB_STACK_SLOT_FRAMES];
	unsigned long ip[IOB_STACK_SLOT_FRAMES];	/* innermost first */
	struct iob_guard guard[IOB_STACK_SLOT_GUARDS];
	/* set by the user of the slot: */
	u8 own;			/* innermost addresses that are cut off, see walk.h */
	u32 intent;		/* the stack's intent with this modifier; 0: not known */
	u32 modifier;
};

/* A word of the stack and what it must be: an address, or a distance to what it points to. */
struct iob_word {
	unsigned long value;
	u16 place;		/* in words above sp */
};

#define IOB_SIGNATURE_STEP	4
#define IOB_SIGNATURE_WORDS	27

/*
 * The same as a slot, for stacks with a short_end that are not too deep: all words in the
 * order in which they are compared, in steps of 4 addresses and of 2 guards, without
 * remainders.  The last step may have copies of a word.
 *
 * Example: a slot with 6 addresses and 1 guard above sp has a signature of 8 + 2 words, of
 * 16 bytes each: addrs = 128, links = 32.
 */
struct iob_signature {
	u32 most;		/* sp is at most so many bytes above the base, see below */
	u32 addrs;		/* bytes of the words that are addresses; 0: empty */
	u32 links;		/* bytes of the next words, which point above sp, not 0 */
	struct iob_word word[IOB_SIGNATURE_WORDS];
	struct iob_word frame;	/* this word points so far above the base */
	long last_place;	/* in bytes above the base: here */
	unsigned long last;	/* is this address */
};

bool iob_stack_slot_learn(struct iob_stack_slot *m, const struct iob_frame *f,
			  unsigned int nr, unsigned long end);
void iob_stack_slot_keep(struct iob_stack_slot *m, const struct iob_frame *f, unsigned int nr);
bool iob_stack_slot_fits(const struct iob_stack_slot *m, const struct iob_frame *at,
			 unsigned long end);
bool iob_stack_slot_differs(const struct iob_stack_slot *m, const struct iob_frame *at,
			    unsigned long end, u16 *place, unsigned long *ip);
bool iob_stack_slot_ends(const struct iob_stack_slot *m, unsigned long sp, unsigned long bp,
			 unsigned long end);
bool iob_signature_make(const struct iob_stack_slot *m, u32 size, struct iob_signature *b);

/* Where the return address @i of a stack is that fits @m, with @sp where its walk began. */
static inline unsigned long iob_stack_slot_at(const struct iob_stack_slot *m, unsigned int i,
					      unsigned long sp, unsigned long end)
{
	unsigned long at = m->place[i] * sizeof(long);

	return i < m->nr_low ? sp + at : end - at;
}

/**
 * iob_stack_slot_is - as iob_stack_slot_fits(), inline
 * @m:   the slot
 * @ip:  where a walk would begin
 * @sp:  likewise
 * @bp:  likewise
 * @end: of the stack
 *
 * This is most of the cost of a stack that is known: the loops are unrolled, and the end of
 * system calls is compared inline.  A hinge makes any deeper stack pass the first check:
 * room - span wraps if the stack is not deep enough, and exceeds @slack.
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
		if (IOB_RAW(low[place[0]]) != addr[0] || IOB_RAW(low[place[1]]) != addr[1] ||
		    IOB_RAW(low[place[2]]) != addr[2] || IOB_RAW(low[place[3]]) != addr[3])
			return false;
	}
	if (i & 2) {
		if (IOB_RAW(low[place[0]]) != addr[0] || IOB_RAW(low[place[1]]) != addr[1])
			return false;
		addr += 2;
		place += 2;
	}
	if (i & 1 && IOB_RAW(low[*place++]) != *addr++)
		return false;
	for (i = m->nr_above; i >= 2; i -= 2, p += 2) {
		if ((long)(IOB_RAW(low[p[0].place]) - sp) != p[0].offset ||
		    (long)(IOB_RAW(low[p[1].place]) - sp) != p[1].offset)
			return false;
	}
	if (i) {
		if ((long)(IOB_RAW(low[p->place]) - sp) != p->offset)
			return false;
		p++;
	}
	if (!m->short_end)
		return iob_stack_slot_ends(m, sp, bp, end);
	if (m->live && (long)(bp - sp) != m->live_offset)
		return false;
	return IOB_RAW(top[-(long)*place]) == *addr &&
	       (long)(IOB_RAW(low[p->place]) - end) == p->offset;
}

/**
 * iob_signature_is - as iob_stack_slot_is() of the slot that it was made from
 * @b:    the signature, not empty
 * @sp:   where a walk would begin, at most @b->most bytes above @base
 * @base: of the stack: its end less the size that iob_signature_make() was told
 *
 * The caller is the function that learned the slot: where the walk begins, and the register
 * that points to its frame, are the same.
 */
static __always_inline bool iob_signature_is(const struct iob_signature *b,
					     unsigned long sp, unsigned long base)
{
	const unsigned long *low = (const unsigned long *)sp;
	const struct iob_word *w = b->word, *behind;

	behind = (const void *)w + b->addrs;
	do {
		if (IOB_RAW(low[w[0].place]) != w[0].value ||
		    IOB_RAW(low[w[1].place]) != w[1].value ||
		    IOB_RAW(low[w[2].place]) != w[2].value ||
		    IOB_RAW(low[w[3].place]) != w[3].value)
			return false;
		w += IOB_SIGNATURE_STEP;
	} while (w != behind);
	behind = (const void *)w + b->links;
	do {
		if (IOB_RAW(low[w[0].place]) - sp != w[0].value ||
		    IOB_RAW(low[w[1].place]) - sp != w[1].value)
			return false;
		w += 2;
	} while (w != behind);
	return IOB_RAW(*(const unsigned long *)(base + b->last_place)) == b->last &&
	       IOB_RAW(low[b->frame.place]) - base == b->frame.value;
}

#endif

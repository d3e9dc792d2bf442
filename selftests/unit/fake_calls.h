/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A stack that grows and shrinks for test_behalf.c: each call is known, and what is left of others
 *
 * What blame/behalf.c asks of stack/stack and stack/call is answered from it.
 */
#ifndef UNIT_FAKE_CALLS_H
#define UNIT_FAKE_CALLS_H

/* the real ones are not read */
#define IOB_COMPAT_UNWIND_H
#define IOB_STACK_CALL_H
#define IOB_STACK_STACK_H

#define noinline_for_stack
#define IOB_UNWIND_CALLS	true
#define IOB_STACK_DEPTH	40

struct iob_call {
	unsigned long ret, sp;
};

struct pt_regs {
	struct iob_call call;
};

struct iob_stack {
	unsigned long ip[IOB_STACK_DEPTH], at[IOB_STACK_DEPTH];
	unsigned int depth;
	unsigned long sp;
	bool whole;
};

static struct {
	struct iob_call call;
	u64 ref;	/* 0: not hooked */
} frame[IOB_STACK_DEPTH + 8];

static unsigned int nr_frames, nr_walks;
static unsigned int walk_ends;		/* at so many frames, if not 0 */
static bool has_places;			/* of its return addresses */

/* The stack's words, by stack pointer / 16: what was there last. */
static unsigned long word[1 << 17];
static bool words_are_others;		/* a tracer of returns has its own address everywhere */

static bool iob_call_is_kept(const struct iob_call *call)
{
	return !words_are_others && word[call->sp / 16] == call->ret;
}

static struct iob_call iob_call_at(struct pt_regs *regs)
{
	return regs->call;
}

/* (the innermost first; at most the innermost IOB_STACK_DEPTH) */
static void iob_stack_get(struct iob_stack *s, struct pt_regs *regs)
{
	unsigned int i;

	nr_walks += regs != NULL;
	s->depth = min(nr_frames, (unsigned int)IOB_STACK_DEPTH);
	s->whole = nr_frames < IOB_STACK_DEPTH && (!walk_ends || nr_frames <= walk_ends);
	if (walk_ends)
		s->depth = min(s->depth, walk_ends);
	for (i = 0; i < s->depth; i++) {
		s->ip[i] = frame[nr_frames - 1 - i].call.ret;
		s->at[i] = frame[nr_frames - 1 - i].call.sp;
	}
	s->sp = nr_frames ? frame[nr_frames - 1].call.sp : 1 << 20;
}

static unsigned int iob_stack_count(const struct iob_stack *s, unsigned long ret)
{
	unsigned int i, n = 0;

	for (i = 0; i < s->depth; i++)
		n += s->ip[i] == ret;
	return n;
}

#define iob_stack_is_whole(s)		((s)->whole)
#define iob_stack_has_places(s)		((void)(s), has_places)
#define iob_stack_is_below(s, call)	((call)->sp < (s)->sp)

static bool iob_stack_has_call(const struct iob_stack *s, const struct iob_call *call)
{
	unsigned int i;

	for (i = 0; i < s->depth; i++) {
		if (s->ip[i] == call->ret && (!has_places || s->at[i] == call->sp))
			return !iob_stack_is_below(s, call);
	}
	return false;
}

#define iob_stack_intent(s, modifier)	((void)(s), (u32)(modifier))

#endif

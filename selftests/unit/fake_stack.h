/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A simulator of stacks for test_slot.c: each frame is known
 *
 * A few functions are made up, each with its rules of unwinding.  They call each other on a
 * simulated stack, so the return addresses are known without an unwinder.  Words that the
 * calls do not write keep their old values.
 *
 * The stack ends where its memory ends: a sanitizer reports reads beyond.
 */
#ifndef UNIT_FAKE_STACK_H
#define UNIT_FAKE_STACK_H

#include "stack/slot.h"
#include "test.h"

#define W		sizeof(long)
#define WORDS		320	/* of a stack: some multiple of 64 bytes */
#define NR_FUNCS	14
#define MAX_CALLS	24
#define CODE		0xffffffff81000000UL

enum kind {
	KEEP,		/* counts from sp, does not change the frame pointer */
	SAVE,		/* counts from sp, saves the frame pointer, then sets it to anything */
	FIXED,		/* counts from the frame pointer */
	ROOM,		/* as FIXED, with room of variable size */
	ALIGN,		/* as FIXED, and aligns the stack pointer */
	DRAP,		/* aligns, and a word points to where it was entered */
	LAST,		/* the outermost frame: entry code, above it the user's registers */
};

static const char letter[] = "ksfradL";	/* for each kind */

static struct func {
	enum kind kind;
	unsigned int size;	/* words besides the return address */
	unsigned int slot;	/* SAVE: which of the saved registers it is */
	unsigned int align;
} funcs[NR_FUNCS];

/* what a SAVE sets the frame pointer to */
enum has {
	HAS_CALLERS,	/* its caller's value */
	HAS_NUMBER,
	HAS_LOCAL,	/* the address of a variable of its own */
	HAS_OUTER,	/* the address of a word further out */
	HAS_AT_END,	/* a distance from the stack's end */
	HAS_AT_SP,	/* a distance from the innermost stack pointer */
};

struct call {
	unsigned int func;
	unsigned int site;
	unsigned int room;
	enum has has;
	long value;
};

/* a chain of calls, innermost first */
struct calls {
	struct call call[MAX_CALLS];
	unsigned int nr;
};

struct stack {
	unsigned long *mem;
	unsigned int words;
	unsigned long end;
	bool owned[WORDS];	/* words that the unwinding depends on */
	struct iob_frame f[MAX_CALLS];
	unsigned int nr;	/* frames */
};

static inline void make_stack(struct stack *s)
{
	void *mem;

	if (posix_memalign(&mem, 64, WORDS * W))
		abort();
	memset(s, 0, sizeof(*s));
	s->mem = mem;
	s->words = WORDS;
	s->end = (unsigned long)(s->mem + WORDS);
}

static inline unsigned long *at(unsigned long addr)
{
	return (unsigned long *)addr;
}

static inline void own(struct stack *s, unsigned long addr, unsigned long value)
{
	*at(addr) = value;
	s->owned[at(addr) - s->mem] = true;
}

static inline bool is_owned(const struct stack *s, unsigned long addr)
{
	return s->owned[at(addr) - s->mem];
}

static inline void make_funcs(void)
{
	static const enum kind kinds[] = {
		KEEP, KEEP, KEEP, KEEP, SAVE, SAVE, SAVE, FIXED, ROOM, ALIGN,
		DRAP,
	};
	unsigned int i;

	for (i = 0; i < NR_FUNCS; i++) {
		struct func *f = &funcs[i];

		f->kind = i < NR_FUNCS - 3 ? kinds[i] : LAST;
		f->size = rnd(5);
		f->slot = rnd(3);
		f->align = rnd(2) ? 32 : 64;
		if (f->kind == SAVE)
			f->size += f->slot + 2;
		else if (f->kind == LAST)
			f->size = i == NR_FUNCS - 1 ? 100 : 21 + rnd(3);
		else if (f->kind != KEEP)
			f->size += 1;
	}
}

static inline unsigned long ip_of(const struct call *c)
{
	return CODE + c->func * 0x1000 + c->site * 16 + 5;
}

static inline const struct func *func_at(unsigned long ip)
{
	return &funcs[(ip - CODE) / 0x1000];
}

static inline unsigned long bp_in(const struct stack *s, const struct call *c,
				  const struct iob_frame *f, unsigned long sp0)
{
	switch (c->has) {
	case HAS_NUMBER:
		return c->value;
	case HAS_LOCAL:
		/* not a word where registers are saved */
		return f[0].sp + W * (c->value % (funcs[c->func].size -
						  funcs[c->func].slot - 1));
	case HAS_OUTER:
		return f[1].sp + W * (c->value % 12);
	case HAS_AT_END:
		return s->end + c->value;
	case HAS_AT_SP:
		return sp0 + c->value;
	default:
		return f[1].bp;
	}
}

/* The function at @f[1] calls @c, whose frame is @f[0].  Return: false if the stack is full. */
static inline bool enter(struct stack *s, const struct call *c,
			 struct iob_frame *f, unsigned long sp0)
{
	const struct func *fn = &funcs[c->func];
	unsigned long cfa = f[1].sp, base = (unsigned long)s->mem, sp = cfa - W;

	if (cfa < base + (fn->size + c->room + 32) * W)
		return false;
	own(s, cfa - W, f[1].ip);
	f->ip = ip_of(c);
	f->bp = f[1].bp;
	switch (fn->kind) {
	case SAVE:
		own(s, cfa - (2 + fn->slot) * W, f[1].bp);
		break;
	case DRAP:
		sp &= -(unsigned long)fn->align;
		own(s, sp - W, f[1].ip);
		own(s, sp - 3 * W, cfa);
		sp -= W;
		__attribute__((fallthrough));
	case FIXED:
	case ROOM:
	case ALIGN:
		f->bp = sp - W;
		own(s, f->bp, f[1].bp);
		break;
	default:
		break;
	}
	f->sp = sp - fn->size * W;
	if (fn->kind == DRAP)
		f->sp -= 2 * W;
	if (fn->kind == ROOM)
		f->sp -= c->room * W;
	if (fn->kind == ALIGN)
		f->sp &= -(unsigned long)fn->align;
	if (fn->kind == SAVE)
		f->bp = bp_in(s, c, f, sp0);
	return true;
}

/* Go to the caller's frame by the rules of the function, as an unwinder does. */
static inline bool unwind(struct iob_frame *f)
{
	const struct func *fn = func_at(f->ip);
	unsigned long cfa = f->sp + (fn->size + 1) * W;

	switch (fn->kind) {
	case LAST:
		return false;
	case KEEP:
		break;
	case SAVE:
		f->bp = *at(cfa - (2 + fn->slot) * W);
		break;
	case DRAP:
		cfa = *at(f->bp - W);
		f->bp = *at(f->bp);
		break;
	default:
		cfa = f->bp + 2 * W;
		f->bp = *at(f->bp);
	}
	f->sp = cfa;
	f->ip = *at(cfa - W);
	return true;
}

/* Do the calls.  Other words keep their values. */
static inline bool lay_out(struct stack *s, const struct calls *c)
{
	const struct call *last = &c->call[c->nr - 1];
	unsigned long sp0 = s->f[0].sp;
	unsigned int k = c->nr - 1;

	s->nr = c->nr;
	memset(s->owned, 0, sizeof(s->owned));
	s->f[k].ip = ip_of(last);
	s->f[k].sp = s->end - funcs[last->func].size * W;
	s->f[k].bp = 0;
	while (k--) {
		if (!enter(s, &c->call[k], &s->f[k], sp0))
			return false;
	}
	return true;
}

/* Check that unwinding by the rules gives the frames of the layout. */
static inline void check_truth(const struct stack *s)
{
	struct iob_frame f = s->f[0];
	unsigned int k;

	for (k = 1; k < s->nr; k++) {
		if (!unwind(&f) || f.ip != s->f[k].ip || f.sp != s->f[k].sp ||
		    f.bp != s->f[k].bp)
			fail("the simulated stack is wrong at frame %u", k);
	}
	if (unwind(&f))
		fail("the simulated stack does not end");
}

static inline void random_call(struct call *c)
{
	c->func = rnd(NR_FUNCS - 3);
	c->site = rnd(2);
	c->room = rnd(4) ? rnd(9) : rnd(40);
	c->has = rnd(4);
	c->value = rnd(64);
	if (c->has == HAS_NUMBER && rnd(2))
		c->value = rnd64() >> 1;
}

static inline unsigned int first_of(enum kind kind)
{
	unsigned int i = 0;

	while (funcs[i].kind != kind)
		i++;
	return i;
}

/* Half of the chains have a hinge: room of variable size near the end. */
static inline void random_calls(struct calls *c, unsigned int max)
{
	unsigned int i;

	c->nr = 3 + rnd(rnd(3) ? min(max, 7U) - 2 : max - 2);
	for (i = 0; i < c->nr; i++)
		random_call(&c->call[i]);
	c->call[c->nr - 1].func = NR_FUNCS - 1 - rnd(3);
	if (rnd(2))
		c->call[c->nr - 2].func = first_of(ROOM);
}

static inline bool has_hinge(const struct calls *c)
{
	return funcs[c->call[c->nr - 2].func].kind == ROOM &&
	       c->call[c->nr - 1].func != NR_FUNCS - 1;
}

static inline void noise(struct stack *s)
{
	unsigned int i;

	for (i = 0; i < s->words; i++)
		s->mem[i] = rnd(3) ? rnd64() >> rnd(64) : CODE + rnd(0x10000);
}

/* Scatter leftovers of earlier calls: saved frame pointers, return addresses. */
static inline void leave_traces(struct stack *s)
{
	unsigned int i, k, copies = rnd(5);

	for (i = 0; i < copies; i++) {
		k = rnd(s->nr);
		s->mem[rnd(s->words)] = rnd(2) ? s->f[k].bp : s->f[k].ip;
		s->mem[rnd(s->words)] = s->f[k].sp;
	}
}

static inline const char *text(const struct calls *c, char *buf, size_t size)
{
	size_t len = 0;
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		const struct call *l = &c->call[i];

		len += scnprintf(buf + len, size - len, " %c%u.%u/%u+%u",
				 letter[funcs[l->func].kind], l->func, l->site,
				 funcs[l->func].size,
				 funcs[l->func].kind == ROOM ? l->room : 0);
	}
	return buf;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Compares what slots say of a stack with simulated stacks, of which each frame is known.
 *
 * fake_stack.h makes them.  Words that no rule of unwinding looks at are hostile: they hold
 * what was there before, and what would make another stack pass for that of the slot.  All
 * frames are small, so that different functions often lead to the same places.
 *
 * Memory below the stack pointer is poisoned: a sanitizer reports each read there.
 */
#include <sanitizer/asan_interface.h>

#include "stack/slot.h"
#include "fake_stack.h"
#include "test.h"

static unsigned int nr_learned, nr_refused, nr_others, nr_same, nr_hinges;
static unsigned int nr_signature[2];	/* compared by signature: [0] other, [1] same stacks */

static bool learn(struct iob_stack_slot *m, const struct stack *s)
{
	unsigned long below = s->f[0].sp - (unsigned long)s->mem;
	bool ok;

	memset(m, 0xee, sizeof(*m));
	ASAN_POISON_MEMORY_REGION(s->mem, below);
	ok = iob_stack_slot_learn(m, s->f, s->nr - 1, s->end);
	ASAN_UNPOISON_MEMORY_REGION(s->mem, below);
	if (!ok && m->start)
		fail("a slot that was not learned is not empty");
	return ok;
}

/* What the caller of iob_signature_is() knows: the slot was learned where it is itself. */
static bool is_same_caller(const struct iob_stack_slot *m, const struct iob_frame *at)
{
	return m->start == at->ip && (!m->live || (long)(at->bp - at->sp) == m->live_offset);
}

static bool fits(const struct iob_stack_slot *m, const struct stack *s)
{
	unsigned long below = s->f[0].sp - (unsigned long)s->mem;
	unsigned long base = (unsigned long)s->mem;
	u32 size = s->end - base;
	struct iob_signature b;
	unsigned int i;
	bool ok;

	memset(&b, 0xee, sizeof(b));
	ASAN_POISON_MEMORY_REGION(s->mem, below);
	ok = iob_stack_slot_fits(m, &s->f[0], s->end);
	if (!iob_signature_make(m, size, &b)) {
		if (b.addrs)
			fail("a signature that was not made is not empty");
	} else if (is_same_caller(m, &s->f[0]) && s->f[0].sp - base <= b.most) {
		nr_signature[ok]++;
		if (iob_signature_is(&b, s->f[0].sp, base) != ok)
			fail("by its signature it is %sthe same", ok ? "not " : "");
	} else if (ok) {
		fail("a stack of another caller or span fits");
	}
	for (i = 0; ok && i < m->nr; i++) {
		if (iob_stack_slot_at(m, i, s->f[0].sp, s->end) != s->f[i + 1].sp - sizeof(long))
			fail("return address %u is said to be elsewhere", i);
	}
	ASAN_UNPOISON_MEMORY_REGION(s->mem, below);
	return ok;
}

static bool same_addresses(const struct stack *a, const struct stack *b)
{
	unsigned int k;

	if (a->nr != b->nr)
		return false;
	/* the instruction pointer of the first frame is no return address */
	for (k = 1; k < a->nr; k++) {
		if (a->f[k].ip != b->f[k].ip)
			return false;
	}
	return true;
}

/*
 * Copy as much of @old to @s as has room, as if @old had been on this memory just before: to
 * the same distance from the stack pointer or from the end.
 */
static void leave_old(struct stack *s, const struct stack *old, bool by_end)
{
	unsigned long to = by_end ? s->end : s->f[0].sp;
	unsigned long from = by_end ? old->end : old->f[0].sp;
	unsigned int i;

	for (i = 0; i < s->words; i++) {
		unsigned long place = (unsigned long)&s->mem[i] - to + from;
		unsigned long value;

		if (place < (unsigned long)old->mem || place >= old->end ||
		    (by_end && rnd(4) == 0))
			continue;
		value = *at(place);
		if (value >= (unsigned long)old->mem && value < old->end)
			value += to - from;
		s->mem[i] = value;
	}
}

/* Put what @m looks for into the words that unwinding does not depend on. */
static void forge(struct stack *s, const struct iob_stack_slot *m)
{
	unsigned long sp = s->f[0].sp, addr;
	unsigned int i;

	for (i = 0; i < m->nr; i++) {
		addr = i < m->nr_low ? sp + m->place[i] * W :
				       s->end - m->place[i] * W;
		if (addr >= sp && addr < s->end && !is_owned(s, addr))
			*at(addr) = m->ip[i];
	}
	for (i = 0; i < m->nr_guards; i++) {
		const struct iob_guard *p = &m->guard[i];

		addr = sp + p->place * W;
		if (p->place != 0xffff && addr < s->end && !is_owned(s, addr))
			*at(addr) = (p->to_end ? s->end : sp) + p->offset;
	}
}

static void insert(struct calls *c, unsigned int i, const struct call *new)
{
	if (c->nr == MAX_CALLS)
		return;
	memmove(&c->call[i + 1], &c->call[i], (c->nr - i) * sizeof(*new));
	c->call[i] = *new;
	c->nr++;
}

/* Let the frame pointer point to where @m wants it. */
static void forge_pointer(struct call *c, const struct iob_stack_slot *m)
{
	const struct iob_guard *p;

	if (!m->nr_guards)
		return;
	p = &m->guard[rnd(m->nr_guards)];
	c->has = p->to_end ? HAS_AT_END : HAS_AT_SP;
	c->value = p->offset;
}

static void change(struct calls *c, const struct iob_stack_slot *m)
{
	/* neither the innermost nor the outermost call */
	unsigned int i = c->nr > 2 ? 1 + rnd(c->nr - 2) : 1, n, k;
	struct call new;

	random_call(&new);
	switch (rnd(9)) {
	case 0:
		if (c->nr > 2)
			c->call[i] = new;
		break;
	case 1:
		if (c->nr > 3) {
			c->nr--;
			memmove(&c->call[i], &c->call[i + 1],
				(c->nr - i) * sizeof(new));
		}
		break;
	case 2:
		insert(c, i, &new);
		break;
	case 3:
	case 4:
		c->call[i].room = new.room;
		break;
	case 5:
		c->call[i].site ^= 1;
		break;
	case 6:
		/* another outermost frame, and so another depth */
		c->call[c->nr - 1].func = NR_FUNCS - 1 - rnd(3);
		break;
	case 7:
		/* the same calls twice, as when the kernel is entered twice */
		n = c->nr - 1 - i;
		for (k = 0; k < n && c->nr < MAX_CALLS; k++) {
			new = c->call[i + 2 * k];
			insert(c, i + k, &new);
		}
		break;
	default:
		c->call[i].has = new.has;
		c->call[i].value = new.value;
	}
	for (i = 0; i + 1 < c->nr; i++) {
		if (funcs[c->call[i].func].kind == SAVE && !rnd(4))
			forge_pointer(&c->call[i], m);
	}
}

/* Make the stack @depth bytes deep, if a frame of variable size allows it. */
static void level(struct calls *c, struct stack *s, unsigned long depth)
{
	long more = (long)(depth - (s->end - s->f[0].sp)) / (long)W;
	unsigned int i, first = rnd(c->nr);

	for (i = 0; i < c->nr; i++) {
		struct call *r = &c->call[(first + i) % c->nr];

		if (funcs[r->func].kind != ROOM || (long)r->room + more < 0)
			continue;
		r->room += more;
		return;
	}
}

static void confused(const struct calls *a, const struct calls *b)
{
	char x[400], y[400];

	fail("taken for each other:%s and%s", text(a, x, sizeof(x)),
	     text(b, y, sizeof(y)));
}

/* Try a stack that differs a little from that of @c, which @m holds. */
static void try_other(const struct iob_stack_slot *m, const struct calls *c,
		      const struct stack *s, struct stack *t)
{
	struct calls d = *c;
	unsigned int changes = 1 + rnd(3);

	while (changes--)
		change(&d, m);
	if (!lay_out(t, &d))
		return;
	if (rnd(4)) {
		level(&d, t, s->end - s->f[0].sp);
		if (!lay_out(t, &d))
			return;
	}
	noise(t);
	leave_old(t, s, rnd(2));
	if (rnd(2))
		leave_old(t, s, true);
	lay_out(t, &d);
	if (rnd(8))
		forge(t, m);
	check_truth(t);
	if (same_addresses(s, t)) {
		nr_same++;
		return;
	}
	nr_others++;
	if (fits(m, t))
		confused(c, &d);
}

/* Make a random stack.  Return: true if it was learned. */
static bool start(struct iob_stack_slot *m, struct calls *c, struct stack *s,
		  bool traces)
{
	bool ok;

	random_calls(c, MAX_CALLS);
	noise(s);
	if (!lay_out(s, c))
		return false;
	if (traces)
		leave_traces(s);
	/* twice, as frame pointers may depend on the final stack pointer */
	lay_out(s, c);
	check_truth(s);
	ok = learn(m, s);
	if (ok)
		nr_learned++;
	else
		nr_refused++;
	/* so few calls cannot have more guards than a slot has room for */
	if (!ok && !traces && c->nr <= 5)
		fail("a stack of %u calls is refused", c->nr);
	return ok;
}

static void known_again(void)
{
	struct iob_stack_slot m;
	struct calls c;
	struct stack s;
	unsigned int i;

	make_stack(&s);
	nr_learned = 0;
	nr_refused = 0;
	for (i = 0; i < 20000; i++) {
		struct stack was;

		if (i % 8 == 0)
			make_funcs();
		if (!start(&m, &c, &s, rnd(2)))
			continue;
		if (!fits(&m, &s))
			fail("a stack does not fit itself");
		was = s;
		s.f[0].ip += 16;
		if (fits(&m, &s))
			fail("it fits where it does not begin");
		s = was;
	}
	if (nr_learned < 3 * nr_refused)
		fail("%u stacks learned, %u refused", nr_learned, nr_refused);
	note("seed %llu, %u learned, %u refused", seed(), nr_learned, nr_refused);
	free(s.mem);
}

static void no_other(void)
{
	struct stack s, t;
	struct iob_stack_slot m;
	struct calls c;
	unsigned int i, k;

	make_stack(&s);
	make_stack(&t);
	nr_same = 0;
	nr_others = 0;
	for (i = 0; i < 3000; i++) {
		if (i % 8 == 0)
			make_funcs();
		if (!start(&m, &c, &s, rnd(2)))
			continue;
		for (k = 0; k < 100; k++)
			try_other(&m, &c, &s, &t);
	}
	if (nr_others < 150000)
		fail("only %u other stacks", nr_others);
	if (nr_signature[false] < 20000 || nr_signature[true] < 2000)
		fail("by signature only %u others and %u the same",
		     nr_signature[false], nr_signature[true]);
	note("seed %llu, %u others, %u of them by signature", seed(), nr_others,
	     nr_signature[false]);
	free(s.mem);
	free(t.mem);
}

static bool has_aligned(const struct calls *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++) {
		enum kind kind = funcs[c->call[i].func].kind;

		if (kind == ALIGN || kind == DRAP)
			return true;
	}
	return false;
}

/*
 * True if another pointer happens to have the value of the hinge's frame pointer.  It is
 * taken for the frame pointer then, but moves in another way.  So does the end of the frame
 * before, if the hinge has no other word.
 */
static bool is_ambiguous(const struct calls *c, const struct stack *s)
{
	const struct iob_frame *h = &s->f[c->nr - 2];
	unsigned int k;

	for (k = 0; k + 2 < c->nr; k++) {
		if (funcs[c->call[k].func].kind == SAVE &&
		    c->call[k].has == HAS_OUTER && s->f[k].bp == h->bp)
			return true;
	}
	return h->bp == h->sp;
}

/* The same calls with other room at the hinge fit. */
static void hinge(void)
{
	unsigned int i, gaps = 0;
	char buf[400];
	struct stack s, t;
	struct iob_stack_slot m;
	struct calls c;

	make_stack(&s);
	make_stack(&t);
	nr_hinges = 0;
	for (i = 0; i < 20000; i++) {
		unsigned int *room, by = 1 + rnd(64);

		if (i % 8 == 0)
			make_funcs();
		if (!start(&m, &c, &s, false) || !has_hinge(&c) ||
		    is_ambiguous(&c, &s))
			continue;
		if (!m.slack)
			fail("a hinge is not seen");
		room = &c.call[c.nr - 2].room;
		/* half of the changes leave the gaps of aligned frames as they are */
		if (rnd(2))
			by = (by + 7) & ~7;
		*room = rnd(2) || by > *room ? *room + by : *room - by;
		noise(&t);
		if (!lay_out(&t, &c))
			continue;
		lay_out(&t, &c);
		check_truth(&t);
		nr_hinges++;
		if (fits(&m, &t))
			continue;
		if (!has_aligned(&c) || by % 8 == 0)
			fail("with other room at the hinge it does not fit:%s",
			     text(&c, buf, sizeof(buf)));
		gaps++;
	}
	if (nr_hinges < 4000)
		fail("only %u hinges", nr_hinges);
	note("seed %llu, %u hinges, %u with other gaps", seed(), nr_hinges, gaps);
	free(s.mem);
	free(t.mem);
}

/* A stack without a hinge has to be as deep as it was. */
static void as_deep(void)
{
	struct iob_stack_slot m;
	struct calls c;
	struct stack s;
	unsigned int i;

	make_stack(&s);
	for (i = 0; i < 10000; i++) {
		if (i % 8 == 0)
			make_funcs();
		s.end = (unsigned long)(s.mem + s.words);
		if (!start(&m, &c, &s, false) || m.slack)
			continue;
		s.end -= W;
		if (fits(&m, &s))
			fail("it fits with a word less");
		/* learn this one; it may have another end */
		if (!learn(&m, &s))
			continue;
		s.end += W;
		if (!m.slack && fits(&m, &s))
			fail("it fits with a word more");
	}
	free(s.mem);
}

/* A stack that can be learned: two calls that count from sp, called by one with a frame pointer. */
static void plain(struct stack *s, struct calls *c)
{
	static const enum kind kinds[] = { KEEP, SAVE, FIXED, KEEP, LAST };
	unsigned int i;

	make_stack(s);
	make_funcs();
	memset(c, 0, sizeof(*c));
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		c->call[i].func = first_of(kinds[i]);
	funcs[c->call[0].func].size = 30;
	funcs[c->call[2].func].size = 30;
	/* too far from the end for a hinge */
	c->call[4].func = NR_FUNCS - 1;
	c->call[1].has = HAS_NUMBER;
	c->nr = ARRAY_SIZE(kinds);
	memset(s->mem, 0, s->words * W);
	lay_out(s, c);
}

static void expect(const char *what, const struct stack *s, bool want)
{
	struct iob_stack_slot m;

	if (learn(&m, s) != want)
		fail("%s: %s", what, want ? "refused" : "learned");
}

static void unsound(void)
{
	struct stack s, was;
	struct calls c;
	unsigned int k;

	plain(&s, &c);
	was = s;
	expect("a plain stack", &s, true);
	s.nr = 1;
	expect("no return address", &s, false);
	s = was;
	for (k = 1; k < s.nr; k++) {
		s.f[k].ip ^= 16;
		expect("an address that is not there", &s, false);
		s = was;
		s.f[k].sp = s.f[k - 1].sp;
		s.f[k].ip = *at(s.f[k].sp - W);
		if (k > 1)
			expect("a frame of no size", &s, false);
		s = was;
		s.f[k].sp -= 4;
		expect("a misaligned frame", &s, false);
		s = was;
	}
	k = s.nr - 1;
	s.f[k].sp = s.end + W;
	expect("a frame beyond the end", &s, false);
	s = was;
	s.f[k].sp = s.end;
	*at(s.end - W) = s.f[k].ip;
	expect("a frame at the end", &s, true);
	s = was;
	s.f[0].sp += 4;
	expect("a misaligned stack pointer", &s, false);
	s = was;
	s.end = s.f[0].sp;
	if (iob_stack_slot_learn(&(struct iob_stack_slot){ 0 }, s.f, s.nr - 1, s.end))
		fail("learned from no stack at all");
	free(was.mem);
}

/* As many frames as fit, of one word each, and one more. */
static void too_much(void)
{
	static struct iob_frame f[IOB_STACK_SLOT_FRAMES + 2];
	size_t words = 0x10000;
	unsigned long *mem = calloc(words, W), *sp;
	struct iob_stack_slot m;
	unsigned int k;

	sp = mem + words - 300;
	for (k = 0; k < ARRAY_SIZE(f); k++) {
		f[k].ip = CODE + k;
		f[k].sp = (unsigned long)(sp + k);
		if (k)
			sp[k - 1] = f[k].ip;
	}
	if (!iob_stack_slot_learn(&m, f, IOB_STACK_SLOT_FRAMES, (unsigned long)(mem + words)))
		fail("%d frames are refused", IOB_STACK_SLOT_FRAMES);
	if (!iob_stack_slot_fits(&m, f, (unsigned long)(mem + words)))
		fail("%d frames do not fit", IOB_STACK_SLOT_FRAMES);
	if (iob_stack_slot_learn(&m, f, IOB_STACK_SLOT_FRAMES + 1, (unsigned long)(mem + words)))
		fail("%d frames are learned", IOB_STACK_SLOT_FRAMES + 1);
	/* a place has 16 bits, and one value is not a place */
	for (k = 0; k < 3; k++) {
		bool ok;

		f[0].sp = (unsigned long)(mem + k);
		mem[words - 1] = CODE + 1;
		f[1].sp = (unsigned long)(mem + words);
		f[1].ip = CODE + 1;
		ok = iob_stack_slot_learn(&m, f, 1, f[1].sp);
		if (ok != (k == 2))
			fail("%zu words are %s", words - k, ok ? "learned" : "refused");
		if (ok && !iob_stack_slot_fits(&m, f, f[1].sp))
			fail("%zu words do not fit", words - k);
	}
	free(mem);
}

static void evidence(void)
{
	unsigned int i, copies;
	struct stack s;
	struct calls c;

	/* the frame pointer of frame 2 was saved by frame 1 */
	plain(&s, &c);
	for (i = 0; i < s.words; i++) {
		if (s.mem[i] == s.f[2].bp)
			s.mem[i] = 0;
	}
	expect("a frame pointer from nowhere", &s, false);
	free(s.mem);

	/* copies further in do not matter, as frame 1 loaded it */
	plain(&s, &c);
	for (i = 0; i < 20; i++)
		*at(s.f[0].sp + i * W) = s.f[2].bp;
	expect("copies where it was not loaded", &s, true);
	free(s.mem);

	/* now frame 1 keeps it, and it may come from each word of frame 0 */
	for (copies = 0; copies < 12; copies++) {
		plain(&s, &c);
		c.call[1].has = HAS_CALLERS;
		lay_out(&s, &c);
		for (i = 0; i < copies; i++)
			*at(s.f[0].sp + i * W) = s.f[2].bp;
		/* besides the copies: the register and the word of frame 1 */
		expect("a frame pointer from many places", &s, copies + 2 <= 8);
		free(s.mem);
	}

	/* words that may say where the frame ends; one more guard is for the frame pointer */
	for (copies = 0; copies < 20; copies++) {
		plain(&s, &c);
		for (i = 0; i < copies; i++)
			*at(s.f[2].sp + i * W) = s.f[3].sp;
		expect("many words that point to a frame's end", &s,
		       copies + 1 <= IOB_STACK_SLOT_GUARDS);
		free(s.mem);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(known_again),
		TEST(no_other),
		TEST(hinge),
		TEST(as_deep),
		TEST(unsound),
		TEST(too_much),
		TEST(evidence),
	};

	return run_tests("slot", tests, ARRAY_SIZE(tests));
}

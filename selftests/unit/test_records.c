// SPDX-License-Identifier: GPL-2.0
/*
 * Compares what frame records say of a stack with an unwinder that takes them down one by one.
 *
 * The stack is memory between two guards of the address sanitizer.  Chains are made, moved and
 * damaged at random; return addresses are of a few values only, so that many are the same.
 */
#include "stack/records.h"
#include "test.h"

#define WORDS	96
#define MAX	12

struct stack {
	unsigned long *mem;
	unsigned long last;	/* the record at the end */
	unsigned long at;	/* the innermost one */
	unsigned int nr;
};

static unsigned int nr_same, nr_other, nr_broken;

/* A chain of @nr records at random places, which return to @ip. */
static bool lay_out(struct stack *s, const unsigned long *ip, unsigned int nr)
{
	unsigned int i, word = rnd(20);
	unsigned long *record;

	for (i = 0; i < WORDS; i++)
		s->mem[i] = rnd(4) ? rnd(5) : (unsigned long)&s->mem[rnd(WORDS)];
	s->last = (unsigned long)&s->mem[WORDS - 4];
	s->at = (unsigned long)&s->mem[word];
	s->nr = nr;
	for (i = 0; i < nr; i++) {
		record = &s->mem[word];
		word += 2 + rnd(6);
		if (word > WORDS - 6)
			return false;
		record[0] = i == nr - 1 ? s->last : (unsigned long)&s->mem[word];
		record[1] = ip[i];
	}
	return true;
}

/* What the kernel's unwinder does.  Return: how many addresses; 0 if it does not come to the end. */
static unsigned int unwind(const struct stack *s, unsigned long *ip)
{
	unsigned long low = (unsigned long)s->mem, fp = s->at;
	unsigned int nr = 0;

	while (fp != s->last) {
		if (fp & 7 || fp < low || fp > s->last - 16 || nr == WORDS)
			return 0;
		low = fp + 16;
		ip[nr++] = ((unsigned long *)fp)[1];
		fp = ((unsigned long *)fp)[0];
	}
	return nr;
}

static void addresses(unsigned long *ip, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		ip[i] = 0xffff800080001000 + rnd(3) * 4;
}

/* @s is held against the slot that has @ip, and against the unwinder. */
static void compare(const struct stack *s, const unsigned long *ip, unsigned int nr)
{
	unsigned long walked[WORDS], read[WORDS];
	unsigned int n = unwind(s, walked);
	bool same = n == nr && !memcmp(walked, ip, nr * sizeof(*ip));

	if (iob_records_are(ip, nr, s->at, s->last) != same)
		fail("by its records it is %sthe same", same ? "not " : "");
	if (iob_records_read(read, WORDS, s->at, s->last) != n ||
	    memcmp(read, walked, n * sizeof(*read)))
		fail("%u addresses are read otherwise", n);
	if (n > 1 && iob_records_read(read, n - 1, s->at, s->last))
		fail("a chain that is too long is read");
	if (same)
		nr_same++;
	else if (n)
		nr_other++;
	else
		nr_broken++;
}

static unsigned long damage(const struct stack *s)
{
	switch (rnd(5)) {
	case 0:
		return (unsigned long)&s->mem[rnd(WORDS)];
	case 1:
		return (unsigned long)&s->mem[rnd(WORDS)] + 1 + rnd(7);
	case 2:
		return s->last;
	case 3:
		return s->last + 8 - 16 * rnd(3);
	default:
		return rnd(2) ? 0 : ~0UL << rnd(64);
	}
}

static void records(void)
{
	struct stack s = { .mem = malloc(WORDS * sizeof(long)) };
	unsigned long ip[MAX + 1], other[MAX + 1];
	unsigned int i, k, nr;

	for (i = 0; i < 100000; i++) {
		nr = 1 + rnd(MAX);
		addresses(ip, nr);
		if (!lay_out(&s, ip, nr))
			continue;
		compare(&s, ip, nr);
		/* one address more, one less, others */
		addresses(other, MAX + 1);
		memcpy(other, ip, nr * sizeof(*ip));
		compare(&s, other, nr + 1);
		if (nr > 1)
			compare(&s, ip, nr - 1);
		addresses(other, nr);
		compare(&s, other, nr);
		for (k = 0; k < 5; k++) {
			/* of a record that is there, where it goes on */
			unsigned long *record = (unsigned long *)s.at;
			unsigned int n = rnd(nr);

			while (n--)
				record = (unsigned long *)record[0];
			other[0] = record[0];
			record[0] = damage(&s);
			compare(&s, ip, nr);
			record[0] = other[0];
		}
	}
	if (nr_same < 80000 || nr_other < 80000 || nr_broken < 80000)
		fail("only %u the same, %u others, %u broken", nr_same, nr_other, nr_broken);
	note("seed %llu, %u the same, %u others, %u broken", seed(), nr_same, nr_other, nr_broken);
	free(s.mem);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(records),
	};

	return run_tests("records", tests, ARRAY_SIZE(tests));
}

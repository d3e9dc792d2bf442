/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a unit's test program is made of: a table of functions, each of which
 * checks many cases and calls fail() for what is wrong.  One line for each:
 *
 *	ok UNIT:FUNCTION [# note]
 *	FAIL UNIT:FUNCTION FIRST-MESSAGE (and N more)
 *
 * Random cases come from rnd(), which IOB_SEED starts; the seed is shown.
 */
#ifndef UNIT_TEST_H
#define UNIT_TEST_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/types.h>

#define FAILED	3	/* exit status; any other but 0 is a crash */

struct test {
	const char *name;
	void (*run)(void);
};

#define TEST(f)	{ #f, f }

static unsigned int test_failures;
static char test_message[1024], test_note[256];
static u64 test_state;

__printf(1, 2)
static inline void fail(const char *fmt, ...)
{
	va_list args;

	if (test_failures++)
		return;
	va_start(args, fmt);
	vsnprintf(test_message, sizeof(test_message), fmt, args);
	va_end(args);
}

/* Said behind "ok". */
__printf(1, 2)
static inline void note(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(test_note, sizeof(test_note), fmt, args);
	va_end(args);
}

static inline u64 seed(void)
{
	const char *s = getenv("IOB_SEED");

	return s && *s ? strtoull(s, NULL, 0) : 1;
}

/* splitmix64: any seed is good */
static inline u64 rnd64(void)
{
	u64 z = test_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* 0 to below - 1 */
static inline unsigned int rnd(unsigned int below)
{
	return rnd64() % below;
}

/* A number of any magnitude, the extremes included. */
static inline u64 rnd_value(void)
{
	switch (rnd(8)) {
	case 0:
		return rnd(4);
	case 1:
		return U64_MAX - rnd(4);
	case 2:
		return (1ULL << rnd(64)) - rnd(2);
	default:
		return rnd64() >> rnd(64);
	}
}

static inline int run_tests(const char *unit, const struct test *t, size_t n)
{
	bool failed = false;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; i < n; i++) {
		test_failures = 0;
		test_note[0] = '\0';
		test_state = seed();
		t[i].run();
		if (!test_failures) {
			printf("ok %s:%s%s%s\n", unit, t[i].name,
			       *test_note ? " # " : "", test_note);
			continue;
		}
		failed = true;
		printf("FAIL %s:%s %s", unit, t[i].name, test_message);
		if (test_failures > 1)
			printf(" (and %u more)", test_failures - 1);
		printf("%s%s\n", *test_note ? " # " : "", test_note);
	}
	return failed ? FAILED : 0;
}

#endif

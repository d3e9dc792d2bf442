// SPDX-License-Identifier: GPL-2.0
/* Folded stacks, and flame graphs. */
#include "flame.h"
#include "test.h"

static char got[1 << 16];

static void take(const char *text)
{
	strncat(got, text, sizeof(got) - strlen(got) - 1);
}

static void folds(void)
{
	static const char * const a[] = { "dd", "write", "submit" };
	static const char * const b[] = { "dd", "write" };
	static const char * const c[] = { "cp; rm", "x\ny", "z" };
	static const char * const d[] = { "" };
	struct flame *f = flame_new();

	flame_add(f, a, 3, 10);
	flame_add(f, b, 2, 5);
	flame_add(f, a, 3, 7);
	flame_add(f, c, 3, 1);
	flame_add(f, d, 1, 2);
	got[0] = '\0';
	flame_folded(f, take);
	if (strcmp(got, "- 2\ncp: rm;x?y;z 1\ndd;write;submit 17\ndd;write 5\n"))
		fail("folded: %s", got);
	flame_free(f);
}

static unsigned int count(const char *what)
{
	unsigned int n = 0;
	const char *p;

	for (p = got; (p = strstr(p, what)) != NULL; p++)
		n++;
	return n;
}

static void draws(void)
{
	static const char * const a[] = { "<b>&\"", "write", "submit" };
	struct flame *f = flame_new();

	flame_add(f, a, 3, 10);
	flame_add(f, a, 2, 90);
	got[0] = '\0';
	flame_svg(f, "T <1>", "bytes", "draw();\n", take);
	if (count("<g data-at=") != 4 || count("</g>") != 4 || count("<svg") != 1 ||
	    count("</svg>") != 1)
		fail("%u boxes", count("<g data-at="));
	if (strstr(got, "<b>") || !strstr(got, "&lt;b&gt;&amp;&quot;") || !strstr(got, "T &lt;1&gt;"))
		fail("not escaped");
	if (!strstr(got, "submit (10 bytes, 10.00 %)") || !strstr(got, "all (100 bytes, 100.00 %)"))
		fail("weights");
	/* level, what is left of it, weight */
	if (!strstr(got, "<g data-at=\"0 0 100\"><title>all") ||
	    !strstr(got, "<g data-at=\"3 0 10\"><title>submit"))
		fail("places");
	if (count("<script>") != 1 || !strstr(got, "draw();\nflameGraph("))
		fail("no script");
	flame_free(f);
	/* nothing is a picture, too */
	f = flame_new();
	got[0] = '\0';
	flame_svg(f, "", "IOs", NULL, take);
	flame_folded(f, take);
	if (count("<g") || count("<script>") || count("</svg>") != 1)
		fail("nothing");
	flame_free(f);
}

static char walked[256];

static void take_node(const char *name, unsigned int level, uint64_t weight, void *arg)
{
	size_t n = strlen(walked);

	if (arg != got)
		fail("another argument");
	snprintf(walked + n, sizeof(walked) - n, "%u %s %llu;", level, name,
		 (unsigned long long)weight);
}

static void walks(void)
{
	static const char * const a[] = { "dd", "write" };
	static const char * const b[] = { "cp" };
	struct flame *f = flame_new();

	flame_add(f, a, 2, 9);
	flame_add(f, b, 1, 2);
	flame_walk(f, 1, take_node, got);
	if (strcmp(walked, "0 all 11;1 cp 2;1 dd 9;2 write 9;"))
		fail("%s", walked);
	walked[0] = '\0';
	flame_walk(f, 3, take_node, got);
	if (strcmp(walked, "0 all 11;1 dd 9;2 write 9;"))
		fail("without the small ones: %s", walked);
	flame_free(f);
}

/* The weights of folded stacks add up. */
static void adds_up(void)
{
	unsigned int round, i;

	note("seed %llu", seed());
	for (round = 0; round < 200; round++) {
		struct flame *f = flame_new();
		u64 want = 0, have = 0, w;
		char *line, *rest;

		for (i = 0; i < 40; i++) {
			static const char * const names[] = { "a", "b", "c d", "" };
			const char *frame[6];
			unsigned int n = 1 + rnd(6), k;

			for (k = 0; k < n; k++)
				frame[k] = names[rnd(4)];
			w = 1 + rnd(1000);
			want += w;
			flame_add(f, frame, n, w);
		}
		got[0] = '\0';
		flame_folded(f, take);
		for (line = strtok_r(got, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			have += strtoull(strrchr(line, ' ') + 1, NULL, 10);
		if (have != want)
			fail("%llu, not %llu", have, want);
		flame_free(f);
	}
}

/* The boxes of a page are so many at most, also if a recording was forged. */
static void bounded(void)
{
	static const u64 weights[] = { 1, 1000, 1ULL << 62, 1ULL << 63, UINT64_MAX };
	const char *frame[2] = { "dd" };
	struct flame *f;
	char name[16];
	unsigned int i, k;
	u64 least;

	for (i = 0; i < ARRAY_SIZE(weights); i++) {
		f = flame_new();
		for (k = 0; k < 100; k++) {
			snprintf(name, sizeof(name), "f%u", k);
			frame[1] = name;
			/* one has twice as much */
			flame_add(f, frame, 2, weights[i]);
			if (!k)
				flame_add(f, frame, 2, weights[i]);
		}
		if (flame_least(f, 102) != 1)
			fail("%llu: all have room, and some are left out", weights[i]);
		least = flame_least(f, 50);
		if (weights[i] < 1ULL << 62 && (least <= weights[i] || least > 2 * weights[i]))
			fail("%llu: those of %llu", weights[i], least);
		if (!least)
			fail("%llu: none", weights[i]);
		flame_free(f);
	}
	/* a sum does not begin at 0 again */
	f = flame_new();
	frame[1] = "f";
	flame_add(f, frame, 2, UINT64_MAX);
	flame_add(f, frame, 2, 7);
	got[0] = '\0';
	flame_folded(f, take);
	if (strcmp(got, "dd;f 18446744073709551615\n"))
		fail("folded: %s", got);
	flame_free(f);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(folds), TEST(draws), TEST(walks), TEST(adds_up), TEST(bounded),
	};

	return run_tests("tool_flame", tests, ARRAY_SIZE(tests));
}

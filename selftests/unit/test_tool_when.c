// SPDX-License-Identifier: GPL-2.0
/* What stands out among points, and what does not. */
#include "test.h"
#include "when.h"

#define MINUTE	60000000000LL
#define MS	1000000ULL

static struct when_point point[1000];
static struct when_moment *moments;
static size_t nr;
static struct rule rule[2];
static struct when_ruled ruled[1000][2];
static size_t nr_rules;

/* A night of minutes on two disks, about 2 ms and 1 MiB/s */
static void fill(size_t points)
{
	size_t i;

	nr = points;
	nr_rules = 0;
	memset(ruled, 0, sizeof(ruled));
	for (i = 0; i < nr; i++)
		point[i] = (struct when_point){
			.from_ns = i / 2 * MINUTE, .until_ns = (i / 2 + 1) * MINUTE,
			.disk = i % 2 ? "sda" : "sdb", .level = 1, .ios = 1000,
			.bytes = 60 << 20, .p99_ns = (1 + rnd(3)) * MS,
			.who = { "e", "s", "b", "u" }, .ruled = ruled[i],
		};
}

static size_t judge(void)
{
	free(moments);
	moments = NULL;
	return when_judge(point, nr, rule, nr_rules, &moments);
}

static void quiet(void)
{
	fill(400);
	if (judge())
		fail("something stands out of a quiet night");
	fill(0);
	if (judge() || moments)
		fail("something stands out of nothing");
}

static void slow(void)
{
	fill(400);
	point[101].p99_ns = 60 * MS;
	point[103].p99_ns = 90 * MS;
	point[103].who[WHEN_SLOW] = "tar";
	point[105].p99_ns = 70 * MS;
	point[301].p99_ns = 80 * MS;
	if (judge() != 2) {
		fail("not two moments");
		return;
	}
	if (moments[0].what != WHEN_SLOW || strcmp(moments[0].disk, "sda") ||
	    moments[0].from_ns != 50 * MINUTE || moments[0].until_ns != 53 * MINUTE ||
	    moments[0].value != 90 * MS || strcmp(moments[0].who, "tar") ||
	    moments[0].usual < MS || moments[0].usual > 3 * MS)
		fail("three minutes are not one moment");
	if (moments[1].from_ns != 150 * MINUTE || strcmp(moments[1].who, "s"))
		fail("the second moment is another one");
}

/* Four times the usual is not enough below 10 ms, nor of a few IOs. */
static void not_slow(void)
{
	fill(400);
	point[100].p99_ns = 9 * MS;
	point[200].p99_ns = 500 * MS;
	point[200].ios = WHEN_LEAST_IOS - 1;
	if (judge())
		fail("it is slow");
	/* too few to know what is usual */
	fill(2 * WHEN_LEAST_POINTS - 2);
	point[3].p99_ns = 500 * MS;
	if (judge())
		fail("nothing is usual, and something stands out");
	/* another kind of disk is not compared */
	fill(400);
	for (nr = 0; nr < 400; nr++) {
		if (nr % 2)
			point[nr].p99_ns = 50 * MS;
	}
	if (judge())
		fail("a disk that is always slow stands out");
	/* nor is an hour with minutes */
	fill(400);
	point[50].level = 2;
	point[50].p99_ns = 500 * MS;
	if (judge())
		fail("an hour is compared with minutes");
}

static void busy(void)
{
	fill(400);
	point[100].bytes = 60ULL * (9 << 20);
	point[102].bytes = 60ULL * (7 << 20);
	if (judge() != 1 || moments[0].what != WHEN_BUSY || moments[0].value != 9 << 20 ||
	    moments[0].usual != 1 << 20 || moments[0].from_ns != 50 * MINUTE)
		fail("nine times the usual bytes are no moment");
}

static void errors(void)
{
	fill(4);
	point[1].errors = 1;
	point[3].errors = 2;
	if (judge() != 1 || moments[0].what != WHEN_ERRORS || moments[0].value != 3 ||
	    moments[0].until_ns != 2 * MINUTE || strcmp(moments[0].who, "e"))
		fail("errors do not add up");
	fill(4);
	point[0].errors = 1;
	point[1].errors = 1;
	if (judge() != 2)
		fail("errors of two disks are one moment");
	free(moments);
	moments = NULL;
}

/* Busy for 97 % of the time stands out where 12 % are usual, or nothing; not where 60 % are. */
static void used(void)
{
	size_t i;

	fill(400);
	for (i = 0; i < nr; i++) {
		point[i].used = i % 2 ? 1000 + rnd(400) : 6000;
		point[i].used_known = true;
	}
	point[100].used = 9700;
	point[101].used = 9700;
	point[201].used = 8900;
	if (judge() != 1 || moments[0].what != WHEN_USED || moments[0].value != 9700 ||
	    moments[0].usual < 1000 || moments[0].usual > 1400 || strcmp(moments[0].disk, "sda") ||
	    strcmp(moments[0].who, "u"))
		fail("97 %% of the time are no moment");
	for (i = 0; i < nr; i++)
		point[i].used = i == 100 ? 9100 : 0;
	if (judge() != 1 || moments[0].what != WHEN_USED || strcmp(moments[0].disk, "sdb"))
		fail("a disk that has nothing to do is not known as such");
	for (i = 0; i < nr; i++)
		point[i].used_known = false;
	if (judge())
		fail("what is not known stands out");
}

/* A rule is above its limit or not; rules do not mix, and their errors add up. */
static void rules(void)
{
	fill(400);
	nr_rules = 2;
	if (rule_parse(&rule[0], "a: p99 > 50ms") || rule_parse(&rule[1], "errors > 2"))
		fail("the rules are none");
	ruled[100][0] = (struct when_ruled){ 51 * MS, "x" };
	ruled[102][0] = (struct when_ruled){ 70 * MS, "y" };
	ruled[102][1] = (struct when_ruled){ 3, "z" };
	ruled[103][1] = (struct when_ruled){ 3, "z" };
	ruled[104][0] = (struct when_ruled){ 50 * MS, "x" };
	ruled[104][1] = (struct when_ruled){ 4, "z" };
	ruled[106][1] = (struct when_ruled){ 2, "z" };
	if (judge() != 3) {
		fail("there are not three moments");
		return;
	}
	if (moments[0].what != WHEN_RULE || moments[0].rule != &rule[0] ||
	    moments[0].from_ns != 50 * MINUTE || moments[0].until_ns != 52 * MINUTE ||
	    moments[0].value != 70 * MS || strcmp(moments[0].who, "y"))
		fail("two minutes above the limit are not one moment");
	if (moments[1].rule != &rule[1] || strcmp(moments[1].disk, "sdb") ||
	    moments[1].value != 7 || moments[1].until_ns != 53 * MINUTE)
		fail("errors of a rule do not add up");
	if (moments[2].rule != &rule[1] || strcmp(moments[2].disk, "sda") ||
	    moments[2].value != 3)
		fail("two disks are one moment");
	/* one rule in a minute, the other in the next */
	memset(ruled, 0, sizeof(ruled));
	ruled[200][0] = (struct when_ruled){ 51 * MS, "x" };
	ruled[202][1] = (struct when_ruled){ 3, "z" };
	if (judge() != 2)
		fail("two rules are one moment");
	free(moments);
	moments = NULL;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(quiet), TEST(slow), TEST(not_slow), TEST(busy), TEST(errors),
		TEST(used), TEST(rules),
	};

	return run_tests("tool_when", tests, ARRAY_SIZE(tests));
}

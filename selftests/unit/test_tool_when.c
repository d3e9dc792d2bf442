// SPDX-License-Identifier: GPL-2.0
/* What stands out among points, and what does not. */
#include "test.h"
#include "when.h"

#define MINUTE	60000000000LL
#define MS	1000000ULL

static struct when_point point[1000];
static struct when_moment *moments;
static size_t nr;

/* A night of minutes on two disks, about 2 ms and 1 MiB/s */
static void fill(size_t points)
{
	size_t i;

	nr = points;
	for (i = 0; i < nr; i++)
		point[i] = (struct when_point){
			.from_ns = i / 2 * MINUTE, .until_ns = (i / 2 + 1) * MINUTE,
			.disk = i % 2 ? "sda" : "sdb", .level = 1, .ios = 1000,
			.bytes = 60 << 20, .p99_ns = (1 + rnd(3)) * MS,
			.who = { "e", "s", "b" },
		};
}

static size_t judge(void)
{
	free(moments);
	moments = NULL;
	return when_judge(point, nr, &moments);
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

int main(void)
{
	static const struct test tests[] = {
		TEST(quiet), TEST(slow), TEST(not_slow), TEST(busy), TEST(errors),
	};

	return run_tests("tool_when", tests, ARRAY_SIZE(tests));
}

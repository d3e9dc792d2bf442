// SPDX-License-Identifier: GPL-2.0
/* The checkpoints in one iclog, in whatever order they come, also where their number wraps. */
#include <linux/kernel.h>

#include "fs/xfs_range.h"
#include "test.h"

static void expect_range(const char *what, u64 range, u32 first, u32 last)
{
	if (range != ((u64)first << 32 | last))
		fail("%s: %llu to %llu, not %u to %u", what, range >> 32, range & 0xffffffff,
		     first, last);
}

static void any_order(void)
{
	static const u32 bases[] = { 7, 0xfffffffe, 0x7fffffff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		u32 seq = bases[i];
		u64 range = iob_xfs_range_add(0, seq);

		expect_range("the first", range, seq, seq);
		range = iob_xfs_range_add(range, seq + 1);
		expect_range("the next", range, seq, seq + 1);
		expect_range("the first again", iob_xfs_range_add(range, seq), seq, seq + 1);
		expect_range("the next before the first",
			     iob_xfs_range_add(iob_xfs_range_add(0, seq + 1), seq), seq, seq + 1);
	}
}

/* A log that was shut down has left its number at the address of the iclog. */
static void another_log(void)
{
	u64 range = iob_xfs_range_add(iob_xfs_range_add(0, 1000), 1001);

	expect_range("an earlier log's", iob_xfs_range_add(range, 1), 1, 1);
	expect_range("a later log's", iob_xfs_range_add(iob_xfs_range_add(0, 1), 1000), 1000, 1000);
	/* two that end in it are far more than are written at once */
	expect_range("near", iob_xfs_range_add(range, 1001 + IOB_XFS_RANGE_NEAR - 1), 1000,
		     1001 + IOB_XFS_RANGE_NEAR - 1);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(any_order), TEST(another_log),
	};

	return run_tests("xfs_range", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/* Whose IO a command is: by disk, sector and time; and what is said once records were forgotten. */
#include "drvorigin.h"
#include "rec.h"
#include "test.h"

#define MS	1000000ULL

static void add(u32 disk, u64 sector, u32 pid, u64 begin, u64 end)
{
	struct iob_iolog_bin_record rec = {
		.disk = disk, .sector = sector, .id = pid, .tgid = pid, .role_kind = ROLE_THREAD,
		.queue_ns = begin, .complete_ns = end, .comm = "dd",
	};

	drvorigin_note(&rec, sector);
}

/* The process of the command, 0 if it is not known */
static u32 found(u32 disk, u64 sector, u64 ns)
{
	const struct drvorigin *o = drvorigin_find(disk, sector, ns);

	return o ? strtoul(o->who, NULL, 10) : 0;
}

static void by_time(void)
{
	drvorigin_clear();
	add(1, 8, 100, 10 * MS, 20 * MS);
	add(1, 8, 200, 30 * MS, 40 * MS);
	add(2, 8, 300, 10 * MS, 40 * MS);
	add(1, DRVORIGIN_FLUSH, 400, 10 * MS, 20 * MS);
	if (found(1, 8, 15 * MS) != 100 || found(1, 8, 35 * MS) != 200)
		fail("at 15 and 35 ms: %u, %u", found(1, 8, 15 * MS), found(1, 8, 35 * MS));
	if (found(2, 8, 15 * MS) != 300 || found(1, DRVORIGIN_FLUSH, 15 * MS) != 400)
		fail("another disk, a flush: %u, %u", found(2, 8, 15 * MS),
		     found(1, DRVORIGIN_FLUSH, 15 * MS));
	if (found(1, 8, 25 * MS) || found(1, 9, 15 * MS) || found(3, 8, 15 * MS))
		fail("between two, beside one, on no disk: %u, %u, %u", found(1, 8, 25 * MS),
		     found(1, 9, 15 * MS), found(3, 8, 15 * MS));
	/* a microsecond, no more */
	if (found(1, 8, 20 * MS + 1000) != 100 || found(1, 8, 20 * MS + 1001))
		fail("at the end: %u, %u", found(1, 8, 20 * MS + 1000),
		     found(1, 8, 20 * MS + 1001));
}

/* After 65,536 records all are forgotten, and nobody's command is taken for passed through. */
static void forgotten(void)
{
	u32 i;

	drvorigin_clear();
	for (i = 0; i < DRVORIGIN_MOST; i++)
		add(1, i * 8ULL, 100, i * MS, (i + 5) * MS);
	if (found(1, 8, 3 * MS) != 100 || drvorigin_forgotten(3 * MS))
		fail("a full list has lost %s", drvorigin_forgotten(3 * MS) ? "all" : "one");
	/* the last one is longer than the one before */
	add(1, 8, 200, 90000 * MS, 90001 * MS);
	if (found(1, 8, 3 * MS) || found(1, 8, 90000 * MS) != 200)
		fail("after that: %u, %u", found(1, 8, 3 * MS), found(1, 8, 90000 * MS));
	if (!drvorigin_forgotten(3 * MS) || !drvorigin_forgotten((DRVORIGIN_MOST + 4) * MS))
		fail("it does not know that it forgot");
	if (drvorigin_forgotten(90000 * MS))
		fail("it thinks it forgot what came later");
	drvorigin_clear();
	if (drvorigin_forgotten(3 * MS))
		fail("a new list has forgotten");
}

int main(void)
{
	static const struct test tests[] = { TEST(by_time), TEST(forgotten) };

	return run_tests("tool_drvorigin", tests, ARRAY_SIZE(tests));
}

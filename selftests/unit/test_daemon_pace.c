// SPDX-License-Identifier: GPL-2.0
/* At most one a minute for each reason and disk; the others are counted. */
#include "moment_pace.h"
#include "test.h"

#define SECOND	1000000000ULL

static void paced(void)
{
	struct moment_pace p = { 0 };
	uint64_t left_out, said = 0;
	unsigned int i, begun = 0;

	for (i = 0; i < 600; i++) {
		if (!moment_pace_may(&p, 8, 1, i * SECOND, &left_out))
			continue;
		if (left_out != (i ? 59 : 0))
			fail("%llu were left out before second %u", (u64)left_out, i);
		said += left_out;
		begun++;
	}
	if (begun != 10 || said != 9 * 59)
		fail("%u began in ten minutes", begun);
	if (!moment_pace_may(&p, 9, 1, 600 * SECOND, &left_out) || left_out ||
	    !moment_pace_may(&p, 8, 2, 600 * SECOND, &left_out) || left_out)
		fail("another disk or reason is held up");
	if (moment_pace_may(&p, 9, 1, 601 * SECOND, &left_out) ||
	    moment_pace_may(&p, 8, 2, 601 * SECOND, &left_out))
		fail("they come twice a minute");
	moment_pace_end(&p);
}

/* However many disks there are, the list is as long as a minute's. */
static void bounded(void)
{
	struct moment_pace p = { 0 };
	uint64_t left_out;
	unsigned int i;

	for (i = 0; i < 10000; i++) {
		if (!moment_pace_may(&p, i, 0, i * SECOND, &left_out) || left_out)
			fail("disk %u", i);
	}
	if (p.known.nr > 62)
		fail("%zu are remembered", p.known.nr);
	moment_pace_end(&p);
}

int main(void)
{
	static const struct test tests[] = { TEST(paced), TEST(bounded) };

	return run_tests("daemon_pace", tests, ARRAY_SIZE(tests));
}

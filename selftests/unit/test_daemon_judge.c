// SPDX-License-Identifier: GPL-2.0
/* Windows of records: quiet ones, and those in which something stands out. */
#include "moment_judge.h"
#include "moment_pace.h"
#include "test.h"
#include "work.h"

#define MS	1000000ULL
#define SECOND	1000000000LL
#define SDA	(8U << 20)
#define SDB	(8U << 20 | 16)

static struct judge judge;
static struct rule rule[JUDGE_RULES];
static struct judge_found found[32];
static int64_t busy[2];

static unsigned int rules_of(uint32_t disk, void *arg)
{
	unsigned int i, bits = 0;

	(void)arg;
	for (i = 0; i < judge.nr_rules; i++)
		bits |= (unsigned int)rule_wants_disk(&rule[i], disk == SDA ? "sda" : "sdb") << i;
	return bits;
}

static bool is_of(unsigned int nr, const struct iob_iolog_bin_record *rec, void *arg)
{
	(void)arg;
	return !strcmp(rule[nr].pattern, rec->comm);
}

static int64_t busy_ms(uint32_t disk, void *arg)
{
	(void)arg;
	return busy[disk == SDB];
}

static void begin(const char *first, const char *second)
{
	judge_forget(&judge);
	memset(&judge, 0, sizeof(judge));
	judge.rules = rule;
	judge.rules_of = rules_of;
	judge.is_of = is_of;
	judge.busy_ms = busy_ms;
	busy[0] = -1;
	busy[1] = -1;
	if (first && rule_parse(&rule[judge.nr_rules++], first))
		fail("%s", first);
	if (second && rule_parse(&rule[judge.nr_rules++], second))
		fail("%s", second);
}

static void io(uint32_t disk, unsigned int nr, uint64_t ns)
{
	struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'W', .disk = disk,
		.bytes = 4096, .queue_ns = 5 * SECOND, .complete_ns = 5 * SECOND + ns,
		.comm = "dd",
	};

	while (nr--)
		judge_take(&judge, &rec);
}

static size_t end(void)
{
	return judge_end_window(&judge, SECOND, found, ARRAY_SIZE(found));
}

/* A minute of 1 to 2 ms; IO on two disks */
static void quiet_minute(void)
{
	int i;

	for (i = 0; i < 60; i++) {
		io(SDA, 100, (1 + rnd(1000) / 1000) * MS);
		io(SDB, 50, 2 * MS);
		if (end())
			fail("something stands out of a quiet minute");
	}
}

static void slow(void)
{
	begin(NULL, NULL);
	io(SDA, 100, 500 * MS);
	if (end())
		fail("nothing is usual, and something stands out");
	quiet_minute();
	/* one in a hundred is not above the percentile, two are */
	io(SDA, 100, MS);
	io(SDA, 1, 90 * MS);
	io(SDB, 50, 2 * MS);
	if (end())
		fail("one IO of 101 is a moment");
	io(SDA, 98, MS);
	io(SDA, 3, 90 * MS);
	io(SDB, 10, 500 * MS);
	if (end() != 1 || found[0].what != JUDGE_SLOW || found[0].disk != SDA ||
	    found[0].value < 65 * MS || found[0].usual > 4 * MS)
		fail("slow IO is no moment");
	/* 9 ms is not felt */
	io(SDA, 100, 7 * MS);
	if (end())
		fail("8 ms are a moment");
	/* it becomes usual */
	for (busy[0] = 0; busy[0] < 61; busy[0]++) {
		io(SDA, 100, 90 * MS);
		end();
	}
	busy[0] = -1;
	io(SDA, 100, 90 * MS);
	if (end())
		fail("what lasts for a minute is still a moment");
}

static void errors(void)
{
	struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .op = 'R', .disk = SDB, .error = -5, .bytes = 512,
	};

	begin(NULL, NULL);
	judge_take(&judge, &rec);
	rec.part = 1;
	judge_take(&judge, &rec);
	rec.part = 0;
	rec.complete_ns = 1;
	judge_take(&judge, &rec);
	if (end() != 1 || found[0].what != JUDGE_ERRORS || found[0].disk != SDB ||
	    found[0].value != 2)
		fail("errors are no moment");
	if (end())
		fail("they go on");
}

static void used(void)
{
	int i;

	begin(NULL, NULL);
	busy[0] = 950;
	busy[1] = 100;
	for (i = 0; i < 30; i++) {
		io(SDA, 5, MS);
		io(SDB, 5, MS);
		if (end())
			fail("a disk that is always busy stands out");
	}
	busy[1] = 890;
	if (end())
		fail("89 %% of the time stand out");
	busy[1] = 1010;
	if (end() != 1 || found[0].what != JUDGE_USED || found[0].disk != SDB ||
	    found[0].value != RULE_FULL || found[0].usual != 1000)
		fail("a disk that is busy all the time does not stand out");
	/* IOs that do not end are no reason to forget it */
	for (i = 0; i < 2 * JUDGE_IDLE; i++)
		end();
	if (judge.nr != 2)
		fail("a busy disk is forgotten");
	busy[0] = 0;
	busy[1] = -1;
	for (i = 0; i < 2 * JUDGE_IDLE; i++)
		end();
	if (judge.nr)
		fail("idle disks are not forgotten");
}

/* Two programs and the disk have parts of IOs that fail: each IO is one of each. */
static void shared_errors(void)
{
	struct iob_iolog_bin_record rec = { .len = sizeof(rec), .op = 'W', .disk = SDA };
	unsigned int i;

	begin("errors > 2 of program dd", "errors > 2 of program tar");
	for (i = 0; i < 15; i++) {
		rec.part = i % 5;
		rec.complete_ns = 1 + i / 5;
		rec.error = -5;
		strcpy(rec.comm, i % 2 ? "tar" : "dd");
		judge_take(&judge, &rec);
	}
	if (end() != 3 || found[0].value != 3 || found[1].value != 3 || found[2].value != 3)
		fail("three IOs of two programs failed");
}

static void rules(void)
{
	begin("slow: write p99 > 20ms on sda", "ios/s > 90 of program dd");
	io(SDB, 50, 30 * MS);
	io(SDA, 10, 19 * MS);
	if (end())
		fail("a rule holds of another disk, or of less");
	io(SDA, 89, MS);
	io(SDA, 1, 21 * MS);
	if (end() != 1 || found[0].what != JUDGE_RULE || found[0].disk != SDA)
		fail("one IO of 90 is not above the p99");
	io(SDA, 91, MS);
	if (end() != 1 || found[0].what != JUDGE_RULE + 1 || found[0].value != 91)
		fail("91 IOs a second of dd");
	begin("mean > 5ms", "read errors > 0");
	io(SDB, 1, 11 * MS);
	io(SDB, 1, 1 * MS);
	if (end() != 1 || found[0].what != JUDGE_RULE || found[0].value != 6 * MS)
		fail("a mean of 6 ms");
	begin("bytes/s > 400K", "util > 50% on sdb");
	busy[0] = 900;
	busy[1] = 510;
	io(SDA, 101, MS);
	io(SDB, 1, MS);
	if (end() != 2 || found[0].what != JUDGE_RULE || found[0].disk != SDA ||
	    found[1].what != JUDGE_RULE + 1 || found[1].value != 5100 || found[1].disk != SDB)
		fail("bytes a second, and a disk that is busy");
	busy[1] = -1;
	io(SDB, 1, MS);
	if (end())
		fail("what is not known is above a limit");
	shared_errors();
	judge_forget(&judge);
}

/* More disks than there is room for are counted, and more findings left out. */
static void many(void)
{
	struct iob_iolog_bin_record rec = { .len = sizeof(rec), .op = 'R', .error = -5 };
	unsigned int i;

	begin(NULL, NULL);
	for (i = 0; i < JUDGE_DISKS + 10; i++) {
		rec.disk = i << 20;
		judge_take(&judge, &rec);
	}
	if (judge.not_judged != 10 || end() != ARRAY_SIZE(found))
		fail("%llu IOs are not judged", (u64)judge.not_judged);
	judge_forget(&judge);
}

static struct moment_pace pace;
static uint64_t now_ns;

/* as moments.c */
static bool may(struct judge_found *one, void *arg)
{
	(void)arg;
	return moment_pace_may(&pace, one->disk, one->what, now_ns, &one->left_out);
}

/* A disk fails behind more busy ones than a window has findings: it stands out soon. */
static void behind_busy_ones(void)
{
	struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .op = 'R', .disk = 79 << 20, .error = -5, .bytes = 512,
	};
	unsigned int window, i, hot = 0, failed = 0;
	size_t nr;

	begin("hot: ios/s > 1", NULL);
	judge.may = may;
	for (window = 0; window < 3; window++) {
		for (i = 0; i < 80; i++)
			io(i << 20, 2, MS);
		judge_take(&judge, &rec);
		now_ns = window * SECOND;
		nr = end();
		for (i = 0; i < nr; i++) {
			failed += found[i].what == JUDGE_ERRORS && found[i].disk == 79 << 20;
			hot += found[i].what == JUDGE_RULE;
		}
		if (failed != 1)
			fail("a failing disk stands out %u times by window %u", failed, window);
	}
	if (hot != 80)
		fail("%u of 80 busy disks stand out", hot);
	moment_pace_end(&pace);
	judge_forget(&judge);
}

/* Disks that do nothing for long make room for others. */
static void forgotten(void)
{
	unsigned int i;

	begin(NULL, NULL);
	for (i = 0; i < JUDGE_DISKS; i++)
		io(i << 20, 1, MS);
	for (i = 0; i < JUDGE_IDLE + 2; i++) {
		io(5 << 20, 1, MS);
		end();
	}
	if (judge.nr != 1)
		fail("%u disks are left", judge.nr);
	for (i = 0; i < JUDGE_DISKS; i++)
		io(i << 20, 1, MS);
	if (judge.not_judged || judge.nr != JUDGE_DISKS)
		fail("%llu IOs are not judged", (u64)judge.not_judged);
	judge_forget(&judge);
}

/* Records of so many disks in turns */
static void take_in_turns(unsigned int disks)
{
	unsigned int round, i;

	begin(NULL, NULL);
	for (round = 0; round < 10; round++) {
		for (i = 0; i < disks; i++)
			io(i << 20, 1, MS);
		end();
	}
	if (judge.nr != disks || judge.not_judged)
		fail("%u of %u disks", judge.nr, disks);
	judge_forget(&judge);
}

static void many_disks(void)
{
	work_is_linear("disks in turns", take_in_turns);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(slow), TEST(errors), TEST(used), TEST(rules), TEST(many), TEST(behind_busy_ones),
		TEST(forgotten),
		TEST(many_disks),
	};

	return run_tests("daemon_judge", tests, ARRAY_SIZE(tests));
}

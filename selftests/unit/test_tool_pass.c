// SPDX-License-Identifier: GPL-2.0
/*
 * The time that a pass over the sums is of, how often it asks for the session, and what is lost.
 * The clocks, the names and the module are fakes.
 */
#include <sys/mman.h>
#include <time.h>

#include "test.h"

#define SECOND	1000000000LL
#define BEGIN	(1764003600LL * SECOND)

static u64 now;			/* CLOCK_MONOTONIC */
static u64 slept;		/* CLOCK_BOOTTIME is so much more */
static int64_t wall;
static int sums_bin = -1;	/* what the module has, none: no sums are new */
static unsigned int looks;	/* at the module's status */
static u64 session_nr, status_ios;	/* in it */
static u64 ending;		/* IOs that end between the next look and the one after */

static int fake_gettime(clockid_t id, struct timespec *ts)
{
	(void)id;
	*ts = (struct timespec){ .tv_sec = wall / SECOND, .tv_nsec = wall % SECOND };
	return 0;
}

#define clock_gettime fake_gettime
#include "sums.c"

uint64_t clock_ns(void)
{
	return now;
}

uint64_t clock_boot_ns(void)
{
	return now + slept;
}

/* Each one who opens it reads all that there is. */
int dir_open(const char *name, int flags)
{
	char path[64] = "/dev/null";

	if (sums_bin >= 0 && !strcmp(name, "sums_bin"))
		snprintf(path, sizeof(path), "/proc/self/fd/%d", sums_bin);
	return open(path, flags);
}

bool status_now(struct status *st)
{
	*st = (struct status){ .session = session_nr, .ios = status_ios };
	status_ios += ending;
	ending = 0;
	looks++;
	return true;
}

void intent_note_session(uint64_t module, uint64_t session)
{
	(void)module;
	(void)session;
}

void intent_load(int fd)
{
	(void)fd;
}

const struct intent *intent_get(uint32_t nr)
{
	(void)nr;
	return NULL;
}

const char *intent_why(const struct iob_iolog_bin_record *rec)
{
	(void)rec;
	return "";
}

char *intent_folded(const struct intent *in, const char *separator, bool outermost_first)
{
	(void)in;
	(void)separator;
	(void)outermost_first;
	return strdup("");
}

const char *name_disk(uint32_t dev)
{
	(void)dev;
	return "sda";
}

const char *name_unit(uint64_t id)
{
	(void)id;
	return "";
}

const char *name_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
	return "";
}

void name_tidy(void)
{
}

void name_done(void)
{
}

uint32_t owner_uid(uint32_t tgid, uint64_t start_ns)
{
	(void)tgid;
	(void)start_ns;
	return OWNER_NONE;
}

uint32_t owner_uid_since(uint32_t tgid, uint64_t start_ns, uint32_t first, uint64_t since_ns)
{
	(void)tgid;
	(void)start_ns;
	(void)since_ns;
	return first;
}

const char *owner_name(uint32_t uid)
{
	(void)uid;
	return "";
}

/* Passes of 10 seconds, before each of which the clock is set, or behind a suspend. */
static void clock_is_set(void)
{
	static const struct {
		int64_t slept, set, lasts;	/* in seconds */
	} steps[] = {
		{ 0, 0, 10 }, { 0, -7200, 10 }, { 0, 0, 10 }, { 0, -10, 10 }, { 0, -9, 10 },
		{ 0, 0, 10 },
		/* an hour, and from a boot without a clock to what NTP says: 1.4 years */
		{ 0, 3600, 10 }, { 0, 0, 10 }, { 0, 45568760, 10 }, { 0, 0, 10 },
		/* what is set right by a bit leaves no gap */
		{ 0, 2, 12 }, { 0, 3, 10 },
		/* eight hours of sleep, set right by seconds behind it; set by a day; set back */
		{ 28800, 0, 28810 }, { 28800, 25, 28835 }, { 28800, 86400, 28810 },
		{ 28800, -3600, 28810 }, { 0, 0, 10 },
	};
	struct usage_list list = { 0 };
	struct sums s = { 0 };
	int64_t before, passed;
	size_t i;

	now = SECOND;
	wall = BEGIN;
	if (sums_open(&s))
		fail("it is not opened");
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		before = wall;
		passed = 10 + steps[i].slept + steps[i].set;
		now += 10 * SECOND;
		slept += steps[i].slept * SECOND;
		wall += passed * SECOND;
		if (sums_pass(&s, &list))
			fail("pass %zu", i);
		if (list.until_ns != wall ||
		    list.until_ns - list.from_ns != steps[i].lasts * SECOND)
			fail("pass %zu: %lld seconds, not %lld", i,
			     (s64)((list.until_ns - list.from_ns) / SECOND), (s64)steps[i].lasts);
		if (steps[i].lasts == passed && list.from_ns != before)
			fail("pass %zu does not begin where the last one ends", i);
	}
	sums_close(&s);
}

/* So many sums have changed since the last pass. */
static void add_sums(u32 nr)
{
	struct iob_sum_bin_record rec = {
		.len = sizeof(rec), .op = rec_op_letters[0], .ios = 1, .disk = 1,
	};
	static u64 id;

	while (nr--) {
		rec.id = ++id;
		if (write(sums_bin, &rec, sizeof(rec)) != sizeof(rec)) {
			fail("no memory for the sums");
			return;
		}
	}
}

/* The module takes milliseconds to put its status together, and microseconds for a record. */
static void many_sums(void)
{
	struct usage_list list = { 0 };
	struct sums s = { 0 };
	u64 ios = 0;
	size_t i;

	sums_bin = memfd_create("sums_bin", MFD_CLOEXEC);
	if (sums_bin < 0 || sums_open(&s))
		fail("it is not opened");
	add_sums(20000);
	looks = 0;
	if (sums_pass(&s, &list) || s.broken || s.no_room)
		fail("the pass fails");
	for (i = 0; i < list.nr; i++)
		ios += list.list[i].ios;
	if (ios != 20000)
		fail("%llu IOs are told of 20,000", ios);
	if (!looks || looks > 8)
		fail("status is read %u times for 20,000 sums", looks);
	note("status is read %u times for 20,000 sums", looks);
	usage_clear(&list);
	sums_close(&s);
	close(sums_bin);
	sums_bin = -1;
}

/* What a pass tells of, of @ios more that have ended, and that @end while it lasts. */
static void expect_lost(struct sums *s, u32 told, u64 ios, u64 end, u64 lost)
{
	struct usage_list list = { 0 };
	u64 got = 0;
	size_t i;

	add_sums(told);
	status_ios += ios;
	ending = end;
	if (sums_pass(s, &list))
		fail("the pass fails");
	for (i = 0; i < list.nr; i++)
		got += list.list[i].ios;
	if (got != (s->wants ? 0 : told) || list.lost_ios != lost)
		fail("session %llu, %llu IOs: %llu are told, and %llu are lost, not %llu",
		     session_nr, status_ios, got, (u64)list.lost_ios, lost);
	usage_clear(&list);
}

static bool wants_none(uint32_t disk, const void *arg)
{
	(void)disk;
	(void)arg;
	return false;
}

/* What status has and no pass tells of is lost, once; what ends during a pass is not. */
static void lost(void)
{
	struct sums s = { 0 };

	session_nr = 1;
	status_ios = 1000;
	sums_bin = memfd_create("sums_bin", MFD_CLOEXEC);
	/* those that end while it is opened are in no pass either */
	add_sums(7);
	ending = 3;
	if (sums_bin < 0 || sums_open(&s))
		fail("it is not opened");
	expect_lost(&s, 0, 0, 0, 0);
	expect_lost(&s, 50, 50, 0, 0);
	expect_lost(&s, 10, 30, 0, 20);
	expect_lost(&s, 0, 0, 0, 0);
	expect_lost(&s, 9, 9, 0, 0);
	expect_lost(&s, 0, 1, 0, 1);
	/* 5 of 25 end during the pass, which has them; such hide a loss until the next one */
	expect_lost(&s, 25, 20, 5, 0);
	expect_lost(&s, 25, 25, 0, 0);
	expect_lost(&s, 10, 10, 5, 0);
	expect_lost(&s, 0, 0, 0, 5);
	/* the disks that are not shown have no IO that is lost */
	s.wants = wants_none;
	expect_lost(&s, 6, 6, 0, 0);
	s.wants = NULL;
	/* all of a new session is told, or lost; of the rest of the old one nothing is known */
	session_nr = 2;
	status_ios = 0;
	expect_lost(&s, 30, 40, 0, 10);
	expect_lost(&s, 1, 1, 0, 0);
	session_nr = 3;
	status_ios = 0;
	expect_lost(&s, 3, 3, 0, 0);
	sums_close(&s);
	/* whoever closes the file is told nothing of what came until it is open again */
	status_ios += 100;
	expect_lost(&s, 0, 0, 0, 0);
	expect_lost(&s, 2, 4, 0, 2);
	sums_close(&s);
	close(sums_bin);
	sums_bin = -1;
}

/* A slot goes round, and the clock is set back, between passes that are shown as one. */
static void gathered(void)
{
	struct iob_sum_bin_record rec = {
		.len = sizeof(rec), .op = rec_op_letters[0], .disk = 1, .id = 1ULL << 32,
	};
	const u32 more = 3000000000U;
	struct usage_list all = { 0 };
	struct sums s = { 0 };
	u32 i, passes = 5;

	session_nr = 4;
	status_ios = 0;
	wall = BEGIN;
	sums_bin = memfd_create("sums_bin", MFD_CLOEXEC);
	if (sums_bin < 0 || sums_open(&s))
		fail("it is not opened");
	for (i = 0; i < passes; i++) {
		rec.ios += more;
		rec.lat[3] += more;
		now += SUMS_APART_NS;
		wall += SUMS_APART_NS - (i == 2 ? 3600 * SECOND : 0);
		/* 5 are lost before the first pass, and none behind it */
		status_ios = rec.ios + 5;
		if (write(sums_bin, &rec, sizeof(rec)) != sizeof(rec) || sums_gather(&s, &all))
			fail("pass %u", i);
	}
	if (all.nr != 1 || all.list[0].ios != passes * (u64)more ||
	    all.list[0].lat[3] != all.list[0].ios)
		fail("%llu IOs, of %llu of which the time is told", (u64)all.list[0].ios,
		     (u64)all.list[0].lat[3]);
	if (all.until_ns != wall || all.until_ns - all.from_ns != passes * (s64)SUMS_APART_NS)
		fail("they are of %lld s", (s64)((all.until_ns - all.from_ns) / SECOND));
	if (all.lost_ios != 5)
		fail("%llu are lost", (u64)all.lost_ios);
	usage_clear(&all);
	sums_close(&s);
	close(sums_bin);
	sums_bin = -1;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(clock_is_set), TEST(many_sums), TEST(lost), TEST(gathered),
	};

	return run_tests("tool_pass", tests, ARRAY_SIZE(tests));
}

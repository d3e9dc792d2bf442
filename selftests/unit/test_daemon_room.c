// SPDX-License-Identifier: GPL-2.0
/* What goes from the recorder's database on disk where many disks fill it. */
#include "databases.h"
#include "hearing.h"
#include "test.h"

#define MINUTE	(60 * SECOND)
#define HOUR	(60 * MINUTE)

/* A span in which each of these disks was busy: it has no fewer usages than there are disks. */
static bool put(struct recorder *r, const struct past_span *span, int64_t at, int64_t ns,
		unsigned int disks)
{
	struct usage_list list = { .from_ns = at, .until_ns = at + ns };
	unsigned int i, slot;
	char name[16];
	bool good;

	for (i = 0; i < disks; i++) {
		struct usage u = {
			.key = { .unit = "a.service", .program = "cat", .user = "root", .file = "",
				 .disk = name, .why = "data", .op = 2 },
			.ios = 1, .bytes = 4096, .ns = 1000,
		};

		sprintf(name, "sd%u", i);
		/* long rows, so that few fill the file */
		for (slot = 0; slot < ARRAY_SIZE(u.lat); slot++)
			u.lat[slot] = 1000;
		usage_add(&list, &u);
		usage_add_busy(&list, name, 500);
	}
	good = recorder_put_disk(r, span, &list);
	usage_clear(&list);
	return good;
}

static s64 count(struct recorder *r, int level)
{
	char sql[80];

	sprintf(sql, "SELECT count(*) FROM span WHERE level = %d", level);
	return recorder_db_number(&r->disk, sql);
}

/* A file of @bytes, and so many hours, of each of which some minutes have something. */
struct load {
	unsigned int bytes, disks, hours, minutes;
	unsigned int hours_left, minutes_left;	/* at least */
};

/* Minutes of an hour, and then itself, as the recorder writes them. */
static void record_hour(struct recorder *r, const struct load *l, int64_t at)
{
	struct past_span hour = { .id = r->next_id++, .level = PAST_HOUR };
	struct past_span minute = { .level = PAST_MINUTE, .parent = hour.id };
	bool good = recorder_db_begin(&r->disk), tidied;
	unsigned int i;

	good = good && recorder_bound_disk(r, at, &tidied);
	for (i = 0; good && i < l->minutes; i++) {
		minute.id = r->next_id++;
		good = put(r, &minute, at + i * MINUTE, MINUTE, l->disks);
	}
	good = good && put(r, &hour, at, HOUR, l->disks);
	if (!recorder_db_end(&r->disk, good))
		fail("it cannot be written");
	for (i = 0; i < l->minutes; i++)
		recorder_tidy_disk(r, at + HOUR);
}

static void record(struct recorder *r, const struct load *l)
{
	unsigned int hour;

	conf.max_bytes = l->bytes;
	recorder_open(r, &conf);
	for (hour = 0; hour < l->hours; hour++)
		record_hour(r, l, BEGIN + hour * HOUR);
}

static const char alone[] =
	"SELECT count(*) FROM span WHERE level = 1 AND parent < (SELECT max(id) FROM span "
	"WHERE level = 2) AND parent NOT IN (SELECT id FROM span)";
static const char gap[] =
	"SELECT count(*) FROM (SELECT from_ns - lag(from_ns) OVER (ORDER BY id) AS step FROM span "
	"WHERE level = 2) WHERE step != 3600000000000";

/* The oldest go, but minutes do not take the place of hours: these have half of it. */
static void hours_have_half(void)
{
	static const struct load loads[] = {
		/* of 60 spans */
		{ 1 << 20, 60, 50, 6, 20, 15 },
		/* one that is tidied in steps; of 100 */
		{ 5 << 20, 150, 70, 3, 35, 25 },
	};
	struct recorder r;
	unsigned int i;
	int said;

	for (i = 0; i < ARRAY_SIZE(loads); i++) {
		begin();
		begin_hearing();
		record(&r, &loads[i]);
		said = end_hearing("of the past go after");
		if (count(&r, PAST_HOUR) < loads[i].hours_left ||
		    count(&r, PAST_MINUTE) < loads[i].minutes_left)
			fail("of %u hours %lld are left, and %lld minutes", loads[i].hours,
			     count(&r, PAST_HOUR), count(&r, PAST_MINUTE));
		if (recorder_db_number(&r.disk, alone) || recorder_db_number(&r.disk, gap))
			fail("%lld minutes have lost their hour, or an hour is not there",
			     (s64)recorder_db_number(&r.disk, alone));
		if (said != 2)
			fail("it is said %d times that minutes and hours go", said);
		note("%lld hours, %lld minutes", count(&r, PAST_HOUR), count(&r, PAST_MINUTE));
		recorder_close(&r);
		end();
	}
}

/* What goes first is minutes, and that is all that is said; a file with room says nothing. */
static void says_what_goes(void)
{
	struct load load = { 1 << 20, 60, 20, 6, 0, 0 };
	int k, minutes, hours;
	struct recorder r;

	for (k = 0; k < 2; k++) {
		begin();
		load.bytes = k ? 1 << 20 : 64 << 20;
		begin_hearing();
		record(&r, &load);
		hours = count_heard("hours of the past go");
		minutes = end_hearing("minutes of the past go");
		if (hours || minutes != k)
			fail("it is said %d times of hours, %d of minutes", hours, minutes);
		if (count(&r, PAST_HOUR) != 20)
			fail("%lld hours are left", count(&r, PAST_HOUR));
		recorder_close(&r);
		end();
	}
}

/* Where hours take most, as where names are many, minutes stay: little would come of them. */
static void minutes_stay(void)
{
	struct load load = { 1 << 20, 60, 60, 1, 0, 0 };
	struct recorder r;

	begin();
	quiet(true);
	record(&r, &load);
	quiet(false);
	if (count(&r, PAST_MINUTE) < 15 || count(&r, PAST_HOUR) < 15)
		fail("%lld hours are left, and %lld minutes", count(&r, PAST_HOUR),
		     count(&r, PAST_MINUTE));
	note("%lld hours, %lld minutes", count(&r, PAST_HOUR), count(&r, PAST_MINUTE));
	recorder_close(&r);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(hours_have_half), TEST(says_what_goes), TEST(minutes_stay),
	};

	return run_tests("daemon_room", tests, ARRAY_SIZE(tests));
}

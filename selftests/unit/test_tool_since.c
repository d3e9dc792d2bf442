// SPDX-License-Identifier: GPL-2.0
/* Moments, in three time zones; the truth is date(1)'s. */
#include <time.h>

#include "since.h"
#include "test.h"

#define NOW	1795608000	/* 2026-11-25 12:00:00 UTC */

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static void check(const char *text, s64 want)
{
	int64_t got = -1;

	if (!since_parse(text, NOW * 1000000000LL, &got))
		fail("'%s' is not taken", text);
	else if (got != want * 1000000000LL)
		fail("'%s' is %lld, not %lld s", text, (s64)got / 1000000000, want);
}

static void utc(void)
{
	zone("UTC");
	check("now", NOW);
	check("today", NOW - 12 * 3600);
	check("yesterday", NOW - 36 * 3600);
	check("03:00", NOW - 9 * 3600);
	check("13:00", NOW - 23 * 3600);
	check("12:00", NOW);
	check("12:00:01", NOW - 24 * 3600 + 1);
	check("30d", NOW - 30 * 86400);
	check("2w", NOW - 14 * 86400);
	check("10m", NOW - 600);
	check("10min", NOW - 600);
	check("2h", NOW - 7200);
	check("90s", NOW - 90);
	check("@1795608000", NOW);
	check("2026-11-25", NOW - 12 * 3600);
	check("2026-11-25 12:00", NOW);
	check("2026-11-25T12:00:00Z", NOW);
	check("2026-11-25t14:30:00+02:30", NOW);
	check("2026-11-25T11:00:00-01:00", NOW);
	check("2024-02-29", 1709164800);
}

/* 2026-11-25 12:00 UTC is 13:00 in Berlin, 07:00 in New York. */
static void zones(void)
{
	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	check("today", NOW - 13 * 3600);
	check("13:00", NOW);
	check("2026-11-25 13:00", NOW);
	check("2026-07-01", 1782856800);	/* summer: 22:00 UTC the day before */
	check("2026-11-25T12:00:00Z", NOW);
	zone("EST5EDT,M3.2.0,M11.1.0");
	check("07:00", NOW);
	check("08:00", NOW - 23 * 3600);
	zone("UTC");
}

/* Clocks are set back: at 01:00 UTC of 2026-10-25 from 03:00 to 02:00. */
static void twice(void)
{
	const s64 first = 1792888200, back = 1792890000;	/* 02:30 of summer; 03:00 */
	int64_t since, until, now = (back + 2400) * 1000000000LL;
	char text[64];

	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	if (!since_parse("02:30", now, &since) || since != first * 1000000000LL ||
	    !since_parse_until("02:30", now, &until) || until != since + 3600000000000LL)
		fail("02:30 is %lld and %lld", (s64)since, (s64)until);
	if (!since_parse("2026-10-25 02:30", 0, &since) || since != first * 1000000000LL ||
	    !since_parse_until("2026-10-25 02:30", 0, &until) || until != since + 3600000000000LL)
		fail("the date's 02:30 is %lld and %lld", (s64)since, (s64)until);
	/* the second one is still to come */
	if (!since_parse_until("02:50", (back - 60) * 1000000000LL, &until) ||
	    until != (back - 600) * 1000000000LL)
		fail("02:50 at 02:59 is %lld", (s64)until);
	if (!since_parse("02:59:30", now, &since) || !since_parse_until("02:00:30", now, &until) ||
	    until - since != 60000000000LL)
		fail("a minute of both hours is %lld ns", (s64)(until - since));
	if (strcmp(since_word(first * 1000000000LL, text, sizeof(text)),
		   "2026-10-25T02:30:00+02:00") ||
	    !since_parse(text, 0, &since) || since != first * 1000000000LL)
		fail("the first is %s", text);
	if (strcmp(since_word((first + 3600) * 1000000000LL, text, sizeof(text)),
		   "2026-10-25T02:30:00+01:00"))
		fail("the second is %s", text);
	zone("XXX+3:30");
	if (strcmp(since_word(NOW * 1000000000LL, text, sizeof(text)), "2026-11-25T08:30:00-03:30"))
		fail("west: %s", text);
	zone("UTC");
}

/* A word finds its moment again, with as few digits as that takes. */
static void words(void)
{
	static const struct { int64_t ns; const char *word; } exact[] = {
		{ 0, "2026-11-25T13:00:00+01:00" },
		{ 300000000, "2026-11-25T13:00:00.3+01:00" },
		{ 50000000, "2026-11-25T13:00:00.05+01:00" },
		{ 120400000, "2026-11-25T13:00:00.1204+01:00" },
		{ 1, "2026-11-25T13:00:00.000000001+01:00" },
		{ 999999999, "2026-11-25T13:00:00.999999999+01:00" },
	};
	char text[SINCE_WORD];
	int64_t ns, got;
	size_t i;

	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	for (i = 0; i < ARRAY_SIZE(exact); i++) {
		since_word(NOW * 1000000000LL + exact[i].ns, text, sizeof(text));
		if (strcmp(text, exact[i].word))
			fail("%s, not %s", text, exact[i].word);
	}
	for (i = 0; i < 20000; i++) {
		ns = rnd64() % (NOW * 1000000000ULL);
		ns -= i % 2 ? 0 : ns % 1000000;
		since_word(ns, text, sizeof(text));
		got = -1;
		if (!since_parse(text, 0, &got) || got != ns ||
		    !since_parse_until(text, 0, &got) || got != ns)
			fail("%lld is %s, which is %lld", (s64)ns, text, (s64)got);
	}
	zone("UTC");
}

/* In the Azores a day begins twice: at 01:00 UTC of 2026-10-25 clocks go from 01:00 to 00:00. */
static void twice_midnight(void)
{
	const s64 first = 1792886400, again = first + 3600;
	static const char *const words[] = { "today", "yesterday" };
	int64_t since, until, date, now;
	size_t i;

	zone("<-01>1<+00>,M3.5.0/0,M10.5.0/1");
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		now = (again + 12 * 3600 + i * 24 * 3600) * 1000000000LL;
		/* mktime() begins with what it found last, here a winter's day */
		since_parse("2026-11-25", now, &date);
		if (!since_parse(words[i], now, &since) || since != first * 1000000000LL ||
		    !since_parse("2026-10-25", now, &date) || date != since)
			fail("%s is %lld", words[i], (s64)since);
		if (!since_parse_until(words[i], now, &until) || until != again * 1000000000LL ||
		    !since_parse_until("2026-10-25", now, &date) || date != until)
			fail("until %s is %lld", words[i], (s64)until);
	}
	/* the second one is still to come */
	if (!since_parse_until("today", (first + 60) * 1000000000LL, &until) ||
	    until != first * 1000000000LL)
		fail("until today at its first minute is %lld", (s64)until);
	zone("UTC");
}

/* From 03:00 to 03:10 is today also at 03:05. */
static void behind(void)
{
	const s64 since = 1764126000;	/* 2025-11-26 03:00 */
	static const char *const wrong[] = { "03:00", "now", "10m", "2025-11-27", "x", "" };
	int64_t ns = 5;
	size_t i;

	zone("UTC");
	if (!since_time_behind("03:10", since * 1000000000LL, &ns) ||
	    ns != (since + 600) * 1000000000LL)
		fail("03:10 is %lld", (s64)ns);
	if (!since_time_behind("02:59:59.5", since * 1000000000LL, &ns) ||
	    ns != (since + 86400) * 1000000000LL - 500000000)
		fail("02:59:59.5 is %lld", (s64)ns);
	ns = 5;
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (since_time_behind(wrong[i], since * 1000000000LL, &ns) || ns != 5)
			fail("%s is %lld", wrong[i], (s64)ns);
	}
}

/* A day has 23 or 25 hours when clocks are set: the next such time counts, not some hours. */
static void behind_set_clocks(void)
{
	static const struct {
		const char *since, *until, *want;
	} cases[] = {
		/* the day before clocks go from 02:00 to 03:00 */
		{ "2026-03-28T03:00:00+01:00", "03:30", "2026-03-28T03:30:00+01:00" },
		{ "2026-03-28T04:00:00+01:00", "03:50", "2026-03-29T03:50:00+02:00" },
		{ "2026-03-29T00:30:00+01:00", "00:20", "2026-03-30T00:20:00+02:00" },
		{ "2026-03-29T00:30:00+01:00", "03:10", "2026-03-29T03:10:00+02:00" },
		/* the day on which they do, and that has no 02:30 */
		{ "2026-03-29T03:10:00+02:00", "02:30", "2026-03-30T02:30:00+02:00" },
		{ "2026-03-29T12:00:00+02:00", "02:30", "2026-03-30T02:30:00+02:00" },
		{ "2026-03-29T01:50:00+01:00", "02:30", "2026-03-30T02:30:00+02:00" },
		{ "2026-03-29T01:50:00+01:00", "03:00", "2026-03-29T03:00:00+02:00" },
		{ "2026-03-29T01:50:00+01:00", "01:59:60", "2026-03-29T03:00:00+02:00" },
		/* the day on which they go from 03:00 to 02:00 */
		{ "2026-10-25T00:30:00+02:00", "00:20", "2026-10-26T00:20:00+01:00" },
		{ "2026-10-25T00:30:00+02:00", "00:40", "2026-10-25T00:40:00+02:00" },
		{ "2026-10-25T02:30:00+02:00", "02:20", "2026-10-25T02:20:00+01:00" },
		{ "2026-10-25T02:30:00+01:00", "02:20", "2026-10-26T02:20:00+01:00" },
		{ "2026-10-24T04:00:00+02:00", "03:50", "2026-10-25T03:50:00+01:00" },
	};
	int64_t since, want, ns;
	size_t i;

	zone("CET-1CEST,M3.5.0,M10.5.0/3");
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (!since_parse(cases[i].since, 0, &since) ||
		    !since_parse(cases[i].want, 0, &want))
			fail("case %zu is no time", i);
		ns = 0;
		if (!since_time_behind(cases[i].until, since, &ns) || ns != want)
			fail("from %s to %s lasts %lld s, not %lld", cases[i].since, cases[i].until,
			     (s64)(ns - since) / 1000000000, (s64)(want - since) / 1000000000);
	}
	if (!since_parse("2026-10-25T00:30:00+02:00", 0, &since) ||
	    since_time_behind("00:30", since, &ns))
		fail("the moment's own time is behind it");
	zone("UTC");
}

static void refused(void)
{
	static const char *const wrong[] = {
		"", " ", "3:00", "03:0", "24:00", "03:60", "03:00:61", "03:00x", "tomorrow",
		"-1d", "d", "1y", "1 d", "30", "@", "@x", "@-1", "@99999999999", "2026-13-01",
		"2026-02-29", "2026-04-31", "2026-11-25T", "2026-11-25T12:00:00+2", "1969-01-01",
		"2026-11-25T12:00:00.", "2026-11-25Z", "99999999999999999999d", "90000000w",
		"2026-11-25T12:00:00Z ", "9999-01-01", "nowx",
	};
	int64_t ns = 5;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (since_parse(wrong[i], NOW * 1000000000LL, &ns) || ns != 5)
			fail("'%s' is taken", wrong[i]);
	}
}

static void fractions(void)
{
	int64_t ns;

	zone("UTC");
	if (!since_parse("@1.5", NOW * 1000000000LL, &ns) || ns != 1500000000)
		fail("half a second");
	if (!since_parse("2026-11-25T12:00:00.1234567891Z", 0, &ns) ||
	    ns != NOW * 1000000000LL + 123456789)
		fail("nanoseconds: %lld", (s64)ns);
}

/* What is printed is taken, and says the same. */
static void round_trip(void)
{
	char text[64];
	int64_t got;
	int i;

	note("seed %llu", seed());
	for (i = 0; i < 20000; i++) {
		s64 want = (s64)rnd(2000000000) * 1000000000;

		since_text(want, text, sizeof(text));
		if (!since_parse(text, NOW * 1000000000LL, &got) || got != want)
			fail("%lld is printed as %s", want, text);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(utc), TEST(zones), TEST(twice), TEST(twice_midnight), TEST(behind),
		TEST(behind_set_clocks), TEST(refused), TEST(fractions), TEST(round_trip), TEST(words),
	};

	return run_tests("tool_since", tests, ARRAY_SIZE(tests));
}

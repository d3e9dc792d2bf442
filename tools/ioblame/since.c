// SPDX-License-Identifier: GPL-2.0
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "msg.h"
#include "since.h"

enum {
	DAY = 24 * 3600,
	LAST_YEAR = 2200,	/* later nanoseconds do not fit an int64_t */
};

#define SECOND	1000000000LL
#define AFTER_LAST_YEAR	7289654400LL	/* 2201-01-01 00:00:00 UTC */

/* @nr digits at *@s, which moves behind them.  Return: the number, or -1. */
static int take_digits(const char **s, int nr)
{
	int n = 0;

	for (; nr; nr--, (*s)++) {
		if (**s < '0' || **s > '9')
			return -1;
		n = n * 10 + (**s - '0');
	}
	return n;
}

static bool take_char(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* .5 behind seconds; more than nine digits are cut. */
static bool take_fraction(const char **s, int64_t *ns)
{
	int64_t unit = SECOND / 10;

	*ns = 0;
	if (!take_char(s, '.'))
		return true;
	if (**s < '0' || **s > '9')
		return false;
	for (; **s >= '0' && **s <= '9'; (*s)++, unit /= 10)
		*ns += (**s - '0') * unit;
	return true;
}

/* HH:MM[:SS[.FRACTION]] */
static bool take_time(const char **s, struct tm *tm, int64_t *fraction)
{
	*fraction = 0;
	tm->tm_sec = 0;
	tm->tm_hour = take_digits(s, 2);
	if (tm->tm_hour < 0 || tm->tm_hour > 23 || !take_char(s, ':'))
		return false;
	tm->tm_min = take_digits(s, 2);
	if (tm->tm_min < 0 || tm->tm_min > 59)
		return false;
	if (!take_char(s, ':'))
		return true;
	tm->tm_sec = take_digits(s, 2);
	return tm->tm_sec >= 0 && tm->tm_sec <= 60 && take_fraction(s, fraction);
}

/* YYYY-MM-DD; mktime() would take the 31st of a short month for the next one's first. */
static bool take_date(const char **s, struct tm *tm)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
	int year = take_digits(s, 4), month, day, leap;

	if (year < 1970 || year > LAST_YEAR || !take_char(s, '-'))
		return false;
	month = take_digits(s, 2);
	if (month < 1 || month > 12 || !take_char(s, '-'))
		return false;
	day = take_digits(s, 2);
	leap = month == 2 && !(year % 4) && (year % 100 || !(year % 400));
	if (day < 1 || day > days[month - 1] + leap)
		return false;
	tm->tm_year = year - 1900;
	tm->tm_mon = month - 1;
	tm->tm_mday = day;
	return true;
}

/* Z, +HH:MM or -HH:MM.  Return: false if there is none; @seconds is what is east of it. */
static bool take_zone(const char **s, int *seconds)
{
	int sign, hours, minutes;

	*seconds = 0;
	if (take_char(s, 'Z') || take_char(s, 'z'))
		return true;
	if (**s != '+' && **s != '-')
		return false;
	sign = *(*s)++ == '-' ? -1 : 1;
	hours = take_digits(s, 2);
	if (hours < 0 || hours > 23 || !take_char(s, ':'))
		return false;
	minutes = take_digits(s, 2);
	if (minutes < 0 || minutes > 59)
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

/* True if clocks here show the same at both times. */
static bool shows_same(time_t a, time_t b)
{
	struct tm ta, tb;

	return localtime_r(&a, &ta) && localtime_r(&b, &tb) && ta.tm_sec == tb.tm_sec &&
	       ta.tm_min == tb.tm_min && ta.tm_hour == tb.tm_hour && ta.tm_yday == tb.tm_yday;
}

/* When clocks here show @tm; of two such times the earlier, or the @last. */
static time_t local_time(struct tm tm, bool last)
{
	/* by how much clocks are set back somewhere */
	static const int steps[] = { 1800, 3600, 7200 };
	time_t t, other;
	size_t i;

	tm.tm_isdst = -1;
	t = mktime(&tm);
	for (i = 0; i < ARRAY_SIZE(steps); i++) {
		other = last ? t + steps[i] : t - steps[i];
		if (shows_same(t, other))
			return other;
	}
	return t;
}

/* RFC 3339, and without a zone the time here */
static bool parse_date(const char *s, bool last, int64_t *ns)
{
	struct tm tm = { .tm_isdst = -1 };
	int64_t fraction = 0;
	bool zoned = false;
	int zone = 0;
	time_t t;

	if (!take_date(&s, &tm))
		return false;
	if (*s) {
		if (*s != 'T' && *s != 't' && *s != ' ')
			return false;
		s++;
		if (!take_time(&s, &tm, &fraction))
			return false;
		zoned = *s;
		if (zoned && !take_zone(&s, &zone))
			return false;
	}
	if (*s)
		return false;
	t = zoned ? timegm(&tm) - zone : local_time(tm, last);
	*ns = t * SECOND + fraction;
	return true;
}

/* Today's time, or yesterday's if that is still to come. */
static bool parse_time_of_day(const char *s, int64_t now_ns, bool last, int64_t *ns)
{
	time_t now = now_ns / SECOND, t;
	int64_t fraction;
	struct tm tm;

	if (!localtime_r(&now, &tm) || !take_time(&s, &tm, &fraction) || *s)
		return false;
	t = local_time(tm, last);
	if (t * SECOND + fraction > now_ns)
		t = local_time(tm, false);
	if (t * SECOND + fraction > now_ns) {
		tm.tm_mday--;
		t = local_time(tm, last);
	}
	*ns = t * SECOND + fraction;
	return true;
}

/* 30d, 12h, 10m or 10min, 90s, 2w: so long ago */
static bool parse_ago(const char *s, int64_t now_ns, int64_t *ns)
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = {
		{ "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 }, { "d", DAY },
		{ "w", 7 * DAY },
	};
	int64_t n = 0;
	size_t i;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		n = n * 10 + (*s - '0');
		if (n > 100000000)
			return false;
	}
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcmp(s, units[i].unit) && n * units[i].seconds <= now_ns / SECOND) {
			*ns = now_ns - n * units[i].seconds * SECOND;
			return true;
		}
	}
	return false;
}

/* "now", "today", "yesterday" */
static bool parse_day(const char *s, int64_t now_ns, bool last, int64_t *ns)
{
	time_t now = now_ns / SECOND;
	struct tm tm;

	if (!strcmp(s, "now")) {
		*ns = now_ns;
		return true;
	}
	if ((strcmp(s, "today") && strcmp(s, "yesterday")) || !localtime_r(&now, &tm))
		return false;
	tm.tm_hour = 0;
	tm.tm_min = 0;
	tm.tm_sec = 0;
	tm.tm_mday -= *s == 'y';
	*ns = local_time(tm, last) * SECOND;
	/* the second midnight of today may be to come */
	if (*ns > now_ns)
		*ns = local_time(tm, false) * SECOND;
	return true;
}

/* @1764000000: seconds since 1970 */
static bool parse_epoch(const char *s, int64_t *ns)
{
	int64_t n = 0, fraction;

	if (!take_char(&s, '@') || *s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		n = n * 10 + (*s - '0');
		if (n > INT32_MAX * 2LL)
			return false;
	}
	if (!take_fraction(&s, &fraction) || *s)
		return false;
	*ns = n * SECOND + fraction;
	return true;
}

static bool parse(const char *text, int64_t now_ns, bool last, int64_t *ns)
{
	int64_t then;

	if (!parse_day(text, now_ns, last, &then) &&
	    !parse_time_of_day(text, now_ns, last, &then) && !parse_date(text, last, &then) &&
	    !parse_ago(text, now_ns, &then) && !parse_epoch(text, &then))
		return false;
	/* the first hours of 1970 east of here, or a leap second at the end of LAST_YEAR */
	if (then < 0 || then / SECOND >= AFTER_LAST_YEAR)
		return false;
	*ns = then;
	return true;
}

/**
 * since_parse - the moment that a text says
 * @text:   03:00, 03:00:30, today, yesterday, now, 30d, 2h, 10m, 2026-11-25, RFC 3339, @SECONDS
 * @now_ns: CLOCK_REALTIME in nanoseconds
 * @ns:	    the result, on the same clock; not changed if the text says none
 *
 * Return: false if the text says no moment.
 */
bool since_parse(const char *text, int64_t now_ns, int64_t *ns)
{
	return parse(text, now_ns, false, ns);
}

/* The same; of a time that comes twice it is the later one that is not to come. */
bool since_parse_until(const char *text, int64_t now_ns, int64_t *ns)
{
	return parse(text, now_ns, true, ns);
}

/* False if clocks here pass over @tm when they are set forward: mktime() has moved it to @t. */
static bool is_shown(const struct tm *tm, time_t t)
{
	struct tm shown;

	/* a leap second is moved, too */
	t -= tm->tm_sec;
	return localtime_r(&t, &shown) && shown.tm_hour == tm->tm_hour &&
	       shown.tm_min == tm->tm_min;
}

/**
 * since_time_behind - the first time of a day that is behind a moment
 * @text:     03:10, 03:10:30
 * @since_ns: the moment
 * @ns:	      the result, which may be to come; not changed if there is none
 *
 * Example: at 03:05 the last 03:10 was yesterday's, but from 03:00 to 03:10 is today.
 * It is of the moment's day or of the next one, which may be 23 or 25 hours behind; of the next one
 * also if the moment's day has no such time.
 * Return: false if the text says no time of a day, or the moment's own.
 */
bool since_time_behind(const char *text, int64_t since_ns, int64_t *ns)
{
	time_t since = since_ns / SECOND, at;
	int64_t fraction, then;
	struct tm tm;

	if (!localtime_r(&since, &tm) || !take_time(&text, &tm, &fraction) || *text)
		return false;
	at = local_time(tm, true);
	then = at * SECOND + fraction;
	if (then < since_ns || !is_shown(&tm, at)) {
		tm.tm_mday++;
		then = local_time(tm, true) * SECOND + fraction;
	}
	if (then <= since_ns)
		return false;
	*ns = then;
	return true;
}

/* A moment as a reader of this time zone writes it.  Example: 2026-11-25 03:00:00 */
const char *since_text(int64_t ns, char *to, unsigned int size)
{
	time_t t = ns / SECOND;
	struct tm tm;

	if (!localtime_r(&t, &tm) || !strftime(to, size, "%Y-%m-%d %H:%M:%S", &tm))
		snprintf(to, size, "?");
	return to;
}

/* .5 behind seconds: as few digits as say all */
static int put_fraction(int64_t ns, char *to, size_t size)
{
	int digits = 9, n = ns % SECOND;

	if (!n)
		return 0;
	for (; !(n % 10); n /= 10)
		digits--;
	return snprintf(to, size, ".%0*d", digits, n);
}

/**
 * since_word - a moment for a command that is to be copied, in any zone
 * @ns:	  the moment, which since_parse() finds again to the nanosecond
 * @to:	  gets it
 * @size: SINCE_WORD
 *
 * Examples: 2026-11-25T03:00:00+01:00, 2026-11-25T03:00:00.25+01:00
 * Return: @to, or "?".
 */
const char *since_word(int64_t ns, char *to, unsigned int size)
{
	time_t t = ns / SECOND;
	struct tm tm;
	size_t at;
	long east;

	if (!localtime_r(&t, &tm))
		return "?";
	at = strftime(to, size, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!at)
		return "?";
	at += put_fraction(ns, to + at, size - at);
	east = tm.tm_gmtoff / 60;
	snprintf(to + at, size - at, "%c%02ld:%02ld", east < 0 ? '-' : '+', labs(east) / 60,
		 labs(east) % 60);
	return to;
}

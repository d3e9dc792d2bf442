// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "msg.h"
#include "recorder.h"
#include "recorder_lost.h"

#define SECOND	1000000000ULL
#define MINUTE	(60 * SECOND)
#define HOUR	(60 * MINUTE)
#define DAY	(24 * HOUR)

enum {
	HELD = 8192,		/* usages of a sum in memory, before it is squeezed */
	HELD_BYTES = 8 << 20,	/* of their texts */
	OLD_SPANS = 200,	/* deleted at once */
	RECENT_BYTES = 16 << 20,
};

void recorder_defaults(struct recorder_conf *conf)
{
	*conf = (struct recorder_conf){
		.file = PAST_FILE, .recent = PAST_RECENT,
		.flush_ns = 10 * MINUTE, .interval_ns = 10 * SECOND,
		.recent_ns = HOUR, .minutes_ns = 2 * DAY, .hours_ns = 90 * DAY,
		.max_bytes = 256 << 20, .recent_bytes = RECENT_BYTES, .group = (gid_t)-1,
		.interval_rows = 256, .minute_rows = 96, .hour_rows = 1500,
	};
}

static void start_sum(struct recorder *r, struct recorder_sum *sum, int64_t nr)
{
	*sum = (struct recorder_sum){ .id = r->next_id++, .nr = nr };
}

static bool write_span(struct recorder_db *d, const struct past_span *span,
		       const struct usage_list *list)
{
	bool good = recorder_db_begin(d);

	good = good && recorder_db_write(d, span, list);
	return recorder_db_end(d, good);
}

/* Bound the memory of a sum. */
static void bound_sum(struct usage_list *list)
{
	if (list->nr > HELD)
		recorder_squeeze(list, HELD / 2);
	if (list->text_bytes > HELD_BYTES)
		recorder_squeeze(list, list->nr / 2);
}

static void copy_squeezed(struct usage_list *to, const struct usage_list *from, size_t most)
{
	memset(to, 0, sizeof(*to));
	usage_add_list(to, from);
	recorder_squeeze(to, most);
}

static int64_t max_id(struct recorder_db *d)
{
	int64_t id = recorder_db_number(d, "SELECT max(id) FROM span");
	int64_t parent = recorder_db_number(d, "SELECT max(parent) FROM span");

	return id > parent ? id : parent;
}

/* It may be another one than before: what comes has numbers above those that it has. */
static void number_above(struct recorder *r, struct recorder_db *d)
{
	int64_t id = max_id(d);

	if (r->next_id <= id)
		r->next_id = id + 1;
}

static bool reopen_recent(struct recorder *r)
{
	if (!recorder_db_open(&r->recent, r->conf.recent, r->conf.group, r->conf.recent_bytes,
			      true))
		return false;
	number_above(r, &r->recent);
	return true;
}

/* A database that could not be opened, or only to read it, is tried again. */
static bool open_recent(struct recorder *r)
{
	return (r->recent.db && !r->recent.read_only) || reopen_recent(r);
}

static bool open_disk(struct recorder *r)
{
	if (r->disk.db && !r->disk.read_only && !recorder_db_moved(&r->disk))
		return true;
	if (!recorder_db_open(&r->disk, r->conf.file, r->conf.group, r->conf.max_bytes, false))
		return false;
	number_above(r, &r->disk);
	return true;
}

/* Keep the latest @keep spans of a level in memory; @drop: those that were before are lost. */
static void bound_recent(struct recorder *r, enum past_level level, int64_t keep, bool drop)
{
	char sql[160];
	int64_t id;
	bool good;
	int i;

	for (i = 0; i < OLD_SPANS; i++) {
		snprintf(sql, sizeof(sql), "SELECT id FROM span WHERE level = %d "
			 "ORDER BY id DESC LIMIT 1 OFFSET %lld", level, (long long)keep);
		id = recorder_db_number(&r->recent, sql);
		if (id < 0)
			return;
		good = recorder_db_begin(&r->recent) && recorder_db_delete(&r->recent, id);
		if (!recorder_db_end(&r->recent, good))
			return;
		if (!drop)
			continue;
		if (!r->dropped++)
			msg("minutes of the past wait since a day for %s, and the oldest are lost",
			    r->conf.file);
		recorder_lost.sums++;
	}
}

/* Delete the oldest spans of a level in memory, one part of @parts.  Return: false if none went. */
static bool drop_recent(struct recorder *r, enum past_level level, int64_t parts)
{
	char count[80], oldest[80];
	int64_t nr, i;
	bool good;

	snprintf(count, sizeof(count), "SELECT count(*) FROM span WHERE level = %d", level);
	snprintf(oldest, sizeof(oldest), "SELECT min(id) FROM span WHERE level = %d", level);
	nr = recorder_db_number(&r->recent, count);
	if (nr <= 0)
		return false;
	nr = (nr + parts - 1) / parts;
	good = recorder_db_begin(&r->recent);
	for (i = 0; good && i < nr; i++)
		good = recorder_db_delete(&r->recent, recorder_db_number(&r->recent, oldest));
	/* most bytes are those of names */
	good = good && recorder_db_tidy(&r->recent);
	good = recorder_db_end(&r->recent, good);
	if (good && level != PAST_INTERVAL)
		recorder_lose_minutes(r, nr);
	return good;
}

/* Write a span to memory; if that is full, the older half of the intervals makes room. */
static bool write_recent(struct recorder *r, const struct past_span *span,
			 const struct usage_list *list)
{
	if (!open_recent(r))
		return false;
	if (write_span(&r->recent, span, list))
		return true;
	return r->recent.full && drop_recent(r, PAST_INTERVAL, 2) &&
	       write_span(&r->recent, span, list);
}

static bool put_minute(struct recorder *r, const struct past_span *minute, struct usage_list *list)
{
	bool good = open_disk(r) && recorder_db_begin(&r->disk);

	good = good && recorder_put_disk(r, minute, list);
	return r->disk.db && recorder_db_end(&r->disk, good);
}

/* Those that wait, the oldest first.  A copy of earlier may have some of them. */
static void write_late(struct recorder *r)
{
	struct recorder_late *l = r->late;

	while (r->nr_late && (recorder_db_has(&r->recent, l->minute.id) ||
			      recorder_db_has(&r->disk, l->minute.id) ||
			      write_recent(r, &l->minute, &l->list) ||
			      put_minute(r, &l->minute, &l->list)))
		recorder_late_forget(r);
}

/*
 * What memory does not take goes to the disk at once.  If that does not take it either, it is a
 * minute of now or the older ones that wait; where somebody has a lock, all wait.
 */
static void write_minute(struct recorder *r, struct usage_list *list)
{
	const struct past_span span = {
		.id = r->minute.id, .level = PAST_MINUTE, .parent = r->hour.id,
	};
	bool full;

	write_late(r);
	if (write_recent(r, &span, list))
		return;
	full = r->recent.full;
	if (put_minute(r, &span, list))
		return;
	if (!full)
		recorder_late_keep(r, &span, list);
	else if (!drop_recent(r, PAST_MINUTE, 2) || !write_span(&r->recent, &span, list))
		recorder_lose_minutes(r, 1);
}

/* The minute is over: it goes to memory, and to its hour. */
static void finish_minute(struct recorder *r)
{
	struct usage_list list;

	if (!r->minute.id)
		return;
	if (r->minute.list.until_ns) {
		copy_squeezed(&list, &r->minute.list, r->conf.minute_rows);
		write_minute(r, &list);
		usage_clear(&list);
	}
	usage_clear(&r->minute.list);
	r->minute.id = 0;
}

/* The hour is over: it waits to be written. */
static void finish_hour(struct recorder *r)
{
	if (!r->hour.id)
		return;
	recorder_squeeze(&r->hour.list, r->conf.hour_rows);
	if (r->nr_old == RECORDER_OLD_HOURS) {
		usage_clear(&r->old[0].list);
		memmove(r->old, r->old + 1, sizeof(*r->old) * --r->nr_old);
		if (!r->dropped++)
			msg("hours of the past wait since a day for %s, and the oldest are lost",
			    r->conf.file);
		recorder_lost.sums++;
	}
	r->old[r->nr_old++] = r->hour;
	memset(&r->hour, 0, sizeof(r->hour));
}

/* Begin another minute, and hour, if the time is in one.  It may be an earlier one. */
static bool roll_sums(struct recorder *r, int64_t ns)
{
	int64_t minute = ns / (int64_t)MINUTE, hour = ns / (int64_t)HOUR;
	bool over = false;

	if (r->minute.id && r->minute.nr != minute)
		finish_minute(r);
	if (r->hour.id && r->hour.nr != hour) {
		finish_minute(r);
		finish_hour(r);
		over = true;
	}
	if (!r->hour.id)
		start_sum(r, &r->hour, hour);
	if (!r->minute.id)
		start_sum(r, &r->minute, minute);
	return over;
}

struct copied {
	struct usage_list list;
	struct past *past;
};

static bool copy_usage(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct copied *c = arg;
	char *text;

	(void)span;
	usage_add(&c->list, usage);
	if (usage->key.stack && !usage_stack_text(&c->list, usage->key.stack)) {
		text = past_stack(c->past, usage->key.stack);
		if (text)
			usage_add_stack(&c->list, usage->key.stack, text);
		free(text);
	}
	return true;
}

static void copy_busy(const struct past_span *span, const char *disk, uint64_t ms, void *arg)
{
	struct copied *c = arg;

	(void)span;
	usage_add_busy(&c->list, disk, ms);
}

/* A span as it is in a database, with the texts of its stacks. */
static bool read_list(struct past *past, const struct past_span *span, struct usage_list *list)
{
	struct copied c = { .past = past };

	past->busy = copy_busy;
	if (past_read_span(past, span, copy_usage, &c)) {
		usage_clear(&c.list);
		return false;
	}
	c.list.from_ns = span->from_ns;
	c.list.until_ns = span->until_ns;
	c.list.lost_ios = span->lost_ios;
	*list = c.list;
	return true;
}

/* What becomes of a minute; it may take the list.  Return: false to end. */
typedef bool (*minute_fn)(struct recorder *r, const struct past_span *span,
			  struct usage_list *list);

/* Call @take for the minutes that are in memory and not on the disk.  Return: false if it ended. */
static bool each_minute(struct recorder *r, minute_fn take)
{
	struct past past = { .db = { NULL, r->recent.db }, .version = { 0, PAST_VERSION } };
	struct usage_list list;
	bool good = true;
	size_t i;

	if (!r->recent.db)
		return true;
	if (past_spans(&past, INT64_MIN, INT64_MAX))
		past.nr = 0;
	for (i = 0; good && i < past.nr; i++) {
		if (past.span[i].level != PAST_MINUTE || recorder_db_has(&r->disk, past.span[i].id))
			continue;
		if (!read_list(&past, &past.span[i], &list))
			continue;
		good = take(r, &past.span[i], &list);
		usage_clear(&list);
	}
	past_forget(&past, 1);
	free(past.span);
	return good;
}

/*
 * Whoever removes the file in memory, or puts another one there, takes the intervals away.  SQLite
 * can still read the one that was: its minutes wait in the daemon for a file that is there.
 */
static void watch_recent(struct recorder *r)
{
	if (!recorder_db_moved(&r->recent))
		return;
	each_minute(r, recorder_late_keep);
	reopen_recent(r);
	write_late(r);
}

static bool copy_hours(struct recorder *r)
{
	struct past_span span;
	unsigned int i;

	for (i = 0; i < r->nr_old; i++) {
		span = (struct past_span){ .id = r->old[i].id, .level = PAST_HOUR };
		if (!recorder_db_has(&r->disk, span.id) &&
		    !recorder_put_disk(r, &span, &r->old[i].list))
			return false;
	}
	return true;
}

static bool flush_minutes(struct recorder *r, int64_t now_ns)
{
	bool tidied = false, good = recorder_db_begin(&r->disk);

	good = good && recorder_bound_disk(r, now_ns, &tidied) && each_minute(r, recorder_put_disk);
	good = recorder_db_end(&r->disk, good);
	if (good && tidied)
		r->tidied_ns = now_ns;
	return good;
}

/* In a transaction of their own: they are large, and minutes do not wait for them. */
static bool flush_hours(struct recorder *r)
{
	unsigned int i;
	bool good;

	if (!r->nr_old)
		return true;
	good = recorder_db_begin(&r->disk);
	good = good && copy_hours(r);
	good = recorder_db_end(&r->disk, good);
	for (i = 0; good && i < r->nr_old; i++)
		usage_clear(&r->old[i].list);
	if (good)
		r->nr_old = 0;
	return good;
}

static bool is_kept(struct recorder *r, int64_t minute)
{
	size_t i;

	for (i = 0; i < r->nr_late; i++) {
		if (r->late[i].minute.id == minute)
			return true;
	}
	return minute == r->minute.id || recorder_db_has(&r->disk, minute) ||
	       recorder_db_has(&r->recent, minute);
}

/*
 * An interval whose minute is gone is a part of nothing, and would count beside its hour.  Numbers
 * tell whether that is written: an hour has a lower one than its minutes.  @oldest: hour, or -1
 */
static bool is_in_hour(struct recorder *r, const struct past_span *interval, int64_t oldest)
{
	int64_t minute = interval->parent;

	return oldest >= 0 && oldest < minute && (!r->hour.id || minute < r->hour.id) &&
	       !is_kept(r, minute);
}

/*
 * The minutes that are on the disk go from memory, and those for which it had no room, and the
 * intervals that only an hour has.
 */
static void forget_written(struct recorder *r)
{
	int64_t oldest = recorder_db_number(&r->disk, "SELECT min(id) FROM span WHERE level = 1");
	int64_t hour = recorder_db_number(&r->disk, "SELECT min(id) FROM span WHERE level = 2");
	struct past past = { .db = { NULL, r->recent.db } };
	int64_t id;
	bool good;
	size_t i;

	if (!past.db[1] || past_spans(&past, INT64_MIN, INT64_MAX))
		return;
	good = recorder_db_begin(&r->recent);
	for (i = 0; good && i < past.nr; i++) {
		id = past.span[i].id;
		if (past.span[i].level == PAST_MINUTE &&
		    (id < oldest || recorder_db_has(&r->disk, id)))
			good = recorder_db_delete(&r->recent, id);
		else if (past.span[i].level == PAST_INTERVAL && is_in_hour(r, &past.span[i], hour))
			good = recorder_db_delete(&r->recent, id);
	}
	if (good && past.nr)
		recorder_db_tidy(&r->recent);
	recorder_db_end(&r->recent, good);
	free(past.span);
}

/* Write all that is finished to the disk.  What fails stays in memory for the next time. */
static void flush_all(struct recorder *r, int64_t now_ns)
{
	bool good = open_disk(r) && flush_minutes(r, now_ns) && flush_hours(r);

	r->flushed_ns = now_ns;
	if (good)
		forget_written(r);
	else
		bound_recent(r, PAST_MINUTE, RECORDER_MINUTES, true);
}

/* Add up the parts of one sum that a daemon before this one has left. */
static void add_parts(struct past *past, enum past_level level, int64_t id, struct usage_list *to)
{
	struct usage_list list;
	size_t i;

	for (i = 0; i < past->nr; i++) {
		if (past->span[i].level != (int)level || past->span[i].parent != id ||
		    !read_list(past, &past->span[i], &list))
			continue;
		usage_add_list(to, &list);
		usage_clear(&list);
	}
}

/* The hour of a minute is not there: it goes on, if it is the last one, or waits to be written. */
static void resume_hour(struct recorder *r, struct past *past, const struct past_span *minute)
{
	struct recorder_sum *hour = r->hour.id ? &r->old[r->nr_old] : &r->hour;
	unsigned int i;

	if (minute->parent == r->hour.id || r->nr_old == RECORDER_OLD_HOURS)
		return;
	for (i = 0; i < r->nr_old; i++) {
		if (r->old[i].id == minute->parent)
			return;
	}
	*hour = (struct recorder_sum){
		.id = minute->parent, .nr = minute->from_ns / (int64_t)HOUR,
	};
	add_parts(past, PAST_MINUTE, minute->parent, &hour->list);
	if (hour != &r->hour) {
		recorder_squeeze(&hour->list, r->conf.hour_rows);
		r->nr_old++;
	}
}

/*
 * Go on with the minutes and hours that a killed daemon had begun.  An hour that is over by now
 * is finished by the next roll_sums().
 */
static void resume_sums(struct recorder *r)
{
	struct past past = {
		.db = { r->disk.db, r->recent.db }, .version = { PAST_VERSION, PAST_VERSION },
	};
	const struct past_span *s;
	bool open;
	size_t i;

	if (past_spans(&past, INT64_MIN, INT64_MAX))
		goto out;
	for (i = past.nr; i-- > 0;) {
		s = &past.span[i];
		open = !past_span_find(&past, s->parent);
		if (s->level == PAST_MINUTE && open)
			resume_hour(r, &past, s);
		if (s->level == PAST_INTERVAL && !r->minute.id && open) {
			r->minute = (struct recorder_sum){
				.id = s->parent, .nr = s->from_ns / (int64_t)MINUTE,
			};
			add_parts(&past, PAST_INTERVAL, s->parent, &r->minute.list);
		}
	}
	if (!r->minute.id)
		goto out;
	/* its hour may have ended before it began */
	if (r->hour.id && r->hour.nr != r->minute.list.from_ns / (int64_t)HOUR)
		finish_hour(r);
	if (!r->hour.id)
		start_sum(r, &r->hour, r->minute.list.from_ns / (int64_t)HOUR);
	/* in the hour, intervals count from when they come */
	usage_add_list(&r->hour.list, &r->minute.list);
out:
	free(past.span);
	past_forget(&past, 0);
	past_forget(&past, 1);
}

/**
 * recorder_open - begin to record
 * @r:	  the recorder
 * @conf: copied; its texts must stay
 *
 * A database that cannot be opened now is tried again with each recorder_add().
 *
 * Return: EXIT_OK, EXIT_FAILED if nothing can be written now.
 */
int recorder_open(struct recorder *r, const struct recorder_conf *conf)
{
	int64_t recent, disk;
	bool good;

	memset(r, 0, sizeof(*r));
	r->conf = *conf;
	good = open_recent(r);
	good |= open_disk(r);
	recent = max_id(&r->recent);
	disk = max_id(&r->disk);
	r->next_id = (recent > disk ? recent : disk) + 1;
	if (r->next_id < 1)
		r->next_id = 1;
	/* one that cannot be read has lower numbers: there are no thousand spans in a second */
	if (!r->disk.db && r->next_id < time(NULL) * 1000LL)
		r->next_id = time(NULL) * 1000LL;
	resume_sums(r);
	return good ? EXIT_OK : EXIT_FAILED;
}

static int64_t intervals_kept(const struct recorder *r)
{
	uint64_t nr = r->conf.recent_ns / r->conf.interval_ns;

	return nr < RECORDER_INTERVALS ? nr : RECORDER_INTERVALS;
}

/*
 * Keep a tenth of the memory free, so that what comes next has room: names may be long.
 * Return: false if there is no interval left that could go.
 */
static bool bound_recent_bytes(struct recorder *r)
{
	uint64_t full = r->conf.recent_bytes / 10 * 9;

	while (recorder_db_used(&r->recent) > full) {
		if (!drop_recent(r, PAST_INTERVAL, 4))
			return false;
	}
	return true;
}

static void lose_interval(struct recorder *r)
{
	recorder_lost.intervals++;
	if (!r->dropped_intervals++)
		msg("intervals of the past cannot be written to %s: their minutes have what they had",
		    r->conf.recent);
}

/**
 * recorder_add - record an interval
 * @r:	  the recorder
 * @list: what was done in it
 *
 * The interval is safe from a killed daemon when this returns.
 */
void recorder_add(struct recorder *r, const struct usage_list *list)
{
	struct usage_list small, all = *list;
	struct past_span span = { .level = PAST_INTERVAL };
	bool over;

	watch_recent(r);
	/* the clock was set back while it lasted */
	if (all.until_ns <= all.from_ns)
		all.until_ns = all.from_ns + r->conf.interval_ns;
	over = roll_sums(r, all.from_ns);
	copy_squeezed(&small, &all, r->conf.interval_rows);
	span.id = r->next_id++;
	span.parent = r->minute.id;
	if (!write_recent(r, &span, &small))
		lose_interval(r);
	usage_clear(&small);
	usage_add_list(&r->minute.list, &all);
	usage_add_list(&r->hour.list, &all);
	bound_sum(&r->minute.list);
	bound_sum(&r->hour.list);
	bound_recent(r, PAST_INTERVAL, intervals_kept(r), false);
	/* where it is minutes that fill it, they go to the disk */
	over |= !bound_recent_bytes(r);
	if (over)
		flush_all(r, list->until_ns);
	recorder_tick(r, list->until_ns);
}

/* Write to the disk what waits for it, if it is time, and tidy there.  @now_ns: CLOCK_REALTIME */
void recorder_tick(struct recorder *r, int64_t now_ns)
{
	int64_t since = now_ns - r->flushed_ns;

	watch_recent(r);
	if (!r->flushed_ns)
		r->flushed_ns = now_ns;
	else if (since >= (int64_t)r->conf.flush_ns || since < 0)
		flush_all(r, now_ns);
	recorder_tidy_disk(r, now_ns);
}

/*
 * Write all, also the minute that is not over: the machine may go down.  The hour is added up of
 * its minutes when the recorder is opened again.
 */
void recorder_close(struct recorder *r)
{
	int64_t now_ns = r->minute.list.until_ns;
	unsigned int i;

	finish_minute(r);
	write_late(r);
	if (now_ns)
		flush_all(r, now_ns);
	if (r->nr_late)
		recorder_lose_minutes(r, r->nr_late);
	while (r->nr_late)
		recorder_late_forget(r);
	free(r->late);
	usage_clear(&r->hour.list);
	for (i = 0; i < r->nr_old; i++)
		usage_clear(&r->old[i].list);
	recorder_db_close(&r->recent);
	recorder_db_close(&r->disk);
	memset(r, 0, sizeof(*r));
}

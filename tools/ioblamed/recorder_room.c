// SPDX-License-Identifier: GPL-2.0
/* Room on the disk: the oldest spans go, and what nothing has any more */
#include <stdint.h>
#include <stdio.h>

#include "msg.h"
#include "recorder.h"

#define HOUR	(3600 * 1000000000LL)
#define DAY	(24 * HOUR)

enum {
	OLD_SPANS = 200,	/* deleted at once: what a clock costs that is wrong for a while */
	SIZE_TRIES = 2,		/* to find how many of them have so many bytes */
	ROOM_TRIES = 8,
};

/* Say once of minutes, and once of hours, that there is no room until they are too old. */
static void say_early(struct recorder *r, int64_t id, int64_t now_ns)
{
	char sql[80];
	int64_t level, age, most;
	bool hour;

	snprintf(sql, sizeof(sql), "SELECT level FROM span WHERE id = %lld", (long long)id);
	level = recorder_db_number(&r->disk, sql);
	hour = level == PAST_HOUR;
	if ((!hour && level != PAST_MINUTE) || r->said_early[hour])
		return;
	snprintf(sql, sizeof(sql), "SELECT until_ns FROM span WHERE id = %lld", (long long)id);
	age = now_ns - recorder_db_number(&r->disk, sql);
	most = hour ? r->conf.hours_ns : r->conf.minutes_ns;
	if (age >= most)
		return;
	msg("%s of the past go after %lld h, not after %lld: %s has no more room, see MaxSize=",
	    hour ? "hours" : "minutes", (long long)(age < 0 ? 0 : age / HOUR),
	    (long long)(most / HOUR), r->conf.file);
	r->said_early[hour] = true;
}

/*
 * Delete the first @most spans of those that @sql tells, which is asked once: that may read all.
 * Return: how many went, -1 after an error.
 */
static int drop_spans(struct recorder *r, const char *sql, int64_t most, int64_t now_ns)
{
	int64_t id[OLD_SPANS];
	int nr, i;

	nr = recorder_db_numbers(&r->disk, sql, id, most < OLD_SPANS ? most : OLD_SPANS);
	for (i = 0; i < nr; i++) {
		say_early(r, id[i], now_ns);
		if (!recorder_db_delete(&r->disk, id[i]))
			return -1;
	}
	return nr;
}

/*
 * Which part of the spans' rows are those of minutes, in thousandths.  A span's rows have numbers
 * without a gap, so the last one tells how many there are.  A usage takes as much as four disks
 * that were busy.
 */
static int64_t part_of_minutes(struct recorder *r)
{
	char sql[512];

	snprintf(sql, sizeof(sql),
		 "SELECT coalesce(sum(n * (level = %d)) * 1000 / sum(n), 0) FROM (SELECT level, "
		 "4 * coalesce((SELECT max(id) + 1 FROM usage WHERE id BETWEEN first AND last) - "
		 "first, 0) + "
		 "coalesce((SELECT max(id) + 1 FROM busy WHERE id BETWEEN first AND last) - first, 0) "
		 "AS n FROM (SELECT level, id * %d AS first, id * %d + %d AS last FROM span))",
		 PAST_MINUTE, PAST_USAGES, PAST_USAGES, PAST_USAGES - 1);
	return recorder_db_number(&r->disk, sql);
}

/*
 * Minutes have more than half, as where there are many disks: hours, of which 60 times as many have
 * that room, would be gone as soon as they.  Their hours have what they had.
 */
static bool drop_minutes(struct recorder *r, uint64_t bytes, uint64_t used, int64_t now_ns,
			 int *went)
{
	static const char oldest[] =
		"SELECT s.id FROM span s JOIN span h ON h.id = s.parent "
		"WHERE s.level = 1 ORDER BY s.id";
	int64_t part = part_of_minutes(r);
	int64_t nr = recorder_db_number(&r->disk, "SELECT count(*) FROM span WHERE level = 1");

	*went = 0;
	if (part > 500 && nr > 0)
		*went = drop_spans(r, oldest, nr * (bytes * 1000.0 / part / used) + 1, now_ns);
	return *went >= 0;
}

/*
 * Delete so many of the oldest spans as have about @bytes of @used.  That gives little back before
 * their names are looked for.
 */
static bool drop_bytes(struct recorder *r, uint64_t bytes, uint64_t used, int64_t now_ns)
{
	/* an hour's number is before those of its minutes, and it is the last of them to go */
	static const char oldest[] =
		"SELECT s.id FROM span s LEFT JOIN "
		"(SELECT parent, max(id) AS last FROM span GROUP BY parent) p ON p.parent = s.id "
		"ORDER BY coalesce(p.last, s.id), s.level";
	int64_t nr;
	int went;

	if (!drop_minutes(r, bytes, used, now_ns, &went))
		return false;
	if (went)
		return true;
	nr = recorder_db_number(&r->disk, "SELECT count(*) FROM span");
	nr = nr > 0 ? nr * ((double)bytes / used) + 1 : 0;
	return drop_spans(r, oldest, nr, now_ns) >= 0;
}

/* No span takes more than an eighth of the database: where that is small, fewer have names. */
static void fit_disk(const struct recorder *r, struct usage_list *list)
{
	size_t before = SIZE_MAX;

	while (recorder_db_needed(list) > r->conf.max_bytes / 8 && list->nr < before) {
		before = list->nr;
		recorder_squeeze(list, before / 2);
	}
}

/* How much is to go for @need at a try, which gives some of it back. */
static uint64_t room_for(uint64_t need, int tries, uint64_t used)
{
	uint64_t bytes = need << (2 + tries);

	return bytes < used / 4 ? bytes : used / 4;
}

/* That reads all of it, so a large one is tidied in steps, between which others are written. */
static bool is_small(uint64_t used)
{
	return used <= RECORDER_SMALL_BYTES;
}

/*
 * Above that, the oldest spans go for what is written.  Where the limit was lowered, the file stays
 * as large as it was, and may be used: what is too much goes when a pass has looked for names that
 * nothing has, which gives most back.
 */
static uint64_t most_bytes(struct recorder *r, uint64_t used)
{
	uint64_t most = is_small(used) ? 0 : recorder_db_most(&r->disk);

	return most > r->conf.max_bytes ? most : r->conf.max_bytes / 20 * 19;
}

/*
 * Write a span to the disk, in its transaction.  The oldest ones make room before: where the
 * database is full, what was deleted would come back with the rest of the transaction.  Of a large
 * one, the usages of a few spans are room enough; their names go later.
 */
bool recorder_put_disk(struct recorder *r, const struct past_span *span, struct usage_list *list)
{
	bool small;
	uint64_t used = recorder_db_used(&r->disk), most = most_bytes(r, used), need;
	int i;

	fit_disk(r, list);
	need = recorder_db_needed(list);
	for (i = 0; used + need > most && i < ROOM_TRIES; i++) {
		small = is_small(used);
		if (!drop_bytes(r, small ? used / 4 : room_for(need, i, used), used,
				list->until_ns) ||
		    (small && !recorder_db_tidy(&r->disk)))
			return false;
		r->made_room = !small;
		used = recorder_db_used(&r->disk);
	}
	return recorder_db_write(&r->disk, span, list);
}

/* Delete what is too old, the oldest first.  Return: how many went, -1 after an error. */
static int drop_aged(struct recorder *r, int64_t now_ns)
{
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "SELECT id FROM span WHERE (level = %d AND until_ns < %lld) OR "
		 "(level = %d AND until_ns < %lld) ORDER BY id",
		 PAST_MINUTE, (long long)(now_ns - (int64_t)r->conf.minutes_ns),
		 PAST_HOUR, (long long)(now_ns - (int64_t)r->conf.hours_ns));
	return drop_spans(r, sql, OLD_SPANS, now_ns);
}

/* Tidy a small database at once.  Of what is too large then, the oldest spans go. */
static bool tidy_small(struct recorder *r, uint64_t full, uint64_t low, int64_t now_ns)
{
	uint64_t used;
	int i;

	if (!recorder_db_tidy(&r->disk))
		return false;
	used = recorder_db_used(&r->disk);
	for (i = 0; used > full && i < SIZE_TRIES; i++) {
		if (!drop_bytes(r, used - low, used, now_ns) || !recorder_db_tidy(&r->disk))
			return false;
		used = recorder_db_used(&r->disk);
	}
	return true;
}

static uint64_t full_bytes(const struct recorder *r)
{
	return r->conf.max_bytes / 10 * 9;
}

/* Above full_bytes() so much is left. */
static uint64_t low_bytes(const struct recorder *r)
{
	return full_bytes(r) / 16 * 15;
}

/* Begin a pass, if none is under way: it finds the names of all spans that have gone before. */
static void begin_pass(struct recorder *r)
{
	if (r->disk.tidy.step == TIDY_NONE)
		r->made_room = false;
	recorder_tidy_begin(&r->disk);
}

/*
 * Bound the age and the size of what is on the disk, in its transaction.  Names that nothing refers
 * to are looked for once a day, as that reads all, and where the database is too large: before any
 * span goes for its size, and after that.  It then has room for a while.
 */
bool recorder_bound_disk(struct recorder *r, int64_t now_ns, bool *tidied)
{
	int aged = drop_aged(r, now_ns);
	uint64_t used;

	if (aged < 0)
		return false;
	used = recorder_db_used(&r->disk);
	if (used <= full_bytes(r) && (!aged || now_ns / DAY == r->tidied_ns / DAY))
		return true;
	if (is_small(used)) {
		*tidied = true;
		return tidy_small(r, full_bytes(r), low_bytes(r), now_ns);
	}
	begin_pass(r);
	return true;
}

/*
 * Go on to look for names that nothing refers to.  Where the database is too large after that, the
 * oldest spans go, if none has gone meanwhile, and then their names.
 */
void recorder_tidy_disk(struct recorder *r, int64_t now_ns)
{
	bool over, room;
	uint64_t used;

	if (!recorder_tidy_go_on(&r->disk, &over) || !over)
		return;
	r->tidied_ns = now_ns;
	used = recorder_db_used(&r->disk);
	if (used <= full_bytes(r) || !recorder_db_begin(&r->disk))
		return;
	room = r->made_room || drop_bytes(r, used - low_bytes(r), used, now_ns);
	if (recorder_db_end(&r->disk, room))
		begin_pass(r);
}

// SPDX-License-Identifier: GPL-2.0
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "msg.h"
#include "recorder_db.h"
#include "recorder_tidy.h"

#define MOST_NS	500000000ULL	/* of a step, where the disk is slow */

enum {
	ROWS = 65536,		/* that a step looks at */
	DELETE_ROWS = 8,	/* what one counts that is deleted */
	CHUNK = 2048,		/* of them, between two looks at the clock */
	KEYS = 1 << 20,		/* of a table at once: 9 MiB */
	TABLES = 3,
	STACKS = 2,
};

static const struct table {
	const char *take, *sweep, *top;
	const char *havers[3];
} tables[TABLES] = {
	{
		"SELECT id FROM originator WHERE id > ?1 AND id <= ?3 ORDER BY id LIMIT ?2",
		"DELETE FROM originator WHERE id = ?1", "SELECT max(id) FROM originator",
		{ "SELECT id, originator FROM usage WHERE id > ?1 ORDER BY id LIMIT ?2" },
	}, {
		"SELECT id FROM name WHERE id > ?1 AND id <= ?3 ORDER BY id LIMIT ?2",
		"DELETE FROM name WHERE id = ?1", "SELECT max(id) FROM name",
		{
			"SELECT id, unit, program, user, file, disk, why FROM originator "
			"WHERE id > ?1 ORDER BY id LIMIT ?2",
			"SELECT id, disk FROM busy WHERE id > ?1 ORDER BY id LIMIT ?2",
		},
	}, [STACKS] = {
		"SELECT hash FROM stack WHERE hash > ?1 AND hash <= ?3 ORDER BY hash LIMIT ?2",
		"DELETE FROM stack WHERE hash = ?1", NULL,
		{ "SELECT id, stack FROM originator WHERE id > ?1 ORDER BY id LIMIT ?2" },
	},
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void use_key(struct recorder_tidy *t, int64_t key)
{
	size_t low = 0, high = t->nr, at;

	while (low < high) {
		at = low + (high - low) / 2;
		if (t->key[at] < key)
			low = at + 1;
		else
			high = at;
	}
	if (low < t->nr && t->key[low] == key)
		t->used[low] = true;
}

/* A stack is written: it is not one of those that nothing has. */
void recorder_tidy_keep(struct recorder_tidy *t, int64_t stack)
{
	if (t->step != TIDY_NONE && t->table == STACKS)
		use_key(t, stack);
}

/* The pass is over, or given up: what is known of the rows may be wrong. */
void recorder_tidy_end(struct recorder_tidy *t)
{
	free(t->key);
	free(t->used);
	memset(t, 0, sizeof(*t));
}

static void add_key(struct recorder_tidy *t, int64_t key)
{
	if (t->nr == t->size) {
		t->size = t->size ? t->size * 2 : CHUNK;
		t->key = must(realloc(t->key, t->size * sizeof(*t->key)));
		t->used = must(realloc(t->used, t->size * sizeof(*t->used)));
	}
	t->key[t->nr] = key;
	t->used[t->nr++] = false;
}

static void begin_take(struct recorder_tidy *t)
{
	t->step = TIDY_TAKE;
	t->nr = 0;
	t->swept = 0;
	t->haver = 0;
}

/* Call @take for the rows behind t->at.  Return: how many there are; -1 after an error. */
static int each_row(struct recorder_db *d, const char *sql,
		    void (*take)(struct recorder_tidy *t, struct sqlite3_stmt *st))
{
	struct recorder_tidy *t = &d->tidy;
	int64_t top = t->table == STACKS ? INT64_MAX : t->top[t->table];
	sqlite3_stmt *st = NULL;
	int nr = 0, ret;

	ret = sqlite3_prepare_v2(d->db, sql, -1, &st, NULL);
	if (ret == SQLITE_OK) {
		sqlite3_bind_int64(st, 1, t->at);
		sqlite3_bind_int(st, 2, CHUNK);
		if (t->step == TIDY_TAKE)
			sqlite3_bind_int64(st, 3, top);
		while ((ret = sqlite3_step(st)) == SQLITE_ROW) {
			t->at = sqlite3_column_int64(st, 0);
			take(t, st);
			nr++;
		}
	}
	sqlite3_finalize(st);
	return ret == SQLITE_DONE ? nr : -1;
}

static void take_key(struct recorder_tidy *t, sqlite3_stmt *st)
{
	add_key(t, sqlite3_column_int64(st, 0));
}

static void mark_keys(struct recorder_tidy *t, sqlite3_stmt *st)
{
	int i, nr = sqlite3_column_count(st);

	for (i = 1; i < nr; i++)
		use_key(t, sqlite3_column_int64(st, i));
}

/* Return: how many rows were looked at; -1 after an error. */
static int take_chunk(struct recorder_db *d)
{
	struct recorder_tidy *t = &d->tidy;
	int nr = each_row(d, tables[t->table].take, take_key);

	t->last = nr < CHUNK;
	if (nr >= 0 && (t->last || t->nr >= KEYS)) {
		t->step = TIDY_MARK;
		t->at = INT64_MIN;
	}
	return nr;
}

static int mark_chunk(struct recorder_db *d)
{
	struct recorder_tidy *t = &d->tidy;
	const struct table *table = &tables[t->table];
	int nr = each_row(d, table->havers[t->haver], mark_keys);

	if (nr >= 0 && nr < CHUNK) {
		t->haver++;
		t->at = INT64_MIN;
		if (!table->havers[t->haver])
			t->step = TIDY_SWEEP;
	}
	return nr;
}

/* These rows are done: the next ones follow, or the next table, or the pass is over. */
static void end_sweep(struct recorder_tidy *t)
{
	int64_t last = t->nr ? t->key[t->nr - 1] : INT64_MIN;

	if (t->last && ++t->table == TABLES) {
		recorder_tidy_end(t);
		return;
	}
	t->at = t->last ? INT64_MIN : last;
	begin_take(t);
}

/* Ascending: while a row is there that was taken, a new one has a number above it. */
static int sweep_chunk(struct recorder_db *d)
{
	struct recorder_tidy *t = &d->tidy;
	sqlite3_stmt *st = NULL;
	int ret, work = 0;

	ret = sqlite3_prepare_v2(d->db, tables[t->table].sweep, -1, &st, NULL);
	for (; ret == SQLITE_OK && work < CHUNK && t->swept < t->nr; t->swept++, work++) {
		if (t->used[t->swept])
			continue;
		sqlite3_bind_int64(st, 1, t->key[t->swept]);
		sqlite3_step(st);
		ret = sqlite3_reset(st);
		work += DELETE_ROWS;
	}
	sqlite3_finalize(st);
	if (ret == SQLITE_OK && t->swept == t->nr)
		end_sweep(t);
	return ret == SQLITE_OK ? work : -1;
}

static bool do_step(struct recorder_db *d)
{
	uint64_t until_ns = now_ns() + MOST_NS;
	int done = 0, nr = 0;

	while (d->tidy.step != TIDY_NONE && nr >= 0 && done < ROWS && now_ns() < until_ns) {
		nr = d->tidy.step == TIDY_TAKE ? take_chunk(d) :
		     d->tidy.step == TIDY_MARK ? mark_chunk(d) : sweep_chunk(d);
		done += nr;
	}
	return nr >= 0 || recorder_db_failed(d);
}

/* Begin a pass, if none is under way. */
void recorder_tidy_begin(struct recorder_db *d)
{
	struct recorder_tidy *t = &d->tidy;
	unsigned int i;

	if (t->step != TIDY_NONE)
		return;
	recorder_db_forget(d);
	for (i = 0; i < STACKS; i++)
		t->top[i] = recorder_db_number(d, tables[i].top);
	t->table = 0;
	t->at = INT64_MIN;
	begin_take(t);
}

/**
 * recorder_tidy_go_on - do a step of a pass, in a transaction of its own
 * @d:	  the database
 * @over: gets whether that was the last one
 *
 * Return: false after an error, which ends the pass.
 */
bool recorder_tidy_go_on(struct recorder_db *d, bool *over)
{
	bool good;

	*over = false;
	if (d->tidy.step == TIDY_NONE || !d->db)
		return true;
	good = recorder_db_begin(d);
	if (!good)
		return false;
	good = recorder_db_end(d, do_step(d));
	if (!good)
		recorder_tidy_end(&d->tidy);
	*over = good && d->tidy.step == TIDY_NONE;
	return good;
}

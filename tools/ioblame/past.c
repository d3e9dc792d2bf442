// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/ioblame.h>

#include "escape.h"
#include "msg.h"
#include "past.h"
#include "stop.h"

enum {
#define X(constant, letter, word)	PAST_OP_##constant,
	IOB_OPS(X)
#undef X
	NR_OPS,
	BUSY_MS = 2000,		/* the recorder writes for a moment only */
	STEPS = 10000,		/* of SQLite's machine: milliseconds */
	LONGEST = 1 << 20,	/* bytes of a text or a row */
};

/* A day before the end of time, in the year 2262: that of a time zone can be added */
#define LATEST	(INT64_MAX - 86400 * 1000000000LL)

/* An originator of the database; its texts are behind it. */
struct origin {
	int64_t id;
	size_t bytes;
	struct usage_key key;
	char text[];
};

/* Return: EXIT_FAILED.  Who ends it knows why it ends. */
static int past_failed(struct past *past, int db)
{
	const char *path = past->db[db] ? sqlite3_db_filename(past->db[db], "main") : NULL;

	if (!stop_asked())
		msg("cannot read %s: %s", path && *path ? path : "the past",
		    sqlite3_errmsg(past->db[db]));
	return EXIT_FAILED;
}

static int is_stopped(void *arg)
{
	(void)arg;
	return stop_asked();
}

/*
 * The file may be anybody's: it is asked for plain tables alone, and nothing that it brings is
 * trusted.  What an old SQLite does not know, it ignores.
 */
static void distrust(sqlite3 *db)
{
	sqlite3_progress_handler(db, STEPS, is_stopped, NULL);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, LONGEST);
#ifdef SQLITE_DBCONFIG_ENABLE_VIEW
	sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
#endif
	sqlite3_exec(db, "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; "
		     "PRAGMA mmap_size = 0", NULL, NULL, NULL);
}

/* Whether what is asked for are tables, and neither views nor a module's. */
static bool has_tables(sqlite3 *db, int version)
{
	static const char sql[] =
		"SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name IN "
		"('name', 'stack', 'originator', 'span', 'usage', 'busy')";
	sqlite3_stmt *st;
	int nr = 0;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		nr = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	/* (the recorder may just make the sixth) */
	return nr >= 5 + (version > 1);
}

static int version_of(sqlite3 *db)
{
	sqlite3_stmt *st;
	int version = -1;

	if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL) == SQLITE_OK &&
	    sqlite3_step(st) == SQLITE_ROW)
		version = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	return version;
}

/* A file that nobody writes, as the address that says so. */
static char *immutable_name(const char *path)
{
	static const char tail[] = "?immutable=1";
	char *name = must(malloc(3 * strlen(path) + sizeof(tail) + 8)), *to = name;

	to = stpcpy(to, "file:");
	for (; *path; path++) {
		if (strchr("?#%", *path))
			to += sprintf(to, "%%%02X", (unsigned char)*path);
		else
			*to++ = *path;
	}
	strcpy(to, tail);
	return name;
}

/*
 * SQLite makes a file beside a database of this kind, which a reader cannot where he may only
 * read.  Without a -wal file nobody writes the database now, and it is read as it is.
 * Return: its version, -1 if it cannot be read.
 */
static int open_version(struct past *past, int i, const char *path)
{
	char *wal = must(malloc(strlen(path) + 5)), *name;
	int version = -1, err;

	if (sqlite3_open_v2(path, &past->db[i], SQLITE_OPEN_READONLY, NULL) == SQLITE_OK) {
		sqlite3_busy_timeout(past->db[i], BUSY_MS);
		distrust(past->db[i]);
		version = version_of(past->db[i]);
	}
	err = sqlite3_errcode(past->db[i]) & 0xff;
	stpcpy(stpcpy(wal, path), "-wal");
	if (version < 0 && (err == SQLITE_READONLY || err == SQLITE_CANTOPEN) &&
	    access(wal, F_OK)) {
		sqlite3_close(past->db[i]);
		name = immutable_name(path);
		if (sqlite3_open_v2(name, &past->db[i], SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
				    NULL) == SQLITE_OK) {
			distrust(past->db[i]);
			version = version_of(past->db[i]);
		}
		free(name);
	}
	free(wal);
	return version;
}

/* Return: EXIT_OK, also if the file is not there. */
static int open_one(struct past *past, int i, const char *path)
{
	struct stat st;
	int version;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		msg("%s: %s; name a database, as %s", path, strerror(EISDIR), PAST_FILE);
		return EXIT_FAILED;
	}
	if (access(path, R_OK)) {
		if (errno == ENOENT || errno == ENOTDIR)
			return EXIT_OK;
		msg("the past is for root and the group ioblame: %s: %s", path, strerror(errno));
		return EXIT_REFUSED;
	}
	version = open_version(past, i, path);
	if (version < 0)
		return past_failed(past, i);
	if (version > PAST_VERSION) {
		msg("%s was written by a newer ioblamed (version %d, known is %d): update ioblame",
		    path, version, PAST_VERSION);
		return EXIT_FAILED;
	}
	if (version && !has_tables(past->db[i], version)) {
		if (!stop_asked())
			msg("%s was not written by ioblamed, or is damaged", path);
		return EXIT_FAILED;
	}
	past->version[i] = version;
	/* the recorder is just making it */
	if (!version) {
		sqlite3_close(past->db[i]);
		past->db[i] = NULL;
	}
	return EXIT_OK;
}

/**
 * past_open - open the recorder's databases to read
 * @past:   the result
 * @file:   PAST_FILE
 * @recent: PAST_RECENT, or NULL
 *
 * Return: EXIT_OK, or after a message EXIT_REFUSED, or EXIT_FAILED, also if neither is there.
 */
int past_open(struct past *past, const char *file, const char *recent)
{
	int ret;

	memset(past, 0, sizeof(*past));
	past->finest = PAST_HOUR;
	ret = open_one(past, 0, file);
	if (!ret && recent)
		ret = open_one(past, 1, recent);
	if (!ret && !past->db[0] && !past->db[1]) {
		msg("nothing is recorded in %s: is ioblamed running? Try: systemctl enable --now ioblamed",
		    file);
		ret = EXIT_FAILED;
	}
	if (ret)
		past_close(past);
	return ret;
}

static int compare_spans(const void *a, const void *b)
{
	const struct past_span *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->db - y->db;
}

/* One of the spans of the last question, which are sorted; NULL: it is not there. */
struct past_span *past_span_find(const struct past *past, int64_t id)
{
	struct past_span key = { .id = id };
	size_t low = 0, high = past->nr;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (past->span[mid].id < key.id)
			low = mid + 1;
		else
			high = mid;
	}
	return low < past->nr && past->span[low].id == id ? &past->span[low] : NULL;
}

/* Of a file that ioblamed has not written, numbers may be any. */
static bool take_span(sqlite3_stmt *st, int db, struct past_span *span)
{
	int64_t level = sqlite3_column_int64(st, 1);

	*span = (struct past_span){
		.id = sqlite3_column_int64(st, 0), .level = level,
		.parent = sqlite3_column_int64(st, 2),
		.from_ns = sqlite3_column_int64(st, 3), .until_ns = sqlite3_column_int64(st, 4),
		.lost_ios = sqlite3_column_int64(st, 5), .db = db,
	};
	/* an ioblamed before this one wrote such where the clock was set back */
	if (span->until_ns <= span->from_ns && span->from_ns < LATEST)
		span->until_ns = span->from_ns + 1;
	return span->id >= 0 && span->id < INT64_MAX / PAST_USAGES - 1 &&
	       level >= PAST_INTERVAL && level <= PAST_HOUR &&
	       span->from_ns >= 0 && span->until_ns > span->from_ns && span->until_ns <= LATEST;
}

static int load_spans(struct past *past, int db, int64_t from_ns, int64_t until_ns, size_t *size)
{
	static const char sql[] =
		"SELECT id, level, parent, from_ns, until_ns, lost_ios FROM span "
		"WHERE until_ns > ?1 AND from_ns < ?2";
	sqlite3_stmt *st;
	int ret;

	if (sqlite3_prepare_v2(past->db[db], sql, -1, &st, NULL) != SQLITE_OK)
		return past_failed(past, db);
	sqlite3_bind_int64(st, 1, from_ns);
	sqlite3_bind_int64(st, 2, until_ns);
	while ((ret = sqlite3_step(st)) == SQLITE_ROW) {
		if (past->nr == *size) {
			*size = *size ? *size * 2 : 256;
			past->span = must(realloc(past->span, *size * sizeof(*past->span)));
		}
		if (!take_span(st, db, &past->span[past->nr])) {
			msg("the past is damaged: a span is none");
			sqlite3_finalize(st);
			return EXIT_FAILED;
		}
		past->nr++;
	}
	sqlite3_finalize(st);
	return ret == SQLITE_DONE ? EXIT_OK : past_failed(past, db);
}

/* The spans that touch a time, by their id; a minute that is in both databases once. */
int past_spans(struct past *past, int64_t from_ns, int64_t until_ns)
{
	size_t size = 0, i, nr = 0;
	int db, ret;

	free(past->span);
	past->span = NULL;
	past->nr = 0;
	/*
	 * the recent one first: a minute that the recorder moves between the two looks is then
	 * seen twice, not never
	 */
	for (db = 1; db >= 0; db--) {
		if (!past->db[db])
			continue;
		ret = load_spans(past, db, from_ns, until_ns, &size);
		if (ret)
			return ret;
	}
	if (past->nr)
		qsort(past->span, past->nr, sizeof(*past->span), compare_spans);
	for (i = 0; i < past->nr; i++) {
		if (!nr || past->span[nr - 1].id != past->span[i].id)
			past->span[nr++] = past->span[i];
	}
	past->nr = nr;
	return EXIT_OK;
}

/* Of a file that ioblamed has not written, spans may be longer than all time. */
static void add_time(int64_t *to, const struct past_span *span)
{
	int64_t ns = span->until_ns - span->from_ns;

	if (ns <= LATEST - *to)
		*to += ns;
}

/* What the parts of each span that touch the question cover of it */
static void sum_parts(struct past *past)
{
	struct past_span *parent;
	size_t i;

	for (i = 0; i < past->nr; i++) {
		parent = past_span_find(past, past->span[i].parent);
		if (parent)
			add_time(&parent->covered_ns, &past->span[i]);
	}
}

static bool is_asked(const struct past *past, const struct past_span *s)
{
	const struct past_span *parent = s;
	int level;

	if (!s->whole)
		return false;
	for (level = s->level; level < PAST_HOUR; level++) {
		parent = past_span_find(past, parent->parent);
		if (!parent)
			return true;
		if (parent->whole)
			return false;
	}
	return true;
}

static const char *column_text(sqlite3_stmt *st, int i)
{
	const char *text = (const char *)sqlite3_column_text(st, i);

	return text ? text : "";
}

/*
 * Texts were escaped when they came in; those of a file that was written by others are now, and of
 * the others nothing changes.  To be freed.
 */
static char *shown_text(sqlite3_stmt *st, int i)
{
	const char *text = column_text(st, i);

	return must(escape_again(text, strlen(text)));
}

static uint32_t column_uid(sqlite3_stmt *st, int i)
{
	return sqlite3_column_type(st, i) == SQLITE_NULL ? UINT32_MAX : sqlite3_column_int64(st, i);
}

/* Return: NULL if it cannot be. */
static struct origin *origin_of_row(sqlite3_stmt *st, int64_t id)
{
	int64_t op = sqlite3_column_int64(st, 8), how = sqlite3_column_int64(st, 9);
	char *shown[6], *text;
	const char **to[6];
	struct origin *o;
	size_t len = 0, i;

	if (op < 0 || op >= NR_OPS || how < 0 || how >= IOB_NR_HOWS)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(to); i++) {
		shown[i] = shown_text(st, i);
		len += strlen(shown[i]) + 1;
	}
	o = must(calloc(1, sizeof(*o) + len));
	o->id = id;
	o->bytes = sizeof(*o) + len;
	to[0] = &o->key.unit;
	to[1] = &o->key.program;
	to[2] = &o->key.user;
	to[3] = &o->key.file;
	to[4] = &o->key.disk;
	to[5] = &o->key.why;
	text = o->text;
	for (i = 0; i < ARRAY_SIZE(to); i++) {
		*to[i] = text;
		text = stpcpy(text, shown[i]) + 1;
		free(shown[i]);
	}
	o->key.stack = sqlite3_column_int64(st, 6);
	o->key.uid = column_uid(st, 7);
	o->key.op = op;
	o->key.how = how;
	return o;
}

static const char origin_sql[] =
	"SELECT u.text, p.text, r.text, f.text, d.text, w.text, o.stack, o.uid, o.op, o.how "
	"FROM originator o "
	"LEFT JOIN name u ON u.id = o.unit LEFT JOIN name p ON p.id = o.program "
	"LEFT JOIN name r ON r.id = o.user LEFT JOIN name f ON f.id = o.file "
	"LEFT JOIN name d ON d.id = o.disk LEFT JOIN name w ON w.id = o.why WHERE o.id = ?1";
static const char uid_sql[] = "SELECT uid FROM originator WHERE id = ?1";
static const char busy_sql[] =
	"SELECT n.text, b.ms FROM busy b JOIN name n ON n.id = b.disk WHERE b.id BETWEEN ?1 AND ?2";
static const char usage_sql[] =
	"SELECT originator, ios, bytes, ns, errors, lat FROM usage WHERE id BETWEEN ?1 AND ?2";

/* Many originators may have long names: who was met is forgotten when they take too much. */
static const struct usage_key *find_origin(struct past *past, int db, sqlite3_stmt *st, int64_t id)
{
	struct origin *o;

	past->names[db].key_len = sizeof(id);
	o = map_get(&past->names[db], &id);
	if (o)
		return &o->key;
	sqlite3_reset(st);
	sqlite3_bind_int64(st, 1, id);
	if (sqlite3_step(st) != SQLITE_ROW)
		return NULL;
	if (past->name_bytes[db] > PAST_NAME_BYTES)
		past_forget(past, db);
	o = origin_of_row(st, id);
	if (!o)
		return NULL;
	past->names[db].key_len = sizeof(id);
	past->name_bytes[db] += o->bytes;
	map_put(&past->names[db], o);
	return &o->key;
}

/* Of a user who is not wanted, without the texts: @hidden. */
static const struct usage_key *key_of(struct past *past, int db, sqlite3_stmt **st, int64_t id,
				      struct usage_key *hidden)
{
	static const struct usage_key no_texts = {
		.unit = "", .program = "", .user = "", .file = "", .disk = "", .why = "",
	};

	if (past->wants_user) {
		sqlite3_reset(st[PAST_UID]);
		sqlite3_bind_int64(st[PAST_UID], 1, id);
		if (sqlite3_step(st[PAST_UID]) != SQLITE_ROW)
			return NULL;
		*hidden = no_texts;
		hidden->uid = column_uid(st[PAST_UID], 0);
		if (!past->wants_user(hidden->uid, past->wants_arg))
			return hidden;
	}
	return find_origin(past, db, st[PAST_ORIGIN], id);
}

static void bind_span(sqlite3_stmt *st, int64_t id)
{
	sqlite3_reset(st);
	sqlite3_bind_int64(st, 1, id * PAST_USAGES);
	sqlite3_bind_int64(st, 2, id * PAST_USAGES + PAST_USAGES - 1);
}

/* How long disks were busy; a database of version 1 does not know. */
static int read_busy(struct past *past, const struct past_span *span, sqlite3_stmt *st, void *arg)
{
	char *disk;
	int ret;

	if (!past->busy || !st)
		return EXIT_OK;
	bind_span(st, span->id);
	while ((ret = sqlite3_step(st)) == SQLITE_ROW) {
		disk = shown_text(st, 0);
		past->busy(span, disk, sqlite3_column_int64(st, 1), arg);
		free(disk);
	}
	return ret == SQLITE_DONE ? EXIT_OK : past_failed(past, span->db);
}

/* Return: EXIT_OK, EXIT_FAILED after a message; *@go is false if @one has enough. */
static int read_span(struct past *past, const struct past_span *span, sqlite3_stmt **st,
		     past_fn one, void *arg, bool *go)
{
	sqlite3_stmt *rows = st[PAST_ROWS];
	const struct usage_key *key;
	struct usage_key hidden;
	struct usage u;
	int ret;

	ret = read_busy(past, span, st[PAST_BUSY], arg);
	if (ret)
		return ret;
	bind_span(rows, span->id);
	while (*go && (ret = sqlite3_step(rows)) == SQLITE_ROW) {
		key = key_of(past, span->db, st, sqlite3_column_int64(rows, 0), &hidden);
		if (!key) {
			if (!stop_asked())
				msg("the past is damaged: a usage has no originator, or one that cannot be");
			return EXIT_FAILED;
		}
		memset(&u, 0, sizeof(u));
		u.key = *key;
		u.ios = sqlite3_column_int64(rows, 1);
		u.bytes = sqlite3_column_int64(rows, 2);
		u.ns = sqlite3_column_int64(rows, 3);
		u.errors = sqlite3_column_int64(rows, 4);
		past_lat_parse(column_text(rows, 5), u.lat);
		*go = one(&u, span, arg);
	}
	return *go && ret != SQLITE_DONE ? past_failed(past, span->db) : EXIT_OK;
}

static void finish_statements(sqlite3_stmt *st[2][NR_PAST_ST])
{
	int db, i;

	for (db = 0; db < 2; db++) {
		for (i = 0; i < NR_PAST_ST; i++) {
			sqlite3_finalize(st[db][i]);
			st[db][i] = NULL;
		}
	}
}

static int prepare(struct past *past, sqlite3_stmt *st[2][NR_PAST_ST])
{
	int db;

	for (db = 0; db < 2; db++) {
		if (!past->db[db])
			continue;
		if (sqlite3_prepare_v2(past->db[db], usage_sql, -1, &st[db][PAST_ROWS], NULL) ||
		    sqlite3_prepare_v2(past->db[db], uid_sql, -1, &st[db][PAST_UID], NULL) ||
		    sqlite3_prepare_v2(past->db[db], origin_sql, -1, &st[db][PAST_ORIGIN], NULL))
			return past_failed(past, db);
		if (past->version[db] > 1 &&
		    sqlite3_prepare_v2(past->db[db], busy_sql, -1, &st[db][PAST_BUSY], NULL))
			return past_failed(past, db);
	}
	return EXIT_OK;
}

/* The usages of one span. */
int past_read_span(struct past *past, const struct past_span *span, past_fn one, void *arg)
{
	sqlite3_stmt *st[2][NR_PAST_ST] = { { NULL }, { NULL } };
	bool go = true;
	int ret;

	ret = prepare(past, st);
	if (!ret)
		ret = read_span(past, span, st[span->db], one, arg, &go);
	finish_statements(st);
	return ret;
}

/* Return: EXIT_OK, and @ios are those of a span, or EXIT_FAILED after a message. */
static int count_ios(struct past *past, const struct past_span *span, sqlite3_stmt *rows,
		     uint64_t *ios)
{
	int ret;

	*ios = 0;
	bind_span(rows, span->id);
	while ((ret = sqlite3_step(rows)) == SQLITE_ROW)
		*ios += sqlite3_column_int64(rows, 1);
	return ret == SQLITE_DONE ? EXIT_OK : past_failed(past, span->db);
}

/* Add up all parts of the spans with a gap, also those that do not touch the question. */
static int count_parts(struct past *past, sqlite3_stmt *st[2][NR_PAST_ST])
{
	struct past all = { .db = { past->db[0], past->db[1] } };
	int64_t from_ns = INT64_MAX, until_ns = 0;
	struct past_span *s, *parent;
	uint64_t ios;
	int ret;

	for (s = past->span; s < past->span + past->nr; s++) {
		if (s->gap && s->from_ns < from_ns)
			from_ns = s->from_ns;
		if (s->gap && s->until_ns > until_ns)
			until_ns = s->until_ns;
	}
	ret = until_ns ? past_spans(&all, from_ns, until_ns) : EXIT_OK;
	for (s = all.span; !ret && s < all.span + all.nr; s++) {
		parent = past_span_find(past, s->parent);
		if (!parent || !parent->gap)
			continue;
		ret = count_ios(past, s, st[s->db][PAST_ROWS], &ios);
		parent->parts_ios += ios;
		parent->parts_lost += s->lost_ios;
		parent->begun |= s->from_ns <= parent->from_ns;
	}
	free(all.span);
	return ret;
}

/*
 * Parts go by age, the oldest first, and any may be lost where no database has room for it.  If the
 * first one and all IOs are there, none is gone: the gap is a time that nobody recorded.
 */
static int judge_gaps(struct past *past, sqlite3_stmt *st[2][NR_PAST_ST])
{
	int ret = count_parts(past, st);
	struct past_span *s;
	uint64_t ios;

	for (s = past->span; !ret && s < past->span + past->nr; s++) {
		if (!s->gap)
			continue;
		s->whole = !s->begun || s->parts_lost != s->lost_ios;
		if (s->whole)
			continue;
		ret = count_ios(past, s, st[s->db][PAST_ROWS], &ios);
		s->whole = s->parts_ios != ios;
	}
	return ret;
}

/*
 * A span that the question holds is taken whole.  Of another one the parts are, if they cover
 * what is asked of it, or nothing of it is gone.
 */
static int choose_whole(struct past *past, int64_t from_ns, int64_t until_ns,
			sqlite3_stmt *st[2][NR_PAST_ST])
{
	struct past_span *s;
	int64_t from, until;

	sum_parts(past);
	for (s = past->span; s < past->span + past->nr; s++) {
		from = s->from_ns > from_ns ? s->from_ns : from_ns;
		until = s->until_ns < until_ns ? s->until_ns : until_ns;
		s->whole = s->from_ns >= from_ns && s->until_ns <= until_ns &&
			   s->level <= (int)past->finest;
		s->gap = !s->whole && s->level > PAST_INTERVAL &&
			 (s->covered_ns < (until - from) / 100 * 95 || !s->covered_ns);
		s->whole |= s->level == PAST_INTERVAL;
	}
	return judge_gaps(past, st);
}

static void begin_reading(struct past *past, const char *sql)
{
	int db;

	for (db = 0; db < 2; db++) {
		if (past->db[db])
			sqlite3_exec(past->db[db], sql, NULL, NULL, NULL);
	}
}

/**
 * past_each - each usage of a time, each moment once
 * @past:     open
 * @from_ns:  CLOCK_REALTIME
 * @until_ns: and up to then
 * @one:      called with each usage, and the span that it is of
 * @arg:      for @one
 *
 * past.lost_ios, past.recorded_ns and past.widened are then what they are for this time.
 *
 * Return: EXIT_OK, or EXIT_FAILED after a message.
 */
int past_each(struct past *past, int64_t from_ns, int64_t until_ns, past_fn one, void *arg)
{
	sqlite3_stmt *st[2][NR_PAST_ST] = { { NULL }, { NULL } };
	struct past_span *s;
	bool go = true;
	int ret;

	if (past->other)
		return past->other->each(past, from_ns, until_ns, one, arg);
	past->lost_ios = 0;
	past->recorded_ns = 0;
	past->widened = false;
	begin_reading(past, "BEGIN");
	ret = past_spans(past, from_ns, until_ns);
	if (!ret)
		ret = prepare(past, st);
	if (!ret)
		ret = choose_whole(past, from_ns, until_ns, st);
	for (s = past->span; !ret && go && s < past->span + past->nr; s++) {
		if (!is_asked(past, s))
			continue;
		past->lost_ios += s->lost_ios;
		add_time(&past->recorded_ns, s);
		past->widened |= s->from_ns < from_ns || s->until_ns > until_ns;
		ret = read_span(past, s, st[s->db], one, arg, &go);
	}
	finish_statements(st);
	begin_reading(past, "COMMIT");
	return ret;
}

/* The text of a stack, to be freed; NULL if it is not known. */
char *past_stack(struct past *past, uint64_t hash)
{
	static const char sql[] = "SELECT text FROM stack WHERE hash = ?1";
	sqlite3_stmt *st;
	char *text = NULL;
	int db;

	if (past->other)
		return past->other->stack(past, hash);
	for (db = 0; db < 2 && !text; db++) {
		if (!past->db[db] || sqlite3_prepare_v2(past->db[db], sql, -1, &st, NULL))
			continue;
		sqlite3_bind_int64(st, 1, hash);
		if (sqlite3_step(st) == SQLITE_ROW)
			text = shown_text(st, 0);
		sqlite3_finalize(st);
	}
	return text;
}

/* The originators of a database have changed. */
void past_forget(struct past *past, int db)
{
	map_clear(&past->names[db], free);
	past->name_bytes[db] = 0;
}

void past_close(struct past *past)
{
	int db;

	if (past->other)
		past->other->close(past);
	for (db = 0; db < 2; db++) {
		past_forget(past, db);
		sqlite3_close(past->db[db]);
	}
	free(past->span);
	memset(past, 0, sizeof(*past));
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "msg.h"
#include "recorder_db.h"

enum {
	BUSY_MS = 50,		/* nobody else writes, and the loop waits */
	CACHED = 16384,		/* originators and stacks whose numbers are kept */
	CACHED_BYTES = 4 << 20,	/* of their texts */
	PAGE = 1024,		/* small: an interval changes little */
	CACHE_KB = 1024,
	WAL_PAGES = 512,
};

static const char *const statements[NR_ST] = {
	[ST_NAME] = "INSERT INTO name (text) VALUES (?1)",
	[ST_STACK] = "INSERT OR IGNORE INTO stack (hash, text) VALUES (?1, ?2)",
	[ST_ORIGINATOR] = "INSERT INTO originator (unit, program, user, file, disk, why, stack, "
			  "uid, op, how) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
	[ST_SPAN] = "INSERT INTO span VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
	[ST_USAGE] = "INSERT INTO usage VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[ST_BUSY] = "INSERT INTO busy VALUES (?1, ?2, ?3)",
	[ST_HAS] = "SELECT 1 FROM span WHERE id = ?1",
};

struct known_name {
	const char *text;	/* the pointer of @texts */
	int64_t id;
};

struct known_originator {
	struct usage_key key;	/* its texts are those of @texts, its padding is zero */
	int64_t id;
};

/* Say once that it fails, and note if it is damaged. */
bool recorder_db_failed(struct recorder_db *d)
{
	int err = d->db ? sqlite3_extended_errcode(d->db) & 0xff : SQLITE_CANTOPEN;

	if (err == SQLITE_CORRUPT || err == SQLITE_NOTADB)
		d->damaged = err;
	if (err == SQLITE_FULL)
		d->full = true;
	if (!d->said)
		msg("cannot write %s: %s; it is tried again", d->path,
		    d->db ? sqlite3_errmsg(d->db) : "it cannot be opened");
	d->said = true;
	return false;
}

bool recorder_db_exec(struct recorder_db *d, const char *sql)
{
	return (d->db && sqlite3_exec(d->db, sql, NULL, NULL, NULL) == SQLITE_OK) ||
	       recorder_db_failed(d);
}

/**
 * recorder_db_numbers - the first column of the rows, but NULL
 * @d:	  the database
 * @sql:  what to ask
 * @to:	  the result
 * @most: of rows
 *
 * Return: how many numbers there are; after an error maybe fewer.
 */
size_t recorder_db_numbers(struct recorder_db *d, const char *sql, int64_t *to, size_t most)
{
	sqlite3_stmt *st = NULL;
	size_t nr = 0, i;
	int ret;

	if (!d->db || !most)
		return 0;
	ret = sqlite3_prepare_v2(d->db, sql, -1, &st, NULL);
	for (i = 0; i < most && (ret == SQLITE_OK || ret == SQLITE_ROW); i++) {
		ret = sqlite3_step(st);
		if (ret == SQLITE_ROW && sqlite3_column_type(st, 0) != SQLITE_NULL)
			to[nr++] = sqlite3_column_int64(st, 0);
	}
	if (ret != SQLITE_ROW && ret != SQLITE_DONE)
		recorder_db_failed(d);
	sqlite3_finalize(st);
	return nr;
}

/* That of the first row; -1 if there is none or it is NULL. */
int64_t recorder_db_number(struct recorder_db *d, const char *sql)
{
	int64_t n;

	return recorder_db_numbers(d, sql, &n, 1) ? n : -1;
}

/* Forget the numbers of what was written: it is written once more, with other ones. */
void recorder_db_forget(struct recorder_db *d)
{
	map_clear(&d->names, free);
	map_clear(&d->originators, free);
	map_clear(&d->stacks, free);
	usage_clear(&d->texts);
}

static void close_db(struct recorder_db *d)
{
	int i;

	for (i = 0; i < NR_ST; i++) {
		sqlite3_finalize(d->st[i]);
		d->st[i] = NULL;
	}
	recorder_tidy_end(&d->tidy);
	sqlite3_close(d->db);
	d->db = NULL;
	d->read_only = false;
	recorder_db_forget(d);
}

/* Whether its file is gone, or another one is there: SQLite goes on writing the one that was. */
bool recorder_db_moved(struct recorder_db *d)
{
	int moved = 0;

	return d->db && sqlite3_file_control(d->db, NULL, SQLITE_FCNTL_HAS_MOVED, &moved) ==
	       SQLITE_OK && moved;
}

/* The log beside it is of the file that was there, and gets into no other one. */
static void leave_moved(struct recorder_db *d)
{
	static const char *const parts[] = { "-wal", "-shm" };
	char *path;
	size_t i;

	sqlite3_wal_checkpoint_v2(d->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	close_db(d);
	for (i = 0; i < ARRAY_SIZE(parts) && access(d->path, F_OK); i++) {
		if (asprintf(&path, "%s%s", d->path, parts[i]) < 0)
			must(NULL);
		unlink(path);
		free(path);
	}
	msg("%s was removed or replaced: %s lost, and it is opened anew", d->path,
	    d->memory ? "its intervals are" : "what it had is");
}

/* A file that is not the recorder's, or no longer, is kept; the one before it is not. */
static void move_aside(struct recorder_db *d, const char *why)
{
	static const char *const parts[] = { "", "-wal", "-shm" };
	char *from, *to;
	size_t i;

	close_db(d);
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (asprintf(&from, "%s%s", d->path, parts[i]) < 0 ||
		    asprintf(&to, "%s.aside%s", d->path, parts[i]) < 0)
			must(NULL);
		if (rename(from, to) && errno == ENOENT)
			unlink(to);
		free(from);
		free(to);
	}
	msg("%s %s: it is now %s.aside, and a new one begins", d->path, why, d->path);
}

/* Make a database of this version of an older one, or of none. */
static bool migrate(struct recorder_db *d, int64_t version)
{
	char sql[64];

	for (; version < PAST_VERSION; version++) {
		snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", (int)version + 1);
		if (!recorder_db_exec(d, "BEGIN IMMEDIATE"))
			return false;
		if (!recorder_db_exec(d, past_schema[version]) || !recorder_db_exec(d, sql) ||
		    !recorder_db_exec(d, "COMMIT")) {
			sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
			return false;
		}
	}
	return true;
}

/*
 * In memory nothing is synced.  On disk a transaction is on the disk when its checkpoint is: the
 * checkpoint follows each, so that a reader never has more than one in the log.
 */
static bool set_up(struct recorder_db *d, uint64_t max_bytes)
{
	char sql[320];

	snprintf(sql, sizeof(sql),
		 "PRAGMA page_size = %d; PRAGMA journal_mode = WAL; PRAGMA synchronous = %s;"
		 "PRAGMA wal_autocheckpoint = %d; PRAGMA cache_size = -%d; PRAGMA temp_store = 2;"
		 "PRAGMA journal_size_limit = 1048576; PRAGMA max_page_count = %lld",
		 PAGE, d->memory ? "OFF" : "NORMAL", d->memory ? WAL_PAGES : 0, CACHE_KB,
		 (long long)(max_bytes / PAGE));
	return recorder_db_exec(d, sql);
}

static bool prepare_all(struct recorder_db *d)
{
	int i;

	for (i = 0; i < NR_ST; i++) {
		if (sqlite3_prepare_v3(d->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &d->st[i], NULL) != SQLITE_OK)
			return recorder_db_failed(d);
	}
	return true;
}

/* Make the folder of a file, if its own folder is there. */
void recorder_db_make_folder(const char *path)
{
	char *folder = must(strdup(path)), *slash = strrchr(folder, '/');

	if (slash && slash != folder) {
		*slash = '\0';
		if (!mkdir(folder, 0755))
			chmod(folder, 0755);
	}
	free(folder);
}

/*
 * Make the file as it is to be: SQLite gives the files beside it the same owner and mode.  What
 * fails here, sqlite3_open_v2() says.
 */
static void make_file(const struct recorder_db *d)
{
	int fd;

	recorder_db_make_folder(d->path);
	fd = open(d->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0640);
	if (fd < 0)
		return;
	if (d->group != (gid_t)-1 && fchown(fd, -1, d->group))
		msg("%s is for root alone: %s", d->path, strerror(errno));
	close(fd);
}

/* SQLite opens a file that cannot be written to read it, and says so of each transaction only. */
static bool can_write(struct recorder_db *d)
{
	d->read_only = sqlite3_db_readonly(d->db, NULL) > 0;
	if (d->read_only && !d->said) {
		msg("cannot write %s: it is read-only; it is tried again", d->path);
		d->said = true;
	}
	return !d->read_only;
}

static bool try_open(struct recorder_db *d, uint64_t max_bytes)
{
	int64_t version;
	mode_t mask;
	int stay = 1;
	bool good;

	make_file(d);
	mask = umask(027);
	good = sqlite3_open_v2(d->path, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			       NULL) == SQLITE_OK;
	umask(mask);
	if (!good)
		return recorder_db_failed(d);
	sqlite3_busy_timeout(d->db, BUSY_MS);
	/* who may only read cannot make the files beside it: they stay when ioblamed ends */
	sqlite3_file_control(d->db, NULL, SQLITE_FCNTL_PERSIST_WAL, &stay);
	version = recorder_db_number(d, "PRAGMA user_version");
	if (version > PAST_VERSION) {
		move_aside(d, "was written by a newer ioblamed");
		return false;
	}
	mask = umask(027);
	good = version >= 0 && set_up(d, max_bytes) && migrate(d, version) && prepare_all(d);
	umask(mask);
	return good && can_write(d);
}

/**
 * recorder_db_open - open a database, make it, or mend it
 * @d:		all zero, closed, read_only or moved
 * @path:	its file; its folder is made if it is not there
 * @group:	that may read it, (gid_t)-1: that of the process
 * @max_bytes:	that it never exceeds; nothing is written while its log has half of that
 * @memory:	it is in memory
 *
 * Return: false after a message if it cannot be written now: it can be tried again.  What can be
 * read is open then.
 */
bool recorder_db_open(struct recorder_db *d, const char *path, gid_t group, uint64_t max_bytes,
		      bool memory)
{
	int tries;

	if (!d->path)
		d->path = must(strdup(path));
	d->group = group;
	d->max_bytes = max_bytes;
	d->memory = memory;
	if (recorder_db_moved(d))
		leave_moved(d);
	else
		close_db(d);
	for (tries = 0; tries < 2; tries++) {
		d->damaged = 0;
		if (try_open(d, max_bytes)) {
			if (d->said)
				msg("%s is written again", d->path);
			d->said = false;
			return true;
		}
		if (d->damaged)
			move_aside(d, "is damaged");
		else if (d->db)
			break;
	}
	if (!d->read_only)
		close_db(d);
	return false;
}

void recorder_db_close(struct recorder_db *d)
{
	if (d->db && !d->memory)
		sqlite3_wal_checkpoint_v2(d->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	close_db(d);
	free(d->path);
	memset(d, 0, sizeof(*d));
}

/*
 * SQLite goes on at the beginning of its log only when nobody reads what is there.  So where always
 * somebody reads, though each of them ends, it grows without an end.
 * Return: whether it has @most bytes at most, now or after it was cut.
 */
static bool bound_log(struct recorder_db *d, uint64_t most)
{
	struct stat st;
	bool good;
	char *path;

	if (asprintf(&path, "%s-wal", d->path) < 0)
		must(NULL);
	good = stat(path, &st) || (uint64_t)st.st_size <= most;
	free(path);
	return good || sqlite3_wal_checkpoint_v2(d->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL,
						 NULL) == SQLITE_OK;
}

bool recorder_db_begin(struct recorder_db *d)
{
	if (d->originators.nr > CACHED || d->stacks.nr > CACHED ||
	    d->texts.text_bytes > CACHED_BYTES)
		recorder_db_forget(d);
	d->full = false;
	if (d->db && !bound_log(d, d->max_bytes / 2)) {
		if (!d->said)
			msg("cannot write %s: somebody always reads it; it is tried again",
			    d->path);
		d->said = true;
		return false;
	}
	return recorder_db_exec(d, "BEGIN IMMEDIATE");
}

/**
 * recorder_db_end - end a transaction
 * @d:	  the database
 * @good: false to undo it
 *
 * A damaged database is moved aside; what is not written can be written to the new one.
 *
 * Return: true if it is written.
 */
bool recorder_db_end(struct recorder_db *d, bool good)
{
	if (!d->db)
		return false;
	good = good && recorder_db_exec(d, "COMMIT");
	if (!good) {
		sqlite3_exec(d->db, "ROLLBACK", NULL, NULL, NULL);
		/* names that were written in it have no number now */
		recorder_db_forget(d);
		if (d->damaged)
			move_aside(d, "is damaged");
		return false;
	}
	if (d->said)
		msg("%s is written again", d->path);
	d->said = false;
	if (d->memory)
		bound_log(d, RECORDER_LOG_BYTES);
	else
		sqlite3_wal_checkpoint_v2(d->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return true;
}

static bool run_statement(struct recorder_db *d, sqlite3_stmt *st)
{
	bool good = sqlite3_step(st) == SQLITE_DONE;

	if (!good)
		recorder_db_failed(d);
	sqlite3_reset(st);
	sqlite3_clear_bindings(st);
	return good;
}

/* The number of a text of d->texts, -1 after an error. */
static int64_t number_name(struct recorder_db *d, const char *text)
{
	sqlite3_stmt *st = d->st[ST_NAME];
	struct known_name *known;

	d->names.key_len = sizeof(text);
	known = map_get(&d->names, &text);
	if (known)
		return known->id;
	sqlite3_bind_text(st, 1, text, -1, SQLITE_STATIC);
	if (!run_statement(d, st))
		return -1;
	known = must(malloc(sizeof(*known)));
	*known = (struct known_name){ text, sqlite3_last_insert_rowid(d->db) };
	map_put(&d->names, known);
	return known->id;
}

static void own_key(struct recorder_db *d, const struct usage_key *from, struct usage_key *to)
{
	memset(to, 0, sizeof(*to));
	to->unit = usage_text(&d->texts, from->unit);
	to->program = usage_text(&d->texts, from->program);
	to->user = usage_text(&d->texts, from->user);
	to->file = usage_text(&d->texts, from->file);
	to->disk = usage_text(&d->texts, from->disk);
	to->why = usage_text(&d->texts, from->why);
	to->stack = from->stack;
	to->uid = from->uid;
	to->op = from->op;
	to->how = from->how;
}

static int64_t insert_originator(struct recorder_db *d, const struct usage_key *key)
{
	const char *const texts[] = {
		key->unit, key->program, key->user, key->file, key->disk, key->why,
	};
	sqlite3_stmt *st = d->st[ST_ORIGINATOR];
	int64_t id[ARRAY_SIZE(texts)];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		id[i] = number_name(d, texts[i]);
		if (id[i] < 0)
			return -1;
	}
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		sqlite3_bind_int64(st, i + 1, id[i]);
	sqlite3_bind_int64(st, 7, key->stack);
	if (key->uid != UINT32_MAX)
		sqlite3_bind_int64(st, 8, key->uid);
	sqlite3_bind_int(st, 9, key->op);
	sqlite3_bind_int(st, 10, key->how);
	return run_statement(d, st) ? sqlite3_last_insert_rowid(d->db) : -1;
}

static int64_t number_originator(struct recorder_db *d, const struct usage_key *from)
{
	struct known_originator *known;
	struct usage_key key;
	int64_t id;

	own_key(d, from, &key);
	d->originators.key_len = sizeof(key);
	known = map_get(&d->originators, &key);
	if (known)
		return known->id;
	id = insert_originator(d, &key);
	if (id < 0)
		return -1;
	known = must(calloc(1, sizeof(*known)));
	memcpy(&known->key, &key, sizeof(key));
	known->id = id;
	map_put(&d->originators, known);
	return id;
}

static bool write_usage(struct recorder_db *d, int64_t id, const struct usage *u)
{
	sqlite3_stmt *st = d->st[ST_USAGE];
	char lat[PAST_LAT_TEXT];
	int64_t originator = number_originator(d, &u->key);

	if (originator < 0)
		return false;
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int64(st, 2, originator);
	sqlite3_bind_int64(st, 3, u->ios);
	sqlite3_bind_int64(st, 4, u->bytes);
	sqlite3_bind_int64(st, 5, u->ns);
	sqlite3_bind_int64(st, 6, u->errors);
	sqlite3_bind_text(st, 7, past_lat_text(u->lat, lat), -1, SQLITE_STATIC);
	return run_statement(d, st);
}

static bool write_stacks(struct recorder_db *d, const struct usage_list *list)
{
	sqlite3_stmt *st = d->st[ST_STACK];
	uint64_t *known;
	size_t i;

	d->stacks.key_len = sizeof(*known);
	for (i = 0; i < list->nr_stacks; i++) {
		recorder_tidy_keep(&d->tidy, list->stack[i].hash);
		if (map_get(&d->stacks, &list->stack[i].hash))
			continue;
		sqlite3_bind_int64(st, 1, list->stack[i].hash);
		sqlite3_bind_text(st, 2, list->stack[i].text, -1, SQLITE_STATIC);
		if (!run_statement(d, st))
			return false;
		known = must(malloc(sizeof(*known)));
		*known = list->stack[i].hash;
		map_put(&d->stacks, known);
	}
	return true;
}

static bool write_busy(struct recorder_db *d, int64_t id, const struct usage_busy *b)
{
	sqlite3_stmt *st = d->st[ST_BUSY];
	int64_t disk = number_name(d, usage_text(&d->texts, b->disk));

	if (disk < 0)
		return false;
	sqlite3_bind_int64(st, 1, id);
	sqlite3_bind_int64(st, 2, disk);
	sqlite3_bind_int64(st, 3, b->ms);
	return run_statement(d, st);
}

/**
 * recorder_db_write - write a span, in a transaction
 * @d:	  the database
 * @span: its id, level and parent
 * @list: its usages, PAST_USAGES at most, and its time
 *
 * Return: false after an error: the transaction must be undone.
 */
bool recorder_db_write(struct recorder_db *d, const struct past_span *span,
		       const struct usage_list *list)
{
	sqlite3_stmt *st = d->st[ST_SPAN];
	size_t i;

	if (!d->db)
		return recorder_db_failed(d);
	sqlite3_bind_int64(st, 1, span->id);
	sqlite3_bind_int(st, 2, span->level);
	sqlite3_bind_int64(st, 3, span->parent);
	sqlite3_bind_int64(st, 4, list->from_ns);
	sqlite3_bind_int64(st, 5, list->until_ns);
	sqlite3_bind_int64(st, 6, list->lost_ios);
	if (!run_statement(d, st))
		return false;
	for (i = 0; i < list->nr && i < PAST_USAGES; i++) {
		if (!write_usage(d, span->id * PAST_USAGES + i, &list->list[i]))
			return false;
	}
	for (i = 0; i < list->nr_busy && i < PAST_USAGES; i++) {
		if (!write_busy(d, span->id * PAST_USAGES + i, &list->busy[i]))
			return false;
	}
	return write_stacks(d, list);
}

/* Whether a span is there. */
bool recorder_db_has(struct recorder_db *d, int64_t id)
{
	sqlite3_stmt *st = d->st[ST_HAS];
	bool has;

	if (!d->db)
		return false;
	sqlite3_bind_int64(st, 1, id);
	has = sqlite3_step(st) == SQLITE_ROW;
	sqlite3_reset(st);
	return has;
}

/* Delete a span, in a transaction. */
bool recorder_db_delete(struct recorder_db *d, int64_t id)
{
	long long from = id * PAST_USAGES, until = from + PAST_USAGES - 1;
	char sql[256];

	snprintf(sql, sizeof(sql),
		 "DELETE FROM usage WHERE id BETWEEN %lld AND %lld;"
		 "DELETE FROM busy WHERE id BETWEEN %lld AND %lld;"
		 "DELETE FROM span WHERE id = %lld", from, until, from, until, (long long)id);
	return recorder_db_exec(d, sql);
}

/*
 * Delete originators and names that no usage has, in a transaction: all at once, where that is not
 * too much.  What is known by its number is forgotten first, so that nothing refers to them.
 */
bool recorder_db_tidy(struct recorder_db *d)
{
	static const char sql[] =
		"DELETE FROM originator WHERE id NOT IN (SELECT originator FROM usage);"
		"DELETE FROM name WHERE id NOT IN (SELECT unit FROM originator UNION "
		"SELECT program FROM originator UNION SELECT user FROM originator UNION "
		"SELECT file FROM originator UNION SELECT disk FROM originator UNION "
		"SELECT why FROM originator UNION SELECT disk FROM busy);"
		"DELETE FROM stack WHERE hash NOT IN (SELECT stack FROM originator)";

	recorder_tidy_end(&d->tidy);
	recorder_db_forget(d);
	return recorder_db_exec(d, sql);
}

/* Bytes that are in use; what is free in the file is used again. */
uint64_t recorder_db_used(struct recorder_db *d)
{
	int64_t pages = recorder_db_number(d, "PRAGMA page_count");
	int64_t spare = recorder_db_number(d, "PRAGMA freelist_count");

	return pages < 0 || spare < 0 ? 0 : (pages - spare) * (uint64_t)PAGE;
}

/* Bytes that the file may have: its limit, or what it had when it was opened if that is more. */
uint64_t recorder_db_most(struct recorder_db *d)
{
	int64_t pages = recorder_db_number(d, "PRAGMA max_page_count");

	return pages < 0 ? 0 : pages * (uint64_t)PAGE;
}

/* Bytes that a span takes at most: all names may be new, and each may leave a page half empty. */
uint64_t recorder_db_needed(const struct usage_list *list)
{
	uint64_t rows = list->nr + list->nr_busy + list->nr_stacks + 1;

	return rows * (PAGE / 2) + 2 * list->text_bytes;
}

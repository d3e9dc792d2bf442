/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder_db - one of the recorder's databases: it writes spans, and mends what it finds
 *
 * A name or an originator is written once and then known by its number.  The numbers are kept in
 * memory, not looked up: a name that a daemon before this one wrote is there twice, which costs
 * less than an index.
 */
#ifndef IOBLAMED_RECORDER_DB_H
#define IOBLAMED_RECORDER_DB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "map.h"
#include "past.h"
#include "recorder_tidy.h"
#include "usage.h"

enum {
	/* of SQLite's log of a database in memory: it is long only where somebody always reads */
	RECORDER_LOG_BYTES = 4 << 20,
	/* of a database on disk that is tidied at once */
	RECORDER_SMALL_BYTES = 4 << 20,
};

enum recorder_st {
	ST_NAME, ST_STACK, ST_ORIGINATOR, ST_SPAN, ST_USAGE, ST_BUSY, ST_HAS, NR_ST,
};

struct sqlite3;
struct sqlite3_stmt;

struct recorder_db {
	char *path;
	struct sqlite3 *db;		/* NULL: it could not be opened */
	struct sqlite3_stmt *st[NR_ST];
	struct map names, originators, stacks;	/* that have a number */
	struct usage_list texts;	/* of these */
	struct recorder_tidy tidy;
	gid_t group;			/* that may read it; (gid_t)-1: root's */
	uint64_t max_bytes;		/* of it; its log may have half of that */
	bool memory;			/* it need not outlive the machine */
	bool read_only;			/* it is open, but cannot be written */
	bool said;			/* that it fails */
	bool full;			/* that is why something failed in this transaction */
	int damaged;			/* an error that opening it again does not mend */
};

void recorder_db_make_folder(const char *path);
bool recorder_db_open(struct recorder_db *d, const char *path, gid_t group, uint64_t max_bytes,
		      bool memory);
void recorder_db_close(struct recorder_db *d);
bool recorder_db_failed(struct recorder_db *d);
void recorder_db_forget(struct recorder_db *d);
bool recorder_db_moved(struct recorder_db *d);
bool recorder_db_begin(struct recorder_db *d);
bool recorder_db_end(struct recorder_db *d, bool good);
bool recorder_db_write(struct recorder_db *d, const struct past_span *span,
		       const struct usage_list *list);
bool recorder_db_has(struct recorder_db *d, int64_t id);
bool recorder_db_delete(struct recorder_db *d, int64_t id);
size_t recorder_db_numbers(struct recorder_db *d, const char *sql, int64_t *to, size_t most);
int64_t recorder_db_number(struct recorder_db *d, const char *sql);
bool recorder_db_exec(struct recorder_db *d, const char *sql);
bool recorder_db_tidy(struct recorder_db *d);
uint64_t recorder_db_used(struct recorder_db *d);
uint64_t recorder_db_most(struct recorder_db *d);
uint64_t recorder_db_needed(const struct usage_list *list);

#endif

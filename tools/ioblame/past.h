/* SPDX-License-Identifier: GPL-2.0 */
/*
 * past - what ioblamed's recorder has kept
 *
 * Two SQLite databases of one schema (past_schema.c): PAST_FILE has minutes and hours, and
 * PAST_RECENT, which is in memory, intervals and the minutes that are not yet in the other.  A
 * span is a stretch of time with its usages; a span that is a part of a longer one has its
 * number as parent.  past_each() takes each moment once: a whole hour as such, or by its minutes
 * where past.finest asks for them; the ends of the question by minutes and intervals, as far as
 * they are still there.  Parts that have all IOs of a span leave only time that nobody recorded, as
 * where the machine was down, and stand for the span.
 */
#ifndef IOBLAME_PAST_H
#define IOBLAME_PAST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "msg.h"
#include "usage.h"

#define PAST_FILE	"/var/lib/ioblame/past.db"
#define PAST_RECENT	"/run/ioblame/recent.db"

enum {
	PAST_VERSION = 2,	/* user_version of the schema */
	PAST_USAGES = 4096,	/* of a span, at most: a usage's id is span * PAST_USAGES + n */
	PAST_LAT_TEXT = USAGE_SLOTS * 24 + 3,	/* a number has 20 digits at most */
	PAST_NAME_BYTES = 4 << 20,	/* of a database's originators in memory, about */
};

enum past_level {
	PAST_INTERVAL,
	PAST_MINUTE,
	PAST_HOUR,
};

/* The statements that read a span */
enum past_st {
	PAST_ROWS, PAST_ORIGIN, PAST_UID, PAST_BUSY, NR_PAST_ST,
};

/* In the place of a name: all that were too small to be kept by name */
#define PAST_OTHERS	USAGE_OTHERS

struct past_span {
	int64_t id, parent, from_ns, until_ns;
	uint64_t lost_ios;
	int level;
	int db;			/* 0: PAST_FILE, 1: PAST_RECENT */
	bool whole;		/* its parts are not asked */
	int64_t covered_ns;	/* by its parts */
	bool gap;		/* they leave some of what is asked of it */
	bool begun;		/* the first of them is there */
	uint64_t parts_ios, parts_lost;	/* of all of them, if there is a gap */
};

struct sqlite3;
struct past;

/* Called for each usage, whose texts are gone afterwards.  Return: false to end. */
typedef bool (*past_fn)(const struct usage *usage, const struct past_span *span, void *arg);

/* Who answers instead of databases: past_each(), past_stack() and past_close() do as it does */
struct past_other {
	int (*each)(struct past *past, int64_t from_ns, int64_t until_ns, past_fn one, void *arg);
	char *(*stack)(struct past *past, uint64_t hash);
	void (*close)(struct past *past);
};

struct past {
	const struct past_other *other;	/* or NULL */
	void *answer;			/* its own */
	struct sqlite3 *db[2];	/* NULL: not there */
	int version[2];		/* of its schema */
	struct map names[2];	/* of each database, originators that were met */
	size_t name_bytes[2];	/* that they take */
	struct past_span *span;	/* of the last question, by their id */
	size_t nr;
	enum past_level finest;	/* longer spans are taken by their parts, down to these */
	uint64_t lost_ios;	/* of what was asked */
	int64_t recorded_ns;	/* how long its spans are, also those without usages; 0: not told */
	bool widened;		/* a span is longer than what was asked for */
	/* if set: where it is false for a usage's user, the usage comes without texts */
	bool (*wants_user)(uint32_t uid, const void *arg);
	const void *wants_arg;
	/* if set, called before the usages of a span with each disk that was busy */
	void (*busy)(const struct past_span *span, const char *disk, uint64_t ms, void *arg);
};

#ifdef HAVE_SQLITE
int past_open(struct past *past, const char *file, const char *recent);
void past_open_served(struct past *past);
int past_each(struct past *past, int64_t from_ns, int64_t until_ns, past_fn one, void *arg);
int past_read_span(struct past *past, const struct past_span *span, past_fn one, void *arg);
int past_spans(struct past *past, int64_t from_ns, int64_t until_ns);
struct past_span *past_span_find(const struct past *past, int64_t id);
char *past_stack(struct past *past, uint64_t hash);
void past_forget(struct past *past, int db);
void past_close(struct past *past);
#else
/* The command without SQLite: it says so, and what else needs no past is as ever. */
static inline int past_open(struct past *past, const char *file, const char *recent)
{
	(void)past;
	(void)file;
	(void)recent;
	msg("built without the past; build it again after: apt install libsqlite3-dev");
	return EXIT_FAILED;
}

static inline void past_open_served(struct past *past)
{
	*past = (struct past){ 0 };
	past_open(past, NULL, NULL);
}

static inline int past_each(struct past *past, int64_t from_ns, int64_t until_ns, past_fn one,
			    void *arg)
{
	(void)past;
	(void)from_ns;
	(void)until_ns;
	(void)one;
	(void)arg;
	return EXIT_FAILED;
}

static inline char *past_stack(struct past *past, uint64_t hash)
{
	(void)past;
	(void)hash;
	return NULL;
}

static inline void past_close(struct past *past)
{
	(void)past;
}
#endif

const char *past_lat_text(const uint64_t *lat, char *to);
bool past_lat_parse(const char *text, uint64_t *lat);

extern const char *const past_schema[PAST_VERSION];

#endif

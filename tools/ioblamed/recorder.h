/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recorder - the memory of ioblamed: usages by interval, minute and hour
 *
 * Each interval goes at once to a database in memory (a tmpfs), which a killed daemon finds
 * again.  Each minute and each hour is added up from whole intervals, so it has more names than
 * they have, and every flush_ns all finished ones go in one transaction to the database on disk:
 * that is why the recorder writes so little.  Of a machine that loses its power, up to flush_ns
 * is lost; of a daemon that is killed, the interval that it was in.
 *
 * Nothing here ends the daemon.  A database that is damaged or of another version is moved
 * aside, to NAME.aside.  What a full disk does not take stays in memory and is written later.
 * Where the database in memory is full, its oldest intervals go; what still has no room in it is
 * written to the disk at once, or is counted as dropped.  Who may read the databases can lock them,
 * too: a minute that finds both locked waits in the daemon.  A file that was removed, or in whose
 * place another one is, is noticed: the one in memory with the next interval, the one on disk when
 * it is next written.
 */
#ifndef IOBLAMED_RECORDER_H
#define IOBLAMED_RECORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "past.h"
#include "recorder_db.h"
#include "usage.h"

enum {
	RECORDER_OLD_HOURS = 24,	/* that wait for a full disk */
	RECORDER_MINUTES = 1440,	/* the same */
	RECORDER_INTERVALS = 720,	/* at most; fewer if their names are long */
	RECORDER_LATE_BYTES = 16 << 20,	/* of minutes that wait in the daemon */
};

struct recorder_conf {
	const char *file, *recent;	/* PAST_FILE, PAST_RECENT */
	uint64_t flush_ns;
	uint64_t interval_ns;		/* of recorder_add() */
	uint64_t recent_ns;		/* how long intervals are kept */
	uint64_t minutes_ns, hours_ns;	/* and minutes, and hours */
	uint64_t max_bytes;		/* of @file */
	uint64_t recent_bytes;		/* of @recent */
	gid_t group;			/* that may read them; (gid_t)-1: root's */
	unsigned int interval_rows, minute_rows, hour_rows;	/* usages of each by name */
};

/* A minute or an hour that is added up */
struct recorder_sum {
	int64_t id, nr;			/* nr: since 1970, of minutes or hours */
	struct usage_list list;
};

/* A minute that neither database has taken */
struct recorder_late {
	struct past_span minute;
	struct usage_list list;
};

struct recorder {
	struct recorder_conf conf;
	struct recorder_db recent, disk;
	struct recorder_sum minute, hour;
	struct recorder_sum old[RECORDER_OLD_HOURS];	/* hours that are not yet on disk */
	unsigned int nr_old;
	struct recorder_late *late;	/* the oldest first: recorder_late.c */
	size_t nr_late;
	int64_t next_id;
	int64_t flushed_ns;		/* on the clock of the usages, written or not */
	int64_t tidied_ns;		/* the same, when names were last looked for on the disk */
	bool made_room;			/* spans went since the pass began that looks for names */
	bool said_early[2];		/* minutes, hours: that they go before their age */
	uint64_t dropped;		/* minutes and hours that found no room, and are gone */
	uint64_t dropped_intervals;	/* that are in their minute alone */
};

void recorder_defaults(struct recorder_conf *conf);
int recorder_open(struct recorder *r, const struct recorder_conf *conf);
void recorder_add(struct recorder *r, const struct usage_list *list);
void recorder_tick(struct recorder *r, int64_t now_ns);
void recorder_close(struct recorder *r);

void recorder_squeeze(struct usage_list *list, size_t most);
bool recorder_put_disk(struct recorder *r, const struct past_span *span, struct usage_list *list);
bool recorder_bound_disk(struct recorder *r, int64_t now_ns, bool *tidied);
void recorder_tidy_disk(struct recorder *r, int64_t now_ns);
bool recorder_late_keep(struct recorder *r, const struct past_span *minute,
			struct usage_list *list);
void recorder_late_forget(struct recorder *r);
void recorder_lose_minutes(struct recorder *r, uint64_t nr);

#endif

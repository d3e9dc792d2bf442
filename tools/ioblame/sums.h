/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sums - what the module has summed up since the last pass, as usages under names
 *
 * Any number of processes may do this at once.  It takes nothing from the logs, and misses
 * nothing between two passes while one session lasts.  When somebody switches ioblame off and on
 * again, what came after the last pass of the old session is not known, nor how many IOs that were.
 *
 * As long as it is open, the module cannot be unloaded.
 */
#ifndef IOBLAME_SUMS_H
#define IOBLAME_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include "sum_lost.h"
#include "sum_seen.h"
#include "usage.h"

/*
 * Passes are not to be further apart: a slot of a sum has 32 bits, and what goes is kept for those
 * who read it within the setting ttl_secs (120, if it was not changed).
 */
#define SUMS_APART_NS	60000000000ULL

struct sums {
	int fd;			/* sums_bin; -1: not open */
	int intents;		/* the file of that name */
	uint64_t session;	/* of the last pass */
	bool on;		/* ioblame was switched on at the last pass */
	int64_t at_ns;		/* when that was, CLOCK_REALTIME */
	uint64_t ended_ns;	/* the same moment by clock_boot_ns() */
	uint64_t looked_ns;	/* when it began, by clock_ns() */
	bool for_users;		/* users are shown what is theirs: nothing that may be another's */
	struct sum_seen seen;
	uint64_t ios;		/* of the session, as status had them last */
	struct sum_lost lost;	/* of the session */
	/* false: leave out the disk; NULL: all are wanted */
	bool (*wants)(uint32_t disk, const void *arg);
	const void *arg;
	uint64_t no_room;	/* usages that lost their file or stack, as names took too much */
	uint64_t broken;	/* bytes that were no record of a known version */
};

int sums_open(struct sums *s);
int sums_pass(struct sums *s, struct usage_list *list);
int sums_gather(struct sums *s, struct usage_list *all);
void sums_close(struct sums *s);

#endif

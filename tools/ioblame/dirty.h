/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty - the module's file `dirty`, added up
 *
 * The file has a line for each 1,024 page frames of memory in which a
 * program's pages of a file are; here they are one row.
 */
#ifndef IOBLAME_DIRTY_H
#define IOBLAME_DIRTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

#include "choice.h"
#include "map.h"

/* What a row stands for: what does not count is 0. */
struct dirty_key {
	uint64_t ino, cgroup, id;
	uint32_t dev, gen, tgid, kind;	/* enum rec_role */
	uint32_t known;			/* the dirtier is */
	uint32_t cancelled;		/* of cancelled writes, which have no file */
	char comm[IOB_COMM_LEN];
};

struct dirty_row {
	struct dirty_key key;
	uint64_t dirty, writeback, cancelled;	/* pages */
	uint64_t oldest_ns;		/* CLOCK_MONOTONIC, 0: not known */
	uint32_t how;			/* enum iob_how; the least sure; IOB_NR_HOWS: nobody */
};

struct dirty {
	struct map rows;
	uint64_t broken;		/* lines that were not understood */
};

bool dirty_parse(struct dirty_row *row, const char *line);
void dirty_add(struct dirty *d, const struct dirty_row *row);
int dirty_read(struct dirty *d, int fd, bool (*takes)(struct dirty_row *row, const void *arg),
	       const void *arg);
size_t dirty_sorted(const struct dirty *d, bool by_bytes, struct dirty_row ***sorted);
void dirty_narrow(struct dirty_key *key, enum pivot by);
void dirty_join(struct dirty *d);
void dirty_clear(struct dirty *d);

#endif

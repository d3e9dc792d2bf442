/* SPDX-License-Identifier: GPL-2.0 */
/*
 * status - the module's `status` as numbers, and the difference of two
 *
 * All but status_read(), status_now() and status_taken_over() is pure.
 */
#ifndef IOBLAME_STATUS_H
#define IOBLAME_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/ioblame.h>

enum {
	STATUS_LOSSES = 48,
	STATUS_NAME = 40,
};

/* What is missing of (role, intent, file) for want of room or memory. */
enum status_less {
	LESS_INTENT,	/* the stack */
	LESS_FILE,	/* in counters; maybe the stack, too */
	LESS_ROLE,	/* all */
	NR_LESS,
};

struct status_loss {
	char name[STATUS_NAME];
	char what[96];
	uint64_t nr;
};

/* A line of a status that was cut for one user, by ioblamed: it has no totals */
#define STATUS_OWN	"own 1\n"

struct status {
	bool enabled;
	bool own;			/* the totals are not told */
	uint64_t session;
	uint64_t module;		/* of status_read(): another number for each load; 0: old */
	uint64_t ios;
	uint64_t bytes[IOB_NR_HOWS];
	uint64_t less[NR_LESS];
	struct status_loss loss[STATUS_LOSSES];
	unsigned int nr_losses;
	unsigned int missing;		/* hooks that are missing */
};

void status_parse(struct status *st, const char *text);
char *status_read(void);
bool status_now(struct status *st);
bool status_taken_over(uint64_t session);
bool status_follows(const struct status *now, const struct status *before);
void status_since(struct status *now, const struct status *before);
void status_add_loss(struct status *st, const char *name, const char *what, uint64_t nr);
const char *status_less_name(enum status_less less);
uint64_t status_all_bytes(const struct status *st);

#endif

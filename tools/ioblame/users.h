/* SPDX-License-Identifier: GPL-2.0 */
/*
 * users - other processes that have files of the module open
 *
 * Of several the one is named that reads a log.  The keeper (restore.h) has a file open for its
 * command, which is named in its place: who ends the keeper, to have ioblame, loses the settings.
 */
#ifndef IOBLAME_USERS_H
#define IOBLAME_USERS_H

#include <stdbool.h>

#include "escape.h"

#define KEEPER	"ioblame-keeper"
/* It has a file of memory open whose name is this and the number of the command's session. */
#define KEEPER_SESSION	"ioblame-session-"

/* Of more, so many are listed */
#define USERS_MAX	8

struct users {
	int pid;			/* one of them; 0: there is none */
	char comm[ESCAPE_SIZE(16)];
	char file[64];			/* that it has open; "" if only its keeper has one */
	bool bin, text;			/* one of them reads this log */
	bool sums;			/* ... or the sums */
	int keeps;			/* one that will put settings back at its end, or 0 */
	bool service;			/* one is of ioblamed's service */
	int others[USERS_MAX];		/* all that are not */
	unsigned int nr_others;
};

void users_find(struct users *u);

#endif

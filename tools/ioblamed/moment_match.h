/* SPDX-License-Identifier: GPL-2.0 */
/*
 * moment_match - what the judge asks of records and disks
 *
 * Whether a record is of the unit, program or user of a rule, remembered by its numbers, as there
 * are many records of one originator; and how long a disk was busy.
 */
#ifndef IOBLAMED_MOMENT_MATCH_H
#define IOBLAMED_MOMENT_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/ioblame.h>

#include "map.h"
#include "rule.h"

struct moment_match {
	struct matched *known;		/* a table by rule and hash; NULL: nothing is asked */
	struct map disks;		/* what they were at the last window */
	unsigned int turns;
};

bool moment_match_is(struct moment_match *m, const struct rule *rule, unsigned int nr,
		     const struct iob_iolog_bin_record *rec);
int64_t moment_busy(struct moment_match *m, uint32_t disk);
void moment_match_turn(struct moment_match *m);
void moment_match_forget(struct moment_match *m);

#endif

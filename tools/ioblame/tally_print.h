/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tally_print - tallies as a table, the largest first
 */
#ifndef IOBLAME_TALLY_PRINT_H
#define IOBLAME_TALLY_PRINT_H

#include <stdbool.h>
#include <stdint.h>

#include "tally.h"

struct col;
struct run;
struct table;

/* How a view shows its tallies. */
struct tally_look {
	const char *type;		/* of its lines of JSON */
	const struct col *columns;
	unsigned int nr_columns;
	unsigned int rows;		/* of a table, without --rows */
	const char *none;		/* said of an interval without any; or NULL */
	void (*print)(const struct run *run, struct table *table, const struct tally *t,
		      uint64_t from_ns, uint64_t to_ns);
};

const char *tally_disk(const struct tally *t);
void tally_print(struct run *run, struct tallies *tallies, const struct tally_look *look,
		 uint64_t from_ns, uint64_t to_ns, bool last);

#endif

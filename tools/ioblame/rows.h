/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rows - rows of sums as tables
 */
#ifndef IOBLAME_ROWS_H
#define IOBLAME_ROWS_H

#include "agg.h"
#include "run.h"

struct rows_look {
	bool rates;		/* per second, else sums */
	bool submitter;
	uint64_t from_ns, to_ns;
};

void rows_print(const struct run *run, const struct agg *agg, enum pivot by,
		unsigned int most, const struct rows_look *look);
const char *row_label(const struct atom *a, enum pivot by, char *to, unsigned int size);
const char *row_who(const struct atom *a, char *to, unsigned int size);
const char *row_comm(const struct atom *a, char *to, unsigned int size);
const char *row_file(const struct atom *a);
bool row_exited(const struct run *run, const struct atom *a);

#endif

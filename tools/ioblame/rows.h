/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rows - print sums as tables
 */
#ifndef IOBLAME_ROWS_H
#define IOBLAME_ROWS_H

#include "agg.h"
#include "run.h"

struct rows_look {
	bool rates;		/* show rates, else sums */
	bool submitter;
	uint64_t from_ns, to_ns;
};

void rows_print(const struct run *run, const struct agg *agg, enum pivot by,
		unsigned int most, const struct rows_look *look);

#endif

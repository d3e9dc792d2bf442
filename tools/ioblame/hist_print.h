/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hist_print - how the view hist prints its histograms
 */
#ifndef IOBLAME_HIST_PRINT_H
#define IOBLAME_HIST_PRINT_H

#include <stddef.h>
#include <stdint.h>

#include "hist.h"
#include "opts.h"
#include "run.h"
#include "table.h"

enum {
	HISTS = 20,		/* of a table, which says how many more there are */
};

/* How many histograms are printed at most. */
static inline size_t hist_most(const struct opts *o)
{
	return o->rows ? o->rows : o->format == FORMAT_TABLE ? HISTS : SIZE_MAX;
}

void hist_print(const struct run *run, const struct hist *h, __uint128_t sum,
		const char *by, const char *name, uint64_t to_ns);
struct table *hist_new_sums(const struct run *run);
void hist_add_sums(const struct run *run, struct table *t, const struct hist *h,
		   __uint128_t sum, const char *by, const char *name, uint64_t to_ns);

#endif

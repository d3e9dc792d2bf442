/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hist_print - how the view hist prints its histograms
 */
#ifndef IOBLAME_HIST_PRINT_H
#define IOBLAME_HIST_PRINT_H

#include <stdint.h>

#include "hist.h"
#include "run.h"
#include "table.h"

void hist_print(const struct run *run, const struct hist *h, __uint128_t sum,
		const char *by, const char *name, uint64_t to_ns);
struct table *hist_new_sums(const struct run *run);
void hist_add_sums(const struct run *run, struct table *t, const struct hist *h,
		   __uint128_t sum, const char *by, const char *name, uint64_t to_ns);

#endif

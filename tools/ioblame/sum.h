/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sum - the sums of views that show sums, and the functions of their struct view
 */
#ifndef IOBLAME_SUM_H
#define IOBLAME_SUM_H

#include "agg.h"
#include "run.h"

extern struct agg summed;

int sum_begin(struct run *run);
void sum_record(struct run *run, const struct iob_iolog_bin_record *rec);
void sum_filled(struct run *run);
void sum_print_folded(const struct run *run);
int sum_end(struct run *run);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metrics_loop - metrics in the daemon's loop
 */
#ifndef IOBLAMED_METRICS_LOOP_H
#define IOBLAMED_METRICS_LOOP_H

#include "metrics.h"

struct sd_event;

int metrics_begin(struct metrics **m, struct sd_event *event, const struct metrics_conf *conf);
void metrics_interval(struct metrics *m, const struct usage_list *usage, bool module);
void metrics_idle(struct metrics *m, bool open);
void metrics_finish(struct metrics *m, bool kept);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * feeder - reads the file of --feed in the loop, at the pace at which it comes
 */
#ifndef IOBLAMED_FEEDER_H
#define IOBLAMED_FEEDER_H

#include <stdbool.h>

#include "usage.h"

struct sd_event;

/* Called for each interval; the list lives until the return */
typedef void (*feeder_usage_fn)(const struct usage_list *usage, void *arg);

int feeder_begin(struct sd_event *event, const char *path, bool exit_at_end,
		 feeder_usage_fn usage, void *arg);
void feeder_end(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * filter - select records by the options of the command line
 */
#ifndef IOBLAME_FILTER_H
#define IOBLAME_FILTER_H

#include <stdbool.h>

#include "device.h"
#include "opts.h"
#include "rec.h"
#include "wants.h"

struct filter {
	const struct opts *opts;
	const struct device *device;	/* if the module watches more than these */
	unsigned int nr_devices;
	struct wants wants;
};

void filter_begin(struct filter *f, const struct opts *opts);
bool filter_selects(const struct opts *o);
bool filter_chooses(struct filter *f, const struct iob_iolog_bin_record *rec);
bool filter_takes(struct filter *f, const struct iob_iolog_bin_record *rec);
void filter_end(struct filter *f);

#endif

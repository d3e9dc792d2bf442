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

struct filter {
	const struct opts *opts;
	const struct device *device;	/* if the module watches more than these */
	unsigned int nr_devices;
};

bool filter_takes(const struct filter *f, const struct iob_iolog_bin_record *rec);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * field - the measures of an IO that counters record and filters compare
 *
 * Each measure is an unsigned 64-bit number.  The names, and how numbers are written, are
 * the same in counters/NR and in counters/NR_filter.
 *
 * Example: a read of 4096 bytes that waited 120 us in the queue and then took 880 us has
 * size 4096, wait_time 120, io_time 880 and total_time 1000.
 */
#ifndef IOB_IO_FIELD_H
#define IOB_IO_FIELD_H

#include <linux/types.h>

/**
 * enum iob_field - what is measured of an IO
 * @IOB_FIELD_OFFSET:	  where on the disk, scaled to 0..65535
 * @IOB_FIELD_SIZE:	  bytes
 * @IOB_FIELD_WAIT_TIME:  queue to last issue, µs
 * @IOB_FIELD_IO_TIME:	  last issue to completion, µs
 * @IOB_FIELD_SEEK_DIST:  from the end of the previous completed IO of the
 *			  disk, scaled to 0..65535
 * @IOB_FIELD_AGE:	  dirtying or submission to completion, µs
 * @IOB_FIELD_TOTAL_TIME: queue to completion, µs
 * @IOB_NR_FIELDS:	  their number
 */
enum iob_field {
	IOB_FIELD_OFFSET,
	IOB_FIELD_SIZE,
	IOB_FIELD_WAIT_TIME,
	IOB_FIELD_IO_TIME,
	IOB_FIELD_SEEK_DIST,
	IOB_FIELD_AGE,
	IOB_FIELD_TOTAL_TIME,
	IOB_NR_FIELDS
};

struct iob_fields {
	u64 v[IOB_NR_FIELDS];		/* by enum iob_field */
};

const char *iob_field_name(enum iob_field f);
int iob_field_parse(const char *s, size_t len);
int iob_field_parse_value(const char *s, size_t len, u64 *value);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counter_spec - what one counter counts: "DIR FIELD B0 B1 .. B8"
 *
 * Nine boundaries enclose eight slots: slot n holds B[n] <= FIELD < B[n + 1].
 * No boundary is smaller than the one before it; of two that are equal, the
 * slot between them stays empty.  B8 alone may be 0: the last slot then has
 * no upper limit.
 */
#ifndef IOB_RECORD_COUNTER_SPEC_H
#define IOB_RECORD_COUNTER_SPEC_H

#include <linux/types.h>

#include "field.h"

enum {
	IOB_DIR_R	= 1 << 0,	/* read, without readahead */
	IOB_DIR_A	= 1 << 1,	/* readahead */
	IOB_DIR_W	= 1 << 2,	/* write */
	IOB_DIR_D	= 1 << 3,	/* discard, write zeroes */
	IOB_DIR_F	= 1 << 4,	/* flush */

	IOB_NR_SLOTS	= 8,

	/* holds the longest formatted specification and its NUL */
	IOB_COUNTER_SPEC_SIZE = 256,
};

struct iob_counter_spec {
	u8 dirs;			/* IOB_DIR_*; 0: disabled */
	u8 field;			/* enum iob_field */
	u64 bound[IOB_NR_SLOTS + 1];	/* in the field's unit */
};

int iob_counter_spec_parse(const char *text, struct iob_counter_spec *out);
int iob_counter_spec_format(const struct iob_counter_spec *s, char *buf,
			    size_t size);
int iob_counter_slot(const struct iob_counter_spec *s, u64 value);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counter_spec - what one counter counts: "DIR FIELD B0 B1 .. B8"
 *
 * Nine boundaries enclose eight slots: slot n holds B[n] <= FIELD < B[n + 1].
 * No boundary is smaller than the one before it; of two that are equal, the
 * slot between them stays empty.  B8 alone may be 0: the last slot then has
 * no upper limit.
 */
#ifndef IOB_IO_COUNTER_SPEC_H
#define IOB_IO_COUNTER_SPEC_H

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

/**
 * iob_counter_slot_in - where in the histogram a value is counted that is
 * @s:	   an enabled specification
 * @value: the field's, in its unit; not below B0, and below B8
 *
 * The slot is the last one whose lower boundary is not above @value, so that
 * equal boundaries leave the earlier slot empty.
 *
 * Any context; three comparisons.
 */
static __always_inline unsigned int
iob_counter_slot_in(const struct iob_counter_spec *s, u64 value)
{
	const u64 *b = s->bound;
	unsigned int slot = value >= b[4] ? 4 : 0;

	slot += value >= b[slot + 2] ? 2 : 0;
	return slot + (value >= b[slot + 1]);
}

/* As iob_counter_slot_in(), or -1 if the value is below B0 or not below B8. */
static inline int iob_counter_slot(const struct iob_counter_spec *s, u64 value)
{
	const u64 *b = s->bound;

	if (value < b[0] || (b[IOB_NR_SLOTS] && value >= b[IOB_NR_SLOTS]))
		return -1;
	return iob_counter_slot_in(s, value);
}

#endif

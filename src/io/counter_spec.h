/* SPDX-License-Identifier: GPL-2.0 */
/*
 * counter_spec - what one counter counts: "DIR FIELD B0 B1 .. B8"
 *
 * Nine boundaries enclose eight slots: slot n counts values with B[n] <= FIELD < B[n + 1].
 * No boundary is smaller than the previous one; the slot between two equal ones stays
 * empty.  Only B8 may be 0: then the last slot has no upper limit.
 *
 * Example: "W size 0 4096 8192 16384 65536 131072 262144 524288 0".  A write of 20000 bytes
 * is not below B3 = 16384 and below B4 = 65536: it counts in slot 3.  A write of 4 MiB
 * counts in slot 7.
 */
#ifndef IOB_IO_COUNTER_SPEC_H
#define IOB_IO_COUNTER_SPEC_H

#include <linux/types.h>

#include "field.h"

enum {
	/* bit n is letter n of IOB_OPS */
	IOB_DIR_R	= 1 << 0,	/* read, without readahead */
	IOB_DIR_A	= 1 << 1,	/* readahead */
	IOB_DIR_W	= 1 << 2,	/* write */
	IOB_DIR_D	= 1 << 3,	/* discard, write zeroes */
	IOB_DIR_F	= 1 << 4,	/* flush */

	IOB_NR_SLOTS	= 8,

	/* bytes of the longest specification as text, with NUL */
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
 * iob_counter_slot_in - the slot of a value within the boundaries
 * @s:	   an enabled specification
 * @value: of the field, in its unit; B0 <= @value < B8
 *
 * The result is the last slot whose lower boundary is not above @value, so equal boundaries
 * leave the earlier slot empty.
 *
 * Any context.  Three comparisons.
 */
static __always_inline unsigned int
iob_counter_slot_in(const struct iob_counter_spec *s, u64 value)
{
	const u64 *b = s->bound;
	unsigned int slot = value >= b[4] ? 4 : 0;

	slot += value >= b[slot + 2] ? 2 : 0;
	return slot + (value >= b[slot + 1]);
}

/* iob_counter_slot_in(), or -1 for a value outside of B0 .. B8. */
static inline int iob_counter_slot(const struct iob_counter_spec *s, u64 value)
{
	const u64 *b = s->bound;

	if (value < b[0] || (b[IOB_NR_SLOTS] && value >= b[IOB_NR_SLOTS]))
		return -1;
	return iob_counter_slot_in(s, value);
}

/*
 * A counter of size or total_time, for values below IOB_SIMPLE_VALUES.  Its numbers are as
 * large as those of a histogram, so the search for a slot ends with the slot's offset.
 */
struct iob_simple_counter {
	u32 bound[IOB_NR_SLOTS];
	u32 width;		/* from the first boundary to the greatest value that counts */
	u32 at;			/* its slot 0 in an act's histograms, in bytes */
	bool size;		/* of IOB_FIELD_SIZE */
};

#define IOB_SIMPLE_VALUES	0xffffffffU

bool iob_simple_counter_make(const struct iob_counter_spec *s, u32 first,
			     struct iob_simple_counter *p);

/* True if iob_counter_slot() is not -1.  Any context. */
static __always_inline bool iob_simple_counter_counts(const struct iob_simple_counter *p,
						      u32 value)
{
	return value - p->bound[0] <= p->width;
}

/*
 * The slot of a value that counts, as iob_counter_slot_in(): its number in an act's histograms,
 * in bytes.
 */
static __always_inline unsigned long
iob_simple_counter_slot(const struct iob_simple_counter *p, u32 value)
{
	const u32 *slot = p->bound;

	/* (jumps: most IOs of a kind fall in the same slot) */
	if (value >= slot[4])
		slot += 4;
	if (value >= slot[2])
		slot += 2;
	if (value >= slot[1])
		slot += 1;
	return p->at + ((const char *)slot - (const char *)p->bound);
}

#endif

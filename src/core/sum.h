/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sum - what one act did to one disk, in numbers of 64 bits
 *
 * An act has a sum for each disk, operation and certainty: mostly one.  Its numbers are never
 * reset, so any number of readers can each compare them with what they saw last.
 *
 * Example: dd writes a file on sda, and a thread of the journal writes some of its pages
 * again.  dd's act has one sum { sda, write, exact }, the journal's act another.  An IO of 8192
 * bytes that took 100 us adds 1, 8192 and 100000 to the first one, and 1 to its slot 7, which
 * counts IOs from 64 us to less than 128.
 *
 * All CPUs may count at once: each number is atomic.  The numbers of one IO are not added at
 * one time, so a reader may see some of them first.
 *
 * Pure: builds in userspace too.
 */
#ifndef IOB_CORE_SUM_H
#define IOB_CORE_SUM_H

#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/ioblame.h>
#include <linux/types.h>

struct iob_disk;

/* Slots that are kept; what is beyond IOB_SUM_SLOTS is shown in the last one. */
#define IOB_SUM_KEPT	32

struct iob_sum {
	const struct iob_disk *disk;	/* constant */
	struct iob_sum *next;		/* the next one of the act; set once */
	u32 key;			/* iob_sum_key(), constant */
	u32 generation;			/* iob_sum_generation after the last IO */
	atomic64_t ios;
	atomic64_t bytes;
	atomic64_t ns;
	u64 id;				/* constant */
	atomic64_t errors;		/* the members before it share a line */
	atomic_t lat[IOB_SUM_KEPT];
};

/* The numbers of a sum at one moment. */
struct iob_sum_values {
	u64 ios;
	u64 bytes;
	u64 ns;
	u64 errors;
	u32 lat[IOB_SUM_SLOTS];
};

/* Sums note it: one more for each pass of a reader. */
extern u32 iob_sum_generation;

/* What tells the sums of one act and disk from each other.  Of exact ones it is @op. */
static __always_inline u32 iob_sum_key(u8 op, u8 how)
{
	return (u32)how << 8 | op;
}

static __always_inline u8 iob_sum_op(const struct iob_sum *sum)
{
	return sum->key;
}

static __always_inline u8 iob_sum_how(const struct iob_sum *sum)
{
	return sum->key >> 8;
}

/* The slot of an IO that took so long; @usecs is below 2^31. */
static __always_inline unsigned long iob_sum_slot(u32 usecs)
{
	/* fls(usecs), without a test for 0 */
	return __fls((u32)(usecs * 2 + 1));
}

/*
 * Note that a sum has changed, behind the change.
 *
 * A reader's pass begins with a new generation and waits until each CPU that may have read the
 * one before is done.  So what was noted under the old one is in this pass, and what comes
 * later notes the new one, and is in the next pass in any case.  (The note comes last: a CPU that
 * still has the old generation may overwrite a new one, but then this pass sees the change.)
 */
static __always_inline void iob_sum_changed(struct iob_sum *sum)
{
	u32 now = READ_ONCE(iob_sum_generation);

	/* the numbers first: a barrier of the compiler's only where atomics are barriers */
	smp_mb__after_atomic();
	if (READ_ONCE(sum->generation) != now)
		WRITE_ONCE(sum->generation, now);
}

/**
 * iob_sum_io - count one IO
 * @sum:   of its act, disk, operation and certainty
 * @bytes: of the IO, or of the first part if several acts share it
 * @ns:    from queueing to completion
 * @usecs: the same in microseconds, below 2^31
 *
 * Any context but NMI, inside iob_read_lock().
 */
static __always_inline void iob_sum_io(struct iob_sum *sum, u32 bytes, u64 ns, u32 usecs)
{
	atomic64_inc(&sum->ios);
	atomic64_add(bytes, &sum->bytes);
	atomic64_add(ns, &sum->ns);
	atomic_inc(&sum->lat[iob_sum_slot(usecs)]);
	iob_sum_changed(sum);
}

/* Count a later part of an IO, which has another act than the part before.  As iob_sum_io(). */
static inline void iob_sum_part(struct iob_sum *sum, u32 bytes)
{
	atomic64_add(bytes, &sum->bytes);
	iob_sum_changed(sum);
}

/* The IO, or its part, failed.  Likewise. */
static inline void iob_sum_error(struct iob_sum *sum)
{
	atomic64_inc(&sum->errors);
	iob_sum_changed(sum);
}

void iob_sum_init(struct iob_sum *sum, const struct iob_disk *disk, u32 key);
void iob_sum_read(const struct iob_sum *sum, struct iob_sum_values *values);
void iob_sum_add(struct iob_sum *to, const struct iob_sum_values *values);
bool iob_sum_empty(const struct iob_sum *sum);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_ring - the log of one CPU: records of one size, first in, first out
 *
 * One CPU writes and one reader at a time takes; neither waits for the other.  A full ring
 * takes no record.  One place stays empty, so that a full ring differs from an empty one.
 *
 * The reader looks at the ring now and then, and takes what was there at that moment.
 * Records that come meanwhile are for the next look.  So a reader of many rings can merge
 * them by time and look at each ring once for many records.
 *
 * Example: a ring of 4 places, head 1, tail 3: places 3 and 0 have records.  The CPU writes
 * place 1, head becomes 2.  The next record finds that head + 1 is tail, and is dropped.
 *
 * All but the memory is pure: it builds in userspace too.
 */
#ifndef IOB_IO_LOG_RING_H
#define IOB_IO_LOG_RING_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ioblame.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

struct iob_log_ring {
	/* the writer's */
	u32 head;		/* the next place; read by the reader */
	u32 room_to;		/* the tail when it was looked at last */
	/* both sides'; constant */
	u32 nr;			/* places */
	struct rcu_head rcu;
	/* the reader's */
	u32 tail ____cacheline_aligned_in_smp;	/* the oldest record; read by the writer */
	u32 until;		/* the head at the last look */
	struct iob_iolog_bin_record rec[] ____cacheline_aligned_in_smp;
};

static inline u32 iob_log_ring_after(const struct iob_log_ring *ring, u32 place)
{
	return place + 1 == ring->nr ? 0 : place + 1;
}

/* Empty a ring of @nr places, 2 or more.  Neither a writer nor a reader is there. */
static inline void iob_log_ring_reset(struct iob_log_ring *ring, u32 nr)
{
	ring->nr = nr;
	ring->head = 0;
	ring->room_to = 0;
	ring->tail = 0;
	ring->until = 0;
}

/* Write a record.  On the CPU of the ring, interrupts off.  Return: false if it is full. */
static inline bool iob_log_ring_put(struct iob_log_ring *ring,
				    const struct iob_iolog_bin_record *rec)
{
	u32 head = ring->head, next = iob_log_ring_after(ring, head);

	if (unlikely(next == ring->room_to)) {
		/* pairs with iob_log_ring_next(): the place has been read */
		ring->room_to = smp_load_acquire(&ring->tail);
		if (next == ring->room_to)
			return false;
	}
	memcpy(&ring->rec[head], rec, sizeof(*rec));
	/* pairs with iob_log_ring_look() */
	smp_store_release(&ring->head, next);
	return true;
}

/* True if there is a record that the reader has not taken.  Any context. */
static inline bool iob_log_ring_has(const struct iob_log_ring *ring)
{
	return READ_ONCE(ring->head) != READ_ONCE(ring->tail);
}

/* The oldest record of those that were there at the last look, or NULL.  The reader. */
static inline const struct iob_iolog_bin_record *
iob_log_ring_first(const struct iob_log_ring *ring)
{
	return ring->tail != ring->until ? &ring->rec[ring->tail] : NULL;
}

/* Look what is there now.  The reader.  Return: the oldest record, or NULL. */
static inline const struct iob_iolog_bin_record *
iob_log_ring_look(struct iob_log_ring *ring)
{
	/* pairs with iob_log_ring_put(): the record is there */
	ring->until = smp_load_acquire(&ring->head);
	return iob_log_ring_first(ring);
}

/* How many records lie behind each other from iob_log_ring_first() on.  The reader. */
static inline u32 iob_log_ring_run(const struct iob_log_ring *ring)
{
	return (ring->until >= ring->tail ? ring->until : ring->nr) - ring->tail;
}

/* Give up the first @n of iob_log_ring_run() records.  The reader.  Return: the next one. */
static inline const struct iob_iolog_bin_record *
iob_log_ring_skip(struct iob_log_ring *ring, u32 n)
{
	u32 tail = ring->tail + n;

	/* pairs with iob_log_ring_put(): what was there has been read */
	smp_store_release(&ring->tail, tail == ring->nr ? 0 : tail);
	return iob_log_ring_first(ring);
}

/* Give up iob_log_ring_first(), which is not NULL.  The reader.  Return: the next one. */
static inline const struct iob_iolog_bin_record *
iob_log_ring_next(struct iob_log_ring *ring)
{
	/* pairs with iob_log_ring_put(): what was there has been read */
	smp_store_release(&ring->tail, iob_log_ring_after(ring, ring->tail));
	return iob_log_ring_first(ring);
}

struct iob_log_ring *iob_log_ring_alloc(unsigned long bytes, int cpu);
void iob_log_ring_free(struct iob_log_ring *ring);

#endif

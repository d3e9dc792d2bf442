// SPDX-License-Identifier: GPL-2.0
/*
 * The reader looks at all rings, and then merges by time what was there at that moment;
 * then it looks again.  A record that is missed by a look was written after all records
 * that the look found.
 *
 * Rings are there while a program has iolog open, or the session keeps its log.  They are
 * found by probes under iob_read_lock(), and freed after a grace period.
 */
#include <linux/cpu.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include <compat/rcu.h>

#include "log_merge.h"
#include "log_readers.h"
#include "log_ring.h"
#include "log_text.h"

enum {
	/* all CPUs together; a record takes 160 bytes */
	TEXT_BYTES   = 16 << 20,
	TEXT_CPU_MIN = 256 << 10,
};

/* T: text_mutex; one reader at a time takes records */
static DEFINE_MUTEX(text_mutex);
static DEFINE_PER_CPU(struct iob_log_ring *, text_ring);	/* T; RCU */
static struct iob_log_merge *text_merge;	/* T; NULL: there are no rings */
static bool text_kept;				/* T; the session has log_at_enable */
static atomic_t text_readers;

static unsigned long text_cpu_bytes(void)
{
	return max_t(unsigned long, TEXT_CPU_MIN, TEXT_BYTES / num_possible_cpus());
}

/* Make the ring of one CPU.  T. */
static int text_ring_make(unsigned int cpu)
{
	struct iob_log_ring *ring;

	if (per_cpu(text_ring, cpu))
		return 0;
	ring = iob_log_ring_alloc(text_cpu_bytes(), cpu);
	if (!ring)
		return -ENOMEM;
	/* pairs with the dependency in iob_log_text_add() */
	smp_store_release(per_cpu_ptr(&text_ring, cpu), ring);
	return 0;
}

/* T */
static void text_rings_free(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct iob_log_ring *ring = per_cpu(text_ring, cpu);

		WRITE_ONCE(per_cpu(text_ring, cpu), NULL);
		iob_log_ring_free(ring);
	}
	kvfree(text_merge);
	text_merge = NULL;
}

/* Make the rings if they are not there.  T, and no CPU comes. */
static int text_rings_make(void)
{
	unsigned int cpu;
	int err = 0;

	if (text_merge)
		return 0;
	text_merge = kvzalloc(struct_size(text_merge, head, nr_cpu_ids), GFP_KERNEL);
	if (!text_merge)
		return -ENOMEM;
	for_each_online_cpu(cpu) {
		err = text_ring_make(cpu);
		if (err)
			break;
	}
	if (err)
		text_rings_free();
	return err;
}

/* Forget all records.  No probe is attached.  T. */
static void text_rings_empty(void)
{
	struct iob_log_ring *ring;
	unsigned int cpu;

	if (!text_merge)
		return;
	for_each_possible_cpu(cpu) {
		ring = per_cpu(text_ring, cpu);
		if (ring)
			iob_log_ring_reset(ring, ring->nr);
	}
	text_merge->nr = 0;
}

/* The ring of this CPU is full, or is not there.  Count the loss, if there is one. */
static noinline void text_record_lost(void)
{
	if (atomic_read(&text_readers)) {
		iob_stat_inc(iolog_overflow);
		return;
	}
	/* (else the last reader has just closed the file) */
	if (!READ_ONCE(text_kept))
		return;
	iob_stat_inc(iolog_unread);
	WRITE_ONCE(iob_iolog_readers.text, IOB_LOG_TEXT_FULL);
	/* pairs with the barrier in iob_iolog_open(): the file may be opened now */
	smp_mb();
	if (atomic_read(&text_readers))
		WRITE_ONCE(iob_iolog_readers.text, IOB_LOG_TEXT_ON);
}

/* Keep a record.  Any context but NMI, inside iob_read_lock(). */
void iob_log_text_add(const struct iob_iolog_bin_record *rec)
{
	struct iob_log_ring *ring;
	unsigned long flags;
	bool kept;

	local_irq_save(flags);
	ring = READ_ONCE(*this_cpu_ptr(&text_ring));
	kept = ring && iob_log_ring_put(ring, rec);
	local_irq_restore(flags);
	if (unlikely(!kept))
		text_record_lost();
}

/**
 * iob_iolog_open - iolog is opened: the log is kept from now on
 *
 * What does not fit is a loss for the reader.  May sleep.  Return: 0 or -ENOMEM.
 */
int iob_iolog_open(void)
{
	int err;

	cpus_read_lock();
	mutex_lock(&text_mutex);
	err = text_rings_make();
	if (!err) {
		atomic_inc(&text_readers);
		/* pairs with the barrier in text_record_lost() */
		smp_mb__after_atomic();
		WRITE_ONCE(iob_iolog_readers.text, IOB_LOG_TEXT_ON);
	}
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	return err;
}

/* iolog is closed.  May sleep. */
void iob_iolog_close(void)
{
	mutex_lock(&text_mutex);
	if (atomic_dec_and_test(&text_readers) && !text_kept) {
		WRITE_ONCE(iob_iolog_readers.text, IOB_LOG_TEXT_OFF);
		text_rings_free();
	}
	mutex_unlock(&text_mutex);
}

/* Look at all rings.  T. */
static void text_rings_look(void)
{
	const struct iob_iolog_bin_record *rec;
	struct iob_log_ring *ring;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		ring = per_cpu(text_ring, cpu);
		rec = ring ? iob_log_ring_look(ring) : NULL;
		if (rec)
			iob_log_merge_add(text_merge, cpu, rec->complete_ns);
	}
}

/* T */
static bool text_record_take(struct iob_iolog_bin_record *rec)
{
	const struct iob_iolog_bin_record *next;
	struct iob_log_ring *ring;

	if (!text_merge)
		return false;
	if (!text_merge->nr)
		text_rings_look();
	if (!text_merge->nr)
		return false;
	ring = per_cpu(text_ring, text_merge->head[0].cpu);
	*rec = *iob_log_ring_first(ring);
	next = iob_log_ring_next(ring);
	if (next)
		iob_log_merge_renew(text_merge, next->complete_ns);
	else
		iob_log_merge_drop(text_merge);
	return true;
}

/**
 * iob_iolog_next - take the oldest record out of the text log
 * @rec: gets it
 *
 * May sleep; the caller holds the session.  Return: false if there is none.
 */
bool iob_iolog_next(struct iob_iolog_bin_record *rec)
{
	bool got;

	mutex_lock(&text_mutex);
	got = text_record_take(rec);
	mutex_unlock(&text_mutex);
	return got;
}

/* A waiting reader does not hold the session, which may end meanwhile. */
static bool has_text_record(void)
{
	const struct iob_log_ring *ring;
	unsigned int cpu;
	bool has = false;

	iob_read_lock();
	for_each_possible_cpu(cpu) {
		ring = READ_ONCE(per_cpu(text_ring, cpu));
		if (ring && iob_log_ring_has(ring)) {
			has = true;
			break;
		}
	}
	iob_read_unlock();
	return has;
}

static bool is_text_ready(void)
{
	if (has_text_record() || iob_iolog_ended())
		return true;
	iob_log_announce();
	return has_text_record() || iob_iolog_ended();
}

/**
 * iob_iolog_wait - wait for a record of the text log, or for the end of the session
 *
 * May sleep; the caller holds no lock.  Return: 0 or -ERESTARTSYS.
 */
int iob_iolog_wait(void)
{
	return wait_event_interruptible(iob_log_wait, is_text_ready());
}

/* poll(2) on the text file. */
__poll_t iob_iolog_poll(struct file *file, struct poll_table_struct *pt)
{
	poll_wait(file, &iob_log_wait, pt);
	/* also if there is a record: an edge-triggered epoll does not ask again when all is read */
	iob_log_announce();
	return is_text_ready() ? EPOLLIN | EPOLLRDNORM : 0;
}

/* The bytes of the rings.  Any context. */
unsigned long iob_log_text_bytes(void)
{
	unsigned long bytes = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (READ_ONCE(per_cpu(text_ring, cpu)))
			bytes += text_cpu_bytes();
	}
	return bytes;
}

/**
 * iob_log_text_start - a session begins
 * @keep: keep its log for a later reader
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_log_text_start(bool keep)
{
	int err = 0;

	cpus_read_lock();
	mutex_lock(&text_mutex);
	if (keep)
		err = text_rings_make();
	text_kept = keep && !err;
	WRITE_ONCE(iob_iolog_readers.text, text_kept || atomic_read(&text_readers) ?
		   IOB_LOG_TEXT_ON : IOB_LOG_TEXT_OFF);
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	return err;
}

/* Forget what the session had.  No probe is attached.  May sleep. */
void iob_log_text_stop(void)
{
	mutex_lock(&text_mutex);
	text_kept = false;
	text_rings_empty();
	if (!atomic_read(&text_readers)) {
		WRITE_ONCE(iob_iolog_readers.text, IOB_LOG_TEXT_OFF);
		text_rings_free();
	}
	mutex_unlock(&text_mutex);
}

/* A CPU is about to come.  Without memory all that it logs is lost, and counted. */
void iob_log_text_cpu(unsigned int cpu)
{
	mutex_lock(&text_mutex);
	if (text_merge)
		text_ring_make(cpu);
	mutex_unlock(&text_mutex);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What readers of one iolog_bin* get, whatever room they have: each record once, and with room for
 * one, whole records only.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/err.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "test.h"

/* the real ones are not read */
#define IOB_IO_LOG_READERS_H
#define _LINUX_POLL_H

#define __user
#define GFP_KERNEL			0
#define ERESTARTSYS			512
#define EPOLLIN				1
#define EPOLLRDNORM			64
#define DEFINE_PER_CPU(type, name)	type name
#define per_cpu(name, cpu)		(*((void)(cpu), &(name)))
#define local_irq_save(flags)		((void)((flags) = 0))
#define local_irq_restore(flags)	((void)(flags))
#define atomic_sub(v, a)		atomic_add(-(int)(v), a)
#define mutex_lock_interruptible(m)	(mutex_lock(m), 0)
#define cpus_read_lock()		((void)0)
#define cpus_read_unlock()		((void)0)
#define kzalloc(size, gfp)		calloc(1, size)
#define kfree(p)			free(p)

typedef unsigned int __poll_t;
struct file;
struct poll_table_struct;

static bool faults;	/* of the reader's memory */

static unsigned long copy_to_user(void *to, const void *from, size_t n)
{
	if (!faults)
		memcpy(to, from, n);
	return faults ? n : 0;
}

/* --- io/log_readers */

static struct {
	atomic_t bin;
} iob_iolog_readers;

static unsigned int nr_lost;
static int iob_log_wait;

#define iob_stat_inc(name)		((void)nr_lost++)
#define iob_log_announce()		((void)0)
#define iob_iolog_ended()		false
#define poll_wait(file, head, pt)	((void)(file), (void)(head), (void)(pt))
/* (a test does not wait) */
#define wait_event_interruptible(head, ready)	((void)(head), (ready) ? 0 : -ERESTARTSYS)

#include "io/log_ring.h"

/* A small one: the ends of its memory come often. */
struct iob_log_ring *iob_log_ring_alloc(unsigned long bytes, int cpu)
{
	const u32 nr = 100;
	struct iob_log_ring *ring = aligned_alloc(64, (sizeof(*ring) + nr * sizeof(ring->rec[0]) +
						       63) / 64 * 64);

	(void)bytes;
	(void)cpu;
	memset(ring, 0, sizeof(*ring));
	iob_log_ring_reset(ring, nr);
	return ring;
}

void iob_log_ring_free(struct iob_log_ring *ring)
{
	free(ring);
}

#include "io/log_bin.c"

enum {
	RECORD = sizeof(struct iob_iolog_bin_record),
};

static void *keep_log(const char *name, void *log)
{
	(void)name;
	return log;
}

static void forget_log(void *file)
{
	(void)file;
}

static const struct iob_log_bin_files files = { .create = keep_log, .remove = forget_log };

static struct iob_iolog_bin_record rec_of(u32 nr)
{
	struct iob_iolog_bin_record rec;

	memset(&rec, (int)nr, sizeof(rec));
	rec.bytes = nr;
	return rec;
}

static u32 nr_added;

static struct iob_log_bin *begin(void)
{
	nr_added = 0;
	nr_lost = 0;
	iob_log_bin_init(&files);
	iob_log_bin_start();
	return bin_log;
}

static void end(void)
{
	iob_log_bin_stop();
	if (atomic_read(&iob_iolog_readers.bin) || bin_ring)
		fail("a reader or a ring is left");
}

static void add(unsigned int nr)
{
	struct iob_iolog_bin_record rec;

	for (; nr; nr--) {
		rec = rec_of(nr_added++);
		iob_log_bin_add(&rec);
	}
}

/* Read with room for @size.  The records are those from @nr on, but for the first @off bytes. */
static size_t take(struct iob_log_bin_reader *r, size_t size, u32 nr, size_t off)
{
	unsigned char *to = malloc(size);
	ssize_t i, got = iob_log_bin_read(r, (void *)to, size);
	struct iob_iolog_bin_record rec;

	for (i = 0; i < got; i++) {
		rec = rec_of(nr + (off + i) / RECORD);
		if (to[i] != ((unsigned char *)&rec)[(off + i) % RECORD]) {
			fail("%zd bytes with room for %zu: not record %u", got, size, nr);
			break;
		}
	}
	free(to);
	return got < 0 ? 0 : got;
}

/* 400 bytes have room for two and a half. */
static void whole(void)
{
	struct iob_log_bin_reader *r = iob_log_bin_open(begin());

	add(3);
	if (take(r, 400, 0, 0) != 2 * RECORD || take(r, 400, 2, 0) != RECORD || take(r, 400, 3, 0))
		fail("not two records, and then one");
	/* what is left of one, and whole ones */
	add(4);
	if (take(r, 7, 3, 0) != 7 || take(r, 400, 3, 7) != 2 * RECORD - 7 ||
	    take(r, RECORD, 5, 0) != RECORD || take(r, RECORD - 1, 6, 0) != RECORD - 1 ||
	    take(r, 0, 6, RECORD - 1) || take(r, 1, 6, RECORD - 1) != 1 || take(r, 1, 7, 0))
		fail("pieces");
	iob_log_bin_close(r);
	end();
}

/* A reader goes, or stays, with a part of a record: it is no other's. */
static void own_piece(void)
{
	struct iob_log_bin *log = begin();
	struct iob_log_bin_reader *a = iob_log_bin_open(log), *b = iob_log_bin_open(log);

	add(3);
	if (take(a, 7, 0, 0) != 7 || take(b, 4096, 1, 0) != 2 * RECORD || take(b, 4096, 0, 0))
		fail("the other has not the second and the third");
	if (!iob_log_bin_poll(a, NULL, NULL) || iob_log_bin_wait(a) ||
	    iob_log_bin_poll(b, NULL, NULL) || !iob_log_bin_wait(b))
		fail("who has a part is not ready, or the other is");
	if (take(a, 4096, 0, 7) != RECORD - 7 || iob_log_bin_poll(a, NULL, NULL))
		fail("the part");
	add(2);
	if (take(a, 7, 3, 0) != 7)
		fail("seven bytes");
	iob_log_bin_close(a);
	if (take(b, 4096, 4, 0) != RECORD)
		fail("who stays has not the next record alone");
	/* the session ends, and the reader has a part */
	add(1);
	take(b, 7, 5, 0);
	end();
	iob_log_bin_close(b);
}

/* Memory that cannot be written loses nothing. */
static void fault(void)
{
	struct iob_log_bin_reader *r = iob_log_bin_open(begin());
	char to[4096];

	add(2);
	faults = true;
	if (iob_log_bin_read(r, to, 7) != -EFAULT || iob_log_bin_read(r, to, 4096) != -EFAULT)
		fail("no fault");
	faults = false;
	if (take(r, 7, 0, 0) != 7 || take(r, 4096, 0, 7) != 2 * RECORD - 7)
		fail("something is lost");
	iob_log_bin_close(r);
	end();
}

/* Any room, records at any time: all come once, in their order. */
static void any_room(void)
{
	struct iob_log_bin_reader *r = iob_log_bin_open(begin());
	size_t read = 0, size, got;
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		if (nr_added - read / RECORD < 60)
			add(rnd(8));
		size = 1 + rnd(rnd(2) ? 3 * RECORD : 100 * RECORD);
		got = take(r, size, read / RECORD, read % RECORD);
		if (!got != (read == (size_t)nr_added * RECORD))
			fail("%zu bytes with room for %zu", got, size);
		if (size >= RECORD && (read + got) % RECORD)
			fail("%zu bytes with room for %zu end in a record", got, size);
		read += got;
	}
	if (nr_lost)
		fail("%u are lost", nr_lost);
	note("%u records, seed %llu", nr_added, seed());
	iob_log_bin_close(r);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(whole), TEST(own_piece), TEST(fault), TEST(any_room),
	};

	return run_tests("log_bin", tests, ARRAY_SIZE(tests));
}

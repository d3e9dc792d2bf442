// SPDX-License-Identifier: GPL-2.0
/*
 * The log of a CPU lives as long as its file exists or is open.  The file is removed
 * when no handler runs, and none but the release handler runs afterwards.  So the ring
 * stays while any other handler uses it.
 */
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "log_bin.h"
#include "log_readers.h"
#include "log_ring.h"

enum {
	BIN_BYTES = 1 << 20,	/* of a CPU */
	/* records that are copied at once: their places are free again only then */
	BIN_COPIED = 64,
};

/* The log of one CPU in one session. */
struct iob_log_bin {
	struct kref ref;	/* the file; each who has it open */
	unsigned int cpu;
	void *file;		/* B */
	struct mutex lock;	/* the members below; one reader takes records at a time */
	unsigned int readers;
	bool over;		/* the session has ended, the file is gone */
	struct iob_log_ring *ring;	/* NULL without readers */
};

/*
 * Who has the file open.  A read with less room than a record has takes the record out of the ring,
 * and gets the first bytes of it.  The others are for this reader only: who else has the file open
 * gets whole records, and so does who stays when this one goes.
 */
struct iob_log_bin_reader {
	struct iob_log_bin *log;
	u32 off;	/* bytes of @rec that are read; all: none is left.  The lock of @log */
	struct iob_iolog_bin_record rec;	/* likewise */
};

/* B: bin_mutex; files come and go */
static DEFINE_MUTEX(bin_mutex);
static DEFINE_PER_CPU(struct iob_log_bin *, bin_log);		/* B */
static DEFINE_PER_CPU(struct iob_log_ring *, bin_ring);		/* of bin_log; RCU */
static bool bin_session;					/* B; files are to be there */
static const struct iob_log_bin_files *bin_files;

static void bin_log_free(struct kref *ref)
{
	kfree(container_of(ref, struct iob_log_bin, ref));
}

/* Keep a record if the file of this CPU is open.  Any context but NMI; iob_read_lock(). */
void iob_log_bin_add(const struct iob_iolog_bin_record *rec)
{
	struct iob_log_ring *ring;
	unsigned long flags;
	bool lost;

	local_irq_save(flags);
	ring = READ_ONCE(*this_cpu_ptr(&bin_ring));
	lost = ring && !iob_log_ring_put(ring, rec);
	local_irq_restore(flags);
	if (unlikely(lost))
		iob_stat_inc(iolog_bin_overflow);
}

/* The lock of @log is held. */
static void bin_ring_free(struct iob_log_bin *log)
{
	WRITE_ONCE(per_cpu(bin_ring, log->cpu), NULL);
	iob_log_ring_free(log->ring);
	log->ring = NULL;
}

/* The lock of @log is held.  Return: 0 or -ENOMEM. */
static int bin_reader_add(struct iob_log_bin *log)
{
	if (!log->ring) {
		log->ring = iob_log_ring_alloc(BIN_BYTES, log->cpu);
		/* pairs with the dependency in iob_log_bin_add() */
		smp_store_release(per_cpu_ptr(&bin_ring, log->cpu), log->ring);
	}
	if (!log->ring)
		return -ENOMEM;
	log->readers++;
	kref_get(&log->ref);
	atomic_inc(&iob_iolog_readers.bin);
	return 0;
}

/**
 * iob_log_bin_open - a file is opened: records of its CPU are kept from now on
 * @log: of the file
 *
 * May sleep.  Return: the reader, or -ENOMEM as a pointer.
 */
struct iob_log_bin_reader *iob_log_bin_open(struct iob_log_bin *log)
{
	struct iob_log_bin_reader *reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	int err;

	if (!reader)
		return ERR_PTR(-ENOMEM);
	reader->log = log;
	reader->off = sizeof(reader->rec);
	mutex_lock(&log->lock);
	err = bin_reader_add(log);
	mutex_unlock(&log->lock);
	if (!err)
		return reader;
	kfree(reader);
	return ERR_PTR(err);
}

/* The file is closed, the reader is freed.  May sleep. */
void iob_log_bin_close(struct iob_log_bin_reader *reader)
{
	struct iob_log_bin *log = reader->log;

	kfree(reader);
	mutex_lock(&log->lock);
	log->readers--;
	if (!log->over) {
		atomic_dec(&iob_iolog_readers.bin);
		if (!log->readers)
			bin_ring_free(log);
	}
	mutex_unlock(&log->lock);
	kref_put(&log->ref, bin_log_free);
}

/* True if a part of a record is left.  Any context. */
static bool bin_has_piece(const struct iob_log_bin_reader *reader)
{
	return READ_ONCE(reader->off) < sizeof(reader->rec);
}

/* Take the oldest record, if there is one, to hand it out in pieces.  The lock is held. */
static void bin_piece_take(struct iob_log_bin_reader *reader)
{
	const struct iob_iolog_bin_record *rec = iob_log_ring_look(reader->log->ring);

	if (!rec)
		return;
	reader->rec = *rec;
	WRITE_ONCE(reader->off, 0);
	iob_log_ring_skip(reader->log->ring, 1);
}

/* Copy from what is left of a record.  The lock is held.  Return: bytes, or -EFAULT. */
static ssize_t bin_piece_copy(struct iob_log_bin_reader *reader, char __user *to, size_t size)
{
	size_t n = min_t(size_t, sizeof(reader->rec) - reader->off, size);

	if (copy_to_user(to, (const char *)&reader->rec + reader->off, n))
		return -EFAULT;
	WRITE_ONCE(reader->off, reader->off + n);
	return n;
}

/* Copy the oldest records, whole ones.  The lock is held.  Return: bytes, or -EFAULT. */
static ssize_t bin_records_copy(struct iob_log_ring *ring, char __user *to, size_t size)
{
	const struct iob_iolog_bin_record *rec = iob_log_ring_look(ring);
	ssize_t done = 0;
	size_t n;

	while (rec && size - done >= sizeof(*rec)) {
		n = min_t(u32, iob_log_ring_run(ring), BIN_COPIED);
		n = min_t(size_t, n, (size - done) / sizeof(*rec));
		if (copy_to_user(to + done, rec, n * sizeof(*rec)))
			return done ? done : -EFAULT;
		done += n * sizeof(*rec);
		rec = iob_log_ring_skip(ring, n);
	}
	return done;
}

/* The lock is held.  Return: bytes, or -EFAULT. */
static ssize_t bin_bytes_copy(struct iob_log_bin_reader *reader, char __user *to, size_t size)
{
	ssize_t piece = 0, whole;

	if (size && size < sizeof(reader->rec) && !bin_has_piece(reader))
		bin_piece_take(reader);
	if (bin_has_piece(reader))
		piece = bin_piece_copy(reader, to, size);
	if (piece < 0)
		return piece;
	whole = bin_records_copy(reader->log->ring, to + piece, size - piece);
	return whole >= 0 || !piece ? piece + whole : piece;
}

/**
 * iob_log_bin_read - take bytes out of a file
 * @reader: of the open file
 * @to:     gets them
 * @size:   at most
 *
 * With room for a record, what is read ends where a record ends.
 *
 * May sleep.  Return: how many, 0 if there is none, -EFAULT, -ERESTARTSYS.
 */
ssize_t iob_log_bin_read(struct iob_log_bin_reader *reader, char __user *to, size_t size)
{
	ssize_t got;

	if (mutex_lock_interruptible(&reader->log->lock))
		return -ERESTARTSYS;
	got = bin_bytes_copy(reader, to, size);
	mutex_unlock(&reader->log->lock);
	return got;
}

static bool is_bin_ready(const struct iob_log_bin_reader *reader)
{
	iob_log_announce();
	return iob_log_ring_has(reader->log->ring) || bin_has_piece(reader) || iob_iolog_ended();
}

/**
 * iob_log_bin_wait - wait for a record of one CPU, or for the end of the session
 * @reader: of the open file
 *
 * May sleep; the caller holds no lock.  Return: 0 or -ERESTARTSYS.
 */
int iob_log_bin_wait(struct iob_log_bin_reader *reader)
{
	return wait_event_interruptible(iob_log_wait, is_bin_ready(reader));
}

/* poll(2) on a binary file: the rest of a record can be read, too. */
__poll_t iob_log_bin_poll(struct iob_log_bin_reader *reader, struct file *file,
			  struct poll_table_struct *pt)
{
	poll_wait(file, &iob_log_wait, pt);
	return is_bin_ready(reader) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* The bytes of the rings.  Any context. */
unsigned long iob_log_bin_bytes(void)
{
	unsigned long bytes = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (READ_ONCE(per_cpu(bin_ring, cpu)))
			bytes += BIN_BYTES;
	}
	return bytes;
}

/* Make the file of a CPU.  B. */
static int bin_file_make(unsigned int cpu)
{
	struct iob_log_bin *log;
	char name[24];

	if (per_cpu(bin_log, cpu))
		return 0;
	log = kzalloc(sizeof(*log), GFP_KERNEL);
	if (!log)
		return -ENOMEM;
	kref_init(&log->ref);
	mutex_init(&log->lock);
	log->cpu = cpu;
	snprintf(name, sizeof(name), "iolog_bin%u", cpu);
	log->file = bin_files->create(name, log);
	if (IS_ERR(log->file)) {
		kfree(log);
		return -ENOMEM;
	}
	per_cpu(bin_log, cpu) = log;
	return 0;
}

/* Remove the file of a CPU.  No session: nobody else makes or removes files. */
static void bin_file_remove(unsigned int cpu)
{
	struct iob_log_bin *log = per_cpu(bin_log, cpu);

	if (!log)
		return;
	/* returns when no handler runs any more */
	bin_files->remove(log->file);
	per_cpu(bin_log, cpu) = NULL;
	mutex_lock(&log->lock);
	log->over = true;
	atomic_sub(log->readers, &iob_iolog_readers.bin);
	bin_ring_free(log);
	mutex_unlock(&log->lock);
	kref_put(&log->ref, bin_log_free);
}

/**
 * iob_log_bin_start - a session begins: the files appear
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_log_bin_start(void)
{
	unsigned int cpu;
	int err = 0;

	cpus_read_lock();
	mutex_lock(&bin_mutex);
	bin_session = true;
	for_each_online_cpu(cpu) {
		err = bin_file_make(cpu);
		if (err)
			break;
	}
	mutex_unlock(&bin_mutex);
	cpus_read_unlock();
	return err;
}

/*
 * Remove the files, before their directory goes.  The log has ended.  May sleep.
 *
 * Not under the mutex: the removal waits for an open that takes hooks_mutex, whose holder may
 * wait for a CPU that comes, which takes the mutex.
 */
void iob_log_bin_stop(void)
{
	unsigned int cpu;

	mutex_lock(&bin_mutex);
	bin_session = false;
	mutex_unlock(&bin_mutex);
	for_each_possible_cpu(cpu)
		bin_file_remove(cpu);
}

/* A CPU is about to come.  Without memory it has no file. */
void iob_log_bin_cpu(unsigned int cpu)
{
	mutex_lock(&bin_mutex);
	if (bin_session)
		bin_file_make(cpu);
	mutex_unlock(&bin_mutex);
}

/* How the files appear.  Module load. */
void iob_log_bin_init(const struct iob_log_bin_files *files)
{
	bin_files = files;
}

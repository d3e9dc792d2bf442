// SPDX-License-Identifier: GPL-2.0
/*
 * The text log keeps records until they are read, like trace_pipe; what no longer fits is
 * counted.  While it is full and iolog is not open, an IO costs one load here.
 *
 * The binary log is only written while one of its files is open.
 *
 * A reader that waits announces it.  The next record has the reader woken a little later,
 * so that it finds many records and is not woken for each.  The wake-up goes by way of
 * irq_work, as records are written in hardirq and under locks of others.
 *
 * Example: a disk does 20000 IOs a second, and `cat iolog` waits.  The first record raises
 * an irq_work, which schedules the wake-up in 10 ms; the reader then finds 200 records.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/ring_buffer.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/compiler.h>
#include <compat/rcu.h>
#include <compat/relay.h>

#include "core/intent.h"
#include "core/role.h"
#include "log.h"
#include "op.h"

enum {
	/* all CPUs together; a record takes 160 bytes */
	TEXT_BYTES	 = 16 << 20,
	TEXT_CPU_MIN	 = 256 << 10,
	BIN_SUBBUF_BYTES = 64 << 10,
	BIN_SUBBUFS	 = 16,
	/* from the first record to the wake-up; the buffers hold far more than 10 ms bring */
	WAKE_MSECS	 = 10,
};

static struct trace_buffer *text;	/* of the session; RCU for those without it */
static bool text_on;			/* false once disabled */
union iob_iolog_readers iob_iolog_readers;
static atomic_t text_readers;
static DEFINE_MUTEX(text_mutex);	/* one consumer at a time */

static DECLARE_WAIT_QUEUE_HEAD(log_wait);
static atomic_t log_waiting;
static struct irq_work wake_soon;

static struct dentry *bin_dir;
static const struct file_operations *bin_fops;
static struct rchan *bin;		/* of the session */

static void wake_log_readers(struct work_struct *work)
{
	wake_up_all(&log_wait);
}

static DECLARE_DELAYED_WORK(wake_work, wake_log_readers);

static void plan_to_wake(struct irq_work *work)
{
	schedule_delayed_work(&wake_work, msecs_to_jiffies(WAKE_MSECS));
}

static void fill_role(struct iob_iolog_bin_record *rec, u64 id)
{
	const struct iob_role *role = iob_role_id(id);

	if (!role)
		role = iob_role_id(IOB_ROLE_LOST);
	if (!role)
		return;
	rec->id = iob_role_number(role);
	rec->pid = role->kind == IOB_ROLE_THREAD ? role->key : 0;
	rec->tgid = role->tgid;
	rec->cgroup = role->kind == IOB_ROLE_CGROUP ? role->key : role->cgroup;
	memcpy(rec->comm, role->comm, sizeof(rec->comm));
	rec->role_kind = role->kind;
}

static void fill_record(struct iob_iolog_bin_record *rec, struct iob_io *io)
{
	const struct iob_cause *cause = iob_cause_of(io->run.cause);
	u32 nr = cause ? cause->intent : IOB_INTENT_LOST;
	const struct iob_intent *intent = iob_intent_nr(nr);

	memset(rec, 0, sizeof(*rec));
	rec->len = sizeof(*rec);
	rec->ver = IOB_IOLOG_BIN_VER;
	rec->op = iob_op_letter(io->op);
	rec->how = io->run.how;
	rec->part = io->nr_runs;
	rec->nr_bios = io->nr_bios;
	rec->disk = io->disk->devt;
	rec->opf = io->first->opf;
	rec->bytes = io->run.bytes;
	rec->sector = io->run_sector;
	rec->error = io->error;
	rec->dirty_ns = io->run.dirty_ns == IOB_DIRTY_UNKNOWN ? 0 :
							io->run.dirty_ns;
	iob_io_stamp(io);
	rec->queue_ns = io->queue_ns;
	rec->issue_ns = io->issue_ns;
	rec->complete_ns = io->done_ns;
	rec->intent_nr = nr;
	rec->modifier = intent ? intent->modifier : 0;
	rec->dev = io->run.file.dev;
	rec->gen = io->run.file.gen;
	rec->ino = io->run.file.ino;
	rec->sub_pid = io->first->sub_pid;
	memcpy(rec->sub_comm, io->first->sub_comm, sizeof(rec->sub_comm));
	rec->hwq = io->rq ? iob_rq_hwq(io->rq) : 0xffff;
	rec->segments = io->rq ? io->rq->nr_phys_segments : 0;
	fill_role(rec, cause ? cause->role : IOB_ROLE_LOST);
}

static void add_to_text(struct iob_iolog_bin_record *rec)
{
	if (!ring_buffer_write(text, sizeof(*rec), rec))
		return;
	if (atomic_read(&text_readers)) {
		iob_stat_inc(iolog_overflow);
		return;
	}
	iob_stat_inc(iolog_unread);
	WRITE_ONCE(iob_iolog_readers.text, 0);
	/* pairs with the barrier in iob_iolog_open(): the file may be opened now */
	smp_mb();
	if (atomic_read(&text_readers))
		WRITE_ONCE(iob_iolog_readers.text, 1);
}

/**
 * iob_iolog_add - log the run of an IO that has just ended, if there are readers
 * @io: the IO
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_iolog_add(struct iob_io *io)
{
	bool to_bin = atomic_read(&iob_iolog_readers.bin) && bin;
	struct iob_iolog_bin_record rec IOB_UNINIT;

	fill_record(&rec, io);
	if (READ_ONCE(iob_iolog_readers.text))
		add_to_text(&rec);
	else
		iob_stat_inc(iolog_unread);
	if (to_bin)
		relay_write(bin, &rec, sizeof(rec));
	/* first the record, then the question who waits: pairs with announce_wait() */
	smp_mb();
	if (atomic_read(&log_waiting) && atomic_xchg(&log_waiting, 0))
		irq_work_queue(&wake_soon);
}

/* The text file is opened: what does not fit from now on is a loss for its reader. */
void iob_iolog_open(void)
{
	atomic_inc(&text_readers);
	/* pairs with the barrier in add_to_text() */
	smp_mb__after_atomic();
	WRITE_ONCE(iob_iolog_readers.text, 1);
}

/* The text file is closed. */
void iob_iolog_close(void)
{
	atomic_dec(&text_readers);
}

/* The CPU whose first unread record completed first, or -1. */
static int oldest_text_cpu(void)
{
	u64 ts, first = U64_MAX;
	int cpu, best = -1;

	for_each_possible_cpu(cpu) {
		const struct iob_iolog_bin_record *rec;
		struct ring_buffer_event *ev;

		if (ring_buffer_empty_cpu(text, cpu))
			continue;
		ev = ring_buffer_peek(text, cpu, &ts, NULL);
		if (!ev)
			continue;
		rec = ring_buffer_event_data(ev);
		if (rec->complete_ns < first) {
			first = rec->complete_ns;
			best = cpu;
		}
	}
	return best;
}

/**
 * iob_iolog_next - take the oldest record out of the text log
 * @rec: gets it
 *
 * May sleep; the caller holds the session.  Return: false if there is none.
 */
bool iob_iolog_next(struct iob_iolog_bin_record *rec)
{
	struct ring_buffer_event *ev = NULL;
	u64 ts;
	int cpu;

	if (!text)
		return false;
	mutex_lock(&text_mutex);
	cpu = oldest_text_cpu();
	if (cpu >= 0)
		ev = ring_buffer_consume(text, cpu, &ts, NULL);
	if (ev)
		memcpy(rec, ring_buffer_event_data(ev), sizeof(*rec));
	mutex_unlock(&text_mutex);
	return ev;
}

/* A waiting reader does not hold the session, which may end meanwhile. */
static bool has_text(void)
{
	struct trace_buffer *now;
	bool has;

	rcu_read_lock();
	now = READ_ONCE(text);
	has = now && !ring_buffer_empty(now);
	rcu_read_unlock();
	return has;
}

/* True if no record will come: disabled, or never enabled. */
bool iob_iolog_ended(void)
{
	return !READ_ONCE(text_on);
}

/*
 * A reader is about to wait.  It looks for records after this, and iob_iolog_add() looks
 * for the announcement after it has written one: one of them finds the other.
 */
static void announce_wait(void)
{
	atomic_set(&log_waiting, 1);
	/* pairs with the barrier in iob_iolog_add() */
	smp_mb();
}

static bool is_text_ready(void)
{
	if (has_text() || iob_iolog_ended())
		return true;
	announce_wait();
	return has_text() || iob_iolog_ended();
}

/**
 * iob_iolog_wait - wait for a record of the text log, or for the end of the session
 *
 * May sleep; the caller holds no lock.  Return: 0 or -ERESTARTSYS.
 */
int iob_iolog_wait(void)
{
	return wait_event_interruptible(log_wait, is_text_ready());
}

/* poll(2) on the text file. */
__poll_t iob_iolog_poll(struct file *file, struct poll_table_struct *pt)
{
	poll_wait(file, &log_wait, pt);
	return is_text_ready() ? EPOLLIN | EPOLLRDNORM : 0;
}

/* A sub-buffer is full.  Drop records while the next one is not read yet. */
IOB_RELAY_SUBBUF_START(bin_subbuf_start)
{
	if (!relay_buf_full(buf))
		return 1;
	iob_stat_inc(iolog_bin_overflow);
	return 0;
}

static struct dentry *bin_create_file(const char *name, struct dentry *parent,
				      umode_t mode, struct rchan_buf *buf,
				      int *is_global)
{
	return debugfs_create_file(name, 0400, parent, buf, bin_fops);
}

static int bin_remove_file(struct dentry *dentry)
{
	debugfs_remove(dentry);
	return 0;
}

static struct rchan_callbacks bin_callbacks = {
	.subbuf_start = bin_subbuf_start,
	.create_buf_file = bin_create_file,
	.remove_buf_file = bin_remove_file,
};

/* A binary file is opened: the binary log is written from now on. */
void iob_iolog_bin_open(void)
{
	atomic_inc(&iob_iolog_readers.bin);
}

/* A binary file is closed. */
void iob_iolog_bin_close(void)
{
	atomic_dec(&iob_iolog_readers.bin);
}

/* True if no record will come to a binary file. */
bool iob_iolog_bin_ended(const struct rchan_buf *buf)
{
	return buf->finalized || iob_iolog_ended();
}

/* True if a read gives something; relay's own poll waits for 64 KiB of it. */
static bool is_bin_ready(const struct rchan_buf *buf)
{
	announce_wait();
	if (READ_ONCE(buf->subbufs_produced) !=
	    READ_ONCE(buf->subbufs_consumed))
		return true;
	/* beyond its end: the buffer is full, and all of it is read */
	if (READ_ONCE(buf->offset) > BIN_SUBBUF_BYTES)
		return false;
	return READ_ONCE(buf->offset) > READ_ONCE(buf->bytes_consumed);
}

/**
 * iob_iolog_bin_wait - wait for a record of one CPU, or for the end of the session
 * @buf: that CPU's buffer
 *
 * May sleep; the caller holds no lock.  Return: 0 or -ERESTARTSYS.
 */
int iob_iolog_bin_wait(const struct rchan_buf *buf)
{
	return wait_event_interruptible(log_wait, is_bin_ready(buf) ||
					iob_iolog_bin_ended(buf));
}

/* poll(2) on a binary file. */
__poll_t iob_iolog_bin_poll(const struct rchan_buf *buf, struct file *file,
			    struct poll_table_struct *pt)
{
	poll_wait(file, &log_wait, pt);
	if (is_bin_ready(buf) || iob_iolog_bin_ended(buf))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/* The session's owner frees it: no file reads it, but has_text() may be looking. */
static void free_text(void)
{
	struct trace_buffer *old = text;

	if (!old)
		return;
	WRITE_ONCE(text, NULL);
	synchronize_rcu();
	ring_buffer_free(old);
}

/**
 * iob_iolog_start - a session begins
 *
 * The per-CPU binary files appear.  May sleep.  Return: 0 or -ENOMEM.
 */
int iob_iolog_start(void)
{
	unsigned long size = max_t(unsigned long, TEXT_CPU_MIN,
				   TEXT_BYTES / num_possible_cpus());

	text = ring_buffer_alloc(size, 0);
	if (!text)
		return -ENOMEM;
	bin = relay_open("iolog_bin", bin_dir, BIN_SUBBUF_BYTES, BIN_SUBBUFS,
			 &bin_callbacks, NULL);
	if (!bin) {
		free_text();
		return -ENOMEM;
	}
	iob_iolog_readers.text = 1;
	WRITE_ONCE(text_on, true);
	return 0;
}

/* No record will come: readers get the rest and then the end. */
void iob_iolog_end(void)
{
	WRITE_ONCE(text_on, false);
	if (bin)
		relay_flush(bin);
	wake_up_all(&log_wait);
}

/* Free what the session had.  No probe is attached.  May sleep. */
void iob_iolog_stop(void)
{
	/* the first schedules the second: after both, no wake-up is on its way */
	irq_work_sync(&wake_soon);
	cancel_delayed_work_sync(&wake_work);
	iob_iolog_bin_exit();
	free_text();
}

/**
 * iob_iolog_bin_init - where and how the per-CPU files are to appear
 * @dir:  the debugfs directory
 * @fops: of the files, whose ->i_private is the struct rchan_buf
 *
 * Module load.
 */
int iob_iolog_bin_init(struct dentry *dir, const struct file_operations *fops)
{
	bin_dir = dir;
	bin_fops = fops;
	init_irq_work(&wake_soon, plan_to_wake);
	return 0;
}

/* Remove the per-CPU files before their directory goes.  No session runs. */
void iob_iolog_bin_exit(void)
{
	if (bin)
		relay_close(bin);
	bin = NULL;
}

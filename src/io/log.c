// SPDX-License-Identifier: GPL-2.0
/*
 * The text log keeps what comes until it is read, like trace_pipe, and what no
 * longer fits is counted.  While nobody has it open and it is full, an IO
 * costs one load here.
 *
 * The binary log is written while one of its files is open.
 *
 * A waiting reader says so.  The next record has it woken a little later, so that
 * it finds many and is not woken for each; by way of irq_work, because records
 * are written in hardirq and under other people's locks.
 */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/ring_buffer.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <compat/compiler.h>
#include <compat/rcu.h>
#include <compat/relay.h>

#include "core/intent.h"
#include "core/role.h"
#include "core/stats.h"
#include "account.h"
#include "log.h"

enum {
	/* all CPUs together; a record takes 160 bytes */
	TEXT_BYTES	 = 16 << 20,
	TEXT_CPU_MIN	 = 256 << 10,
	BIN_SUBBUF_BYTES = 64 << 10,
	BIN_SUBBUFS	 = 16,
	/* a reader waits so much longer: buffers hold far more than comes */
	WAKE_MSECS	 = 10,
};

static struct trace_buffer *text;	/* of the session; RCU for those without it */
static bool text_on;			/* false once disabled */
union iob_iolog_readers iob_iolog_readers;
static atomic_t text_readers;
static DEFINE_MUTEX(text_mutex);	/* one consumer at a time */

static DECLARE_WAIT_QUEUE_HEAD(wait);
static atomic_t waiting;
static struct irq_work wake_soon;

static struct dentry *bin_dir;
static struct rchan *bin;		/* of the session */
static const struct file_operations bin_fops;

static void wake_readers(struct work_struct *work)
{
	wake_up_all(&wait);
}

static DECLARE_DELAYED_WORK(wake_work, wake_readers);

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

static void fill(struct iob_iolog_bin_record *rec, struct iob_io *io,
		 const struct iob_act *act)
{
	static const char letters[IOB_NR_OPS] = {
		[IOB_OP_READ] = 'R', [IOB_OP_AHEAD] = 'A', [IOB_OP_WRITE] = 'W',
		[IOB_OP_DISCARD] = 'D', [IOB_OP_FLUSH] = 'F',
	};
	const struct iob_intent *intent = iob_intent_nr(act->intent);

	memset(rec, 0, sizeof(*rec));
	rec->len = sizeof(*rec);
	rec->ver = IOB_IOLOG_BIN_VER;
	rec->op = letters[io->op];
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
	rec->intent_nr = act->intent;
	rec->modifier = intent ? intent->modifier : 0;
	rec->dev = act->file.dev;
	rec->gen = act->file.gen;
	rec->ino = act->file.ino;
	rec->sub_pid = io->first->sub_pid;
	memcpy(rec->sub_comm, io->first->sub_comm, sizeof(rec->sub_comm));
	rec->hwq = io->rq ? iob_rq_hwq(io->rq) : 0xffff;
	rec->segments = io->rq ? io->rq->nr_phys_segments : 0;
	fill_role(rec, act->role);
}

static void add_text(struct iob_iolog_bin_record *rec)
{
	if (ring_buffer_write(text, sizeof(*rec), rec)) {
		if (atomic_read(&text_readers)) {
			iob_stat_inc(iolog_overflow);
		} else {
			iob_stat_inc(iolog_unread);
			WRITE_ONCE(iob_iolog_readers.text, 0);
			/* against one who opens at this moment */
			smp_mb();
			if (atomic_read(&text_readers))
				WRITE_ONCE(iob_iolog_readers.text, 1);
		}
	}
}

/**
 * iob_iolog_add - log the run of an IO that has just ended, if it is wanted
 * @io:  the IO
 * @act: pays for the run
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_iolog_add(struct iob_io *io, const struct iob_act *act)
{
	bool to_bin = atomic_read(&iob_iolog_readers.bin) && bin;
	struct iob_iolog_bin_record rec IOB_UNINIT;

	fill(&rec, io, act);
	if (READ_ONCE(iob_iolog_readers.text))
		add_text(&rec);
	else
		iob_stat_inc(iolog_unread);
	if (to_bin)
		relay_write(bin, &rec, sizeof(rec));
	/* the record first, then the look for who waits: see ready() */
	smp_mb();
	if (atomic_read(&waiting) && atomic_xchg(&waiting, 0))
		irq_work_queue(&wake_soon);
}

/* Somebody has the text file open: from now on what is lost is his. */
void iob_iolog_open(void)
{
	atomic_inc(&text_readers);
	/* pairs with the one in add_text() */
	smp_mb__after_atomic();
	WRITE_ONCE(iob_iolog_readers.text, 1);
}

/* He has closed it. */
void iob_iolog_close(void)
{
	atomic_dec(&text_readers);
}

/* The CPU whose first unread record completed first, or -1. */
static int oldest_cpu(void)
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
	cpu = oldest_cpu();
	if (cpu >= 0)
		ev = ring_buffer_consume(text, cpu, &ts, NULL);
	if (ev)
		memcpy(rec, ring_buffer_event_data(ev), sizeof(*rec));
	mutex_unlock(&text_mutex);
	return ev;
}

/* Who waits holds no session: it may end under him. */
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

/* Whether nothing is going to come: disabled, or never enabled. */
bool iob_iolog_ended(void)
{
	return !READ_ONCE(text_on);
}

/*
 * Announce that we wait, then look again: whoever writes a record looks for
 * the announcement after writing.
 */
static bool ready(void)
{
	if (has_text() || iob_iolog_ended())
		return true;
	atomic_set(&waiting, 1);
	/* pairs with the one between a record and the wake-up */
	smp_mb();
	return has_text() || iob_iolog_ended();
}

/**
 * iob_iolog_wait - wait for a record, or for the end of the session
 *
 * May sleep; the caller holds nothing.  Return: 0 or -ERESTARTSYS.
 */
int iob_iolog_wait(void)
{
	return wait_event_interruptible(wait, ready());
}

/* poll(2) on the text file. */
__poll_t iob_iolog_poll(struct file *file, struct poll_table_struct *pt)
{
	poll_wait(file, &wait, pt);
	return ready() ? EPOLLIN | EPOLLRDNORM : 0;
}

/* When a sub-buffer is full and the next not yet read, records are dropped. */
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
	return debugfs_create_file(name, 0400, parent, buf, &bin_fops);
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

static int bin_open(struct inode *inode, struct file *file)
{
	int err = relay_file_operations.open(inode, file);

	if (!err)
		atomic_inc(&iob_iolog_readers.bin);
	return err;
}

static int bin_release(struct inode *inode, struct file *file)
{
	atomic_dec(&iob_iolog_readers.bin);
	return relay_file_operations.release(inode, file);
}

/* Whether a read gives something; relay's own poll waits for 64 KiB of it. */
static bool bin_ready(const struct rchan_buf *buf)
{
	atomic_set(&waiting, 1);
	/* as in ready() */
	smp_mb();
	if (READ_ONCE(buf->subbufs_produced) !=
	    READ_ONCE(buf->subbufs_consumed))
		return true;
	/* beyond its end: the buffer is full, and what was full is read */
	if (READ_ONCE(buf->offset) > BIN_SUBBUF_BYTES)
		return false;
	return READ_ONCE(buf->offset) > READ_ONCE(buf->bytes_consumed);
}

/* As `iolog`: blocks while there is nothing, ends with the session. */
static ssize_t bin_read(struct file *file, char __user *to, size_t size,
			loff_t *pos)
{
	const struct rchan_buf *buf = file->private_data;
	ssize_t got;
	bool ended;

	for (;;) {
		ended = buf->finalized || iob_iolog_ended();
		got = relay_file_operations.read(file, to, size, pos);
		if (got || ended || !size)
			return got;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		/* relay gives 0 for a bad address, too: do not try for ever */
		if (signal_pending(current))
			return -ERESTARTSYS;
		cond_resched();
		if (wait_event_interruptible(wait, bin_ready(buf) ||
					     buf->finalized ||
					     iob_iolog_ended()))
			return -ERESTARTSYS;
	}
}

static __poll_t bin_poll(struct file *file, struct poll_table_struct *pt)
{
	const struct rchan_buf *buf = file->private_data;

	poll_wait(file, &wait, pt);
	if (bin_ready(buf) || buf->finalized || iob_iolog_ended())
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/* relay's own, but for readers being counted and waiting like others */
static const struct file_operations bin_fops = {
	.owner = THIS_MODULE,
	.open = bin_open,
	.release = bin_release,
	.read = bin_read,
	.poll = bin_poll,
};

/* Nobody reads it as the session's owner; has_text() may be looking. */
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
 * May sleep.  The per-CPU binary files appear with it.
 * Return: 0 or -ENOMEM.
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
	wake_up_all(&wait);
}

/* Free what the session had; no probe is attached. */
void iob_iolog_stop(void)
{
	/* the first plans the second: after both, nobody is on the way to wake */
	irq_work_sync(&wake_soon);
	cancel_delayed_work_sync(&wake_work);
	iob_iolog_bin_exit();
	free_text();
}

/**
 * iob_iolog_bin_init - where the per-CPU files are to appear
 * @dir: the debugfs directory
 *
 * Module load.
 */
int iob_iolog_bin_init(struct dentry *dir)
{
	bin_dir = dir;
	init_irq_work(&wake_soon, plan_to_wake);
	return 0;
}

/* The per-CPU files go, before their directory does.  No session runs. */
void iob_iolog_bin_exit(void)
{
	if (bin)
		relay_close(bin);
	bin = NULL;
}

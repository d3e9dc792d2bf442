// SPDX-License-Identifier: GPL-2.0
/*
 * `iolog`: each IO as it completed, read like trace_pipe.  An entry:
 *
 *	W 524288 @ 3276800 pid-668 (cp) dev=0x800010 ino=0x73 gen=0x17b5119d
 *	  disk=sdb how=exact sub=71 sub_comm=kworker/u4:2 wait=12 io=2031 age=-
 *	  #25 modifier=0x10000003 wb=periodic
 *	  [ffffffff811cc86c] __set_page_dirty+0x4c/0xd0
 *
 * (the first two lines are one).  Behind gen= come, in this order:
 *
 *	disk=	the disk; SECTOR is a sector of it
 *	how=	exact, inherited, submitter or lost: enum iob_how
 *	sub=	the submitter's pid
 *	sub_comm= the submitter's name; spaces are escaped, too
 *	part=	the number of the run in its IO: 1, 2, ..; not for the first
 *	op=	only with D: discard, secure_erase or write_zeroes
 *	err=	only if it failed: the negative errno
 *	wait=	microseconds from queueing to the last issue, 0 on a device
 *		without requests and for a flush
 *	io=	from there to completion
 *	age=	from dirtying to completion
 *
 * `-` was not measured.  Each entry goes to one reader.  A reader's buffer may have any
 * size: the rest of an entry is kept for the next read.
 */
#include <linux/blk_types.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <compat/rcu.h>

#include "core/disk.h"
#include "io/log_readers.h"
#include "io/log_text.h"
#include "io/session.h"
#include "log.h"
#include "text.h"

enum {
	ENTRY_SIZE = 1024 + IOB_TEXT_INTENT_SIZE,
	HWQ_NONE   = 0xffff,	/* of a disk without requests */
};

struct log_reader {
	struct mutex lock;	/* the members below: threads may share the file */
	size_t off;		/* bytes of @text that are read */
	struct iob_text text;	/* one entry */
};

static void add_role(struct iob_text *t, const struct iob_iolog_bin_record *rec)
{
	struct iob_text_who who = {
		.kind = rec->role_kind,
		.comm = rec->comm,
	};

	switch (rec->role_kind) {
	case IOB_ROLE_CGROUP:
		who.key = rec->cgroup;
		break;
	case IOB_ROLE_USER:
		who.key = -rec->id;
		break;
	default:
		who.key = rec->id;
		break;
	}
	iob_text_role(t, &who);
}

static void add_disk_name(struct iob_text *t, dev_t devt)
{
	const struct iob_disk *disk = iob_disk_named(devt);

	if (disk)
		iob_text_add(t, " disk=%s", disk->name);
	else
		iob_text_add(t, " disk=%u:%u", MAJOR(devt), MINOR(devt));
}

static const char *discard_name(u32 opf)
{
	switch (opf & (__force u32)REQ_OP_MASK) {
	case (__force u32)REQ_OP_DISCARD:
		return "discard";
	case (__force u32)REQ_OP_SECURE_ERASE:
		return "secure_erase";
	case (__force u32)REQ_OP_WRITE_ZEROES:
		return "write_zeroes";
	default:
		return "-";
	}
}

static void add_usecs(struct iob_text *t, const char *key, u64 from, u64 to)
{
	if (from && to >= from)
		iob_text_add(t, " %s=%llu", key,
			     div_u64(to - from, NSEC_PER_USEC));
	else
		iob_text_add(t, " %s=-", key);
}

/* True if an IO goes to its device by an issue: see iob_io_issued(). */
static bool is_issued(const struct iob_iolog_bin_record *rec)
{
	return rec->hwq != HWQ_NONE && rec->op != 'F';
}

static void add_entry_words(struct iob_text *t, const struct iob_iolog_bin_record *rec)
{
	u64 issued = rec->issue_ns || is_issued(rec) ? rec->issue_ns : rec->queue_ns;
	char name[IOB_TEXT_NAME_SIZE];

	add_disk_name(t, rec->disk);
	iob_text_escape(name, sizeof(name), rec->sub_comm, true);
	iob_text_add(t, " how=%s sub=%u sub_comm=%s", iob_text_how(rec->how),
		     rec->sub_pid, *name ? name : "-");
	if (rec->part)
		iob_text_add(t, " part=%u", rec->part);
	if (rec->op == 'D')
		iob_text_add(t, " op=%s", discard_name(rec->opf));
	if (rec->error)
		iob_text_add(t, " err=%d", rec->error);
	add_usecs(t, "wait", issued ? rec->queue_ns : 0, issued);
	add_usecs(t, "io", issued, rec->complete_ns);
	add_usecs(t, "age", rec->dirty_ns, rec->complete_ns);
}

static void format_entry(struct iob_text *t, const struct iob_iolog_bin_record *rec)
{
	const struct iob_intent *intent;

	iob_text_add(t, "%c %u @ %llu ", rec->op, rec->bytes, rec->sector);
	add_role(t, rec);
	iob_text_add(t, " dev=0x%x ino=0x%llx gen=0x%x", rec->dev, rec->ino,
		     rec->gen);
	add_entry_words(t, rec);
	iob_text_add(t, "\n");
	iob_read_lock();
	intent = iob_intent_nr(rec->intent_nr);
	iob_read_unlock();
	/* intents live as long as the session, which the caller holds */
	if (intent)
		iob_text_intent(t, "  ", rec->intent_nr, intent);
}

/* Take the next entry.  Return: false if there is none. */
static bool take_entry(struct log_reader *log)
{
	struct iob_iolog_bin_record rec;
	bool got;

	log->off = 0;
	log->text.len = 0;
	iob_session_read_lock();
	got = iob_session_there() && iob_iolog_next(&rec);
	if (got)
		format_entry(&log->text, &rec);
	iob_session_read_unlock();
	return got;
}

/* An open file that nobody reads takes no room for an entry: there may be thousands. */
static int make_entry_room(struct log_reader *log)
{
	if (log->text.buf)
		return 0;
	log->text.buf = kvmalloc(ENTRY_SIZE, GFP_KERNEL);
	if (!log->text.buf)
		return -ENOMEM;
	log->text.size = ENTRY_SIZE;
	return 0;
}

/* Return: how much there was, up to @count, -EFAULT, -ENOMEM. */
static ssize_t copy_entries(struct log_reader *log, char __user *to, size_t count)
{
	size_t n, done = 0;

	if (make_entry_room(log))
		return -ENOMEM;
	while (done < count) {
		if (log->off == log->text.len && !take_entry(log))
			break;
		n = min(log->text.len - log->off, count - done);
		if (copy_to_user(to + done, log->text.buf + log->off, n))
			return done ? done : -EFAULT;
		log->off += n;
		done += n;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return done;
}

static ssize_t log_read(struct file *file, char __user *to, size_t count,
			loff_t *pos)
{
	struct log_reader *log = file->private_data;
	ssize_t ret;
	bool ended;

	if (!count)
		return 0;
	do {
		if (mutex_lock_interruptible(&log->lock))
			return -ERESTARTSYS;
		/* asked first: entries from before the end are found then */
		ended = iob_iolog_ended();
		ret = copy_entries(log, to, count);
		mutex_unlock(&log->lock);
		if (ret || ended)
			return ret;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (signal_pending(current))
			return -ERESTARTSYS;
		/* another reader may take the entry first */
		ret = iob_iolog_wait();
	} while (!ret);
	return ret;
}

/* The rest of an entry can be read even if the log is empty. */
static __poll_t log_poll(struct file *file, struct poll_table_struct *pt)
{
	struct log_reader *log = file->private_data;
	__poll_t mask = iob_iolog_poll(file, pt);

	if (READ_ONCE(log->off) != READ_ONCE(log->text.len))
		mask |= EPOLLIN | EPOLLRDNORM;
	return mask;
}

static int log_open(struct inode *inode, struct file *file)
{
	struct log_reader *log = kzalloc(sizeof(*log), GFP_KERNEL);
	int err;

	if (!log)
		return -ENOMEM;
	err = iob_iolog_open();
	if (err) {
		kfree(log);
		return err;
	}
	mutex_init(&log->lock);
	file->private_data = log;
	iob_session_renew();
	return stream_open(inode, file);
}

static int log_release(struct inode *inode, struct file *file)
{
	struct log_reader *log = file->private_data;

	iob_iolog_close();
	iob_session_renew();
	kvfree(log->text.buf);
	kfree(log);
	return 0;
}

const struct file_operations iob_iolog_fops = {
	.owner = THIS_MODULE,
	.open = log_open,
	.read = log_read,
	.poll = log_poll,
	.release = log_release,
};

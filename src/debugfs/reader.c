// SPDX-License-Identifier: GPL-2.0
/*
 * One record at a time is put together and handed out; reader.h says by which rules.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "io/session.h"
#include "reader.h"

struct reader {
	struct mutex lock;	/* the members below: threads may share the file */
	const struct iob_reader_ops *ops;
	u32 arg;
	u32 nr;			/* of the record in @text */
	size_t off;		/* bytes of it that are read */
	/* a signal came: these have no record, and the file's position is still the first */
	loff_t none_from, none_to;
	struct iob_text text;
};

/**
 * iob_reader_open - for an open handler
 * @file: being opened
 * @ops:  make its records; constant
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_reader_open(struct file *file, const struct iob_reader_ops *ops)
{
	struct reader *r = kzalloc(sizeof(*r), GFP_KERNEL);

	if (!r)
		return -ENOMEM;
	mutex_init(&r->lock);
	r->ops = ops;
	file->private_data = r;
	return 0;
}

/* Set the @arg of emit().  Before the first read. */
void iob_reader_set_arg(struct file *file, u32 arg)
{
	struct reader *r = file->private_data;

	r->arg = arg;
}

/* The release handler.  Return: 0. */
int iob_reader_release(struct inode *inode, struct file *file)
{
	struct reader *r = file->private_data;

	kvfree(r->text.buf);
	kfree(r);
	return 0;
}

static void forget_record(struct reader *r)
{
	r->off = 0;
	r->text.len = 0;
}

/* The size of a record depends on the session, which may be a new one by now. */
static int make_record_room(struct reader *r)
{
	size_t size = r->ops->size();

	if (size <= r->text.size)
		return 0;
	kvfree(r->text.buf);
	r->text.size = 0;
	r->text.buf = kvmalloc(size, GFP_KERNEL);
	if (!r->text.buf)
		return -ENOMEM;
	r->text.size = size;
	return 0;
}

/*
 * Get record @from or a later one, which is handed out if it takes no more than @room.  Return: 1
 * if there is one, 0 at the end, -ENOMEM.
 */
static int fill_reader(struct reader *r, u32 from, size_t room)
{
	int ret = 0;

	if (r->off < r->text.len && r->nr == from)
		return 1;
	forget_record(r);
	iob_session_read_lock();
	if (iob_session_there()) {
		ret = make_record_room(r);
		r->nr = from;
		if (!ret)
			ret = r->ops->emit(&r->text, &r->nr, r->arg, room);
	}
	iob_session_read_unlock();
	return ret;
}

static ssize_t read_records(struct reader *r, char __user *to, size_t count,
			    loff_t *pos)
{
	size_t n, done = 0;
	loff_t from = *pos;
	int ret = 0;

	if (from == r->none_from && r->none_to)
		*pos = r->none_to;
	r->none_to = 0;

	while (done < count && *pos < INT_MAX) {
		/* the first one is handed out in pieces, if need be */
		ret = fill_reader(r, *pos, done ? count - done : SIZE_MAX);
		if (ret <= 0)
			break;
		*pos = r->nr;
		if (!r->text.len) {
			/* nothing yet: *pos moves on, and a signal ends the wait */
			++*pos;
			if (signal_pending(current)) {
				r->none_from = from;
				r->none_to = *pos;
				ret = -ERESTARTSYS;
				break;
			}
			cond_resched();
			continue;
		}
		n = min(r->text.len - r->off, count - done);
		if (done && n < r->text.len - r->off) {
			/* the next read returns all of it, as it is then */
			forget_record(r);
			break;
		}
		if (copy_to_user(to + done, r->text.buf + r->off, n)) {
			ret = -EFAULT;
			break;
		}
		r->off += n;
		done += n;
		if (r->off == r->text.len)
			*pos = r->nr + 1;
		cond_resched();
	}
	return done ? done : ret;
}

/* The read handler.  Return: the bytes read, -EFAULT, -ENOMEM, -ERESTARTSYS. */
ssize_t iob_reader_read(struct file *file, char __user *to, size_t count,
			loff_t *pos)
{
	struct reader *r = file->private_data;
	ssize_t ret;

	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	ret = read_records(r, to, count, pos);
	mutex_unlock(&r->lock);
	return ret;
}

static u32 end_of_records(const struct reader *r)
{
	u32 end = 0;

	iob_session_read_lock();
	if (iob_session_there())
		end = r->ops->end();
	iob_session_read_unlock();
	return end;
}

/* The llseek handler: @off counts records.  Return: the position, -EINVAL. */
loff_t iob_reader_llseek(struct file *file, loff_t off, int whence)
{
	struct reader *r = file->private_data;
	bool tell = whence == SEEK_CUR && !off;
	loff_t base;

	switch (whence) {
	case SEEK_SET:
		base = 0;
		break;
	case SEEK_CUR:
		base = file->f_pos;
		break;
	case SEEK_END:
		base = end_of_records(r);
		break;
	default:
		return -EINVAL;
	}
	if (off < -base || off > INT_MAX - base)
		return -EINVAL;
	if (!tell) {
		mutex_lock(&r->lock);
		forget_record(r);
		r->none_to = 0;
		file->f_pos = base + off;
		mutex_unlock(&r->lock);
	}
	return base + off;
}

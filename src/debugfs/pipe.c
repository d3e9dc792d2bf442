// SPDX-License-Identifier: GPL-2.0
/*
 * `counters_pipe` and `counters_pipe_bin`: one opener across the two.
 *
 * Opening begins a new turn; what is read are the acts that did IO since the
 * turn before began.  Those that do IO while it is being read are reported
 * now or in the next turn, some in both, none in neither.  Closing reclaims.
 */
#include <linux/bitops.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>

#include <compat/rcu.h>

#include "io/counters.h"
#include "io/session.h"
#include "files.h"
#include "reader.h"

static unsigned long in_use;		/* bit 0 */
static u32 opened;			/* seconds, the opener's */

static DEFINE_MUTEX(done_mutex);
static struct iob_reclaimed done;	/* done_mutex */
static u32 done_session;		/* done_mutex */

/* What was reclaimed in this session.  May sleep. */
void iob_pipe_reclaimed(struct iob_reclaimed *sum)
{
	mutex_lock(&done_mutex);
	if (done_session == iob_session_seq())
		*sum = done;
	else
		memset(sum, 0, sizeof(*sum));
	mutex_unlock(&done_mutex);
}

static void add_done(const struct iob_reclaimed *now)
{
	mutex_lock(&done_mutex);
	if (done_session != iob_session_seq())
		memset(&done, 0, sizeof(done));
	done_session = iob_session_seq();
	done.roles += now->roles;
	done.acts += now->acts;
	mutex_unlock(&done_mutex);
}

/*
 * What did IO after the opening may not have been reported yet and stays,
 * however small the TTL.
 */
static void reclaim(void)
{
	u32 open_secs = (u32)ktime_get_seconds() - opened;
	struct iob_reclaimed now = { 0 };

	iob_session_read_lock();
	if (iob_session_there()) {
		iob_acts_reclaim(max(READ_ONCE(iob_conf.ttl_secs),
				     open_secs + 1), &now);
		add_done(&now);
	}
	iob_session_read_unlock();
}

static const struct iob_role *role_of(const struct iob_act *act)
{
	const struct iob_role *role = iob_role_id(act->role);

	return role ? role : iob_role_id(IOB_ROLE_LOST);
}

static void text_format(struct iob_text *t, const struct iob_act *act)
{
	const struct iob_role *role = role_of(act);
	const struct iob_text_who who = {
		.kind = role->kind,
		.key = role->key,
		.comm = role->comm,
	};
	u32 nr, slot;

	iob_text_role(t, &who);
	iob_text_add(t, " int=%u dev=0x%x ino=0x%llx gen=0x%x\n", act->intent,
		     act->file.dev, act->file.ino, act->file.gen);
	for (nr = 0; nr < iob_counters_session_nr(); nr++) {
		iob_text_add(t, " ");
		for (slot = 0; slot < IOB_HIST_SLOTS; slot++)
			iob_text_add_u32(t, iob_counters_value(act, nr, slot),
					 7);
		iob_text_add(t, "\n");
	}
}

static void bin_format(struct iob_text *t, const struct iob_act *act)
{
	struct iobc_pipe_bin_record *rec = (void *)t->buf;
	u32 nr, slot, i = 0;

	memset(rec, 0, sizeof(*rec));
	rec->ver = IOBC_PIPE_BIN_VER;
	rec->id = iob_role_number(role_of(act));
	rec->intent_nr = act->intent;
	rec->dev = act->file.dev;
	rec->ino = act->file.ino;
	rec->gen = act->file.gen;
	for (nr = 0; nr < iob_counters_session_nr(); nr++) {
		for (slot = 0; slot < IOB_HIST_SLOTS; slot++)
			rec->cnts[i++] = iob_counters_value(act, nr, slot);
	}
	t->len = sizeof(*rec) + i * sizeof(rec->cnts[0]);
	rec->len = t->len;
}

/* Whether it did IO in this turn or later; turns go round. */
static bool used_since(const struct iob_act *act, u32 turn)
{
	u32 last = READ_ONCE(act->pipe);

	return last && (s32)(last - turn) >= 0;
}

static bool emit(struct iob_text *t, u32 *nr, u32 turn,
		 void (*format)(struct iob_text *t, const struct iob_act *act))
{
	const struct iob_act *act;
	bool found;

	do {
		iob_read_lock();
		act = iob_act_next(nr);
		found = act && used_since(act, turn);
		if (found)
			format(t, act);
		iob_read_unlock();
		if (found)
			return true;
		cond_resched();
		++*nr;
	} while (act);
	return false;
}

static bool text_emit(struct iob_text *t, u32 *nr, u32 turn)
{
	return emit(t, nr, turn, text_format);
}

static bool bin_emit(struct iob_text *t, u32 *nr, u32 turn)
{
	return emit(t, nr, turn, bin_format);
}

static size_t text_size(void)
{
	/* names and numbers of the first line; ten digits at most in a slot */
	return 256 + iob_counters_session_nr() * (IOB_HIST_SLOTS * 11 + 2);
}

static size_t bin_size(void)
{
	return sizeof(struct iobc_pipe_bin_record) +
	       iob_counters_session_nr() * IOB_HIST_SLOTS * sizeof(u32);
}

static u32 pipe_end(void)
{
	u32 nr = 0;
	bool there;

	do {
		iob_read_lock();
		there = iob_act_next(&nr);
		iob_read_unlock();
		nr += there;
		cond_resched();
	} while (there);
	return nr;
}

static const struct iob_reader_ops text_ops = {
	.size = text_size,
	.emit = text_emit,
	.end = pipe_end,
};

static const struct iob_reader_ops bin_ops = {
	.size = bin_size,
	.emit = bin_emit,
	.end = pipe_end,
};

static int pipe_open(struct file *file, const struct iob_reader_ops *ops)
{
	int err;

	if (test_and_set_bit_lock(0, &in_use))
		return -EBUSY;
	err = iob_reader_open(file, ops);
	if (err) {
		clear_bit_unlock(0, &in_use);
		return err;
	}
	opened = ktime_get_seconds();
	iob_reader_set_arg(file, iob_pipe_next_generation());
	/*
	 * An IO that was noted in the old turn may not be counted yet; probes
	 * run in iob_read_lock(), so after this it is.
	 */
	synchronize_rcu();
	return 0;
}

static int text_open(struct inode *inode, struct file *file)
{
	return pipe_open(file, &text_ops);
}

static int bin_open(struct inode *inode, struct file *file)
{
	return pipe_open(file, &bin_ops);
}

static int pipe_release(struct inode *inode, struct file *file)
{
	reclaim();
	iob_reader_release(inode, file);
	clear_bit_unlock(0, &in_use);
	return 0;
}

const struct file_operations iob_pipe_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = iob_reader_read,
	.llseek = iob_reader_llseek,
	.release = pipe_release,
};

const struct file_operations iob_pipe_bin_fops = {
	.owner = THIS_MODULE,
	.open = bin_open,
	.read = iob_reader_read,
	.llseek = iob_reader_llseek,
	.release = pipe_release,
};

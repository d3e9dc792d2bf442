// SPDX-License-Identifier: GPL-2.0
/*
 * `counters_pipe` and `counters_pipe_bin`: the histograms of acts that did IO
 *
 * One task at a time has one of the two open.  Opening begins a new generation, and the
 * file holds the acts that did IO since the generation before began.  Acts that do IO while
 * the file is read are reported now or in the next generation, some in both, none in
 * neither.  Acts that were offered to a reader may be reclaimed once it has closed the file.
 *
 * Example: generation 5 began with the last opening.  Acts 7 and 9 do IO and note 5.  The
 * file is opened: generation 6 begins, and acts that noted 5 or later are read.  Act 9 does
 * IO again and notes 6: it is in this reading and in the next one.
 *
 * An act that is being reclaimed is not shown: what it has counted since it was last read goes to
 * another one, which is shown later.
 */
#include <linux/bitops.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include <compat/rcu.h>

#include "io/counters.h"
#include "io/session.h"
#include "pipe.h"
#include "reader.h"

static unsigned long in_use;		/* bit 0 */
static u32 generation_read;		/* the opener's: the one that its opening began */
/* the opener's: the numbers of the act at hand, under its reader's lock */
static u32 numbers[IOB_MAX_COUNTERS * IOB_HIST_SLOTS];

static const struct iob_role *role_of_act(const struct iob_act *act)
{
	const struct iob_role *role = iob_role_id(act->role);

	return role ? role : iob_role_id(IOB_ROLE_LOST);
}

static void pipe_text_format(struct iob_text *t, const struct iob_act *act)
{
	const struct iob_role *role = role_of_act(act);
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
			iob_text_add_u32(t, numbers[nr * IOB_HIST_SLOTS + slot], 7);
		iob_text_add(t, "\n");
	}
}

static void pipe_bin_format(struct iob_text *t, const struct iob_act *act)
{
	const struct iob_role *role = role_of_act(act);
	struct iobc_pipe_bin_record *rec = (void *)t->buf;
	u32 nr = iob_counters_session_nr() * IOB_HIST_SLOTS;

	memset(rec, 0, sizeof(*rec));
	rec->ver = IOBC_PIPE_BIN_VER;
	rec->id = iob_role_number(role);
	rec->role_kind = role->kind;
	rec->cgroup = iob_role_in_cgroup(role);
	rec->start_ns = iob_role_start(role);
	rec->intent_nr = act->intent;
	rec->dev = act->file.dev;
	rec->ino = act->file.ino;
	rec->gen = act->file.gen;
	memcpy(rec->cnts, numbers, nr * sizeof(rec->cnts[0]));
	t->len = sizeof(*rec) + nr * sizeof(rec->cnts[0]);
	rec->len = t->len;
}

/* True if the act did IO in @generation or later; generations wrap around. */
static bool act_used_since(const struct iob_act *act, u32 generation)
{
	u32 last = READ_ONCE(act->use.pipe);

	return last && (s32)(last - generation) >= 0;
}

static bool pipe_emit(struct iob_text *t, u32 *nr, u32 generation, size_t room,
		      void (*format)(struct iob_text *t, const struct iob_act *act))
{
	const struct iob_act *act;
	bool found;

	do {
		iob_read_lock();
		act = iob_act_next(nr);
		found = act && act_used_since(act, generation) && !READ_ONCE(act->dead);
		if (found) {
			iob_counters_read(act, numbers);
			format(t, act);
			if (t->len <= room)
				iob_counters_offered(act, numbers);
		}
		iob_read_unlock();
		if (found)
			return true;
		cond_resched();
		++*nr;
	} while (act);
	return false;
}

static bool pipe_text_emit(struct iob_text *t, u32 *nr, u32 generation, size_t room)
{
	return pipe_emit(t, nr, generation, room, pipe_text_format);
}

static bool pipe_bin_emit(struct iob_text *t, u32 *nr, u32 generation, size_t room)
{
	return pipe_emit(t, nr, generation, room, pipe_bin_format);
}

static size_t pipe_text_size(void)
{
	/* the first line has names and numbers; a slot has ten digits at most */
	return 256 + iob_counters_session_nr() * (IOB_HIST_SLOTS * 11 + 2);
}

static size_t pipe_bin_size(void)
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

static const struct iob_reader_ops pipe_text_ops = {
	.size = pipe_text_size,
	.emit = pipe_text_emit,
	.end = pipe_end,
};

static const struct iob_reader_ops pipe_bin_ops = {
	.size = pipe_bin_size,
	.emit = pipe_bin_emit,
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
	generation_read = iob_pipe_next_generation() + 1;
	iob_reader_set_arg(file, generation_read - 1);
	/*
	 * An IO that noted the old generation may not be counted yet.  Probes run inside
	 * iob_read_lock(): after this it is counted.
	 */
	synchronize_rcu();
	return 0;
}

static int pipe_text_open(struct inode *inode, struct file *file)
{
	return pipe_open(file, &pipe_text_ops);
}

static int pipe_bin_open(struct inode *inode, struct file *file)
{
	return pipe_open(file, &pipe_bin_ops);
}

static int pipe_release(struct inode *inode, struct file *file)
{
	/* what did IO before it was opened was offered; a part may do IO again and be new */
	iob_pipe_read_until(generation_read);
	iob_reader_release(inode, file);
	clear_bit_unlock(0, &in_use);
	return 0;
}

const struct file_operations iob_pipe_fops =
	IOB_READER_FOPS(pipe_text_open, pipe_release);

const struct file_operations iob_pipe_bin_fops =
	IOB_READER_FOPS(pipe_bin_open, pipe_release);

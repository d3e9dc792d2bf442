// SPDX-License-Identifier: GPL-2.0
/*
 * What changed an inode itself is asked for within half a minute, and forgotten after five.  Times
 * wait a hundred times as long, so they have a kind of entries of their own.  An entry ends when
 * the times stop to wait: the inode becomes dirty, and an ordinary entry has who pays.
 */
#include <linux/jiffies.h>

#include "cached_page.h"
#include "core/cause.h"
#include "core/stats.h"
#include "core/task.h"
#include "times.h"

/*
 * The kernel writes such times when they are 12 hours old (vm.dirtytime_expire_seconds), and looks
 * as often: it may be a day.
 */
struct iob_assoc_kind iob_assoc_times = { .name = "times", .life = 25 * 60 * 60 * HZ };

/* What a task makes dirty next, as times that have waited are due; compared, not followed. */
struct due_times {
	const struct inode *inode;
};

struct iob_task_part iob_times_part = {
	.name = "due times",
	.size = sizeof(struct due_times),
};

static struct due_times *due_times_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_times_part);
}

/**
 * iob_times_note - note who changed an inode's times, which wait from now on
 * @inode: the inode
 * @ref:   a reference with the inode's tag
 *
 * From a probe, inside iob_read_lock().
 */
void iob_times_note(struct inode *inode, u64 ref)
{
	iob_assoc_set(&iob_assoc_times, inode, 0, ref);
}

/**
 * iob_times_take - who changed the times of an inode, which wait no longer
 * @inode:  the inode
 * @needed: nobody else can pay for them: a cause that is gone is a loss
 *
 * From a probe, inside iob_read_lock().  Return: a reference with the inode's tag;
 * IOB_CAUSE_NONE if no cause is known, or if it was reclaimed (counted if @needed).
 */
u64 iob_times_take(struct inode *inode, bool needed)
{
	u64 ref = iob_assoc_take(&iob_assoc_times, inode, 0);

	if (ref <= IOB_CAUSE_LOST || !iob_cause_is_about(ref, iob_inode_hash(inode)))
		return IOB_CAUSE_NONE;
	if (!iob_cause_of(ref)) {
		if (needed)
			iob_stat_inc(act_lost);
		return IOB_CAUSE_NONE;
	}
	/* it is noted elsewhere now, where the reclaim of causes may have passed */
	iob_cause_touch_nr(iob_cause_number(ref));
	return ref;
}

/**
 * iob_times_set_due - the task makes an inode dirty next, only because its times must be written
 * @inode: the inode, which is clean but for times that wait
 *
 * Whoever drops the last reference to it does so.  From a probe, inside iob_read_lock().
 */
void iob_times_set_due(const struct inode *inode)
{
	struct iob_task *t = iob_task_get();

	if (t)
		due_times_of(t)->inode = inode;
}

/* Whether it is so with an inode that the task makes dirty now; once.  Likewise. */
bool iob_times_are_due(const struct inode *inode)
{
	struct iob_task *t = iob_task_get();
	bool due = t && due_times_of(t)->inode == inode;

	if (t)
		due_times_of(t)->inode = NULL;
	return due;
}

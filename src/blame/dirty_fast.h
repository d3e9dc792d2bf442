/* SPDX-License-Identifier: GPL-2.0 */
/*
 * repeat - a page is dirtied like the one before
 */
#ifndef IOB_BLAME_DIRTY_FAST_H
#define IOB_BLAME_DIRTY_FAST_H

#include <linux/fs.h>
#include <linux/sched.h>

#include <compat/write.h>

#include "stack/slot.h"
#include "core/task.h"

void iob_dirty_fast_note(struct iob_task *t, u32 intent, const struct inode *inode,
		     u64 id);
void iob_dirty_fast_note_call(struct iob_dirty_fast *r, const struct iob_stack_slot *m,
			  unsigned long sp);
void iob_dirty_fast_found(unsigned long func);

/* Whether a page is one of the file that it was the last time. */
static __always_inline bool iob_dirty_fast_file(const struct iob_dirty_fast *r,
					    const struct inode *inode)
{
	return r->ino == inode->i_ino && r->dev == inode->i_sb->s_dev &&
	       r->gen == inode->i_generation;
}

/* Whether it is as the last time, if that was with this intent. */
static __always_inline bool iob_dirty_fast_is(const struct iob_task *t, u32 intent,
					  const struct inode *inode)
{
	const struct iob_dirty_fast *r = &t->dirty_fast;

	return r->intent == intent && iob_dirty_fast_file(r, inode) &&
	       r->role == t->role && t->pid == current->pid &&
	       r->epoch == iob_epoch_now();
}

/**
 * iob_dirty_fast_goes_on - whether the task goes on with the write() that it was at
 * @r:     what was noted
 * @task:  current
 * @inode: whose page becomes dirty
 * @sp:    of the function for which it was noted, which calls
 *
 * By the same way to a page of the same file: then the act is r->nr, still.  repeat.c
 * says why.  Any context, inside iob_read_lock().
 */
static __always_inline bool iob_dirty_fast_goes_on(const struct iob_dirty_fast *r,
					       const struct task_struct *task,
					       const struct inode *inode,
					       unsigned long sp)
{
	const unsigned long *low = (const unsigned long *)sp;
	const unsigned long *addr = r->addr;
	const u16 *place = r->place;
	unsigned int i;

	if (r->sp != sp || r->ended != iob_writes_ended(task) ||
	    r->epoch != iob_epoch_now() || !iob_dirty_fast_file(r, inode))
		return false;
	/* where sp is noted there are some */
	i = r->nr_addr;
	do {
		if (low[place[0]] != addr[0] || low[place[1]] != addr[1] ||
		    low[place[2]] != addr[2] || low[place[3]] != addr[3] ||
		    low[place[4]] != addr[4] || low[place[5]] != addr[5])
			return false;
		addr += IOB_DIRTY_FAST_STEP;
		place += IOB_DIRTY_FAST_STEP;
	} while (i -= IOB_DIRTY_FAST_STEP);
	return true;
}

/* It is as the last time, by stack @m from @sp on; maybe within the same write(). */
static __always_inline void iob_dirty_fast_again(struct iob_dirty_fast *r,
					     const struct iob_stack_slot *m,
					     unsigned long sp)
{
	u64 ended = iob_writes_ended(current);

	/* most calls dirty one page, and need nothing else; and each is noted once */
	if (r->seen == ended && r->ended != ended)
		iob_dirty_fast_note_call(r, m, sp);
	r->seen = ended;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirty_fast - a page is dirtied like the one before
 *
 * There are two fast paths, each remembered in the task's context:
 *
 * iob_dirty_fast_goes_on(): the same call of vfs_write() dirties the next page of a file.  The
 * inner half of the stack is compared.
 *
 * iob_dirty_fast_is(): the stack is known (iob_stack_known()) and has the same intent, and the
 * file is the same.  So is the role: a task that changes its role forgets the last page.
 *
 * In both cases the cause of the last page pays.  It is still alive if no epoch began since
 * it was seen alive, see iob_epoch_now().
 *
 * Example: dd writes 1 MiB by one write() to a file, by cause 17.  The first page takes
 * the slow path and is noted.  The second page has the same stack: iob_dirty_fast_is(), and
 * the inner 7 addresses are noted.  For the pages 3 to 256 these 7 words and four numbers
 * are compared, and the same entry is stored for the page.
 */
#ifndef IOB_BLAME_DIRTY_FAST_H
#define IOB_BLAME_DIRTY_FAST_H

#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/sched.h>

#include <compat/raw.h>
#include <compat/write.h>

#include "core/task.h"
#include "stack/slot.h"

#define IOB_CACHEABLES		4	/* a power of 2 */
#define IOB_DIRTY_FAST_STEP	6
#define IOB_DIRTY_FAST_ADDRS	(2 * IOB_DIRTY_FAST_STEP)
/* no inode has this number */
#define IOB_DIRTY_FAST_NONE	U64_MAX

/* A task's last page: the part of its context that belongs to this unit. */
struct iob_dirty_fast {
	u32 intent;		/* a cacheable one; 0: nothing is remembered */
	u32 epoch;
	u32 touched;		/* jiffies of the last iob_cause_touch() */
	u64 ino;		/* of a regular file, or IOB_DIRTY_FAST_NONE */
	u32 dev;
	u32 gen;
	u32 entry;		/* of the last page */
	struct iob_cause *cause;
	/* for iob_dirty_fast_goes_on(): */
	unsigned long sp;	/* the stack pointer, 0: nothing is noted */
	u64 ended;		/* iob_writes_ended() when it was noted */
	u64 seen;		/* the same at the last page of iob_dirty_fast_is() */
	u32 nr_addr;		/* a multiple of IOB_DIRTY_FAST_STEP */
	u16 place[IOB_DIRTY_FAST_ADDRS];	/* in words above sp */
	unsigned long addr[IOB_DIRTY_FAST_ADDRS];	/* return addresses */
	/* see iob_dirty_is_cacheable(): session << 32 | intent */
	u64 cacheable[IOB_CACHEABLES];
};

static_assert(sizeof(struct iob_dirty_fast) <= IOB_ROOM_DIRTY);

/* This unit's part of @t. */
static __always_inline struct iob_dirty_fast *iob_dirty_fast_of(struct iob_task *t)
{
	return (struct iob_dirty_fast *)t->room_dirty;
}

int iob_dirty_fast_init(void);
void iob_dirty_fast_note(struct iob_task *t, u32 intent, const struct inode *inode,
			 u64 ref);
void iob_dirty_fast_note_call(struct iob_dirty_fast *r, const struct iob_stack_slot *slot,
			      unsigned long sp);
void iob_dirty_fast_found(unsigned long func);

/* Forget the last page. */
static inline void iob_dirty_fast_end(struct iob_dirty_fast *r)
{
	r->intent = 0;
	r->ino = IOB_DIRTY_FAST_NONE;
	r->sp = 0;
	r->ended = U64_MAX;
}

static inline u64 *iob_dirty_cacheable_of(struct iob_task *t, u32 intent)
{
	return &iob_dirty_fast_of(t)->cacheable[intent % IOB_CACHEABLES];
}

/*
 * True if the task's own cause pays for what it dirties with this intent: the task is not on
 * behalf of another, the page was not dirty before, and no single page of a large folio is
 * stored into.  All that follows from the intent and from the task's context; a change of
 * the latter calls iob_dirty_not_cacheable().  Pages of iob_is_metadata() are an exception
 * and need a look of their own.  Context as iob_task_get().
 */
static inline bool iob_dirty_is_cacheable(struct iob_task *t, u32 intent)
{
	return *iob_dirty_cacheable_of(t, intent) ==
	       ((u64)t->session << 32 | intent);
}

static inline void iob_dirty_set_cacheable(struct iob_task *t, u32 intent)
{
	*iob_dirty_cacheable_of(t, intent) = (u64)t->session << 32 | intent;
}

static inline void iob_dirty_not_cacheable(struct iob_task *t)
{
	struct iob_dirty_fast *r = iob_dirty_fast_of(t);

	memset(r->cacheable, 0, sizeof(r->cacheable));
	iob_dirty_fast_end(r);
}

/* True if @inode is the last page's file. */
static __always_inline bool iob_dirty_fast_file(const struct iob_dirty_fast *r,
						const struct inode *inode)
{
	return r->ino == inode->i_ino && r->dev == inode->i_sb->s_dev &&
	       r->gen == inode->i_generation;
}

/*
 * True if a page that is dirtied with this intent is the last page's cause's.  The caller has
 * compared the inode's number.
 */
static __always_inline bool iob_dirty_fast_is(struct iob_task *t, u32 intent,
					      const struct inode *inode)
{
	const struct iob_dirty_fast *r = iob_dirty_fast_of(t);

	return r->intent == intent && r->dev == inode->i_sb->s_dev &&
	       r->gen == inode->i_generation &&
	       t->pid == current->pid &&
	       r->epoch == iob_epoch_now();
}

/**
 * iob_dirty_fast_goes_on - true if the task is still in the write() that was noted
 * @r:     what was noted
 * @task:  current
 * @inode: whose page becomes dirty
 * @sp:    of the probe, the same function for which it was noted
 *
 * If true, the same calls dirty a page of the same file, so the entry is r->entry; dirty_fast.c
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
	/* not 0, as sp is noted */
	i = r->nr_addr;
	do {
		if (IOB_RAW(low[place[0]]) != addr[0] || IOB_RAW(low[place[1]]) != addr[1] ||
		    IOB_RAW(low[place[2]]) != addr[2] || IOB_RAW(low[place[3]]) != addr[3] ||
		    IOB_RAW(low[place[4]]) != addr[4] || IOB_RAW(low[place[5]]) != addr[5])
			return false;
		addr += IOB_DIRTY_FAST_STEP;
		place += IOB_DIRTY_FAST_STEP;
	} while (i -= IOB_DIRTY_FAST_STEP);
	return true;
}

/* After iob_dirty_fast_is(), with @slot from @sp on: note a second page of one write(). */
static __always_inline void iob_dirty_fast_again(struct iob_dirty_fast *r,
						 const struct iob_stack_slot *slot,
						 unsigned long sp)
{
	u64 ended = iob_writes_ended(current);

	/* not for calls that dirty one page, as most do; and once for each call */
	if (r->seen == ended && r->ended != ended)
		iob_dirty_fast_note_call(r, slot, sp);
	r->seen = ended;
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * act - a role with an intent on a file: what an IO is charged to
 *
 * Example: role "pid-812 (dd)" writes file 8:1 inode 131 by intent 12: act 17.  Each page
 * that dd dirties in this file has the entry 17 in the dirtier table, and the IO that writes
 * the pages is charged to act 17, whichever task submits it.
 *
 * An id has a generation above the number: 5 << 32 | 17.  When act 17 is reclaimed, the id
 * finds nothing, even after another act has got the number 17.
 */
#ifndef IOB_CORE_ACT_H
#define IOB_CORE_ACT_H

#include <linux/fs.h>
#include <linux/ioblame.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/magic.h>

#include "index.h"

/* ids of the special acts; as an entry of the dirtier table, 0 means "none" */
#define IOB_ACT_NONE	0ULL
#define IOB_ACT_NOMEM	1ULL
#define IOB_ACT_LOST	2ULL

/* A file, by what ls -i shows and open_by_handle_at() takes. */
struct iob_file {
	u64 ino;
	u32 dev;	/* dev_t, major << 20 | minor */
	u32 gen;
};

struct iob_act {
	struct iob_node node;
	u64 role;		/* id */
	struct iob_file file;
	u32 intent;		/* number */
	u32 used;		/* iob_act_now() when it last did IO or dirtied */
	u32 *counters;		/* of io/counters; NULL until the first IO */
	u32 pipe;		/* counters_pipe's generation at the last IO */
	bool kthread;		/* the role is a kernel thread's */
	bool dead;		/* buried: not to be used for anything new */
	bool inherited;		/* done by another task on the role's behalf */
};

/*
 * True if @inode is a block device's own inode, whose page cache holds the device's
 * content.  i_mode does not tell: a file system's internal inode may keep the mode of the
 * inode that had its memory before.
 */
static inline bool iob_is_bdev(const struct inode *inode)
{
	return inode->i_sb->s_magic == BDEVFS_MAGIC;
}

/* @file gets the file of @inode.  A block device's own inode is no file: its number is 0. */
static inline void iob_file_of(const struct inode *inode, struct iob_file *file)
{
	if (iob_is_bdev(inode)) {
		file->dev = inode->i_rdev;
		file->ino = 0;
		file->gen = 0;
	} else {
		file->dev = inode->i_sb->s_dev;
		file->ino = inode->i_ino;
		file->gen = inode->i_generation;
	}
}

static inline bool iob_file_same(const struct iob_file *a,
				 const struct iob_file *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->gen == b->gen;
}

/* How certain it is that the act's role pays for what the act changed. */
static inline enum iob_how iob_act_how(const struct iob_act *act)
{
	/* a kernel thread works for another task, which is unknown here */
	if (act->kthread)
		return IOB_HOW_SUBMITTER;
	return act->inherited ? IOB_HOW_INHERITED : IOB_HOW_EXACT;
}

int iob_acts_init(u32 max, void (*release)(struct iob_act *act));
void iob_acts_exit(void);
u64 iob_act_get(u64 role, u32 intent, const struct iob_file *file);
u64 iob_act_on(u64 id, const struct iob_file *file, bool inherited);
u64 iob_act_modified(u64 id, u32 modifier);
struct iob_act *iob_act_next(u32 *nr);
u32 iob_acts_count(void);
void iob_act_bury(struct iob_act *act);
void iob_act_free(struct iob_act *act);

extern struct iob_index iob_acts;

/* The act with this id, or NULL if it was reclaimed.  Inside iob_read_lock(). */
static inline struct iob_act *iob_act_id(u64 id)
{
	struct iob_node *node = iob_index_id(&iob_acts, id);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* The act that has this number now, or NULL.  Inside iob_read_lock(). */
static inline struct iob_act *iob_act_nr(u32 nr)
{
	struct iob_node *node = iob_index_nr(&iob_acts, nr);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* The unit of ->used: about a second, in jiffies.  A power of 2, to divide by a shift. */
#define IOB_ACT_TICK	roundup_pow_of_two(HZ)

static __always_inline u32 iob_act_now(void)
{
	return jiffies / IOB_ACT_TICK;
}

/* Note that an act is in use.  Writes once a tick only, so that CPUs share the cache line. */
static __always_inline void iob_act_touch(struct iob_act *act)
{
	u32 now = iob_act_now();

	if (READ_ONCE(act->used) != now)
		WRITE_ONCE(act->used, now);
}

int iob_acts_cache_init(void);
void iob_acts_cache_exit(void);

#endif

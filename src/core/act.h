/* SPDX-License-Identifier: GPL-2.0 */
/*
 * act - a role with an intent on a file: what an IO is charged to
 */
#ifndef IOB_CORE_ACT_H
#define IOB_CORE_ACT_H

#include <linux/fs.h>

#include <linux/ioblame.h>
#include <linux/ktime.h>
#include <linux/magic.h>

#include "index.h"

/* the special acts' ids; number 0 means "none" in the dirtier table */
#define IOB_ACT_NONE	0ULL
#define IOB_ACT_NOMEM	1ULL
#define IOB_ACT_LOST	2ULL

/* which file, by what open_by_handle_at() and ls -i know */
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
	u32 used;		/* seconds when it last did IO or dirtied */
	u32 *counters;		/* record/counters, NULL until the first IO */
	u32 pipe;		/* counters_pipe's turn when it last did IO */
	bool kthread;		/* the role is a kernel thread's */
	bool dead;		/* being reclaimed: to be used no more */
	bool inherited;		/* done by another task on the role's behalf */
};

/*
 * Whether it is a block device's own inode, in whose page cache its content is.
 * Not by its mode: btrfs' own inode, for one, is left with that of the inode
 * whose memory it has got.
 */
static inline bool iob_is_bdev(const struct inode *inode)
{
	return inode->i_sb->s_magic == BDEVFS_MAGIC;
}

/*
 * btrfs (1) and f2fs (1, 2) keep metadata in pages of inodes of their own, with
 * numbers that no file of theirs has.
 */
static inline bool iob_is_metadata(const struct inode *inode)
{
	switch (inode->i_sb->s_magic) {
	case BTRFS_SUPER_MAGIC:
		return inode->i_ino == 1;
	case F2FS_SUPER_MAGIC:
		return inode->i_ino <= 2;
	default:
		return false;
	}
}

/* The file an inode stands for; a block device's own inode is no file. */
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

/* How sure it is that an act's role pays for what the act changed. */
static inline enum iob_how iob_act_how(const struct iob_act *act)
{
	/* a kernel thread acts on behalf of somebody: he is not known */
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

extern struct iob_index iob_acts;

/* The act with this id, or NULL if it was reclaimed.  In iob_read_lock(). */
static inline struct iob_act *iob_act_id(u64 id)
{
	struct iob_node *node = iob_index_id(&iob_acts, id);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* The act with that number, or NULL.  In iob_read_lock(). */
static inline struct iob_act *iob_act_nr(u32 nr)
{
	struct iob_node *node = iob_index_nr(&iob_acts, nr);

	return node ? container_of(node, struct iob_act, node) : NULL;
}

/* The time at which an act is used, in IOB_ACT_TICK jiffies: about a second. */
#define IOB_ACT_TICK	roundup_pow_of_two(HZ)

static __always_inline u32 iob_act_now(void)
{
	return jiffies / IOB_ACT_TICK;
}

/* Note that an act is in use.  Seldom writes: a shared line stays shared. */
static __always_inline void iob_act_touch(struct iob_act *act)
{
	u32 now = iob_act_now();

	if (READ_ONCE(act->used) != now)
		WRITE_ONCE(act->used, now);
}

/* what reclaiming did, for `status` */
struct iob_reclaimed {
	u64 roles;
	u64 acts;
};

void iob_acts_reclaim(u32 ttl, struct iob_reclaimed *done);

int iob_acts_cache_init(void);
void iob_acts_cache_exit(void);

#endif

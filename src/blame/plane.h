/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plane - page frame number -> a small entry, for all of memory
 *
 * Two levels: a directory for all of memory, and leaves of one page each.  A leaf is
 * allocated when the first of its page frames gets an entry.
 *
 * Example with entries of four bytes and 4 KiB pages: a leaf has 1024 entries, and that of
 * page frame 0x12345 is at slot 0x345 of leaf 0x48.  With pages of 64 KiB a leaf has 16,384.
 *
 * When memory comes, a larger directory replaces the old one under RCU.  When memory goes, its
 * leaves go.
 */
#ifndef IOB_BLAME_PLANE_H
#define IOB_BLAME_PLANE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/types.h>

/* Who looks at all entries looks at so many in one turn, with preemption off: a part. */
#define IOB_PART_BITS	10
#define IOB_PART_FRAMES	BIT(IOB_PART_BITS)

struct iob_plane_dir {
	unsigned long nr;	/* leaves; constant */
	void *leaf[];		/* S; R */
};

/* S: planes_lock, to make and to take away; P: planes_mutex; R: RCU for reads. */
struct iob_plane {
	struct iob_plane_dir __rcu *dir;	/* P and S; R; never NULL */
	struct iob_plane_dir *next;		/* S; takes the place of dir just now, or NULL */
	unsigned int bits;	/* a leaf has 1 << bits entries */
	atomic_long_t pages;	/* leaves that exist */
	struct list_head link;	/* P; of those that have entries */
	void (*replaced)(void);	/* called under P when dir is another one, or NULL; constant */
};

/* What a plane has as long as it is not in use. */
extern struct iob_plane_dir iob_plane_no_dir;

#define IOB_PLANE(told)	{							\
	.dir = RCU_INITIALIZER(&iob_plane_no_dir), .replaced = told,		\
}

int iob_planes_init(void);
void iob_planes_exit(void);
int iob_plane_start(struct iob_plane *p, unsigned int entry_shift);
void iob_plane_stop(struct iob_plane *p);
void *iob_plane_leaf_make(struct iob_plane *p, unsigned long pfn);
unsigned long iob_plane_bytes(const struct iob_plane *p);
void iob_planes_keep_memory(void);
void iob_planes_free_memory(void);

/* The leaf with this number, NULL if there is none.  Any context, R. */
static inline void *iob_plane_dir_leaf(const struct iob_plane_dir *dir, unsigned long nr)
{
	return likely(nr < dir->nr) ? READ_ONCE(dir->leaf[nr]) : NULL;
}

/* The leaf of a page frame, NULL if there is none.  Any context, inside iob_read_lock(). */
static inline void *iob_plane_leaf(const struct iob_plane *p, unsigned long pfn)
{
	return iob_plane_dir_leaf(rcu_dereference_sched(p->dir), pfn >> p->bits);
}

/* The index of a page frame's entry in its leaf. */
static inline unsigned long iob_plane_slot(const struct iob_plane *p, unsigned long pfn)
{
	return pfn & ((1UL << p->bits) - 1);
}

/* How many leaves a plane has room for.  A later leaf may come at any time.  May sleep. */
static inline unsigned long iob_plane_leaves(const struct iob_plane *p)
{
	unsigned long nr;

	rcu_read_lock();
	nr = rcu_dereference(p->dir)->nr;
	rcu_read_unlock();
	return nr;
}

/* How many parts these leaves have.  As iob_plane_leaves(). */
static inline unsigned long iob_plane_parts(const struct iob_plane *p)
{
	return iob_plane_leaves(p) << p->bits >> IOB_PART_BITS;
}

#endif

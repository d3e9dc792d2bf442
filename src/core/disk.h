/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disk - which devices are watched, and the sums of each disk
 *
 * Probes ask for each bio and for each dirtied page if the device is watched.
 *
 * Example: `devs` is "sda2 sdc".  A bio to sector 9000 of sda finds the entry { disk 8:0,
 * sectors 4096 to 102400 } and is followed.  A bio to sdb pays for iob_disk_maybe() only.
 */
#ifndef IOB_CORE_DISK_H
#define IOB_CORE_DISK_H

#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/ioblame.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>

#include <compat/blkdev.h>
#include <compat/stacked.h>

#include "sum.h"

/* The kind of an IO: a letter in iolog and in counters. */
enum iob_op {
	IOB_OP_READ,
	IOB_OP_AHEAD,
	IOB_OP_WRITE,
	IOB_OP_DISCARD,
	IOB_OP_FLUSH,
	IOB_NR_OPS,
};

/* What is missing of (role, intent, file) because there was no room or no memory. */
enum iob_less {
	IOB_LESS_INTENT,	/* role and file are known */
	IOB_LESS_FILE,		/* the role is, maybe with the intent: of what counters count */
	IOB_LESS_ROLE,		/* nothing is */
	IOB_NR_LESS,
};

struct iob_disk_sums {
	u64 bytes[IOB_NR_OPS][IOB_NR_HOWS];
	u64 ios[IOB_NR_OPS];
	u64 less[IOB_NR_LESS];	/* bytes */
};

/* A disk that is or was in `devs`.  Lives until the module is unloaded. */
struct iob_disk {
	struct list_head link;
	dev_t devt;
	u32 nr;			/* from 0, in the order of their first time in `devs`; constant */
	char name[DISK_NAME_LEN];
	struct iob_disk_sums __percpu *sums;
	struct iob_sum *rest;	/* by iob_disk_sum(): of IOs that have no sum of an act, */
	struct iob_sum *past;	/* and of sums that are gone; see io/sum */
	/*
	 * The sector behind the last completed IO: in a line of its own, as all CPUs write
	 * it, and only while a counter wants it.
	 */
	u64 last_end ____cacheline_aligned;
};

/* How many sums a disk has as its rest, and as its past. */
#define IOB_DISK_SUMS	(IOB_NR_OPS * IOB_NR_HOWS)

/* The place of an operation and a certainty in the disk's rest and past. */
static inline unsigned int iob_disk_sum(u8 op, u8 how)
{
	return op * IOB_NR_HOWS + how;
}

#define IOB_MAX_DEVS	1024
#define IOB_DEVS_BITS	10
#define IOB_HINT_BITS	12

/* One word of `devs`: a disk or a partition. */
struct iob_dev {
	dev_t dev;
	dev_t disk_devt;
	bool looked_up;		/* by the write that sets it now, not by one before */
	u16 next;		/* number + 1 of the next one in the bucket; 0: none */
	u64 start;		/* sectors of the disk: [start, end) */
	u64 end;
	u32 epoch;		/* see iob_disk_epoch() */
	struct iob_disk *disk;
	char name[DISK_NAME_LEN];
};

/*
 * A watched device that a file system may have claimed beside its s_bdev: an external
 * journal, say.
 */
struct iob_second {
	const void *holder;	/* is compared with the super block and its s_fs_info; not NULL */
	dev_t dev;		/* constant; no other entry has it */
	dev_t disk_devt;
};

/* A disk in `devs` may have several partitions that are second devices. */
#define IOB_MORE_SECONDS	64

/*
 * All words of `devs`.  A change replaces the whole under RCU; all but the second devices is
 * constant.
 */
struct iob_devs {
	unsigned int nr;
	u32 epoch;		/* since when any device is watched */
	bool one_epoch;		/* that of each disk is the same */
	u32 nr_second;		/* grows, behind what it counts */
	u32 max_second;
	bool second_full;	/* one more is claimed, which is counted once */
	struct iob_second *second;	/* behind the last dev */
	/* by a hash of the disk's number: number + 1 of the first one; 0: none */
	u16 first[1 << IOB_DEVS_BITS];
	struct iob_dev dev[];
};

extern struct iob_devs __rcu *iob_devs;	/* NULL: no device is watched */
/* By iob_devs_hash(): not 0 if IO of such a disk may be followed. */
extern u8 iob_devs_hint[1 << IOB_HINT_BITS];

int iob_dev_lookup(const char *word, struct iob_dev *dev);
int iob_devs_set(const struct iob_dev *dev, unsigned int nr);
unsigned int iob_devs_get(struct iob_dev *dev, unsigned int max);
void iob_disks_show(struct seq_file *m, void (*show)(struct seq_file *m,
						     const struct iob_disk *));
const struct iob_disk *iob_disk_named(dev_t devt);
struct iob_disk *iob_disk_after(const struct iob_disk *disk);
void iob_disks_exit(void);
int iob_disks_learn(void);
void iob_disks_learn_end(void);
void iob_disks_reset(void);

/* The hash of a disk's number. */
static __always_inline u32 iob_devs_hash(unsigned int major, unsigned int first_minor)
{
	return hash_32(major + first_minor, IOB_HINT_BITS);
}

static inline const struct iob_dev *iob_dev_nr(const struct iob_devs *devs, u16 nr)
{
	return nr ? &devs->dev[nr - 1] : NULL;
}

/* The first entry of @devs that may be of this disk; more follow by .next. */
static inline const struct iob_dev *iob_dev_first(const struct iob_devs *devs,
						  const struct gendisk *gd)
{
	u32 hash = iob_devs_hash(gd->major, gd->first_minor);

	return iob_dev_nr(devs, devs->first[hash >> (IOB_HINT_BITS - IOB_DEVS_BITS)]);
}

/**
 * iob_dev_of - the entry of `devs` to which an IO goes
 * @gd:     the IO's disk
 * @sector: where the IO begins on the disk
 * @data:   false for a flush, which goes to the whole disk
 *
 * Any context, inside iob_read_lock().  Return: NULL if the IO is not watched.
 */
static inline const struct iob_dev *iob_dev_of(const struct gendisk *gd,
					       u64 sector, bool data)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	const struct iob_dev *d;
	dev_t devt;

	if (!now || !gd)
		return NULL;
	devt = MKDEV(gd->major, gd->first_minor);
	for (d = iob_dev_first(now, gd); d; d = iob_dev_nr(now, d->next)) {
		if (d->disk_devt == devt &&
		    (!data || (sector >= d->start && sector < d->end)))
			return d;
	}
	return NULL;
}

/* The disk of iob_dev_of(), or NULL. */
static inline struct iob_disk *iob_disk_of(const struct gendisk *gd, u64 sector,
					   bool data)
{
	const struct iob_dev *d = iob_dev_of(gd, sector, data);

	return d ? d->disk : NULL;
}

/*
 * False if IO of the disk is certainly not followed; true: look closer.  This is all that IO
 * to unwatched disks pays for.  Any context.
 */
static __always_inline bool iob_disk_maybe(const struct gendisk *gd)
{
	return READ_ONCE(iob_devs_hint[iob_devs_hash(gd->major, gd->first_minor)]);
}

/* IO of this disk is followed, too, for the rest of the session. */
static inline void iob_disk_maybe_from_now(const struct gendisk *gd)
{
	u8 *hint = &iob_devs_hint[iob_devs_hash(gd->major, gd->first_minor)];

	if (unlikely(!READ_ONCE(*hint)))
		WRITE_ONCE(*hint, 1);
}

void iob_disks_maybe_all(void);

/* True if any device is watched.  Any context, inside iob_read_lock(). */
static inline bool iob_disk_any(void)
{
	return rcu_access_pointer(iob_devs);
}

/* True if the driver clones bios of this disk for other disks.  Any context. */
static inline bool iob_disk_clones(const struct gendisk *gd)
{
	return iob_disk_bio_based(gd) || iob_disk_maps_requests(gd);
}

/*
 * True if the disk stacks on others.  Pages that are dirtied on it may be written to any disk,
 * and the act that pays for the IO here pays for it on the disks below.  Any context.
 */
static inline bool iob_disk_stacks(const struct gendisk *gd)
{
	return iob_disk_clones(gd) || iob_disk_is_file(gd);
}

/* True if any device of another disk is watched.  Inside iob_read_lock(). */
static inline bool iob_devs_beside(const struct gendisk *gd)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);

	return now && (now->nr > 1 || now->dev[0].disk_devt !=
		       MKDEV(gd->major, gd->first_minor));
}

/* True if pages that are dirtied on this disk may be written to one of @devs. */
static inline bool iob_devs_reached(const struct iob_devs *devs,
				    const struct gendisk *gd)
{
	dev_t devt = MKDEV(gd->major, gd->first_minor);
	const struct iob_dev *d;

	for (d = iob_dev_first(devs, gd); d; d = iob_dev_nr(devs, d->next)) {
		if (d->disk_devt == devt)
			return true;
	}
	return iob_disk_stacks(gd);
}

void iob_disk_second_learn(const struct bio *bio);
const struct iob_second *iob_disk_second_find(const struct iob_devs *devs,
					      const struct inode *inode);

/*
 * The watched second device of the file system on which an inode is, or that is on the block
 * device whose own it is; NULL if there is none.  Any context, inside iob_read_lock().
 */
static inline const struct iob_second *iob_disk_second_of(const struct iob_devs *devs,
							  const struct inode *inode)
{
	return unlikely(READ_ONCE(devs->nr_second)) ? iob_disk_second_find(devs, inode) : NULL;
}

bool iob_disk_watches_other(struct inode *inode);
u32 iob_disk_epoch(struct inode *inode);

/**
 * iob_disk_watches - true if pages of an inode may be written to a watched disk
 * @inode: of a file, or a block device's own
 *
 * Any context, inside iob_read_lock().  Cheap and conservative: a file system on several
 * devices or on a stacking one counts as watched.
 *
 * Example: `devs` is "sdb", which has the journal of a file system on sda.  The first bio to
 * sdb, a read at mount, says what has claimed it: that file system's inodes are watched from
 * here on.
 */
static inline bool iob_disk_watches(struct inode *inode)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	const struct block_device *bdev = inode->i_sb->s_bdev;

	/* a block device's own inode, or the file system has several devices */
	if (unlikely(!bdev))
		return iob_disk_watches_other(inode);
	if (!now || !bdev->bd_disk)
		return false;
	return iob_devs_reached(now, bdev->bd_disk) || iob_disk_second_of(now, inode);
}

#endif

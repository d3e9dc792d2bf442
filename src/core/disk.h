/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disk - which devices are watched, and the sums for each
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
#include <compat/file_disk.h>

/* what an IO does: the letters of iolog and of counters */
enum iob_op {
	IOB_OP_READ,
	IOB_OP_AHEAD,
	IOB_OP_WRITE,
	IOB_OP_DISCARD,
	IOB_OP_FLUSH,
	IOB_NR_OPS,
};

struct iob_disk_sums {
	u64 bytes[IOB_NR_OPS][IOB_NR_HOWS];
	u64 ios[IOB_NR_OPS];
};

/* A disk that is or was in `devs`.  Lives until the module goes. */
struct iob_disk {
	struct list_head link;
	dev_t devt;
	char name[DISK_NAME_LEN];
	u64 last_end;		/* sector behind the last IO completed */
	struct iob_disk_sums __percpu *sums;
};

/* One word of `devs`: a disk or a partition. */
struct iob_dev {
	dev_t dev;
	dev_t disk_devt;
	u64 start;		/* sectors of the disk: [start, end) */
	u64 end;
	struct iob_disk *disk;
	char name[DISK_NAME_LEN];
};

/* All words of `devs`; replaced as a whole under RCU. */
struct iob_devs {
	unsigned int nr;
	struct iob_dev dev[];
};

extern struct iob_devs __rcu *iob_devs;	/* NULL is none */
extern atomic64_t iob_devs_hint;

int iob_dev_lookup(const char *word, struct iob_dev *dev);
int iob_devs_set(const struct iob_dev *dev, unsigned int nr);
unsigned int iob_devs_get(struct iob_dev *dev, unsigned int max);
void iob_disks_show(struct seq_file *m, void (*show)(struct seq_file *m,
						     const struct iob_disk *));
const struct iob_disk *iob_disk_named(dev_t devt);
void iob_disks_exit(void);
void iob_disks_reset(void);

/**
 * iob_dev_of - what of `devs` an IO goes to
 * @gd:     its disk
 * @sector: where on the disk
 * @data:   false for a flush, which is the whole disk's
 *
 * Any context, inside iob_read_lock().  Return: NULL if it is not watched.
 */
static inline const struct iob_dev *iob_dev_of(const struct gendisk *gd,
					       u64 sector, bool data)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	const struct iob_dev *d, *end;
	dev_t devt;

	if (!now || !gd)
		return NULL;
	devt = MKDEV(gd->major, gd->first_minor);
	for (d = now->dev, end = d + now->nr; d < end; d++) {
		if (d->disk_devt == devt &&
		    (!data || (sector >= d->start && sector < d->end)))
			return d;
	}
	return NULL;
}

/* The watched disk to which an IO goes: as iob_dev_of(). */
static inline struct iob_disk *iob_disk_of(const struct gendisk *gd, u64 sector,
					   bool data)
{
	const struct iob_dev *d = iob_dev_of(gd, sector, data);

	return d ? d->disk : NULL;
}

/* Which of 64 bits is a disk's. */
static inline unsigned int iob_devs_bit(unsigned int major,
					unsigned int first_minor)
{
	return hash_32(major + first_minor, 6);
}

/*
 * Whether IO of a disk may be followed: false is certain, true is to be verified.
 * What IO to disks that nobody watches pays for.  Any context.
 */
static __always_inline bool iob_disk_maybe(const struct gendisk *gd)
{
	return (u64)atomic64_read(&iob_devs_hint) >>
	       iob_devs_bit(gd->major, gd->first_minor) & 1;
}

/*
 * IO of a disk that stacks is followed: some such disks hand their bios on as they
 * are, and those may end on any other disk.  For the rest of the session.
 */
static inline void iob_disks_maybe_all(void)
{
	if (unlikely(atomic64_read(&iob_devs_hint) != -1LL))
		atomic64_set(&iob_devs_hint, -1LL);
}

/* IO of this one is followed, and its own requests tell of the end. */
static inline void iob_disk_maybe_from_now(const struct gendisk *gd)
{
	if (unlikely(!iob_disk_maybe(gd)))
		atomic64_or(BIT_ULL(iob_devs_bit(gd->major, gd->first_minor)),
			    &iob_devs_hint);
}

/* Whether any device is watched.  Any context, inside iob_read_lock(). */
static inline bool iob_disk_any(void)
{
	return rcu_access_pointer(iob_devs);
}

/*
 * Whether device mapper makes a request to another disk of each of its requests, as
 * multipath does.  Of a disk that is not bio_based; such a name no other driver
 * gives.  Any context.
 */
static inline bool iob_disk_maps_requests(const struct gendisk *gd)
{
	/* the first letter tells for most */
	return gd->disk_name[0] == 'd' && gd->disk_name[1] == 'm' &&
	       gd->disk_name[2] == '-';
}

/* Whether bios to other disks are clones of this one's.  Any context. */
static inline bool iob_disk_clones(const struct gendisk *gd)
{
	return iob_disk_bio_based(gd) || iob_disk_maps_requests(gd);
}

/*
 * A disk that passes its bios on (device mapper, md, loop, ...): what is
 * dirtied on it can reach any disk, and who pays for it below is who pays for it
 * here.  Any context.
 */
static inline bool iob_disk_stacks(const struct gendisk *gd)
{
	return iob_disk_clones(gd) || iob_disk_is_file(gd);
}

/* Whether anything else than this disk is watched.  Inside iob_read_lock(). */
static inline bool iob_devs_beside(const struct gendisk *gd)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);

	return now && (now->nr > 1 || now->dev[0].disk_devt !=
		       MKDEV(gd->major, gd->first_minor));
}

/* Whether what is dirtied on this disk may end on one of those. */
static inline bool iob_devs_reached(const struct iob_devs *devs,
				    const struct gendisk *gd)
{
	dev_t devt = MKDEV(gd->major, gd->first_minor);
	unsigned int i;

	for (i = 0; i < devs->nr; i++) {
		if (devs->dev[i].disk_devt == devt)
			return true;
	}
	return iob_disk_stacks(gd);
}

bool iob_disk_watches_other(struct inode *inode);

/**
 * iob_disk_watches - whether dirtying this inode may end on a watched disk
 * @inode: a file, or a block device's own inode
 *
 * Any context, inside iob_read_lock().  Cheap, and on the safe side: a file
 * system over several devices or on a stacked one counts as watched.
 */
static inline bool iob_disk_watches(struct inode *inode)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	const struct block_device *bdev = inode->i_sb->s_bdev;

	/* it is a block device's own inode, or its file system has several */
	if (unlikely(!bdev))
		return iob_disk_watches_other(inode);
	return now && bdev->bd_disk && iob_devs_reached(now, bdev->bd_disk);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/blkdev - block devices, disks, requests and bios
 *
 * Hides:
 *  - 5.12 309dca309fc3: a bio points at a block_device, not at a gendisk;
 *  - 5.17: struct request lost rq_disk for q->disk, which is there before;
 *  - 5.11 4e7b5671c6a8: lookup_bdev() gives a dev_t;
 *  - 6.5: block devices are opened by a blk_mode_t, and by their holder's operations;
 *  - 6.7, 6.8: they are opened as handles;
 *  - 6.9 f3a608827d1f: they are opened as files;
 *  - 6.6: bd_super went, and a file system claims a device for its super block, by fs_holder_ops;
 *    from 7.3 on fs_holder_ops is the kernel's own;
 *  - 7.3: bi_bvec_done is bi_offset;
 *  - 5.11 to 5.13: bd_part, bd_partno and bd_inode became functions.
 * Kbuild looks for each in the headers: distributions backport.
 */
#ifndef IOB_COMPAT_BLKDEV_H
#define IOB_COMPAT_BLKDEV_H

#include <linux/bio.h>
#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/ktime.h>
#include <linux/mm.h>
#ifdef IOB_HAVE_GENHD_H
#include <linux/genhd.h>
#endif

#include <compat/peek.h>

static inline struct gendisk *iob_bio_disk(const struct bio *bio)
{
#ifdef IOB_HAVE_BI_BDEV
	return bio->bi_bdev ? bio->bi_bdev->bd_disk : NULL;
#else
	return bio->bi_disk;
#endif
}

/*
 * Where a bio begins on its disk, also before the kernel has added where its partition begins.
 * Inside iob_read_lock().
 */
static inline u64 iob_bio_disk_sector(const struct bio *bio)
{
	u64 sector = bio->bi_iter.bi_sector;
#ifdef IOB_HAVE_BI_BDEV
	/* (that of a whole disk begins at 0) */
	return bio_flagged((struct bio *)bio, BIO_REMAPPED) ? sector :
							      sector + get_start_sect(bio->bi_bdev);
#else
	const struct disk_part_tbl *table = rcu_dereference_raw(bio->bi_disk->part_tbl);
	const struct hd_struct *part = NULL;

	if (bio->bi_partno && table && bio->bi_partno < table->len)
		part = rcu_dereference_raw(table->part[bio->bi_partno]);
	return part ? sector + part->start_sect : sector;
#endif
}

/* The bytes of a bio's current bio_vec that are done. */
static inline unsigned int iob_bio_vec_done(const struct bio *bio)
{
#ifdef IOB_HAVE_BVEC_DONE
	return bio->bi_iter.bi_bvec_done;
#else
	return bio->bi_iter.bi_offset;
#endif
}

/*
 * True if a bio can be read, and its disk's number.  Of an address that a private struct has
 * for a bio.  Any context but NMI.
 */
static inline bool iob_bio_readable(const struct bio *bio)
{
	const char *last = (const char *)(bio + 1) - 1;
	const struct gendisk *gd;
	int major;
	char c;
#ifdef IOB_HAVE_BI_BDEV
	const struct block_device *bdev;

	if (!iob_peek(&bdev, &bio->bi_bdev) || !iob_peek(&gd, &bdev->bd_disk))
		return false;
#else
	if (!iob_peek(&gd, &bio->bi_disk))
		return false;
#endif
	return iob_peek(&c, last) && iob_peek(&major, &gd->major);
}

/* The disk of a bio that is queued: never NULL. */
static inline struct gendisk *iob_queued_disk(const struct bio *bio)
{
#ifdef IOB_HAVE_BI_BDEV
	return bio->bi_bdev->bd_disk;
#else
	return bio->bi_disk;
#endif
}

/* The number of the disk or partition that a bio is sent to. */
static inline dev_t iob_bio_devt(const struct bio *bio)
{
#ifdef IOB_HAVE_BI_BDEV
	return bio->bi_bdev->bd_dev;
#else
	return MKDEV(bio->bi_disk->major, bio->bi_disk->first_minor);
#endif
}

static inline struct gendisk *iob_rq_disk(const struct request *rq)
{
#ifdef IOB_HAVE_RQ_DISK
	return rq->rq_disk;
#else
	return rq->q->disk;
#endif
}

/*
 * 1: bio_endio() goes on to the parent of a chained bio before it traces the bio's end, so
 * that end is not seen.  5.10 does; from 5.14 on it traces first.  No header tells: kernels
 * whose bios have bi_bdev count as later ones.  The first releases of 5.12 have bi_bdev but
 * trace as 5.10 does: such ends are not seen there, and are counted in inflight_stale.
 */
#ifdef IOB_HAVE_BI_BDEV
#define IOB_CHAINED_END_SILENT	0
#else
#define IOB_CHAINED_END_SILENT	1
#endif

/* True if the disk takes bios as they are: no request will be seen. */
static inline bool iob_disk_bio_based(const struct gendisk *disk)
{
	return disk->fops && disk->fops->submit_bio;
}

static inline u16 iob_rq_hwq(const struct request *rq)
{
	return rq->mq_hctx ? rq->mq_hctx->queue_num : 0xffff;
}

static inline bool iob_bdev_is_part(const struct block_device *bdev)
{
#ifdef IOB_HAVE_BI_BDEV
	return bdev_is_partition((struct block_device *)bdev);
#else
	return bdev->bd_partno;
#endif
}

/* True if the device takes discards. */
static inline bool iob_disk_discards(const struct gendisk *gd)
{
	return gd->queue->limits.max_discard_sectors;
}

static inline bool iob_bdev_discards(struct block_device *bdev)
{
	return iob_disk_discards(bdev->bd_disk);
}

static inline u64 iob_bdev_sectors(struct block_device *bdev)
{
#ifdef IOB_HAVE_BDEV_NR_SECTORS
	return bdev_nr_sectors(bdev);
#else
	return i_size_read(bdev->bd_inode) >> SECTOR_SHIFT;
#endif
}

/*
 * The super block whose s_bdev the device is, or NULL.  Inside RCU's read side or
 * iob_read_lock().
 */
static inline const struct super_block *iob_bdev_super(const struct block_device *bdev)
{
#ifdef IOB_HAVE_BD_SUPER
	return READ_ONCE(bdev->bd_super);
#elif defined(IOB_HAVE_FS_HOLDER_OPS)
	const struct super_block *sb = READ_ONCE(bdev->bd_holder);

	/* super blocks are freed after a grace period */
	return sb && READ_ONCE(bdev->bd_holder_ops) == &fs_holder_ops && sb->s_bdev == bdev ?
	       sb : NULL;
#elif defined(IOB_HAVE_BDEV_FILE)
	const struct super_block *sb = READ_ONCE(bdev->bd_holder);
	const struct block_device *of;

	/* setup_bdev_super() claims it for the super block, which then points back */
	return sb && iob_peek(&of, &sb->s_bdev) && of == bdev ? sb : NULL;
#else
	return NULL;
#endif
}

/*
 * What has claimed a device if that may be a file system that has it beside its s_bdev, else
 * NULL: the address of a super_block or of a file system's own part of it, to be compared.
 * May be anything else that is allocated.  Inside RCU's read side or iob_read_lock().
 */
static inline const void *iob_bdev_second_holder(const struct block_device *bdev)
{
	const void *holder = READ_ONCE(bdev->bd_holder);

	if (!holder || iob_bdev_super(bdev))
		return NULL;
	/* s_bdev is claimed by a file_system_type on older kernels, which is not allocated */
	return (unsigned long)holder >= PAGE_OFFSET && holder < (const void *)high_memory ?
	       holder : NULL;
}

/* The device that a queued bio is sent to; NULL where bios do not name it. */
static inline const struct block_device *iob_bio_bdev(const struct bio *bio)
{
#ifdef IOB_HAVE_BI_BDEV
	return bio->bi_bdev;
#else
	return NULL;
#endif
}

/* An open block device: held by a file or by itself, depending on the kernel. */
struct iob_bdev {
	struct block_device *bdev;
#if defined(IOB_HAVE_BDEV_FILE)
	struct file *file;
#elif defined(IOB_HAVE_BDEV_HANDLE)
	struct bdev_handle *handle;
#endif
};

/* May sleep.  Return: 0 or a negative errno. */
static inline int iob_bdev_open(struct iob_bdev *b, dev_t dev)
{
#if defined(IOB_HAVE_BDEV_FILE)
	b->file = bdev_file_open_by_dev(dev, BLK_OPEN_READ, NULL, NULL);
	if (IS_ERR(b->file))
		return PTR_ERR(b->file);
	b->bdev = file_bdev(b->file);
#elif defined(IOB_HAVE_BDEV_HANDLE)
	b->handle = bdev_open_by_dev(dev, BLK_OPEN_READ, NULL, NULL);
	if (IS_ERR(b->handle))
		return PTR_ERR(b->handle);
	b->bdev = b->handle->bdev;
#else
#ifdef IOB_HAVE_BLK_OPEN_MODE
	b->bdev = blkdev_get_by_dev(dev, BLK_OPEN_READ, NULL, NULL);
#else
	b->bdev = blkdev_get_by_dev(dev, FMODE_READ, NULL);
#endif
	if (IS_ERR(b->bdev))
		return PTR_ERR(b->bdev);
#endif
	return 0;
}

static inline void iob_bdev_close(struct iob_bdev *b)
{
#if defined(IOB_HAVE_BDEV_FILE)
	bdev_fput(b->file);
#elif defined(IOB_HAVE_BDEV_HANDLE)
	bdev_release(b->handle);
#elif defined(IOB_HAVE_BLK_OPEN_MODE)
	/* it takes the holder now */
	blkdev_put(b->bdev, NULL);
#else
	blkdev_put(b->bdev, FMODE_READ);
#endif
}

/* The device behind a path like /dev/sda.  May sleep.  Return: 0 or -errno. */
static inline int iob_bdev_lookup(const char *path, dev_t *dev)
{
#ifdef IOB_HAVE_LOOKUP_BDEV_DEVT
	return lookup_bdev(path, dev);
#else
	struct block_device *bdev = lookup_bdev(path);

	if (IS_ERR(bdev))
		return PTR_ERR(bdev);
	*dev = bdev->bd_dev;
	bdput(bdev);
	return 0;
#endif
}

#endif

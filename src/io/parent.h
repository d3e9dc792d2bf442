/* SPDX-License-Identifier: GPL-2.0 */
/*
 * parent - the bio of an upper disk that a bio is made from
 *
 * A disk that stacks makes new bios of those it gets.  Who pays for the upper bio pays for
 * them.  Most new bios are clones, which share the array of pages with their parent: that
 * is found here for any driver.  What only a driver knows is asked through struct
 * iob_parent_ops.
 */
#ifndef IOB_IO_PARENT_H
#define IOB_IO_PARENT_H

#include <linux/sched.h>

#include <compat/file_disk.h>

#include "bio_ctx.h"

/* What a driver knows of parents; each member may be NULL.  All run in probes. */
struct iob_parent_ops {
	/*
	 * Which acts pay for @bio, which is being queued and is not a clone.  Called only
	 * while disks that make clones have contexts.  Return: false if that is not known;
	 * @o is not set.
	 */
	bool (*find)(struct iob_origin *o, const struct bio *bio);
	/* The same if a kernel thread queues @bio while iob_parent_workers is set. */
	bool (*find_worker)(struct iob_origin *o, const struct bio *bio);
	/* Disks whose content is a file; one driver at most has these: */
	/* True if what is written to the disk may come to a watched disk. */
	bool (*reaches)(const struct gendisk *gd);
	/* The disk's file if nothing reaches a watched disk in this epoch, or NULL. */
	const struct file *(*file_of_now)(const struct gendisk *gd);
};

/* Some task carries out requests of a disk above, in this session. */
extern bool iob_parent_workers;
extern bool (*iob_parent_reaches)(const struct gendisk *gd);
/* Where the private struct of a disk has its file: set before .file_of_now gives one. */
extern u16 iob_parent_file_at;

/* A task will carry out requests of a disk above.  Writes once: each bio of all CPUs asks. */
static inline void iob_parent_expect_workers(void)
{
	if (!READ_ONCE(iob_parent_workers))
		WRITE_ONCE(iob_parent_workers, true);
}

int iob_parent_ops_add(const struct iob_parent_ops *ops);
void iob_parents_start(void);

const struct bio *iob_parent_whole(const struct bio *bio, u64 *shift);
bool iob_parent_without_pages(struct iob_origin *o, const struct bio *bio,
			      dev_t disk, u64 sector);
bool iob_parent_mapped(struct iob_origin *o, const struct bio *bio, dev_t disk);
bool iob_parent_clone(struct iob_origin *o, const struct bio *bio, const struct bio *from);
bool iob_parent_look(struct iob_origin *o, const struct bio *bio);
bool iob_parent_look_worker(struct iob_origin *o, const struct bio *bio);
const struct file *iob_parent_file_of_now(const struct gendisk *gd);

/**
 * iob_disk_hands_on - whether IO to this disk makes IO to other disks
 * @gd: the disk
 *
 * As iob_disk_stacks(), with two exceptions, whose requests are like those of any disk:
 *  - a disk that makes requests of requests, if no other disk is watched;
 *  - a disk whose content is a file, if the file cannot reach a watched disk.
 * Any context, inside iob_read_lock().
 */
static inline bool iob_disk_hands_on(const struct gendisk *gd)
{
	if (iob_disk_bio_based(gd))
		return true;
	if (iob_disk_is_file(gd))
		return iob_parent_reaches(gd);
	return iob_disk_maps_requests(gd) && iob_devs_beside(gd);
}

/**
 * iob_parent_find - who pays for a bio that is made from others
 * @o:   gets the shares; iob_origin_free() it in the end
 * @bio: as it is queued
 *
 * Any context but NMI, inside iob_read_lock(), in the context of the submitter.
 * Return: false if it has no parent, or none that is known; @o is not set.
 */
static inline bool iob_parent_find(struct iob_origin *o, const struct bio *bio)
{
	if (READ_ONCE(iob_parent_workers) && current->flags & PF_KTHREAD &&
	    iob_parent_look_worker(o, bio))
		return true;
	/* without upper disks these two questions are all that it costs */
	return READ_ONCE(iob_has_parents) && iob_parent_look(o, bio);
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A loop device's requests are followed to the disk that its file is on.  That makes a
 * request cost three times as much, and is useless if the file can reach no watched disk.
 * So each IO asks where the file is.  The answer may change: the device may get another
 * file, and memory may become swappable.
 *
 * The answer is "no" only if that is certain.  A file on a tmpfs comes to a disk if it is
 * swapped out or in: there must be no room for it in a swap area, and none of it there.  Each IO
 * looks; but a task may remember the answer.  So hooks tell that a swap area is about to come,
 * and that a full one is about to have its first free page: answers that tasks remember are no
 * longer valid then.  Where a kernel does not tell the second, no task remembers an answer about
 * a tmpfs.  A file on ext4, and a disk as the file, are
 * on one disk.  Other file systems may use several disks, or another machine's.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/shmem_fs.h>
#include <linux/swap.h>

#include <compat/loop.h>

#include "core/disk.h"
#include "core/epoch.h"
#include "core/layout.h"
#include "io/parent.h"
#include "loop_file.h"

/* of disks whose struct loop_device is as we know it; NULL before one was seen */
static const void *known_fops;
static bool swapon_seen;	/* iob_loop_swapon() is called when a swap area comes */
static bool room_seen;		/* and when a full one has room; it has, too, when it comes */
static bool swapon_came;	/* it was called */
static bool ioctl_seen;

static const struct iob_layout_member loop_members[] = {
	[IOB_LOOP_NUMBER] = IOB_LAYOUT_MEMBER("lo_number", struct iob_loop_head, number),
	[IOB_LOOP_OFFSET] = IOB_LAYOUT_MEMBER("lo_offset", struct iob_loop_head, offset),
	[IOB_LOOP_FILE] = IOB_LAYOUT_MEMBER("lo_backing_file", struct iob_loop_head, file),
};

/* Proved by each driver's first device that is seen: iob_loop_is_as_known(). */
struct iob_layout iob_loop_layout = {
	.type = "loop_device", IOB_LAYOUT_IN("loop", CONFIG_BLK_DEV_LOOP),
	IOB_LAYOUT_OF(loop_members),
	.cost = "which acts pay if two reads of a loop device go to one page; time",
};

static const struct file *loop_file(const void *device)
{
	return iob_loop_file(device, READ_ONCE(iob_loop_layout.at[IOB_LOOP_FILE]));
}

/* Whether a file on a tmpfs may be swapped out, or is in part. */
static __always_inline bool tmpfs_file_reaches(struct inode *host)
{
	return !(READ_ONCE(swapon_seen) || READ_ONCE(room_seen)) || READ_ONCE(swapon_came) ||
	       get_nr_swap_pages() > 0 || READ_ONCE(SHMEM_I(host)->swapped);
}

static __always_inline bool file_reaches(const struct file *file)
{
	const struct address_space *mapping = READ_ONCE(file->f_mapping);
	struct inode *host = mapping ? READ_ONCE(mapping->host) : NULL;
	unsigned long magic;

	if (!host)
		return true;
	magic = host->i_sb->s_magic;
	if (likely(magic == TMPFS_MAGIC))
		return tmpfs_file_reaches(host);
	if (magic == EXT4_SUPER_MAGIC || magic == BDEVFS_MAGIC)
		return iob_disk_watches(host);
	return true;
}

/* As file_reaches(). */
static bool file_is_on_tmpfs(const struct file *file)
{
	const struct address_space *mapping = READ_ONCE(file->f_mapping);
	const struct inode *host = mapping ? READ_ONCE(mapping->host) : NULL;

	return host && host->i_sb->s_magic == TMPFS_MAGIC;
}

/**
 * iob_loop_file_reaches - whether IO to a loop device's file can come to a watched disk
 * @file: the file
 *
 * Any context, inside iob_read_lock(): files, inodes and super blocks are freed through
 * RCU.
 */
bool iob_loop_file_reaches(const struct file *file)
{
	return file_reaches(file);
}

/* Whether struct loop_device tells which file it is.  Any context. */
bool iob_loop_file_known(void)
{
	return READ_ONCE(known_fops);
}

/**
 * iob_loop_file_of - the file of a loop device
 * @device: its struct loop_device; there is IO to it
 *
 * Any context, inside iob_read_lock().  Return: NULL if it is not known.
 */
const struct file *iob_loop_file_of(const void *device)
{
	return device && iob_loop_file_known() ? loop_file(device) : NULL;
}

/**
 * iob_loop_device_reaches - as iob_loop_file_reaches(), of a loop device
 * @device: its struct loop_device; there is IO to it
 *
 * Any context, inside iob_read_lock().
 */
bool iob_loop_device_reaches(const void *device)
{
	const struct file *file = iob_loop_file_of(device);

	return !file || file_reaches(file);
}

/* The device is of a disk that was not seen yet, or has no private data. */
static noinline bool unknown_disk_reaches(const struct gendisk *gd)
{
	bool known = !iob_layout_is_bad(&iob_loop_layout) && gd->private_data &&
		     iob_loop_is_as_known(gd, iob_loop_layout.at);

	if (gd->private_data)
		iob_layout_tell(&iob_loop_layout, known);
	WRITE_ONCE(known_fops, known ? gd->fops : NULL);
	return !known || iob_loop_device_reaches(gd->private_data);
}

/**
 * iob_loop_disk_reaches - as iob_loop_file_reaches(), of a loop device's disk
 * @gd: the disk; there is IO to it
 *
 * Any context, inside iob_read_lock().
 */
bool iob_loop_disk_reaches(const struct gendisk *gd)
{
	const struct file *file;

	if (unlikely(READ_ONCE(known_fops) != gd->fops || !gd->private_data))
		return unknown_disk_reaches(gd);
	file = loop_file(gd->private_data);
	return !file || file_reaches(file);
}

/* A swap area is about to be used, or to have room again.  Any context. */
void iob_loop_swapon(void)
{
	if (READ_ONCE(swapon_came))
		return;
	WRITE_ONCE(swapon_came, true);
	iob_epoch_bump();
}

/*
 * A loop device may be about to get another file.  Any context.
 *
 * The new file is open, as the old one is until then: a file at the old one's address can
 * only come by another such call.  So what was noted before this call is invalidated here,
 * and what is noted from now on is told by the address.
 */
void iob_loop_ioctl(void)
{
	iob_epoch_bump();
}

/* Whether iob_loop_ioctl() is going to be called: from now on, or no more. */
void iob_loop_sees_ioctl(bool seen)
{
	WRITE_ONCE(ioctl_seen, seen);
	if (!seen)
		iob_epoch_bump();
}

/**
 * iob_loop_file_now - the file of a loop device from which nothing comes to a disk
 * @gd: its disk; there is IO to it
 *
 * Any context, inside iob_read_lock().  Return: a pointer that is only compared, by
 * iob_file_disk_has() and in one epoch; NULL if the file may come to a watched disk, or one of
 * these may change without our knowing.
 */
const struct file *iob_loop_file_now(const struct gendisk *gd)
{
	const struct file *file;

	if (!READ_ONCE(ioctl_seen) || iob_loop_disk_reaches(gd) ||
	    READ_ONCE(known_fops) != gd->fops || !gd->private_data)
		return NULL;
	WRITE_ONCE(iob_parent_file_at, iob_loop_layout.at[IOB_LOOP_FILE]);
	file = loop_file(gd->private_data);
	/* (it may have changed since the disk was asked) */
	if (!file || file_reaches(file))
		return NULL;
	return READ_ONCE(room_seen) || !file_is_on_tmpfs(file) ? file : NULL;
}

static void swap_seen(bool *what, bool seen)
{
	WRITE_ONCE(*what, seen);
	if (!READ_ONCE(swapon_seen) && !READ_ONCE(room_seen))
		WRITE_ONCE(swapon_came, false);
	iob_epoch_bump();
}

/* Whether iob_loop_swapon() is called when a swap area comes: from now on, or no more. */
void iob_loop_sees_swapon(bool seen)
{
	swap_seen(&swapon_seen, seen);
}

/* Whether it is called, too, when a full one has room. */
void iob_loop_sees_room(bool seen)
{
	swap_seen(&room_seen, seen);
}

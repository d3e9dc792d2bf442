// SPDX-License-Identifier: GPL-2.0
/*
 * A loop device's requests are followed to the disk that its file is on.  Where
 * no watched disk can be concerned, that is in vain, and costs several times what
 * a request does otherwise.  So we ask where the file is, and ask anew for each IO:
 * a device may be given another file, and memory may become swappable.
 *
 * No is said only if it is certain.  A file on a tmpfs comes to a disk if it is
 * swapped out, so no swap area may be there; one on ext4, or a disk as a file, is
 * on one disk.  Other file systems may use several, or another machine's.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <compat/loop.h>

#include "loop_file.h"
#include "core/task.h"

const void *iob_loop_file_fops;
/* memory may come to a disk: no only while no swap area can come unseen */
static bool swappable = true;
static bool ioctl_seen;

static __always_inline bool reaches(const struct file *file)
{
	const struct address_space *mapping = READ_ONCE(file->f_mapping);
	struct inode *host = mapping ? READ_ONCE(mapping->host) : NULL;
	unsigned long magic;

	if (!host)
		return true;
	magic = host->i_sb->s_magic;
	if (likely(magic == TMPFS_MAGIC))
		return READ_ONCE(swappable);
	if (magic == EXT4_SUPER_MAGIC || magic == BDEVFS_MAGIC)
		return iob_disk_watches(host);
	return true;
}

/**
 * iob_loop_file_file_reaches - whether IO to a loop device's file can
 * @file: the file; there since the caller is inside iob_read_lock()
 *
 * Any context, inside iob_read_lock(): files, inodes and super blocks are freed
 * through RCU.
 */
bool iob_loop_file_file_reaches(const struct file *file)
{
	return reaches(file);
}

/* Whether struct loop_device says which file it is.  Any context. */
bool iob_loop_file_known(void)
{
	return READ_ONCE(iob_loop_file_fops);
}

/**
 * iob_loop_file_file - which file a loop device has
 * @device: its struct loop_device; there is IO to it
 *
 * Any context, inside iob_read_lock().  Return: NULL if that is not known.
 */
const struct file *iob_loop_file_file(const void *device)
{
	return device && iob_loop_file_known() ? iob_loop_file(device) : NULL;
}

/**
 * iob_loop_file_device_reaches - the same of a loop device
 * @device: its struct loop_device; there is IO to it
 *
 * Any context, inside iob_read_lock().
 */
bool iob_loop_file_device_reaches(const void *device)
{
	const struct file *file = iob_loop_file_file(device);

	return !file || iob_loop_file_file_reaches(file);
}

static noinline bool look_at(const struct gendisk *gd)
{
	bool known = iob_loop_is_as_known(gd);

	WRITE_ONCE(iob_loop_file_fops, known ? gd->fops : NULL);
	return !known || iob_loop_file_device_reaches(gd->private_data);
}

/**
 * iob_loop_file_disk_reaches - the same of a loop device's disk
 * @gd: the disk; there is IO to it
 *
 * Any context, inside iob_read_lock().
 */
bool iob_loop_file_disk_reaches(const struct gendisk *gd)
{
	const struct file *file;

	if (unlikely(READ_ONCE(iob_loop_file_fops) != gd->fops || !gd->private_data))
		return look_at(gd);
	file = iob_loop_file(gd->private_data);
	return !file || reaches(file);
}

/* A swap area is about to be used.  Any context. */
void iob_loop_file_swapon(void)
{
	if (READ_ONCE(swappable))
		return;
	WRITE_ONCE(swappable, true);
	iob_epoch_bump();
}

/*
 * A loop device may be about to get another file.  Any context.
 *
 * It gets one that is open, as the one that it has is until then: one at the same
 * address can only come by another such call.  So what was noted before this call is
 * forgotten here, and what is noted from now on finds out by the address.
 */
void iob_loop_file_ioctl(void)
{
	iob_epoch_bump();
}

/* Whether iob_loop_file_ioctl() is going to be called: from now on, or no more. */
void iob_loop_file_sees_ioctl(bool seen)
{
	WRITE_ONCE(ioctl_seen, seen);
	if (!seen)
		iob_epoch_bump();
}

/**
 * iob_loop_file_of_now - the file of a loop device from which nothing comes to a disk
 * @gd: its disk; there is IO to it
 *
 * Any context, inside iob_read_lock().  Return: to be compared alone, by
 * iob_loop_file_is() and for one epoch; NULL where the file may come to a watched disk,
 * and where it might be another one without our knowing.
 */
const struct file *iob_loop_file_of_now(const struct gendisk *gd)
{
	const struct file *file;

	if (!READ_ONCE(ioctl_seen) || iob_loop_file_disk_reaches(gd) ||
	    READ_ONCE(iob_loop_file_fops) != gd->fops || !gd->private_data)
		return NULL;
	file = iob_loop_file(gd->private_data);
	/* (it may have changed since the disk was asked) */
	return file && !reaches(file) ? file : NULL;
}

/* Whether there may be swap areas, full ones too.  May sleep. */
static bool has_swap(void)
{
	static const char key[] = "\nSwapTotal:";
	struct file *f = filp_open("/proc/meminfo", O_RDONLY, 0);
	bool swap = true;
	loff_t pos = 0;
	ssize_t len;
	char *text, *p;

	if (IS_ERR(f))
		return true;
	text = kmalloc(PAGE_SIZE, GFP_KERNEL);
	/* a container may have another file there, that says what it likes */
	if (text && file_inode(f)->i_sb->s_magic == PROC_SUPER_MAGIC) {
		len = kernel_read(f, text, PAGE_SIZE - 1, &pos);
		text[max_t(ssize_t, len, 0)] = 0;
		p = strstr(text, key);
		if (p) {
			p = skip_spaces(p + sizeof(key) - 1);
			swap = p[0] != '0' || p[1] != ' ';
		}
	}
	kfree(text);
	filp_close(f, NULL);
	return swap;
}

/**
 * iob_loop_file_sees_swapon - whether iob_loop_file_swapon() is going to be called
 * @seen: from now on, or no more
 *
 * May sleep.  That function is called under a lock which has_swap() takes, too:
 * what comes before it is counted, and what comes behind it is seen.
 */
void iob_loop_file_sees_swapon(bool seen)
{
	WRITE_ONCE(swappable, true);
	iob_epoch_bump();
	if (!seen)
		return;
	WRITE_ONCE(swappable, false);
	if (has_swap())
		WRITE_ONCE(swappable, true);
}

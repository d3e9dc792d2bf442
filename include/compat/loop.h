/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/loop - which request a loop device's worker handles
 *
 * Hides: before 5.14 (87579e9b7d8d) each request is a kthread_work of its own.  Since then a
 * worker takes requests off a list and calls no function that gets the request and can be
 * watched.  Kbuild tests for blk_alloc_disk(), which 5.14 has, too.
 *
 * Hides also where the file is in struct loop_device, which is private: 5.16 (47e9624616c8)
 * removed members before it.  Kbuild tests for folios, which 5.16 has, too.  RHEL 9.0 has them
 * removed, and no folios: there BTF gives the place, or the proof fails.
 */
#ifndef IOB_COMPAT_LOOP_H
#define IOB_COMPAT_LOOP_H

#include <linux/blk-mq.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/ptrace.h>

#include <compat/peek.h>

#ifdef IOB_HAVE_BLK_ALLOC_DISK
/* the worker's request must be found by other means */
#define IOB_LOOP_LIST	1
#else
/* (kthread_work): the first member of the request's struct loop_cmd */
#define IOB_LOOP_WORK	"loop_queue_work"

static inline const struct request *iob_loop_rq(struct pt_regs *regs)
{
	return blk_mq_rq_from_pdu((void *)regs_get_kernel_argument(regs, 0));
}
#endif

/* The first members of struct loop_device, a loop disk's private data. */
struct iob_loop_head {
	int number;
	int refs;
	loff_t offset, sizelimit;
	int flags;
#ifndef IOB_HAVE_FOLIO
	void *transfer;
	char file_name[LO_NAME_SIZE], crypt_name[LO_NAME_SIZE];
	char key[LO_KEY_SIZE];
	int key_size;
	void *encryption;
	u32 init[2];
	kuid_t key_owner;
	void *ioctl;
#else
	char file_name[LO_NAME_SIZE];
#endif
	struct file *file;
};

/* Its members, in the order of a table of offsets. */
enum iob_loop_member {
	IOB_LOOP_NUMBER,
	IOB_LOOP_OFFSET,
	IOB_LOOP_FILE,
};

/* The file of a device; @at: the offset of that member. */
static inline const struct file *iob_loop_file(const void *device, unsigned int at)
{
	return READ_ONCE(*(const struct file *const *)((const char *)device + at));
}

/* The offset in the file, in bytes, at which a request begins; @at: the offsets. */
static inline u64 iob_loop_pos(const void *device, const u16 *at, const struct request *rq)
{
	return ((u64)blk_rq_pos(rq) << SECTOR_SHIFT) +
	       READ_ONCE(*(const loff_t *)((const char *)device + at[IOB_LOOP_OFFSET]));
}

/*
 * True if a loop disk's private data has this layout: its number is in place, and so is an
 * open file whose page cache, which is a part of its inode, allocates without __GFP_IO and
 * __GFP_FS, as a loop device demands.  Example: of /dev/loop3 the number is 3.  Any context
 * with preemption off: the file exists while the device has it.  @at: the offsets.
 */
static inline bool iob_loop_is_as_known(const struct gendisk *gd, const u16 *at)
{
	const char *lo = gd->private_data;
	const struct address_space *mapping;
	const struct inode *host;
	const struct file *file;
	char name[16];
	gfp_t gfp;
	int number;

	if (!iob_peek(&number, (const int *)(lo + at[IOB_LOOP_NUMBER])) ||
	    !iob_peek(&file, (const struct file **)(lo + at[IOB_LOOP_FILE])))
		return false;
	snprintf(name, sizeof(name), "loop%d", number);
	if (strcmp(name, gd->disk_name) ||
	    !IS_ALIGNED((unsigned long)file, sizeof(long)) ||
	    !iob_peek(&mapping, &file->f_mapping) ||
	    !IS_ALIGNED((unsigned long)mapping, sizeof(long)) ||
	    !virt_addr_valid(mapping) || !iob_peek(&host, &mapping->host))
		return false;
	if (!virt_addr_valid(host) || mapping != &host->i_data)
		return false;
	gfp = mapping_gfp_mask((struct address_space *)mapping);
	return gfp && !(gfp & (__GFP_IO | __GFP_FS));
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Reads from as many different stacks as the bench asks for.
 *
 * An intent is a stack, and no program reaches ten thousand of the kernel's
 * own. Writing a number N to /sys/kernel/debug/iob_stacks/read reads 4 KiB
 * from the device of the parameter disk=, at the end of a path of DEPTH calls
 * in which each bit of N has chosen one of two places to call from: so there
 * are 2 to the power of DEPTH stacks. For the bench's guest only.
 *
 * Writing to grace, beside it, waits for a grace period of RCU, also where there is
 * one CPU and synchronize_rcu() would return at once.
 */
#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/debugfs.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/rcupdate_wait.h>
#include <linux/uaccess.h>

#define DEPTH	14

static char *disk;
module_param(disk, charp, 0400);
MODULE_PARM_DESC(disk, "the path of the device to read from");

static struct file *file;
static struct page *page;
static struct dentry *folder;

static noinline int read_one(void)
{
	struct block_device *bdev = I_BDEV(file->f_mapping->host);
#ifdef BIO_ALLOC_BDEV
	struct bio *bio = bio_alloc(bdev, 1, REQ_OP_READ | REQ_SYNC, GFP_KERNEL);
#else
	struct bio *bio = bio_alloc(GFP_KERNEL, 1);
#endif
	int err;

	bio_set_dev(bio, bdev);
	bio->bi_opf = REQ_OP_READ | REQ_SYNC;
	__bio_add_page(bio, page, PAGE_SIZE, 0);
	err = submit_bio_wait(bio);
	bio_put(bio);
	return err;
}

/* What is done with the result keeps the two calls apart, and no tail calls */
static noinline int walk(u32 way, unsigned int depth)
{
	int err;

	if (!depth)
		return read_one();
	if (way & 1) {
		err = walk(way >> 1, depth - 1);
		barrier();
		return err;
	}
	err = walk(way >> 1, depth - 1);
	OPTIMIZER_HIDE_VAR(err);
	return err;
}

static ssize_t stacks_write(struct file *filp, const char __user *ubuf,
			    size_t len, loff_t *pos)
{
	u32 way;
	int err;

	if (len != sizeof(way))
		return -EINVAL;
	if (copy_from_user(&way, ubuf, sizeof(way)))
		return -EFAULT;
	err = walk(way, DEPTH);
	return err ? err : len;
}

static const struct file_operations fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = stacks_write,
};

static ssize_t grace_write(struct file *filp, const char __user *ubuf,
			   size_t len, loff_t *pos)
{
	wait_rcu_gp(call_rcu);
	return len;
}

static const struct file_operations grace_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = grace_write,
};

static int __init stacks_init(void)
{
	file = filp_open(disk ? disk : "", O_RDONLY, 0);
	if (IS_ERR(file))
		return PTR_ERR(file);
	if (!S_ISBLK(file_inode(file)->i_mode)) {
		fput(file);
		return -ENOTBLK;
	}
	page = alloc_page(GFP_KERNEL);
	if (!page) {
		fput(file);
		return -ENOMEM;
	}
	folder = debugfs_create_dir("iob_stacks", NULL);
	debugfs_create_file_unsafe("read", 0200, folder, NULL, &fops);
	debugfs_create_file_unsafe("grace", 0200, folder, NULL, &grace_fops);
	return 0;
}

static void __exit stacks_exit(void)
{
	debugfs_remove_recursive(folder);
	__free_page(page);
	fput(file);
}

module_init(stacks_init);
module_exit(stacks_exit);
MODULE_DESCRIPTION("reads from many stacks, for ioblame's bench");
MODULE_LICENSE("GPL");

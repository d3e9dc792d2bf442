/* SPDX-License-Identifier: GPL-2.0 */
/*
 * disk - which devices are watched, and the sums for each
 */
#ifndef IOB_BLAME_DISK_H
#define IOB_BLAME_DISK_H

#include <linux/fs.h>
#include <linux/ioblame.h>
#include <linux/list.h>
#include <linux/seq_file.h>

#include <compat/blkdev.h>

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

int iob_dev_lookup(const char *word, struct iob_dev *dev);
int iob_devs_set(const struct iob_dev *dev, unsigned int nr);
unsigned int iob_devs_get(struct iob_dev *dev, unsigned int max);
void iob_disks_show(struct seq_file *m, void (*show)(struct seq_file *m,
						     const struct iob_disk *));
const struct iob_disk *iob_disk_named(dev_t devt);
void iob_disks_exit(void);
void iob_disks_reset(void);

struct iob_disk *iob_disk_of(const struct gendisk *gd, u64 sector, bool data);
bool iob_disk_any(void);
bool iob_disk_stacks(const struct gendisk *gd);
bool iob_disk_is_loop(const struct gendisk *gd);
bool iob_disk_watches(struct inode *inode);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Which file system has a watched device beside its own: what holds the device now, whoever held it
 * before.  Devices that stay in the list are not opened, and what is known of them stays.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/magic.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_BLKDEV_H
#define IOB_COMPAT_STACKED_H
#define IOB_CORE_EPOCH_H
#define IOB_CORE_STATS_H

#define MKDEV(major, minor)		((dev_t)(major) << 20 | (minor))
#define MAJOR(dev)			((unsigned int)((dev) >> 20))
#define MINOR(dev)			((unsigned int)((dev) & 0xfffff))
#define DISK_NAME_LEN			32
#define FS_REQUIRES_DEV			1
#define GFP_KERNEL			0
#define ____cacheline_aligned
#define pr_debug(fmt, word)		((void)(word))
#define kasprintf(gfp, ...)		as_text(__VA_ARGS__)
#define kfree(p)			free(p)
#define kzalloc(size, gfp)		calloc(1, size)
#define kcalloc(n, size, gfp)		calloc(n, size)
/* as memory is that others have had */
#define kvmalloc(size, gfp)		memset(malloc(size), 0xa5, size)
#define kvmalloc_array(n, size, gfp)	kvmalloc((n) * (size), gfp)
#undef kvcalloc
#define kvcalloc(n, size, gfp)		(no_table ? NULL : calloc(n, size))
#define strscpy(to, from, size)		((void)snprintf(to, size, "%s", from))
#define rcu_access_pointer(p)		READ_ONCE(p)
#define rcu_dereference_protected(p, c)	({ if (!(c)) abort(); (p); })
#define synchronize_rcu()		cond_resched()
#undef lockdep_is_held
#define lockdep_is_held(m)		((m)->lock.held)
#define list_entry(p, type, member)	list_of(p, type *, member)
#define list_for_each_entry(pos, head, member)				\
	for (pos = list_of((head)->next, __typeof__(pos), member);	\
	     &pos->member != (head);					\
	     pos = list_of(pos->member.next, __typeof__(pos), member))

static inline u32 hash_32(u32 value, unsigned int bits)
{
	return value * 0x61C88647u >> (32 - bits);
}

static char *as_text(const char *fmt, ...)
{
	(void)fmt;
	abort();
}

/* --- the kernel's: a file system, a disk and its partitions */

struct block_device;

struct file_system_type {
	int fs_flags;
};

struct super_block {
	struct block_device *s_bdev;
	void *s_fs_info;
	struct file_system_type *s_type;
	unsigned long s_magic;
	dev_t s_dev;
};

struct inode {
	struct super_block *i_sb;
	unsigned long i_ino;
	u32 i_generation;
	dev_t i_rdev;
};

struct gendisk {
	int major, first_minor;
	char disk_name[DISK_NAME_LEN];
};

struct block_device {
	struct gendisk *bd_disk;
	const void *bd_holder;
	dev_t bd_dev;
};

struct bio {
	struct block_device *bi_bdev;
};

struct seq_file {
	size_t size, count;
};

__attribute__((unused))
static bool seq_has_overflowed(const struct seq_file *m)
{
	return m->count == m->size;
}

#define I_BDEV(inode)			((void)(inode), (struct block_device *)NULL)
#define disk_devt(gd)			MKDEV((gd)->major, (gd)->first_minor)
#define get_start_sect(bdev)		((void)(bdev), 0)

/* --- compat/blkdev, compat/stacked, core/epoch, core/stats */

struct iob_bdev {
	struct block_device *bdev;
};

static unsigned int nr_nospc;

#define iob_bdev_close(b)		((void)(b))
#define iob_bdev_is_part(bdev)		((void)(bdev), false)
#define iob_bdev_sectors(bdev)		((void)(bdev), 0)
#define iob_bdev_super(bdev)		((void)(bdev), (struct super_block *)NULL)
#define iob_bdev_second_holder(bdev)	READ_ONCE((bdev)->bd_holder)
#define iob_bio_bdev(bio)		((bio)->bi_bdev)
#define iob_bdev_lookup(path, dev)	((void)(path), (void)(dev), -ENOENT)
#define iob_disk_bio_based(gd)		((void)(gd), false)
#define iob_disk_maps_requests(gd)	((void)(gd), false)
#define iob_disk_is_file(gd)		((void)(gd), false)
#define iob_epoch_bump()		((void)0)
#define iob_stat_inc(name)		((void)nr_##name++)
#define nr_second_nospc			nr_nospc

static int iob_bdev_open(struct iob_bdev *b, dev_t dev);

/* Others may run, but not while a reader reads: see fake_rcu.h. */
static unsigned int nr_begun, most_begun;	/* disks, since they have */
static void (*at_rest)(void);	/* what they do the next time */
static bool no_table;		/* there is no memory for one */

static void lets_others_run(void)
{
	void (*run)(void) = at_rest;

	if (nr_held)
		fail("it sleeps as a reader");
	nr_begun = 0;
	at_rest = NULL;
	if (run)
		run();
}

#undef cond_resched
#define cond_resched() do {					\
	if (second_lock.held)					\
		fail("it sleeps with interrupts off");		\
	lets_others_run();					\
} while (0)

#include "core/disk.h"

/* From one word of `devs` to the next, while interrupts are off and not. */
static unsigned int nr_steps[2];

#define iob_dev_nr(devs, nr)		(nr_steps[second_lock.held]++, iob_dev_nr(devs, nr))

#include "core/disk.c"

static const struct iob_disk *last_begun;

void iob_sum_init(struct iob_sum *sum, const struct iob_disk *disk, u32 key)
{
	(void)sum;
	(void)key;
	if (!nr_begun || disk != last_begun)
		most_begun = max(most_begun, ++nr_begun);
	last_begun = disk;
}

/* --- sda is not watched; sdb and sdc are, and some tests add sdd and sde */

#define PARTITIONS	IOB_MAX_DEVS
#define HOLDERS		(2 + IOB_MORE_SECONDS)

static struct gendisk sda = { 8, 0, "sda" }, sdb = { 8, 16, "sdb" }, sdc = { 8, 32, "sdc" },
		      sdd = { 8, 48, "sdd" }, sde = { 8, 64, "sde" };
static struct block_device sda1 = { &sda, NULL, MKDEV(8, 1) };
static struct block_device part[PARTITIONS];
static struct block_device whole[] = {
	{ &sdb, NULL, MKDEV(8, 16) }, { &sdc, NULL, MKDEV(8, 32) },
	{ &sdd, NULL, MKDEV(8, 48) }, { &sde, NULL, MKDEV(8, 64) },
};
static unsigned int nr_opens;
static void (*at_open)(void);	/* what happens at the first one */
static char opener[2 * HOLDERS];	/* the files of who opens a device for itself */
static char info;
static struct file_system_type type = { FS_REQUIRES_DEV };
static struct super_block sb[2] = {
	{ &sda1, NULL, &type, 1, MKDEV(8, 1) },
	{ &sda1, &info, &type, 1, MKDEV(8, 1) },
};
static struct inode of[2] = { { &sb[0], 12, 1, 0 }, { &sb[1], 12, 1, 0 } };

static int iob_bdev_open(struct iob_bdev *b, dev_t dev)
{
	if (devs_mutex.lock.held)
		fail("a device is opened under the lock of devices");
	nr_opens++;
	if (at_open)
		at_open();
	at_open = NULL;
	b->bdev = &whole[(MINOR(dev) >> 4) - 1];
	return b->bdev->bd_dev == dev ? 0 : -ENODEV;
}

static void begin(void)
{
	struct iob_dev dev[2] = {
		{ .dev = MKDEV(8, 16), .disk_devt = MKDEV(8, 16), .end = U64_MAX },
		{ .dev = MKDEV(8, 32), .disk_devt = MKDEV(8, 32), .end = U64_MAX },
	};
	unsigned int i;

	for (i = 0; i < PARTITIONS; i++)
		part[i] = (struct block_device){ &sdb, NULL, MKDEV(259, i) };
	for (i = 0; i < ARRAY_SIZE(whole); i++)
		whole[i].bd_holder = NULL;
	nr_nospc = 0;
	if (iob_devs_set(NULL, 0) || iob_devs_set(dev, 2) || iob_disks_learn())
		abort();
	iob_read_lock();
}

static void end(void)
{
	iob_read_unlock();
	iob_devs_set(NULL, 0);
	iob_disks_learn_end();
}

/* A bio to a device that @holder holds. */
static void bio_of(struct block_device *bdev, const void *holder)
{
	struct bio bio = { bdev };

	bdev->bd_holder = holder;
	iob_disk_second_learn(&bio);
}

static bool found(const char *what, int nr, dev_t disk)
{
	const struct iob_second *second = iob_disk_second_of(rcu_dereference_sched(iob_devs), &of[nr]);
	dev_t is = second ? second->disk_devt : 0;

	if (is == disk && iob_disk_watches(&of[nr]) == !!disk)
		return true;
	fail("%s: the file system's device is on disk %u:%u, not %u:%u", what,
	     MAJOR(is), MINOR(is), MAJOR(disk), MINOR(disk));
	return false;
}

/* Any number of jobs that have opened a device for themselves. */
static void opened(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(opener); i++)
		bio_of(&part[i & 1], &opener[i]);
	/* a file system is mounted that has its journal there */
	bio_of(&part[0], &sb[0]);
	found("the super block's", 0, MKDEV(8, 16));
	bio_of(&part[2], &info);
	found("what the super block has", 1, MKDEV(8, 16));
	/* one that is claimed stays known, whatever becomes of others */
	for (i = 0; i < ARRAY_SIZE(opener); i++)
		bio_of(&part[1], &opener[i]);
	found("after others", 0, MKDEV(8, 16));
	if (nr_nospc)
		fail("%u lost", nr_nospc);
	end();
}

/* A device is given back and claimed anew. */
static void claimed_anew(void)
{
	begin();
	bio_of(&part[0], &sb[0]);
	bio_of(&part[0], &info);
	found("the first one", 0, 0);
	found("the second one", 1, MKDEV(8, 16));
	/* nobody holds it: no file system has NULL for its own */
	bio_of(&part[0], NULL);
	found("nobody", 0, 0);
	/* its number comes back on another disk, with the same file system or not */
	part[0].bd_disk = &sdc;
	bio_of(&part[0], &info);
	found("on another disk", 1, MKDEV(8, 32));
	end();
}

/* A device that is not watched, and one of two that a file system has. */
static void watched(void)
{
	begin();
	part[0].bd_disk = &sda;
	bio_of(&part[0], &sb[0]);
	found("not watched", 0, 0);
	part[1].bd_disk = &sdc;
	bio_of(&part[1], &sb[0]);
	bio_of(&part[2], &sb[0]);
	found("two", 0, MKDEV(8, 32));
	bio_of(&part[1], &opener[0]);
	found("one of two", 0, MKDEV(8, 16));
	end();
}

/* More devices than have room: what is known stays, and may change. */
static void full(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < HOLDERS; i++)
		bio_of(&part[i], &opener[i]);
	if (nr_nospc)
		fail("%u lost while there is room", nr_nospc);
	bio_of(&part[i], &sb[0]);
	bio_of(&part[i + 1], &sb[0]);
	found("no room", 0, 0);
	if (nr_nospc != 1)
		fail("%u lost, not 1", nr_nospc);
	bio_of(&part[HOLDERS - 1], &sb[0]);
	found("in the place of another", 0, MKDEV(8, 16));
	end();
}

/* What is claimed already when `devs` is written, and when a session begins. */
static void before(void)
{
	begin();
	bio_of(&part[0], &sb[0]);
	iob_read_unlock();
	whole[1].bd_holder = &info;
	if (iob_disks_learn())
		fail("no memory");
	iob_read_lock();
	found("before the session", 0, 0);
	found("at its begin", 1, MKDEV(8, 32));
	whole[1].bd_holder = &sb[0];
	iob_read_unlock();
	if (iob_devs_set(&(struct iob_dev){ .dev = MKDEV(8, 32), .disk_devt = MKDEV(8, 32),
					    .looked_up = true }, 1))
		fail("no memory");
	iob_read_lock();
	found("written anew", 0, MKDEV(8, 32));
	found("of the devices before", 1, 0);
	end();
}

/* A write of `devs` that looks @word up, and adds or replaces it. */
static void write_word(dev_t word)
{
	struct iob_dev dev[IOB_MAX_DEVS];
	unsigned int i, nr;

	iob_read_unlock();
	nr = iob_devs_get(dev, ARRAY_SIZE(dev));
	for (i = 0; i < nr && dev[i].dev != word; i++)
		;
	dev[i] = (struct iob_dev){ .dev = word, .disk_devt = word, .end = U64_MAX,
				   .looked_up = true };
	nr_opens = 0;
	if (iob_devs_set(dev, max(nr, i + 1)))
		fail("no memory");
	iob_read_lock();
}

/* The devices that are there already are not opened, and without a session none is. */
static void opens(void)
{
	begin();
	write_word(MKDEV(8, 48));
	write_word(MKDEV(8, 64));
	if (nr_opens < 1 || nr_opens > 2)
		fail("a fourth device: %u opens", nr_opens);
	write_word(MKDEV(8, 64));
	if (nr_opens < 1 || nr_opens > 2)
		fail("a device anew: %u opens", nr_opens);
	iob_disks_learn_end();
	write_word(MKDEV(8, 48));
	if (nr_opens)
		fail("without a session: %u opens", nr_opens);
	nr_opens = 0;
	iob_read_unlock();
	if (iob_disks_learn() || nr_opens != 4)
		fail("4 devices when one begins: %u opens", nr_opens);
	iob_read_lock();
	end();
}

/* What is known of devices that stay: of a word, and of a partition that no word names. */
static void stay(void)
{
	begin();
	bio_of(&whole[1], &sb[0]);
	bio_of(&part[3], &info);
	whole[1].bd_holder = NULL;
	part[3].bd_holder = NULL;
	write_word(MKDEV(8, 48));
	found("the word's", 0, MKDEV(8, 32));
	found("the partition's", 1, MKDEV(8, 16));
	/* it is written again: nobody holds it any more */
	write_word(MKDEV(8, 32));
	found("a word anew", 0, 0);
	found("the partition's beside it", 1, MKDEV(8, 16));
	/* as where a bio names no device, and the file system was mounted after the first write */
	whole[1].bd_holder = &sb[0];
	write_word(MKDEV(8, 32));
	found("mounted after it was watched", 0, MKDEV(8, 32));
	/* the partition's disk goes, and comes back */
	iob_read_unlock();
	iob_devs_set(&(struct iob_dev){ .dev = MKDEV(8, 32), .disk_devt = MKDEV(8, 32) }, 1);
	iob_read_lock();
	found("the disk that stays", 0, MKDEV(8, 32));
	found("the disk that goes", 1, 0);
	write_word(MKDEV(8, 16));
	found("the disk that came back", 1, 0);
	end();
}

static void mount_one(void)
{
	iob_read_lock();
	bio_of(&part[5], &sb[0]);
	iob_read_unlock();
}

/* One that is mounted on a device that stays while another one is looked at. */
static void meanwhile(void)
{
	begin();
	at_open = mount_one;
	write_word(MKDEV(8, 48));
	found("while devs is written", 0, MKDEV(8, 16));
	end();
}

/* More are known than have room: a write of any device makes room again. */
static void full_until_written(void)
{
	unsigned int i;

	begin();
	bio_of(&whole[1], &info);
	for (i = 0; i < HOLDERS; i++)
		bio_of(&part[i], &opener[i]);
	if (nr_nospc != 1)
		fail("%u lost, not 1", nr_nospc);
	write_word(MKDEV(8, 48));
	found("the word's", 1, MKDEV(8, 32));
	for (i = 100; i < 100 + IOB_MORE_SECONDS; i++)
		bio_of(&part[i], &opener[i - 100]);
	bio_of(&part[99], &sb[0]);
	found("the last", 0, MKDEV(8, 16));
	if (nr_nospc != 1)
		fail("%u lost after that", nr_nospc);
	end();
}

/* The partitions are watched instead of what was.  Return: as iob_devs_set() */
static int watch_partitions(unsigned int nr)
{
	struct iob_dev dev[PARTITIONS];
	unsigned int i;
	int err;

	for (i = 0; i < nr; i++)
		dev[i] = (struct iob_dev){ .dev = part[i].bd_dev, .disk_devt = MKDEV(8, 16),
					   .end = U64_MAX };
	iob_read_unlock();
	memset(nr_steps, 0, sizeof(nr_steps));
	err = iob_devs_set(dev, nr);
	iob_read_lock();
	return err;
}

/* How many of the partitions are known to be held. */
static unsigned int count_known(unsigned int nr)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	unsigned int i, known = 0;

	for (i = 0; i < now->nr_second; i++)
		known += now->second[i].holder == &part[MINOR(now->second[i].dev)] &&
			 MINOR(now->second[i].dev) < nr;
	return known;
}

/* Each partition of a disk is a word, and has a holder: few steps are made with interrupts off. */
static void many_partitions(void)
{
	unsigned int i;

	begin();
	if (watch_partitions(PARTITIONS))
		fail("no memory");
	for (i = 0; i < PARTITIONS; i++)
		bio_of(&part[i], &part[i]);
	if (watch_partitions(PARTITIONS) || count_known(PARTITIONS) != PARTITIONS)
		fail("%u of %u holders stay", count_known(PARTITIONS), PARTITIONS);
	if (nr_steps[true] > PARTITIONS)
		fail("%u steps for %u partitions with interrupts off", nr_steps[true], PARTITIONS);
	note("%u steps with interrupts off, %u without", nr_steps[true], nr_steps[false]);
	/* half of them go, and what is known of those on the same disk may stay, as it has room */
	if (watch_partitions(PARTITIONS / 2) ||
	    count_known(PARTITIONS / 2) != PARTITIONS / 2)
		fail("%u of %u holders stay", count_known(PARTITIONS / 2), PARTITIONS / 2);
	if (nr_steps[true] > PARTITIONS)
		fail("%u steps for half with interrupts off", nr_steps[true]);
	end();
}

/* No memory to compare them: what is watched stays as it was. */
static void no_memory(void)
{
	begin();
	bio_of(&part[0], &sb[0]);
	no_table = true;
	if (watch_partitions(2) != -ENOMEM || rcu_dereference_sched(iob_devs)->nr != 2)
		fail("another list is watched");
	no_table = false;
	found("the list before", 0, MKDEV(8, 16));
	end();
}

/* While they are compared: one is mounted, and one's number comes back on another disk. */
static void move_and_mount(void)
{
	iob_read_lock();
	part[0].bd_disk = &sdc;
	bio_of(&part[0], &sb[0]);
	part[5].bd_disk = &sdc;
	bio_of(&part[5], &info);
	iob_read_unlock();
}

static void compared_anew(void)
{
	begin();
	bio_of(&part[0], &sb[0]);
	bio_of(&part[1], &part[1]);
	iob_read_unlock();
	at_rest = move_and_mount;
	if (iob_devs_set(&(struct iob_dev){ .dev = MKDEV(8, 32), .disk_devt = MKDEV(8, 32) }, 1))
		fail("no memory");
	iob_read_lock();
	found("on another disk by now", 0, MKDEV(8, 32));
	found("mounted by now", 1, MKDEV(8, 32));
	if (rcu_dereference_sched(iob_devs)->nr_second != 2)
		fail("%u are known, not 2", rcu_dereference_sched(iob_devs)->nr_second);
	end();
}

#define DISKS	100

static void add_disks(void)
{
	struct gendisk gd = { .major = 259 };
	unsigned int i;

	for (i = 0; i < DISKS; i++) {
		gd.first_minor = i;
		if (!disk_get(&gd))
			abort();
	}
	lets_others_run();
	most_begun = 0;
}

static unsigned int nr_shown;

/* A line of 100 bytes, as seq_printf(). */
static void show_disk(struct seq_file *m, const struct iob_disk *disk)
{
	(void)disk;
	nr_shown++;
	most_begun = max(most_begun, ++nr_begun);
	m->count = min(m->count + 100, m->size);
}

/* What has no room is shown anew, with twice as much: nobody sums up disks for that. */
static void shows(void)
{
	struct seq_file m = { .size = 1000 };

	add_disks();
	iob_disks_show(&m, show_disk);
	if (!seq_has_overflowed(&m) || nr_shown != 10)
		fail("%u disks are shown where 10 have room", nr_shown);
	m = (struct seq_file){ .size = 100000 };
	nr_shown = 0;
	iob_disks_show(&m, show_disk);
	if (nr_shown != DISKS || m.count != 100 * DISKS)
		fail("%u disks are shown, %zu bytes", nr_shown, m.count);
	if (most_begun != 1)
		fail("nobody else runs while %u disks are shown", most_begun);
	iob_disks_exit();
}

/* A session begins with all disks that ever were watched. */
static void many_disks(void)
{
	add_disks();
	iob_disks_reset();
	if (most_begun != 1)
		fail("nobody else runs while %u of %u disks begin", most_begun,
		     DISKS);
	iob_disks_exit();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(opened), TEST(claimed_anew), TEST(watched), TEST(full), TEST(before),
		TEST(opens), TEST(stay), TEST(meanwhile), TEST(full_until_written),
		TEST(many_partitions), TEST(no_memory), TEST(compared_anew), TEST(many_disks), TEST(shows),
	};

	return run_tests("disk", tests, ARRAY_SIZE(tests));
}

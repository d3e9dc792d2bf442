// SPDX-License-Identifier: GPL-2.0
/*
 * The watched devices are an array with a hash by the number of the disk, which is replaced
 * as a whole under RCU.  Device numbers, not pointers: a device may go at any time, and this
 * module holds no reference.
 *
 * M: devs_mutex; R: RCU for reads.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/rcu.h>

#include "disk.h"
#include "epoch.h"
#include "file.h"
#include "stats.h"

static DEFINE_MUTEX(devs_mutex);
struct iob_devs __rcu *iob_devs __read_mostly;	/* M, R */
/* Set only, but between sessions.  Read without a lock: see iob_disk_maybe(). */
u8 iob_devs_hint[1 << IOB_HINT_BITS] __read_mostly;
static bool devs_hint_all;	/* all of it is set */
/* M; read without for a look: a session runs or begins, so who has claimed a device counts */
static bool devs_learn;
/* innermost: the second devices of a list that is seen, and which list that is */
static DEFINE_RAW_SPINLOCK(second_lock);
static LIST_HEAD(disks);	/* M; only ever grows */
static u32 nr_disks;		/* M; in that list */

static struct iob_disk *disk_find(dev_t devt)
{
	struct iob_disk *d;

	list_for_each_entry(d, &disks, link) {
		if (d->devt == devt)
			return d;
	}
	return NULL;
}

static void disk_free(struct iob_disk *d)
{
	free_percpu(d->sums);
	kfree(d->rest);
	kfree(d);
}

/* All of the disk's rest and past is 0, under new ids.  No IO of the disk is counted. */
static void disk_begin_sums(struct iob_disk *d)
{
	u8 op, how;
	u32 at;

	for (op = 0; op < IOB_NR_OPS; op++) {
		for (how = 0; how < IOB_NR_HOWS; how++) {
			at = iob_disk_sum(op, how);
			iob_sum_init(&d->rest[at], d, iob_sum_key(op, how));
			iob_sum_init(&d->past[at], d, iob_sum_key(op, how));
		}
	}
}

/* May sleep.  Return: a disk that is in no list yet, or NULL without memory. */
static struct iob_disk *disk_alloc(dev_t devt)
{
	struct iob_disk *d = kzalloc(sizeof(*d), GFP_KERNEL);

	if (!d)
		return NULL;
	d->sums = alloc_percpu(struct iob_disk_sums);
	d->rest = kcalloc(2 * IOB_DISK_SUMS, sizeof(*d->rest), GFP_KERNEL);
	if (!d->sums || !d->rest) {
		disk_free(d);
		return NULL;
	}
	d->past = d->rest + IOB_DISK_SUMS;
	d->devt = devt;
	disk_begin_sums(d);
	return d;
}

static struct iob_disk *disk_get(const struct gendisk *gd)
{
	dev_t devt = MKDEV(gd->major, gd->first_minor);
	struct iob_disk *d;

	mutex_lock(&devs_mutex);
	d = disk_find(devt);
	if (!d) {
		d = disk_alloc(devt);
		if (d) {
			d->nr = nr_disks++;
			list_add_tail(&d->link, &disks);
		}
	}
	/* a device number may come back with another name */
	if (d)
		strscpy(d->name, gd->disk_name, sizeof(d->name));
	mutex_unlock(&devs_mutex);
	return d;
}

/* Take digits off *@word.  Return: false if there are none; too great a number is U32_MAX. */
static bool take_number(const char **word, u32 *number)
{
	const char *c = *word;
	u64 n = 0;

	for (; isdigit(*c); c++)
		n = min_t(u64, n * 10 + (*c - '0'), U32_MAX);
	if (c == *word)
		return false;
	*word = c;
	*number = n;
	return true;
}

/* Not sscanf(), for which 4294967304:0 is 8:0. */
static bool word_is_number(const char *word, u32 *major, u32 *minor)
{
	return take_number(&word, major) && *word++ == ':' &&
	       take_number(&word, minor) && !*word;
}

/* @word is MAJ:MIN, a name below /dev or a path.  Return: 0, -ENODEV or -ENOMEM. */
static int word_to_dev(const char *word, dev_t *dev)
{
	u32 major, minor;
	char *path, *bang;
	int err;

	if (word_is_number(word, &major, &minor)) {
		*dev = MKDEV(major, minor);
		return MAJOR(*dev) == major && MINOR(*dev) == minor ? 0 : -ENODEV;
	}
	path = kasprintf(GFP_KERNEL, "%s%s", *word == '/' ? "" : "/dev/", word);
	if (!path)
		return -ENOMEM;
	/* sysfs writes cciss!c0d0 for cciss/c0d0 */
	while (*word != '/' && (bang = strchr(path, '!')))
		*bang = '/';
	err = iob_bdev_lookup(path, dev);
	kfree(path);
	return err == -ENOMEM ? err : err ? -ENODEV : 0;
}

/**
 * iob_dev_lookup - find the device that a word of `devs` means
 * @word: MAJ:MIN, or a name as in /dev, or a path
 * @dev:  gets the device
 *
 * May sleep; opens the device for a moment.  Called by the task that writes the word, in
 * whose mount namespace the name is looked up.
 * Return: 0, -ENODEV if there is no such block device, -ENOMEM.
 */
int iob_dev_lookup(const char *word, struct iob_dev *dev)
{
	struct iob_bdev b;
	int err = word_to_dev(word, &dev->dev);

	if (err)
		return err;
	err = iob_bdev_open(&b, dev->dev);
	if (err) {
		pr_debug("no block device %s\n", word);
		return err == -ENOMEM ? err : -ENODEV;
	}
	snprintf(dev->name, sizeof(dev->name), "%pg", b.bdev);
	dev->disk_devt = disk_devt(b.bdev->bd_disk);
	dev->start = 0;
	dev->end = U64_MAX;
	if (iob_bdev_is_part(b.bdev)) {
		dev->start = get_start_sect(b.bdev);
		dev->end = dev->start + iob_bdev_sectors(b.bdev);
	}
	dev->disk = disk_get(b.bdev->bd_disk);
	dev->looked_up = true;
	iob_bdev_close(&b);
	return dev->disk ? 0 : -ENOMEM;
}

/* See iob_disk_maybe(). */
static void set_devs_hint(const struct iob_devs *devs)
{
	unsigned int i;

	for (i = 0; devs && i < devs->nr; i++) {
		dev_t disk = devs->dev[i].disk_devt;

		WRITE_ONCE(iob_devs_hint[iob_devs_hash(MAJOR(disk), MINOR(disk))], 1);
	}
}

/*
 * IO of a stacking disk is followed, and its driver does not say to which disks it passes bios
 * on as they are: look closer at all disks for the rest of the session.  Any context.
 */
void iob_disks_maybe_all(void)
{
	unsigned int i;

	/* pairs with the release: who sees it sees all hints */
	if (likely(smp_load_acquire(&devs_hint_all)))
		return;
	for (i = 0; i < ARRAY_SIZE(iob_devs_hint); i++)
		WRITE_ONCE(iob_devs_hint[i], 1);
	/* the task that comes here first may be interrupted, and another one find it done */
	smp_store_release(&devs_hint_all, true);
}

/* Backwards, so that the first entry of a disk is found first. */
static void hash_devs(struct iob_devs *devs)
{
	unsigned int i = devs->nr;

	memset(devs->first, 0, sizeof(devs->first));
	while (i--) {
		struct iob_dev *d = &devs->dev[i];
		u16 *first = &devs->first[iob_devs_hash(MAJOR(d->disk_devt),
							MINOR(d->disk_devt)) >>
					  (IOB_HINT_BITS - IOB_DEVS_BITS)];

		d->next = *first;
		*first = i + 1;
	}
}

/* The first entry of @devs of a disk that is not before @d, or NULL. */
static const struct iob_dev *dev_on(const struct iob_devs *devs, const struct iob_dev *d,
				    dev_t disk)
{
	while (d && d->disk_devt != disk)
		d = iob_dev_nr(devs, d->next);
	return d;
}

/* The first entry of a disk in @devs, or NULL: it is not watched.  M or R. */
static const struct iob_dev *devs_first_on(const struct iob_devs *devs, dev_t disk)
{
	u32 hash = iob_devs_hash(MAJOR(disk), MINOR(disk)) >> (IOB_HINT_BITS - IOB_DEVS_BITS);

	return devs ? dev_on(devs, iob_dev_nr(devs, devs->first[hash]), disk) : NULL;
}

/* The epoch of a disk in @devs, 0 if it has none.  M or R. */
static u32 devs_epoch_of(const struct iob_devs *devs, dev_t disk)
{
	const struct iob_dev *d = devs_first_on(devs, disk);

	return d ? d->epoch : 0;
}

/* Disks that stay keep their epoch, others get a new one.  M. */
static void devs_set_epochs(struct iob_devs *new, const struct iob_devs *old)
{
	static u32 last;
	unsigned int i;
	u32 epoch;

	last++;
	new->epoch = old ? old->epoch : last;
	new->one_epoch = true;
	for (i = 0; i < new->nr; i++) {
		epoch = devs_epoch_of(old, new->dev[i].disk_devt);
		new->dev[i].epoch = epoch ? epoch : last;
		new->one_epoch &= new->dev[i].epoch == new->epoch;
	}
}

/* Add a second device to those of @devs.  Return: false if there is no room, which is counted. */
static bool second_add(struct iob_devs *devs, const struct iob_second *second)
{
	u32 nr = devs->nr_second;

	if (nr == devs->max_second) {
		if (!devs->second_full)
			iob_stat_inc(second_nospc);
		WRITE_ONCE(devs->second_full, true);
		return false;
	}
	devs->second[nr] = *second;
	/* pairs with iob_disk_second_find() */
	smp_store_release(&devs->nr_second, nr + 1);
	return true;
}

/*
 * Note what holds @bdev now, in the place of what held it before: a device has one holder at a
 * time.  It is read under the lock, so that the last one to note it is right.  @devs: a list that
 * nobody else sees yet, or NULL for the devices that are watched by now.
 *
 * Example: fsck opens sdb1 with O_EXCL, and so holds it by its struct file.  Then a file system
 * is mounted that has its journal there: the entry of sdb1 gets its super block.
 *
 * Any context but NMI, inside RCU's read side or iob_read_lock().
 */
static void second_note(struct iob_devs *devs, const struct block_device *bdev)
{
	struct iob_second now = { .dev = bdev->bd_dev, .disk_devt = disk_devt(bdev->bd_disk) };
	unsigned long flags;
	u32 i;

	raw_spin_lock_irqsave(&second_lock, flags);
	if (!devs)
		devs = rcu_dereference_sched(iob_devs);
	now.holder = iob_bdev_second_holder(bdev);
	if (!now.holder || !devs_first_on(devs, now.disk_devt))
		goto out;
	for (i = 0; i < devs->nr_second && devs->second[i].dev != now.dev; i++)
		;
	if (i == devs->nr_second) {
		second_add(devs, &now);
		goto out;
	}
	/* a partition's number may come back on another disk */
	WRITE_ONCE(devs->second[i].disk_devt, now.disk_devt);
	/* pairs with iob_disk_second_find() */
	smp_store_release(&devs->second[i].holder, now.holder);
out:
	raw_spin_unlock_irqrestore(&second_lock, flags);
}

/*
 * Learn which file system has claimed a device by now.  @devs: as second_note() has it.  Only a
 * device that still is has a second one.
 *
 * May sleep.  The caller holds neither M nor the session's lock: a driver's open takes locks of
 * its own, and readers of `status` hold that of seq_file when they take ours.
 * Return: 0 or -ENOMEM.
 */
static int device_learn_second(struct iob_devs *devs, const struct iob_dev *dev)
{
	struct iob_bdev b;
	int err = iob_bdev_open(&b, dev->dev);

	if (err)
		return err == -ENOMEM ? err : 0;
	rcu_read_lock();
	second_note(devs, b.bdev);
	rcu_read_unlock();
	iob_bdev_close(&b);
	return 0;
}

/* What becomes of what is known of a second device when another list is watched. */
enum second_fate {
	SECOND_GOES,
	SECOND_STAYS,
	SECOND_STAYS_IF_ALL,	/* are known */
};

/* That, as long as the device is on this disk. */
struct second_judged {
	dev_t disk_devt;	/* 0: not judged yet */
	enum second_fate fate;
};

/*
 * Whether what is known of a second device on a disk holds in @new.  What holds a device whose word
 * is written now is learnt anew.  Of a disk's partitions that no word names some may be gone: where
 * room was short, the next bio to each says what holds it.
 */
static enum second_fate second_judge(const struct iob_devs *new, dev_t dev, dev_t disk)
{
	const struct iob_dev *d = devs_first_on(new, disk);

	if (!d)
		return SECOND_GOES;
	while (d && d->dev != dev)
		d = dev_on(new, iob_dev_nr(new, d->next), disk);
	if (!d)
		return SECOND_STAYS_IF_ALL;
	return d->looked_up ? SECOND_GOES : SECOND_STAYS;
}

/* Judge the second devices of @old that are not, or are on another disk by now.  May sleep, M. */
static void seconds_judge(const struct iob_devs *new, const struct iob_devs *old,
			  struct second_judged *judged)
{
	/* pairs with second_add() */
	u32 i, nr = smp_load_acquire(&old->nr_second);
	dev_t disk;

	for (i = 0; i < nr; i++) {
		disk = READ_ONCE(old->second[i].disk_devt);
		if (judged[i].disk_devt != disk) {
			judged[i].disk_devt = disk;
			judged[i].fate = second_judge(new, old->second[i].dev, disk);
			cond_resched();
		}
	}
}

/* False if one was noted, or came to another disk, since they were judged.  Under second_lock. */
static bool seconds_judged(const struct iob_devs *old, const struct second_judged *judged)
{
	u32 i;

	for (i = 0; i < old->nr_second; i++) {
		if (judged[i].disk_devt != old->second[i].disk_devt)
			return false;
	}
	return true;
}

/* The second devices of @old that stay are those of @new, too.  Under second_lock. */
static void seconds_take(struct iob_devs *new, const struct iob_devs *old,
			 const struct second_judged *judged)
{
	u32 i;

	for (i = 0; i < old->nr_second; i++) {
		if (judged[i].fate == SECOND_STAYS ||
		    (judged[i].fate == SECOND_STAYS_IF_ALL && !old->second_full))
			second_add(new, &old->second[i]);
	}
}

/*
 * From here on @new is watched, with the second devices of those in @old that stay.  They are
 * judged before the lock is taken: that may take half a million steps.
 *
 * May sleep, M.  Return: 0, or -ENOMEM if @old still is.
 */
static int devs_replace(struct iob_devs *new, const struct iob_devs *old)
{
	struct second_judged *judged = NULL;
	unsigned long flags;
	bool done;

	if (new && old) {
		judged = kvcalloc(old->max_second, sizeof(*judged), GFP_KERNEL);
		if (!judged)
			return -ENOMEM;
	}
	do {
		if (judged)
			seconds_judge(new, old, judged);
		/* who notes one from here on does it in the new list: none is missed */
		raw_spin_lock_irqsave(&second_lock, flags);
		done = !judged || seconds_judged(old, judged);
		if (done && judged)
			seconds_take(new, old, judged);
		if (done)
			rcu_assign_pointer(iob_devs, new);
		raw_spin_unlock_irqrestore(&second_lock, flags);
	} while (!done);
	kvfree(judged);
	return 0;
}

/* Room for @nr devices, with no second device.  May sleep.  Return: NULL without memory. */
static struct iob_devs *devs_alloc(unsigned int nr)
{
	u32 max_second = nr + IOB_MORE_SECONDS;
	struct iob_devs *new;

	new = kvmalloc(struct_size(new, dev, nr) + max_second * sizeof(*new->second), GFP_KERNEL);
	if (!new)
		return NULL;
	new->nr = nr;
	new->nr_second = 0;
	new->second_full = false;
	new->max_second = max_second;
	new->second = (void *)&new->dev[nr];
	return new;
}

/**
 * iob_disks_learn - learn which file systems have claimed the watched devices by now
 *
 * Before a session: nothing was seen of what was mounted without one.  From here on a write of
 * `devs` learns it, too, until iob_disks_learn_end().  May sleep; the caller holds no lock.
 * Return: 0 or -ENOMEM.
 */
int iob_disks_learn(void)
{
	struct iob_dev *dev = kvmalloc_array(IOB_MAX_DEVS, sizeof(*dev), GFP_KERNEL);
	struct iob_devs *now;
	unsigned long flags;
	unsigned int i, nr;
	int err = 0;

	if (!dev)
		return -ENOMEM;
	/* no probe runs: who has claimed a device by now counts, and nobody else */
	mutex_lock(&devs_mutex);
	WRITE_ONCE(devs_learn, true);
	now = rcu_dereference_protected(iob_devs, lockdep_is_held(&devs_mutex));
	raw_spin_lock_irqsave(&second_lock, flags);
	if (now) {
		now->nr_second = 0;
		now->second_full = false;
	}
	raw_spin_unlock_irqrestore(&second_lock, flags);
	mutex_unlock(&devs_mutex);
	nr = min_t(unsigned int, iob_devs_get(dev, IOB_MAX_DEVS), IOB_MAX_DEVS);
	for (i = 0; i < nr && !err; i++)
		err = device_learn_second(NULL, &dev[i]);
	kvfree(dev);
	if (err)
		iob_disks_learn_end();
	return err;
}

/* No session runs, and none began: the next one learns all.  May sleep. */
void iob_disks_learn_end(void)
{
	mutex_lock(&devs_mutex);
	WRITE_ONCE(devs_learn, false);
	mutex_unlock(&devs_mutex);
}

/* Learn who has claimed the devices that are looked up now, as device_learn_second(). */
static int devs_learn_second(struct iob_devs *devs, const struct iob_dev *dev, unsigned int nr)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		if (dev[i].looked_up && device_learn_second(devs, &dev[i]))
			err = -ENOMEM;
	}
	return err;
}

/**
 * iob_devs_set - watch these devices and no others
 * @dev: the devices
 * @nr:  how many, IOB_MAX_DEVS at most
 *
 * In a session devices that are looked up now are opened twice, and the others are not: what is
 * known of them stays.  May sleep, waits for a grace period.  Return: 0 or -ENOMEM.
 */
int iob_devs_set(const struct iob_dev *dev, unsigned int nr)
{
	struct iob_devs *new = NULL, *old;
	bool learn;
	int err;

	if (nr) {
		new = devs_alloc(nr);
		if (!new)
			return -ENOMEM;
		memcpy(new->dev, dev, nr * sizeof(*dev));
		hash_devs(new);
		if (READ_ONCE(devs_learn) && devs_learn_second(new, dev, nr)) {
			kvfree(new);
			return -ENOMEM;
		}
	}
	mutex_lock(&devs_mutex);
	old = rcu_dereference_protected(iob_devs, lockdep_is_held(&devs_mutex));
	if (new)
		devs_set_epochs(new, old);
	/* before the devices: a hint too many is harmless, a hint too few is not */
	set_devs_hint(new);
	err = devs_replace(new, old);
	if (err) {
		mutex_unlock(&devs_mutex);
		kvfree(new);
		return err;
	}
	/* a session that begins from here on finds the new ones */
	learn = devs_learn;
	iob_epoch_bump();
	synchronize_rcu();
	mutex_unlock(&devs_mutex);
	kvfree(old);
	/* what was mounted between the first look and now was not seen: no bio was followed yet */
	if (learn && devs_learn_second(NULL, dev, nr))
		iob_stat_inc(second_nospc);
	return 0;
}

/**
 * iob_devs_get - copy the entries of `devs`
 * @dev: gets at most @max of them
 * @max: room in @dev
 *
 * May sleep.  Return: how many there are.
 */
unsigned int iob_devs_get(struct iob_dev *dev, unsigned int max)
{
	unsigned int nr = 0, i;
	struct iob_devs *now;

	mutex_lock(&devs_mutex);
	now = rcu_dereference_protected(iob_devs, lockdep_is_held(&devs_mutex));
	if (now) {
		nr = now->nr;
		memcpy(dev, now->dev, min(nr, max) * sizeof(*dev));
	}
	mutex_unlock(&devs_mutex);
	for (i = 0; i < min(nr, max); i++)
		dev[i].looked_up = false;
	return nr;
}

/* Call @show for each disk that was ever watched, while @m has room.  May sleep. */
void iob_disks_show(struct seq_file *m, void (*show)(struct seq_file *m,
						     const struct iob_disk *))
{
	struct iob_disk *d;

	mutex_lock(&devs_mutex);
	list_for_each_entry(d, &disks, link) {
		if (seq_has_overflowed(m))
			break;
		show(m, d);
		cond_resched();
	}
	mutex_unlock(&devs_mutex);
}

/* The disk with this device number, or NULL if it was never watched.  May sleep. */
const struct iob_disk *iob_disk_named(dev_t devt)
{
	struct iob_disk *d;

	mutex_lock(&devs_mutex);
	d = disk_find(devt);
	mutex_unlock(&devs_mutex);
	return d;
}

/*
 * The next disk that was ever watched, in the order in which they came; the first one if @disk
 * is NULL; NULL at the end.  May sleep.
 */
struct iob_disk *iob_disk_after(const struct iob_disk *disk)
{
	const struct list_head *at = disk ? &disk->link : &disks;
	struct iob_disk *next;

	mutex_lock(&devs_mutex);
	next = at->next == &disks ? NULL : list_entry(at->next, struct iob_disk, link);
	mutex_unlock(&devs_mutex);
	return next;
}

/* Begin a session: all sums are 0.  May sleep; no probe is attached. */
void iob_disks_reset(void)
{
	struct iob_devs *devs;
	struct iob_disk *d;
	int cpu;

	mutex_lock(&devs_mutex);
	devs = rcu_dereference_protected(iob_devs, lockdep_is_held(&devs_mutex));
	/* no IO of the last session is followed any more */
	memset(iob_devs_hint, 0, sizeof(iob_devs_hint));
	devs_hint_all = false;
	set_devs_hint(devs);
	list_for_each_entry(d, &disks, link) {
		d->last_end = 0;
		disk_begin_sums(d);
		for_each_possible_cpu(cpu)
			memset(per_cpu_ptr(d->sums, cpu), 0, sizeof(*d->sums));
		cond_resched();
	}
	mutex_unlock(&devs_mutex);
}

/* Module unload: no probe is attached, no file is open. */
void iob_disks_exit(void)
{
	struct iob_disk *d, *next;

	iob_devs_set(NULL, 0);
	list_for_each_entry_safe(d, next, &disks, link)
		disk_free(d);
	INIT_LIST_HEAD(&disks);
}

/* Of iob_disk_second_of(): there are second devices.  Any context, R. */
const struct iob_second *iob_disk_second_find(const struct iob_devs *devs,
					      const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;
	/* pairs with second_note() */
	u32 i, nr = smp_load_acquire(&devs->nr_second);
	const void *holder;

	if (iob_is_bdev(inode))
		sb = iob_bdev_super(I_BDEV((struct inode *)inode));
	for (i = 0; sb && i < nr; i++) {
		/* pairs with second_note(): .disk_devt is of this holder or a later one */
		holder = smp_load_acquire(&devs->second[i].holder);
		if (holder == sb || holder == sb->s_fs_info)
			return &devs->second[i];
	}
	return NULL;
}

/**
 * iob_disk_second_learn - learn for which file system a bio's device is
 * @bio: to a watched device
 *
 * A file system reads its second devices when it is mounted, before any page of its is dirty.
 * Any context but NMI, inside iob_read_lock().
 */
void iob_disk_second_learn(const struct bio *bio)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	const struct block_device *bdev = iob_bio_bdev(bio);
	const void *holder = bdev ? iob_bdev_second_holder(bdev) : NULL;
	dev_t disk;
	u32 i, nr;

	if (!now || likely(!holder))
		return;
	disk = disk_devt(bdev->bd_disk);
	/* pairs with second_note() */
	nr = smp_load_acquire(&now->nr_second);
	for (i = 0; i < nr && now->second[i].dev != bdev->bd_dev; i++)
		;
	/* no lock for each bio to a device that is noted so, or has no room */
	if (i == nr ? READ_ONCE(now->second_full) :
		      READ_ONCE(now->second[i].holder) == holder &&
		      READ_ONCE(now->second[i].disk_devt) == disk)
		return;
	if (devs_first_on(now, disk))
		second_note(NULL, bdev);
}

/* The slow path of iob_disk_watches(): the file system names no device. */
bool iob_disk_watches_other(struct inode *inode)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	const struct block_device *bdev;

	if (!now)
		return false;
	/* a file system that may have several devices names none */
	if (!iob_is_bdev(inode))
		return inode->i_sb->s_type->fs_flags & FS_REQUIRES_DEV;
	bdev = I_BDEV(inode);
	if (!bdev->bd_disk)
		return false;
	return iob_devs_reached(now, bdev->bd_disk) || iob_disk_second_of(now, inode);
}

/*
 * True if pages of an inode are noted as long as any device is watched, whichever that is: see
 * iob_disk_watches().  @gd: its disk, NULL if its file system names none.
 */
static bool is_always_noted(struct inode *inode, const struct gendisk *gd)
{
	return gd ? iob_disk_stacks(gd) : !iob_is_bdev(inode);
}

/**
 * iob_disk_epoch - since when pages of an inode are noted
 * @inode: of a file, or a block device's own
 *
 * A number that changes when the inode's disk was not watched for a while: what was noted of
 * a page before that may be wrong now.  Any context, inside iob_read_lock().
 *
 * Example: `devs` is "sda", then "sdb", then "sda".  sda has epoch 1, then epoch 3.  A disk that
 * stacks on others keeps epoch 1, also where it is added to `devs` meanwhile.
 */
u32 iob_disk_epoch(struct inode *inode)
{
	const struct iob_devs *now = rcu_dereference_sched(iob_devs);
	const struct block_device *bdev = inode->i_sb->s_bdev;
	const struct iob_second *second;
	const struct gendisk *gd;
	u32 epoch = 0;

	if (!now)
		return 0;
	/* as long as nobody has changed `devs` while a part of it was watched */
	if (likely(now->one_epoch))
		return now->epoch;
	if (!bdev && iob_is_bdev(inode))
		bdev = I_BDEV(inode);
	gd = bdev ? bdev->bd_disk : NULL;
	if (is_always_noted(inode, gd))
		return now->epoch;
	if (gd)
		epoch = devs_epoch_of(now, MKDEV(gd->major, gd->first_minor));
	if (!epoch) {
		second = iob_disk_second_of(now, inode);
		epoch = second ? devs_epoch_of(now, READ_ONCE(second->disk_devt)) : 0;
	}
	return epoch ? epoch : now->epoch;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * `status`: the state of all units on one page
 *
 * A line is a key and its value, separated by a space; a value of several words begins with
 * its subject.  Keys do not change; new ones may come.
 *
 *	enabled 1			0 or 1
 *	session 3			counts the enablings
 *	role thread, charge split	settings of the same name
 *	sums_on 1			the setting `sums`
 *	dev 8:16 sdb			one line for each in `devs`
 *	disk sdb W ios=2 bytes=8192 exact=4096 inherited=4096 submitter=0 lost=0
 *					what completed in this session, by disk
 *					and by direction as in iolog: whole
 *					IOs, and their bytes by how sure the
 *					blame is; the sum has all of them
 *	total W ...			the same for all disks together
 *	known role+intent+file=8192 role+file=0 role=0 nomem=0 lost=0
 *					these bytes by what is known of their
 *					originator: less, where there was no
 *					room or no memory for more; of what is
 *					lost for another reason nothing
 *	inflight 0			bios that are under way
 *	roles 12 max=65536		existing objects; also intents, causes, acts, sums
 *	sums_total 130			sums that were made in this session
 *	memory.dirtier 41000		bytes of the dirtier table
 *	memory.owners 1000		bytes of the association cache
 *	memory.freed 1000		bytes of the freed extents that are noted
 *	memory.places 393504		bytes of the contexts of bios that lie in places
 *	memory.log 16777216		bytes of the logs that are open
 *	memory.objects 1000		at least, of roles, intents and acts, without
 *					stacks and counters
 *	losses 0			sum of all losses in stats/
 *	loss NAME 3 (meaning)		a loss in stats/ that is not 0
 *	event NAME 3 (meaning)		likewise of an event that loses nothing
 *	reclaimed roles=0 acts=0 causes=0	in this session
 *	hook ...			what the module is attached to; for a
 *					missing hook what is lost without it
 *	layout ...			each private struct that is read: proved,
 *					unproved or wrong, and what that costs
 */
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "blame/association.h"
#include "blame/dirtier.h"
#include "blame/freed_extent.h"
#include "core/disk.h"
#include "core/intent.h"
#include "core/layout.h"
#include "core/stats.h"
#include "io/clock.h"
#include "io/counters.h"
#include "io/log.h"
#include "io/bio_ctx.h"
#include "io/reclaim.h"
#include "io/session.h"
#include "io/sum.h"
#include "io/op.h"
#include "io/place.h"
#include "status.h"
#include "text.h"

static void (*show_hooks)(struct seq_file *m);

/* @show prints the lines `hook`.  Before the file exists. */
void iob_status_set_hooks(void (*show)(struct seq_file *m))
{
	show_hooks = show;
}

static void add_disk_sums(struct iob_disk_sums *to, const struct iob_disk_sums *from)
{
	unsigned int op, how;

	for (op = 0; op < IOB_NR_OPS; op++) {
		to->ios[op] += READ_ONCE(from->ios[op]);
		for (how = 0; how < IOB_NR_HOWS; how++)
			to->bytes[op][how] += READ_ONCE(from->bytes[op][how]);
	}
	for (how = 0; how < IOB_NR_LESS; how++)
		to->less[how] += READ_ONCE(from->less[how]);
}

static void show_disk_sums(struct seq_file *m, const char *what, const char *name,
			   const struct iob_disk_sums *sums)
{
	unsigned int op, how;
	u64 bytes;

	for (op = 0; op < IOB_NR_OPS; op++) {
		if (!sums->ios[op])
			continue;
		for (how = 0, bytes = 0; how < IOB_NR_HOWS; how++)
			bytes += sums->bytes[op][how];
		seq_printf(m, "%s %s%c ios=%llu bytes=%llu", what, name,
			   iob_op_letter(op), sums->ios[op], bytes);
		for (how = 0; how < IOB_NR_HOWS; how++)
			seq_printf(m, " %s=%llu", iob_text_how(how),
				   sums->bytes[op][how]);
		seq_putc(m, '\n');
	}
}

static void sum_cpus_of_disk(const struct iob_disk *disk, struct iob_disk_sums *sums)
{
	int cpu;

	for_each_possible_cpu(cpu)
		add_disk_sums(sums, per_cpu_ptr(disk->sums, cpu));
}

/* ->private is the sum of all disks */
static void show_disk(struct seq_file *m, const struct iob_disk *disk)
{
	struct iob_disk_sums sums = { 0 };
	char name[DISK_NAME_LEN + 1];

	sum_cpus_of_disk(disk, &sums);
	add_disk_sums(m->private, &sums);
	snprintf(name, sizeof(name), "%s ", disk->name);
	show_disk_sums(m, "disk", name, &sums);
}

/* How much is known of the bytes of all disks, see enum iob_less. */
static void show_known(struct seq_file *m, const struct iob_disk_sums *sums)
{
	u64 less = 0, bytes = 0, lost = 0;
	unsigned int op, how, i;

	for (op = 0; op < IOB_NR_OPS; op++) {
		for (how = 0; how < IOB_NR_HOWS; how++)
			bytes += sums->bytes[op][how];
		lost += sums->bytes[op][IOB_HOW_LOST];
	}
	for (i = 0; i < IOB_NR_LESS; i++)
		less += sums->less[i];
	/* what has no role for want of room is lost, too (the sums are read one by one) */
	lost -= min(lost, sums->less[IOB_LESS_ROLE]);
	less += lost;
	seq_printf(m, "known role+intent+file=%llu role+file=%llu role=%llu nomem=%llu lost=%llu\n",
		   bytes > less ? bytes - less : 0, sums->less[IOB_LESS_INTENT],
		   sums->less[IOB_LESS_FILE], sums->less[IOB_LESS_ROLE], lost);
}

static int show_disks(struct seq_file *m)
{
	struct iob_disk_sums *all = kzalloc(sizeof(*all), GFP_KERNEL);

	if (!all)
		return -ENOMEM;
	m->private = all;
	iob_disks_show(m, show_disk);
	show_disk_sums(m, "total", "", all);
	show_known(m, all);
	m->private = NULL;
	kfree(all);
	return 0;
}

static int show_watched_devs(struct seq_file *m)
{
	struct iob_dev *dev = kvcalloc(IOB_MAX_DEVS, sizeof(*dev), GFP_KERNEL);
	unsigned int i, nr;

	if (!dev)
		return -ENOMEM;
	nr = min_t(unsigned int, iob_devs_get(dev, IOB_MAX_DEVS), IOB_MAX_DEVS);
	for (i = 0; i < nr; i++)
		seq_printf(m, "dev %u:%u %s\n", MAJOR(dev[i].dev),
			   MINOR(dev[i].dev), dev[i].name);
	kvfree(dev);
	return 0;
}

#define OBJECT_KIND(kind, value_at_first, most)	{ #kind, iob_##kind##_count },

static const struct {
	const char *name;
	u32 (*count)(void);
} object_kinds[] = { IOB_LIMITS(OBJECT_KIND) };

/* The session is held. */
static void show_objects(struct seq_file *m)
{
	bool there = iob_session_there();
	u64 nr[IOB_NR_LIMITS];
	unsigned int i;

	for (i = 0; i < IOB_NR_LIMITS; i++) {
		nr[i] = there ? object_kinds[i].count() : 0;
		seq_printf(m, "%s %llu max=%u\n", object_kinds[i].name, nr[i],
			   iob_conf.max[i]);
	}
	seq_printf(m, "sums_total %llu\n", there ? iob_sums_total() : 0);
	seq_printf(m, "memory.dirtier %lu\n", there ? iob_dirtier_bytes() : 0);
	seq_printf(m, "memory.owners %lu\n", there ? iob_assoc_bytes() : 0);
	seq_printf(m, "memory.freed %lu\n", there ? iob_freed_extents_bytes() : 0);
	seq_printf(m, "memory.places %zu\n", there ? iob_places_memory() : 0);
	seq_printf(m, "memory.log %lu\n", iob_iolog_bytes());
	seq_printf(m, "memory.objects %llu\n",
		   nr[IOB_LIMIT_roles] * sizeof(struct iob_role) +
		   nr[IOB_LIMIT_intents] * sizeof(struct iob_intent) +
		   nr[IOB_LIMIT_causes] * sizeof(struct iob_cause) +
		   nr[IOB_LIMIT_acts] * sizeof(struct iob_act) +
		   nr[IOB_LIMIT_sums] * sizeof(struct iob_sum));
}

static void show_stats_and_losses(struct seq_file *m)
{
	struct iob_reclaimed reclaimed;
	u64 v[IOB_NR_STATS], nr, sum = 0;
	unsigned int i;

	/* once each: the lines add up to the sum also while they grow */
	for (i = 0; i < IOB_NR_STATS; i++) {
		v[i] = iob_stat_read(i);
		sum += i < IOB_NR_LOSSES ? v[i] : 0;
	}
	seq_printf(m, "losses %llu\n", sum);
	for (i = 0; i < IOB_NR_STATS; i++) {
		if (v[i])
			seq_printf(m, "%s %s %llu (%s)\n",
				   i < IOB_NR_LOSSES ? "loss" : "event",
				   iob_stat_name(i), v[i], iob_stat_what(i));
	}
	for (i = 0; iob_stat_part_name(i); i++) {
		nr = iob_stat_part_read(i);
		if (nr)
			seq_printf(m, "owner_evicted.%s %llu\n", iob_stat_part_name(i), nr);
	}
	iob_reclaim_sum(&reclaimed);
	seq_printf(m, "reclaimed roles=%llu acts=%llu causes=%llu\n", reclaimed.roles,
		   reclaimed.acts, reclaimed.causes);
}

static void show_session_settings(struct seq_file *m)
{
	seq_printf(m, "enabled %d\n", iob_session_enabled());
	seq_printf(m, "session %u\n", iob_session_seq());
	seq_printf(m, "role %s\n", iob_text_role_kinds[iob_conf.role]);
	seq_printf(m, "charge %s\n", iob_text_charges[iob_conf.charge_first]);
	seq_printf(m, "sums_on %d\n", iob_counters_sum());
}

/*
 * How much room the longest one so far has needed, in a power of two; grows only.  Each reader may
 * write it.  What does not fit has summed up all CPUs of all disks in vain.
 */
static size_t status_room = SZ_32K;

static int status_show(struct seq_file *m, void *v)
{
	int err;

	/*
	 * Room for all of it first: what does not fit is shown anew from the start.  (Not at the
	 * open: thousands may have it open and not read it.)
	 */
	if (m->size < READ_ONCE(status_room)) {
		m->count = m->size;
		return 0;
	}
	iob_session_read_lock();
	show_session_settings(m);
	err = show_watched_devs(m);
	if (!err)
		err = show_disks(m);
	/* (what has no room is shown anew, with twice as much) */
	if (!err && !seq_has_overflowed(m)) {
		if (iob_session_enabled())
			seq_printf(m, "clock %s\n", iob_clock_name());
		seq_printf(m, "inflight %u\n", iob_bio_ctxs_count());
		show_objects(m);
		show_stats_and_losses(m);
		if (show_hooks)
			show_hooks(m);
		iob_layouts_show(m);
	}
	iob_session_read_unlock();
	/* seq_file doubles it, and asks again */
	if (seq_has_overflowed(m) && m->size < SZ_4M)
		WRITE_ONCE(status_room, m->size * 2);
	return err;
}

static int status_open(struct inode *inode, struct file *file)
{
	return single_open(file, status_show, NULL);
}

const struct file_operations iob_status_fops = {
	.owner = THIS_MODULE,
	.open = status_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

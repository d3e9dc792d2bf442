// SPDX-License-Identifier: GPL-2.0
/*
 * What the bench's search for shared lines needs in the guest (../guest-sharing).
 *
 *	/sys/kernel/debug/iob_shared/percpu	each CPU's offset: CPU HEX
 *	/sys/kernel/debug/iob_shared/where	write an address (hex): the kernel's log says
 *						"iob_shared: HEX" and what object it is in
 *
 * With plant=1 each bio on its way increments one counter, planted, on all CPUs: the
 * search must find that.
 */
#include <linux/debugfs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/tracepoint.h>

static bool plant;
module_param(plant, bool, 0400);
MODULE_PARM_DESC(plant, "increment a shared counter at each bio");

static atomic64_t planted;
static struct tracepoint *queued;
static struct dentry *folder;
static void (*dump)(void *object);

static noinline void count_bio(void *data)
{
	atomic64_inc(&planted);
}

static void tracepoint_find(struct tracepoint *tp, void *data)
{
	if (!strcmp(tp->name, "block_bio_queue"))
		queued = tp;
}

static int percpu_show(struct seq_file *m, void *v)
{
	int cpu;

	for_each_possible_cpu(cpu)
		seq_printf(m, "%d %lx\n", cpu, per_cpu_offset(cpu));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(percpu);

static ssize_t where_write(struct file *filp, const char __user *ubuf, size_t len, loff_t *pos)
{
	unsigned long long address;
	int err = kstrtoull_from_user(ubuf, len, 16, &address);

	if (err)
		return err;
	pr_info("iob_shared: %llx", address);
	if (dump)
		dump((void *)(unsigned long)address);
	return len;
}

static const struct file_operations where_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = where_write,
};

static int __init shared_init(void)
{
	int err;

	for_each_kernel_tracepoint(tracepoint_find, NULL);
	if (!queued)
		return -ENOENT;
	if (plant) {
		err = tracepoint_probe_register(queued, count_bio, NULL);
		if (err)
			return err;
	}
	/* old kernels do not have it */
	dump = __symbol_get("mem_dump_obj");
	folder = debugfs_create_dir("iob_shared", NULL);
	debugfs_create_file("percpu", 0400, folder, NULL, &percpu_fops);
	debugfs_create_file("where", 0200, folder, NULL, &where_fops);
	return 0;
}

static void __exit shared_exit(void)
{
	debugfs_remove_recursive(folder);
	if (dump)
		__symbol_put("mem_dump_obj");
	if (plant)
		tracepoint_probe_unregister(queued, count_bio, NULL);
	tracepoint_synchronize_unregister();
}

module_init(shared_init);
module_exit(shared_exit);
MODULE_DESCRIPTION("tells what addresses are, and shares a line, for ioblame's bench");
MODULE_LICENSE("GPL");

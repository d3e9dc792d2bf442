// SPDX-License-Identifier: GPL-2.0
/*
 * All files in one table; the settings and counters/ have their own.  The files show kernel
 * addresses and what other users do, so only root may open any of them.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "core/stats.h"
#include "io/log.h"
#include "io/log_bin.h"
#include "io/session.h"
#include "debugfs.h"
#include "counter_dir.h"
#include "devices.h"
#include "dirty.h"
#include "intents.h"
#include "log.h"
#include "log_bin.h"
#include "mount.h"
#include "pipe.h"
#include "roles.h"
#include "setting.h"
#include "status.h"
#include "sums.h"
#include "tree.h"

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
} files[] = {
	{ "devs", 0600, &iob_devs_fops },
	{ "status", 0400, &iob_status_fops },
	{ "roles", 0400, &iob_roles_fops },
	{ "intents", 0400, &iob_intents_fops },
	{ "intents_bin", 0400, &iob_intents_bin_fops },
	{ "iolog", 0400, &iob_iolog_fops },
	{ "dirty", 0400, &iob_dirty_fops },
	{ "counters_pipe", 0400, &iob_pipe_fops },
	{ "counters_pipe_bin", 0400, &iob_pipe_bin_fops },
	{ "sums_bin", 0400, &iob_sums_bin_fops },
};

static struct iob_tree_node *top;

/* Of the binary log, whose files come and go. */
static void *create_bin_file(const char *name, void *log)
{
	return iob_tree_removable(top, name, 0400, log, &iob_iolog_bin_fops);
}

static void remove_bin_file(void *file)
{
	iob_tree_remove(file);
}

static const struct iob_log_bin_files bin_files = {
	.create = create_bin_file,
	.remove = remove_bin_file,
};

static int stat_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%llu\n", iob_stat_read((unsigned long)m->private));
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(stat);

static int stat_part_show(struct seq_file *m, void *v)
{
	seq_printf(m, "%llu\n", iob_stat_part_read((unsigned long)m->private));
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(stat_part);

/* Of each kind of objects that owner_evicted counts: owner_evicted.KIND */
static int create_stat_parts(struct iob_tree_node *dir)
{
	struct iob_tree_node *file;
	char name[sizeof(file->name)];
	unsigned long i;

	for (i = 0; iob_stat_part_name(i); i++) {
		/* (a name that is cut would be no name of the documents) */
		if (WARN_ON(snprintf(name, sizeof(name), "owner_evicted.%s",
				     iob_stat_part_name(i)) >= sizeof(name)))
			return -ENAMETOOLONG;
		file = iob_tree_file(dir, name, 0400, (void *)i, &stat_part_fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return 0;
}

static int create_stats(void)
{
	struct iob_tree_node *file, *dir = iob_tree_dir(top, "stats");
	unsigned long i;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	for (i = 0; i < IOB_NR_STATS; i++) {
		file = iob_tree_file(dir, iob_stat_name(i), 0400, (void *)i,
				     &stat_fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return create_stat_parts(dir);
}

static int create_files(void)
{
	struct iob_tree_node *file;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = iob_tree_file(top, files[i].name, files[i].mode, NULL,
				     files[i].fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return 0;
}

static int create_settings(void)
{
	const struct iob_setting *s;
	struct iob_tree_node *file;

	for (s = iob_settings; s < iob_settings + iob_nr_settings; s++) {
		file = iob_tree_file(top, s->name, s->set ? 0600 : 0400, (void *)s,
				     &iob_setting_fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return 0;
}

/*
 * A file can be opened as soon as it is there, and so while the module still loads.  The open
 * file has a reference to the module.  But a load that fails frees the module all the same, and
 * the file's release() with it.  So wait for these files; their names are gone, and no more come.
 * Without CONFIG_MODULE_UNLOAD nobody counts them, so nothing can wait.
 */
static void wait_for_opens(void)
{
#ifdef CONFIG_MODULE_UNLOAD
	/* one is of the load itself */
	while (module_refcount(THIS_MODULE) > 1)
		schedule_timeout_idle(HZ / 10);
#endif
}

/**
 * iob_files_init - make all files, the last step of module load
 * @show_hooks: prints the lines `hook` of `status`
 *
 * May sleep; where it fails, also until files that were opened meanwhile are closed.
 * Return: 0 or a negative errno, which is reported in dmesg.
 */
int iob_files_init(void (*show_hooks)(struct seq_file *m))
{
	int err;

	iob_status_set_hooks(show_hooks);
	err = iob_tree_init(&iob_mount_view);
	if (err)
		return err;
	top = iob_tree_dir(NULL, "ioblame");
	err = PTR_ERR_OR_ZERO(top);
	if (!err)
		err = iob_iolog_init(&bin_files);
	if (!err)
		err = create_files();
	if (!err)
		err = create_stats();
	if (!err)
		err = iob_counter_dir_init(top);
	/* last of them: `enable` */
	if (!err)
		err = create_settings();
	if (err) {
		pr_err("no files (error %d)\n", err);
		iob_files_exit();
		wait_for_opens();
		return err;
	}
	/*
	 * Last of all: nothing fails any more that would take the module from under a mount.
	 * debugfs serves without it.
	 */
	if (iob_mount_init())
		pr_err("no file system \"ioblame\"\n");
	return 0;
}

/**
 * iob_files_exit - remove all files, the first step of module unload
 *
 * Ends the session: the files of its binary logs go before their directory.  May sleep until
 * running handlers are done; an open file pins the module, so at unload there are none.
 */
void iob_files_exit(void)
{
	iob_session_switch(false);
	iob_iolog_exit();
	iob_mount_exit();
	iob_tree_exit();
}

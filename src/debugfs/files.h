/* SPDX-License-Identifier: GPL-2.0 */
/*
 * files - what the files of this folder offer the table in debugfs.c
 */
#ifndef IOB_DEBUGFS_FILES_H
#define IOB_DEBUGFS_FILES_H

#include <linux/fs.h>
#include <linux/seq_file.h>

#include "blame/reclaim.h"

struct dentry;

extern const struct file_operations iob_devs_fops;
extern const struct file_operations iob_intents_fops;
extern const struct file_operations iob_intents_bin_fops;
extern const struct file_operations iob_iolog_fops;
extern const struct file_operations iob_pipe_fops;
extern const struct file_operations iob_pipe_bin_fops;
extern const struct file_operations iob_roles_fops;
extern const struct file_operations iob_status_fops;

void iob_pipe_reclaimed(struct iob_reclaimed *sum);
void iob_status_set_hooks(void (*show)(struct seq_file *m));

/* counters/ */
int iob_counter_dir_init(struct dentry *dir);
int iob_counter_dir_set_nr(u32 nr);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * setting - small files: one value to read, one setting per write
 */
#ifndef IOB_DEBUGFS_SETTING_H
#define IOB_DEBUGFS_SETTING_H

#include <linux/fs.h>
#include <linux/seq_file.h>

struct iob_setting {
	const char *name;
	/* print the value, without the newline */
	void (*show)(struct seq_file *m, const struct iob_setting *s);
	/* @text is trimmed; an error leaves the old value; NULL: read only */
	int (*set)(const char *text, const struct iob_setting *s);

	/* for those that use them */
	u32 *value, min, max;
	u32 (*count)(void);
};

extern const struct file_operations iob_setting_fops;	/* ->i_private */
extern const struct iob_setting iob_settings[];
extern const unsigned int iob_nr_settings;

#endif

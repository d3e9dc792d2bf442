// SPDX-License-Identifier: GPL-2.0
/*
 * The settings as one table.  A row says how a value is printed and parsed; numbers share
 * their functions and differ in the variable and its limits.
 *
 * Example: `echo 1000 > max_acts` calls set_disabled_u32("1000", row), which checks 4 <=
 * 1000 <= 2^24, makes sure that ioblame is disabled, and stores the number into
 * iob_conf.max[IOB_LIMIT_acts].
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "core/act.h"
#include "core/intent.h"
#include "core/role.h"
#include "core/task.h"
#include "io/counters.h"
#include "io/session.h"
#include "io/sum.h"
#include "counter_dir.h"
#include "input.h"
#include "setting.h"
#include "text.h"

enum {
	/* the special objects and one more */
	MIN_OBJECTS = 4,
	MAX_TTL	    = 10 * 365 * 24 * 3600,
};

/* @text as a decimal number within the limits of @s.  Return: 0 or -EINVAL. */
static int parse_u32(const char *text, const struct iob_setting *s, u32 *value)
{
	u32 n;

	if (kstrtou32(text, 10, &n) || n < s->min || n > s->max)
		return -EINVAL;
	*value = n;
	return 0;
}

/* May change at any time. */
static int set_u32(const char *text, const struct iob_setting *s)
{
	u32 n;
	int err = parse_u32(text, s, &n);

	if (!err)
		WRITE_ONCE(*s->value, n);
	return err;
}

/* Is the next session's: a running session keeps the value that it began with. */
static int set_disabled_u32(const char *text, const struct iob_setting *s)
{
	u32 n;
	int err = parse_u32(text, s, &n);

	if (!err)
		err = iob_session_change();
	if (err)
		return err;
	WRITE_ONCE(*s->value, n);
	iob_session_change_done();
	return 0;
}

static void show_u32(struct seq_file *m, const struct iob_setting *s)
{
	seq_printf(m, "%u", READ_ONCE(*s->value));
}

static int set_nr_counters(const char *text, const struct iob_setting *s)
{
	u32 n;
	int err = parse_u32(text, s, &n);

	if (!err)
		err = iob_session_change();
	if (err)
		return err;
	err = iob_counter_dir_set_nr(n);
	iob_session_change_done();
	return err;
}

static void show_nr_counters(struct seq_file *m, const struct iob_setting *s)
{
	seq_printf(m, "%u", iob_counters_nr());
}

static int set_sums(const char *text, const struct iob_setting *s)
{
	u32 n;
	int err = parse_u32(text, s, &n);

	if (!err)
		iob_counters_want_sums(n);
	return err;
}

static void show_sums(struct seq_file *m, const struct iob_setting *s)
{
	seq_printf(m, "%d", iob_counters_sum());
}

/* The place of @text in @words, or -EINVAL. */
static int word_nr(const char *text, const char *const *words, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (!strcasecmp(text, words[i]))
			return i;
	}
	return -EINVAL;
}

/* As kstrtobool(), but all of the word counts, not its first letter. */
static int set_enable(const char *text, const struct iob_setting *s)
{
	static const char *const words[] = {
		"0", "1", "n", "y", "no", "yes", "off", "on", "f", "t",
		"false", "true",
	};
	int nr = word_nr(text, words, ARRAY_SIZE(words));

	return nr < 0 ? nr : iob_session_switch(nr & 1);
}

static void show_enable(struct seq_file *m, const struct iob_setting *s)
{
	seq_printf(m, "%d", iob_session_enabled());
}

static int set_charge(const char *text, const struct iob_setting *s)
{
	int nr = word_nr(text, iob_text_charges, IOB_NR_CHARGES);
	int err = nr < 0 ? nr : iob_session_change();

	if (err)
		return err;
	WRITE_ONCE(iob_conf.charge_first, nr);
	iob_session_change_done();
	return 0;
}

static void show_charge(struct seq_file *m, const struct iob_setting *s)
{
	seq_puts(m, iob_text_charges[READ_ONCE(iob_conf.charge_first)]);
}

static int set_role(const char *text, const struct iob_setting *s)
{
	/* what a user role is, a task says by role_id */
	int nr = word_nr(text, iob_text_role_kinds, IOB_ROLE_CGROUP + 1);
	int err = nr < 0 ? nr : iob_session_change();

	if (err)
		return err;
	WRITE_ONCE(iob_conf.role, nr);
	iob_session_change_done();
	return 0;
}

static void show_role(struct seq_file *m, const struct iob_setting *s)
{
	seq_puts(m, iob_text_role_kinds[READ_ONCE(iob_conf.role)]);
}

static int set_role_id(const char *text, const struct iob_setting *s)
{
	u32 n;
	int err = parse_u32(text, s, &n);

	return err ? err : iob_task_set_user(n);
}

static void show_role_id(struct seq_file *m, const struct iob_setting *s)
{
	seq_printf(m, "%d", iob_task_user());
}

/* How many objects there are, 0 before the first session. */
static void show_nr_objects(struct seq_file *m, const struct iob_setting *s)
{
	iob_session_read_lock();
	seq_printf(m, "%u", iob_session_there() ? s->count() : 0);
	iob_session_read_unlock();
}

#define LIMIT(kind, value_at_first, most) {					\
	.name = "max_" #kind, .show = show_u32, .set = set_disabled_u32,	\
	.value = &iob_conf.max[IOB_LIMIT_##kind],			\
	.min = MIN_OBJECTS, .max = (most),				\
},

#define NR_OBJECTS(kind, value_at_first, most) {				\
	.name = "nr_" #kind, .show = show_nr_objects,			\
	.count = iob_##kind##_count,					\
},

/* `enable` comes last: at that moment all other files are there. */
const struct iob_setting iob_settings[] = {
	IOB_LIMITS(LIMIT)
	{
		.name = "ttl_secs", .show = show_u32, .set = set_u32,
		.value = &iob_conf.ttl_secs, .max = MAX_TTL,
	}, {
		.name = "nr_counters", .show = show_nr_counters,
		.set = set_nr_counters, .max = IOB_MAX_COUNTERS,
	},
	{ .name = "sums", .show = show_sums, .set = set_sums, .max = 1 },
	{
		.name = "log_at_enable", .show = show_u32, .set = set_u32,
		.value = &iob_conf.log_at_enable, .max = 1,
	},
	{ .name = "charge", .show = show_charge, .set = set_charge },
	{ .name = "role", .show = show_role, .set = set_role },
	{
		.name = "role_id", .show = show_role_id, .set = set_role_id,
		.max = INT_MAX,
	},
	IOB_LIMITS(NR_OBJECTS)
	{ .name = "enable", .show = show_enable, .set = set_enable },
};

const unsigned int iob_nr_settings = ARRAY_SIZE(iob_settings);

static int setting_show(struct seq_file *m, void *v)
{
	const struct iob_setting *s = m->private;

	s->show(m, s);
	seq_putc(m, '\n');
	return 0;
}

static int setting_open(struct inode *inode, struct file *file)
{
	return single_open(file, setting_show, inode->i_private);
}

static ssize_t setting_write(struct file *file, const char __user *from,
			     size_t count, loff_t *pos)
{
	const struct iob_setting *s = file_inode(file)->i_private;
	char *text;
	int err;

	if (!s->set)
		return -EINVAL;
	text = iob_input_text(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = s->set(text, s);
	kfree(text);
	return err ? err : count;
}

const struct file_operations iob_setting_fops = {
	.owner = THIS_MODULE,
	.open = setting_open,
	.read = seq_read,
	.write = setting_write,
	.llseek = seq_lseek,
	.release = single_release,
};

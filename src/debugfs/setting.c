// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "core/intent.h"
#include "core/task.h"
#include "io/counters.h"
#include "io/session.h"
#include "files.h"
#include "setting.h"

enum {
	/* the special objects and one more */
	MIN_OBJECTS = 4,
	/* an object's number and the flags beside it fit in 32 bits */
	MAX_OBJECTS = 1 << 24,
	MAX_TTL	    = 10 * 365 * 24 * 3600,
};

/**
 * iob_setting_text - what one write(2) said
 * @from:  the user's buffer
 * @count: its size
 *
 * The position in the file means nothing: `>` and `>>` are the same.
 *
 * May sleep.  Return: the text without white space around it, to be freed by
 * kfree(); or ERR_PTR of -E2BIG, -EINVAL (a NUL inside), -EFAULT, -ENOMEM.
 */
char *iob_setting_text(const char __user *from, size_t count)
{
	char *text, *trimmed;

	if (count > IOB_SETTING_MAX)
		return ERR_PTR(-E2BIG);
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return text;
	if (strlen(text) != count) {
		kfree(text);
		return ERR_PTR(-EINVAL);
	}
	trimmed = strim(text);
	memmove(text, trimmed, strlen(trimmed) + 1);
	return text;
}

/**
 * iob_setting_u32 - a decimal number within limits
 * @text:  all of it is the number
 * @min:   the smallest allowed
 * @max:   the largest
 * @value: gets it
 *
 * Any context.  Return: 0 or -EINVAL.
 */
int iob_setting_u32(const char *text, u32 min, u32 max, u32 *value)
{
	u32 n;

	if (kstrtou32(text, 10, &n) || n < min || n > max)
		return -EINVAL;
	*value = n;
	return 0;
}

/* A setting of the next session, of which the running one has its own. */
static int set_disabled_u32(const char *text, u32 min, u32 max, u32 *setting)
{
	u32 n;
	int err = iob_setting_u32(text, min, max, &n);

	if (!err)
		err = iob_session_change();
	if (err)
		return err;
	WRITE_ONCE(*setting, n);
	iob_session_change_done();
	return 0;
}

static int set_max_roles(const char *text)
{
	return set_disabled_u32(text, MIN_OBJECTS, MAX_OBJECTS,
				&iob_conf.max_roles);
}

static void show_max_roles(struct seq_file *m)
{
	seq_printf(m, "%u", READ_ONCE(iob_conf.max_roles));
}

static int set_max_intents(const char *text)
{
	return set_disabled_u32(text, MIN_OBJECTS, MAX_OBJECTS,
				&iob_conf.max_intents);
}

static void show_max_intents(struct seq_file *m)
{
	seq_printf(m, "%u", READ_ONCE(iob_conf.max_intents));
}

static int set_max_acts(const char *text)
{
	return set_disabled_u32(text, MIN_OBJECTS, MAX_OBJECTS,
				&iob_conf.max_acts);
}

static void show_max_acts(struct seq_file *m)
{
	seq_printf(m, "%u", READ_ONCE(iob_conf.max_acts));
}

static int set_ttl_secs(const char *text)
{
	u32 n;
	int err = iob_setting_u32(text, 0, MAX_TTL, &n);

	if (!err)
		WRITE_ONCE(iob_conf.ttl_secs, n);
	return err;
}

static void show_ttl_secs(struct seq_file *m)
{
	seq_printf(m, "%u", READ_ONCE(iob_conf.ttl_secs));
}

static int set_nr_counters(const char *text)
{
	u32 n;
	int err = iob_setting_u32(text, 0, IOB_MAX_COUNTERS, &n);

	if (!err)
		err = iob_session_change();
	if (err)
		return err;
	err = iob_counter_dir_set_nr(n);
	iob_session_change_done();
	return err;
}

static void show_nr_counters(struct seq_file *m)
{
	seq_printf(m, "%u", iob_counters_nr());
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

/* What kstrtobool() takes, but not whatever comes behind the first letter. */
static int set_enable(const char *text)
{
	static const char *const words[] = {
		"0", "1", "n", "y", "no", "yes", "off", "on", "f", "t",
		"false", "true",
	};
	int nr = word_nr(text, words, ARRAY_SIZE(words));

	return nr < 0 ? nr : iob_session_switch(nr & 1);
}

static void show_enable(struct seq_file *m)
{
	seq_printf(m, "%d", iob_session_enabled());
}

static const char *const charges[] = { "split", "first" };

static int set_charge(const char *text)
{
	int nr = word_nr(text, charges, ARRAY_SIZE(charges));
	int err = nr < 0 ? nr : iob_session_change();

	if (err)
		return err;
	WRITE_ONCE(iob_conf.charge_first, nr);
	iob_session_change_done();
	return 0;
}

static void show_charge(struct seq_file *m)
{
	seq_puts(m, charges[READ_ONCE(iob_conf.charge_first)]);
}

static const char *const roles[] = {
	[IOB_ROLE_THREAD]  = "thread",
	[IOB_ROLE_PROCESS] = "process",
	[IOB_ROLE_CGROUP]  = "cgroup",
};

static int set_role(const char *text)
{
	int nr = word_nr(text, roles, ARRAY_SIZE(roles));
	int err = nr < 0 ? nr : iob_session_change();

	if (err)
		return err;
	WRITE_ONCE(iob_conf.role, nr);
	iob_session_change_done();
	return 0;
}

static void show_role(struct seq_file *m)
{
	seq_puts(m, roles[READ_ONCE(iob_conf.role)]);
}

static int set_role_id(const char *text)
{
	u32 n;
	int err = iob_setting_u32(text, 0, INT_MAX, &n);

	return err ? err : iob_task_set_user(n);
}

static void show_role_id(struct seq_file *m)
{
	seq_printf(m, "%d", iob_task_user());
}

/* How many there are, 0 before the first session. */
static void show_count(struct seq_file *m, u32 (*count)(void))
{
	iob_session_read_lock();
	seq_printf(m, "%u", iob_session_there() ? count() : 0);
	iob_session_read_unlock();
}

static void show_nr_roles(struct seq_file *m)
{
	show_count(m, iob_roles_count);
}

static void show_nr_intents(struct seq_file *m)
{
	show_count(m, iob_intents_count);
}

static void show_nr_acts(struct seq_file *m)
{
	show_count(m, iob_acts_count);
}

/* `enable` comes last: what it sets going finds all other files there. */
const struct iob_setting iob_settings[] = {
	{ "max_roles", show_max_roles, set_max_roles },
	{ "max_intents", show_max_intents, set_max_intents },
	{ "max_acts", show_max_acts, set_max_acts },
	{ "ttl_secs", show_ttl_secs, set_ttl_secs },
	{ "nr_counters", show_nr_counters, set_nr_counters },
	{ "charge", show_charge, set_charge },
	{ "role", show_role, set_role },
	{ "role_id", show_role_id, set_role_id },
	{ "nr_roles", show_nr_roles },
	{ "nr_intents", show_nr_intents },
	{ "nr_acts", show_nr_acts },
	{ "enable", show_enable, set_enable },
};

const unsigned int iob_nr_settings = ARRAY_SIZE(iob_settings);

static int setting_show(struct seq_file *m, void *v)
{
	const struct iob_setting *s = m->private;

	s->show(m);
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
	text = iob_setting_text(from, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	err = s->set(text);
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

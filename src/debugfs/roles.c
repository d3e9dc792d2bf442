// SPDX-License-Identifier: GPL-2.0
/*
 * `roles`: one line per role, in the order of their numbers
 *
 *	id pid tgid comm cgroup state
 *	0 - - lost - -
 *	512 512 512 sh 4026 exited
 *	512 512 512 dd 4026 exited
 *	-7 - - - 4026 alive
 *
 * `id` is the id of binary records: a pid (`role` is thread), a tgid (process), a negated
 * user role, or 0.  `cgroup` is where the task was when it acted in this role, where a user
 * role was last seen, or the role itself if it stands for a cgroup.  A task that was renamed
 * or moved has several lines: in those that are `past` it acts no more; one for many-roles if
 * these were too many.  A cgroup has a line for
 * its processes and one for its kernel threads.  Names are escaped as in iolog, spaces too.  `-`:
 * the role has none.
 */
#include <linux/module.h>
#include <linux/seq_file.h>

#include <compat/rcu.h>

#include "core/role.h"
#include "io/session.h"
#include "roles.h"
#include "text.h"

static void show_role_pids(struct seq_file *m, const struct iob_role *role)
{
	seq_printf(m, "%d ", iob_role_number(role));
	if (role->kind == IOB_ROLE_THREAD)
		seq_printf(m, "%llu %u ", role->key, role->tgid);
	else if (role->kind == IOB_ROLE_PROCESS)
		seq_printf(m, "- %u ", role->tgid);
	else
		seq_puts(m, "- - ");
}

static const char *role_state(const struct iob_role *role)
{
	if (READ_ONCE(role->past) || (READ_ONCE(role->dead) && !READ_ONCE(role->exited)))
		return "past";
	return READ_ONCE(role->exited) ? "exited" : "alive";
}

static void show_role_line(struct seq_file *m, const struct iob_role *role)
{
	char name[IOB_TEXT_NAME_SIZE];

	show_role_pids(m, role);
	iob_text_escape(name, sizeof(name), role->comm, true);
	seq_printf(m, "%s ", *name ? name : "-");
	if (role->kind == IOB_ROLE_SPECIAL)
		seq_puts(m, "- -\n");
	else
		seq_printf(m, "%llu %s\n",
			   iob_role_in_cgroup(role), role_state(role));
}

/* Position 0 is the header, n + 1 the role with the number n. */
static void *roles_start(struct seq_file *m, loff_t *pos)
{
	iob_session_read_lock();
	if (!*pos)
		return SEQ_START_TOKEN;
	if (!iob_session_there() || *pos > iob_roles_max())
		return NULL;
	return pos;
}

static void *roles_next(struct seq_file *m, void *v, loff_t *pos)
{
	const struct iob_role *role = NULL;
	u32 nr = *pos;

	if (iob_session_there()) {
		/* a role may go at any time: keep its number only */
		iob_read_lock();
		role = iob_role_next(&nr);
		iob_read_unlock();
	}
	*pos = (loff_t)nr + 1;
	return role ? pos : NULL;
}

static void roles_stop(struct seq_file *m, void *v)
{
	iob_session_read_unlock();
}

static int roles_show(struct seq_file *m, void *v)
{
	const struct iob_role *role;
	u32 nr;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "id pid tgid comm cgroup state\n");
		return 0;
	}
	nr = *(loff_t *)v - 1;
	iob_read_lock();
	role = iob_role_next(&nr);
	if (role && nr == *(loff_t *)v - 1)
		show_role_line(m, role);
	iob_read_unlock();
	return 0;
}

static const struct seq_operations roles_ops = {
	.start = roles_start,
	.next = roles_next,
	.stop = roles_stop,
	.show = roles_show,
};

static int roles_open(struct inode *inode, struct file *file)
{
	return seq_open(file, &roles_ops);
}

const struct file_operations iob_roles_fops = {
	.owner = THIS_MODULE,
	.open = roles_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

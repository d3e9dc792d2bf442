// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching goes down the table, detaching up; what was attached before a
 * failure is detached again.
 *
 * Why detaching is complete when it returns: tracepoint_synchronize_unregister()
 * waits for probes that are running, under RCU up to 6.19 and SRCU from 7.0 on;
 * iob_entries_end() and unregister_kprobe() wait for those at functions.  Our
 * probes themselves run with preemption off, so synchronize_rcu() waits for
 * whatever they hand on to RCU readers of ours.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "blame/bio_kind.h"
#include "core/intent.h"
#include "stack/stack.h"
#include "stack/walk.h"
#include "table.h"

#define MAX_HOOKS	128

/*
 * In this order they are attached, and in the opposite one detached: what
 * follows an IO comes at last.
 */
static const struct iob_hook_list *const lists[] = {
	&iob_sched_hooks,
	&iob_writeback_hooks,
	&iob_fs_hooks,
	&iob_journal_hooks,
	&iob_xfs_hooks,
	&iob_discard_hooks,
	&iob_stacked_hooks,
	&iob_block_hooks,
};

/* the modules that hooks are in */
static const struct {
	const char *module;
	bool builtin;
} parts[] = {
	{ "btrfs", IS_BUILTIN(CONFIG_BTRFS_FS) },
	{ "dm_crypt", IS_BUILTIN(CONFIG_DM_CRYPT) },
	{ "ext4", IS_BUILTIN(CONFIG_EXT4_FS) },
	{ "f2fs", IS_BUILTIN(CONFIG_F2FS_FS) },
	{ "jbd2", IS_BUILTIN(CONFIG_JBD2) },
	{ "loop", IS_BUILTIN(CONFIG_BLK_DEV_LOOP) },
	{ "raid456", IS_BUILTIN(CONFIG_MD_RAID456) },
	{ "xfs", IS_BUILTIN(CONFIG_XFS_FS) },
};

/* the state of one hook of the tables, in their order */
struct state {
	const struct iob_hook *hook;
	struct tracepoint *tp;
	struct iob_entry entry;	/* and where a symbol is */
	bool looked;		/* for where it is */
	bool attached;
	int err;
};

static struct state states[MAX_HOOKS];	/* H */
static unsigned int nr_states;		/* constant after load */
static bool phase_on[2];		/* H, by enum iob_hook_phase */
/* H: the switch, modules that come and go, readers of `status` */
static DEFINE_MUTEX(hooks_mutex);

/* Whether @name is one of the alternatives in @names. */
static bool is_one_of(const char *name, const char *names)
{
	size_t len = strlen(name);
	const char *p = names;

	while (p) {
		if (!strncmp(p, name, len) && (!p[len] || p[len] == '|'))
			return true;
		p = strchr(p, '|');
		if (p)
			p++;
	}
	return false;
}

static void match_tracepoint(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		if (states[i].hook->kind == IOB_HOOK_TRACEPOINT &&
		    is_one_of(tp->name, states[i].hook->name))
			states[i].tp = tp;
	}
}

/*
 * Whether a module (NULL: the kernel itself) is not there now, but may come.
 * What is built in need not show in /sys/module.
 */
static bool is_absent(const char *name)
{
	struct kobject *kobj;
	unsigned int i;

	if (!name)
		return false;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].builtin && !strcmp(parts[i].module, name))
			return false;
	}
	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, name);
	if (!kobj)
		return true;
	kobject_put(kobj);
	return false;
}

/* Register @kp, never to be armed, at the first of the alternatives there is. */
static int kprobe_first(struct kprobe *kp, const char *alternatives)
{
	char *names, *rest, *name;
	int err = -ENOENT;

	names = kstrdup(alternatives, GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	rest = names;
	while (err && (name = strsep(&rest, "|"))) {
		memset(kp, 0, sizeof(*kp));
		kp->symbol_name = name;
		kp->flags = KPROBE_FLAG_DISABLED;
		err = register_kprobe(kp);
	}
	/* it is registered by address now; the name was ours */
	kp->symbol_name = NULL;
	kfree(names);
	return err;
}

/*
 * Ask where functions are: kprobes that are there for a moment and never armed,
 * which spares changing the kernel's code.  To find a name takes a while on
 * some kernels, so each is looked for once, until its module comes anew.
 */
static void find_functions(enum iob_hook_phase phase)
{
	struct kprobe *kps[MAX_HOOKS];
	unsigned int i, nr = 0;

	for (i = 0; i < nr_states; i++) {
		struct state *s = &states[i];
		struct kprobe *kp = &s->entry.kp;

		if (s->hook->kind == IOB_HOOK_TRACEPOINT || s->looked ||
		    s->hook->phase != phase)
			continue;
		/* it is looked for when its module comes */
		if (is_absent(s->hook->module)) {
			s->err = -ENOENT;
			continue;
		}
		s->err = kprobe_first(kp, s->hook->name);
		s->looked = s->err != -ENOMEM;
		if (s->err)
			continue;
		s->entry.addr = (unsigned long)kp->addr;
		s->entry.ftraced = kp->flags & KPROBE_FLAG_FTRACE;
		s->entry.fn = s->hook->entered;
		s->entry.own_ops = s->hook->own_ops;
		kps[nr++] = kp;
	}
	/* all at once: each call waits for a grace period */
	if (nr)
		unregister_kprobes(kps, nr);
}

static int note_address(const struct state *s)
{
	struct iob_code code;

	if (!iob_code_of(s->entry.addr, &code))
		return -ENOENT;
	if (s->hook->end)
		iob_bio_kind_mark(s->hook->end, code.start);
	else
		s->hook->found(code.start);
	return 0;
}

/* Functions are armed together, and that may take a while; nobody is called. */
static int arm(enum iob_hook_phase phase)
{
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		struct state *s = &states[i];

		if (s->hook->kind == IOB_HOOK_FUNCTION &&
		    s->hook->phase == phase && s->entry.addr &&
		    !s->entry.armed)
			s->err = iob_entry_arm(&s->entry);
	}
	return iob_entries_begin();
}

/* What it takes first, find_functions() and arm(), has been done. */
static void attach_one(struct state *s)
{
	if (s->hook->kind == IOB_HOOK_TRACEPOINT)
		s->err = s->tp ? tracepoint_probe_register(s->tp,
							   s->hook->probe,
							   NULL) : -ENOENT;
	else if (s->hook->kind == IOB_HOOK_FUNCTION && s->entry.armed)
		iob_entry_on(&s->entry);
	else if (s->hook->kind == IOB_HOOK_ADDRESS && s->entry.addr)
		s->err = note_address(s);
	s->attached = !s->err;
	if (s->attached && s->hook->attached)
		s->hook->attached(true);
}

static void detach_one(struct state *s)
{
	if (s->attached && s->hook->attached)
		s->hook->attached(false);
	if (s->hook->kind == IOB_HOOK_FUNCTION)
		iob_entry_disarm(&s->entry);
	if (!s->attached)
		return;
	if (s->hook->kind == IOB_HOOK_TRACEPOINT)
		tracepoint_probe_unregister(s->tp, s->hook->probe, NULL);
	else if (s->hook->end)
		iob_bio_kind_unmark(s->hook->end);
	else if (s->hook->found)
		s->hook->found(0);
	s->attached = false;
}

static void detach_phase(enum iob_hook_phase phase)
{
	unsigned int i;

	mutex_lock(&hooks_mutex);
	phase_on[phase] = false;
	/* all at once, as each waits for all tasks */
	for (i = nr_states; i-- && phase == IOB_HOOK_ENABLED;)
		iob_entry_off(&states[i].entry);
	if (phase == IOB_HOOK_ENABLED)
		iob_entries_end();
	for (i = nr_states; i--;) {
		if (states[i].hook->phase == phase)
			detach_one(&states[i]);
	}
	mutex_unlock(&hooks_mutex);
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

static int attach_phase(enum iob_hook_phase phase)
{
	unsigned int i;
	int err;

	mutex_lock(&hooks_mutex);
	phase_on[phase] = true;
	find_functions(phase);
	err = arm(phase);
	for (i = 0; i < nr_states && !err; i++) {
		struct state *s = &states[i];

		if (s->hook->phase != phase)
			continue;
		attach_one(s);
		if (s->err && s->hook->needed) {
			pr_err("cannot attach to %s: error %d\n",
			       s->hook->name, s->err);
			err = s->err;
		}
	}
	mutex_unlock(&hooks_mutex);
	if (err)
		detach_phase(phase);
	return err;
}

/* Its functions are there, and those of its name may be looked for again. */
static void module_came(const struct module *mod)
{
	unsigned int phase, i;

	for (i = 0; i < nr_states; i++) {
		if (states[i].hook->module && !states[i].entry.addr &&
		    !strcmp(states[i].hook->module, mod->name))
			states[i].looked = false;
	}
	for (phase = 0; phase < ARRAY_SIZE(phase_on); phase++) {
		if (!phase_on[phase])
			continue;
		find_functions(phase);
		arm(phase);
		for (i = 0; i < nr_states; i++) {
			struct state *s = &states[i];

			if (s->hook->module && s->hook->phase == phase &&
			    !s->attached && s->entry.addr)
				attach_one(s);
		}
	}
}

static void module_goes(const struct module *mod)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		struct state *s = &states[i];

		if (!s->entry.addr || !within_module(s->entry.addr, mod))
			continue;
		detach_one(s);
		s->entry.addr = 0;
		s->err = -ENOENT;
		any = true;
	}
	if (any)
		synchronize_rcu();
}

/*
 * A module with hooks of ours has come, or is going: ftrace and kprobes cope,
 * but what is at an address then is another function.
 */
static int module_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	/* before the first of its code has run, and after the last */
	if (event == MODULE_STATE_COMING || event == MODULE_STATE_GOING)
		iob_stack_forget();
	if (event != MODULE_STATE_LIVE && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&hooks_mutex);
	if (event == MODULE_STATE_LIVE)
		module_came(data);
	else
		module_goes(data);
	mutex_unlock(&hooks_mutex);
	return NOTIFY_OK;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_event,
};

/**
 * iob_hooks_attach - a session begins
 *
 * May sleep.  Return: 0, or the error of a needed hook, all undone.
 */
int iob_hooks_attach(void)
{
	return attach_phase(IOB_HOOK_ENABLED);
}

/* The session ends.  May sleep; no probe of its runs when this returns. */
void iob_hooks_detach(void)
{
	detach_phase(IOB_HOOK_ENABLED);
}

static int find_hooks(void)
{
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (j = 0; j < lists[i]->nr; j++) {
			if (WARN_ON(nr_states == MAX_HOOKS))
				return -E2BIG;
			states[nr_states++].hook = &lists[i]->hook[j];
		}
	}
	for_each_kernel_tracepoint(match_tracepoint, NULL);
	for (i = 0; i < nr_states; i++) {
		struct state *s = &states[i];

		if (s->hook->kind != IOB_HOOK_TRACEPOINT)
			continue;
		if (s->tp)
			iob_stack_hide((unsigned long)s->tp->iterator);
		else
			s->err = -ENOENT;
		if (!s->tp && s->hook->needed) {
			pr_err("this kernel has no tracepoint %s, which is needed\n",
			       s->hook->name);
			return -ENOENT;
		}
	}
	return 0;
}

/**
 * iob_hooks_init - module load
 *
 * May sleep.  Return: 0, or -ENOENT if the kernel lacks a hook that is needed;
 * the log names it.
 */
int iob_hooks_init(void)
{
	int err = find_hooks();

	/* first: no module comes unseen after its functions were looked for */
	if (!err)
		err = register_module_notifier(&module_notifier);
	if (!err) {
		err = attach_phase(IOB_HOOK_LOADED);
		if (err)
			unregister_module_notifier(&module_notifier);
	}
	if (err) {
		iob_entries_exit();
		iob_stack_unhide_all();
		iob_intent_unmark();
		iob_bio_kinds_unmark();
	}
	return err;
}

/* Module unload: no session runs. */
void iob_hooks_exit(void)
{
	unregister_module_notifier(&module_notifier);
	detach_phase(IOB_HOOK_LOADED);
	iob_entries_exit();
}

/* One line a hook for `status`.  May sleep. */
void iob_hooks_show(struct seq_file *m)
{
	static const char *const kinds[] = {
		[IOB_HOOK_TRACEPOINT] = "tracepoint",
		[IOB_HOOK_FUNCTION] = "function",
		[IOB_HOOK_ADDRESS] = "symbol",
	};
	unsigned int i;

	mutex_lock(&hooks_mutex);
	for (i = 0; i < nr_states; i++) {
		const struct state *s = &states[i];

		seq_printf(m, "hook %s %s ", kinds[s->hook->kind],
			   s->hook->name);
		if (s->err == -ENOENT && is_absent(s->hook->module))
			seq_printf(m, "waiting for %s error=%d\n",
				   s->hook->module, s->err);
		else if (s->err)
			seq_printf(m, "missing error=%d lost: %s\n", s->err,
				   s->hook->impact);
		else if (s->entry.armed && !s->entry.ftraced)
			seq_printf(m, "attached by kprobe missed=%lu\n",
				   s->entry.kp.nmissed);
		else
			seq_puts(m, s->attached ? "attached\n" : "ready\n");
	}
	mutex_unlock(&hooks_mutex);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks are attached in the order of the table and detached in the opposite one; what was
 * attached before a failure is detached again.
 *
 * Why detaching is complete when it returns: tracepoint_synchronize_unregister() waits for
 * probes that run, under RCU up to 6.19 and SRCU from 7.0 on; iob_entries_end() and
 * unregister_kprobe() wait for those at functions.  The probes themselves run with
 * preemption off, so synchronize_rcu() waits for what they hand on to our RCU readers.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "blame/bio_kind.h"
#include "blame/provider.h"
#include "core/code.h"
#include "core/intent.h"
#include "stack/cache.h"
#include "stack/walk.h"
#include "hook.h"
#include "table.h"

#define MAX_HOOKS	160

/* The state of one hook.  H: hooks_mutex. */
struct hook_state {
	const struct iob_hook *hook;
	struct tracepoint *tp;
	struct iob_entry entry;	/* and where a symbol is */
	bool looked;		/* for where it is */
	bool attached;
	int err;
};

static struct hook_state states[MAX_HOOKS];	/* H; in the order of attaching */
static unsigned int nr_states;		/* constant after module load */
static bool phase_on[2];		/* H, by enum iob_hook_phase */
/* H: the switch, modules that come and go, readers of `status` */
static DEFINE_MUTEX(hooks_mutex);

/* Whether @name is one of the alternatives in @names. */
static bool name_is_one_of(const char *name, const char *names)
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

static void hooks_match_tracepoint(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		if (states[i].hook->kind == IOB_HOOK_TRACEPOINT &&
		    name_is_one_of(tp->name, states[i].hook->name))
			states[i].tp = tp;
	}
}

/* Whether the module that a hook is in is not there now, but may come. */
static bool module_is_absent(const struct iob_hook *hook)
{
	struct kobject *kobj;

	/* (what is built in need not show in /sys/module) */
	if (!hook->module || hook->builtin)
		return false;
	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, hook->module);
	if (!kobj)
		return true;
	kobject_put(kobj);
	return false;
}

/* Register @kp, which is never armed, at the first of the alternatives that exists. */
static int kprobe_first_of(struct kprobe *kp, const char *alternatives)
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
	/* registered by address now; the name is freed below */
	kp->symbol_name = NULL;
	kfree(names);
	return err;
}

/*
 * Find functions by kprobes that exist for a moment and are never armed: that leaves the
 * kernel's code alone.  A look-up takes a while on some kernels, so each name is looked up
 * once, and again when its module comes anew.
 */
static void hooks_find_functions(enum iob_hook_phase phase)
{
	struct kprobe *kps[MAX_HOOKS];
	unsigned int i, nr = 0;

	for (i = 0; i < nr_states; i++) {
		struct hook_state *s = &states[i];
		struct kprobe *kp = &s->entry.kp;

		if (s->hook->kind == IOB_HOOK_TRACEPOINT || s->looked ||
		    s->hook->phase != phase)
			continue;
		/* looked up when its module comes */
		if (module_is_absent(s->hook)) {
			s->err = -ENOENT;
			continue;
		}
		s->err = kprobe_first_of(kp, s->hook->name);
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

static int hook_note_address(const struct hook_state *s)
{
	struct iob_code code;

	if (!iob_code_of(s->entry.addr, &code))
		return -ENOENT;
	if (s->hook->bio_kind)
		iob_bio_kind_mark(s->hook->bio_kind, code.start);
	else
		s->hook->found(code.start);
	return 0;
}

/* Functions are armed together, which may take a while; no handler is called yet. */
static int hooks_arm(enum iob_hook_phase phase)
{
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		struct hook_state *s = &states[i];

		if (s->hook->kind == IOB_HOOK_FUNCTION &&
		    s->hook->phase == phase && s->entry.addr &&
		    !s->entry.armed)
			s->err = iob_entry_arm(&s->entry);
	}
	return iob_entries_begin();
}

/* After hooks_find_functions() and hooks_arm(). */
static void hook_attach(struct hook_state *s)
{
	if (s->hook->kind == IOB_HOOK_TRACEPOINT)
		s->err = s->tp ? tracepoint_probe_register(s->tp,
							   s->hook->probe,
							   NULL) : -ENOENT;
	else if (s->hook->kind == IOB_HOOK_FUNCTION && s->entry.armed)
		iob_entry_on(&s->entry);
	else if (s->hook->kind == IOB_HOOK_ADDRESS && s->entry.addr)
		s->err = hook_note_address(s);
	s->attached = !s->err;
	if (s->attached && s->hook->attached)
		s->hook->attached(true);
}

static void hook_detach(struct hook_state *s)
{
	if (s->attached && s->hook->attached)
		s->hook->attached(false);
	if (s->hook->kind == IOB_HOOK_FUNCTION)
		iob_entry_disarm(&s->entry);
	if (!s->attached)
		return;
	if (s->hook->kind == IOB_HOOK_TRACEPOINT)
		tracepoint_probe_unregister(s->tp, s->hook->probe, NULL);
	else if (s->hook->bio_kind)
		iob_bio_kind_unmark(s->hook->bio_kind);
	else if (s->hook->found)
		s->hook->found(0);
	s->attached = false;
}

static void hooks_detach_phase(enum iob_hook_phase phase)
{
	unsigned int i;

	mutex_lock(&hooks_mutex);
	phase_on[phase] = false;
	/* all at once: each call waits for all tasks */
	for (i = nr_states; i-- && phase == IOB_HOOK_ENABLED;)
		iob_entry_off(&states[i].entry);
	if (phase == IOB_HOOK_ENABLED)
		iob_entries_end();
	for (i = nr_states; i--;) {
		if (states[i].hook->phase == phase)
			hook_detach(&states[i]);
	}
	mutex_unlock(&hooks_mutex);
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

static int hooks_attach_phase(enum iob_hook_phase phase)
{
	unsigned int i;
	int err;

	mutex_lock(&hooks_mutex);
	phase_on[phase] = true;
	hooks_find_functions(phase);
	err = hooks_arm(phase);
	for (i = 0; i < nr_states && !err; i++) {
		struct hook_state *s = &states[i];

		if (s->hook->phase != phase)
			continue;
		hook_attach(s);
		if (s->err && s->hook->needed) {
			pr_err("cannot attach to %s: error %d\n",
			       s->hook->name, s->err);
			err = s->err;
		}
	}
	mutex_unlock(&hooks_mutex);
	if (err)
		hooks_detach_phase(phase);
	return err;
}

/* A module has come: its functions are there, and are looked up again. */
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
		hooks_find_functions(phase);
		hooks_arm(phase);
		for (i = 0; i < nr_states; i++) {
			struct hook_state *s = &states[i];

			if (s->hook->module && s->hook->phase == phase &&
			    !s->attached && s->entry.addr)
				hook_attach(s);
		}
	}
}

static void module_goes(const struct module *mod)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < nr_states; i++) {
		struct hook_state *s = &states[i];

		if (!s->entry.addr || !within_module(s->entry.addr, mod))
			continue;
		hook_detach(s);
		s->entry.addr = 0;
		s->err = -ENOENT;
		any = true;
	}
	if (any)
		synchronize_rcu();
}

/*
 * A module comes or goes.  ftrace and kprobes cope with that, but another function may be
 * at an address then.
 */
static int module_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	/* before its first code runs, and after its last */
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
	return hooks_attach_phase(IOB_HOOK_ENABLED);
}

/* The session ends.  May sleep; no probe of its runs when this returns. */
void iob_hooks_detach(void)
{
	hooks_detach_phase(IOB_HOOK_ENABLED);
}

static int hooks_find(void)
{
	const struct iob_provider **p;
	unsigned int i;

	iob_for_each_provider(p, &iob_providers) {
		const struct iob_hook_list *list = (*p)->hooks;

		for (i = 0; list && i < list->nr; i++) {
			if (WARN_ON(nr_states == MAX_HOOKS))
				return -E2BIG;
			states[nr_states++].hook = &list->hook[i];
		}
	}
	for_each_kernel_tracepoint(hooks_match_tracepoint, NULL);
	for (i = 0; i < nr_states; i++) {
		struct hook_state *s = &states[i];

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
	int err = hooks_find();

	/* first: a module that comes after its functions were looked up is seen */
	if (!err)
		err = register_module_notifier(&module_notifier);
	if (!err) {
		err = hooks_attach_phase(IOB_HOOK_LOADED);
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
	hooks_detach_phase(IOB_HOOK_LOADED);
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
		const struct hook_state *s = &states[i];

		seq_printf(m, "hook %s %s ", kinds[s->hook->kind],
			   s->hook->name);
		if (s->err == -ENOENT && module_is_absent(s->hook))
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching goes down the table, detaching up; what was attached before a
 * failure is detached again.
 *
 * Why detaching is complete when it returns: tracepoint_synchronize_unregister()
 * waits for probes that are running, under RCU up to 6.19 and SRCU from 7.0 on;
 * unregister_kprobe() waits for handlers.  Our probes themselves run with
 * preemption off, so synchronize_rcu() waits for whatever they hand on to RCU
 * readers of ours.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../blame/end.h"
#include "../blame/intent.h"
#include "../blame/stack.h"
#include "table.h"

#define MAX_HOOKS	128

/*
 * In this order they are attached, and in the opposite one detached.  Attaching
 * to a function takes a while: what follows an IO comes at last, all at once.
 */
static const struct iob_hook_list *const lists[] = {
	&iob_sched_hooks,
	&iob_writeback_hooks,
	&iob_fs_hooks,
	&iob_journal_hooks,
	&iob_xfs_hooks,
	&iob_stacked_hooks,
	&iob_block_hooks,
};

/* the state of one hook of the tables, in their order */
struct state {
	const struct iob_hook *hook;
	struct tracepoint *tp;
	struct kprobe kp;
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

/* Register @s->kp at the first of the alternatives that there is. */
static int kprobe_first(struct state *s, u32 flags)
{
	char *names, *rest, *name;
	int err = -ENOENT;

	names = kstrdup(s->hook->name, GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	rest = names;
	while (err && (name = strsep(&rest, "|"))) {
		memset(&s->kp, 0, sizeof(s->kp));
		s->kp.symbol_name = name;
		s->kp.pre_handler = s->hook->handler;
		s->kp.flags = flags;
		err = register_kprobe(&s->kp);
	}
	/* it is registered by address now; the name was ours */
	s->kp.symbol_name = NULL;
	kfree(names);
	return err;
}

/*
 * Ask where a function is: a kprobe that is there for a moment, and never armed,
 * which spares changing the kernel's code.
 */
static int learn_address(struct state *s)
{
	struct iob_code code;
	int err = kprobe_first(s, KPROBE_FLAG_DISABLED);

	if (err)
		return err;
	err = iob_code_of((unsigned long)s->kp.addr, &code) ? 0 : -ENOENT;
	unregister_kprobe(&s->kp);
	if (!err && s->hook->end)
		iob_end_mark(s->hook->end, code.start);
	else if (!err)
		s->hook->found(code.start);
	return err;
}

static int attach_one(struct state *s)
{
	switch (s->hook->kind) {
	case IOB_HOOK_TRACEPOINT:
		if (!s->tp)
			return -ENOENT;
		return tracepoint_probe_register(s->tp, s->hook->probe, NULL);
	case IOB_HOOK_KPROBE:
		return kprobe_first(s, 0);
	default:
		return learn_address(s);
	}
}

static void detach_one(struct state *s)
{
	if (!s->attached)
		return;
	if (s->hook->kind == IOB_HOOK_TRACEPOINT)
		tracepoint_probe_unregister(s->tp, s->hook->probe, NULL);
	else if (s->hook->kind == IOB_HOOK_KPROBE)
		unregister_kprobe(&s->kp);
	else if (s->hook->end)
		iob_end_unmark(s->hook->end);
	s->attached = false;
}

static void detach_phase(enum iob_hook_phase phase)
{
	struct kprobe *kps[MAX_HOOKS];
	unsigned int i, nr = 0;

	mutex_lock(&hooks_mutex);
	phase_on[phase] = false;
	/* all at once: each call waits for a grace period */
	for (i = nr_states; i--;) {
		if (states[i].hook->phase != phase || !states[i].attached ||
		    states[i].hook->kind != IOB_HOOK_KPROBE)
			continue;
		kps[nr++] = &states[i].kp;
		states[i].attached = false;
	}
	if (nr)
		unregister_kprobes(kps, nr);
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
	int err = 0;

	mutex_lock(&hooks_mutex);
	phase_on[phase] = true;
	for (i = 0; i < nr_states && !err; i++) {
		struct state *s = &states[i];

		if (s->hook->phase != phase)
			continue;
		s->err = attach_one(s);
		s->attached = !s->err;
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

/*
 * A module with hooks of ours has come, or is going.  Kprobes in one that goes
 * are dead before it is freed, but only we know that we are to let go of them.
 */
static int module_event(struct notifier_block *nb, unsigned long event,
			void *data)
{
	const struct module *mod = data;
	unsigned int i;

	/* before the first of its code has run, and after the last */
	if (event == MODULE_STATE_COMING || event == MODULE_STATE_GOING)
		iob_stack_forget();
	if (event != MODULE_STATE_LIVE && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	mutex_lock(&hooks_mutex);
	for (i = 0; i < nr_states; i++) {
		struct state *s = &states[i];

		if (!s->hook->module || strcmp(s->hook->module, mod->name))
			continue;
		if (event == MODULE_STATE_GOING) {
			detach_one(s);
			s->err = -ENOENT;
		} else if (phase_on[s->hook->phase] && !s->attached) {
			s->err = attach_one(s);
			s->attached = !s->err;
		}
	}
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

	if (!err)
		err = attach_phase(IOB_HOOK_LOADED);
	if (!err) {
		err = register_module_notifier(&module_notifier);
		if (err)
			detach_phase(IOB_HOOK_LOADED);
	}
	if (err) {
		iob_stack_show_all();
		iob_intent_unmark();
		iob_ends_unmark();
	}
	return err;
}

/* Module unload: no session runs. */
void iob_hooks_exit(void)
{
	unregister_module_notifier(&module_notifier);
	detach_phase(IOB_HOOK_LOADED);
}

/*
 * Whether a module is loaded, which is asked by a symbol that each has: where it
 * is no kprobe can be, but the error is another one than for no such symbol.
 */
static bool module_loaded(const char *name)
{
	char symbol[MODULE_NAME_LEN + sizeof(":__this_module")];
	struct kprobe kp = { .symbol_name = symbol };
	int err;

	scnprintf(symbol, sizeof(symbol), "%s:__this_module", name);
	err = register_kprobe(&kp);
	if (!err)
		unregister_kprobe(&kp);
	return err != -ENOENT;
}

/* One line a hook for `status`.  May sleep. */
void iob_hooks_show(struct seq_file *m)
{
	static const char *const kinds[] = {
		[IOB_HOOK_TRACEPOINT] = "tracepoint",
		[IOB_HOOK_KPROBE] = "kprobe",
		[IOB_HOOK_ADDRESS] = "symbol",
	};
	unsigned int i;

	mutex_lock(&hooks_mutex);
	for (i = 0; i < nr_states; i++) {
		const struct state *s = &states[i];

		seq_printf(m, "hook %s %s ", kinds[s->hook->kind],
			   s->hook->name);
		if (s->err == -ENOENT && s->hook->module &&
		    !module_loaded(s->hook->module))
			seq_printf(m, "waiting for %s error=%d\n",
				   s->hook->module, s->err);
		else if (s->err)
			seq_printf(m, "missing error=%d lost: %s\n", s->err,
				   s->hook->lost);
		else if (s->kp.nmissed)
			seq_printf(m, "attached missed=%lu\n", s->kp.nmissed);
		else
			seq_puts(m, s->attached ? "attached\n" : "ready\n");
	}
	mutex_unlock(&hooks_mutex);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The table has the state of every hook of every provider.  The hooks of a phase are attached
 * in the order of the table and detached in the opposite one, a session's tracepoints before its
 * functions.  A failure of a needed hook, or of any for want of memory, detaches those that are
 * attached already.
 *
 * Each phase takes three steps: look up the functions, arm them in one pass of ftrace, switch
 * on hook by hook.  Example: block_bio_complete stands before block_bio_queue, so it is
 * attached first and detached last: if a bio's queueing is seen, its completion is seen, too.
 * A hook in a module that is not loaded waits: its function is looked up when the module
 * comes.
 *
 * No probe runs when a phase is detached.  tracepoint_synchronize_unregister() waits for
 * probes of tracepoints, which run under RCU up to 6.19 and under SRCU from 7.0 on.
 * iob_entries_end() and unregister_kprobe() wait for handlers of functions.  All probes run
 * with preemption off, so synchronize_rcu() waits for what they pass to RCU readers of ours.
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/workqueue.h>

#include "blame/bio_kind.h"
#include "blame/provider.h"
#include "core/code.h"
#include "core/layout.h"
#include "core/mark.h"
#include "stack/cache.h"
#include "stack/walk.h"
#include "hook.h"
#include "locate.h"
#include "table.h"

#define MAX_HOOKS	176

struct hook_state;

/* What was looked up in a module when it came, until a holder of hooks_mutex takes it over. */
struct hook_found {
	struct hook_state *of;
	struct iob_entry entry;
	int err;
};

/* The state of one hook.  H: hooks_mutex. */
struct hook_state {
	const struct iob_hook *hook;
	struct tracepoint *tp;
	struct iob_entry entry;	/* of a function; the address of a symbol */
	struct hook_found *found;	/* by xchg(), not H; NULL: nothing to take over */
	unsigned long published;	/* the function that ends bios of .bio_kind, or 0 */
	bool looked;		/* the function was looked up */
	bool attached;
	int err;
};

static struct hook_state hook_states[MAX_HOOKS];	/* H; in the order of attaching */
static unsigned int nr_hooks;		/* constant after module load */
static bool hook_phase_on[2];		/* H; by enum iob_hook_phase */
/*
 * H: taken by the switch, which waits for grace periods, by readers of `status`, and when a
 * module goes in which there are hooks.  No module that comes waits for it.
 */
static DEFINE_MUTEX(hooks_mutex);

static bool hook_is_of(const struct hook_state *s, const struct module *mod)
{
	return s->hook->module && !strcmp(s->hook->module, mod->name);
}

/* There was no memory for the look-up: hooks_find_functions() tries again. */
static struct hook_found hook_found_later = { .err = -ENOMEM };

static void hook_leave_found(struct hook_state *s, struct hook_found *found)
{
	found = xchg(&s->found, found);
	if (found != &hook_found_later)
		kfree(found);
}

/*
 * Look up the functions in a module that comes.  Registering a kprobe holds its module for a
 * moment, in which an rmmod is refused: here whoever loads the module holds it still.  May sleep.
 * Return: whether there are hooks in it.
 */
static noinline_for_stack bool hooks_look_up_in(const struct module *mod)
{
	struct kprobe *kps[MAX_HOOKS];
	struct hook_found *found;
	unsigned int i, nr = 0;
	bool any = false;

	for (i = 0; i < nr_hooks; i++) {
		struct hook_state *s = &hook_states[i];

		if (s->hook->kind == IOB_HOOK_TRACEPOINT || !hook_is_of(s, mod))
			continue;
		any = true;
		found = kzalloc(sizeof(*found), GFP_KERNEL);
		if (!found) {
			hook_leave_found(s, &hook_found_later);
			continue;
		}
		found->of = s;
		found->err = iob_hook_function(s->hook, &found->entry);
		if (!found->err)
			kps[nr++] = &found->entry.kp;
		else
			hook_leave_found(s, found);
	}
	/* all at once: each call waits for a grace period */
	if (nr)
		unregister_kprobes(kps, nr);
	for (i = 0; i < nr; i++) {
		found = container_of(kps[i], struct hook_found, entry.kp);
		hook_leave_found(found->of, found);
	}
	return any;
}

/*
 * True if the module of the hook is there, or it needs none.  What was looked up when the module
 * came is taken over.  The module is asked for first: its layouts are known after it was looked up.
 */
static bool hook_take_over(struct hook_state *s)
{
	struct hook_found *found;

	if (iob_hook_module_absent(s->hook))
		return false;
	found = xchg(&s->found, NULL);
	/* (a module without layouts may have been looked up while it came) */
	if (found && !s->entry.addr) {
		s->err = found->err;
		s->looked = s->err != -ENOMEM;
		if (!s->err)
			s->entry = found->entry;
	}
	if (found != &hook_found_later)
		kfree(found);
	return true;
}

/*
 * A look-up takes a while on some kernels, so each function is looked up once, and
 * again when its module comes anew.
 */
static void hooks_find_functions(enum iob_hook_phase phase)
{
	struct kprobe *kps[MAX_HOOKS];
	unsigned int i, nr = 0;

	for (i = 0; i < nr_hooks; i++) {
		struct hook_state *s = &hook_states[i];
		bool there;

		if (s->hook->kind == IOB_HOOK_TRACEPOINT || s->hook->phase != phase)
			continue;
		there = hook_take_over(s);
		if (s->looked)
			continue;
		/* hooks_module_came() looks it up */
		if (!there) {
			s->err = -ENOENT;
			continue;
		}
		s->err = iob_hook_function(s->hook, &s->entry);
		s->looked = s->err != -ENOMEM;
		if (!s->err)
			kps[nr++] = &s->entry.kp;
	}
	/* all at once: each call waits for a grace period */
	if (nr)
		unregister_kprobes(kps, nr);
}

static int hook_publish_address(struct hook_state *s)
{
	struct iob_code code;

	if (!iob_code_of(s->entry.addr, &code))
		return -ENOENT;
	if (s->hook->bio_kind) {
		iob_bio_kind_mark(s->hook->bio_kind, code.start);
		s->published = code.start;
	} else {
		s->hook->found(code.start);
	}
	return 0;
}

/* True if the kernel has the function of the hook of that name. */
static bool hook_is_there(const char *name)
{
	unsigned int i;

	for (i = 0; name && i < nr_hooks; i++) {
		const struct hook_state *s = &hook_states[i];

		if (!strcmp(s->hook->name, name))
			return s->entry.addr && !s->err;
	}
	return false;
}

/* True if another hook serves instead. */
static bool hook_is_spare(const struct hook_state *s)
{
	return hook_is_there(s->hook->spare_for);
}

static void hooks_arm_these(enum iob_hook_phase phase, bool spares)
{
	unsigned int i;

	for (i = 0; i < nr_hooks; i++) {
		struct hook_state *s = &hook_states[i];

		if (s->hook->kind == IOB_HOOK_FUNCTION && !s->hook->spare_for == !spares &&
		    s->hook->phase == phase && s->entry.addr &&
		    !s->entry.armed && !hook_is_spare(s))
			s->err = iob_entry_arm(&s->entry);
	}
}

/* Arm the functions of a phase at once, which may take a while.  No handler runs yet. */
static int hooks_arm(enum iob_hook_phase phase)
{
	hooks_arm_these(phase, false);
	/* those that could not be armed may have a spare */
	hooks_arm_these(phase, true);
	return iob_entries_begin();
}

/* After hooks_find_functions() and hooks_arm(). */
static void hook_attach(struct hook_state *s)
{
	if ((s->hook->wanted && !s->hook->wanted()) || hook_is_spare(s)) {
		s->err = 0;
		return;
	}
	if (s->hook->kind == IOB_HOOK_TRACEPOINT)
		s->err = s->tp ? tracepoint_probe_register(s->tp, s->hook->probe, NULL) : -ENOENT;
	else if (s->hook->kind == IOB_HOOK_FUNCTION && s->entry.armed)
		iob_entry_on(&s->entry);
	else if (s->hook->kind == IOB_HOOK_ADDRESS && s->entry.addr)
		s->err = hook_publish_address(s);
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
		/* (its kind may have functions of others, too) */
		iob_bio_kind_unmark(s->published);
	else if (s->hook->found)
		s->hook->found(0);
	s->attached = false;
}

/*
 * Tracepoints go first: their probes believe, and follow, what the handlers of functions have noted
 * of a task's calls, which holds only as long as each call is seen.  To end functions takes
 * ftrace a tenth of a second or more, in which the handlers are off.
 */
static void hooks_detach_tracepoints(enum iob_hook_phase phase)
{
	unsigned int i;

	for (i = nr_hooks; i--;) {
		if (hook_states[i].hook->phase == phase &&
		    hook_states[i].hook->kind == IOB_HOOK_TRACEPOINT)
			hook_detach(&hook_states[i]);
	}
	/* none of their probes runs any more */
	tracepoint_synchronize_unregister();
}

static void hooks_detach_phase(enum iob_hook_phase phase)
{
	unsigned int i;

	mutex_lock(&hooks_mutex);
	hook_phase_on[phase] = false;
	if (phase == IOB_HOOK_ENABLED) {
		hooks_detach_tracepoints(phase);
		/* all at once: ftrace waits for all tasks each time */
		for (i = nr_hooks; i--;)
			iob_entry_off(&hook_states[i].entry);
		iob_entries_end();
	}
	for (i = nr_hooks; i--;) {
		if (hook_states[i].hook->phase == phase)
			hook_detach(&hook_states[i]);
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
	hook_phase_on[phase] = true;
	hooks_find_functions(phase);
	err = hooks_arm(phase);
	for (i = 0; i < nr_hooks && !err; i++) {
		struct hook_state *s = &hook_states[i];

		if (s->hook->phase != phase)
			continue;
		hook_attach(s);
		/* one without memory may be had the next time: no session with a gap until then */
		if (s->err && (s->hook->needed || s->err == -ENOMEM)) {
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

/* Modules are there: attach to their functions. */
static void hooks_modules_came(void)
{
	unsigned int phase, i;

	for (i = 0; i < nr_hooks; i++)
		hook_take_over(&hook_states[i]);
	for (phase = 0; phase < ARRAY_SIZE(hook_phase_on); phase++) {
		if (!hook_phase_on[phase])
			continue;
		hooks_find_functions(phase);
		hooks_arm(phase);
		for (i = 0; i < nr_hooks; i++) {
			struct hook_state *s = &hook_states[i];

			if (s->hook->phase != phase || s->attached)
				continue;
			/* (one of the kernel that could not be armed before may be now) */
			if (s->entry.armed ||
			    (s->hook->module && (s->entry.addr || hook_is_spare(s))))
				hook_attach(s);
		}
	}
}

static void hooks_came_late(struct work_struct *work)
{
	mutex_lock(&hooks_mutex);
	hooks_modules_came();
	mutex_unlock(&hooks_mutex);
}

static DECLARE_WORK(hooks_came_work, hooks_came_late);

/*
 * A module has come.  Its hooks are attached at once, so that its first IO is followed; but
 * if ioblame is just being enabled or disabled, that is left to a worker.
 */
static void hooks_module_came(const struct module *mod)
{
	/* before its layouts are: until then nobody takes over what is found, or looks himself */
	bool any = hooks_look_up_in(mod);

	iob_layouts_module_came(mod);
	if (!any)
		return;
	if (mutex_trylock(&hooks_mutex)) {
		hooks_modules_came();
		mutex_unlock(&hooks_mutex);
	} else {
		schedule_work(&hooks_came_work);
	}
}

/* Forget the addresses in a module, before another function is there. */
static void hooks_module_goes(const struct module *mod)
{
	bool any = false;
	unsigned int i;

	/* iob_hook_function() accepts no address in other modules */
	for (i = 0; i < nr_hooks && !any; i++)
		any = hook_is_of(&hook_states[i], mod);
	if (!any)
		return;
	any = false;
	mutex_lock(&hooks_mutex);
	for (i = 0; i < nr_hooks; i++) {
		struct hook_state *s = &hook_states[i];

		if (!hook_is_of(s, mod))
			continue;
		hook_leave_found(s, NULL);
		if (s->entry.addr && within_module(s->entry.addr, mod)) {
			hook_detach(s);
			s->entry.addr = 0;
			s->err = -ENOENT;
			any = true;
		}
		s->looked = s->entry.addr;
	}
	mutex_unlock(&hooks_mutex);
	if (any)
		synchronize_rcu();
}

/*
 * ftrace and kprobes cope with modules that come and go.  The addresses kept here do not:
 * another function may be there afterwards.
 */
static int hooks_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	/* before the module's first code runs, and after its last */
	if (event == MODULE_STATE_COMING || event == MODULE_STATE_GOING)
		iob_stack_forget();
	if (event == MODULE_STATE_LIVE) {
		hooks_module_came(data);
	} else if (event == MODULE_STATE_GOING) {
		iob_layouts_module_goes(data);
		hooks_module_goes(data);
	}
	return NOTIFY_OK;
}

static struct notifier_block hooks_module_notifier = {
	.notifier_call = hooks_module_event,
};

/**
 * iob_hooks_check - see whether iob_hooks_attach() would be refused
 *
 * It is asked while the session before can still be read.  May sleep.  Return: 0, and attaching
 * may fail all the same; or -EBUSY while ftrace is switched off.
 */
int iob_hooks_check(void)
{
	bool any = false;
	unsigned int i;

	mutex_lock(&hooks_mutex);
	hooks_find_functions(IOB_HOOK_ENABLED);
	for (i = 0; i < nr_hooks && !any; i++)
		any = hook_states[i].hook->phase == IOB_HOOK_ENABLED &&
		      iob_entry_wants_ftrace(&hook_states[i].entry);
	mutex_unlock(&hooks_mutex);
	return any ? iob_entries_check() : 0;
}

/**
 * iob_hooks_attach - attach the hooks of a session
 *
 * May sleep.  Return: 0, or the error of a needed hook; no hook is attached then.
 */
int iob_hooks_attach(void)
{
	return hooks_attach_phase(IOB_HOOK_ENABLED);
}

/* Detach the hooks of a session.  May sleep.  None of its probes runs when this returns. */
void iob_hooks_detach(void)
{
	hooks_detach_phase(IOB_HOOK_ENABLED);
}

/**
 * iob_hooks_renew - what hooks are wanted for may have changed
 *
 * Attaches and detaches those of a session that are not always wanted.  May sleep.  A probe
 * that is detached may still run when this returns.
 */
void iob_hooks_renew(void)
{
	unsigned int i;

	mutex_lock(&hooks_mutex);
	for (i = 0; i < nr_hooks; i++) {
		struct hook_state *s = &hook_states[i];

		if (!s->hook->wanted || !hook_phase_on[s->hook->phase] ||
		    s->attached == s->hook->wanted())
			continue;
		if (s->attached)
			hook_detach(s);
		else
			hook_attach(s);
	}
	mutex_unlock(&hooks_mutex);
}

/* Find the tracepoint of a hook, which must be one if the hook is needed. */
static int hook_find_tracepoint(struct hook_state *s)
{
	s->tp = iob_hook_tracepoint(s->hook);
	if (s->tp) {
		iob_stack_hide((unsigned long)s->tp->iterator);
		return 0;
	}
	s->err = -ENOENT;
	if (!s->hook->needed)
		return 0;
	pr_err("this kernel has no tracepoint %s, which is needed\n", s->hook->name);
	return -ENOENT;
}

static int hooks_table_add(const struct iob_hook_list *list)
{
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (WARN_ON(nr_hooks == MAX_HOOKS))
			return -E2BIG;
		hook_states[nr_hooks++].hook = &list->hook[i];
	}
	return 0;
}

static int hooks_table_fill(void)
{
	const struct iob_provider **p;
	unsigned int i;
	int err = 0;

	iob_for_each_provider(p, &iob_providers) {
		if ((*p)->hooks)
			err = hooks_table_add((*p)->hooks);
		if (err)
			return err;
	}
	for (i = 0; i < nr_hooks && !err; i++) {
		if (hook_states[i].hook->kind == IOB_HOOK_TRACEPOINT)
			err = hook_find_tracepoint(&hook_states[i]);
	}
	return err;
}

/* No module is seen any more.  May sleep. */
static void hooks_leave_modules(void)
{
	unsigned int i;

	unregister_module_notifier(&hooks_module_notifier);
	cancel_work_sync(&hooks_came_work);
	for (i = 0; i < nr_hooks; i++)
		hook_leave_found(&hook_states[i], NULL);
}

/**
 * iob_hooks_init - fill the table and attach the hooks that stay while the module is there
 *
 * May sleep.  Return: 0, -ENOENT if the kernel lacks a needed hook, or the error of
 * attaching to one; the kernel's log names the hook.
 */
int iob_hooks_init(void)
{
	int err = hooks_table_fill();

	/* before the look-up: no module comes unseen after it */
	if (!err)
		err = register_module_notifier(&hooks_module_notifier);
	if (!err) {
		iob_layouts_init();
		err = hooks_attach_phase(IOB_HOOK_LOADED);
		if (err)
			hooks_leave_modules();
	}
	if (err) {
		iob_entries_exit();
		iob_stack_unhide_all();
		iob_marks_clear();
		iob_bio_kinds_unmark();
	}
	return err;
}

/* Detach the remaining hooks at module unload.  No session runs.  May sleep. */
void iob_hooks_exit(void)
{
	hooks_leave_modules();
	hooks_detach_phase(IOB_HOOK_LOADED);
	iob_entries_exit();
}

/*
 * True if the hook's module is away.  A spare one that the kernel does not have is no error while
 * the other serves; without the module it waits as the other does.
 */
static bool hook_waits(const struct hook_state *s)
{
	return (s->err == -ENOENT || (s->hook->spare_for && !s->entry.addr)) &&
	       iob_hook_module_absent(s->hook);
}

/* Show one line for each hook in `status`.  May sleep. */
void iob_hooks_show(struct seq_file *m)
{
	static const char *const kinds[] = {
		[IOB_HOOK_TRACEPOINT] = "tracepoint",
		[IOB_HOOK_FUNCTION] = "function",
		[IOB_HOOK_ADDRESS] = "symbol",
	};
	unsigned int i;

	mutex_lock(&hooks_mutex);
	for (i = 0; i < nr_hooks; i++) {
		const struct hook_state *s = &hook_states[i];

		seq_printf(m, "hook %s %s ", kinds[s->hook->kind],
			   s->hook->name);
		if (hook_waits(s))
			seq_printf(m, "waiting for %s error=%d\n",
				   s->hook->module, -ENOENT);
		else if (s->err && hook_is_there(s->hook->instead))
			seq_printf(m, "replaced by %s\n", s->hook->instead);
		else if (s->err)
			seq_printf(m, "missing error=%d lost: %s\n", s->err,
				   s->hook->impact);
		else if (hook_is_spare(s))
			seq_printf(m, "spare for %s\n", s->hook->spare_for);
		else if (s->entry.armed && s->entry.by_kprobe)
			seq_printf(m, "attached by kprobe missed=%lu\n",
				   s->entry.kp.nmissed);
		else
			seq_puts(m, s->attached ? "attached\n" : "ready\n");
	}
	mutex_unlock(&hooks_mutex);
}

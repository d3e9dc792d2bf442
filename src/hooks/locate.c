// SPDX-License-Identifier: GPL-2.0
/*
 * A hook has the names that its tracepoint or function has in different releases, such as
 * "__folio_cancel_dirty|__cancel_dirty_page": 6.1 has the first, 5.10 the second one.  The
 * kernel exports no look-up of functions, but kprobes find them: a kprobe is registered
 * disabled, gives the address, and is unregistered.  It never changes the kernel's code.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "core/code.h"
#include "core/layout.h"
#include "core/name_list.h"
#include "hook.h"
#include "locate.h"

static char *without;
module_param(without, charp, 0400);
MODULE_PARM_DESC(without, "functions and tracepoints that are taken for absent, for tests: a|b");

static char *unprobed;
module_param(unprobed, charp, 0400);
MODULE_PARM_DESC(unprobed, "functions that kprobes are taken to refuse, for tests: a|b");

static char *inlined;
module_param(inlined, charp, 0400);
MODULE_PARM_DESC(inlined, "functions that are taken for inlined in a caller, for tests: a|b");

/* What for_each_kernel_tracepoint() hands to its callback. */
struct tracepoint_search {
	const char *names;
	const char *place;		/* in names, of what was found */
	struct tracepoint *found;
};

static bool is_taken_for_absent(const char *name)
{
	return iob_name_listed(without, name);
}

static void tracepoint_match(struct tracepoint *tp, void *data)
{
	struct tracepoint_search *search = data;
	const char *place = iob_name_place(search->names, tp->name);

	if (!place || is_taken_for_absent(tp->name))
		return;
	if (!search->found || place < search->place) {
		search->found = tp;
		search->place = place;
	}
}

/* The tracepoint of a hook, the first of its names that exists; or NULL.  May sleep. */
struct tracepoint *iob_hook_tracepoint(const struct iob_hook *hook)
{
	struct tracepoint_search search = { .names = hook->name };

	for_each_kernel_tracepoint(tracepoint_match, &search);
	return search.found;
}

/*
 * True if the hook is in a module that is not loaded, but may come, or that comes at this moment:
 * no hook in it is attached before its layouts are looked up.  May sleep.
 */
bool iob_hook_module_absent(const struct iob_hook *hook)
{
	struct kobject *kobj;

	/* /sys/module need not show what is built in */
	if (!hook->module || hook->builtin)
		return false;
	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, hook->module);
	if (!kobj)
		return true;
	kobject_put(kobj);
	return !iob_layouts_known(hook->module);
}

/* Register @kp, disabled, at the function @name.  May sleep. */
static int kprobe_register_at(struct kprobe *kp, const char *name)
{
	int err;

	memset(kp, 0, sizeof(*kp));
	if (is_taken_for_absent(name))
		return -ENOENT;
	kp->symbol_name = name;
	kp->flags = KPROBE_FLAG_DISABLED;
	err = register_kprobe(kp);
	/* the kprobe has its address now, and the name may go */
	kp->symbol_name = NULL;
	return err;
}

/*
 * Look for a call of @name, which is at @addr, in the first of the functions @alternatives that
 * exists.  Return: 0, -ENOENT if there is none, or -ENOMEM.
 */
static int function_find_call(const char *alternatives, const char *name, void *addr)
{
	char *names, *rest, *caller;
	struct kprobe kp;
	int err = -ENOENT;

	names = kstrdup(alternatives, GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	rest = names;
	while (err && err != -ENOMEM && (caller = strsep(&rest, "|")))
		err = kprobe_register_at(&kp, caller);
	kfree(names);
	if (err)
		return err;
	if (iob_name_listed(inlined, name) ||
	    !iob_code_calls((unsigned long)kp.addr, (unsigned long)addr))
		err = -ENOENT;
	unregister_kprobe(&kp);
	return err;
}

/*
 * A function's name in this kernel: what is built in has no module.
 *
 * Example: "driver:copied" is "copied" where the driver is built in.
 */
static const char *name_here(const struct iob_hook *hook, const char *name)
{
	const char *colon = hook->builtin && hook->sole ? strchr(name, ':') : NULL;

	return colon ? colon + 1 : name;
}

/* Register @e->kp, disabled, at the first of the hook's names that exists and may be used. */
static int kprobe_register_any(struct iob_entry *e, const struct iob_hook *hook)
{
	const char *callers = hook->called_in;
	char *names, *rest, *name;
	int err = -ENOENT;

	names = kstrdup(hook->name, GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	rest = names;
	/* without memory it is not known whether the name exists: another must not serve */
	while (err && err != -ENOMEM && (name = strsep(&rest, "|"))) {
		err = kprobe_register_at(&e->kp, name_here(hook, name));
		if (!err && callers && !iob_name_listed(callers, name)) {
			err = function_find_call(callers, name, e->kp.addr);
			if (err)
				unregister_kprobe(&e->kp);
		}
		e->unprobed = iob_name_listed(unprobed, name);
	}
	kfree(names);
	return err;
}

/*
 * True if @addr is in the kernel or in the module of the hook.  In another module there may
 * be a function of the same name.
 */
static bool hook_may_be_at(const struct iob_hook *hook, unsigned long addr)
{
	char sym[KSYM_SYMBOL_LEN], *module;
	size_t len;

	/* "func+0x0/0x200 [module]" */
	sprint_symbol(sym, addr);
	module = strchr(sym, '[');
	if (!module)
		return true;
	len = hook->module ? strlen(hook->module) : 0;
	return len && !strncmp(module + 1, hook->module, len) && module[len + 1] == ']';
}

/**
 * iob_hook_function - find the function of a hook
 * @hook: the hook
 * @e:    gets the address, and whether ftrace can attach there
 *
 * May sleep.  On success @e->kp is registered: the caller must unregister it before
 * iob_entry_arm().  Callers do so for all entries at once, as each call waits for a grace
 * period.  Return: 0, -ENOENT if the function does not exist, -ENOMEM, or the kprobe's error.
 */
int iob_hook_function(const struct iob_hook *hook, struct iob_entry *e)
{
	int err = kprobe_register_any(e, hook);

	if (err)
		return err;
	if (!hook_may_be_at(hook, (unsigned long)e->kp.addr)) {
		unregister_kprobe(&e->kp);
		return -ENOENT;
	}
	e->addr = (unsigned long)e->kp.addr;
	e->ftraced = iob_entry_traceable(&e->kp);
	e->fn = hook->entered;
	e->own_ops = hook->own_ops;
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The BTF of the kernel and of a module are read, asked and thrown away again: 6 MB that are
 * needed once, and again for each module that comes.
 *
 * The parameters are for tests: btf=0 is a kernel without BTF, displaced=a|b.c one whose struct
 * a has a member more in front than include/compat says, and b one before its member c.
 */
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <compat/read_file.h>

#include "btf.h"
#include "layout.h"
#include "name_list.h"
#include "stats.h"

static bool btf = true;
module_param(btf, bool, 0400);
MODULE_PARM_DESC(btf, "read layouts of private structs from the kernel's BTF; 0 is for tests");

static char *displaced;
module_param(displaced, charp, 0400);
MODULE_PARM_DESC(displaced, "structs, or members, that are compiled wrongly, for tests: a|b.c");

#define MAX_LAYOUTS	24

/* the member that is put in front, for tests */
#define DISPLACED_BY	8

static struct iob_layout *layouts[MAX_LAYOUTS];	/* constant after module load */
static unsigned int nr_layouts;
static DEFINE_MUTEX(layouts_mutex);	/* for changing them */

/* BTF as it was read. */
struct layout_btf {
	struct iob_btf b;
	void *data;
	u32 *index;
};

static void layout_btf_close(struct layout_btf *f)
{
	vfree(f->data);
	kvfree(f->index);
	f->data = NULL;
	f->index = NULL;
}

/* Read the BTF of the kernel, or of a module.  Return: 0 or a negative errno. */
static int layout_btf_open(struct layout_btf *f, const char *name, const struct iob_btf *base)
{
	char path[80];
	size_t size;
	int err;

	memset(f, 0, sizeof(*f));
	if (!btf)
		return -ENOENT;
	snprintf(path, sizeof(path), "/sys/kernel/btf/%s", name);
	err = iob_read_file(path, &f->data, &size);
	if (!err)
		err = iob_btf_open(&f->b, f->data, size, base);
	if (!err) {
		f->index = kvmalloc_array(f->b.nr + 1, sizeof(u32), GFP_KERNEL);
		err = f->index ? 0 : -ENOMEM;
	}
	if (err)
		layout_btf_close(f);
	else
		iob_btf_index(&f->b, f->index);
	return err;
}

/* True if the struct is in a module that is not loaded.  May sleep. */
static bool layout_module_absent(const struct iob_layout *l)
{
	struct kobject *kobj;

	if (!l->module || l->builtin)
		return false;
	kobj = kset_find_obj(THIS_MODULE->mkobj.kobj.kset, l->module);
	if (!kobj)
		return true;
	kobject_put(kobj);
	return false;
}

/* By how much a member is taken to be elsewhere than it is, for tests. */
static unsigned int layout_displaced(const struct iob_layout *l, unsigned int nr)
{
	const char *member = l->member[nr].name;
	char name[64];

	snprintf(name, sizeof(name), "%s.%.*s", l->type, (int)strcspn(member, "|"), member);
	return iob_name_listed(displaced, l->type) || iob_name_listed(displaced, name) ?
	       DISPLACED_BY : 0;
}

/* As include/compat has it, and nothing is known. */
static void layout_reset(struct iob_layout *l, int err)
{
	unsigned int i;

	WRITE_ONCE(l->held, false);
	WRITE_ONCE(l->failed, false);
	WRITE_ONCE(l->btf, IOB_LAYOUT_NO_BTF);
	/* pairs with iob_layout_is_sure(): who still sees these believes the offsets */
	smp_wmb();
	for (i = 0; i < l->nr; i++)
		WRITE_ONCE(l->at[i], l->member[i].offset + layout_displaced(l, i));
	l->err = err;
	l->bad = 0;
}

/* Whether an answer can be used: a member of the size that is read, where a u16 reaches. */
static bool layout_agrees(const struct iob_layout_member *m, const struct iob_btf_ask *a)
{
	return a->answer == IOB_BTF_FOUND && a->offset <= U16_MAX &&
	       (!m->size || a->size == m->size) && a->of <= U16_MAX;
}

static void layout_take(struct iob_layout *l, const struct iob_btf_ask *ask)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++) {
		if (layout_agrees(&l->member[i], &ask[i]))
			continue;
		l->bad = i;
		WRITE_ONCE(l->btf, IOB_LAYOUT_BTF_DIFFERS);
		return;
	}
	for (i = 0; i < l->nr; i++)
		WRITE_ONCE(l->at[i], ask[i].offset);
	WRITE_ONCE(l->of, ask[0].of);
	/* pairs with iob_layout_is_sure() */
	smp_store_release(&l->btf, IOB_LAYOUT_BTF_AGREES);
}

/* Ask the BTF of the layout's module, then the kernel's. */
static void layout_ask(struct iob_layout *l, const struct iob_btf *kernel)
{
	struct iob_btf_ask ask[IOB_LAYOUT_MEMBERS] = { };
	struct layout_btf f = { };
	unsigned int i;
	int err = 0;

	for (i = 0; i < l->nr; i++) {
		ask[i].type = l->type;
		ask[i].member = l->member[i].name;
	}
	if (l->module && !l->builtin) {
		err = layout_btf_open(&f, l->module, kernel);
		layout_reset(l, err);
		if (err)
			return;
		iob_btf_ask(&f.b, ask, l->nr);
		layout_btf_close(&f);
	} else {
		layout_reset(l, 0);
	}
	/* a struct that the kernel has, too, is not described anew */
	for (i = 0; i < l->nr && ask[i].answer == IOB_BTF_UNKNOWN; i++)
		;
	if (i == l->nr)
		iob_btf_ask(kernel, ask, l->nr);
	layout_take(l, ask);
}

/* Look up the layouts of a module; NULL: of all. */
static void layouts_look_up(const char *module)
{
	struct layout_btf kernel;
	unsigned int i;
	int err;

	mutex_lock(&layouts_mutex);
	err = layout_btf_open(&kernel, "vmlinux", NULL);
	for (i = 0; i < nr_layouts; i++) {
		struct iob_layout *l = layouts[i];

		if (module && (!l->module || strcmp(l->module, module)))
			continue;
		if (l->by_use_only)
			layout_reset(l, 0);
		else if (err || layout_module_absent(l))
			layout_reset(l, err);
		else
			layout_ask(l, &kernel.b);
		WRITE_ONCE(l->looked, !layout_module_absent(l));
	}
	if (!err)
		layout_btf_close(&kernel);
	mutex_unlock(&layouts_mutex);
}

/**
 * iob_layout_add - a private struct is going to be read
 * @l: its layout
 *
 * At module load.  Return: 0 or -E2BIG.
 */
int iob_layout_add(struct iob_layout *l)
{
	if (WARN_ON(nr_layouts == MAX_LAYOUTS || l->nr > IOB_LAYOUT_MEMBERS))
		return -E2BIG;
	layouts[nr_layouts++] = l;
	return 0;
}

/* Look up all layouts, at module load: before any hook is attached.  May sleep. */
void iob_layouts_init(void)
{
	layouts_look_up(NULL);
}

/**
 * iob_layouts_module_came - look up the layouts of a module
 * @mod: the module, which is live; no hook in it is attached yet
 *
 * May sleep: from a module notifier.
 */
void iob_layouts_module_came(const struct module *mod)
{
	unsigned int i;

	for (i = 0; i < nr_layouts; i++) {
		if (layouts[i]->module && !strcmp(layouts[i]->module, mod->name)) {
			layouts_look_up(mod->name);
			return;
		}
	}
}

/**
 * iob_layouts_module_goes - a module goes: if it comes again, its layouts are looked up again
 * @mod: the module
 *
 * Any context.
 */
void iob_layouts_module_goes(const struct module *mod)
{
	unsigned int i;

	for (i = 0; i < nr_layouts; i++) {
		if (layouts[i]->module && !strcmp(layouts[i]->module, mod->name))
			WRITE_ONCE(layouts[i]->looked, false);
	}
}

/* True if the layouts of a module were looked up since it came.  Any context. */
bool iob_layouts_known(const char *module)
{
	unsigned int i;

	for (i = 0; i < nr_layouts; i++) {
		if (layouts[i]->module && !strcmp(layouts[i]->module, module) &&
		    !READ_ONCE(layouts[i]->looked))
			return false;
	}
	return true;
}

/**
 * iob_layout_tell - what was read by a layout has turned out to be right or wrong
 * @l:     the layout
 * @right: which of the two
 *
 * Any context.  Writes once each: probes of all CPUs tell.  Of a layout that BTF proves
 * nothing is noted.
 */
void iob_layout_tell(struct iob_layout *l, bool right)
{
	bool *what = right ? &l->held : &l->failed;

	if (READ_ONCE(l->btf) != IOB_LAYOUT_NO_BTF)
		return;
	if (!right)
		iob_stat_inc(layout_wrong);
	if (!READ_ONCE(*what))
		WRITE_ONCE(*what, true);
}

/**
 * iob_layout_learn - where a member is has turned out by itself
 * @l:      the layout, which BTF does not prove
 * @nr:     the member
 * @offset: where it is
 *
 * Any context.
 */
void iob_layout_learn(struct iob_layout *l, unsigned int nr, unsigned long offset)
{
	if (READ_ONCE(l->btf) != IOB_LAYOUT_NO_BTF || offset > U16_MAX)
		return;
	if (READ_ONCE(l->at[nr]) != offset)
		WRITE_ONCE(l->at[nr], offset);
	if (READ_ONCE(l->held))
		return;
	/* who sees that it is known, in iob_layout_is_learnt(), sees the offset, too */
	smp_store_release(&l->held, true);
}

static void layout_show_offsets(struct seq_file *m, const struct iob_layout *l)
{
	unsigned int i;

	for (i = 0; i < l->nr; i++)
		seq_printf(m, " %.*s=%u", (int)strcspn(l->member[i].name, "|"),
			   l->member[i].name, READ_ONCE(l->at[i]));
	seq_putc(m, '\n');
}

static void layout_show(struct seq_file *m, const struct iob_layout *l)
{
	seq_printf(m, "layout %s ", l->type);
	if (layout_module_absent(l)) {
		seq_printf(m, "waiting for %s\n", l->module);
	} else if (l->btf == IOB_LAYOUT_BTF_DIFFERS) {
		seq_printf(m, "wrong by=btf member=%s lost: %s\n", l->member[l->bad].name, l->cost);
	} else if (READ_ONCE(l->failed)) {
		/* (even if it was right once: by chance) */
		seq_printf(m, "wrong by=use lost: %s\n", l->cost);
	} else if (l->btf == IOB_LAYOUT_BTF_AGREES || READ_ONCE(l->held)) {
		seq_printf(m, "proved by=%s", l->btf == IOB_LAYOUT_BTF_AGREES ? "btf" : "use");
		layout_show_offsets(m, l);
	} else {
		seq_printf(m, "unproved error=%d at stake: %s\n", l->err, l->cost);
	}
}

/* Show one line for each layout in `status`.  May sleep. */
void iob_layouts_show(struct seq_file *m)
{
	unsigned int i;

	mutex_lock(&layouts_mutex);
	for (i = 0; i < nr_layouts; i++) {
		if (!layouts[i]->by_use_only || READ_ONCE(layouts[i]->held) ||
		    READ_ONCE(layouts[i]->failed))
			layout_show(m, layouts[i]);
	}
	mutex_unlock(&layouts_mutex);
}

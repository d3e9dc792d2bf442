// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel tells of memory that is about to come, before any of its pages is used, and of
 * memory that has gone, after the last of its pages was freed.
 */
#include <linux/gfp.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/mutex.h>
#include <linux/nodemask.h>
#include <linux/notifier.h>
#include <linux/overflow.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/zone.h>

#include "plane.h"

/* leaves that are copied with interrupts off */
#define COPY_LEAVES	512UL

struct iob_plane_dir iob_plane_no_dir;

static DEFINE_MUTEX(planes_mutex);
/* Probes take it, once for each leaf. */
static DEFINE_RAW_SPINLOCK(planes_lock);
static LIST_HEAD(planes);	/* P */

static unsigned long node_memory_end_pfn(int nid)
{
	const struct zone *zone = NODE_DATA(nid)->node_zones;
	unsigned long end = 0;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++) {
		if (!iob_zone_is_device(&zone[i]))
			end = max(end, zone_end_pfn(&zone[i]));
	}
	return end;
}

/*
 * Memory that a device alone maps has no pages that become dirty, and may be at the end of what can
 * be addressed: a GPU's is, for which a directory would take hundreds of MiB, or 8 GiB.
 */
static unsigned long memory_end_pfn(void)
{
	unsigned long end = 0;
	int nid;

	for_each_online_node(nid)
		end = max(end, node_memory_end_pfn(nid));
	return end;
}

/* For page frames below @end.  May sleep.  Return: NULL without memory. */
static struct iob_plane_dir *plane_dir_alloc(const struct iob_plane *p, unsigned long end)
{
	unsigned long nr = (end >> p->bits) + 1;
	struct iob_plane_dir *dir = kvzalloc(struct_size(dir, leaf, nr), GFP_KERNEL);

	if (dir)
		dir->nr = nr;
	return dir;
}

/*
 * P.  The caller frees the directory that was there, after a grace period.
 *
 * A directory is long: 4 MiB for entries of eight bytes and a TiB of memory.  So it is copied in
 * pieces.  A leaf that is made between two pieces goes into both directories.
 */
static struct iob_plane_dir *plane_dir_replace(struct iob_plane *p, struct iob_plane_dir *new)
{
	struct iob_plane_dir *old = rcu_dereference_protected(p->dir,
							      lockdep_is_held(&planes_mutex));
	unsigned long i, nr = min(old->nr, new->nr), flags;

	raw_spin_lock_irqsave(&planes_lock, flags);
	p->next = new;
	raw_spin_unlock_irqrestore(&planes_lock, flags);
	for (i = 0; i < nr; i += COPY_LEAVES) {
		raw_spin_lock_irqsave(&planes_lock, flags);
		memcpy(&new->leaf[i], &old->leaf[i],
		       min(nr - i, COPY_LEAVES) * sizeof(old->leaf[0]));
		raw_spin_unlock_irqrestore(&planes_lock, flags);
	}
	raw_spin_lock_irqsave(&planes_lock, flags);
	rcu_assign_pointer(p->dir, new);
	p->next = NULL;
	raw_spin_unlock_irqrestore(&planes_lock, flags);
	if (p->replaced)
		p->replaced();
	return old;
}

/*
 * Memory up to @end is about to come.  If there is no room for more leaves, its pages have no
 * entry, and who sets one counts that.  P.
 */
static void plane_grow(struct iob_plane *p, unsigned long end)
{
	struct iob_plane_dir *new, *old;

	if (end >> p->bits < iob_plane_leaves(p))
		return;
	new = plane_dir_alloc(p, end);
	if (!new)
		return;
	old = plane_dir_replace(p, new);
	synchronize_rcu();
	kvfree(old);
}

/* Take the leaves away that are about nothing but page frames from @pfn to below @end.  P. */
static void plane_forget(struct iob_plane *p, unsigned long pfn, unsigned long end)
{
	struct iob_plane_dir *dir = rcu_dereference_protected(p->dir,
							      lockdep_is_held(&planes_mutex));
	unsigned long i = (pfn + (1UL << p->bits) - 1) >> p->bits, flags;
	struct page *leaf, *next;
	LIST_HEAD(gone);

	for (; i < min(end >> p->bits, dir->nr); i++) {
		raw_spin_lock_irqsave(&planes_lock, flags);
		if (dir->leaf[i])
			list_add(&virt_to_page(dir->leaf[i])->lru, &gone);
		WRITE_ONCE(dir->leaf[i], NULL);
		raw_spin_unlock_irqrestore(&planes_lock, flags);
	}
	if (list_empty(&gone))
		return;
	/* for those that clear an entry of an earlier page there, or read one */
	synchronize_rcu();
	list_for_each_entry_safe(leaf, next, &gone, lru) {
		list_del(&leaf->lru);
		__free_page(leaf);
		atomic_long_dec(&p->pages);
	}
}

static int planes_memory_event(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct memory_notify *what = data;
	unsigned long end = what->start_pfn + what->nr_pages;
	struct iob_plane *p;

	if (event != MEM_GOING_ONLINE && event != MEM_OFFLINE)
		return NOTIFY_DONE;
	mutex_lock(&planes_mutex);
	list_for_each_entry(p, &planes, link) {
		if (event == MEM_GOING_ONLINE)
			plane_grow(p, end);
		else
			plane_forget(p, what->start_pfn, end);
	}
	mutex_unlock(&planes_mutex);
	return NOTIFY_OK;
}

static struct notifier_block planes_memory_notifier = {
	.notifier_call = planes_memory_event,
};

/**
 * iob_plane_start - make an empty plane
 * @p:           an IOB_PLANE()
 * @entry_shift: log2 of the bytes of an entry
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_plane_start(struct iob_plane *p, unsigned int entry_shift)
{
	struct iob_plane_dir *dir;

	p->bits = PAGE_SHIFT - entry_shift;
	atomic_long_set(&p->pages, 0);
	mutex_lock(&planes_mutex);
	/* memory that comes after this look waits for the mutex */
	dir = plane_dir_alloc(p, memory_end_pfn());
	if (dir) {
		plane_dir_replace(p, dir);
		list_add(&p->link, &planes);
	}
	mutex_unlock(&planes_mutex);
	return dir ? 0 : -ENOMEM;
}

/* Free what a plane has.  No probe may be attached.  May sleep. */
void iob_plane_stop(struct iob_plane *p)
{
	struct iob_plane_dir *dir;
	unsigned long i;

	mutex_lock(&planes_mutex);
	dir = plane_dir_replace(p, &iob_plane_no_dir);
	if (dir != &iob_plane_no_dir)
		list_del(&p->link);
	mutex_unlock(&planes_mutex);
	if (dir == &iob_plane_no_dir)
		return;
	/* for readers of its size */
	synchronize_rcu();
	for (i = 0; i < dir->nr; i++) {
		free_page((unsigned long)dir->leaf[i]);
		cond_resched();
	}
	kvfree(dir);
}

/*
 * The leaf of a page frame, made if there was none; NULL without memory.  Any context, inside
 * iob_read_lock().
 */
void *iob_plane_leaf_make(struct iob_plane *p, unsigned long pfn)
{
	unsigned long i = pfn >> p->bits, flags;
	struct iob_plane_dir *dir;
	void *leaf, *new;

	new = (void *)get_zeroed_page(GFP_NOWAIT | __GFP_NOWARN);
	if (!new)
		return NULL;
	raw_spin_lock_irqsave(&planes_lock, flags);
	dir = rcu_dereference_protected(p->dir, lockdep_is_held(&planes_lock));
	leaf = iob_plane_dir_leaf(dir, i);
	if (!leaf && i < dir->nr) {
		leaf = new;
		new = NULL;
		/* zeroes first, then the leaf: pairs with iob_plane_dir_leaf() */
		smp_store_release(&dir->leaf[i], leaf);
		if (p->next && i < p->next->nr)
			p->next->leaf[i] = leaf;
		atomic_long_inc(&p->pages);
	}
	raw_spin_unlock_irqrestore(&planes_lock, flags);
	free_page((unsigned long)new);
	return leaf;
}

/* The memory of a plane in bytes, directory included.  May sleep. */
unsigned long iob_plane_bytes(const struct iob_plane *p)
{
	return iob_plane_leaves(p) * sizeof(void *) + atomic_long_read(&p->pages) * PAGE_SIZE;
}

/*
 * Until iob_planes_free_memory(), memory that is online keeps its struct pages: it is told of
 * before they go, and that waits.  May sleep.
 */
void iob_planes_keep_memory(void)
{
	mutex_lock(&planes_mutex);
}

/* The other end of iob_planes_keep_memory(). */
void iob_planes_free_memory(void)
{
	mutex_unlock(&planes_mutex);
}

/* Module load.  May sleep.  Return: 0 or a negative errno. */
int iob_planes_init(void)
{
	return register_memory_notifier(&planes_memory_notifier);
}

/* Module unload: no plane is in use.  May sleep. */
void iob_planes_exit(void)
{
	unregister_memory_notifier(&planes_memory_notifier);
}

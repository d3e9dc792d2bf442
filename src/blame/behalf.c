// SPDX-License-Identifier: GPL-2.0
/*
 * While a task changes metadata for somebody else it is in a scope: from the
 * entry of a function until it has returned, which whoever changes something
 * sees by the stack.
 */
#include "core/act.h"
#include "dirtier.h"
#include "dirty.h"
#include "dirty_fast.h"
#include "core/disk.h"
#include "core/metadata.h"
#include "transaction.h"
#include "association.h"
#include "core/task.h"

/* Whether it goes on beside a new scope, of @call or open. */
static __always_inline bool goes_on(const struct iob_behalf *s,
				    const struct iob_call *call)
{
	return call ? s->open || s->call.sp > call->sp : s->call.ret != 0;
}

/*
 * A new scope, of @call or open.  Calls whose place on the stack is free again
 * have returned; if there still is no room, the outermost gives way.  Inside
 * iob_read_lock().
 */
static struct iob_behalf *new_scope(struct iob_task *t,
				   const struct iob_call *call)
{
	struct iob_behalf *s = t->behalf;
	unsigned int i, nr = 0;

	t->behalf_used = true;
	iob_dirty_not_cacheable(t);
	for (i = 0; i < IOB_MAX_BEHALFS; i++) {
		if (unlikely(goes_on(&s[i], call)))
			s[nr++] = s[i];
	}
	nr = min_t(unsigned int, nr, IOB_MAX_BEHALFS - 1);
	for (i = nr; i > 0; i--)
		s[i] = s[i - 1];
	for (i = nr + 1; i < IOB_MAX_BEHALFS; i++)
		s[i] = (struct iob_behalf){ };
	s[0] = (struct iob_behalf){ };
	if (call)
		s[0].call = *call;
	return s;
}

/* @id if it is an act on that very inode, not on one that had its place. */
static u64 act_on(u64 id, const struct inode *inode)
{
	const struct iob_act *act = iob_act_id(id);
	struct iob_file file;

	iob_file_of(inode, &file);
	return act && iob_file_same(&act->file, &file) ? id : IOB_ACT_NONE;
}

/* The first page from @index to @last that is in the cache, and marked so. */
static unsigned long cached_pfn(struct address_space *mapping,
				unsigned long index, unsigned long last,
				xa_mark_t mark)
{
	struct iob_folio *f;
	unsigned long pfn, first;
	void *entry = xa_find(&mapping->i_pages, &index, last, mark);

	if (!entry || xa_is_value(entry))
		return 0;
	f = iob_folio_of((struct page *)entry);
	pfn = iob_folio_pfn(f);
	first = READ_ONCE(f->index);
	if (index > first && index - first < iob_folio_pages(f))
		pfn += index - first;
	return pfn;
}

/*
 * Who dirtied the first such page, see cached_pfn(); @dirty_ns gets when, 0 if that
 * is not known.
 */
static u64 act_of_pages(struct inode *inode, unsigned long index,
			unsigned long last, xa_mark_t mark, u64 *dirty_ns)
{
	unsigned long pfn = cached_pfn(inode->i_mapping, index, last, mark);
	const struct iob_act *act = NULL;
	u64 id = IOB_ACT_NONE;

	if (pfn)
		act = iob_act_nr(iob_dirtier_get(pfn));
	if (act)
		id = act_on(act->node.id, inode);
	*dirty_ns = id > IOB_ACT_LOST ? iob_dirtier_time(pfn) : 0;
	return id;
}

/**
 * iob_dirty_of_page - who dirtied a page that is being written
 * @inode:    the file
 * @index:    which page
 * @dirty_ns: gets when, 0 if that is not known
 *
 * From a probe, inside iob_read_lock(), which keeps the page's memory a page's.
 * Return: an act's id; IOB_ACT_LOST or less if nobody is known.
 */
u64 iob_dirty_of_page(struct inode *inode, unsigned long index, u64 *dirty_ns)
{
	return act_of_pages(inode, index, index, XA_PRESENT, dirty_ns);
}

/**
 * iob_behalf_pages - a call of a function begins that changes metadata for pages
 * @inode: whose pages
 * @index: from this page on
 * @last:  up to this one
 * @dirty: the first that is dirty, else the first that is there
 * @call:  the call
 *
 * Until it returns what the task changes is changed for who dirtied that page.
 * From a probe, inside iob_read_lock(), which keeps the page's memory a page's:
 * at worst it is another file's by now, and then its dirtier is not believed.
 */
void iob_behalf_pages(struct inode *inode, unsigned long index,
		     unsigned long last, bool dirty,
		     const struct iob_call *call)
{
	bool watched = S_ISREG(inode->i_mode) && !iob_is_metadata(inode) &&
		       iob_disk_watches(inode);
	struct iob_task *t = iob_task_get();
	struct iob_behalf *scope;
	u64 dirty_ns;

	/* also if it is for nobody: the same call was for another file before */
	if (!t || !(watched || t->behalf_used))
		return;
	scope = new_scope(t, call);
	if (!watched)
		return;
	scope->act = act_of_pages(inode, index, last,
				  dirty ? PAGECACHE_TAG_DIRTY : XA_PRESENT,
				  &dirty_ns);
	if (scope->act <= IOB_ACT_LOST)
		scope->act = act_on(iob_assoc_get(IOB_ASSOC_INODE, inode, 0),
				    inode);
	/* btrfs: what a worker will change for it has no scope */
	if (!inode->i_sb->s_bdev)
		iob_transaction_join(inode->i_sb, iob_transaction_now(inode->i_sb), scope->act);
}

/**
 * iob_behalf_backing - a call of a function begins that writes a disk's file
 * @pos:  where in the file
 * @call: the call
 *
 * Until it returns what the task changes is changed for who pays for the
 * request in the task's iob_backing.  From a probe, inside iob_read_lock().
 */
void iob_behalf_backing(u64 pos, const struct iob_call *call)
{
	struct iob_task *t = iob_task_get();
	struct iob_behalf *scope;

	if (!t)
		return;
	scope = new_scope(t, call);
	scope->backing = true;
	scope->act = iob_origin_at(&t->backing.origin, pos - t->backing.pos);
}

/* The transaction of @key ends here: later ones take part in the next. */
void iob_behalf_end_transaction(struct iob_task *t, struct iob_behalf *scope, const void *key)
{
	scope->tid = iob_transaction_next(key);
	scope->turn = false;
	/* what else the task writes for them, as the superblock */
	t->writes.key = key;
	t->writes.first = scope->tid;
	t->writes.last = scope->tid;
}

/**
 * iob_behalf_common - a call of a function begins that ends a transaction
 * @last: from here on others take part in the next one
 * @call: the call
 *
 * Until it returns what the task changes is changed for those who took part.
 * From a probe, inside iob_read_lock().
 */
void iob_behalf_common(bool last, const struct iob_call *call)
{
	struct iob_task *t = iob_task_get();
	struct iob_behalf *scope;
	unsigned int i;

	if (!t)
		return;
	scope = new_scope(t, call);
	scope->common = true;
	scope->turn = last;
	/* within the end of that transaction, though others join the next */
	for (i = 1; i < IOB_MAX_BEHALFS && !scope->tid; i++)
		scope->tid = t->behalf[i].tid;
	/* whose transaction it is shows when the task changes something */
	if (last && t->common)
		iob_behalf_end_transaction(t, scope, t->common);
}

/* A transaction is about to end: it is not known yet whose. */
void iob_behalf_nothing(void)
{
	struct iob_task *t = iob_task_get();
	unsigned int i;

	if (!t)
		return;
	t->common = NULL;
	/* nor is it what the last one was */
	for (i = 0; i < IOB_MAX_BEHALFS; i++)
		t->behalf[i].tid = 0;
}

static void close_scopes(struct iob_task *t)
{
	struct iob_behalf *s;

	if (!t->behalf_used)
		return;
	for (s = t->behalf; s < t->behalf + IOB_MAX_BEHALFS; s++) {
		if (!s->open)
			continue;
		*s = (struct iob_behalf){ };
		iob_dirty_not_cacheable(t);
	}
}

/**
 * iob_behalf_inode - the task begins to write an inode, or has ended it
 * @inode: the inode, NULL for the end
 *
 * In between it does so for who changed the inode.  From a probe, inside
 * iob_read_lock().
 */
void iob_behalf_inode(struct inode *inode)
{
	struct iob_task *t = iob_task_get();
	struct iob_behalf *scope;

	if (t && !inode)
		close_scopes(t);
	if (!t || !inode || !iob_disk_watches(inode))
		return;
	scope = new_scope(t, NULL);
	scope->act = act_on(iob_assoc_get(IOB_ASSOC_INODE, inode, 0), inode);
	scope->open = true;
}

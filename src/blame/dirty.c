// SPDX-License-Identifier: GPL-2.0
/*
 * The first to dirty a clean page is its dirtier: it is he who causes the
 * write.  Writeback that finds it cannot write a page marks it dirty again,
 * in whichever task that may be; that changes nothing, and the stack tells.
 */
#include <compat/compiler.h>
#include <compat/iomap.h>
#include <compat/rcu.h>

#include "core/act.h"
#include "dirtier.h"
#include "dirty.h"
#include "core/disk.h"
#include "core/metadata.h"
#include "core/intent.h"
#include "transaction.h"
#include "association.h"
#include "dirty_fast.h"
#include "stack/stack.h"
#include "core/stats.h"
#include "core/task.h"

/* handle_mm_fault(), once it is found: what goes on in it is for the page that faults */
static struct iob_code fault;

/**
 * iob_dirty_fault_found - where handle_mm_fault() is
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_dirty_fault_found(unsigned long func)
{
	iob_code_publish(func, &fault);
}

/* Whether the page's entry is this file's. */
static bool has_dirtier(unsigned long pfn, const struct iob_file *file)
{
	u32 nr = iob_dirtier_get(pfn);
	const struct iob_act *act;

	if (nr <= IOB_ACT_LOST)
		return nr == IOB_ACT_LOST;
	act = iob_act_nr(nr);
	return act && iob_file_same(&act->file, file);
}

/*
 * Whether a page that becomes dirty with this intent was dirty before, but for
 * the moment in which writeback looked at it.  What writeback does to a block
 * device's pages is metadata of its own making, unless it says otherwise.
 */
static bool is_dirty_again(u32 nr, const struct inode *inode)
{
	const struct iob_intent *i = iob_intent_nr(nr);

	if (!i)
		return false;
	return i->flags & IOB_INTENT_REDIRTY ||
	       (i->flags & IOB_INTENT_WRITEBACK && !iob_is_bdev(inode) &&
		!iob_is_metadata(inode));
}

/* Whether an act is known that dirtied the page when it was this file's. */
static bool has_act(unsigned long pfn, const struct iob_file *file)
{
	u32 nr = iob_dirtier_get(pfn);

	return nr > IOB_ACT_LOST && has_dirtier(pfn, file);
}

/* somebody who dirties pages of a file, found once for all of them */
struct dirtier {
	/* (@file first would make compilers align the stack, at random) */
	u64 act;
	struct iob_file file;
	bool again;		/* is_dirty_again() */
	unsigned long stored;	/* of the folio that has this page he stores into */
				/* this one alone; 0: into all of any folio */
	struct iob_task *backing;	/* this task writes for others, by place */
};

/*
 * The scope that the current task is in, the innermost if there are several, or
 * NULL.  It was entered by a call, and is left when that call's return address
 * is not in the trace any more.
 */
static struct iob_behalf *scope_of(struct iob_task *t,
				  const struct iob_stack *stack)
{
	unsigned int i;

	/* most tasks have never been in one */
	if (!t->behalf_used)
		return NULL;
	for (i = 0; i < IOB_MAX_BEHALFS; i++) {
		struct iob_behalf *s = &t->behalf[i];

		/* one that does not know for whom leaves it to the next */
		if (s->act == IOB_ACT_NONE && !s->common)
			continue;
		if (s->open || iob_stack_has(stack, s->call.ret))
			return s;
	}
	return NULL;
}

/* Who pays for what the task changes in @file for @id, if that is another. */
static u64 inherited(struct iob_task *t, u64 id, const struct iob_file *file)
{
	const struct iob_act *act;

	if (id <= IOB_ACT_LOST)
		return IOB_ACT_NONE;
	act = iob_act_id(id);
	/* what it does for itself it does with a stack of its own */
	if (!act || act->role == iob_task_role(t))
		return IOB_ACT_NONE;
	return iob_act_on(id, file, true);
}

/*
 * Of those who took part in the transaction that @scope ends, or in the one at
 * hand, the one who changed the most.
 */
static u64 participant(struct iob_task *t, struct iob_behalf *scope,
		       const struct inode *inode)
{
	const void *key = inode->i_sb;

	if (!scope || !scope->common)
		return iob_transaction_most(key, iob_transaction_now(key));
	t->common = key;
	if (scope->turn)
		iob_behalf_end_transaction(t, scope, key);
	else if (!scope->tid)
		scope->tid = iob_transaction_now(key);
	return iob_transaction_most(key, scope->tid);
}

/*
 * On whose behalf the task changes @file, or IOB_ACT_NONE.  @inode is NULL if
 * it is no page that is changed.
 */
static u64 act_of_other(struct iob_task *t, struct iob_behalf *scope,
			const struct inode *inode, const struct iob_file *file)
{
	u64 id = scope ? scope->act : IOB_ACT_NONE;

	if (inode && iob_is_metadata(inode) && id == IOB_ACT_NONE &&
	    (current->flags & PF_KTHREAD || (scope && scope->common)))
		id = participant(t, scope, inode);
	return inherited(t, id, file);
}

/*
 * Where the current task is: in a probe, by the function that asks, which must
 * be at work as long as the answer is used; or at a function's entry.
 */
static __always_inline void place_of(struct iob_frame *at,
				     const struct pt_regs *regs)
{
#ifdef IOB_UNWIND_FRAMES
	if (regs)
		*at = (struct iob_frame){ regs->ip, regs->sp, regs->bp };
	else
		iob_stack_here(&at->ip, &at->sp, &at->bp);
#endif
}

/*
 * The act by which the current task dirties @inode's pages, if its stack is
 * known and was found to be plain before, else IOB_ACT_NONE.  @file and, if the
 * stack is known, @memo are filled in.
 */
static __always_inline u64 plain_act(struct iob_file *file,
				     const struct iob_stack_slot **slot,
				     const struct inode *inode,
				     const struct iob_frame *at)
{
	struct iob_task *t = iob_task_get();

	*slot = NULL;
	if (unlikely(!t))
		return IOB_ACT_NONE;
	if (unlikely(!iob_stack_known(at->ip, at->sp, at->bp, false, slot)))
		return IOB_ACT_NONE;
	if (unlikely(iob_stack_cut(*slot))) {
		*slot = NULL;
		return IOB_ACT_NONE;
	}
	if (unlikely(!iob_dirty_is_cacheable(t, (*slot)->intent) ||
		     iob_is_metadata(inode)))
		return IOB_ACT_NONE;
	iob_file_of(inode, file);
	return iob_task_act(t, (*slot)->intent, file);
}

/* The stack that is at @at, which is remembered in @memo if that is not NULL. */
static void get_stack(struct iob_stack *stack, const struct iob_frame *at,
		      struct pt_regs *regs, const struct iob_stack_slot *slot)
{
	if (slot) {
		stack->ip = slot->ip + slot->own;
		stack->depth = slot->nr - slot->own;
		stack->slot = (struct iob_stack_slot *)slot;
	} else {
		iob_stack_from(stack, at, regs);
	}
}

/* Next time it may be enough to see that the stack is the same. */
static void note_plain(struct iob_task *t, u32 nr)
{
	const struct iob_intent *intent = iob_intent_nr(nr);

	if (nr > IOB_INTENT_LOST && intent && !intent->flags)
		iob_dirty_set_cacheable(t, nr);
}

/* Of find_dirtier(): @memo as plain_act() has left it. */
static noinline void find_slow(struct dirtier *d, struct inode *inode,
				 const struct iob_frame *at,
				 struct pt_regs *regs,
				 const struct iob_stack_slot *slot)
{
	struct iob_task *t = iob_task_get();
	struct iob_behalf *scope;
	struct iob_stack stack IOB_UNINIT;
	u32 intent;

	d->act = IOB_ACT_NOMEM;
	d->again = false;
	d->stored = 0;
	d->backing = NULL;
	iob_file_of(inode, &d->file);
	if (!t)
		return;
	get_stack(&stack, at, regs, slot);
	intent = iob_stack_intent(&stack, 0);
	if (t->stored && iob_stack_in(&stack, &fault))
		d->stored = t->stored;
	/* a journal's thread hands on what others have changed */
	d->again = is_dirty_again(intent, inode) || t->writes.always;
	scope = scope_of(t, &stack);
	/* (what is cut is counted each time) */
	if (!d->stored && !t->writes.always && !scope &&
	    stack.depth < IOB_STACK_DEPTH)
		note_plain(t, intent);
	d->act = act_of_other(t, scope, inode, &d->file);
	if (d->act != IOB_ACT_NONE && scope && scope->backing)
		d->backing = t;
	if (d->act == IOB_ACT_NONE)
		d->act = iob_task_act(t, intent, &d->file);
	/* who ends a transaction has not taken part in it by that */
	if (iob_is_metadata(inode) && !(scope && scope->common))
		iob_transaction_join(inode->i_sb, iob_transaction_now(inode->i_sb), d->act);
}

/* As find_dirtier(), in a tracepoint's probe. */
static __always_inline void find_from(struct dirtier *d, struct inode *inode,
				      const struct iob_frame *at)
{
	const struct iob_stack_slot *slot;

	d->act = plain_act(&d->file, &slot, inode, at);
	if (likely(d->act != IOB_ACT_NONE)) {
		d->again = false;
		d->stored = 0;
		d->backing = NULL;
	} else {
		find_slow(d, inode, at, NULL, slot);
	}
}

/*
 * Who dirties @inode's pages now: the current task.  From a probe, inside
 * iob_read_lock(), interrupts maybe off; @regs as they were at a function's entry, or
 * NULL.
 */
static __always_inline void find_dirtier(struct dirtier *d, struct inode *inode,
					 struct pt_regs *regs)
{
	struct iob_frame at IOB_UNINIT;

	place_of(&at, regs);
	if (regs)
		find_slow(d, inode, &at, regs, NULL);
	else
		find_from(d, inode, &at);
	/* no jump: where we are is part of the stack */
	barrier();
}

/* Of those for whom a task writes to its disk's file: who gave those bytes. */
static u64 act_at(const struct dirtier *d, struct iob_folio *f,
		  unsigned long pfn)
{
	const struct iob_backing *b = &d->backing->backing;
	u64 pos = ((u64)READ_ONCE(f->index) + (pfn - iob_folio_pfn(f))) <<
		  PAGE_SHIFT;
	u64 act;

	/* the first page may begin before the request does */
	act = inherited(d->backing,
			iob_origin_at(&b->origin, max(pos, b->pos) - b->pos),
			&d->file);
	return act == IOB_ACT_NONE ? d->act : act;
}

/* He is the dirtier of a page that has none yet. */
static void set_again(const struct dirtier *d, struct iob_folio *f,
		      unsigned long pfn, unsigned long count)
{
	/* an entry that is this file's: most often the next one is the same */
	u32 known = IOB_ACT_LOST, nr;
	unsigned long run;

	for (; count; count -= run, pfn += run) {
		run = iob_dirtier_run(pfn, count, known);
		if (run)
			continue;
		run = 1;
		nr = iob_dirtier_get(pfn);
		if (nr && has_dirtier(pfn, &d->file))
			known = nr;
		else
			iob_dirtier_set_one(pfn, iob_id_nr(d->backing ?
							   act_at(d, f, pfn) :
							   d->act));
	}
}

/*
 * He is the dirtier of @count pages of @f, from page frame @pfn on, which are
 * written because he changes those from @first on to before @end.  The others
 * remain theirs who stored what is in them, and are his only if nobody is
 * known: pages are charged, not folios.
 */
static void set_dirtier(const struct dirtier *d, struct iob_folio *f,
			unsigned long pfn, unsigned long count,
			unsigned long first, unsigned long end)
{
	if (d->again) {
		set_again(d, f, pfn, count);
		return;
	}
	if (!d->backing && pfn >= first && pfn + count <= end) {
		iob_dirtier_set(pfn, count, iob_id_nr(d->act));
		return;
	}
	for (; count; count--, pfn++) {
		if ((pfn < first || pfn >= end) && has_act(pfn, &d->file))
			continue;
		iob_dirtier_set_one(pfn, iob_id_nr(d->backing ?
						   act_at(d, f, pfn) :
						   d->act));
	}
}

/* He changes these pages: all of them, unless he stores into one of the folio's. */
static void set_changed(const struct dirtier *d, struct iob_folio *f,
			unsigned long pfn, unsigned long count)
{
	if (d->stored && d->stored - iob_folio_pfn(f) < iob_folio_pages(f))
		set_dirtier(d, f, pfn, count, d->stored, d->stored + 1);
	else
		set_dirtier(d, f, pfn, count, pfn, pfn + count);
}

#ifdef IOB_HAVE_FOLIO
/* The folio's own event is next if it was clean: it has nothing to add. */
static void expect_event(const struct folio *folio, bool was_dirty)
{
	struct iob_task *t = was_dirty ? NULL : iob_task_get();

	if (t)
		t->ranged = folio;
}

/**
 * iob_dirty_mapped - the current task begins to store into a mapped page
 * @page: the page
 * @regs: as they were at the entry
 *
 * The first such store makes all of a large folio dirty, in an event that is to come
 * before the fault has been dealt with: from the function that makes the page
 * writable, or after that (ext4 with nodelalloc).  Whoever stores into another page
 * of it later is that page's dirtier nevertheless.  From a probe, inside
 * iob_read_lock().
 */
void iob_dirty_mapped(struct page *page, struct pt_regs *regs)
{
	struct folio *folio = page_folio(page);
	struct inode *inode = iob_folio_host(folio);
	struct iob_task *t = iob_task_peek(current);
	struct dirtier d IOB_UNINIT;

	/* of an earlier fault */
	if (t)
		t->stored = 0;
	if (!inode || !folio_test_large(folio) || !iob_disk_watches(inode))
		return;
	t = iob_task_get();
	if (t) {
		iob_dirty_not_cacheable(t);
		t->stored = page_to_pfn(page);
	}
	/* a clean folio's own event says the rest */
	if (!folio_test_dirty(folio))
		return;
	find_dirtier(&d, inode, regs);
	set_changed(&d, folio, page_to_pfn(page), 1);
}

#ifdef IOB_IOMAP_WHOLE_FOLIOS
/**
 * iob_dirty_again - the current task is about to write into a folio
 * @folio: the folio; locked by the task
 * @off:   bytes from the folio's start
 * @len:   bytes
 * @regs:  as they were at the entry
 *
 * For kernels whose iomap knows no dirty blocks: all of a folio is written if
 * any of it is.  From a probe, inside iob_read_lock().
 */
void iob_dirty_again(struct folio *folio, size_t off, size_t len,
		     struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(folio);
	bool was_dirty = folio_test_dirty(folio);
	unsigned long pfn, first, end;
	struct dirtier d IOB_UNINIT;

	if (!inode || !len || !folio_test_large(folio) ||
	    !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, regs);
	pfn = folio_pfn(folio);
	first = pfn + (off >> PAGE_SHIFT);
	end = pfn + DIV_ROUND_UP(min(off + len, folio_size(folio)), PAGE_SIZE);
	if (was_dirty)
		set_dirtier(&d, folio, first, end - first, first, end);
	else
		set_dirtier(&d, folio, pfn, folio_nr_pages(folio), first, end);
	expect_event(folio, was_dirty);
}
#endif
#endif

#ifdef IOB_HAVE_BH_FOLIO
/**
 * iob_dirty_buffer - the current task dirties a clean buffer of a large folio
 * @bh: the buffer
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_buffer(struct buffer_head *bh)
{
	struct inode *inode = iob_folio_host(bh->b_folio);
	struct dirtier d IOB_UNINIT;

	if (!inode || !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, NULL);
	set_changed(&d, bh->b_folio,
		    folio_pfn(bh->b_folio) + (bh_offset(bh) >> PAGE_SHIFT), 1);
	expect_event(bh->b_folio, folio_test_dirty(bh->b_folio));
}

/**
 * iob_dirty_range - the current task is about to dirty a part of a folio
 * @folio: the folio; locked by the task
 * @ifs:   iomap's state of it, which knows dirty blocks; NULL without
 * @off:   bytes from the folio's start
 * @len:   bytes
 * @regs:  as they were at the entry
 *
 * From a probe, inside iob_read_lock().  Without @ifs the last to dirty a page
 * of a dirty folio counts, as nobody can say who was the first.
 */
void iob_dirty_range(struct folio *folio, const void *ifs, size_t off,
		     size_t len, struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(folio);
	bool was_dirty = folio_test_dirty(folio);
	struct dirtier d IOB_UNINIT;
	unsigned long pfn, nr;
	size_t end;

	if (!inode || !len || !folio_test_large(folio) ||
	    !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, regs);
	end = min(off + len, folio_size(folio));
	off = round_down(off, PAGE_SIZE);
	pfn = folio_pfn(folio) + (off >> PAGE_SHIFT);
	/* runs of pages that were clean */
	for (nr = 0; off < end; off += PAGE_SIZE) {
		if (!was_dirty || !ifs ||
		    !iob_iomap_dirty(ifs, inode, folio, off)) {
			nr++;
			continue;
		}
		if (nr)
			set_changed(&d, folio, pfn, nr);
		pfn += nr + 1;
		nr = 0;
	}
	if (nr)
		set_changed(&d, folio, pfn, nr);
	expect_event(folio, was_dirty);
}
#endif

/*
 * Whether one of the functions above has just seen to the pages of @folio.
 * Without them all of it becomes dirty.  What the folio's private data is,
 * buffers or something else, only its file system knows: we never look.
 */
static bool was_ranged(const struct iob_folio *folio)
{
	struct iob_task *t = iob_task_get();
	bool ranged = t && t->ranged == folio;

	/* another folio's event: the one that was to come did not */
	if (t)
		t->ranged = NULL;
	return ranged;
}

/* Of iob_dirty_folio(): it is not as the last time. */
static noinline void dirty_slow(struct inode *inode, struct iob_folio *folio,
				  unsigned long ip, unsigned long sp,
				  unsigned long bp)
{
	const struct iob_frame at = { ip, sp, bp };
	unsigned long nr = iob_folio_pages(folio);
	struct iob_task *t = iob_task_get();
	struct dirtier d IOB_UNINIT;

	if (nr > 1 && was_ranged(folio))
		return;
	find_from(&d, inode, &at);
	set_changed(&d, folio, iob_folio_pfn(folio), nr);
	if (t && iob_dirty_is_cacheable(t, t->act_intent) && t->act == d.act)
		iob_dirty_fast_note(t, t->act_intent, inode, d.act);
}

/* Of iob_dirty_folio(): it is maybe as the last time, but in another call. */
static noinline void dirty_again(struct inode *inode, struct iob_folio *folio,
				 struct iob_task *t, unsigned long ip,
				 unsigned long sp, unsigned long bp)
{
	struct iob_dirty_fast *fast = iob_dirty_fast_of(t);
	const struct iob_stack_slot *m;

	if (unlikely(!in_task() || iob_folio_pages(folio) > 1))
		goto slowly;
	if (unlikely(!iob_stack_known(ip, sp, bp, false, &m) ||
		     !iob_dirty_fast_is(t, m->intent, inode)))
		goto slowly;
	/* seldom: the act's line is left alone */
	if (unlikely(fast->touched != (u32)jiffies)) {
		fast->touched = jiffies;
		iob_act_touch(fast->act);
	}
	iob_dirtier_set_one(iob_folio_pfn(folio), fast->nr);
	iob_dirty_fast_again(fast, m, sp);
	return;
slowly:
	if (iob_disk_watches(inode))
		dirty_slow(inode, folio, ip, sp, bp);
}

/**
 * iob_dirty_folio - the current task dirties a clean folio
 * @inode: in whose page cache it is
 * @folio: the folio; a page on kernels that have none
 *
 * From a tracepoint's probe, interrupts off.  Most calls are for the next page of a
 * file by the same way.  Nothing whose address is taken is on the stack here, as
 * that would have to be guarded.
 */
notrace void iob_dirty_folio(struct inode *inode, struct iob_folio *folio)
{
	const struct task_struct *me = current;
	unsigned long ip, sp, bp;
	struct iob_task *t;

	iob_probe_lock();
	iob_stack_here(&ip, &sp, &bp);
	t = iob_task_peek(me);
	if (t && iob_dirty_fast_goes_on(iob_dirty_fast_of(t), me, inode, sp) &&
	    likely(iob_folio_pages(folio) == 1)) {
		iob_stat_inc(stack_known);
		if (unlikely(READ_ONCE(iob_check_stacks)))
			iob_stack_intent_check(iob_dirty_fast_of(t)->intent, ip, sp, bp);
		iob_dirtier_set_one(iob_folio_pfn(folio), iob_dirty_fast_of(t)->nr);
	} else if (t && iob_dirty_fast_of(t)->ino == inode->i_ino) {
		/*
		 * (Of an earlier session: then it is of another epoch, too.)  Another file
		 * may be on another disk, and need not have its stack looked at here.
		 */
		dirty_again(inode, folio, t, ip, sp, bp);
	} else if (iob_disk_watches(inode)) {
		dirty_slow(inode, folio, ip, sp, bp);
	}
	/* no jump: where we are is part of the stack */
	barrier();
	iob_probe_unlock();
}

static unsigned long pfn_of_buffer(const struct buffer_head *bh)
{
	return page_to_pfn(bh->b_page) + (bh_offset(bh) >> PAGE_SHIFT);
}

/**
 * iob_dirty_logged - the current task changes a buffer, first in a transaction
 * @log:  the journal
 * @tid:  the transaction
 * @bh:   the buffer
 * @regs: as they were at the entry
 *
 * The buffer itself becomes dirty when the transaction is committed, and may
 * have been changed in the next one by then: so it is noted for each of them.
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_logged(const void *log, u32 tid, struct buffer_head *bh,
		      struct pt_regs *regs)
{
	struct inode *inode = iob_folio_host(iob_folio_of(bh->b_page));
	unsigned long pfn = pfn_of_buffer(bh);
	const struct iob_act *act;
	struct dirtier d IOB_UNINIT;

	if (!inode || !iob_disk_watches(inode))
		return;
	find_dirtier(&d, inode, regs);
	if (d.again && has_dirtier(pfn, &d.file)) {
		act = iob_act_nr(iob_dirtier_get(pfn));
		d.act = act ? act->node.id : IOB_ACT_LOST;
	} else {
		iob_dirtier_set_one(pfn, iob_id_nr(d.act));
	}
	iob_assoc_set(IOB_ASSOC_LOGGED, bh, tid, d.act);
	iob_transaction_join(log, tid, d.act);
}

/**
 * iob_dirty_act - for whom the current task changes metadata now
 * @regs: as they were at the entry
 *
 * For what is no page of a block device's cache: its act has no file until the
 * disk is known.  From a probe, inside iob_read_lock().
 * Return: the act's id, IOB_ACT_NONE if it is a kernel thread's own doing.
 */
u64 iob_dirty_act(struct pt_regs *regs)
{
	static const struct iob_file none;
	struct iob_task *t = iob_task_get();
	struct iob_stack stack IOB_UNINIT;
	u64 act;

	if (!t)
		return IOB_ACT_NONE;
	iob_stack_get(&stack, regs);
	act = act_of_other(t, scope_of(t, &stack), NULL, &none);
	if (act != IOB_ACT_NONE || current->flags & PF_KTHREAD)
		return act;
	return iob_task_act(t, iob_stack_intent(&stack, 0), &none);
}

/**
 * iob_dirty_known - whether it is known for whom the current task changes things
 * @regs: as they were at the entry
 *
 * A kernel thread's changes are somebody else's.  Of whom it says so only if it
 * writes a disk's file, it is known better than by who was there before.
 * From a probe, inside iob_read_lock().
 */
bool iob_dirty_known(struct pt_regs *regs)
{
	const struct iob_behalf *scope;
	struct iob_stack stack IOB_UNINIT;
	struct iob_task *t;

	if (!(current->flags & PF_KTHREAD))
		return true;
	t = iob_task_get();
	if (!t || !t->backing.call.ret)
		return false;
	iob_stack_get(&stack, regs);
	scope = scope_of(t, &stack);
	return scope && scope->backing;
}

/**
 * iob_dirty_in_common - whether the current task ends a transaction for others
 * @regs: as they were at the entry
 *
 * From a probe, inside iob_read_lock().
 */
bool iob_dirty_in_common(struct pt_regs *regs)
{
	const struct iob_behalf *scope;
	struct iob_task *t = iob_task_get();
	struct iob_stack stack IOB_UNINIT;

	if (!t)
		return false;
	iob_stack_get(&stack, regs);
	scope = scope_of(t, &stack);
	return scope && scope->common;
}

/**
 * iob_dirty_inode - the current task changes a clean inode
 * @inode: the inode; iob_disk_watches() it
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_inode(struct inode *inode)
{
	struct dirtier d IOB_UNINIT;

	find_dirtier(&d, inode, NULL);
	/* a kernel thread knows no better than who was there before */
	if (!(current->flags & PF_KTHREAD) || d.backing)
		iob_assoc_set(IOB_ASSOC_INODE, inode, 0, d.act);
}

/**
 * iob_dirty_cancel - the current task gives up a dirty folio
 * @folio: the folio; it will not be written
 *
 * From a probe, inside iob_read_lock().
 */
void iob_dirty_cancel(struct iob_folio *folio)
{
	unsigned long pfn = iob_folio_pfn(folio), nr = iob_folio_pages(folio);

	for (; nr; nr--, pfn++) {
		if (!iob_dirtier_get(pfn))
			continue;
		iob_stat_inc(pages_cancelled);
		iob_dirtier_clear(pfn, 1);
	}
}

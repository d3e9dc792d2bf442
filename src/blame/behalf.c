// SPDX-License-Identifier: GPL-2.0
/*
 * A task acts on another's behalf from the entry of a function until that has returned.
 * No hook is needed at the return: a probe that asks later looks whether the call's
 * return address is still in the task's stack trace, where it was.
 *
 * Calls nest: do_writepages() on the file of a disk runs inside its worker's call.  The
 * innermost call that knows for whom decides.
 */
#include <linux/hash.h>

#include <compat/compiler.h>
#include <compat/inode.h>
#include <compat/unwind.h>

#include "association.h"
#include "behalf.h"
#include "cached_page.h"
#include "core/cause.h"
#include "core/metadata.h"
#include "core/disk.h"
#include "core/hands_on.h"
#include "core/file.h"
#include "core/intent.h"
#include "core/stats.h"
#include "dirty_fast.h"
#include "stack/stack.h"
#include "times.h"
#include "transaction.h"

/* The part of a task's context. */
struct behalf_state {
	struct iob_behalf behalf[IOB_MAX_BEHALFS];	/* the innermost first */
	unsigned int nr;	/* those behind are empty; some before may be, too */
	const void *common;	/* the log whose transaction the task changed last */
};

struct iob_task_part iob_behalf_part = {
	.name = "behalf",
	.size = sizeof(struct behalf_state),
};

/* Whether each call of do_writepages() is seen, and known on the stack. */
static bool behalf_sees_writepages;

static void parent_io_free(void *part)
{
	struct iob_parent_io *p = part;

	iob_origin_free(&p->origin);
}

struct iob_task_part iob_parent_io_part = {
	.name = "parent IO",
	.size = sizeof(struct iob_parent_io),
	.free = parent_io_free,
};

static struct behalf_state *behalf_state_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_behalf_part);
}

/* True if @b stays active after a new one of @call, or an open one, is pushed. */
static __always_inline bool behalf_stays(const struct iob_behalf *b,
					 const struct iob_call *call)
{
	return call ? b->open || b->call.sp > call->sp : b->call.ret != 0;
}

/*
 * How many others of the same return address are more likely under way than @b[@i]: those that came
 * later, but for ones whose place on the stack has got another word meanwhile, or is free.
 */
static unsigned int behalf_nr_before(const struct iob_behalf *b, unsigned int i,
				     const struct iob_stack *stack)
{
	unsigned int j, n = 0;

	for (j = 0; j < IOB_MAX_BEHALFS; j++) {
		bool kept;

		if (j == i || b[j].open || b[j].call.ret != b[i].call.ret ||
		    iob_stack_is_below(stack, &b[j].call))
			continue;
		kept = iob_call_is_kept(&b[j].call);
		n += kept == iob_call_is_kept(&b[i].call) ? j < i : kept;
	}
	return n;
}

/*
 * Whether @b[@i] is still under way, by the trace.  A task comes to a function at many depths, and
 * calls of it that are nested may return to the same address: a trace with places tells which have
 * returned, another one only how many have.  @call is in the trace, too, and is none of @b; or it
 * is NULL.
 */
static bool behalf_is_under_way(const struct iob_behalf *b, unsigned int i,
				const struct iob_stack *stack, const struct iob_call *call)
{
	unsigned int left;

	if (b[i].open)
		return true;
	if (!iob_stack_has_call(stack, &b[i].call))
		return false;
	if (iob_stack_has_places(stack))
		return true;
	left = iob_stack_count(stack, b[i].call.ret);
	if (call && b[i].call.ret == call->ret)
		left--;
	return left > behalf_nr_before(b, i, stack);
}

/*
 * There is no room for @call, or for an open one: drop calls that have returned.  Where a call was
 * on the stack may be above all that came later.  Return: how many stay.
 */
static noinline_for_stack unsigned int behalf_drop_returned(struct behalf_state *state,
							    const struct iob_call *call,
							    struct pt_regs *regs)
{
	struct iob_behalf *b = state->behalf, stay[IOB_MAX_BEHALFS];
	struct iob_stack stack IOB_UNINIT;
	unsigned int i, nr = 0;

	iob_stack_get(&stack, regs);
	if (!iob_stack_is_whole(&stack))
		return IOB_MAX_BEHALFS;
	for (i = 0; i < IOB_MAX_BEHALFS; i++) {
		if (behalf_is_under_way(b, i, &stack, call))
			stay[nr++] = b[i];
	}
	memcpy(b, stay, nr * sizeof(*b));
	return nr;
}

/*
 * Push a new one of the function that is entered with @regs, or an open one if @regs is NULL.
 * Calls whose place on the stack is free again have returned; if there is no room after all the
 * outermost gives way.  Inside iob_read_lock().
 */
static struct iob_behalf *behalf_push(struct iob_task *t, struct pt_regs *regs)
{
	struct iob_call call = regs ? iob_call_at(regs) : (struct iob_call){ };
	struct behalf_state *state = behalf_state_of(t);
	struct iob_behalf *b = state->behalf;
	unsigned int i, nr = 0, before = state->nr;

	t->acted_on_behalf = true;
	iob_dirty_not_cacheable(t);
	for (i = 0; i < before; i++) {
		if (unlikely(behalf_stays(&b[i], regs ? &call : NULL)))
			b[nr++] = b[i];
	}
	if (unlikely(nr == IOB_MAX_BEHALFS))
		nr = behalf_drop_returned(state, &call, regs);
	if (unlikely(nr == IOB_MAX_BEHALFS)) {
		iob_stat_inc(behalf_evicted);
		nr--;
	}
	for (i = nr; i > 0; i--)
		b[i] = b[i - 1];
	for (i = nr + 1; i < before; i++)
		b[i] = (struct iob_behalf){ };
	state->nr = nr + 1;
	b[0] = (struct iob_behalf){ .call = call };
	return b;
}

/*
 * The transaction in which pages are written now: the one that the task ends, though others may
 * join the next already, or the running one.
 */
static noinline_for_stack u32 behalf_tid(struct iob_task *t, const void *key,
					 struct pt_regs *regs)
{
	const struct behalf_state *state = behalf_state_of(t);
	struct iob_stack stack IOB_UNINIT;
	const struct iob_behalf *b;
	unsigned int i;

	for (i = 0; i < state->nr && !state->behalf[i].tid; i++)
		;
	if (i < state->nr && state->common == key) {
		iob_stack_get(&stack, regs);
		b = iob_behalf_active(t, &stack);
		if (b && b->common && b->tid)
			return b->tid;
	}
	return iob_transaction_now(key);
}

/*
 * @ref as inherited; IOB_CAUSE_NONE if it is not known, or that is the task itself, unless it is
 * certain for whom (@sure).
 */
static u64 behalf_inherited(struct iob_task *t, u64 ref, bool sure)
{
	struct iob_cause *cause;

	if (ref <= IOB_CAUSE_LOST)
		return IOB_CAUSE_NONE;
	cause = iob_cause_of(ref);
	/* what the task does for itself has a stack of its own */
	if (!cause || (!sure && cause->role == iob_task_role(t)))
		return IOB_CAUSE_NONE;
	/* it may be noted next where the reclaim of causes has passed */
	iob_cause_touch(cause);
	return iob_cause_id(ref) | IOB_CAUSE_INHERITED;
}

/*
 * Whether the pages of an inode are its own: some file systems have entries of directories in them,
 * others what symbolic links lead to.  Those of a disk are another file system's metadata.
 */
static bool behalf_has_pages(const struct inode *inode)
{
	/* (the kind of file in it does not change) */
	unsigned int mode = READ_ONCE(inode->i_mode);

	return S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode);
}

/* do_writepages() is hooked from now on, or no more.  May sleep. */
void iob_behalf_see_writepages(bool on)
{
	WRITE_ONCE(behalf_sees_writepages, on && IOB_UNWIND_CALLS);
}

static u32 behalf_host(const struct inode *inode)
{
	return hash_ptr(inode, IOB_HOST_BITS) ?: 1;
}

/**
 * iob_behalf_pages - a call begins that changes metadata for pages of a file
 * @inode: the file
 * @index: its pages from here on
 * @last:  up to here
 * @dirty: do_writepages(): the dirtier of the first dirty page counts, else that of the first page
 *         at all
 * @regs:  as they were at the function's entry
 *
 * Until it returns, the task acts on behalf of that dirtier; if there is none, of the act
 * that changed the inode.  From a probe, inside iob_read_lock().
 */
void iob_behalf_pages(struct inode *inode, unsigned long index, unsigned long last,
		      bool dirty, struct pt_regs *regs)
{
	bool noted = !iob_is_bdev(inode) && !iob_is_metadata(inode) && iob_disk_watches(inode);
	bool watched = noted && behalf_has_pages(inode);
	struct iob_task *t = iob_task_get();
	struct iob_behalf *b;
	u64 dirty_ns, act;
	u32 tid = 0;

	/* pushed for an unwatched file, too: the last call from here was for another file */
	if (!t || !(noted || t->acted_on_behalf))
		return;
	/* without s_bdev: a worker changes more for it, later and on no one's behalf */
	if (watched && !inode->i_sb->s_bdev)
		tid = behalf_tid(t, inode->i_sb, regs);
	b = behalf_push(t, regs);
	if (noted && dirty)
		b->host = behalf_host(inode);
	if (!watched)
		return;
	b->ref = iob_cause_of_pages(inode, index, last,
				    dirty ? PAGECACHE_TAG_DIRTY : XA_PRESENT, &dirty_ns);
	if (b->ref <= IOB_CAUSE_LOST)
		b->ref = iob_cause_of_inode(iob_assoc_get(&iob_assoc_inode, inode, 0), inode);
	if (!tid)
		return;
	act = behalf_inherited(t, b->ref, false);
	iob_transaction_join(inode->i_sb, tid, act == IOB_CAUSE_NONE ? b->ref : act);
}

/**
 * iob_behalf_for - a call begins that works for a known cause
 * @ref:  the cause; IOB_CAUSE_NONE if it is not known after all
 * @regs: as they were at the function's entry
 *
 * Until it returns, the task acts on that cause's behalf.  From a probe, inside
 * iob_read_lock().
 */
void iob_behalf_for(u64 ref, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();

	/* pushed if it is not known, too: the last call from here was for another cause */
	if (t && (ref != IOB_CAUSE_NONE || t->acted_on_behalf))
		behalf_push(t, regs)->ref = ref;
}

/**
 * iob_behalf_surely - as iob_behalf_for(), where it is certain for which cause
 * @ref:  the cause; IOB_CAUSE_NONE if it is not known after all
 * @regs: as they were at the function's entry
 *
 * It pays in any case: a worker of the same role is not taken for one that works for itself.
 */
void iob_behalf_surely(u64 ref, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_behalf *b;

	if (!t || (ref == IOB_CAUSE_NONE && !t->acted_on_behalf))
		return;
	b = behalf_push(t, regs);
	b->ref = ref;
	b->sure = true;
}

/**
 * iob_behalf_parent - a call begins that writes the file of a disk
 * @pos:  where in the file
 * @regs: as they were at the function's entry
 *
 * Until it returns, the task acts on behalf of the acts that pay for the parent request,
 * see struct iob_parent_io.  From a probe, inside iob_read_lock().
 */
void iob_behalf_parent(u64 pos, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_parent_io *p;
	struct iob_behalf *b;

	if (!t)
		return;
	p = iob_parent_io_of(t);
	b = behalf_push(t, regs);
	p->call = b->call;
	iob_task_serve(t, IOB_SERVES_PARENT, b->call.ret);
	b->parent = true;
	b->ref = iob_origin_at(&p->origin, pos - p->pos);
}

/* The task carries out no parent request any more.  As iob_behalf_parent(). */
void iob_behalf_parent_end(struct iob_task *t)
{
	struct behalf_state *state = behalf_state_of(t);
	unsigned int i;

	iob_parent_io_of(t)->call.ret = 0;
	iob_task_serve(t, IOB_SERVES_PARENT, false);
	for (i = 0; i < IOB_MAX_BEHALFS; i++) {
		if (state->behalf[i].parent)
			state->behalf[i].ref = IOB_CAUSE_NONE;
	}
}

/* The transaction of @key ends here: later changes take part in the next one. */
static void behalf_end_transaction(struct iob_task *t, struct iob_behalf *b, const void *key)
{
	b->tid = iob_transaction_next(key);
	b->ends = false;
	/* what else the task writes for the participants, such as the superblock */
	iob_transaction_begin_write(t, key, b->tid, b->tid);
}

/**
 * iob_behalf_writes - whether a task writes back an inode's own pages
 * @t:     its context
 * @stack: its trace, with do_writepages() of some inode
 * @inode: the inode, which iob_disk_watches(); neither a block device's own nor metadata
 *
 * Inside iob_read_lock().  Return: true, too, where the calls are not seen.
 */
bool iob_behalf_writes(const struct iob_task *t, const struct iob_stack *stack,
		       const struct inode *inode)
{
	const struct behalf_state *state = behalf_state_of(t);
	bool whole = iob_stack_is_whole(stack);
	u32 host = behalf_host(inode);
	unsigned int i;

	if (!READ_ONCE(behalf_sees_writepages))
		return true;
	for (i = 0; i < state->nr; i++) {
		if (state->behalf[i].host == host &&
		    (!whole || behalf_is_under_way(state->behalf, i, stack, NULL)))
			return true;
	}
	return false;
}

/* The transaction of a call further out that is still under way, or 0. */
static noinline_for_stack u32 behalf_outer_tid(const struct behalf_state *state,
					       struct pt_regs *regs)
{
	struct iob_stack stack IOB_UNINIT;
	unsigned int i;

	iob_stack_get(&stack, regs);
	for (i = 1; i < IOB_MAX_BEHALFS; i++) {
		if (state->behalf[i].tid && behalf_is_under_way(state->behalf, i, &stack, NULL))
			return state->behalf[i].tid;
	}
	return 0;
}

/**
 * iob_behalf_common - a call begins that ends a transaction for its participants
 * @ends: from here on others take part in the next transaction
 * @regs: as they were at the function's entry
 *
 * Until it returns, what the task changes is on the participants' behalf.  From a probe,
 * inside iob_read_lock().
 */
void iob_behalf_common(bool ends, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct behalf_state *state;
	struct iob_behalf *b;
	unsigned int i;

	if (!t)
		return;
	state = behalf_state_of(t);
	b = behalf_push(t, regs);
	b->common = true;
	b->ends = ends;
	/* inside the end of that transaction, though others join the next one */
	for (i = 1; i < IOB_MAX_BEHALFS; i++) {
		if (state->behalf[i].tid) {
			b->tid = behalf_outer_tid(state, regs);
			break;
		}
	}
	/* which log it is shows when the task changes something */
	if (ends && state->common)
		behalf_end_transaction(t, b, state->common);
}

/**
 * iob_behalf_ends - others take part in the next transaction from here on
 *
 * The call that ends the transaction, see iob_behalf_common(), has begun and goes on.  Which log it
 * is shows when the task changes something, before or after.  From a probe, inside iob_read_lock().
 */
void iob_behalf_ends(void)
{
	struct iob_task *t = iob_task_get();
	struct behalf_state *state;
	struct iob_behalf *b;
	unsigned int i;

	if (!t)
		return;
	state = behalf_state_of(t);
	for (i = 0; i < state->nr && !state->behalf[i].common; i++)
		;
	if (i == state->nr)
		return;
	b = &state->behalf[i];
	b->ends = true;
	if (state->common)
		behalf_end_transaction(t, b, state->common);
}

/* The task is about to end a transaction; of which log is not known yet. */
void iob_behalf_none(void)
{
	struct iob_task *t = iob_task_get();
	struct behalf_state *state;
	unsigned int i;

	if (!t)
		return;
	state = behalf_state_of(t);
	state->common = NULL;
	/* nor is it the transaction that was ended last */
	for (i = 0; i < IOB_MAX_BEHALFS; i++)
		state->behalf[i].tid = 0;
}

static void behalf_close(struct iob_task *t)
{
	struct behalf_state *state = behalf_state_of(t);
	struct iob_behalf *b;

	if (!t->acted_on_behalf)
		return;
	for (b = state->behalf; b < state->behalf + IOB_MAX_BEHALFS; b++) {
		if (!b->open)
			continue;
		*b = (struct iob_behalf){ };
		iob_dirty_not_cacheable(t);
	}
}

/**
 * iob_behalf_inode - the task begins to write an inode, or has ended that
 * @inode: the inode, NULL for the end
 *
 * In between, the task acts on behalf of the act that changed the inode.  From a probe,
 * inside iob_read_lock().
 */
void iob_behalf_inode(struct inode *inode)
{
	struct iob_task *t = iob_task_get();
	struct iob_behalf *b;

	if (t && !inode)
		behalf_close(t);
	if (!t || !inode || !iob_disk_watches(inode))
		return;
	b = behalf_push(t, NULL);
	b->ref = iob_cause_of_inode(iob_assoc_get_last(&iob_assoc_inode, inode, 0), inode);
	b->open = true;
	/* (on 5.10 they may stop to wait without a word) */
	if (b->ref == IOB_CAUSE_NONE)
		b->ref = iob_times_take(inode, true);
	/* these have changed since the inode became dirty: most likely by the same */
	if (b->ref != IOB_CAUSE_NONE && iob_inode_times_wait(inode))
		iob_times_note(inode, b->ref);
}

/* Of iob_behalf_active(): the task acted on another's behalf before. */
struct iob_behalf *iob_behalf_find_active(struct iob_task *t, const struct iob_stack *stack)
{
	struct behalf_state *state = behalf_state_of(t);
	unsigned int i;

	for (i = 0; i < IOB_MAX_BEHALFS; i++) {
		struct iob_behalf *b = &state->behalf[i];

		/* one that does not know leaves it to the next */
		if (b->ref == IOB_CAUSE_NONE && !b->common)
			continue;
		if (behalf_is_under_way(state->behalf, i, stack, NULL))
			return b;
	}
	return NULL;
}

/*
 * The participant that logged the most: of the transaction that @b ends, or of the
 * running one.
 */
static u64 behalf_participant(struct iob_task *t, struct iob_behalf *b,
			      const struct inode *inode)
{
	const void *key = inode->i_sb;

	if (!b || !b->common)
		return iob_transaction_most(key, iob_transaction_now(key));
	behalf_state_of(t)->common = key;
	if (b->ends && iob_is_metadata(inode))
		behalf_end_transaction(t, b, key);
	else if (!b->tid)
		b->tid = iob_transaction_now(key);
	return iob_transaction_most(key, b->tid);
}

/*
 * Whether the participants pay for what becomes dirty of @inode.  The end of a transaction changes
 * more than metadata: files with what is free, or with quota.  Elsewhere a worker of the file
 * system does it; other kernel threads have reasons of their own.
 */
static bool behalf_is_shared(const struct iob_behalf *b, const struct inode *inode)
{
	if (b && b->common)
		return iob_has_metadata(inode->i_sb);
	return current->flags & PF_WQ_WORKER && iob_is_metadata(inode);
}

/* Of iob_behalf_cause(): the task acts on another's behalf, or changes metadata. */
u64 iob_behalf_find_cause(struct iob_task *t, struct iob_behalf *b,
			  const struct inode *inode)
{
	u64 ref = b ? b->ref : IOB_CAUSE_NONE;

	if (inode && ref == IOB_CAUSE_NONE && behalf_is_shared(b, inode))
		ref = behalf_participant(t, b, inode);
	return behalf_inherited(t, ref, b && b->sure);
}

/**
 * iob_behalf_parent_cause - the cause that pays for a byte of the parent request
 * @t:    the context of a task that carries it out
 * @pos:  the byte's place in the file
 *
 * Inside iob_read_lock().  Return: as iob_behalf_cause().
 */
u64 iob_behalf_parent_cause(struct iob_task *t, u64 pos)
{
	const struct iob_parent_io *p = iob_parent_io_of(t);

	/* the first page may begin before the request does */
	return behalf_inherited(t, iob_origin_at(&p->origin, max(pos, p->pos) - p->pos), false);
}

/* The log whose transaction the task changed last, or NULL.  Inside iob_read_lock(). */
const void *iob_behalf_common_key(const struct iob_task *t)
{
	return behalf_state_of(t)->common;
}

/**
 * iob_behalf_current - which cause pays for metadata that the current task changes now
 * @regs: as they were at the entry of the function that changes it
 *
 * For what is no page of a block device's cache.  From a probe, inside iob_read_lock().
 * Return: a reference without a tag; IOB_CAUSE_NONE for a worker or kswapd that acts on no one's
 * behalf, and for a kernel thread that ends a transaction.
 */
u64 iob_behalf_current(struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_stack stack IOB_UNINIT;
	struct iob_behalf *b;
	u64 ref;

	if (!t)
		return IOB_CAUSE_NONE;
	iob_stack_get(&stack, regs);
	b = iob_behalf_active(t, &stack);
	ref = iob_behalf_cause(t, b, NULL);
	if (ref != IOB_CAUSE_NONE || iob_hands_on())
		return ref;
	if (current->flags & PF_KTHREAD && b && b->common)
		return IOB_CAUSE_NONE;
	return iob_task_own_cause(t, iob_stack_intent(&stack, 0));
}

/**
 * iob_behalf_join - the current task changes an inode, or data of it, without a dirty page
 * @sb:   of the inode, which iob_disk_watches(); it is not freed meanwhile
 * @regs: as they were at the function's entry
 *
 * A worker, or the end of the transaction, changes the metadata later.  Where they are pages of
 * a block device (s_bdev), other hooks tell for whom.  From a probe, inside iob_read_lock().
 */
void iob_behalf_join(const struct super_block *sb, struct pt_regs *regs)
{
	if (!sb->s_bdev)
		iob_transaction_join(sb, iob_transaction_now(sb), iob_behalf_current(regs));
}

/**
 * iob_behalf_join_once - the current task changes what its transaction copies once, in the end
 * @sb:     as of iob_behalf_join()
 * @kind:   notes in which transaction a role has changed an object
 * @object: its address
 * @hash:   of its file: another one may get the address
 * @regs:   as they were at the function's entry
 *
 * Further changes of the same object by the same role in the same transaction do not count.
 * From a probe, inside iob_read_lock().
 */
void iob_behalf_join_once(const struct super_block *sb, const struct iob_assoc_kind *kind,
			  const void *object, u32 hash, struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	u32 tid = iob_transaction_now(sb);
	u64 sub, in;

	if (!t)
		return;
	sub = iob_task_role(t) ^ (u64)hash << 32;
	in = iob_transaction_unique(sb, tid);
	if (in && iob_assoc_get(kind, object, sub) == ~in)
		return;
	iob_transaction_join(sb, tid, iob_behalf_current(regs));
	/* The log may have begun with that.  (No cause has that number as its id.) */
	in = iob_transaction_unique(sb, tid);
	if (in)
		iob_assoc_set(kind, object, sub, ~in);
}

/* The active behalf of the current task, or NULL.  From a probe, in iob_read_lock(). */
static noinline_for_stack const struct iob_behalf *behalf_at(struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct iob_stack stack IOB_UNINIT;

	if (!t)
		return NULL;
	iob_stack_get(&stack, regs);
	return iob_behalf_active(t, &stack);
}

/* Whether the task may be in a call that knows for certain for whom. */
static bool behalf_may_be_sure(const struct iob_task *t)
{
	const struct behalf_state *state = behalf_state_of(t);
	unsigned int i;

	for (i = 0; i < state->nr && !state->behalf[i].sure; i++)
		;
	return i < state->nr || iob_parent_io_of(t)->call.ret;
}

/**
 * iob_behalf_is_known - whether the originator of the current task's changes is known
 * @regs: as they were at the function's entry
 *
 * A worker changes things for others, and other kernel threads may.  For which is certain only if
 * it carries out a parent request, or ends a direct write: otherwise the act that was noted before
 * is the better guess of a worker's.  From a probe, inside iob_read_lock().
 */
bool iob_behalf_is_known(struct pt_regs *regs)
{
	const struct iob_behalf *b;
	struct iob_task *t;

	if (!(current->flags & PF_KTHREAD))
		return true;
	t = iob_task_get();
	if (!t || !behalf_may_be_sure(t))
		return false;
	b = behalf_at(regs);
	return b && (b->parent || b->sure);
}

/**
 * iob_behalf_is_common - whether the current task ends a transaction
 * @regs: as they were at the function's entry
 *
 * From a probe, inside iob_read_lock().
 */
bool iob_behalf_is_common(struct pt_regs *regs)
{
	const struct iob_behalf *b = behalf_at(regs);

	return b && b->common;
}

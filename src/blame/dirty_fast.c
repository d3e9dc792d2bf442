// SPDX-License-Identifier: GPL-2.0
/*
 * Most pages are dirtied like the one before, by the same act: by the same stack,
 * intent, file and role.  And many in one call of vfs_write(), in which the outer half
 * of the stack need not be looked at again.
 *
 * What is noted at the second page of a call is its stack from the probe up to
 * vfs_write(), how deep it is, and how many such calls the task has ended.  When
 * another page is dirtied at the same depth, and
 *
 * - the return addresses are the same from the innermost up to that into vfs_write(),
 *   then the unwinder comes to vfs_write() as it did: up to there the rules count
 *   from the stack pointer alone, see memo.c;
 * - no call was ended since, then it is the same call of vfs_write().  Had that one
 *   returned, it would have counted itself, as it had called the file's own write:
 *   the function that it called is a module's, and it calls nothing else of modules.
 *   (What it calls before may send it back uncounted: that is the kernel's.);
 *
 * then what is above has not changed, as none of it has returned.  The role is the
 * same, too: a task changes its user role by a write() of its own.  That the act is
 * not dead, that the file is watched, and that no code has come or gone the epoch says.
 *
 * A file system that is built in, and what no vfs_write() does, has its stack compared
 * in full each time.
 */
#include "core/act.h"
#include "dirty.h"
#include "core/intent.h"
#include "dirty_fast.h"
#include "stack/stack.h"

/* vfs_write(), once it is found */
static struct iob_code writer;

/**
 * iob_dirty_fast_found - where vfs_write() is
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_dirty_fast_found(unsigned long func)
{
	iob_code_publish(func, &writer);
}

/**
 * iob_dirty_fast_note - the next page is most probably dirtied like this one
 * @t:      the current task's context
 * @intent: a plain one, see iob_task_is_cacheable()
 * @inode:  the page's
 * @id:     the act
 *
 * What metadata's inodes may have for a number, and block devices, is not
 * remembered.  Inside iob_read_lock().
 */
void iob_dirty_fast_note(struct iob_task *t, u32 intent, const struct inode *inode,
		     u64 id)
{
	struct iob_dirty_fast *r = &t->dirty_fast;
	u32 now = iob_epoch_now();
	struct iob_act *act = iob_act_id(id);

	iob_dirty_fast_end(r);
	if (!act || id <= IOB_ACT_LOST || READ_ONCE(act->dead) ||
	    act->intent != intent || act->role != t->role ||
	    inode->i_ino <= 2 || iob_is_bdev(inode) || iob_is_metadata(inode))
		return;
	r->epoch = now;
	r->intent = intent;
	r->role = act->role;
	r->ino = act->file.ino;
	r->dev = act->file.dev;
	r->gen = act->file.gen;
	r->nr = iob_id_nr(id);
	r->act = act;
	r->touched = jiffies;
	iob_act_touch(act);
}

/* How many of its addresses lead to vfs_write() and the last into it; 0: none. */
static unsigned int addresses_to_write(const struct iob_stack_slot *m)
{
	unsigned int i;

	for (i = m->own; i < m->nr_low; i++) {
		if (iob_code_has(&writer, m->ip[i]))
			break;
	}
	/* what counts from the frame pointer is above, as there is but one */
	if (i == m->nr_low || i == m->own || m->nr_low == m->nr)
		return 0;
	return iob_in_modules(m->ip[i - 1]) ? i + 1 : 0;
}

/**
 * iob_dirty_fast_note_call - within one write() a page was dirtied like the last one
 * @r:  what was noted of that
 * @m:  the stack that both have
 * @sp: where it begins
 *
 * Inside iob_read_lock(), preemption off.
 */
void iob_dirty_fast_note_call(struct iob_dirty_fast *r, const struct iob_stack_slot *m,
			  unsigned long sp)
{
	unsigned int i, nr = addresses_to_write(m);

	r->sp = 0;
	r->ended = iob_writes_ended(current);
	if (!nr || nr > ARRAY_SIZE(r->addr))
		return;
	for (i = 0; i < m->nr_guards; i++) {
		if (!m->guard[i].to_end)
			return;
	}
	for (i = 0; i < nr; i++) {
		r->addr[i] = m->ip[i];
		r->place[i] = m->place[i];
	}
	/* so many are compared at once: some of them twice, if need be */
	for (; nr % IOB_DIRTY_FAST_STEP; nr++) {
		r->addr[nr] = r->addr[nr - 1];
		r->place[nr] = r->place[nr - 1];
	}
	r->nr_addr = nr;
	r->sp = sp;
}

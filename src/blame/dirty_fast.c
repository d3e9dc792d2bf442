// SPDX-License-Identifier: GPL-2.0
/*
 * Why iob_dirty_fast_goes_on() may leave out the outer half of the stack:
 *
 * At the second page of one call of vfs_write(), three things are noted: the return
 * addresses from the probe up to the one into vfs_write(), the stack pointer, and how many
 * calls of vfs_write() the task has ended.  Say another page is dirtied at the same stack
 * pointer.
 *
 * - If these addresses are the same, then the unwinder comes to vfs_write() as it did: up
 *   to there its rules count from the stack pointer alone, see stack/slot.c.
 * - If no call has ended since, then it is the same call of vfs_write().  A call that
 *   returned would have counted itself, because it had called the file's own write or
 *   write_iter: the function that vfs_write() called is a module's, and vfs_write() calls
 *   no other function of a module.  (It may fail uncounted before that, in the kernel's
 *   own functions.)
 *
 * Then the frames above are the same, as none of them has returned.  The role is the same:
 * a task changes its user role by a write() of its own.  The epoch says that the cause is not
 * dead, that the file is watched, and that no code has come or gone.
 *
 * This does not work for a file system that is built into the kernel, nor for what is not
 * called by vfs_write(): the whole stack is compared for each page then.
 */
#include "core/cause.h"
#include "core/code.h"
#include "core/metadata.h"
#include "dirty_fast.h"

/* vfs_write(), once it is found */
static struct iob_code writer;

static void dirty_fast_renew(void *part)
{
	iob_dirty_fast_end(part);
}

static struct iob_task_part dirty_fast_part = {
	.name = "dirty_fast",
	.size = sizeof(struct iob_dirty_fast),
	.offset = offsetof(struct iob_task, room_dirty),
	.renew = dirty_fast_renew,
	.new_role = dirty_fast_renew,
};

/* Module load, before iob_tasks_init().  Return: 0 or -E2BIG. */
int iob_dirty_fast_init(void)
{
	return iob_task_part_add(&dirty_fast_part);
}

/**
 * iob_dirty_fast_found - set where vfs_write() is
 * @func: its address
 *
 * May sleep; probes may run.
 */
void iob_dirty_fast_found(unsigned long func)
{
	iob_code_publish(func, &writer);
}

/**
 * iob_dirty_fast_note - remember the cause of a page for the next one
 * @t:      the current task's context
 * @intent: a cacheable one, see iob_dirty_is_cacheable()
 * @inode:  the page's
 * @ref:    a reference to the cause, with the tag of the page's file
 *
 * Metadata and block devices are not remembered.  Inside iob_read_lock().
 */
void iob_dirty_fast_note(struct iob_task *t, u32 intent, const struct inode *inode,
			 u64 ref)
{
	struct iob_dirty_fast *r = iob_dirty_fast_of(t);
	u32 now = iob_epoch_now();
	struct iob_cause *cause = iob_cause_of(ref);

	iob_dirty_fast_end(r);
	if (!cause || ref <= IOB_CAUSE_LOST || READ_ONCE(cause->dead) ||
	    cause->intent != intent || cause->role != t->role || !iob_task_has_role(t) ||
	    iob_is_metadata(inode) || iob_is_bdev(inode))
		return;
	r->epoch = now;
	r->intent = intent;
	r->ino = inode->i_ino;
	r->dev = inode->i_sb->s_dev;
	r->gen = inode->i_generation;
	r->entry = (u32)ref;
	r->cause = cause;
	r->touched = jiffies;
	iob_cause_touch(cause);
}

/*
 * The number of innermost addresses of @slot up to and with the one in vfs_write(), 0 if that
 * is not what iob_dirty_fast_goes_on() may compare.
 */
static unsigned int addresses_to_write(const struct iob_stack_slot *slot)
{
	unsigned int i;

	for (i = slot->own; i < slot->nr_low; i++) {
		if (iob_code_has(&writer, slot->ip[i]))
			break;
	}
	/* without a hinge (see stack/slot.c) it is no system call */
	if (i == slot->nr_low || i == slot->own || slot->nr_low == slot->nr)
		return 0;
	return iob_in_modules(slot->ip[i - 1]) ? i + 1 : 0;
}

/**
 * iob_dirty_fast_note_call - a second page was dirtied like the first by one write()
 * @r:    what is remembered of the first
 * @slot: the stack that both have
 * @sp:   the stack pointer of the probe
 *
 * Inside iob_read_lock(), preemption off.
 */
void iob_dirty_fast_note_call(struct iob_dirty_fast *r, const struct iob_stack_slot *slot,
			      unsigned long sp)
{
	unsigned int i, nr = addresses_to_write(slot);

	r->sp = 0;
	r->ended = iob_writes_ended(current);
	if (!nr || nr > ARRAY_SIZE(r->addr))
		return;
	/* inside the hinge, each frame that counts from the frame pointer has a guard */
	for (i = 0; i < slot->nr_guards; i++) {
		if (!slot->guard[i].to_end)
			return;
	}
	for (i = 0; i < nr; i++) {
		r->addr[i] = slot->ip[i];
		r->place[i] = slot->place[i];
	}
	/* fill up the last step: some words are compared twice */
	for (; nr % IOB_DIRTY_FAST_STEP; nr++) {
		r->addr[nr] = r->addr[nr - 1];
		r->place[nr] = r->place[nr - 1];
	}
	r->nr_addr = nr;
	r->sp = sp;
}

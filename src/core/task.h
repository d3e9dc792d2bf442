/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task - what ioblame keeps of each task from one probe to the next
 *
 * A task's context is made at the task's first probe and freed with the task_struct.  The
 * task itself writes it, with preemption off.  Other tasks read .user only, when they make
 * the context of a child or of a worker of io_uring.
 *
 * Example: task 812 dirties its first page.  No context has the task_struct's address as its
 * key: one is made, and its .role, .cause and so on are looked up.  At the second page the
 * context is found by the address, .cause is still alive, and nothing else is looked up.  Then
 * the task execs: its .role is looked up again, because it has another name now.
 */
#ifndef IOB_CORE_TASK_H
#define IOB_CORE_TASK_H

#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include <compat/rcu.h>

#include "cause.h"
#include "code.h"
#include "epoch.h"

/* bytes of the parts that each dirtied page and each direct IO looks at */
#define IOB_ROOM_DIRTY	240
#define IOB_ROOM_DIRECT	144

/* a file that is made is changed by some four stacks; a power of 2 */
#define IOB_TASK_CAUSES	8

struct iob_task {
	struct hlist_node hash;
	struct rcu_head rcu;
	const struct task_struct *task;	/* key */
	u32 session;		/* what follows holds in this session only, but .user */
	u32 modifier;		/* of the writeback work at hand, or 0 */
	u32 serves;		/* IOB_SERVES_*, see iob_task_serve() */
	bool acted_on_behalf;	/* it did, in this session: see blame/behalf */
	bool role_guessed;	/* .role may be another thread's: see task_find_role() */
	u64 role;		/* id, the last one; valid by iob_task_has_role() */
	s32 user;		/* user role, 0 for none: outlives sessions */
	pid_t pid;		/* the task's when .role was set; 0: .role is not valid */
	u32 role_epoch;		/* when .role was looked up: see core/epoch */
	u32 role_failed;	/* jiffies | 1 when no role could be made, or 0 */
	unsigned long direct;	/* while this return address is on the stack, */
	struct iob_file file;	/* direct IO is this file's */
	/* the last answers of iob_task_cause(), by intent */
	u64 cause[IOB_TASK_CAUSES];
	u32 cause_intent[IOB_TASK_CAUSES];
	/* parts at a fixed place: see struct iob_task_part */
	u64 room_dirty[IOB_ROOM_DIRTY / sizeof(u64)];	/* of blame/dirty_fast */
	u64 room_direct[IOB_ROOM_DIRECT / sizeof(u64)];	/* of io/fast */
};

/*
 * What a unit keeps of each task: a part of the task's context that this unit alone looks
 * into.  Parts follow struct iob_task in memory; iob_task_part_add() says where.  All bytes
 * of a part are 0 when the task is first met in a session, then @renew is called.
 *
 * Example: a file system keeps 88 bytes.  .offset becomes 512, say, and the part of the task at
 * address 0x1000 is at 0x1200.
 *
 * A part with a room in struct iob_task sets .offset itself, so that the compiler knows
 * it:  .offset = offsetof(struct iob_task, room_dirty).  The owner asserts that the part
 * fits, and gets at it by a cast of the room.
 */
struct iob_task_part {
	const char *name;
	size_t size;			/* bytes */
	size_t offset;			/* from struct iob_task; 0: set by iob_task_part_add() */
	void (*renew)(void *part);	/* set what is not 0 at first, or NULL */
	void (*free)(void *part);	/* give back what the part owns, or NULL */
	void (*new_role)(void *part);	/* the task changes its role: forget it, or NULL */
};

/* A unit's part of @t.  Any context that may look at @t. */
static __always_inline void *iob_task_part_of(const struct iob_task *t,
					      const struct iob_task_part *part)
{
	return (void *)t + part->offset;
}

int iob_task_part_add(struct iob_task_part *part);
int iob_tasks_init(void);
void iob_tasks_exit(void);
void iob_tasks_new_session(void);

/* The hash table, constant while the module is loaded: a bucket for each task of a full host. */
struct iob_task_table {
	struct hlist_head *bucket;
	unsigned long mask;	/* the number of buckets, a power of 2, less 1 */
};

#define IOB_TASK_BITS	16	/* there are no more than 2^16 buckets */

extern struct iob_task_table iob_tasks;
extern u32 iob_tasks_session;

struct iob_task *iob_task_make(void);

static inline struct hlist_head *iob_task_bucket(const struct task_struct *task)
{
	/* hash_ptr() needs one instruction more for its constant */
	return &iob_tasks.bucket[(u64)(unsigned long)task * GOLDEN_RATIO_32 >> 32 &
				 iob_tasks.mask];
}

/* The context of a task, or NULL; it may be of an earlier session.  Inside iob_read_lock(). */
static inline struct iob_task *iob_task_peek(const struct task_struct *task)
{
	struct iob_task *t;

	hlist_for_each_entry_rcu(t, iob_task_bucket(task), hash,
				 iob_read_held()) {
		if (t->task == task)
			return t;
	}
	return NULL;
}

/* True if a context is of this session.  Any context. */
static inline bool iob_task_is_of_session(const struct iob_task *t)
{
	return READ_ONCE(t->session) == READ_ONCE(iob_tasks_session);
}

/**
 * iob_task_get - the current task's context
 *
 * Makes the context if it is new.  Any context, inside iob_read_lock().  Return: NULL in an
 * interrupt, where the current task is not the cause, or without memory (counted).
 */
static inline struct iob_task *iob_task_get(void)
{
	struct iob_task *t;

	if (!in_task())
		return NULL;
	t = iob_task_peek(current);
	return likely(t && iob_task_is_of_session(t)) ? t : iob_task_make();
}

/* Reasons why IO that the task submits may belong to other tasks: bits of .serves. */
enum {
	IOB_SERVES_WRITEBACK	= 1,	/* it writes back: .modifier is set */
	IOB_SERVES_TRANSACTION	= 2,	/* it writes a transaction of a journal */
	IOB_SERVES_PARENT	= 4,	/* it carries out requests of a disk above */
};

/* True if IO that the task submits may belong to other tasks. */
static inline bool iob_task_serves(const struct iob_task *t)
{
	return t->serves;
}

/* Set or clear one reason.  By the task itself, inside iob_read_lock(). */
static inline void iob_task_serve(struct iob_task *t, u32 reason, bool on)
{
	if (on)
		t->serves |= reason;
	else
		t->serves &= ~reason;
}

/* Begin a writeback work with this modifier, 0: end it.  Likewise. */
static inline void iob_task_set_modifier(struct iob_task *t, u32 modifier)
{
	t->modifier = modifier;
	iob_task_serve(t, IOB_SERVES_WRITEBACK, modifier);
}

/*
 * True if .role is the task's role: in the epoch in which it was looked up, neither name nor
 * cgroup of the task have changed, and the role was not reclaimed.  By the task itself.
 */
static __always_inline bool iob_task_has_role(const struct iob_task *t)
{
	/* ->pid: a thread that execs takes over its leader's */
	return t->pid == current->pid && t->role_epoch == iob_epoch_now();
}

void iob_task_free(const struct task_struct *task);
void iob_task_renamed(struct task_struct *task, const char *comm);
void iob_task_moved(struct task_struct *task, bool all, u64 cgroup);
void iob_task_fork(const struct task_struct *parent,
		   const struct task_struct *child);
int iob_task_set_user(s32 user);
s32 iob_task_user(void);

u64 iob_task_role(struct iob_task *t);
u64 iob_task_find_cause(struct iob_task *t, u32 intent);

/**
 * iob_task_cause - the current task's cause with an intent
 * @t:      its context
 * @intent: number of the intent
 *
 * Inside iob_read_lock().  Return: a reference, see iob_cause_get().
 */
static inline u64 iob_task_cause(struct iob_task *t, u32 intent)
{
	u32 at = intent % IOB_TASK_CAUSES;
	struct iob_cause *cause;

	if (likely(t->cause_intent[at] == intent && iob_task_has_role(t))) {
		cause = iob_cause_of(t->cause[at]);
		if (likely(cause && cause->role == t->role &&
			   !READ_ONCE(cause->dead))) {
			iob_cause_touch(cause);
			return t->cause[at];
		}
	}
	return iob_task_find_cause(t, intent);
}

/* The same of what the task does for itself: inherited if its role is a guess. */
static inline u64 iob_task_own_cause(struct iob_task *t, u32 intent)
{
	u64 ref = iob_task_cause(t, intent);

	return unlikely(t->role_guessed) && ref > IOB_CAUSE_LOST ? ref | IOB_CAUSE_INHERITED : ref;
}

#endif

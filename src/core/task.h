/* SPDX-License-Identifier: GPL-2.0 */
/*
 * task - what a task is about, kept from one probe to the next
 *
 * A task's context is written by the task itself alone, with preemption off;
 * others only read its user role when they fork from it.
 */
#ifndef IOB_CORE_TASK_H
#define IOB_CORE_TASK_H

#include <linux/build_bug.h>
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include <compat/rcu.h>

#include "act.h"
#include "code.h"
#include "epoch.h"
#include "blame/transaction.h"
#include "stack/slot.h"
#include "blame/origin.h"

#define IOB_MAX_BEHALFS	4

/* bytes of the parts that each dirtied page and each direct IO looks at */
#define IOB_ROOM_DIRTY	240
#define IOB_ROOM_DIRECT	128

/* For whom the task changes metadata: set on entry to a function. */
struct iob_behalf {
	struct iob_call call;	/* valid until it returns, or: */
	bool open;		/* until it is closed */
	bool backing;		/* by place in a file: iob_task.backing */
	bool common;		/* for all who took part, see blame/log: */
	bool turn;		/* and it is the end of their transaction */
	u32 tid;		/* that one, once it is known */
	u64 act;		/* for him, IOB_ACT_NONE: for nobody else */
};

/* What the task is at in xfs: of hooks/xfs alone. */
struct iob_xfs {
	const void *buf;	/* inodes are copied into this buffer */
	const void *log;	/* a transaction is added to this log: */
	u64 act;		/* for that act */
	u64 seq;		/* this checkpoint is written to the log */
	const void *freer;	/* this transaction frees so many blocks: */
	u32 freed;
	u32 committed;		/* so many were freed by the one above */
	struct iob_call done;	/* until it returns, a checkpoint is ended: */
	const void *done_log;
	u64 done_seq;
};

/*
 * A disk is a file: the task reads or writes that file for a request to the
 * disk.  Of record/loop alone, but for who pays.
 */
struct iob_backing {
	const struct request *mine;	/* it has no other; NULL: any */
	struct iob_call call;	/* until it returns, it is for a request */
	const struct request *rq;	/* this one, if it is direct IO, else NULL */
	u64 pos;		/* which begins here in the file, */
	u32 bytes;		/* has so many, */
	u64 next;		/* and is done up to here */
	const struct file *file;	/* in this one; NULL: all at once */
	const struct bio *bio;	/* its first, as long as that has a flight */
	u64 sector;		/* where that begins */
	struct iob_origin origin;	/* who pays for them */
};

/* Device mapper reads or writes for a bio: of record/copy. */
struct iob_copy {
	struct iob_call call;	/* until it returns, */
	const struct dm_io_region *where;	/* in these places, */
	u32 nr;
	u32 bytes;		/* so many in each */
	struct iob_origin origin;	/* who pays for them */
};

/* A range of a file system's own addresses is discarded: of blame/freed. */
struct iob_freeing {
	struct iob_call call;	/* until it returns */
	bool own;		/* for the task itself */
	const void *space;
	u64 start, end;
	u64 pos;		/* the next bio begins here */
};

/* What btrfs has compressed: of blame/compressed. */
struct iob_compressed {
	u64 bytes;		/* a worker writes, of so many before: */
	struct iob_origin origin;	/* who dirtied them, as far as known, */
	struct iob_file written;	/* in this file, */
	bool fresh;		/* and they have not been submitted yet */
	struct iob_file file;	/* the task has last begun to read this */
};

/* By which stacks a task does the same IO: one, or two by turns. */
struct iob_fast_stacks {
	unsigned long turn;	/* not 0 if there are two: the first has this */
	u16 turn_place;		/* there, in words above sp */
	struct iob_signature one[2];
};

/* each task that repeats a direct IO has them: with a word more they would be 2 KiB */
static_assert(sizeof(struct iob_fast_stacks) <= 1024);

/*
 * The task's last direct IO, in which the next one mostly equals it: what is
 * compared, and what came of it.  Of record/quick alone.
 */
struct iob_fast {
	dev_t dev;
	u32 intent;
	bio_end_io_t *end;
	union {
		struct {
			u32 epoch;	/* nothing of it holds in another one */
			u8 op;
		};
		u64 kind;	/* as of its flight, */
	};
	union {
		struct {
			u32 opf;
			u32 pid;	/* the task's */
		};
		u64 what;	/* likewise */
	};
	u64 start, sectors;	/* watched; beyond may be something else */
	unsigned long direct;	/* iob_task.direct, */
	struct iob_file file;	/* and its file, if that is not 0 */
	struct iob_disk *disk;
	struct iob_act *act;	/* while it is this epoch */
	u64 id;			/* the act's */
	const struct file *backing;	/* of a loop device, see iob_loop_file_of_now() */
	u8 set;			/* in which its stack is looked for, */
	u8 missed;		/* so often was it none of these: */
	struct iob_fast_stacks *stacks;	/* ours, or NULL */
};

struct iob_task {
	struct hlist_node hash;
	struct rcu_head rcu;
	const struct task_struct *task;	/* key */
	u32 session;		/* what follows is of that session only */
	u32 modifier;		/* of the writeback work at hand, or 0 */
	u64 role;		/* id; valid while pid and cgroup are the same */
	s32 user;		/* user role, 0 for none: outlives sessions */
	pid_t pid;
	unsigned long direct;	/* while this is on the stack, */
	struct iob_file file;	/* direct IO is this file's */
	struct iob_behalf behalf[IOB_MAX_BEHALFS];	/* the last one first */
	bool behalf_used;		/* has been in one in this session */
	struct iob_transaction_write writes;
	struct iob_xfs xfs;
	struct iob_freeing freeing;
	struct iob_backing backing;
	struct iob_copy copy;
	struct iob_compressed compressed;
	const void *common;	/* whose transaction it has last changed for */
	/* its clean folio whose pages were just noted one by one */
	const void *ranged;
	unsigned long stored;	/* in a fault: into this page frame of a large folio */
	/* the last act: most dirtying repeats */
	u64 act;
	u32 act_intent;
	struct iob_file act_file;
	struct iob_fast fast;
	/* parts at a fixed place: see struct iob_task_part */
	u64 room_dirty[IOB_ROOM_DIRTY / sizeof(u64)];	/* of blame/dirty_fast */
	u64 room_direct[IOB_ROOM_DIRECT / sizeof(u64)];	/* of io/fast */
};

/*
 * What a unit keeps of each task: a part of the task's context that this unit alone looks
 * into.  Parts follow struct iob_task in memory; iob_task_part_add() says where.  All bytes
 * of a part are 0 when the task is first met in a session, then @renew is called.
 *
 * Example: xfs keeps 88 bytes.  .offset becomes 512, say, and the part of the task at
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

#define IOB_TASK_BITS	12

extern struct hlist_head iob_tasks[1 << IOB_TASK_BITS];
extern u32 iob_tasks_session;

struct iob_task *iob_task_make(void);

static inline struct hlist_head *iob_task_bucket(const struct task_struct *task)
{
	return &iob_tasks[hash_ptr(task, IOB_TASK_BITS)];
}

/* The context of a task if it has one.  In iob_read_lock(). */
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

/**
 * iob_task_get - the current task's context
 *
 * Any context, inside iob_read_lock().  Return: NULL in an interrupt, where
 * the current task has nothing to do with what happens, or without memory
 * (counted).
 */
static inline struct iob_task *iob_task_get(void)
{
	struct iob_task *t;

	if (!in_task())
		return NULL;
	t = iob_task_peek(current);
	return likely(t && t->session == iob_tasks_session) ? t :
							      iob_task_make();
}

/* Whether what the task writes may be on another's behalf. */
static inline bool iob_task_serves(const struct iob_task *t)
{
	return t->modifier | (unsigned long)t->writes.key | t->backing.call.ret;
}

void iob_task_free(const struct task_struct *task);
void iob_task_fork(const struct task_struct *parent,
		   const struct task_struct *child);
int iob_task_set_user(s32 user);
s32 iob_task_user(void);

u64 iob_task_role(struct iob_task *t);
u64 iob_task_find_act(struct iob_task *t, u32 intent,
		      const struct iob_file *file);

/**
 * iob_task_act - the current task's act with an intent on a file
 * @t:      its context
 * @intent: number of the intent
 * @file:   the file
 *
 * Inside iob_read_lock().  Return: an id, see iob_act_get().
 */
static inline u64 iob_task_act(struct iob_task *t, u32 intent,
			       const struct iob_file *file)
{
	struct iob_act *act;

	/* a thread that execs takes over its leader's pid */
	if (likely(t->act_intent == intent && t->pid == current->pid &&
		   iob_file_same(&t->act_file, file))) {
		act = iob_act_id(t->act);
		if (likely(act && act->role == t->role &&
			   !READ_ONCE(act->dead))) {
			iob_act_touch(act);
			return t->act;
		}
	}
	return iob_task_find_act(t, intent, file);
}

#endif

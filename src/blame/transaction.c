// SPDX-License-Identifier: GPL-2.0
/*
 * A log is known by a key: a pointer that is compared and never followed.  For each log
 * the last eight transactions are kept: a journal has two at a time, one that runs and one
 * that is committed; other logs write a few at once, and a block may hold the
 * end of one and the beginning of the next: then the participants of both pay.
 *
 * The task whose fsync forces a commit does not pay for it: without the fsync the same
 * blocks are written some seconds later.
 *
 * G: transactions_lock.
 */
#include <linux/blkdev.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "core/cause.h"
#include "share.h"
#include "transaction.h"

#define MAX_LOGS		64
#define MAX_PARTICIPANTS	8	/* roles; those that come later share nothing */
#define NR_LAST			8

struct iob_assoc_kind iob_assoc_log_block = { .name = "log block" };

struct iob_task_part iob_transaction_part = {
	.name = "transaction",
	.size = sizeof(struct iob_transaction_write),
};

struct participant {
	u64 role;
	u64 act;		/* the first one of that role */
	u32 logged;		/* buffers */
};

struct transaction {
	u32 tid;
	u16 nr;
	struct participant participant[MAX_PARTICIPANTS];
};

struct transaction_log {
	const void *key;	/* G; NULL: free */
	u32 used;		/* G: jiffies */
	u32 newest;		/* G: the highest tid */
	u32 now;		/* G: tid of the running transaction, if we count them */
	struct transaction last[NR_LAST];	/* G: by tid */
};

static struct transaction_log *transaction_logs;
static DEFINE_SPINLOCK(transactions_lock);

static struct transaction_log *log_find(const void *key)
{
	unsigned int i;

	lockdep_assert_held(&transactions_lock);
	for (i = 0; i < MAX_LOGS && transaction_logs[i].key; i++) {
		if (transaction_logs[i].key == key)
			return &transaction_logs[i];
	}
	return NULL;
}

/* A new log takes a free place, or that of the log that was idle for longest. */
static struct transaction_log *log_make(const void *key)
{
	struct transaction_log *log = &transaction_logs[0];
	unsigned int i;

	lockdep_assert_held(&transactions_lock);
	for (i = 0; i < MAX_LOGS; i++) {
		struct transaction_log *l = &transaction_logs[i];

		if (!l->key) {
			log = l;
			break;
		}
		if ((s32)(l->used - log->used) < 0)
			log = l;
	}
	memset(log, 0, sizeof(*log));
	log->key = key;
	return log;
}

static void participant_add(struct transaction *t, u64 role, u64 act, u32 logged)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (t->participant[i].role == role) {
			t->participant[i].logged += logged;
			return;
		}
	}
	if (t->nr < MAX_PARTICIPANTS)
		t->participant[t->nr++] = (struct participant){ role, act, logged };
}

/* The participant that logged the most, of at least one. */
static const struct participant *participant_most(const struct transaction *t)
{
	const struct participant *most = &t->participant[0];
	unsigned int i;

	for (i = 1; i < t->nr; i++) {
		if (t->participant[i].logged > most->logged)
			most = &t->participant[i];
	}
	return most;
}

/**
 * iob_transaction_share - an act takes part in a transaction
 * @key:    the log
 * @tid:    which transaction
 * @act:    the act's id
 * @weight: with how much: buffers
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_transaction_share(const void *key, u32 tid, u64 act, u32 weight)
{
	const struct iob_cause *a = iob_cause_of(act);
	struct transaction_log *log;
	struct transaction *t;
	unsigned long flags;

	/* a kernel thread takes part on behalf of a task that is not known */
	if (!a || a->kthread || act <= IOB_CAUSE_LOST)
		return;
	spin_lock_irqsave(&transactions_lock, flags);
	log = log_find(key);
	if (!log)
		log = log_make(key);
	log->used = jiffies;
	/* tids only grow: this is another log at the same address */
	if ((s32)(tid - log->newest) < -NR_LAST)
		memset(log->last, 0, sizeof(log->last));
	if ((s32)(tid - log->newest) > 0 || (s32)(tid - log->newest) < -NR_LAST)
		log->newest = tid;
	t = &log->last[tid % NR_LAST];
	if (t->tid != tid) {
		t->tid = tid;
		t->nr = 0;
	}
	participant_add(t, a->role, act, weight);
	spin_unlock_irqrestore(&transactions_lock, flags);
}

/* Cut @bytes into sectors, in proportion to what was logged. */
static void split_by_participants(struct iob_origin *o, const struct transaction *t,
				  const struct iob_file *file, u32 bytes, u32 modifier)
{
	u32 sectors = bytes >> SECTOR_SHIFT, done = 0;
	u64 sum = 0, logged = 0;
	unsigned int i;

	for (i = 0; i < t->nr; i++)
		sum += t->participant[i].logged;
	if (!sectors)
		iob_origin_add(o, participant_most(t)->act, file, 0, modifier);
	for (i = 0; i < t->nr; i++) {
		const struct participant *p = &t->participant[i];
		u32 end;

		logged += p->logged;
		end = div64_u64(logged * sectors, sum);
		if (end > done)
			iob_origin_add(o, p->act, file,
				       (end - done) << SECTOR_SHIFT, modifier);
		done = end;
	}
}

/* Add the participants of the transactions in @what to @all.  G. */
static void gather_participants(struct transaction *all,
				const struct iob_transaction_write *what)
{
	const struct transaction_log *log = log_find(what->key);
	u32 tid = what->last - what->first < NR_LAST ? what->first : what->last;
	unsigned int i;

	for (; log && (s32)(what->last - tid) >= 0; tid++) {
		const struct transaction *t = &log->last[tid % NR_LAST];

		for (i = 0; t->tid == tid && i < t->nr; i++)
			participant_add(all, t->participant[i].role,
					t->participant[i].act,
					t->participant[i].logged);
	}
}

/**
 * iob_transaction_split - the participants pay for a block that serves them all
 * @o:     gets the shares, under @what's modifier
 * @what:  the log and its transactions
 * @file:  what the log is on
 * @bytes: size of the block
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: false if no participant is known; @o is as it was.
 */
bool iob_transaction_split(struct iob_origin *o,
			   const struct iob_transaction_write *what,
			   const struct iob_file *file, u32 bytes)
{
	struct transaction all = { 0 };
	unsigned long flags;

	spin_lock_irqsave(&transactions_lock, flags);
	gather_participants(&all, what);
	spin_unlock_irqrestore(&transactions_lock, flags);
	if (!all.nr)
		return false;
	split_by_participants(o, &all, file, bytes,
			      what->modifier ? what->modifier : IOB_MODIFIER_JOURNAL);
	return true;
}

/**
 * iob_transaction_now - the number of the running transaction
 * @key: the log of a file system whose own numbers we do not use
 *
 * Any context but NMI, inside iob_read_lock().  Return: a number, never 0.
 */
u32 iob_transaction_now(const void *key)
{
	const struct transaction_log *log;
	unsigned long flags;
	u32 now;

	spin_lock_irqsave(&transactions_lock, flags);
	log = log_find(key);
	now = log ? log->now : 0;
	spin_unlock_irqrestore(&transactions_lock, flags);
	return now + 1;
}

/* End the running transaction.  Return: its number.  As iob_transaction_now(). */
u32 iob_transaction_next(const void *key)
{
	struct transaction_log *log;
	unsigned long flags;
	u32 now = 0;

	spin_lock_irqsave(&transactions_lock, flags);
	log = log_find(key);
	if (log)
		now = log->now++;
	spin_unlock_irqrestore(&transactions_lock, flags);
	return now + 1;
}

/**
 * iob_transaction_most - the participant that logged the most
 * @key: the log
 * @tid: the transaction; the one before it if this one has no participant yet
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: an act's id, IOB_CAUSE_NONE if no participant is known.
 */
u64 iob_transaction_most(const void *key, u32 tid)
{
	struct iob_transaction_write what = { .key = key, .first = tid, .last = tid };
	struct transaction all = { 0 };
	unsigned long flags;

	spin_lock_irqsave(&transactions_lock, flags);
	gather_participants(&all, &what);
	if (!all.nr) {
		what.first = tid - 1;
		what.last = tid - 1;
		gather_participants(&all, &what);
	}
	spin_unlock_irqrestore(&transactions_lock, flags);
	return all.nr ? participant_most(&all)->act : IOB_CAUSE_NONE;
}

/**
 * iob_transaction_begin_write - the task writes these transactions from now on
 * @t:     its context
 * @key:   the log; NULL: it writes none
 * @first: the first transaction
 * @last:  the last one
 *
 * From a probe, inside iob_read_lock().
 */
void iob_transaction_begin_write(struct iob_task *t, const void *key, u32 first, u32 last)
{
	struct iob_transaction_write *w = iob_transaction_writes(t);

	w->key = key;
	w->first = first;
	w->last = last;
	iob_task_serve(t, IOB_SERVES_TRANSACTION, key);
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_transactions_init(void)
{
	transaction_logs = kvcalloc(MAX_LOGS, sizeof(*transaction_logs), GFP_KERNEL);
	return transaction_logs ? 0 : -ENOMEM;
}

/* Forget all transactions.  No probe is attached. */
void iob_transactions_exit(void)
{
	kvfree(transaction_logs);
	transaction_logs = NULL;
}

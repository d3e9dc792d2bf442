// SPDX-License-Identifier: GPL-2.0
/*
 * A block that holds one buffer's copy is paid for by who changed the buffer.
 * Descriptors, commit records and the log's own superblock serve a whole
 * transaction.  They are paid for by those who took part in it, each for as
 * many of the block's sectors as his share of the buffers that were logged.
 * Not by the one whose fsync forced the commit: without him the same blocks
 * would have been written some seconds later.
 *
 * jbd2 has two transactions at a time, one that runs and one that is committed;
 * xfs may write a few at once, and one block of its log may hold the end of one
 * and the beginning of the next: then the participants of both pay.  There is
 * room for the last eight of each log.  A log is a pointer that is compared and
 * never followed.
 *
 * G: logs_lock.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "core/act.h"
#include "transaction.h"
#include "origin.h"

#define MAX_LOGS	64
#define MAX_PARTS	8	/* who comes later shares nothing */
#define NR_LAST		8

struct share {
	u64 role;
	u64 act;		/* the first one of that role */
	u32 logged;		/* buffers */
};

struct transaction {
	u32 tid;
	u16 nr;
	struct share share[MAX_PARTS];
};

struct log {
	const void *key;	/* G; NULL is none */
	u32 used;		/* G: jiffies */
	u32 newest;		/* G: the highest tid */
	u32 now;		/* G: the transaction at hand, if we count them */
	struct transaction last[NR_LAST];	/* G: by tid */
};

static struct log *logs;
static DEFINE_SPINLOCK(logs_lock);

static struct log *find(const void *key)
{
	unsigned int i;

	lockdep_assert_held(&logs_lock);
	for (i = 0; i < MAX_LOGS && logs[i].key; i++) {
		if (logs[i].key == key)
			return &logs[i];
	}
	return NULL;
}

/* A new one takes the place of the one that was idle the longest. */
static struct log *make(const void *key)
{
	struct log *log = &logs[0];
	unsigned int i;

	lockdep_assert_held(&logs_lock);
	for (i = 0; i < MAX_LOGS; i++) {
		if (!logs[i].key) {
			log = &logs[i];
			break;
		}
		if ((s32)(logs[i].used - log->used) < 0)
			log = &logs[i];
	}
	memset(log, 0, sizeof(*log));
	log->key = key;
	return log;
}

static void join(struct transaction *t, u64 role, u64 act, u32 logged)
{
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (t->share[i].role == role) {
			t->share[i].logged += logged;
			return;
		}
	}
	if (t->nr < MAX_PARTS)
		t->share[t->nr++] = (struct share){ role, act, logged };
}

/**
 * iob_transaction_share - somebody takes part in a transaction
 * @key:    the log
 * @tid:    which transaction
 * @act:    id of the act by which
 * @weight: with how much: buffers
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_transaction_share(const void *key, u32 tid, u64 act, u32 weight)
{
	const struct iob_act *a = iob_act_id(act);
	struct transaction *t;
	unsigned long flags;
	struct log *log;

	/* a kernel thread takes part for somebody else, who is not known */
	if (!a || a->kthread || act <= IOB_ACT_LOST)
		return;
	spin_lock_irqsave(&logs_lock, flags);
	log = find(key);
	if (!log)
		log = make(key);
	log->used = jiffies;
	/* numbers only grow: it is another log, at the same address */
	if ((s32)(tid - log->newest) < -NR_LAST)
		memset(log->last, 0, sizeof(log->last));
	if ((s32)(tid - log->newest) > 0 || (s32)(tid - log->newest) < -NR_LAST)
		log->newest = tid;
	t = &log->last[tid % NR_LAST];
	if (t->tid != tid) {
		t->tid = tid;
		t->nr = 0;
	}
	join(t, a->role, act, weight);
	spin_unlock_irqrestore(&logs_lock, flags);
}

/* Cut @bytes into sectors, in proportion to what was logged. */
static void split(const struct transaction *t, struct iob_origin *o,
		  const struct iob_file *file, u32 bytes, u32 modifier)
{
	u32 sectors = bytes >> SECTOR_SHIFT, done = 0;
	u64 sum = 0, logged = 0;
	unsigned int i, most = 0;

	for (i = 0; i < t->nr; i++) {
		sum += t->share[i].logged;
		if (t->share[i].logged > t->share[most].logged)
			most = i;
	}
	if (!sectors)
		iob_origin_add(o, t->share[most].act, file, 0, modifier);
	for (i = 0; i < t->nr; i++) {
		u32 end;

		logged += t->share[i].logged;
		end = div64_u64(logged * sectors, sum);
		if (end > done)
			iob_origin_add(o, t->share[i].act, file,
				       (end - done) << SECTOR_SHIFT, modifier);
		done = end;
	}
}

/* All who took part in any of the transactions. */
static void gather(struct transaction *all, const struct iob_transaction_write *what)
{
	const struct log *log = find(what->key);
	u32 tid = what->last - what->first < NR_LAST ? what->first :
						       what->last;
	unsigned int i;

	for (; log && (s32)(what->last - tid) >= 0; tid++) {
		const struct transaction *t = &log->last[tid % NR_LAST];

		for (i = 0; t->tid == tid && i < t->nr; i++)
			join(all, t->share[i].role, t->share[i].act,
			     t->share[i].logged);
	}
}

/**
 * iob_transaction_split - the participants of transactions pay for a block of the log
 * @o:     gets the parts, under @what's modifier
 * @what:  the log and its transactions
 * @file:  what the log is on
 * @bytes: of the block
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: false if nobody is known; @o is as it was.
 */
bool iob_transaction_split(struct iob_origin *o, const struct iob_transaction_write *what,
		   const struct iob_file *file, u32 bytes)
{
	struct transaction all = { 0 };
	unsigned long flags;

	spin_lock_irqsave(&logs_lock, flags);
	gather(&all, what);
	spin_unlock_irqrestore(&logs_lock, flags);
	if (!all.nr)
		return false;
	split(&all, o, file, bytes,
	      what->modifier ? what->modifier : IOB_MODIFIER_JOURNAL);
	return true;
}

/**
 * iob_transaction_now - the number of the transaction at hand
 * @key: a file system that does not number its transactions for us
 *
 * Any context but NMI, inside iob_read_lock().
 */
u32 iob_transaction_now(const void *key)
{
	unsigned long flags;
	struct log *log;
	u32 now;

	spin_lock_irqsave(&logs_lock, flags);
	log = find(key);
	now = log ? log->now : 0;
	spin_unlock_irqrestore(&logs_lock, flags);
	/* 0 is none */
	return now + 1;
}

/* The transaction at hand ends.  Return: its number.  As iob_transaction_now(). */
u32 iob_transaction_next(const void *key)
{
	unsigned long flags;
	struct log *log;
	u32 now = 0;

	spin_lock_irqsave(&logs_lock, flags);
	log = find(key);
	if (log)
		now = log->now++;
	spin_unlock_irqrestore(&logs_lock, flags);
	return now + 1;
}

/**
 * iob_transaction_most - who took the largest part in a transaction
 * @key: the log
 * @tid: the transaction; the one before if nobody took part in it yet
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: an act's id, IOB_ACT_NONE if nobody is known.
 */
u64 iob_transaction_most(const void *key, u32 tid)
{
	struct iob_transaction_write what = { .key = key, .first = tid, .last = tid };
	struct transaction all = { 0 };
	unsigned long flags;
	unsigned int i, most = 0;

	spin_lock_irqsave(&logs_lock, flags);
	gather(&all, &what);
	if (!all.nr) {
		what.first = tid - 1;
		what.last = tid - 1;
		gather(&all, &what);
	}
	spin_unlock_irqrestore(&logs_lock, flags);
	for (i = 1; i < all.nr; i++) {
		if (all.share[i].logged > all.share[most].logged)
			most = i;
	}
	return all.nr ? all.share[most].act : IOB_ACT_NONE;
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_transactions_init(void)
{
	logs = kvcalloc(MAX_LOGS, sizeof(*logs), GFP_KERNEL);
	return logs ? 0 : -ENOMEM;
}

/* Forget all.  No probe is attached. */
void iob_transactions_exit(void)
{
	kvfree(logs);
	logs = NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A log is known by a key: a pointer that is compared and never followed.  For each log
 * the last sixteen transactions are kept: a journal has two at a time, one that runs and one
 * that is committed; other logs write a few at once, and a block may hold the
 * end of one and the beginning of the next: then the participants of both pay.  A log that discards
 * at the end of a transaction has most: the last of its eight pieces may wait until the first has,
 * four more transactions for a piece, and one runs.  (Small ones may share a piece: then there are
 * more.)
 *
 * The next log may have the same key: then nothing of the old one's may be left.  A hook says
 * that a log ends.  Where the kernel lacks its function, numbers tell: a transaction takes no
 * participant once the next one has one, so a lower number than the newest is another log's.
 * What is noted elsewhere of a log's blocks is noted under an id that no other log gets.
 *
 * A transaction has an object for each participant, in a list, and in a small hash by role.
 * Those beyond 512 share one place: it names one of them at a time, by chance but more often
 * those that log more.
 *
 * A block is cut by sectors.  If there are more participants than sectors, they take turns:
 * see next_payers().
 *
 * The task whose fsync forces a commit does not pay for it: without the fsync the same
 * blocks are written some seconds later.
 *
 * G: the log's lock.
 */
#include <linux/atomic.h>
#include <linux/blkdev.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "core/cause.h"
#include "core/hands_on.h"
#include "core/keyed.h"
#include "core/pool.h"
#include "core/stats.h"
#include "share.h"
#include "transaction.h"

#define MAX_PARTICIPANTS	512
#define NR_LAST			16
#define ROLE_BITS		4
/* how long the write of a transaction may take that keeps its causes alive */
#define WRITTEN		(5 * HZ)
/* of a log that is not used any more */
#define IDLE			(15 * 60 * HZ)

struct iob_assoc_kind iob_assoc_log_block = { .name = "log_block" };

struct iob_task_part iob_transaction_part = {
	.name = "transaction",
	.size = sizeof(struct iob_transaction_write),
};

struct participant {
	struct participant *next;	/* G: those that came later */
	struct participant *same_hash;	/* G */
	u64 role;
	u64 act;		/* the first one of that role that is not gone */
	u64 logged;		/* G: buffers, or blocks that were freed */
};

struct transaction {
	u32 tid;
	u32 nr;
	u64 sum;		/* of all that was logged */
	struct participant *first, **end;	/* NULL: it has never been used */
	struct participant *most;	/* it logged the most */
	struct participant *role[1 << ROLE_BITS];	/* by a hash of the role */
	struct participant others;	/* all that there was no place for; not in the list */
};

struct transaction_log {
	struct iob_keyed keyed;
	raw_spinlock_t lock;	/* G */
	unsigned long id;	/* G: never another log's; another one when the log ends */
	u32 used;		/* G: jiffies; read without for a look */
	u32 newest;		/* G: the highest tid */
	u32 now;		/* G: tid of the running transaction, if we count them */
	u32 nr_split;		/* G: blocks that participants paid for */
	bool has_written;	/* G: there is a last one that a task began to write: */
	u32 written;		/* G: its tid */
	u32 written_at;		/* G: jiffies */
	struct transaction last[NR_LAST];	/* G: by tid */
};

static atomic_long_t last_log_id;

static struct iob_pool participant_pool = {
	.name = "iob_participant",
	.size = sizeof(struct participant),
	.at_first = 16,
};

static void log_begin(struct iob_keyed *k);
static bool log_tidy(struct iob_keyed *k);
static void log_evicted(void);
static void log_end(struct iob_keyed *k);

static struct iob_keyed_table transaction_logs = {
	.pool.name = "iob_transactions",
	.pool.size = sizeof(struct transaction_log),
	.pool.at_first = 2,
	.begin = log_begin,
	.tidy = log_tidy,
	.evicted = log_evicted,
	.end = log_end,
};

static struct transaction_log *log_of(struct iob_keyed *k)
{
	return k ? container_of(k, struct transaction_log, keyed) : NULL;
}

static struct transaction_log *log_find(const void *key)
{
	return log_of(iob_keyed_find(&transaction_logs, key));
}

static void log_begin(struct iob_keyed *k)
{
	struct transaction_log *log = log_of(k);

	*log = (struct transaction_log){ .keyed.key = k->key };
	raw_spin_lock_init(&log->lock);
	log->id = atomic_long_inc_return(&last_log_id);
	log->used = jiffies;
}

static bool log_tidy(struct iob_keyed *k)
{
	return (u32)jiffies - READ_ONCE(log_of(k)->used) >= IDLE;
}

static void log_evicted(void)
{
	iob_stat_inc(journal_evicted);
}

/* True if blocks of the transaction are still to be written.  G. */
static bool transaction_is_open(const struct transaction_log *log, const struct transaction *t)
{
	return !log->has_written || (s32)(t->tid - log->written) > 0 ||
	       (u32)jiffies - log->written_at < WRITTEN;
}

/* The acts of an open transaction's participants go to @acts.  Return: how many.  G. */
static unsigned int transaction_acts(const struct transaction_log *log,
				     const struct transaction *t, u64 *acts)
{
	const struct participant *p;
	unsigned int nr = 0;

	if (!transaction_is_open(log, t))
		return 0;
	for (p = t->first; p; p = p->next)
		acts[nr++] = p->act;
	acts[nr++] = t->others.act;
	return nr;
}

static u64 acts_to_mark[MAX_PARTICIPANTS + 1];	/* one walk over logs at a time */

/* What iob_transactions_mark() was given. */
struct log_marks {
	unsigned long *causes;
	const bool *stop;
};

static bool log_mark(struct iob_keyed *k, void *arg)
{
	struct transaction_log *log = log_of(k);
	const struct log_marks *marks = arg;
	unsigned int i, j, nr;
	unsigned long flags;

	for (i = 0; i < NR_LAST; i++) {
		if (READ_ONCE(*marks->stop))
			return false;
		iob_read_lock();
		raw_spin_lock_irqsave(&log->lock, flags);
		nr = transaction_acts(log, &log->last[i], acts_to_mark);
		raw_spin_unlock_irqrestore(&log->lock, flags);
		for (j = 0; j < nr; j++)
			iob_cause_mark(acts_to_mark[j], marks->causes);
		iob_read_unlock();
	}
	return true;
}

/**
 * iob_transactions_mark - find the causes that take part in transactions still to be written
 * @causes: bitmap by number of cause; the function sets bits and clears none
 * @stop:   true: the walk ends at the next transaction
 *
 * Who joins meanwhile has just used its cause.  May sleep: it looks at all logs, for each
 * transaction at a time with interrupts off.  In a session.
 * Return: false if it was stopped; then not all are found.
 */
bool iob_transactions_mark(unsigned long *causes, const bool *stop)
{
	struct log_marks marks = { .causes = causes, .stop = stop };

	return iob_keyed_each(&transaction_logs, log_mark, &marks);
}

/* Forget the participants: add them to the list @old, for participants_put().  G. */
static void transaction_reset(struct transaction *t, u32 tid, struct participant **old)
{
	if (t->first) {
		*t->end = *old;
		*old = t->first;
	}
	memset(t, 0, sizeof(*t));
	t->tid = tid;
	t->end = &t->first;
}

/* Another log has the key, or will.  @old as transaction_reset().  G. */
static void log_forget(struct transaction_log *log, struct participant **old)
{
	unsigned int i;

	for (i = 0; i < NR_LAST; i++)
		transaction_reset(&log->last[i], 0, old);
	WRITE_ONCE(log->id, atomic_long_inc_return(&last_log_id));
	log->newest = 0;
	log->has_written = false;
}

/*
 * The log uses the transaction @tid.  It is another log if that is one before the newest; but
 * not if we count the numbers, as they go on then, and another CPU may be further.  G.
 */
static void log_see(struct transaction_log *log, u32 tid, struct participant **old)
{
	if (log->used != (u32)jiffies)
		WRITE_ONCE(log->used, jiffies);
	if ((s32)(tid - log->newest) < 0 && !log->now)
		log_forget(log, old);
	if ((s32)(tid - log->newest) > 0 || !log->newest)
		log->newest = tid;
}

/* The transaction @tid, if anything is known of it, or NULL.  G. */
static struct transaction *transaction_find(struct transaction_log *log, u32 tid)
{
	struct transaction *t = log ? &log->last[tid % NR_LAST] : NULL;

	return t && t->tid == tid && t->nr ? t : NULL;
}

/* G. */
static struct participant *participant_find(const struct transaction *t, u64 role)
{
	struct participant *p = t->role[hash_64(role, ROLE_BITS)];

	while (p && p->role != role)
		p = p->same_hash;
	return p;
}

/* A new participant.  G. */
static void participant_add(struct transaction *t, struct participant *p, u64 role, u64 act)
{
	struct participant **same = &t->role[hash_64(role, ROLE_BITS)];

	*p = (struct participant){ .role = role, .act = act, .same_hash = *same };
	*same = p;
	*t->end = p;
	t->end = &p->next;
	t->nr++;
}

/*
 * There is no place for another participant.  It is named for the rest with the probability
 * of its part: so each pays its part on the average.  G.
 */
static struct participant *participant_other(struct transaction *t, u64 role, u64 act,
					     u32 weight)
{
	struct participant *p = &t->others;
	/* (sums and roles that both grow by one would have the same chance again and again) */
	u32 chance = hash_64(t->sum * GOLDEN_RATIO_64 ^ role, 32);

	iob_stat_inc(participant_merged);
	if (!iob_cause_of(p->act) || mul_u64_u32_shr(p->logged + weight, chance, 32) < weight) {
		p->role = role;
		p->act = act;
	}
	return p;
}

/* The transaction takes @logged buffers of a participant.  G. */
static void participant_log(struct transaction *t, struct participant *p, u32 logged)
{
	p->logged += logged;
	t->sum += logged;
	if (!t->most || p->logged > t->most->logged)
		t->most = p;
}

/* Give back the participants of transactions that are forgotten. */
static void participants_put(struct participant *p, void (*put)(struct iob_pool *, void *))
{
	while (p) {
		struct participant *next = p->next;

		put(&participant_pool, p);
		p = next;
	}
}

static void log_end(struct iob_keyed *k)
{
	struct transaction_log *log = log_of(k);
	struct participant *old = NULL;
	unsigned int i;

	for (i = 0; i < NR_LAST; i++)
		transaction_reset(&log->last[i], 0, &old);
	participants_put(old, iob_pool_free);
}

/* The transaction @tid, to be added to; @old gets what is forgotten for it.  G. */
static struct transaction *transaction_get(struct transaction_log *log, u32 tid,
					   struct participant **old)
{
	struct transaction *t = &log->last[tid % NR_LAST];

	log_see(log, tid, old);
	if (t->tid == tid && t->end)
		return t;
	/* it gives way before it is written: the later ones pay */
	if (t->nr && log->has_written && (s32)(t->tid - log->written) > 0)
		iob_stat_inc(journal_evicted);
	transaction_reset(t, tid, old);
	return t;
}

static void transaction_add(struct transaction_log *log, u32 tid, u64 role, u64 act, u32 weight)
{
	struct participant *p, *old = NULL, *new = NULL;
	bool may_get = true;
	struct transaction *t;
	unsigned long flags;

	for (;;) {
		raw_spin_lock_irqsave(&log->lock, flags);
		t = transaction_get(log, tid, &old);
		p = participant_find(t, role);
		if (p || new || !may_get || t->nr >= MAX_PARTICIPANTS)
			break;
		raw_spin_unlock_irqrestore(&log->lock, flags);
		new = iob_pool_get(&participant_pool);
		may_get = false;
	}
	/* (others may have come while the lock was not held) */
	if (!p && new && t->nr < MAX_PARTICIPANTS) {
		p = new;
		participant_add(t, p, role, act);
		new = NULL;
	} else if (p && unlikely(!iob_cause_of(p->act))) {
		/* room was short */
		p->act = act;
	}
	participant_log(t, p ?: participant_other(t, role, act, weight), weight);
	raw_spin_unlock_irqrestore(&log->lock, flags);
	if (new)
		iob_pool_put(&participant_pool, new);
	participants_put(old, iob_pool_put);
}

/* The cause of an act that takes part with @weight, or NULL. */
static const struct iob_cause *participant_cause(u64 act, u32 weight)
{
	struct iob_cause *a = iob_cause_of(act);

	/* the others pay its part */
	if (unlikely(!a && act > IOB_CAUSE_LOST))
		iob_stat_inc(act_lost);
	if (!a || act <= IOB_CAUSE_LOST || !weight)
		return NULL;
	/*
	 * A worker or kswapd goes on with what a task has begun that is not known.  Other kernel
	 * threads, a server's for example, take part as programs do; also where a worker writes
	 * their pages.
	 */
	if (iob_hands_on_unknown(a, act))
		return NULL;
	iob_cause_touch(a);
	return a;
}

/**
 * iob_transaction_share - an act takes part in a transaction
 * @key:    the log
 * @tid:    which transaction
 * @act:    a reference to the act, inherited where the current task acts on its behalf
 * @weight: with how much: buffers
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_transaction_share(const void *key, u32 tid, u64 act, u32 weight)
{
	const struct iob_cause *a = participant_cause(act, weight);
	struct transaction_log *log;

	if (!a)
		return;
	log = log_of(iob_keyed_get(&transaction_logs, key));
	if (log)
		transaction_add(log, tid, a->role, act, weight);
	else
		iob_stat_inc(journal_evicted);
}

/**
 * iob_transaction_share_more - an act has a larger part in a transaction than was said
 * @key:    the log
 * @tid:    which transaction
 * @act:    as it was given to iob_transaction_share()
 * @weight: how much more
 *
 * The next transaction may have participants already: no other log's is seen here.  What is
 * forgotten by now stays so.  Any context but NMI, inside iob_read_lock().
 */
void iob_transaction_share_more(const void *key, u32 tid, u64 act, u32 weight)
{
	const struct iob_cause *a = participant_cause(act, weight);
	struct transaction_log *log = a ? log_find(key) : NULL;
	struct participant *p;
	struct transaction *t;
	unsigned long flags;

	if (!log)
		return;
	raw_spin_lock_irqsave(&log->lock, flags);
	t = transaction_find(log, tid);
	if (t) {
		p = participant_find(t, a->role);
		participant_log(t, p ?: participant_other(t, a->role, act, weight), weight);
	}
	raw_spin_unlock_irqrestore(&log->lock, flags);
}

/**
 * iob_transaction_log_id - what a log's blocks are noted under
 * @key: the log
 * @tid: its running transaction
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: an object of iob_assoc_log_block that no log had before, nor will have; it is no
 * address.  NULL without memory.
 */
const void *iob_transaction_log_id(const void *key, u32 tid)
{
	struct transaction_log *log = log_of(iob_keyed_get(&transaction_logs, key));
	struct participant *old = NULL;
	unsigned long flags, id;

	if (!log) {
		iob_stat_inc(journal_evicted);
		return NULL;
	}
	raw_spin_lock_irqsave(&log->lock, flags);
	log_see(log, tid, &old);
	id = log->id;
	raw_spin_unlock_irqrestore(&log->lock, flags);
	participants_put(old, iob_pool_put);
	return (const void *)id;
}

/**
 * iob_transaction_log_end - a log ends
 * @key: the log; another one may have that key from now on
 *
 * Any context but NMI, inside iob_read_lock().  Nothing is written to the log any more.
 */
void iob_transaction_log_end(const void *key)
{
	struct transaction_log *log = log_find(key);
	struct participant *old = NULL;
	unsigned long flags;

	if (!log)
		return;
	raw_spin_lock_irqsave(&log->lock, flags);
	log_forget(log, &old);
	raw_spin_unlock_irqrestore(&log->lock, flags);
	participants_put(old, iob_pool_put);
}

/*
 * The next transaction of @what of which anything is known, or NULL.  *@i counts those that
 * were looked at, from 0.  G.
 */
static struct transaction *transaction_next(struct transaction_log *log,
					    const struct iob_transaction_write *what,
					    unsigned int *i)
{
	/* of more than are kept, the last ones: a block may serve tens of small transactions */
	u32 tid = what->last - min(what->last - what->first, NR_LAST - 1U);
	struct transaction *t = NULL;

	for (tid += *i; !t && (s32)(what->last - tid) >= 0; tid++, ++*i)
		t = transaction_find(log, tid);
	return t;
}

struct payer {
	u64 act;
	u32 sectors;
};

/* How far a block is divided among the participants. */
struct cut {
	u32 sectors;		/* all of the block */
	u32 done;
	u32 phase;		/* a fraction of a sector, in 1 / 2^32 */
	u64 sum, logged;	/* by all, and by those whose part is cut; more by now, perhaps */
	bool begun;
};

#define NR_PAYERS	8

/* The participant pays for the sectors up to its part of @logged / @sum.  G. */
static bool cut_for(struct cut *c, const struct participant *p, struct payer *payer,
		    u64 logged, u64 sum)
{
	u64 phase = mul_u64_u32_shr(sum, c->phase, 32);
	u32 end = min_t(u64, div64_u64(logged * c->sectors + phase, sum), c->sectors);

	if (end <= c->done)
		return false;
	payer->act = p->act;
	payer->sectors = end - c->done;
	c->done = end;
	return true;
}

/*
 * Cut the next pieces of a block, in proportion to what was logged.
 *
 * Borders between participants are rounded down to sectors after a fraction of a sector is
 * added, another one for each block: the multiples of the golden ratio.  So if A logged one
 * buffer of 16, it pays for a sector of each second block of 4 KiB (8 sectors).
 *
 * Return: how many payers there are, 0 behind the end.
 */
static unsigned int next_payers(struct transaction_log *log, struct cut *c, struct payer *payer,
				const struct iob_transaction_write *what)
{
	u64 sum = 0, logged = 0;
	const struct participant *p;
	const struct transaction *t;
	unsigned long flags;
	unsigned int i, nr = 0;

	raw_spin_lock_irqsave(&log->lock, flags);
	for (i = 0; (t = transaction_next(log, what, &i));)
		sum += t->sum;
	/* a transaction has lost its place to another one */
	if (sum < c->sum)
		c->logged = 0;
	c->sum = sum;
	if (sum && !c->begun) {
		c->begun = true;
		c->phase = log->nr_split++ * GOLDEN_RATIO_32;
	}
	for (i = 0; nr < NR_PAYERS && (t = transaction_next(log, what, &i));) {
		for (p = t->first; p && nr < NR_PAYERS; p = p->next) {
			logged += p->logged;
			/* of those that were passed in an earlier call no division is needed */
			nr += logged > c->logged && cut_for(c, p, &payer[nr], logged, sum);
		}
		if (nr == NR_PAYERS)
			break;
		logged += t->others.logged;
		nr += cut_for(c, &t->others, &payer[nr], logged, sum);
	}
	c->logged = logged;
	raw_spin_unlock_irqrestore(&log->lock, flags);
	return nr;
}

/* The act that logged the most of a transaction, or IOB_CAUSE_NONE. */
static u64 transaction_most(struct transaction_log *log, u32 first, u32 last)
{
	struct iob_transaction_write what = { .first = first, .last = last };
	const struct participant *most = NULL;
	const struct transaction *t;
	unsigned long flags;
	unsigned int i;
	u64 act;

	raw_spin_lock_irqsave(&log->lock, flags);
	for (i = 0; (t = transaction_next(log, &what, &i));) {
		if (!most || t->most->logged > most->logged)
			most = t->most;
	}
	act = most ? most->act : IOB_CAUSE_NONE;
	raw_spin_unlock_irqrestore(&log->lock, flags);
	return act;
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
	u32 modifier = what->modifier ? what->modifier : IOB_MODIFIER_JOURNAL;
	struct cut c = { .sectors = bytes >> SECTOR_SHIFT };
	struct transaction_log *log = log_find(what->key);
	struct payer payer[NR_PAYERS];
	unsigned int i, nr;
	u64 most;

	if (!log)
		return false;
	if (!c.sectors) {
		most = transaction_most(log, what->first, what->last);
		if (most != IOB_CAUSE_NONE)
			iob_origin_add(o, most, file, 0, modifier);
		return most != IOB_CAUSE_NONE;
	}
	while (c.done < c.sectors && (nr = next_payers(log, &c, payer, what))) {
		for (i = 0; i < nr; i++)
			iob_origin_add(o, payer[i].act, file,
				       payer[i].sectors << SECTOR_SHIFT, modifier);
	}
	/* another CPU may have begun a transaction in the place of this one meanwhile */
	if (c.begun && c.done < c.sectors)
		iob_origin_add_lost(o, (c.sectors - c.done) << SECTOR_SHIFT);
	return c.begun;
}

/* True if some act took part in a transaction of this log.  Context: as iob_transaction_now(). */
bool iob_transaction_key_is_known(const void *key)
{
	return log_find(key);
}

/**
 * iob_transaction_now - the number of the running transaction
 * @key: the log of a file system whose own numbers we do not use
 *
 * Any context but NMI, inside iob_read_lock().  Return: a number, never 0.
 */
u32 iob_transaction_now(const void *key)
{
	const struct transaction_log *log = log_find(key);

	return (log ? READ_ONCE(log->now) : 0) + 1;
}

/**
 * iob_transaction_unique - what tells a transaction from all others, of any log
 * @key: its log, whose own numbers we do not use
 * @tid: its number
 *
 * A log counts anew after it was not used for long, and its address may become another's.
 * Context: as iob_transaction_now().  Return: 0 if the log is not known: nobody has taken part.
 */
u64 iob_transaction_unique(const void *key, u32 tid)
{
	const struct transaction_log *log = log_find(key);

	return log ? (u64)READ_ONCE(log->id) << 32 | tid : 0;
}

/* End the running transaction.  Return: its number.  As iob_transaction_now(). */
u32 iob_transaction_next(const void *key)
{
	struct transaction_log *log = log_find(key);
	unsigned long flags;
	u32 now = 0;

	if (log) {
		raw_spin_lock_irqsave(&log->lock, flags);
		now = log->now;
		WRITE_ONCE(log->now, now + 1);
		raw_spin_unlock_irqrestore(&log->lock, flags);
	}
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
	struct transaction_log *log = log_find(key);
	u64 act;

	if (!log)
		return IOB_CAUSE_NONE;
	act = transaction_most(log, tid, tid);
	return act == IOB_CAUSE_NONE ? transaction_most(log, tid - 1, tid - 1) : act;
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
	struct transaction_log *log = key ? log_find(key) : NULL;
	unsigned long flags;

	if (log) {
		raw_spin_lock_irqsave(&log->lock, flags);
		log->has_written = true;
		log->written = last;
		log->written_at = jiffies;
		raw_spin_unlock_irqrestore(&log->lock, flags);
	}
	w->key = key;
	w->first = first;
	w->last = last;
	iob_task_serve(t, IOB_SERVES_TRANSACTION, key);
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM; iob_transactions_stop() undoes it. */
int iob_transactions_start(void)
{
	int err = iob_pool_start(&participant_pool);

	return err ?: iob_keyed_start(&transaction_logs);
}

/* The session ends: forget all transactions.  No probe is attached. */
void iob_transactions_stop(void)
{
	iob_keyed_stop(&transaction_logs);
	iob_pool_stop(&participant_pool);
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_transactions_init(void)
{
	int err = iob_pool_init(&participant_pool);

	if (err)
		return err;
	err = iob_keyed_init(&transaction_logs);
	if (err)
		iob_pool_exit(&participant_pool);
	return err;
}

/* Module unload: no transaction is left. */
void iob_transactions_exit(void)
{
	iob_keyed_exit(&transaction_logs);
	iob_pool_exit(&participant_pool);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Each participant of a transaction pays for its part, and no participant of another log at the
 * same address pays for anything.
 */
#include "fake_blame.h"
#include <linux/sched.h>
#include <linux/spinlock.h>

/* Runs once a lock is dropped: another CPU */
static void (*after_unlock)(void);
/* After some holds of a lock a walk is stopped. */
static unsigned int nr_holds, stop_after;
static bool stopped;

static inline void unlock_then(raw_spinlock_t *lock)
{
	void (*then)(void) = after_unlock;

	shim_lock(lock, false);
	after_unlock = NULL;
	if (++nr_holds == stop_after)
		stopped = true;
	if (then)
		then();
}

#undef raw_spin_unlock_irqrestore
#define raw_spin_unlock_irqrestore(l, flags)	((void)(flags), unlock_then(l))

#include "blame/transaction.c"

unsigned long jiffies = 1000;

static struct task_struct me;
struct task_struct *current = &me;

static const char journal[2], other[2];

#define BLOCK	4096

enum { TAR = 10, DD, CP };

static void begin(void)
{
	losses = (struct losses){ };
	if (iob_transactions_init() || iob_transactions_start())
		abort();
}

static void end(void)
{
	iob_transactions_stop();
	iob_transactions_exit();
}

/* What @act pays of a hundred blocks that serve the transactions up to @last; -1: nobody pays. */
static long pays_of(const void *key, u32 first, u32 last, u64 act)
{
	struct iob_transaction_write what = { .key = key, .first = first, .last = last };
	struct iob_origin o = { };
	int i;

	for (i = 0; i < 100; i++) {
		if (!iob_transaction_split(&o, &what, NULL, BLOCK))
			return -1;
	}
	if (o.sum != 100 * BLOCK)
		fail("of %d bytes %llu are charged", 100 * BLOCK, o.sum);
	return o.bytes[act];
}

static long pays(const void *key, u32 tid, u64 act)
{
	return pays_of(key, tid, tid, act);
}

static void join(const void *key, u32 tid, u64 act, unsigned int times)
{
	while (times--)
		iob_transaction_join(key, tid, act);
}

/* Blocks that were freed add up to exactly 2^32, and beyond. */
static void many_blocks(void)
{
	long tar, dd;

	begin();
	iob_transaction_share(journal, 90, TAR, 1U << 31);
	iob_transaction_share(journal, 90, DD, 1U << 31);
	tar = pays(journal, 90, TAR);
	dd = pays(journal, 90, DD);
	if (labs(tar - dd) > BLOCK || tar + dd != 100 * BLOCK)
		fail("of equal halves %ld and %ld bytes are charged", tar, dd);
	iob_transaction_share(journal, 90, TAR, ~0U);
	iob_transaction_share(journal, 90, TAR, 1);
	tar = pays(journal, 90, TAR);
	if (tar < 74 * BLOCK || tar > 76 * BLOCK)
		fail("of 3/4 %ld bytes are charged", tar);
	end();
}

static void parts(void)
{
	long tar, dd;

	begin();
	join(journal, 81, TAR, 30);
	join(journal, 81, DD, 10);
	join(journal, 82, CP, 1);
	join(other, 81, CP, 1);
	tar = pays(journal, 81, TAR);
	dd = pays(journal, 81, DD);
	if (tar != 75 * BLOCK || dd != 25 * BLOCK)
		fail("tar pays %ld bytes, dd %ld", tar, dd);
	if (pays(journal, 82, CP) != 100 * BLOCK || pays(other, 81, CP) != 100 * BLOCK)
		fail("another transaction's participant");
	if (pays(journal, 83, CP) != -1)
		fail("a transaction that nobody took part in");
	end();
}

/*
 * xfs discards what the first of its eight iclogs has freed.  A transaction ends in each, four
 * wait for an iclog, one runs: all are known.
 */
static void under_way(void)
{
	u32 tid, last;

	for (last = 1; last < 40; last++) {
		begin();
		for (tid = last > 12 ? last - 12 : 1; tid <= last; tid++)
			join(journal, tid, tid % 2 ? TAR : DD, 1);
		for (tid = last > 12 ? last - 12 : 1; tid <= last; tid++) {
			if (pays(journal, tid, tid % 2 ? TAR : DD) != 100 * BLOCK)
				fail("transaction %u is forgotten, the last is %u", tid, last);
		}
		end();
	}
}

/* The next log is at the same address: whatever its numbers are, it begins with nothing. */
static void ended(void)
{
	static const u32 first[] = { 0, 1, 2, 72, 73, 80, 81, 82, 88, 89, 1000, 0x80000051 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(first); i++) {
		begin();
		join(journal, 80, TAR, 1);
		join(journal, 81, TAR, 3);
		iob_transaction_log_end(journal);
		iob_transaction_log_end(other);
		if (pays(journal, 81, TAR) != -1 || iob_transaction_most(journal, 81))
			fail("an ended log has participants");
		join(journal, first[i], DD, 1);
		if (pays(journal, first[i], DD) != 100 * BLOCK)
			fail("transaction %u: %ld bytes are the old log's", first[i],
			     pays(journal, first[i], TAR));
		end();
	}
}

/* Its end was not seen: lower numbers tell. */
static void restarted(void)
{
	u32 first;

	for (first = 1; first < 81; first++) {
		begin();
		join(journal, 80, TAR, 1);
		join(journal, 81, TAR, 3);
		join(journal, first, DD, 1);
		if (pays(journal, first, DD) != 100 * BLOCK)
			fail("transaction %u: %ld bytes are the old log's", first,
			     pays(journal, first, TAR));
		if (pays(journal, 81, TAR) != -1)
			fail("transaction 81 has participants still");
		end();
	}
}

/* Numbers that wrap are no restart, nor is another CPU that is late where we count them. */
static void goes_on(void)
{
	u32 i;

	begin();
	for (i = U32_MAX - 3; i != 4; i++)
		join(journal, i, TAR, 1);
	for (i = U32_MAX - 3; i != 4; i++) {
		if (pays(journal, i, TAR) != 100 * BLOCK)
			fail("transaction %u is forgotten", i);
	}
	for (i = 1; i < 6; i++) {
		if (iob_transaction_now(other) != i)
			fail("the running transaction is %u", iob_transaction_now(other));
		join(other, i, TAR, 1);
		iob_transaction_next(other);
	}
	join(other, 3, DD, 1);
	if (pays(other, 5, TAR) != 100 * BLOCK || pays(other, 3, DD) != 50 * BLOCK)
		fail("a late participant made a log forget");
	iob_transaction_log_end(other);
	if (iob_transaction_now(other) != 6 || iob_transaction_most(other, 6))
		fail("an ended log whose numbers we count");
	end();
}

/* A part that grows late is no other log's, even if the next transaction has participants. */
static void late(void)
{
	unsigned int i;

	begin();
	iob_transaction_share_more(journal, 80, TAR, 3);
	if (iob_transaction_key_is_known(journal))
		fail("a log that is not known is made");
	join(journal, 80, TAR, 1);
	join(journal, 80, DD, 1);
	join(journal, 81, CP, 1);
	iob_transaction_share_more(journal, 80, TAR, 2);
	if (pays(journal, 80, TAR) != 75 * BLOCK || pays(journal, 80, DD) != 25 * BLOCK)
		fail("%ld bytes for three of four", pays(journal, 80, TAR));
	if (pays(journal, 81, CP) != 100 * BLOCK)
		fail("the next transaction is forgotten");
	iob_transaction_share_more(journal, 79, TAR, 2);
	if (pays(journal, 79, TAR) != -1)
		fail("a transaction that is not known is made");
	join(journal, 80 + NR_LAST, DD, 1);
	iob_transaction_share_more(journal, 80, TAR, 2);
	if (pays(journal, 80 + NR_LAST, DD) != 100 * BLOCK || pays(journal, 80, TAR) != -1)
		fail("another transaction in its place");
	act_gone = TAR;
	iob_transaction_share_more(journal, 81, TAR, 2);
	act_gone = 0;
	lost_are("an act that is gone", (struct losses){ .act_lost = 1 });
	/* there is no place for it: it is named for the rest, and the rest has its part */
	for (i = 3; i < 3 + MAX_PARTICIPANTS; i++)
		join(other, 8, i, 1);
	join(other, 8, 800, 1);
	iob_transaction_share_more(other, 8, 800, MAX_PARTICIPANTS - 1);
	if (pays(other, 8, 800) != 50 * BLOCK)
		fail("%ld bytes for a half without a place", pays(other, 8, 800));
	lost_are("no place", (struct losses){ .participant_merged = 2 });
	end();
}

/* A block may serve more transactions than are kept: the last of them pay. */
static void many_at_once(void)
{
	u32 tid;

	begin();
	for (tid = 1; tid <= 40; tid++)
		join(journal, tid, tid == 40 ? CP : TAR, 10);
	lost_are("a log that nothing is written of", (struct losses){ });
	if (pays_of(journal, 1, 40, TAR) != 100 * BLOCK / 16 * 15)
		fail("of sixteen transactions fifteen are not paid for");
	iob_transaction_begin_write(&(struct iob_task){ }, journal, 40, 40);
	for (tid = 41; tid <= 56; tid++)
		join(journal, tid, TAR, 10);
	lost_are("transactions that were written", (struct losses){ });
	join(journal, 57, TAR, 10);
	lost_are("one that was not", (struct losses){ .journal_evicted = 1 });
	end();
}

/* Blocks are noted under an id that is another one after each end, seen or not. */
static void ids(void)
{
	const void *id[4];
	int i, j;

	begin();
	id[0] = iob_transaction_log_id(journal, 81);
	id[1] = iob_transaction_log_id(other, 81);
	join(journal, 82, TAR, 1);
	if (iob_transaction_log_id(journal, 82) != id[0] ||
	    iob_transaction_log_id(other, 83) != id[1])
		fail("the id of a log has changed");
	iob_transaction_log_end(journal);
	id[2] = iob_transaction_log_id(journal, 83);
	join(journal, 2, TAR, 1);
	id[3] = iob_transaction_log_id(journal, 2);
	for (i = 0; i < 4; i++) {
		for (j = 0; j < i; j++) {
			if (!id[i] || id[i] == id[j])
				fail("the ids %d and %d are %p", j, i, id[i]);
		}
	}
	if (iob_transaction_log_id(other, 82) == id[1])
		fail("another log at the address has the id of the last");
	end();
}

static void marks(unsigned long *causes)
{
	if (!iob_transactions_mark(causes, &stopped))
		fail("the walk ends early");
}

/*
 * Who takes part in the last sixteen transactions of any log keeps its cause, until five seconds
 * after the transaction was begun to be written.
 */
static void marked(void)
{
	unsigned long causes[MAX_ACTS / 64] = { 0 };
	unsigned int i, nr_others = 0;

	begin();
	/* the sixteenth before the last */
	join(journal, 82 - NR_LAST, 3, 1);
	for (i = 4; i < 600; i++)
		join(journal, 75 + i / 80, i, 1);
	join(other, 7, 700, 1);
	marks(causes);
	for (i = 0; i < MAX_ACTS; i++) {
		if ((causes[i / 64] >> i % 64 & 1) != ((i >= 4 && i < 600) || i == 700))
			fail("act %u is wrong", i);
	}
	/* 75 to 80 are written: participants of 81 and 82 are left, from 480 on, and those of others */
	memset(causes, 0, sizeof(causes));
	iob_transaction_begin_write(&(struct iob_task){ }, journal, 79, 80);
	jiffies += 5 * HZ - 1;
	marks(causes);
	if (!(causes[0] & 1UL << 4))
		fail("a transaction that is being written keeps nothing");
	jiffies++;
	memset(causes, 0, sizeof(causes));
	marks(causes);
	for (i = 0; i < MAX_ACTS; i++) {
		if ((causes[i / 64] >> i % 64 & 1) != ((i >= 480 && i < 600) || i == 700))
			fail("after the write act %u is wrong", i);
	}
	/* of 600 (1 and 2 name nobody) 512 have a place, and one has that of the others */
	iob_transaction_log_end(journal);
	iob_transaction_log_end(other);
	memset(causes, 0, sizeof(causes));
	for (i = 3; i < 603; i++)
		join(other, 8, i, 1);
	marks(causes);
	for (i = 0; i < MAX_ACTS; i++) {
		bool is = causes[i / 64] >> i % 64 & 1;

		nr_others += is && i >= 3 + 512;
		if (is ? i < 3 || i >= 603 : i >= 3 && i < 3 + 512)
			fail("of many act %u is wrong", i);
	}
	if (nr_others != 1)
		fail("%u of the others are marked", nr_others);
	lost_are("of 600", (struct losses){ .participant_merged = 600 - 512 });
	end();
}

/* A walk that is stopped looks at no further transaction, and is no whole one. */
static void stops(void)
{
	unsigned long causes[MAX_ACTS / 64] = { 0 };

	begin();
	join(journal, 8, TAR, 1);
	join(other, 8, TAR, 1);
	for (stop_after = 1; stop_after < 2 * NR_LAST; stop_after++) {
		stopped = false;
		nr_holds = 0;
		if (iob_transactions_mark(causes, &stopped) || nr_holds != stop_after)
			fail("it looks at %u transactions, not %u", nr_holds, stop_after);
	}
	stop_after = 0;
	nr_holds = 0;
	if (iob_transactions_mark(causes, &stopped) || nr_holds)
		fail("it begins, and is stopped already");
	stopped = false;
	end();
}

static void join_one_more(void)
{
	join(journal, 8, 900, 1);
}

/* Two CPUs take the last place of a transaction at the same time: one gets it. */
static void last_place(void)
{
	unsigned long causes[MAX_ACTS / 64] = { 0 };
	unsigned int i;

	begin();
	for (i = 3; i < 3 + MAX_PARTICIPANTS - 1; i++)
		join(journal, 8, i, 1);
	on_other_cpu = join_one_more;
	join(journal, 8, 800, 1);
	if (log_find(journal)->last[8 % NR_LAST].nr != MAX_PARTICIPANTS)
		fail("%u participants", log_find(journal)->last[8 % NR_LAST].nr);
	marks(causes);
	if (!(causes[900 / 64] >> 900 % 64 & 1) || !(causes[800 / 64] >> 800 % 64 & 1))
		fail("one of both is not marked");
	lost_are("one of both", (struct losses){ .participant_merged = 1 });
	end();
}

static unsigned int named[MAX_ACTS];	/* of the others, how many times */

/* Some have no place in each of many transactions, @first the first of them with @weight buffers. */
static void others_join(unsigned int times, unsigned int first, u32 weight, unsigned int nr)
{
	unsigned int tid, i;

	memset(named, 0, sizeof(named));
	begin();
	for (tid = 1; tid <= times; tid++) {
		for (i = 3; i < 3 + MAX_PARTICIPANTS; i++)
			join(journal, tid, i, 1);
		/* (chance is by what was logged before) */
		iob_transaction_share(journal, tid, 3, 1 + rnd(1 << 20));
		iob_transaction_share(journal, tid, first, weight);
		for (i = 1; i < nr; i++)
			join(journal, tid, first + i, 1);
		named[log_find(journal)->last[tid % NR_LAST].others.act]++;
	}
	lost_are("those without a place", (struct losses){ .participant_merged = times * nr });
	end();
}

/* Of those that have no place one is named: each as often as its part of what they logged is. */
static void others_by_turns(void)
{
	const unsigned int times = 1000, first = 600;
	unsigned int i;

	others_join(times, first, 90, 11);
	if (named[first] < times * 86 / 100 || named[first] > times * 94 / 100)
		fail("with 90 of 100 buffers it is named %u of %u times", named[first], times);
	others_join(times, first, 1, 8);
	for (i = first; i < first + 8; i++) {
		if (named[i] < times / 8 * 6 / 10 || named[i] > times / 8 * 14 / 10)
			fail("one of eight is named %u of %u times", named[i], times);
	}
}

/* A worker takes part for another, whom nobody knows; nor does one whose cause is gone. */
static void no_participant(void)
{
	begin();
	act_of_kthread = TAR;
	me.flags = PF_KTHREAD | PF_WQ_WORKER;
	join(journal, 81, TAR, 1);
	if (pays(journal, 81, TAR) != -1 || iob_transaction_key_is_known(journal))
		fail("a worker takes part");
	me.flags = 0;
	act_of_kthread = 0;
	join(journal, 81, IOB_CAUSE_LOST, 1);
	iob_transaction_share(journal, 81, TAR, 0);
	if (pays(journal, 81, IOB_CAUSE_LOST) != -1)
		fail("nobody takes part");
	lost_are("no participant", (struct losses){ });
	act_gone = TAR;
	join(journal, 81, TAR, 1);
	if (pays(journal, 81, TAR) != -1)
		fail("an act that is gone takes part");
	lost_are("an act that is gone", (struct losses){ .act_lost = 1 });
	join(journal, 81, DD, 1);
	act_gone = 0;
	if (pays(journal, 81, DD) != 100 * BLOCK)
		fail("the others do not pay for it");
	lost_are("its part", (struct losses){ });
	end();
}

/*
 * One half is logged by tar, the other by a kernel thread that is no worker, such as nfsd, or by
 * the flusher for the files of that thread: tar pays no more than its half.
 */
static void kernel_threads(void)
{
	static const struct {
		const char *who;
		unsigned int flags;
		u64 act;
	} cases[] = {
		{ "a kernel thread", PF_KTHREAD, DD },
		{ "the flusher", PF_KTHREAD | PF_WQ_WORKER, DD | IOB_CAUSE_INHERITED },
		{ "who syncs its file", 0, DD | IOB_CAUSE_INHERITED },
	};
	unsigned int i;
	long tar, dd;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		me.flags = 0;
		join(journal, 81, TAR, 10);
		act_of_kthread = DD;
		me.flags = cases[i].flags;
		join(journal, 81, cases[i].act, 10);
		tar = pays(journal, 81, TAR);
		dd = pays(journal, 81, DD);
		if (tar != 50 * BLOCK || dd != 50 * BLOCK)
			fail("%s: %ld bytes, tar pays %ld", cases[i].who, dd, tar);
		act_of_kthread = 0;
		me.flags = 0;
		end();
	}
}

/* The act of a participant is reclaimed, room being short; the next one of its role pays. */
static void act_again(void)
{
	begin();
	act_later = CP;
	act_first = TAR;
	join(journal, 81, TAR, 3);
	join(journal, 81, CP, 1);
	if (pays(journal, 81, TAR) != 100 * BLOCK)
		fail("the first act of a role does not pay");
	act_gone = TAR;
	join(journal, 81, CP, 1);
	if (pays(journal, 81, CP) != 100 * BLOCK || iob_transaction_most(journal, 81) != CP)
		fail("an act that is gone pays");
	act_gone = 0;
	act_later = 0;
	/* who takes part has just used its cause */
	act_touched = 0;
	join(journal, 81, DD, 1);
	if (act_touched != DD)
		fail("the cause may be reclaimed before it is noted");
	lost_are("the same role", (struct losses){ });
	end();
}

/* There is no room for a log, for a participant, or no more for a log that is used again. */
static void no_room(void)
{
	begin();
	no_memory = true;
	join(journal, 81, TAR, 1);
	if (pays(journal, 81, TAR) != -1)
		fail("a log without memory has a participant");
	lost_are("a log", (struct losses){ .journal_evicted = 1 });
	if (iob_transaction_log_id(journal, 81))
		fail("a log without memory has an id");
	lost_are("a log's id", (struct losses){ .journal_evicted = 1 });
	no_memory = false;
	join(journal, 81, TAR, 1);
	no_memory = true;
	join(journal, 81, DD, 1);
	no_memory = false;
	if (pays(journal, 81, TAR) != 50 * BLOCK || pays(journal, 81, DD) != 50 * BLOCK)
		fail("without memory a participant does not pay");
	lost_are("a participant", (struct losses){ .participant_merged = 1 });
	transaction_logs.evicted();
	lost_are("an evicted log", (struct losses){ .journal_evicted = 1 });
	end();
}

/* A log goes that was not used for a quarter of an hour. */
static void idle(void)
{
	struct iob_keyed *k;

	begin();
	jiffies = -(60UL * HZ);		/* (it wraps meanwhile, as a u32) */
	join(journal, 81, TAR, 1);
	k = iob_keyed_find(&transaction_logs, journal);
	if (transaction_logs.tidy(k))
		fail("a log that is used goes");
	jiffies += 10UL * 60 * HZ;
	join(journal, 82, TAR, 1);
	jiffies += 15UL * 60 * HZ - 1;
	if (transaction_logs.tidy(k))
		fail("it goes in less than a quarter of an hour");
	jiffies++;
	if (!transaction_logs.tidy(k))
		fail("it stays for ever");
	/* a probe that had found it before */
	iob_transaction_log_id(journal, 83);
	if (transaction_logs.tidy(k))
		fail("a log that is used again goes");
	jiffies = 1000;
	end();
}

/* A log counts anew if it was not used for long, or its address is another's. */
static void counts_anew(void)
{
	u64 first, second, third;

	begin();
	if (iob_transaction_unique(journal, 1))
		fail("nobody took part, and it is known");
	join(journal, 1, TAR, 1);
	first = iob_transaction_unique(journal, 1);
	if (!first || first != iob_transaction_unique(journal, 1) ||
	    first == iob_transaction_unique(journal, 2))
		fail("transaction 1 is %#llx, 2 is %#llx", first,
		     iob_transaction_unique(journal, 2));
	iob_transaction_log_end(journal);
	second = iob_transaction_unique(journal, 1);
	end();
	begin();
	join(journal, 1, TAR, 1);
	third = iob_transaction_unique(journal, 1);
	if (second == first || third == first || third == second)
		fail("transaction 1 of three logs: %#llx, %#llx, %#llx", first, second, third);
	end();
}

/* Whoever writes a transaction serves its log until it has ended that. */
static void serves(void)
{
	struct iob_task task = { };

	begin();
	join(journal, 81, TAR, 1);
	iob_transaction_begin_write(&task, journal, 81, 81);
	if (served != IOB_SERVES_TRANSACTION || !served_on)
		fail("who writes serves %d", served);
	served = SERVES_NOTHING;
	iob_transaction_begin_write(&task, NULL, 0, 0);
	if (served != IOB_SERVES_TRANSACTION || served_on)
		fail("who has written serves %d", served);
	end();
}

static void join_much_later(void)
{
	join(journal, 8 + NR_LAST, 900, 1);
}

/* The transaction's place is another one's before all of a block is paid for. */
static void taken_over(void)
{
	struct iob_transaction_write what = { .key = journal, .first = 8, .last = 8 };
	const u32 bytes = 1 << 20;
	struct iob_origin o = { };
	unsigned int i;

	begin();
	/* more than are asked for at once */
	for (i = 3; i < 3 + 2 * NR_PAYERS + 1; i++)
		join(journal, 8, i, 1);
	after_unlock = join_much_later;
	if (!iob_transaction_split(&o, &what, NULL, bytes) || o.sum != bytes)
		fail("%llu of %u bytes are in the origin", o.sum, bytes);
	if (!o.lost || o.lost == bytes)
		fail("%llu of %u bytes are lost", o.lost, bytes);
	end();
}

/* More than are asked for at once: each pays its part. */
static void many_pay(void)
{
	struct iob_transaction_write what = { .key = journal, .first = 8, .last = 8 };
	const unsigned int nr = 5 * NR_PAYERS;
	struct iob_origin o = { };
	const u32 part = 12 << SECTOR_SHIFT;
	unsigned int i;

	begin();
	for (i = 0; i < nr; i++)
		join(journal, 8, 3 + i, 1 + i % 3);
	if (!iob_transaction_split(&o, &what, NULL, 2 * nr * part) || o.sum != 2 * nr * part || o.lost)
		fail("%llu of %u bytes are charged", o.sum - o.lost, 2 * nr * part);
	for (i = 0; i < nr; i++) {
		/* (nr is no multiple of three) */
		long wrong = (long)o.bytes[3 + i] - (long)(1 + i % 3) * 2 * nr * part / (2 * nr - 1);

		if (labs(wrong) > 1L << SECTOR_SHIFT)
			fail("participant %u pays %ld bytes too much", i, wrong);
	}
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(parts), TEST(many_blocks), TEST(under_way), TEST(ended), TEST(restarted),
		TEST(goes_on), TEST(late), TEST(ids), TEST(marked), TEST(stops), TEST(last_place),
		TEST(taken_over), TEST(others_by_turns), TEST(no_participant), TEST(kernel_threads),
		TEST(act_again), TEST(no_room), TEST(idle), TEST(counts_anew), TEST(serves),
		TEST(many_at_once), TEST(many_pay),
	};

	return run_tests("transaction", tests, ARRAY_SIZE(tests));
}

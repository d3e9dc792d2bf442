// SPDX-License-Identifier: GPL-2.0
/*
 * Which cause pays for each byte of a bio, against an array of blocks.  Of more dirtiers than a bio
 * may have, and without memory for another one, the rest is lost, which is counted: it is nobody
 * else's.
 */
#include <linux/compiler.h>
#include <linux/ioblame.h>
#include <linux/kernel.h>

#include "test.h"

/* the real ones are not read */
#define IOB_CORE_CAUSE_H
#define IOB_CORE_STATS_H

/* --- core/cause: a reference is the number of a cause, and of its role */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_NOMEM		1ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_CAUSE_INHERITED	(1ULL << 20)

struct iob_file {
	u64 ino;
};

struct iob_cause {
	u64 role;
	bool kthread;
};

static u64 cause_gone, cause_of_kthread;

#define iob_cause_id(ref)		((ref) & ~IOB_CAUSE_INHERITED)
#define iob_cause_modified(ref, mod)	((void)(mod), (ref))
#define iob_file_same(a, b)		((a)->ino == (b)->ino)

static struct iob_cause *iob_cause_of(u64 ref)
{
	static struct iob_cause cause;

	cause.role = iob_cause_id(ref);
	cause.kthread = cause.role && cause.role == cause_of_kthread;
	return cause.role == cause_gone ? NULL : &cause;
}

static enum iob_how iob_cause_how(u64 ref, const struct iob_cause *cause)
{
	if (!cause || ref <= IOB_CAUSE_LOST)
		return IOB_HOW_LOST;
	if (cause->kthread)
		return IOB_HOW_SUBMITTER;
	return ref & IOB_CAUSE_INHERITED ? IOB_HOW_INHERITED : IOB_HOW_EXACT;
}

/* --- core/stats, and memory */

static struct {
	unsigned int act_lost, parts_nomem;
} losses;

static bool no_memory;

#define iob_stat_inc(name)		((void)losses.name++)
#define GFP_NOWAIT			0
#define __GFP_NOWARN			0
#define kmalloc_array(n, size, gfp)	(no_memory ? NULL : malloc((n) * (size)))
#define kfree(p)			free(p)

#include "blame/share.c"

#define BLOCK	4096U
#define FIRST	10U		/* of the causes */

static const struct iob_file file = { .ino = 5 };

static void begin(struct iob_origin *o)
{
	memset(&losses, 0, sizeof(losses));
	no_memory = false;
	cause_gone = IOB_CAUSE_NONE;
	cause_of_kthread = IOB_CAUSE_NONE;
	iob_origin_begin(o);
}

static void lost_are(const char *what, unsigned int act_lost, unsigned int parts_nomem)
{
	if (losses.act_lost != act_lost || losses.parts_nomem != parts_nomem)
		fail("%s: act_lost is %u, parts_nomem %u", what, losses.act_lost,
		     losses.parts_nomem);
}

static u64 all_bytes(const struct iob_origin *o)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < o->nr; i++)
		sum += iob_shares(o)[i].bytes;
	return sum;
}

/* So many dirtiers of a block each: those that have a share pay, the rest is nobody's. */
static void many(void)
{
	static const unsigned int numbers[] = {
		1, 2, 8, 9, 32, 33, 128, 129, 512, 513, IOB_MAX_SHARES, IOB_MAX_SHARES + 1,
		IOB_MAX_SHARES + 100,
	};
	unsigned int i, j, nr, known;
	struct iob_origin o;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		nr = numbers[i];
		/* the last share is the rest's */
		known = nr > IOB_MAX_SHARES ? IOB_MAX_SHARES - 1 : nr;
		begin(&o);
		for (j = 0; j < nr; j++)
			iob_origin_add_page(&o, FIRST + j, &file, BLOCK, 7);
		if (all_bytes(&o) != (u64)nr * BLOCK || o.nr != min(nr, (u32)IOB_MAX_SHARES))
			fail("%u dirtiers: %u shares of %llu bytes", nr, o.nr, all_bytes(&o));
		for (j = 0; j < nr; j++) {
			u64 want = j < known ? FIRST + j : IOB_CAUSE_NOMEM;

			if (iob_origin_at(&o, (u64)j * BLOCK) != want)
				fail("%u dirtiers: %llu pays for block %u", nr,
				     iob_origin_at(&o, (u64)j * BLOCK), j);
		}
		if (iob_shares(&o)[o.nr - 1].how != (known < nr ? IOB_HOW_LOST : IOB_HOW_EXACT))
			fail("%u dirtiers: the rest is not lost", nr);
		lost_are("dirtiers", 0, nr - min(nr, (u32)IOB_MAX_SHARES));
		iob_origin_free(&o);
	}
}

/* There is no memory for more shares, and then there is. */
static void without_memory(void)
{
	struct iob_origin o;

	begin(&o);
	iob_origin_add_page(&o, FIRST, &file, BLOCK, 7);
	no_memory = true;
	iob_origin_add_page(&o, FIRST, &file, BLOCK, 7);
	lost_are("another block of one dirtier", 0, 0);
	iob_origin_add_page(&o, FIRST + 1, &file, BLOCK, 7);
	lost_are("another dirtier", 0, 1);
	if (o.nr != 1 || o.one.cause != IOB_CAUSE_NOMEM || o.one.how != IOB_HOW_LOST)
		fail("%llu pays", (u64)o.one.cause);
	no_memory = false;
	iob_origin_add_page(&o, FIRST + 2, &file, BLOCK, 7);
	if (iob_origin_at(&o, 0) != IOB_CAUSE_NOMEM ||
	    iob_origin_at(&o, 3 * BLOCK) != FIRST + 2 || all_bytes(&o) != 4 * BLOCK)
		fail("with memory %llu pays", iob_origin_at(&o, 3 * BLOCK));
	lost_are("with memory", 0, 1);
	iob_origin_free(&o);
}

/* A cause is gone before an IO is charged to it; that no cause is known is counted elsewhere. */
static void gone(void)
{
	struct iob_origin o;

	begin(&o);
	cause_gone = FIRST;
	iob_origin_add(&o, FIRST, &file, BLOCK, 0);
	iob_origin_add(&o, FIRST + 1, &file, BLOCK, 0);
	iob_origin_add_lost(&o, BLOCK);
	lost_are("a cause that is gone", 1, 0);
	if (o.nr != 3 || iob_shares(&o)[0].cause != IOB_CAUSE_LOST ||
	    iob_shares(&o)[0].how != IOB_HOW_LOST ||
	    iob_shares(&o)[1].how != IOB_HOW_INHERITED || iob_shares(&o)[2].how != IOB_HOW_LOST)
		fail("%u shares, %llu pays", o.nr, iob_origin_at(&o, 0));
	iob_origin_free(&o);
}

/* For whom a kernel thread took part in a transaction is not known. */
static void kernel_thread(void)
{
	struct iob_origin o;

	begin(&o);
	cause_of_kthread = FIRST;
	iob_origin_add(&o, FIRST, &file, BLOCK, 0);
	iob_origin_add(&o, FIRST + 1, &file, BLOCK, 0);
	iob_origin_inherit(&o);
	if (o.nr != 2 || iob_shares(&o)[0].how != IOB_HOW_SUBMITTER ||
	    iob_shares(&o)[1].how != IOB_HOW_INHERITED)
		fail("%u shares: %u, %u", o.nr, iob_shares(&o)[0].how,
		     iob_shares(&o)[o.nr - 1].how);
	iob_origin_free(&o);
}

/* Pieces of an origin, one behind the other, are the origin; beyond its end there is nothing. */
static void pieces(void)
{
	enum { BLOCKS = 60 };
	struct iob_origin from, piece;
	unsigned int run, i, pos, nr;
	u64 by[BLOCKS];

	for (run = 0; run < 2000; run++) {
		begin(&from);
		for (i = 0; i < BLOCKS; i++) {
			by[i] = FIRST + rnd(3);
			iob_origin_add_page(&from, by[i], &file, BLOCK, 7);
		}
		for (pos = 0; pos < BLOCKS; pos += nr) {
			nr = 1 + rnd(BLOCKS - pos);
			if (!iob_origin_slice(&piece, &from, pos * BLOCK, nr * BLOCK))
				fail("%u blocks at %u are not there", nr, pos);
			for (i = 0; i < nr; i++) {
				if (iob_origin_at(&piece, i * BLOCK) != by[pos + i])
					fail("block %u + %u is not its dirtier's", pos, i);
			}
			if (all_bytes(&piece) != nr * BLOCK)
				fail("%llu bytes", all_bytes(&piece));
			iob_origin_free(&piece);
		}
		if (iob_origin_slice(&piece, &from, BLOCK, BLOCKS * BLOCK))
			fail("a piece ends behind the origin");
		iob_origin_free(&piece);
		lost_are("pieces", 0, 0);
		iob_origin_free(&from);
	}
}

/* What is needed for others' data is not as sure as these. */
static void inherits(void)
{
	struct iob_origin o;

	begin(&o);
	iob_origin_add_page(&o, FIRST, &file, BLOCK, 7);
	iob_origin_add_lost(&o, BLOCK);
	iob_origin_inherit(&o);
	if (iob_shares(&o)[0].how != IOB_HOW_INHERITED || iob_shares(&o)[1].how != IOB_HOW_LOST)
		fail("parity is %u, %u", iob_shares(&o)[0].how, iob_shares(&o)[1].how);
	iob_origin_stretch(&o, BLOCK);
	if (all_bytes(&o) != 3 * BLOCK || iob_shares(&o)[1].bytes != 2 * BLOCK)
		fail("it stretches to %llu bytes", all_bytes(&o));
	iob_origin_free(&o);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(many), TEST(without_memory), TEST(gone), TEST(kernel_thread),
		TEST(pieces), TEST(inherits),
	};

	return run_tests("share", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Who pays for a discard by a thread of the kernel: each act for the ranges that it freed, and for
 * the gaps behind them.
 */
#include <linux/blkdev.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_BEHALF_H
#define IOB_BLAME_FREED_EXTENT_H
#define IOB_BLAME_LOOK_H
#define IOB_BLAME_TRANSACTION_H
#define IOB_CORE_STATS_H
#define IOB_STACK_STACK_H

#define noinline_for_stack
#define PF_KTHREAD		1
#define round_down(x, y)	((x) & ~((u64)(y) - 1))
#define REQ_SWAP		2

static struct {
	unsigned int flags;
} task = { PF_KTHREAD };

#define current			(&task)

/* --- what is asked for discards */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_NOMEM		1ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_DIRTY_UNKNOWN	1
#define IOB_MODIFIER_JOURNAL	1
#define IOB_MODIFIER_DISCARD	2
#define IOB_MAX_SHARES		2048

enum iob_how { IOB_HOW_LOST, IOB_HOW_INHERITED };
enum { GONE = 20, ACTS };

struct iob_cause {
	u64 role;
};

struct iob_file {
	u32 hash;
};

struct iob_origin {
	u64 bytes[ACTS];	/* of each act */
	u64 all;
	unsigned int nr;	/* shares: as the real one, the last one's act again is none */
	u64 last;
};

struct gendisk {
	int nr;
};

struct bio {
	struct {
		u64 bi_sector;
		u32 bi_size;
	} bi_iter;
	u32 bi_opf;
	struct gendisk *disk;
};

struct iob_call {
	unsigned long ret;
};

struct iob_stack {
	unsigned long ret;
};

struct iob_task;

struct iob_discard_call {
	struct iob_call call;
	bool own;
	const void *space;
	u64 start, end, pos;
};

struct iob_transaction_write {
	const void *key, *log_id;
	const struct gendisk *gd;
	u64 start;
	u32 first;
	bool always;
	u8 shift;
};

struct iob_bio_kind {
	bool (*is_log)(struct iob_task *t);
	u64 (*changed_by)(struct bio *bio);
};

struct iob_share {
	u32 bytes;
};

struct iob_extent {
	struct {
		unsigned int nr;
	} origin;
	struct iob_file file;
	u64 bytes;
};

struct iob_provider {
	bool (*discards)(struct iob_task *t, struct iob_stack *s, struct iob_transaction_write *w);
	bool (*extent_any)(struct iob_task *t);
	const struct iob_extent *(*extent)(struct iob_task *t, struct bio *bio,
					   struct iob_stack *s, struct iob_extent *room);
};

struct iob_look {
	struct iob_origin *o;
	struct bio *bio, *whole;
	struct iob_task *task;
	const struct iob_bio_kind *kind;
	const void *meta_host;
	const struct iob_file *file;
	u32 modifier;
	bool late, not_own;
};

static struct iob_cause any_cause;
static struct iob_discard_call call;
static unsigned int nr_lost, nr_nomem, nr_unknown;

#define act_lost		nr_lost
#define parts_nomem		nr_nomem
#define freed_unknown		nr_unknown
#define iob_stat_inc(name)	((void)name++)
#define iob_cause_how(act, c)	((void)(act), (void)(c), IOB_HOW_INHERITED)
#define iob_cause_modified(act, m) ((void)(m), (act))
#define iob_file_of(host, f)	((void)(host), (void)((f)->hash = 0))
#define iob_look_device(bio, f)	((void)(bio), (void)((f)->hash = 0))
#define iob_look_stack(l, s)	((void)(l), (void)((s)->ret = 1))
#define iob_look_add_share(l, host, s, shared) ((void)(l), (void)(s), (void)(shared))
#define iob_shares(o)		((struct iob_share *)(o))
#define iob_origin_begin(o)	((void)(o))
#define iob_origin_free(o)	((void)(o))
#define iob_bio_disk(bio)	((bio)->disk)
#define iob_stack_has(s, r)	((s)->ret == (r))
#define iob_discard_call_of(t)	((void)(t), &call)
#define iob_for_each_provider(p, list) for ((p) = *(list); *(p); (p)++)
#define iob_transaction_block(tid, nr) ((void)(tid), (nr))
#define iob_transaction_writes(t) ((void)(t), &no_write)
#define iob_transaction_split(o, w, f, bytes) ((void)(o), (void)(w), (void)(f), (void)(bytes), false)
#define iob_assoc_get_last(kind, id, nr) ((void)(id), (void)(nr), IOB_CAUSE_NONE)

static inline struct iob_cause *iob_cause_of(u64 act)
{
	return act == GONE ? NULL : &any_cause;
}

static const struct iob_transaction_write no_write;
static const struct iob_provider *iob_providers_extent[1], *iob_providers_discard[1];

static void iob_origin_put(struct iob_origin *o, u64 act, const struct iob_file *f,
			   enum iob_how how, u32 bytes, u64 ns)
{
	(void)f, (void)ns;
	if ((how == IOB_HOW_LOST) != (act <= IOB_CAUSE_LOST))
		fail("act %llu is %s", act, how == IOB_HOW_LOST ? "lost" : "known");
	o->nr += !o->nr || o->last != act;
	o->last = act;
	o->bytes[act] += bytes;
	o->all += bytes;
}

#define iob_origin_add(o, act, f, bytes, m) \
	iob_origin_put(o, act, f, (act) <= IOB_CAUSE_LOST ? IOB_HOW_LOST : IOB_HOW_INHERITED, \
		       bytes, ((void)(m), 0))

/*
 * Of each 16 sectors the first 8 were freed, by 7 and 9 in turns, or by @one; with @gaps none after
 * them was.
 */
static bool gaps, nobody;
static u64 one;
static unsigned int nr_forgotten, nr_looks;

static bool iob_freed_extent_discards(const void *space)
{
	(void)space;
	return true;
}

static void iob_freed_extent_forget(const void *space, u64 start, u64 end)
{
	(void)space;
	nr_forgotten += end - start;
}

static u64 iob_freed_extent_by(const void *space, u64 pos, u64 *end, bool forget)
{
	(void)space, (void)forget;
	nr_looks++;
	if (nobody)
		return IOB_CAUSE_NONE;
	*end = min(*end, (pos | 7) + 1);
	if (gaps && pos & 8)
		return IOB_CAUSE_NONE;
	if (one)
		return one;
	return pos >> (gaps ? 4 : 3) & 1 ? 9 : 7;
}

#include "blame/look_metadata.c"

/* A discard of so many sectors. */
static struct iob_origin discard(u64 sector, u32 sectors, bool want)
{
	static struct gendisk disk;
	struct iob_origin o = { .nr = 0 };
	struct bio bio = { .bi_iter = { sector, sectors << SECTOR_SHIFT }, .disk = &disk };
	struct iob_look l = { .o = &o, .bio = &bio, .task = (void *)&task };

	nr_lost = 0;
	nr_nomem = 0;
	nr_unknown = 0;
	nr_looks = 0;
	if (iob_look_at_discard(&l) != want)
		fail("a discard of %u sectors is %s", sectors, want ? "unknown" : "known");
	if (o.all != (want ? (u64)sectors << SECTOR_SHIFT : 0))
		fail("of %u sectors %llu bytes are paid for", sectors, o.all);
	return o;
}

static void are(const char *what, const struct iob_origin *o, u64 by7, u64 by9, u64 lost)
{
	if (o->bytes[7] != by7 << SECTOR_SHIFT || o->bytes[9] != by9 << SECTOR_SHIFT ||
	    o->bytes[IOB_CAUSE_NOMEM] != lost << SECTOR_SHIFT)
		fail("%s: of sectors 7 pays %llu, 9 %llu, nobody %llu", what,
		     o->bytes[7] >> SECTOR_SHIFT, o->bytes[9] >> SECTOR_SHIFT,
		     o->bytes[IOB_CAUSE_NOMEM] >> SECTOR_SHIFT);
	if (nr_nomem != !!lost)
		fail("%s: parts_nomem is %u", what, nr_nomem);
}

static void pieces(void)
{
	struct iob_origin o;

	gaps = false;
	o = discard(0, 32, true);
	are("four pieces", &o, 16, 16, 0);
	gaps = true;
	o = discard(0, 24, true);
	are("a gap", &o, 16, 8, 0);
}

/* An origin has 2048 shares.  What has none of its own is in the last one, which is nobody's. */
static void many_pieces(void)
{
	struct iob_origin o;

	gaps = false;
	o = discard(0, 2047 * 8, true);
	are("2047 pieces", &o, 1024 * 8, 1023 * 8, 0);
	o = discard(0, 4096 * 8, true);
	are("4096 pieces", &o, 1024 * 8, 1023 * 8, 2049 * 8);
	gaps = true;
	o = discard(0, 2047 * 16, true);
	are("2047 pieces with gaps", &o, 1024 * 16, 1023 * 16, 0);
	o = discard(0, 2050 * 16, true);
	are("2050 pieces with gaps", &o, 1024 * 16, 1023 * 16, 3 * 16);
}

/* Ranges of one act are one share, however many; only the time is bounded in which they are found. */
static void many_of_one(void)
{
	unsigned int n, most = 0;
	struct iob_origin o;

	one = 7;
	for (n = 0; n < 2; n++) {
		gaps = n;
		o = discard(0, 2050 * 16, true);
		are(n ? "2050 with gaps" : "4100", &o, 2050 * 16, 0, 0);
		if (o.nr != 1)
			fail("%u: %u shares", n, o.nr);
		o = discard(0, 1 << 20, true);
		if (nr_nomem != 1 || o.nr != 2)
			fail("%u: parts_nomem is %u, of %u shares", n, nr_nomem, o.nr);
		if (o.bytes[7] < 4096 * 8 << SECTOR_SHIFT)
			fail("%u: 7 pays %llu", n, o.bytes[7]);
		most = max(most, nr_looks);
	}
	if (most > 4 * IOB_MAX_SHARES)
		fail("%u looks", most);
	/* the act is gone: that is no gap, and one share, too */
	one = GONE;
	o = discard(0, 2050 * 16, true);
	if (o.bytes[IOB_CAUSE_LOST] != 2050 * 16 << SECTOR_SHIFT || nr_nomem || nr_lost != 2050)
		fail("of one that is gone %llu bytes are lost, parts_nomem is %u, act_lost %u",
		     o.bytes[IOB_CAUSE_LOST], nr_nomem, nr_lost);
	one = 0;
}

/* What a call discards next lies behind the bio, also if not all of that was looked at. */
static void by_address(void)
{
	struct iob_origin o;

	gaps = false;
	call = (struct iob_discard_call){
		.call.ret = 1, .space = &call, .start = 0, .end = 1 << 30,
	};
	o = discard(0, 8192, true);
	if (nr_nomem != 1 || o.all != 8192 << SECTOR_SHIFT)
		fail("pieces of 8 bytes: parts_nomem is %u", nr_nomem);
	if (call.pos != 8192 << SECTOR_SHIFT)
		fail("the next bio begins at %llu", call.pos);
	call = (struct iob_discard_call){ .space = NULL };
}

static void unknown(void)
{
	nobody = true;
	discard(0, 32, false);
	if (nr_unknown != 1)
		fail("freed_unknown is %u", nr_unknown);
	nobody = false;
	task.flags = 0;
	nr_forgotten = 0;
	discard(0, 32, false);
	if (nr_forgotten != 32 || nr_unknown)
		fail("a task discards for itself: %u are forgotten", nr_forgotten);
	task.flags = PF_KTHREAD;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(pieces), TEST(many_pieces), TEST(many_of_one), TEST(by_address), TEST(unknown),
	};

	return run_tests("look_metadata", tests, ARRAY_SIZE(tests));
}

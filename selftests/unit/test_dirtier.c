// SPDX-License-Identifier: GPL-2.0
/*
 * The dirtier table and the times beside it, against an array of page frames: what is set, cleared
 * and moved, and nothing else, at the ends of leaves and of memory too.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/memory_hotplug.h>
#include <linux/mm.h>
#include <linux/workqueue.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_COMPAT_FOLIO_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_STATS_H
#define IOB_CORE_WORKER_H

/* --- compat/folio: the head of a compound page has its flags */

enum { PG_locked, PG_referenced, PG_dirty, PG_writeback };

struct page {
	unsigned long flags;
	struct page *head;
	bool offline;
};

#define iob_folio		page
#define iob_folio_of(p)		((p)->head ? (p)->head : (p))
#define iob_folio_flags(f)	((f)->flags)

/* --- core/cause, core/stats, core/worker */

#define MAX_CAUSES		256
#define NUMBER			((1U << 20) - 1)
#define INHERITED		(1U << 20)

static unsigned int nr_touched[MAX_CAUSES];
static unsigned int nr_lost;

#define iob_cause_number(entry)		((u32)((entry) & NUMBER))
#define iob_cause_touch_nr(nr)		((void)nr_touched[nr]++)
#define iob_stat_add(name, n)		((void)(nr_lost += (n)))
#define iob_stat_inc(name)		iob_stat_add(name, 1)
#define iob_work_queue_delayed(w, t)	((void)(w), (void)(t))

/* the worker's, beside which a page may be dirtied */
static void (*before_cmpxchg)(void);

static u32 cmpxchg_u32(u32 *at, u32 old, u32 new)
{
	if (before_cmpxchg)
		before_cmpxchg();
	__atomic_compare_exchange_n(at, &old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}

#define cmpxchg	cmpxchg_u32

/* as in the kernel */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "blame/dirtier.c"
#include "blame/dirty_time.c"

/* --- blame/plane, without a lock: a leaf is a block of malloc(), which the sanitizers watch */

#define LEAVES	4
#define PAGES	(LEAVES * IOB_LEAF_PAGES)

struct iob_plane_dir iob_plane_no_dir;

static unsigned long nr_leaves;		/* a plane has when it starts */
static unsigned int nr_starts, failing_start;
static bool no_memory;

static struct iob_plane_dir *dir_alloc(unsigned long nr)
{
	struct iob_plane_dir *dir = calloc(1, sizeof(*dir) + nr * sizeof(dir->leaf[0]));

	dir->nr = nr;
	return dir;
}

static void plane_replace(struct iob_plane *p, struct iob_plane_dir *dir)
{
	if (p->dir != &iob_plane_no_dir)
		free(p->dir);
	p->dir = dir;
	if (p->replaced)
		p->replaced();
}

int iob_plane_start(struct iob_plane *p, unsigned int entry_shift)
{
	p->bits = PAGE_SHIFT - entry_shift;
	p->pages = (atomic_long_t){ 0 };
	if (++nr_starts == failing_start)
		return -ENOMEM;
	plane_replace(p, dir_alloc(nr_leaves));
	return 0;
}

void iob_plane_stop(struct iob_plane *p)
{
	unsigned long i;

	for (i = 0; i < p->dir->nr; i++)
		free(p->dir->leaf[i]);
	plane_replace(p, &iob_plane_no_dir);
}

void *iob_plane_leaf_make(struct iob_plane *p, unsigned long pfn)
{
	void **leaf = &p->dir->leaf[pfn >> p->bits];

	if (!nr_held)
		fail("page frame %lu: a leaf is made by no reader", pfn);
	if (no_memory || pfn >> p->bits >= p->dir->nr)
		return NULL;
	if (*leaf)
		fail("page frame %lu: its leaf was there", pfn);
	*leaf = aligned_alloc(PAGE_SIZE, PAGE_SIZE);
	memset(*leaf, 0, PAGE_SIZE);
	p->pages.counter++;
	return *leaf;
}

unsigned long iob_plane_bytes(const struct iob_plane *p)
{
	return p->pages.counter * PAGE_SIZE;
}

/* Memory comes. */
static void plane_grow(struct iob_plane *p, unsigned long nr)
{
	struct iob_plane_dir *dir = dir_alloc(nr);

	memcpy(dir->leaf, p->dir->leaf, p->dir->nr * sizeof(dir->leaf[0]));
	plane_replace(p, dir);
}

/* --- what must be in the table */

#define UNIT	(1ULL << IOB_DIRTY_TIME_SHIFT)

static struct page pages[PAGES];
static u32 entries[PAGES];
static u64 times[PAGES];	/* in ns, while times are noted */
static u64 clock_ns;

u64 ktime_get_ns(void)
{
	return clock_ns;
}

static unsigned int nr_looks;
static bool stop;
static unsigned int stop_after;	/* looks, 0: not */

struct page *pfn_to_online_page(unsigned long pfn)
{
	if (++nr_looks == stop_after)
		stop = true;
	return pages[pfn].offline ? NULL : &pages[pfn];
}

static void begin(void)
{
	nr_leaves = LEAVES;
	nr_starts = 0;
	failing_start = 0;
	no_memory = false;
	nr_lost = 0;
	before_cmpxchg = NULL;
	clock_ns = 1000 * UNIT;
	memset(pages, 0, sizeof(pages));
	memset(entries, 0, sizeof(entries));
	memset(times, 0, sizeof(times));
	memset(nr_touched, 0, sizeof(nr_touched));
	if (iob_dirtier_init())
		abort();
}

static void end(void)
{
	iob_dirtier_want_age(false);
	iob_dirtier_exit();
	if (nr_held)
		fail("a reader is left");
	nr_held = 0;
}

static void later(void)
{
	clock_ns += 2 * UNIT + rnd(UNIT);
}

static void want_age(bool want)
{
	iob_dirtier_want_age(want);
	later();
	memset(times, 0, sizeof(times));
}

static void set(unsigned long pfn, unsigned long count, u32 entry)
{
	unsigned long i;

	later();
	iob_read_lock();
	if (count == 1 && rnd(2))
		iob_dirtier_set_one(pfn, entry);
	else
		iob_dirtier_set(pfn, count, entry);
	iob_read_unlock();
	for (i = pfn; i < min(pfn + count, PAGES); i++) {
		entries[i] = entry;
		times[i] = iob_dirty_time_wanted ? clock_ns / UNIT * UNIT : 0;
	}
}

static void clear(unsigned long pfn, unsigned long count)
{
	iob_read_lock();
	iob_dirtier_clear(pfn, count);
	iob_read_unlock();
	for (; count; count--, pfn++) {
		if (pfn < PAGES)
			entries[pfn] = 0;
	}
}

static void move(unsigned long to, unsigned long from, unsigned long count)
{
	later();
	iob_read_lock();
	iob_dirtier_move(to, from, count);
	iob_read_unlock();
	for (; count; count--, to++, from++) {
		if (to < PAGES) {
			entries[to] = from < PAGES ? entries[from] : 0;
			times[to] = from < PAGES ? times[from] : 0;
		}
		if (from < PAGES) {
			entries[from] = 0;
			times[from] = 0;
		}
	}
}

static u32 get(unsigned long pfn)
{
	u32 entry;

	iob_read_lock();
	entry = iob_dirtier_get(pfn);
	iob_read_unlock();
	return entry;
}

/* (the time of a page without an entry is never asked for) */
static void compare(const char *what)
{
	unsigned long i;
	u64 time;

	iob_read_lock();
	for (i = 0; i < PAGES; i++) {
		time = iob_dirty_time_get(i);
		if (iob_dirtier_get(i) != entries[i])
			fail("%s: page frame %lu has %#x, not %#x", what, i, iob_dirtier_get(i),
			     entries[i]);
		else if (entries[i] && time != times[i])
			fail("%s: page frame %lu is of %llu, not %llu", what, i, time, times[i]);
	}
	iob_read_unlock();
}

static u32 any_entry(void)
{
	return (u32)rnd64() << 21 | (rnd(4) ? 0 : INHERITED) | (3 + rnd(MAX_CAUSES - 3));
}

/* --- tests */

/* Ranges of any begin and length, over the ends of leaves: two entries are written at a time. */
static void ranges(void)
{
	unsigned long pfn, count;

	begin();
	for (pfn = IOB_LEAF_PAGES - 5; pfn < IOB_LEAF_PAGES + 3; pfn++) {
		for (count = 0; count < 10; count++) {
			set(pfn, count, any_entry());
			compare("set");
			clear(pfn + 1, count);
			compare("cleared");
		}
	}
	set(3, PAGES - 7, any_entry());
	compare("all");
	clear(IOB_LEAF_PAGES - 1, 2 * IOB_LEAF_PAGES);
	compare("two leaves are cleared");
	if (nr_lost)
		fail("%u are lost", nr_lost);
	end();
}

/* A run ends with its entry, with what is asked for, or with its leaf. */
static void runs(void)
{
	unsigned long pfn, most, run, want;
	unsigned int i;
	u32 entry;

	begin();
	for (i = 0; i < 300; i++)
		set(rnd(2 * IOB_LEAF_PAGES), 1 + rnd(20), 3 + rnd(2));
	for (i = 0; i < 200000; i++) {
		pfn = rnd(3 * IOB_LEAF_PAGES);
		most = 1 + rnd(rnd(4) ? 40 : 3 * IOB_LEAF_PAGES);
		entry = 3 + rnd(2);
		for (want = 0; want < most && entries[pfn + want] == entry; want++) {
			if (want && !((pfn + want) % IOB_LEAF_PAGES))
				break;
		}
		iob_read_lock();
		run = iob_dirtier_run(pfn, most, entry);
		iob_read_unlock();
		if (run != want)
			fail("of %lu from %lu on: %lu, not %lu", most, pfn, run, want);
	}
	end();
}

/* Each page has its own entry, or none, where it comes from and where an earlier one was. */
static void moves(void)
{
	static const struct {
		const char *what;
		unsigned long to, from, count;
	} cases[] = {
		{ "one page", 2000, 100, 1 },
		{ "to a leaf that is not there", 3 * IOB_LEAF_PAGES, 100, 1 },
		{ "from a leaf that is not there", 100, 3 * IOB_LEAF_PAGES, 16 },
		{ "between two such", 3 * IOB_LEAF_PAGES, 3 * IOB_LEAF_PAGES + 16, 16 },
		{ "a large folio", 2048, 512, 512 },
		{ "a whole leaf", 0, IOB_LEAF_PAGES, IOB_LEAF_PAGES },
		{ "the next frames", 116, 100, 16 },
		{ "the frames before", 100, 116, 16 },
		{ "from two leaves", 33, IOB_LEAF_PAGES - 7, 16 },
		{ "to two leaves", IOB_LEAF_PAGES - 7, 33, 16 },
		{ "both", 2 * IOB_LEAF_PAGES - 3, IOB_LEAF_PAGES - 7, 16 },
		{ "to the end of memory", PAGES - 16, 0, 16 },
		{ "from the end of memory", 0, PAGES - 16, 16 },
		{ "nothing", 100, 200, 0 },
	};
	unsigned int i, j, k, want[MAX_CAUSES];

	for (i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		unsigned long to = cases[i / 2].to, from = cases[i / 2].from;
		unsigned long n = cases[i / 2].count;

		begin();
		want_age(i & 1);
		for (j = 0; j < 3 * IOB_LEAF_PAGES; j++) {
			if (rnd(3))
				set(j, 1, any_entry());
		}
		/* what each move must do with its first two pages: none is moved, too */
		if (to < 3 * IOB_LEAF_PAGES && from + 1 < 3 * IOB_LEAF_PAGES) {
			set(from, 1, any_entry());
			clear(from + 1, 1);
			set(to, 2, any_entry());
			if (from == to + 2)
				set(from, 1, any_entry());
		}
		memset(want, 0, sizeof(want));
		for (k = 0; k < n; k++)
			want[iob_cause_number(entries[from + k])]++;
		want[0] = 0;
		move(to, from, n);
		compare(cases[i / 2].what);
		if (memcmp(nr_touched, want, sizeof(want)))
			fail("%s: other causes are touched", cases[i / 2].what);
		if (nr_lost)
			fail("%s: %u are lost", cases[i / 2].what, nr_lost);
		end();
	}
}

/* Frames that the table has no room for, and leaves that cannot be made, are counted. */
static void lost(void)
{
	u32 entry = any_entry();

	begin();
	set(PAGES - 2, 5, entry);
	compare("set beyond the end");
	if (nr_lost != 3)
		fail("%u of 3 are lost", nr_lost);
	if (get(PAGES) || get(PAGES + IOB_LEAF_PAGES) || get(-1UL))
		fail("there is an entry beyond the end");
	clear(PAGES - 1, 3);
	compare("cleared beyond the end");
	set(0, 4, entry);
	nr_lost = 0;
	move(PAGES - 2, 0, 4);
	compare("moved beyond the end");
	if (nr_lost != 2)
		fail("%u of 2 that were moved are lost", nr_lost);
	move(PAGES - 8, PAGES - 2, 4);
	compare("moved from beyond the end");

	no_memory = true;
	nr_lost = 0;
	iob_read_lock();
	iob_dirtier_set(IOB_LEAF_PAGES - 2, 5, entry);
	iob_dirtier_set_one(IOB_LEAF_PAGES, entry);
	iob_read_unlock();
	entries[IOB_LEAF_PAGES - 2] = entry;
	entries[IOB_LEAF_PAGES - 1] = entry;
	compare("without memory");
	if (nr_lost != 4)
		fail("%u of 4 are lost without memory", nr_lost);
	nr_lost = 0;
	iob_read_lock();
	iob_dirtier_move(IOB_LEAF_PAGES, IOB_LEAF_PAGES - 2, 2);
	iob_read_unlock();
	entries[IOB_LEAF_PAGES - 2] = 0;
	entries[IOB_LEAF_PAGES - 1] = 0;
	compare("moved without memory");
	if (nr_lost != 2)
		fail("%u of 2 are lost that were moved without memory", nr_lost);
	end();
}

/* All of these in any order, as times are noted and as they are not. */
static void any_order(void)
{
	unsigned long to, from, count;
	unsigned int i;

	begin();
	for (i = 0; i < 30000; i++) {
		to = rnd(PAGES);
		from = rnd(PAGES);
		count = 1 + rnd(rnd(4) ? 4 : 600);
		switch (rnd(64) ? rnd(5) : 5) {
		case 0:
			set(to, min(count, PAGES - to), any_entry());
			break;
		case 1:
			set(to, 1, any_entry());
			break;
		case 2:
			clear(to, min(count, PAGES - to));
			break;
		case 3:
		case 4:
			count = min(count, PAGES - max(to, from));
			/* folios do not overlap */
			count = min(count, to > from ? to - from : from - to);
			move(to, from, count);
			break;
		default:
			want_age(!iob_dirty_time_wanted);
		}
		if (i % 100 == 99)
			compare("any order");
	}
	if (nr_lost)
		fail("%u are lost", nr_lost);
	end();
}

/* One page at a time takes no call, unless times are noted; also in memory that came. */
static void fast(void)
{
	begin();
	if (iob_dirtier_fast_dir != iob_dirtiers.dir)
		fail("no fast path");
	want_age(true);
	if (iob_dirtier_fast_dir != &iob_plane_no_dir)
		fail("a fast path that notes no times");
	plane_grow(&iob_dirtiers, LEAVES + 1);
	if (iob_dirtier_fast_dir != &iob_plane_no_dir)
		fail("a fast path that notes no times in new memory");
	want_age(false);
	if (iob_dirtier_fast_dir != iob_dirtiers.dir)
		fail("no fast path again");
	plane_grow(&iob_dirtiers, LEAVES + 2);
	if (iob_dirtier_fast_dir != iob_dirtiers.dir)
		fail("no fast path in new memory");
	iob_read_lock();
	iob_dirtier_set_one(PAGES + IOB_LEAF_PAGES + 7, 5);
	iob_read_unlock();
	if (get(PAGES + IOB_LEAF_PAGES + 7) != 5 || nr_lost)
		fail("new memory has no entry");
	end();
	if (iob_dirtier_fast_dir != &iob_plane_no_dir || iob_dirtiers.dir != &iob_plane_no_dir)
		fail("a fast path into a table that is gone");
}

static unsigned long marks[MAX_CAUSES / 64];

static void marked(const char *what, u32 nr, bool want)
{
	memset(marks, 0, sizeof(marks));
	__set_bit(200, marks);
	if (!iob_dirtier_mark(marks, &stop))
		fail("%s: not all is read", what);
	if (test_bit(nr, marks) != want)
		fail("%s: %s", what, want ? "not found" : "found");
	if (!test_bit(200, marks))
		fail("%s: a mark was cleared", what);
	if (test_bit(0, marks))
		fail("%s: no cause was found", what);
}

/* A cause is in use as long as a page with its entry may still be written. */
static void mark(void)
{
	const unsigned long pfn = 2 * IOB_LEAF_PAGES + 77;
	unsigned int i;

	begin();
	for (i = 0; i < PAGES; i++)
		pages[i].flags = BIT(PG_dirty);
	marked("an empty table", 9, false);
	set(pfn, 1, 0xfff00000 | 9);
	marked("dirty", 9, true);
	pages[pfn].flags = BIT(PG_writeback);
	marked("in writeback", 9, true);
	pages[pfn].flags = BIT(PG_locked);
	marked("locked", 9, true);
	pages[pfn].flags = BIT(PG_referenced);
	marked("clean", 9, false);
	set(pfn + 1, 1, 9);
	marked("another page is dirty", 9, true);
	pages[pfn + 1].offline = true;
	marked("offline", 9, false);
	pages[pfn].head = &pages[pfn - 2];
	marked("its folio is dirty", 9, true);
	pages[pfn - 2].flags = 0;
	marked("its folio is clean", 9, false);
	set(0, 1, 10);
	marked("the first page frame", 10, true);
	set(PAGES - 1, 1, 11);
	marked("the last page frame", 11, true);
	move(7, PAGES - 1, 1);
	pages[PAGES - 1].flags = 0;
	marked("moved", 11, true);
	clear(7, 1);
	marked("cleared", 11, false);
	end();
}

/* Pages of marked causes are not looked at, and a walk that is stopped ends with its leaf. */
static void mark_few(void)
{
	unsigned long leaf;

	begin();
	for (leaf = 0; leaf < LEAVES; leaf++) {
		set(leaf * IOB_LEAF_PAGES, IOB_LEAF_PAGES - 3, 200);
		set(leaf * IOB_LEAF_PAGES + 50, 2, 9);
	}
	nr_looks = 0;
	marked("clean", 9, false);
	if (nr_looks != 2 * LEAVES)
		fail("%u pages are looked at", nr_looks);
	pages[IOB_LEAF_PAGES + 50].flags = BIT(PG_dirty);
	nr_looks = 0;
	marked("dirty", 9, true);
	if (nr_looks != 3)
		fail("%u pages are looked at until one is dirty", nr_looks);
	memset(marks, 0, sizeof(marks));
	__set_bit(200, marks);
	nr_looks = 0;
	stop_after = 1;
	if (iob_dirtier_mark(marks, &stop))
		fail("it was stopped, and says that all is read");
	if (nr_looks != 2 || test_bit(9, marks))
		fail("it was stopped, and looks at %u pages", nr_looks);
	if (iob_dirtier_mark(marks, &stop) || nr_looks != 2)
		fail("it begins, and was stopped before");
	stop_after = 0;
	stop = false;
	end();
}

/* A page keeps its time as it moves, and has none that was noted before times were wanted. */
static void ages(void)
{
	begin();
	set(1, 1, 3);
	want_age(true);
	set(2, 1, 3);
	compare("noted");
	if (!times[2] || iob_dirtier_bytes() != 2 * PAGE_SIZE)
		fail("no time, or %lu bytes of leaves", iob_dirtier_bytes());
	/* (its new frame was used before) */
	set(40, 2, 4);
	move(40, 1, 2);
	compare("moved");
	if (times[40] || !times[41])
		fail("%llu and %llu", times[40], times[41]);
	want_age(false);
	want_age(true);
	compare("noted again");
	end();
}

static void dirties_again(void)
{
	before_cmpxchg = NULL;
	iob_dirtier_set(1, 1, 5);
}

/* What is too old is removed before it wraps, but not what a page gets at that moment. */
static void swept(void)
{
	const u64 hours = 3600ULL * NSEC_PER_SEC, wrap = UNIT << 32;

	begin();
	want_age(true);
	set(1, 2, 5);
	clock_ns += 17 * hours;
	times[1] = clock_ns / UNIT * UNIT;
	times[2] = 0;
	/* while page 1 is looked at */
	before_cmpxchg = dirties_again;
	dirty_time_sweep(&sweep_work.work);
	if (before_cmpxchg)
		fail("nothing is swept");
	compare("swept");
	set(0, 1, 5);
	clock_ns += 17 * hours;
	dirty_time_sweep(&sweep_work.work);
	clock_ns += wrap - 17 * hours + 2 * UNIT;
	memset(times, 0, sizeof(times));
	compare("wrapped");
	set(0, 1, 5);
	iob_read_lock();
	if (!*(u32 *)iob_plane_leaf(&dirty_times, 0))
		fail("no stamp");
	iob_read_unlock();
	want_age(false);
	dirty_time_sweep(&sweep_work.work);
	iob_read_lock();
	if (*(u32 *)iob_plane_leaf(&dirty_times, 0))
		fail("a stamp stays that does not hold");
	iob_read_unlock();
	end();
}

/* Without memory there is no table, and nothing that looks for one minds. */
static void no_table(void)
{
	unsigned int i;

	for (i = 1; i <= 2; i++) {
		begin();
		end();
		nr_starts = 0;
		failing_start = i;
		if (iob_dirtier_init() != -ENOMEM)
			fail("table %u of 2 failed, and it is no error", i);
		if (iob_dirtiers.dir != &iob_plane_no_dir ||
		    dirty_times.dir != &iob_plane_no_dir)
			fail("table %u of 2 failed, and something is left", i);
		set(5, 2, 5);
		move(7, 5, 2);
		clear(7, 2);
		memset(entries, 0, sizeof(entries));
		compare("no table");
		marked("no table", 5, false);
		if (nr_lost != 2)
			fail("%u of 2 are lost", nr_lost);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(ranges), TEST(runs), TEST(moves), TEST(lost), TEST(any_order), TEST(fast),
		TEST(mark), TEST(mark_few), TEST(ages), TEST(swept), TEST(no_table),
	};

	return run_tests("dirtier", tests, ARRAY_SIZE(tests));
}

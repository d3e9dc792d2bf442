// SPDX-License-Identifier: GPL-2.0
/*
 * On whose behalf dirty pages are written: of a large folio, whose page cache has one mark for all
 * of its pages, by whoever dirtied one of them.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_CACHED_PAGE_H
#define IOB_BLAME_DIRTY_TIME_H
#define IOB_COMPAT_FOLIO_H

/* --- compat/folio: page @index of the file is page frame FRAME + @index */

struct page {
	unsigned long pfn, index, pages;
	bool dirty;
};

#define iob_folio		page
#define iob_folio_of(p)		(p)
#define iob_folio_pfn(f)	((f)->pfn)
#define iob_folio_pages(f)	((f)->pages)
#define iob_folio_flags(f)	((f)->dirty)

enum { PG_locked, PG_referenced, PG_dirty, PG_writeback };

/* --- the page cache of one file */

#define FRAME			100UL
#define ULONG_LAST		(~0UL)
#define XA_PRESENT		8U
#define PAGECACHE_TAG_DIRTY	0U
#define xa_is_value(entry)	((void)(entry), false)
#define data_race(expr)		(expr)

typedef unsigned int xa_mark_t;

struct address_space {
	struct page *i_pages;
};

struct inode {
	struct address_space *i_mapping;
	u32 hash;
};

/* up to the last one, which has no pages */
static struct page folios[5];
static struct address_space mapping = { .i_pages = folios };
static struct inode file = { .i_mapping = &mapping, .hash = 5 };

/*
 * As the real one: what is found by a mark has the index of the folio's first page, unless the
 * folio fills a node of the tree.
 */
static struct page *xa_find_folio(struct page *f, unsigned long *index, unsigned long last,
				  xa_mark_t mark)
{
	for (; f->pages; f++) {
		if (f->index + f->pages <= *index || f->index > last ||
		    (mark != XA_PRESENT && !f->dirty))
			continue;
		if (f->index > *index || (mark != XA_PRESENT && f->pages != 64))
			*index = f->index;
		return f;
	}
	return NULL;
}

#define xa_find(xa, index, last, mark)	xa_find_folio(*(xa), index, last, mark)

/* --- core/cause: the entry of cause 7 for the file of hash h is h 7; blame/dirty_time */

#define IOB_CAUSE_NONE			0ULL
#define IOB_CAUSE_LOST			2ULL
#define ENTRY(hash, nr)			((hash) << 24 | (nr))
#define iob_cause_of(ref)		((void)(ref), false)
#define iob_cause_is_about(ref, hash)	((void)(ref), (void)(hash), false)
#define iob_inode_hash(inode)		((inode)->hash)
#define iob_dirty_time_get(pfn)		((u64)(pfn) * 1000)

static u64 iob_cause_of_entry(u32 entry, u32 hash)
{
	if (entry <= IOB_CAUSE_LOST)
		return entry;
	return entry >> 24 == hash ? entry & 0xffff : IOB_CAUSE_NONE;
}

/* as in the kernel */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "blame/cached_page.c"

struct iob_plane_dir iob_plane_no_dir;
struct iob_plane iob_dirtiers;
struct iob_plane_dir *iob_dirtier_fast_dir;

static u32 entries[IOB_LEAF_PAGES];

static void begin(void)
{
	static struct {
		struct iob_plane_dir dir;
		void *leaf;
	} dir = { .dir = { .nr = 1 }, .leaf = entries };

	iob_dirtiers.dir = &dir.dir;
	memset(entries, 0, sizeof(entries));
}

static void has_folio(unsigned int i, unsigned long index, unsigned long pages, bool dirty)
{
	folios[i] = (struct page){ FRAME + index, index, pages, dirty };
	folios[i + 1].pages = 0;
}

static void is_by(const char *what, unsigned long index, unsigned long last, xa_mark_t mark,
		  u64 want, unsigned long page)
{
	u64 ns = 1, ref;

	iob_read_lock();
	ref = iob_cause_of_pages(&file, index, last, mark, &ns);
	iob_read_unlock();
	if (ref != want)
		fail("%s: %llu, not %llu", what, ref, want);
	if (ns != (want > IOB_CAUSE_LOST ? (FRAME + page) * 1000 : 0))
		fail("%s: at %llu", what, ns);
}

/* The writer of the page that is to be written counts, and not that of the folio's first one. */
static void from_inside(void)
{
	unsigned long pages;

	for (pages = 8; pages <= 128; pages *= 2) {
		begin();
		has_folio(0, 0, pages, true);
		entries[FRAME] = ENTRY(5, 7);
		entries[FRAME + 6] = ENTRY(5, 9);
		is_by("that page", 6, 6, PAGECACHE_TAG_DIRTY, 9, 6);
		is_by("from that page on", 6, ULONG_LAST, PAGECACHE_TAG_DIRTY, 9, 6);
		is_by("from the first page on", 0, ULONG_LAST, PAGECACHE_TAG_DIRTY, 7, 0);
		is_by("that page, by no mark", 6, 6, XA_PRESENT, 9, 6);
	}
}

/* Of a folio that is dirty, the first page that somebody dirtied. */
static void first_that_is_known(void)
{
	begin();
	has_folio(0, 0, 4, false);
	has_folio(1, 4, 16, true);
	has_folio(2, 20, 4, true);
	entries[FRAME + 1] = ENTRY(5, 7);
	entries[FRAME + 4] = ENTRY(4, 8);
	entries[FRAME + 5] = IOB_CAUSE_LOST;
	entries[FRAME + 11] = ENTRY(5, 9);
	entries[FRAME + 12] = ENTRY(5, 10);
	entries[FRAME + 20] = ENTRY(5, 11);
	is_by("from the clean folio on", 0, ULONG_LAST, PAGECACHE_TAG_DIRTY, 9, 11);
	is_by("up to the page", 0, 11, PAGECACHE_TAG_DIRTY, 9, 11);
	is_by("up to the page before", 0, 10, PAGECACHE_TAG_DIRTY, IOB_CAUSE_LOST, 0);
	is_by("behind the page", 12, ULONG_LAST, PAGECACHE_TAG_DIRTY, 10, 12);
	is_by("the rest of the folio", 13, ULONG_LAST, PAGECACHE_TAG_DIRTY, IOB_CAUSE_NONE, 0);
	is_by("the next folio", 20, ULONG_LAST, PAGECACHE_TAG_DIRTY, 11, 20);
	is_by("no folio", 24, ULONG_LAST, PAGECACHE_TAG_DIRTY, IOB_CAUSE_NONE, 0);
	is_by("a page of a clean folio", 1, 1, XA_PRESENT, 7, 1);
	is_by("no other page is that", 2, 2, XA_PRESENT, IOB_CAUSE_NONE, 0);
	is_by("nor is a neighbour", 6, 19, XA_PRESENT, IOB_CAUSE_NONE, 0);
}

/* The frame is another folio's by now: no more is looked at than a folio can have. */
static void of_another_folio(void)
{
	begin();
	has_folio(0, 0, 1UL << 40, true);
	is_by("a huge folio", 0, ULONG_LAST, PAGECACHE_TAG_DIRTY, IOB_CAUSE_NONE, 0);
	is_by("a huge folio, from inside", 9, ULONG_LAST, PAGECACHE_TAG_DIRTY, IOB_CAUSE_NONE, 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(from_inside), TEST(first_that_is_known), TEST(of_another_folio),
	};

	return run_tests("cached_page", tests, ARRAY_SIZE(tests));
}

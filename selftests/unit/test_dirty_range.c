// SPDX-License-Identifier: GPL-2.0
/*
 * Whose pages of a large folio are: of a clean one nobody's but those that become dirty, as long as
 * none of its writes is still to be queued.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/mm.h>

#include "fake_rcu.h"
#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_DIRTIED_BY_H
#define IOB_BLAME_DIRTIER_H
#define IOB_BLAME_DIRTY_H
#define IOB_BLAME_PROVIDER_H
#define IOB_COMPAT_FOLIO_H
#define IOB_COMPAT_IOMAP_H
#define IOB_COMPAT_PEEK_H
#define IOB_CORE_DISK_H
#define IOB_CORE_METADATA_H

#define IOB_HAVE_BH_FOLIO
#define IOB_HAVE_FOLIO
#define IOB_HAVE_IOMAP_DIRTY

#define round_down(x, unit)	((x) / (unit) * (unit))
#define round_up(x, unit)	round_down((x) + (unit) - 1, unit)
#define DEFINE_PER_CPU(type, name)	type name
#define this_cpu_read(name)	(name)
#define this_cpu_write(name, to)	((void)((name) = (to)))

/* --- compat/folio: one folio, from page frame FRAME on, between two others */

#define PAGES			16UL
#define FRAME			PAGES

struct inode {
	bool bdev, metadata;
	unsigned int block;
};

struct folio {
	struct inode *host;
	unsigned long pages;
	bool dirty, writeback;
};

struct page {
	unsigned long pfn;
};

struct vm_fault {
	struct page *page;
};

enum { BH_Dirty };

struct buffer_head {
	struct folio *b_folio;
	struct buffer_head *b_this_page;
	unsigned long b_state;
	size_t b_size, offset;
};

static struct folio the_folio;

#define iob_folio		folio
#define iob_folio_pfn(f)	((void)(f), FRAME)
#define iob_folio_pages(f)	((f)->pages)
#define iob_folio_dirty(f)	((f)->dirty)
#define iob_folio_writeback(f)	((f)->writeback)
#define iob_folio_host(f)	((f)->host)
#define iob_folio_private(f)	((void)(f), (struct buffer_head *)NULL)
#define folio_pfn(f)		iob_folio_pfn(f)
#define folio_nr_pages(f)	iob_folio_pages(f)
#define folio_size(f)		((f)->pages * PAGE_SIZE)
#define folio_test_dirty(f)	iob_folio_dirty(f)
#define folio_test_large(f)	((f)->pages > 1)
#define page_folio(p)		((void)(p), &the_folio)
#define page_to_pfn(p)		((p)->pfn)
#define i_blocksize(inode)	((inode)->block)
#define bh_offset(bh)		((bh)->offset)
#define buffer_dirty(bh)	((bh)->b_state & BIT(BH_Dirty))
#define iob_buffer_pages(bh)	DIV_ROUND_UP((bh)->b_size, PAGE_SIZE)
#define DIV_ROUND_UP(n, unit)	(((n) + (unit) - 1) / (unit))
#define iob_peek(to, from)	(*(to) = *(from), true)
#define iob_is_bdev(inode)	((inode)->bdev)
#define iob_is_metadata(inode)	((inode)->metadata)
#define iob_disk_watches(inode)	((void)(inode), true)
#define iob_provider_logs(bh)	((void)(bh), false)

/* the state of iomap is an array of a bool for each page */
#define iob_iomap_dirty(state, inode, folio, off) \
	((void)(inode), (void)(folio), ((const bool *)(state))[(off) / PAGE_SIZE])

/* --- blame/dirtied_by, blame/dirtier, blame/dirty: a page's entry is a letter */

struct iob_task {
	unsigned long stored;
};

struct iob_dirtied_by {
	char by;
	bool again;
	unsigned long stored;
};

static char entries[3 * PAGES];
static struct iob_dirtied_by acts;
static struct iob_task me;
static unsigned int nr_expected;

#define iob_task_peek(task)	(&me)
#define iob_task_get()		(&me)
#define iob_dirtied_by_store(t, pfn)	((void)((t)->stored = (pfn)))
#define iob_dirtied_by_find(d, inode, regs)	((void)(regs), (void)(*(d) = acts))
#define iob_dirty_expect(folio, was_dirty)	((void)(nr_expected += !(was_dirty)))
#define iob_dirtier_clear(pfn, count)	((void)memset(entries + (pfn), '-', count))

struct pt_regs;

static void iob_dirtied_by_set(const struct iob_dirtied_by *d, struct folio *f,
			       unsigned long pfn, unsigned long count, unsigned long first,
			       unsigned long end)
{
	(void)f;
	for (; count; count--, pfn++) {
		if ((d->again || pfn < first || pfn >= end) && entries[pfn] != '-')
			continue;
		entries[pfn] = d->by;
	}
}

static void iob_dirtied_by_set_changed(const struct iob_dirtied_by *d, struct folio *f,
				       unsigned long pfn, unsigned long count)
{
	if (d->stored)
		iob_dirtied_by_set(d, f, pfn, count, d->stored, d->stored + 1);
	else
		iob_dirtied_by_set(d, f, pfn, count, pfn, pfn + count);
}

/* as in the kernel */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "blame/dirty_range.c"

static struct inode host;

/* A folio with these entries; B acts. */
static void begin(bool dirty, bool writeback, const char *before)
{
	host = (struct inode){ .block = PAGE_SIZE };
	the_folio = (struct folio){ &host, PAGES, dirty, writeback };
	acts = (struct iob_dirtied_by){ .by = 'B' };
	memset(entries, 'x', sizeof(entries));
	memcpy(entries + FRAME, before, PAGES);
}

static void are(const char *what, const char *want)
{
	unsigned long i;

	if (memcmp(entries + FRAME, want, PAGES))
		fail("%s: %.16s, not %s", what, entries + FRAME, want);
	for (i = 0; i < 3 * PAGES; i++) {
		if ((i < FRAME || i >= FRAME + PAGES) && entries[i] != 'x')
			fail("%s: another folio's page is %c", what, entries[i]);
	}
}

static void range(const void *state, size_t first, size_t end)
{
	iob_dirty_range(&the_folio, state, first * PAGE_SIZE + 1, (end - first) * PAGE_SIZE - 2,
			NULL);
}

static void buffer(size_t page, size_t size)
{
	struct buffer_head bh = {
		.b_folio = &the_folio, .b_size = size, .offset = page * PAGE_SIZE,
	};

	bh.b_this_page = &bh;
	iob_dirty_buffer(&bh);
}

/* What was written long ago is not dirty. */
static void part_of_a_clean_one(void)
{
	begin(false, false, "AAAAAAAA-AAAAAAA");
	range(NULL, 3, 5);
	are("a range", "---BB-----------");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	range(NULL, 0, 1);
	are("the first page", "B---------------");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	range(NULL, 15, 16);
	are("the last page", "---------------B");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	range(NULL, 0, 16);
	are("all of it", "BBBBBBBBBBBBBBBB");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	host.block = 4 * PAGE_SIZE;
	range(NULL, 5, 6);
	are("a part of a large block", "----BBBB--------");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	buffer(7, PAGE_SIZE);
	are("a buffer", "-------B--------");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	buffer(8, 2 * PAGE_SIZE);
	are("a large buffer", "--------BB------");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	iob_dirty_range(&the_folio, NULL, PAGES * PAGE_SIZE, PAGE_SIZE, NULL);
	are("nothing of it", "AAAAAAAAAAAAAAAA");
}

/* Pages that are to be written, or whose bios are yet to be queued, stay whose they are. */
static void stays(void)
{
	static const bool dirty[PAGES] = { [2] = true, [4] = true };

	begin(true, false, "--A-A-----------");
	range(dirty, 1, 6);
	are("a dirty folio", "-BABAB----------");
	begin(true, false, "AAAAAAAA--------");
	buffer(9, PAGE_SIZE);
	are("a dirty folio's buffer", "AAAAAAAA-B------");
	begin(false, true, "AAAAAAAAAAAAAAAA");
	range(NULL, 3, 4);
	are("under writeback", "AAABAAAAAAAAAAAA");
	begin(false, true, "AAAAAAAAAAAAAAAA");
	buffer(3, PAGE_SIZE);
	are("a buffer under writeback", "AAABAAAAAAAAAAAA");
	begin(false, false, "AAAA-AAAAAAAAAAA");
	acts.again = true;
	range(NULL, 3, 5);
	are("put back by writeback", "AAAABAAAAAAAAAAA");
	begin(false, false, "AAAA-AAAAAAAAAAA");
	acts.stored = FRAME + 3;
	range(NULL, 0, 16);
	are("stored into", "AAABBAAAAAAAAAAA");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	acts.stored = FRAME + 3;
	buffer(0, PAGE_SIZE);
	are("a buffer of what is stored into", "AAAAAAAAAAAAAAAA");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	host.bdev = true;
	buffer(3, PAGE_SIZE);
	are("of a block device", "AAABAAAAAAAAAAAA");
	begin(false, false, "AAAAAAAAAAAAAAAA");
	host.metadata = true;
	range(NULL, 3, 4);
	are("of metadata", "AAABAAAAAAAAAAAA");
}

/* All of a folio becomes dirty: what nobody is known to have changed is whose store it was. */
static void store(void)
{
	struct page page = { FRAME + 3 };
	struct vm_fault vmf = { &page };

	begin(true, false, "A--A-A----------");
	iob_dirty_mkwrite(&vmf, NULL);
	are("a dirty folio", "ABBBBABBBBBBBBBB");
	begin(false, false, "A--A-A----------");
	iob_dirty_mkwrite(&vmf, NULL);
	are("a clean one has an event", "A--A-A----------");
	if (me.stored != FRAME + 3)
		fail("the page is not noted");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(part_of_a_clean_one), TEST(stays), TEST(store),
	};

	return run_tests("dirty_range", tests, ARRAY_SIZE(tests));
}

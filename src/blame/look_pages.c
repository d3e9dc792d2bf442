// SPDX-License-Identifier: GPL-2.0
/*
 * Each page's entry names its dirtier.  Entries are not cleared by the IO, so an entry may
 * be left from another file that had the page frame before: it is believed only if its
 * tag is that of this page's file.  Neighbours mostly have the same entry, and are counted
 * without a second look.
 *
 * What is encrypted or compressed is written from other pages than the file's own:
 * providers know which.
 */
#include <compat/folio.h>

#include "cached_page.h"
#include "core/stats.h"
#include "dirtier.h"
#include "dirty_time.h"
#include "look.h"
#include "look_pages.h"

/* The reference of a page's entry, IOB_CAUSE_NONE if it is not about @host. */
static u64 ref_of_entry(struct iob_look *l, u32 entry, struct inode *host)
{
	u64 ref;

	if (host != l->last_host) {
		iob_file_of(host, &l->last_file);
		l->last_hash = iob_file_hash(&l->last_file, iob_disk_epoch(host));
		l->last_host = host;
	}
	ref = iob_cause_of_entry(entry, l->last_hash);
	if (ref == IOB_CAUSE_NONE)
		iob_stat_inc(act_stale);
	return ref;
}

static enum iob_hands hands_of_cluster(const struct iob_cluster *c)
{
	const struct iob_cause *first = NULL;
	enum iob_hands hands = IOB_ONE_CAUSE;
	unsigned int i;
	u64 ns;

	for (i = 0; i < c->nr; i++) {
		u64 ref = iob_cause_of_page(c->host, c->first + i, &ns);
		const struct iob_cause *cause = iob_cause_of(ref);

		if (!i)
			first = cause;
		if (cause == first)
			continue;
		if (!cause || !first || cause->role != first->role)
			return IOB_SEVERAL_ROLES;
		hands = IOB_ONE_ROLE;
	}
	return hands;
}

/*
 * @bytes from @off on of a page that a cluster was compressed into.  Which bytes came of
 * which page is not known.  If several roles dirtied the cluster, its pages take turns
 * sector by sector, so that each role pays by its part of the pages.
 *
 * Example: a cluster of 4 pages, one of them role B's, is compressed into 2 pages: of the
 * 16 sectors 4 are charged to B.
 */
static noinline_for_stack void look_at_cluster(struct iob_look *l,
					       const struct iob_cluster *c,
					       u32 off, u32 bytes)
{
	const unsigned int sectors = PAGE_SIZE >> SECTOR_SHIFT;
	const unsigned int step = max(c->nr / sectors, 1U);
	struct iob_share share;

	iob_file_of(c->host, &share.file);
	if (l->cluster.host != c->host || l->cluster.first != c->first) {
		l->cluster = *c;
		l->hands = hands_of_cluster(c);
	}
	while (bytes) {
		unsigned int sector = off >> SECTOR_SHIFT;
		unsigned int page = sector * c->nr / sectors + (sector + c->nth) % step;
		u64 ref = iob_cause_of_page(c->host, c->first + page, &share.dirty_ns);
		const struct iob_cause *cause = iob_cause_of(ref);

		share.cause = cause ? iob_cause_id(ref) : IOB_CAUSE_LOST;
		share.how = iob_cause_how(ref, cause);
		if (!share.dirty_ns)
			share.dirty_ns = IOB_DIRTY_UNKNOWN;
		share.bytes = l->hands == IOB_ONE_CAUSE ? bytes : min_t(u32, bytes, SECTOR_SIZE);
		iob_look_add_share(l, c->host, &share, l->hands == IOB_SEVERAL_ROLES);
		off += share.bytes;
		bytes -= share.bytes;
	}
}

/**
 * iob_look_bounce_host - the file that a page is written for, if it is not its own page
 * @l:    the bio
 * @page: its first page
 *
 * Return: NULL if the page is no bounce page.
 */
struct inode *iob_look_bounce_host(const struct iob_look *l, struct page *page)
{
	struct page *own = iob_provider_bounced(page);
	struct iob_cluster c;

	if (iob_provider_cluster(own, &c))
		return c.host;
	return own == page ? NULL : iob_look_host(l, iob_folio_of(own));
}

/*
 * True if a page that has the entry of the page before is of the same file, too.  The entry has 11
 * bits of the file's hash, which tells neighbours apart only where all are of one file.
 */
static __always_inline bool is_of_last_file(const struct iob_look *l, struct page *page)
{
	return likely(!l->bounces) || iob_look_host(l, iob_folio_of(page)) == l->last_host;
}

/*
 * True for a block of the disk itself that is written though nobody has made it dirty since it was
 * written last: a file system writes its super block so when it is unmounted.  The entry is of that
 * earlier write.  Whoever writes a dirty buffer leaves its folio dirty, or marks it first.  Only
 * writeback makes the folio clean before: with the folio locked it waits for a buffer that another
 * task writes.
 */
static __always_inline bool is_written_clean(const struct iob_look *l, struct page *page,
					     const struct inode *host)
{
	return unlikely(l->kind == &iob_bio_buffer && iob_is_bdev(host)) &&
	       !iob_folio_is_pending(iob_folio_of(page));
}

/* @bytes from @off on of one page of the bio. */
static void look_at_page(struct iob_look *l, struct page *page, u32 off, u32 bytes)
{
	struct iob_cluster c;
	struct inode *host;
	unsigned long pfn;
	u64 dirty_ns, ref;
	u32 entry;

	if (unlikely(l->bounces)) {
		page = iob_provider_bounced(page);
		if (iob_provider_cluster(page, &c)) {
			look_at_cluster(l, &c, off, bytes);
			l->last_entry = 0;
			return;
		}
	}
	pfn = page_to_pfn(page);
	entry = iob_dirtier_get(pfn);
	if (entry && entry == l->last_entry && is_of_last_file(l, page)) {
		iob_origin_stretch(l->o, bytes);
		return;
	}
	l->last_entry = 0;
	host = iob_look_host(l, iob_folio_of(page));
	if (entry && host && is_written_clean(l, page, host))
		entry = 0;
	ref = entry && host ? ref_of_entry(l, entry, host) : IOB_CAUSE_NONE;
	if (ref == IOB_CAUSE_NONE) {
		iob_look_add_submitter(l, host, bytes);
		return;
	}
	dirty_ns = iob_dirty_time_get(pfn);
	iob_origin_put(l->o, iob_cause_modified(ref, l->modifier), &l->last_file,
		       iob_cause_how(ref, iob_cause_of(ref)), bytes,
		       dirty_ns ? dirty_ns : IOB_DIRTY_UNKNOWN);
	l->last_entry = entry;
}

/*
 * Count pages from @page on that have the entry of the page before, as look_at_page()
 * would.  Return: how many of up to @max.
 */
static __always_inline u32 look_at_run(struct iob_look *l, struct page *page, u32 max)
{
	u32 n;

	if (!max || !l->last_entry || unlikely(l->bounces))
		return 0;
	n = iob_dirtier_run(page_to_pfn(page), max, l->last_entry);
	if (n)
		iob_origin_stretch(l->o, n << PAGE_SHIFT);
	return n;
}

/* The origin of a write from the page cache. */
void iob_look_at_pages(struct iob_look *l)
{
	struct bvec_iter iter;
	struct bio_vec bv;
	u32 run;

	bio_for_each_bvec(bv, l->bio, iter) {
		struct page *page = bv.bv_page + (bv.bv_offset >> PAGE_SHIFT);
		u32 off = offset_in_page(bv.bv_offset), left = bv.bv_len;

		while (left) {
			u32 bytes = min_t(u32, left, PAGE_SIZE - off);

			look_at_page(l, page, off, bytes);
			left -= bytes;
			off = 0;
			page++;
			run = look_at_run(l, page, left >> PAGE_SHIFT);
			left -= run << PAGE_SHIFT;
			page += run;
		}
	}
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Each page's entry names its dirtier.  Entries are not cleared by the IO, so an entry may
 * be left from another file that had the page frame before: it is believed only if its
 * act is on this page's file.  Neighbours mostly have the same entry, and are counted
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

/* The act of entry @nr; IOB_ACT_NONE if the entry is another file's. */
static u64 act_of_entry(struct iob_look *l, u32 nr, const struct inode *host)
{
	struct iob_act *act = iob_act_nr(nr);
	struct iob_file file;

	l->last_how = IOB_HOW_LOST;
	if (nr <= IOB_ACT_LOST)
		return nr;
	iob_file_of(host, &file);
	if (!act || !iob_file_same(&act->file, &file)) {
		iob_stat_inc(act_stale);
		return IOB_ACT_NONE;
	}
	l->last_how = iob_act_how(act);
	return l->modifier ? iob_act_modified(act->node.id, l->modifier) :
			     act->node.id;
}

static enum iob_hands hands_of_cluster(const struct iob_cluster *c)
{
	const struct iob_act *first = NULL;
	enum iob_hands hands = IOB_ONE_ACT;
	unsigned int i;
	u64 ns;

	for (i = 0; i < c->nr; i++) {
		u64 id = iob_act_of_page(c->host, c->first + i, &ns);
		const struct iob_act *act = iob_act_id(id);

		if (!i)
			first = act;
		if (act == first)
			continue;
		if (!act || !first || act->role != first->role)
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

	if (l->cluster.host != c->host || l->cluster.first != c->first) {
		l->cluster = *c;
		l->hands = hands_of_cluster(c);
	}
	while (bytes) {
		unsigned int sector = off >> SECTOR_SHIFT;
		unsigned int page = sector * c->nr / sectors + (sector + c->nth) % step;
		const struct iob_act *act;

		share.act = iob_act_of_page(c->host, c->first + page, &share.dirty_ns);
		act = iob_act_id(share.act);
		if (!act)
			share.act = IOB_ACT_LOST;
		share.how = act ? iob_act_how(act) : IOB_HOW_LOST;
		if (!share.dirty_ns)
			share.dirty_ns = IOB_DIRTY_UNKNOWN;
		share.bytes = l->hands == IOB_ONE_ACT ? bytes : min_t(u32, bytes, SECTOR_SIZE);
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

/* @bytes from @off on of one page of the bio. */
static void look_at_page(struct iob_look *l, struct page *page, u32 off, u32 bytes)
{
	struct iob_cluster c;
	struct inode *host;
	unsigned long pfn;
	u64 dirty_ns;
	u32 nr;

	if (unlikely(l->bounces)) {
		page = iob_provider_bounced(page);
		if (iob_provider_cluster(page, &c)) {
			look_at_cluster(l, &c, off, bytes);
			l->last_nr = 0;
			return;
		}
	}
	pfn = page_to_pfn(page);
	nr = iob_dirtier_get(pfn);
	if (nr && nr == l->last_nr) {
		l->o->share[l->o->nr - 1].bytes += bytes;
		return;
	}
	l->last_nr = 0;
	host = iob_look_host(l, iob_folio_of(page));
	if (nr && host) {
		l->last_act = act_of_entry(l, nr, host);
		if (l->last_act) {
			dirty_ns = iob_dirty_time_get(pfn);
			iob_origin_put(l->o, l->last_act, l->last_how, bytes,
				       dirty_ns ? dirty_ns : IOB_DIRTY_UNKNOWN);
			l->last_nr = nr;
			return;
		}
	}
	iob_look_add_submitter(l, host, bytes);
}

/*
 * Count pages from @page on that have the entry of the page before, as look_at_page()
 * would.  Return: how many of up to @max.
 */
static __always_inline u32 look_at_run(struct iob_look *l, struct page *page, u32 max)
{
	u32 n;

	if (!max || !l->last_nr)
		return 0;
	n = iob_dirtier_run(page_to_pfn(page), max, l->last_nr);
	l->o->share[l->o->nr - 1].bytes += n << PAGE_SHIFT;
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

// SPDX-License-Identifier: GPL-2.0
/*
 * Who pays for a page that is written: its dirtier, or the submitter, where the entry is another
 * file's or of an earlier write.
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
#define IOB_BLAME_LOOK_H
#define IOB_COMPAT_FOLIO_H
#define IOB_CORE_STATS_H

#define SECTOR_SHIFT		9
#define SECTOR_SIZE		(1U << SECTOR_SHIFT)
#define noinline_for_stack
#define offset_in_page(off)	((off) & (PAGE_SIZE - 1))

/* --- compat/folio */

enum { PG_locked, PG_referenced, PG_dirty, PG_writeback };

struct inode {
	u32 hash;
	bool is_bdev;
};

struct page {
	unsigned long flags;
	struct inode *host;
};

#define PAGES			8

static struct page pages[PAGES];

#define page_to_pfn(p)		((unsigned long)((p) - pages))
#define iob_folio		page
#define iob_folio_of(p)		(p)
#define iob_folio_flags(f)	((f)->flags)
#define iob_folio_dirty(f)	((f)->flags & BIT(PG_dirty))
#define iob_folio_writeback(f)	((f)->flags & BIT(PG_writeback))
#define iob_folio_locked(f)	((f)->flags & BIT(PG_locked))

/* --- core/cause, core/stats, core/disk: the entry of cause 7 for the file of hash h is h 7 */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_DIRTY_UNKNOWN	1
#define ENTRY(hash, nr)		((hash) << 24 | (nr))

struct iob_file {
	u32 hash;
};

struct iob_cause {
	u64 role;
};

static struct iob_cause any_cause;
static unsigned int nr_stale;

#define iob_cause_of_entry(entry, hash)	((entry) >> 24 == (hash) ? (u64)((entry) & 0xffff) : 0)
#define iob_cause_of(ref)		((void)(ref), &any_cause)
#define iob_cause_id(ref)		(ref)
#define iob_cause_how(ref, cause)	((void)(ref), (void)(cause), 0)
#define iob_cause_modified(ref, m)	((void)(m), (ref))
#define iob_cause_of_page(host, i, ns)	((void)(host), (void)(i), *(ns) = 0, IOB_CAUSE_NONE)
#define iob_file_of(inode, file)	((void)((file)->hash = (inode)->hash))
#define iob_file_hash(file, epoch)	((void)(epoch), (file)->hash)
#define iob_disk_epoch(inode)		((void)(inode), 0)
#define iob_dirty_time_get(pfn)		((void)(pfn), 0ULL)
#define iob_is_bdev(inode)		((inode)->is_bdev)
#define iob_stat_inc(name)		((void)nr_stale++)

/* --- blame/look, blame/share, blame/provider, blame/bio_kind; a bio of one vector */

struct bvec_iter {
	unsigned int left;
};

struct bio_vec {
	struct page *bv_page;
	unsigned int bv_offset, bv_len;
};

struct bio {
	struct bio_vec vec;
};

#define bio_for_each_bvec(bv, bio, iter) \
	for ((iter).left = 1, (bv) = (bio)->vec; (iter).left; (iter).left--)

struct iob_bio_kind {
	const char *name;
};

static const struct iob_bio_kind iob_bio_buffer = { "buffer" };

struct iob_cluster {
	struct inode *host;
	unsigned long first;
	unsigned int nr, nth;
};

struct iob_share {
	struct iob_file file;
	u64 cause, dirty_ns;
	u32 bytes;
	int how;
};

enum iob_hands { IOB_ONE_CAUSE, IOB_ONE_ROLE, IOB_SEVERAL_ROLES };

struct iob_origin {
	u64 by[PAGES];		/* who pays for each page; 0: the submitter */
	unsigned int nr;
};

struct iob_look {
	struct iob_origin *o;
	struct bio *bio;
	const struct iob_bio_kind *kind;
	bool bounces;
	u32 modifier;
	struct iob_cluster cluster;
	enum iob_hands hands;
	u32 last_entry, last_hash;
	const struct inode *last_host;
	struct iob_file last_file;
};

static void pays(struct iob_origin *o, u64 cause, u32 bytes)
{
	for (; bytes; bytes -= PAGE_SIZE)
		o->by[o->nr++] = cause;
}

#define iob_look_host(l, f)		((void)(l), (f)->host)
#define iob_look_add_submitter(l, host, bytes) ((void)(host), pays((l)->o, 0, bytes))
#define iob_look_add_share(l, host, s, shared) ((void)(host), (void)(shared), \
						pays((l)->o, (s)->cause, (s)->bytes))
#define iob_origin_put(o, ref, file, how, bytes, ns) ((void)(ns), pays(o, ref, bytes))
#define iob_origin_stretch(o, bytes)	pays(o, (o)->by[(o)->nr - 1], bytes)
#define iob_provider_bounced(page)	(page)
#define iob_provider_cluster(page, c)	((void)(page), (void)(c), false)

#include "blame/look_pages.c"

struct iob_plane_dir iob_plane_no_dir;
struct iob_plane iob_dirtiers;
struct iob_plane_dir *iob_dirtier_fast_dir;

static u32 entries[IOB_LEAF_PAGES];

static void begin(struct inode *host, unsigned long flags, u32 entry)
{
	static struct {
		struct iob_plane_dir dir;
		void *leaf;
	} dir = { .dir = { .nr = 1 }, .leaf = entries };
	unsigned int i;

	iob_dirtiers.dir = &dir.dir;
	nr_stale = 0;
	for (i = 0; i < PAGES; i++) {
		pages[i] = (struct page){ .flags = flags, .host = host };
		entries[i] = entry;
	}
}

/* Who pays for each of the first @nr pages. */
static struct iob_origin look(const struct iob_bio_kind *kind, unsigned int nr)
{
	struct iob_origin o = { .nr = 0 };
	struct bio bio = { .vec = { pages, 0, nr * PAGE_SIZE } };
	struct iob_look l = { .o = &o, .bio = &bio, .kind = kind };

	iob_read_lock();
	iob_look_at_pages(&l);
	iob_read_unlock();
	if (o.nr != nr)
		fail("%u pages of %u are paid for", o.nr, nr);
	return o;
}

/*
 * A block of the disk.  A buffer is written with its page dirty, or while writeback has made the
 * page clean and is about to mark it; else nobody has made it dirty.
 */
static void written_clean(void)
{
	static const struct {
		const char *what;
		unsigned long flags;
		bool clean;
	} cases[] = {
		{ "dirty", BIT(PG_dirty), false },
		{ "in writeback", BIT(PG_writeback), false },
		{ "dirty again in writeback", BIT(PG_dirty) | BIT(PG_writeback), false },
		{ "prepared for writeback", BIT(PG_locked), false },
		{ "locked, dirty", BIT(PG_locked) | BIT(PG_dirty), false },
		{ "clean", 0, true },
		{ "clean, referenced", BIT(PG_referenced), true },
	};
	static const struct iob_bio_kind other = { "other" };
	struct inode disk = { .hash = 5, .is_bdev = true }, file = { .hash = 5 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(&disk, cases[i].flags, ENTRY(5, 7));
		if (look(&iob_bio_buffer, 1).by[0] != (cases[i].clean ? 0 : 7))
			fail("%s: %s pays", cases[i].what, cases[i].clean ? "the dirtier" :
							    "the submitter");
		if (look(&other, 1).by[0] != 7)
			fail("%s: of another bio the submitter pays", cases[i].what);
		begin(&file, cases[i].flags, ENTRY(5, 7));
		if (look(&iob_bio_buffer, 1).by[0] != 7)
			fail("%s: of a file the submitter pays", cases[i].what);
	}
}

/* Each page is its dirtier's; one with another file's entry, or none, is the submitter's. */
static void neighbours(void)
{
	static const u64 want[] = { 7, 7, 9, 0, 7, 0, 7, 7 };
	struct inode file = { .hash = 5 };
	struct iob_origin o;
	unsigned int i;

	begin(&file, BIT(PG_writeback), ENTRY(5, 7));
	entries[2] = ENTRY(5, 9);
	entries[3] = ENTRY(4, 7);
	entries[5] = 0;
	o = look(NULL, PAGES);
	for (i = 0; i < PAGES; i++) {
		if (o.by[i] != want[i])
			fail("%llu pays for page %u, not %llu", o.by[i], i, want[i]);
	}
	if (nr_stale != 1)
		fail("%u are counted", nr_stale);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(written_clean), TEST(neighbours),
	};

	return run_tests("look_pages", tests, ARRAY_SIZE(tests));
}

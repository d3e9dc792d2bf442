// SPDX-License-Identifier: GPL-2.0
/* The table of flights; flight.h says which are kept here, and which in slots. */
#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include <compat/slab.h>

#include "blame/bio_kind.h"
#include "core/stats.h"
#include "bio_ctx.h"

#define NR_SLOTS	BIT(IOB_BIO_SLOT_BITS)
#define NR_BUCKETS	BIT(IOB_BIO_CTX_BITS)

struct iob_bio_ctx *iob_bio_ctx_slots;
struct hlist_bl_head *iob_bio_ctx_table;
static struct kmem_cache *cache;
static atomic_t nr_hashed;

static struct iob_bio_ctx *find_locked(struct hlist_bl_head *b,
				      const struct bio *bio, bool child)
{
	struct hlist_bl_node *pos;
	struct iob_hashed_ctx *t;

	hlist_bl_for_each_entry(t, pos, b, hash) {
		if (t->f.bio == bio && t->f.child == child && !t->passed)
			return &t->f;
	}
	return NULL;
}

/**
 * iob_bio_ctx_hashed - a flight that is in the table
 * @bio:   the bio, or with @child the one that it ends with
 * @child: which of the two
 *
 * Any context but NMI, inside iob_read_lock(), by who has @bio.
 */
struct iob_bio_ctx *iob_bio_ctx_hashed(const struct bio *bio, bool child)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio);
	struct iob_bio_ctx *f;
	unsigned long flags;

	if (hlist_bl_empty(b))
		return NULL;
	flags = iob_bio_ctxs_lock(b);
	f = find_locked(b, bio, child);
	iob_bio_ctxs_unlock(b, flags);
	return f;
}

/**
 * iob_bio_ctx_on - the flight that a bio has on some disk
 * @bio:  under way
 * @disk: also if the bio went on from there; 0: where the bio is now
 *
 * Any context but NMI, inside iob_read_lock().  Bytes of it are still to come if
 * @bio, or one that is chained to it, is the caller's: it stays for as long.
 * Return: NULL if there is none.
 */
struct iob_bio_ctx *iob_bio_ctx_on(const struct bio *bio, dev_t disk)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio);
	struct iob_bio_ctx *found = NULL;
	struct hlist_bl_node *pos;
	struct iob_hashed_ctx *t;
	unsigned long flags;

	/* what goes on is on a disk that passes bios on: it is in the table */
	if (!disk)
		return iob_bio_ctx_find(bio);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, pos, b, hash) {
		if (t->f.bio == bio && !t->f.child && iob_disk_is(t->gd, disk)) {
			found = &t->f;
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return found;
}

/* One for the table, see iob_bio_ctx_get(). */
struct iob_bio_ctx *iob_bio_ctx_alloc(const struct bio *bio)
{
	struct iob_hashed_ctx *t = kmem_cache_alloc(cache, GFP_NOWAIT | __GFP_NOWARN);

	if (!t) {
		iob_stat_inc(inflight_nomem);
		return NULL;
	}
	t->f.bio = bio;
	t->f.hashed = true;
	t->passed = false;
	t->above = NULL;
	t->error = 0;
	INIT_HLIST_BL_NODE(&t->hash);
	INIT_HLIST_BL_NODE(&t->vec_hash);
	atomic_inc(&nr_hashed);
	return &t->f;
}

/* The other end of iob_bio_ctx_alloc(). */
void iob_bio_ctx_free_hashed(struct iob_bio_ctx *f)
{
	kmem_cache_free(cache, iob_hashed_ctx(f));
	atomic_dec(&nr_hashed);
}

/**
 * iob_bio_ctx_insert - a flight is complete: put it into the table
 * @f: one that is for the table
 *
 * Any context but NMI, inside iob_read_lock().  Return: the flight that an
 * earlier bio of this address left behind, which is taken out; or NULL.
 */
struct iob_bio_ctx *iob_bio_ctx_insert(struct iob_bio_ctx *f)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(f->bio);
	struct iob_bio_ctx *old;
	unsigned long flags;

	flags = iob_bio_ctxs_lock(b);
	/* a bio may have several that are chained to it */
	old = f->child ? NULL : find_locked(b, f->bio, false);
	if (old)
		hlist_bl_del(&iob_hashed_ctx(old)->hash);
	hlist_bl_add_head(&iob_hashed_ctx(f)->hash, b);
	iob_bio_ctxs_unlock(b, flags);
	return old;
}

/* Take a flight out of the table. */
void iob_bio_ctx_remove(struct iob_bio_ctx *f)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(f->bio);
	unsigned long flags;

	flags = iob_bio_ctxs_lock(b);
	hlist_bl_del(&iob_hashed_ctx(f)->hash);
	iob_bio_ctxs_unlock(b, flags);
}

/**
 * iob_bio_ctx_bio - which bio has the flight of a bio
 * @bio: under way on a disk that makes clones, or has a file
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: @bio, or one that it is chained to, or NULL.
 */
const struct bio *iob_bio_ctx_bio(const struct bio *bio)
{
	int depth;

	for (depth = 0; depth < IOB_MAX_CHAIN; depth++) {
		if (iob_bio_ctx_hashed(bio, false))
			return bio;
		if (!iob_bio_chained(bio))
			return NULL;
		bio = bio->bi_private;
	}
	return NULL;
}

/**
 * iob_bio_ctx_slice - who pays for some of a flight's sectors
 * @o:	    gets the parts behind those that it has
 * @bio:    has the flight if there is one; not looked into
 * @sector: the first one, on the flight's disk
 * @bytes:  how many; what is outside of the flight is left out
 *
 * Of a flight in the table, cut under the bucket's lock: one whose end was never
 * seen can be replaced at any time.  Any context but NMI, inside
 * iob_read_lock().
 * Return: how many bytes @o has got.
 */
u32 iob_bio_ctx_slice(struct iob_origin *o, const struct bio *bio, u64 sector,
		     u32 bytes)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio);
	const struct iob_bio_ctx *f;
	unsigned long flags;
	u64 from, to;
	u32 got = 0;

	flags = iob_bio_ctxs_lock(b);
	f = find_locked(b, bio, false);
	if (f) {
		from = max(sector, f->sector);
		to = min(sector + (bytes >> SECTOR_SHIFT),
			 f->sector + (f->size >> SECTOR_SHIFT));
		if (from < to) {
			got = (to - from) << SECTOR_SHIFT;
			iob_origin_append(o, &f->origin,
					  (from - f->sector) << SECTOR_SHIFT,
					  got);
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return got;
}

/* How many flights there are.  The caller holds the session. */
unsigned int iob_bio_ctxs_count(void)
{
	unsigned int i, nr = atomic_read(&nr_hashed);

	for (i = 0; iob_bio_ctx_slots && i < NR_SLOTS; i++)
		nr += !!READ_ONCE(iob_bio_ctx_slots[i].bio);
	return nr;
}

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_bio_ctxs_start(void)
{
	unsigned int i;

	iob_bio_ctx_slots = kvcalloc(NR_SLOTS, sizeof(*iob_bio_ctx_slots),
				    GFP_KERNEL);
	iob_bio_ctx_table = kvmalloc_array(NR_BUCKETS, sizeof(*iob_bio_ctx_table),
					  GFP_KERNEL);
	if (!iob_bio_ctx_slots || !iob_bio_ctx_table)
		return -ENOMEM;
	for (i = 0; i < NR_BUCKETS; i++)
		INIT_HLIST_BL_HEAD(&iob_bio_ctx_table[i]);
	for (i = 0; i < NR_SLOTS; i++)
		iob_origin_begin(&iob_bio_ctx_slots[i].origin);
	return 0;
}

/* The session ends: no probe is attached.  IOs still under way go on alone. */
void iob_bio_ctxs_stop(void)
{
	struct hlist_bl_node *pos, *next;
	struct iob_hashed_ctx *t;
	unsigned int i;

	for (i = 0; iob_bio_ctx_table && i < NR_BUCKETS; i++) {
		hlist_bl_for_each_entry_safe(t, pos, next, &iob_bio_ctx_table[i],
					     hash)
			iob_bio_ctx_put(&t->f);
		cond_resched();
	}
	for (i = 0; iob_bio_ctx_slots && i < NR_SLOTS; i++) {
		if (iob_bio_ctx_slots[i].bio)
			iob_bio_ctx_put(&iob_bio_ctx_slots[i]);
	}
	kvfree(iob_bio_ctx_table);
	iob_bio_ctx_table = NULL;
	kvfree(iob_bio_ctx_slots);
	iob_bio_ctx_slots = NULL;
}

/* Module load.  May sleep.  Return: 0 or -ENOMEM. */
int iob_bio_ctxs_init(void)
{
	BUILD_BUG_ON(sizeof(struct iob_bio_ctx) > 128);
	cache = iob_cache_create("iob_bio_ctx", sizeof(struct iob_hashed_ctx), 0);
	return cache ? 0 : -ENOMEM;
}

/* Module unload. */
void iob_bio_ctxs_exit(void)
{
	kmem_cache_destroy(cache);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The tables of bios' contexts; bio_ctx.h says which context lies where.
 *
 * A hashed context whose end is never seen is replaced when a new bio has the same address
 * (counted as inflight_stale), or freed at the end of the session.  So code that does not
 * own the bio reads a hashed context under the lock of its bucket.
 */
#include <linux/bits.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include <compat/slab.h>

#include "core/stats.h"
#include "bio_ctx.h"
#include "clock.h"

#define NR_BIO_BUCKETS	BIT(IOB_BIO_CTX_BITS)
/* a slot that was not used for so long may be taken back */
#define IDLE_USECS	(10 * USEC_PER_SEC)

struct hlist_bl_head *iob_bio_ctx_table __read_mostly;
struct hlist_bl_head *iob_bio_ctx_by_vec __read_mostly;
bool iob_has_parents __read_mostly;
static struct kmem_cache *ctx_cache __read_mostly;
static DEFINE_PER_CPU(u64, last_ctx_nr);

static struct iob_bio_ctx *find_ctx_locked(struct hlist_bl_head *b,
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
 * iob_bio_ctx_hashed - look up a context in the table
 * @bio:   the bio, or with @child the parent that the bio ends with
 * @child: which of the two
 *
 * Any context but NMI, inside iob_read_lock(); the caller owns @bio.
 */
struct iob_bio_ctx *iob_bio_ctx_hashed(const struct bio *bio, bool child)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio);
	struct iob_bio_ctx *f;
	unsigned long flags;

	if (hlist_bl_empty(b))
		return NULL;
	flags = iob_bio_ctxs_lock(b);
	f = find_ctx_locked(b, bio, child);
	iob_bio_ctxs_unlock(b, flags);
	return f;
}

/*
 * The context of a chained bio that ends with its parent: it lies under the parent's address.
 * @disk: as for iob_bio_ctx_on().  The newest one is the bio's: an earlier bio may have had its
 * address, and waits for the same parent.
 */
static struct iob_bio_ctx *find_ctx_of_child(const struct bio *bio, dev_t disk)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio->bi_private);
	struct iob_bio_ctx *found = NULL;
	struct hlist_bl_node *pos;
	struct iob_hashed_ctx *t;
	unsigned long flags;

	if (hlist_bl_empty(b))
		return NULL;
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, pos, b, hash) {
		if (t->f.child && t->self == bio && (disk ? t->devt == disk : !t->passed)) {
			found = &t->f;
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return found;
}

static bool may_be_child(const struct bio *bio)
{
	return IOB_CHAINED_END_SILENT && iob_bio_chained(bio);
}

/**
 * iob_bio_ctx_on - the context that a bio has on a disk
 * @bio:  under way
 * @disk: the disk, also if the bio was passed on from there; 0: the bio's present disk, where none
 *        is told that ends with the parent: an earlier bio at this address may have left it
 *
 * Any context but NMI, inside iob_read_lock().  The context stays as long as the caller
 * owns @bio or a bio that is chained to it, as that has bytes to complete.
 * Return: NULL if there is none.
 */
struct iob_bio_ctx *iob_bio_ctx_on(const struct bio *bio, dev_t disk)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio);
	struct iob_bio_ctx *found = NULL;
	struct hlist_bl_node *pos;
	struct iob_hashed_ctx *t;
	unsigned long flags;

	if (!disk)
		return iob_bio_ctx_find(bio);
	/* contexts of bios that are passed on are hashed */
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, pos, b, hash) {
		if (t->f.bio == bio && !t->f.child && t->devt == disk) {
			found = &t->f;
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return found || !may_be_child(bio) ? found : find_ctx_of_child(bio, disk);
}

/**
 * iob_bio_ctx_numbered - the context that is named by its key and its number
 * @bio: the key, which is compared only
 * @nr:  not 0
 *
 * Any context but NMI, inside iob_read_lock().  Return: NULL if it is no more.
 */
struct iob_bio_ctx *iob_bio_ctx_numbered(const struct bio *bio, u64 nr)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio);
	struct iob_bio_ctx *found = NULL;
	struct hlist_bl_node *pos;
	struct iob_hashed_ctx *t;
	unsigned long flags;

	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, pos, b, hash) {
		if (t->f.bio == bio && t->nr == nr) {
			found = &t->f;
			break;
		}
	}
	iob_bio_ctxs_unlock(b, flags);
	return found;
}

/*
 * @f, which is in no table yet, is a piece of @above.  A pointer would be followed when @above
 * is gone: of the pieces of a bio, one whose end was not seen may be found much later.  Any
 * context but NMI, inside iob_read_lock().
 */
void iob_bio_ctx_set_above(struct iob_bio_ctx *f, struct iob_bio_ctx *above)
{
	struct iob_hashed_ctx *whole = iob_hashed_ctx(above), *t = iob_hashed_ctx(f);
	u64 nr = READ_ONCE(whole->nr);

	if (!nr) {
		/* a number of this CPU's: no line is written by all */
		nr = this_cpu_inc_return(last_ctx_nr) * nr_cpu_ids + smp_processor_id();
		/* a worker may pass on another piece now */
		nr = cmpxchg64(&whole->nr, 0, nr) ?: nr;
	}
	t->above_bio = above->bio;
	t->above_nr = nr;
}

/*
 * A slot of a bio that had none when it was looked at: in a new region, or taken by an
 * earlier bio, whose end was not seen.
 */
static struct iob_bio_ctx *claim_new_slot(const struct bio *bio)
{
	struct iob_bio_ctx *f = (struct iob_bio_ctx *)iob_place_add(bio);
	const void *owner = READ_ONCE(f->bio);

	if (owner == IOB_PLACE_CLOSED)
		return NULL;
	/* two bios do not overlap: that one is no more */
	if (owner && sizeof(struct bio) >= IOB_PLACE_SIZE) {
		iob_stat_inc(inflight_stale);
		iob_bio_ctx_put(f);
	}
	return iob_bio_ctx_claim(f, bio) ? f : NULL;
}

/**
 * iob_bio_ctx_alloc - a new slot, or a context for the table
 * @bio:  its bio
 * @lone: as for iob_bio_ctx_get(), of which this is the slow path
 */
struct iob_bio_ctx *iob_bio_ctx_alloc(const struct bio *bio, bool lone)
{
	struct iob_bio_ctx *f = lone ? claim_new_slot(bio) : NULL;
	struct iob_hashed_ctx *t;

	if (f)
		return f;
	t = kmem_cache_alloc(ctx_cache, GFP_NOWAIT | __GFP_NOWARN);
	if (!t) {
		iob_stat_inc(inflight_nomem);
		return NULL;
	}
	if (lone)
		iob_stat_inc(inflight_hashed);
	t->f.bio = bio;
	t->f.hashed = true;
	t->passed = false;
	t->nr = 0;
	t->above_nr = 0;
	t->error = 0;
	INIT_HLIST_BL_NODE(&t->hash);
	INIT_HLIST_BL_NODE(&t->vec_hash);
	return &t->f;
}

/* Free what iob_bio_ctx_alloc() returned, if it is hashed. */
void iob_bio_ctx_free_hashed(struct iob_bio_ctx *f)
{
	kmem_cache_free(ctx_cache, iob_hashed_ctx(f));
}

static struct hlist_bl_head *vec_bucket_of(const struct iob_hashed_ctx *t)
{
	return t->vec ? iob_bio_ctx_vec_bucket(t->vec) :
			iob_bio_ctx_dev_bucket(t->dev);
}

/* Let clones of the context's bio find it, if its disk makes clones. */
static void hash_ctx_by_vec(struct iob_bio_ctx *f)
{
	struct iob_hashed_ctx *t = iob_hashed_ctx(f);
	struct hlist_bl_head *b;
	unsigned long flags;

	if ((!t->vec && !f->size) || !iob_disk_clones(t->gd))
		return;
	t->dev = t->devt;
	if (unlikely(!READ_ONCE(iob_has_parents)))
		WRITE_ONCE(iob_has_parents, true);
	b = vec_bucket_of(t);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_add_head(&t->vec_hash, b);
	iob_bio_ctxs_unlock(b, flags);
}

static void unhash_ctx_by_vec(struct iob_bio_ctx *f)
{
	struct iob_hashed_ctx *t = iob_hashed_ctx(f);
	struct hlist_bl_head *b;
	unsigned long flags;

	/* (NULL or not is its owner's; a neighbour only changes where it points to) */
	if (data_race(hlist_bl_unhashed(&t->vec_hash)))
		return;
	b = vec_bucket_of(t);
	flags = iob_bio_ctxs_lock(b);
	hlist_bl_del(&t->vec_hash);
	iob_bio_ctxs_unlock(b, flags);
}

/**
 * iob_bio_ctx_insert - put a complete context into the tables
 * @f: a hashed context
 *
 * Any context but NMI, inside iob_read_lock().  Return: the stale context of an earlier
 * bio with this address, which is in no table any more; or NULL.
 */
struct iob_bio_ctx *iob_bio_ctx_insert(struct iob_bio_ctx *f)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(f->bio);
	struct iob_bio_ctx *old;
	unsigned long flags;

	flags = iob_bio_ctxs_lock(b);
	/* several children may be chained to one bio */
	old = f->child ? NULL : find_ctx_locked(b, f->bio, false);
	if (old)
		hlist_bl_del(&iob_hashed_ctx(old)->hash);
	hlist_bl_add_head(&iob_hashed_ctx(f)->hash, b);
	iob_bio_ctxs_unlock(b, flags);
	if (old)
		unhash_ctx_by_vec(old);
	hash_ctx_by_vec(f);
	return old;
}

/* Take a hashed context out of the tables.  Any context but NMI. */
void iob_bio_ctx_remove(struct iob_bio_ctx *f)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(f->bio);
	unsigned long flags;

	flags = iob_bio_ctxs_lock(b);
	hlist_bl_del(&iob_hashed_ctx(f)->hash);
	iob_bio_ctxs_unlock(b, flags);
	unhash_ctx_by_vec(f);
}

/**
 * iob_bio_ctx_piece - a context for a bio that is a piece of another one
 * @whole:  the other bio's context
 * @bio:    the piece
 * @pos:    the offset of the piece in @whole, in bytes
 * @hashed: the context must be in the table
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: a context on @whole's disk that is in no table yet; NULL without memory.
 */
struct iob_bio_ctx *iob_bio_ctx_piece(const struct iob_bio_ctx *whole,
				      struct bio *bio, u32 pos, bool hashed)
{
	struct iob_bio_ctx *f;

	f = iob_bio_ctx_make(bio, iob_bio_ctx_disk(whole), whole->disk,
			     whole->op, !hashed);
	if (!f)
		return NULL;
	if (!iob_origin_slice(&f->origin, &whole->origin, pos, f->size)) {
		iob_bio_ctx_put(f);
		return NULL;
	}
	if (hashed && whole->hashed) {
		iob_hashed_ctx(f)->above_bio = iob_hashed_ctx(whole)->above_bio;
		iob_hashed_ctx(f)->above_nr = iob_hashed_ctx(whole)->above_nr;
	}
	f->first.queue_at = whole->first.queue_at;
	f->first.sub_pid = whole->first.sub_pid;
	memcpy(f->first.sub_comm, whole->first.sub_comm,
	       sizeof(f->first.sub_comm));
	return f;
}

/**
 * iob_bio_ctx_chain - the context that covers a bio
 * @from: the bio to begin with: @bio, or its parent
 * @bio:  under way
 * @pos:  gets the offset of the bio's first byte in that context
 *
 * A chained bio without a context of its own is part of its parent's context, and so is one
 * that takes its parent's place on the way to the device.  Any context but NMI, inside
 * iob_read_lock(); the caller owns @bio.  Return: NULL if there is none.
 */
struct iob_bio_ctx *iob_bio_ctx_chain(const struct bio *from,
				      const struct bio *bio, u32 *pos)
{
	u32 size = bio->bi_iter.bi_size;
	struct iob_bio_ctx *f;
	int depth;

	for (depth = 0; depth < IOB_MAX_CHAIN; depth++) {
		f = iob_bio_ctx_find(from);
		if (f) {
			u64 at = from == bio ? (u64)f->size - size :
				 (bio->bi_iter.bi_sector - f->sector) <<
				 SECTOR_SHIFT;

			/* the sectors of a piece may be those of another disk */
			if (from != bio && iob_bio_ctx_disk(f) != iob_bio_disk(bio))
				return NULL;
			if (at > f->size || at + size > f->size)
				return NULL;
			*pos = at;
			return f;
		}
		if (!iob_bio_stands_in(from))
			return NULL;
		from = from->bi_private;
	}
	return NULL;
}

/**
 * iob_bio_ctx_bio - the bio under whose address a bio's context is hashed
 * @bio: under way on a disk that makes clones, or whose content is a file
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: @bio or one of its parents, or NULL.
 */
const struct bio *iob_bio_ctx_bio(const struct bio *bio)
{
	int depth;

	for (depth = 0; depth < IOB_MAX_CHAIN; depth++) {
		if (iob_bio_ctx_hashed(bio, false))
			return bio;
		if (!iob_bio_chained(bio))
			return NULL;
		if (may_be_child(bio) && find_ctx_of_child(bio, 0))
			return bio->bi_private;
		bio = bio->bi_private;
	}
	return NULL;
}

/*
 * The context under @bio's address that has sectors of those from @from to before @to.  One of a
 * bio that is chained to @bio lies there, too.  It may be on a lower disk, and where that has the
 * sectors of another one on the upper disk, it is not known which is meant: NULL.
 */
static const struct iob_bio_ctx *find_slice_locked(struct hlist_bl_head *b, const struct bio *bio,
						   u64 from, u64 to)
{
	const struct iob_hashed_ctx *found = NULL;
	struct hlist_bl_node *pos;
	struct iob_hashed_ctx *t;

	hlist_bl_for_each_entry(t, pos, b, hash) {
		if (t->f.bio != bio || t->passed || t->f.sector >= to ||
		    t->f.sector + (t->f.size >> SECTOR_SHIFT) <= from)
			continue;
		if (found && found->devt != t->devt)
			return NULL;
		/* the newest */
		found = found ?: t;
	}
	return found ? &found->f : NULL;
}

/**
 * iob_bio_ctx_slice - who pays for some sectors of a hashed context
 * @o:	    gets the shares, behind those that it has
 * @bio:    the key; it is not dereferenced, so the bio may be gone
 * @sector: the first sector, on the context's disk
 * @bytes:  how many; what lies outside of the context is left out
 *
 * The slice is cut under the bucket's lock, as a stale context can be replaced at any
 * time.  Any context but NMI, inside iob_read_lock().
 * Return: the bytes that @o has got.
 */
u32 iob_bio_ctx_slice(struct iob_origin *o, const struct bio *bio, u64 sector,
		      u32 bytes)
{
	struct hlist_bl_head *b = iob_bio_ctx_bucket(bio);
	u64 from, to, end = sector + (bytes >> SECTOR_SHIFT);
	const struct iob_bio_ctx *f;
	unsigned long flags;
	u32 got = 0;

	flags = iob_bio_ctxs_lock(b);
	f = find_slice_locked(b, bio, sector, end);
	if (f) {
		from = max(sector, f->sector);
		to = min(end, f->sector + (f->size >> SECTOR_SHIFT));
		got = (to - from) << SECTOR_SHIFT;
		iob_origin_append(o, &f->origin, (from - f->sector) << SECTOR_SHIFT, got);
	}
	iob_bio_ctxs_unlock(b, flags);
	return got;
}

static unsigned int count_hashed_ctxs(struct hlist_bl_head *b)
{
	struct hlist_bl_node *pos;
	struct iob_hashed_ctx *t;
	unsigned int nr = 0;
	unsigned long flags;

	flags = iob_bio_ctxs_lock(b);
	hlist_bl_for_each_entry(t, pos, b, hash)
		nr++;
	iob_bio_ctxs_unlock(b, flags);
	return nr;
}

/* The number of bios under way.  The caller holds the session.  May sleep. */
unsigned int iob_bio_ctxs_count(void)
{
	unsigned int i, nr = iob_places_each(NULL);

	for (i = 0; iob_bio_ctx_table && i < NR_BIO_BUCKETS; i++) {
		if (!hlist_bl_empty(&iob_bio_ctx_table[i]))
			nr += count_hashed_ctxs(&iob_bio_ctx_table[i]);
	}
	return nr;
}

static bool is_slot_idle(const struct iob_place *place)
{
	const struct iob_bio_ctx *f = (const struct iob_bio_ctx *)place;
	u64 used = READ_ONCE(f->first.queue_at), now = iob_clock_now();

	/* no length is known from before a sleep, or from the other clock: that is no recent use */
	if (!used || !iob_clock_knows(used, now))
		return true;
	return iob_clock_usecs(used, now) > IDLE_USECS;
}

static const struct iob_place_ops slot_ops = {
	.idle = is_slot_idle,
};

/* A session begins.  May sleep.  Return: 0 or -ENOMEM. */
int iob_bio_ctxs_start(void)
{
	unsigned int i;

	iob_bio_ctx_table = kvmalloc_array(NR_BIO_BUCKETS,
					   sizeof(*iob_bio_ctx_table), GFP_KERNEL);
	iob_bio_ctx_by_vec = kvmalloc_array(NR_BIO_BUCKETS,
					    sizeof(*iob_bio_ctx_by_vec),
					    GFP_KERNEL);
	if (!iob_bio_ctx_table || !iob_bio_ctx_by_vec)
		return -ENOMEM;
	for (i = 0; i < NR_BIO_BUCKETS; i++) {
		INIT_HLIST_BL_HEAD(&iob_bio_ctx_table[i]);
		INIT_HLIST_BL_HEAD(&iob_bio_ctx_by_vec[i]);
	}
	WRITE_ONCE(iob_has_parents, false);
	return iob_places_start(&slot_ops);
}

static void free_hashed_ctxs(void)
{
	struct hlist_bl_node *pos, *next;
	struct iob_hashed_ctx *t;
	unsigned int i;

	/* without one of the arrays the session did not begin: there are none */
	if (!iob_bio_ctx_table || !iob_bio_ctx_by_vec)
		return;
	for (i = 0; i < NR_BIO_BUCKETS; i++) {
		hlist_bl_for_each_entry_safe(t, pos, next, &iob_bio_ctx_table[i],
					     hash)
			iob_bio_ctx_put(&t->f);
		cond_resched();
	}
}

static void free_slot(struct iob_place *place)
{
	iob_bio_ctx_put((struct iob_bio_ctx *)place);
}

/*
 * The session ends.  No probe is attached: the ends of IOs still under way are not seen.
 * May sleep.
 */
void iob_bio_ctxs_stop(void)
{
	free_hashed_ctxs();
	iob_places_stop(free_slot);
	kvfree(iob_bio_ctx_table);
	iob_bio_ctx_table = NULL;
	kvfree(iob_bio_ctx_by_vec);
	iob_bio_ctx_by_vec = NULL;
}

/* Module load.  May sleep.  Return: 0 or -ENOMEM. */
int iob_bio_ctxs_init(void)
{
	BUILD_BUG_ON(sizeof(struct iob_bio_ctx) != IOB_PLACE_SIZE);
	BUILD_BUG_ON(offsetof(struct iob_bio_ctx, bio) != offsetof(struct iob_place, owner));
	ctx_cache = iob_cache_create("iob_bio_ctx", sizeof(struct iob_hashed_ctx), 0);
	return ctx_cache ? 0 : -ENOMEM;
}

/* Module unload. */
void iob_bio_ctxs_exit(void)
{
	kmem_cache_destroy(ctx_cache);
}

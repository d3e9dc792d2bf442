// SPDX-License-Identifier: GPL-2.0
/*
 * A hash that grows by sets of seven entries (extendible hashing).  A directory leads from
 * the first bits of an object's hash to a set.  At first many places of the directory lead to
 * the same set.  A set that is full is split: a new set gets the half of its places, and the
 * entries that belong there.  So only a set that is full costs anything, and only its own
 * lock is taken.  Buddies that are nearly empty are merged by a worker, once a minute.
 *
 * Example with a directory of 8 places: set A has depth 1, it is at the places 0 to 3, and
 * has all hashes that begin with bit 0.  It is split: A keeps the places 0 and 1 (hashes that
 * begin with 00), B gets 2 and 3 (01), and both have depth 2.
 *
 * Sets get 1/128 of the memory.  The directory has its full size from the start, two places
 * for each of these sets.  If there are as many sets, or if a set is at one place of the
 * directory only, it cannot be split: then the oldest entry gives way.  That is counted by
 * its kind, unless the entry was noted five minutes ago (or its kind's shorter life), or was asked
 * for the last time a minute ago.  Such idle entries give way before a set is split, too.  Once
 * asked for the last time, an entry keeps no cause alive: so exited tasks' roles can be freed at
 * once when room is short.
 *
 * A kind may live longer than five minutes.  Its entries keep their causes while there is room for
 * causes, take no place of one that does not, nor of one that lives still longer, give way before
 * any other, and let the cache grow to half.
 *
 * No object's lifetime is ours, and no object is followed: its address is compared.  So
 * an entry may be left from an object that had the address before.  Each caller must be
 * able to tell: by the act's file, because objects of the kind are always noted anew
 * before they are asked for, or because a hook forgets objects that are freed.
 *
 * S: the set's lock.  A place of the directory is changed under the lock of the set that it
 * leads to, so the place and the set agree while the lock is held.  Sets are freed after a
 * grace period.
 */
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/rcu.h>

#include "association.h"
#include "core/cause.h"
#include "core/pool.h"
#include "core/stats.h"
#include "core/worker.h"

#define WAYS		7
/* of the number of sets, as powers of two: 128 KiB to 256 MiB */
#define MIN_BITS	9
#define MAX_BITS	20
/* at most so much of the memory */
#define SHARE		128
/* at first, of that */
#define FIRST_SHARE	32
/* an entry that was noted so long ago is hardly asked for any more, unless its kind lives longer */
#define IDLE		(5 * 60 * HZ)
/* an entry that was asked for the last time is idle after so long: most often nobody asks again */
#define LAST		(60 * HZ)
/* the worker merges sets so often, if they have no more entries in use than that */
#define MERGE_EVERY	(60 * HZ)
#define MERGE_UPTO	4

struct iob_assoc_kind iob_assoc_inode = { .name = "inode" };

struct assoc {
	const void *object;	/* S */
	u64 sub;		/* S: tells objects of one address apart, else 0 */
	u64 act;		/* S: id; some kinds note another number here */
	u32 used;		/* S: jiffies when it was noted */
	u32 kind;		/* S */
};

/* Without debugging 256 bytes, so that sets share no cache line. */
struct assoc_set {
	raw_spinlock_t lock;	/* S, innermost */
	u8 depth;		/* S: all hashes in it begin with the same bits, so many */
	u64 tags;		/* S: a byte for each way, 0: free; see tags_with() */
	struct assoc way[WAYS] __aligned(sizeof(struct assoc));
};

static struct assoc_set **assoc_dir;	/* by the first bits of a hash */
static unsigned int assoc_bits;		/* log2 of its size, constant in a session */
static unsigned int assoc_first_bits;	/* sets are not merged to a smaller depth */
static atomic_t nr_assoc_sets;
static int max_assoc_sets;		/* constant in a session */
/* constant after module load; [0] is unused */
#define MAX_KINDS	IOB_MAX_STAT_PARTS
static const struct iob_assoc_kind *assoc_kinds[MAX_KINDS];
static u32 nr_assoc_kinds;

static struct iob_pool assoc_pool = {
	.name = "iob_assoc",
	.size = sizeof(struct assoc_set),
	.flags = SLAB_HWCACHE_ALIGN,
	.at_first = 8,
};

/* Of the two workers that walk the directory: merging moves entries to where marking has been. */
static DEFINE_MUTEX(assoc_walk_mutex);

static void assoc_merge(struct work_struct *work);
static DECLARE_DEFERRABLE_WORK(assoc_merge_work, assoc_merge);

/**
 * iob_assoc_kind_add - give a kind of objects its number
 * @kind: the kind
 *
 * At module load.  Return: 0; -EEXIST if it has one; -E2BIG.
 */
int iob_assoc_kind_add(struct iob_assoc_kind *kind)
{
	int stat;

	if (WARN_ON(kind->nr))
		return -EEXIST;
	if (WARN_ON(nr_assoc_kinds == MAX_KINDS - 1))
		return -E2BIG;
	stat = iob_stat_part_add(kind->name);
	if (stat < 0)
		return stat;
	kind->stat = stat;
	if (!kind->life)
		kind->life = IDLE;
	kind->nr = ++nr_assoc_kinds;
	assoc_kinds[kind->nr] = kind;
	return 0;
}

/* Count that an object of the kind was forgotten, or could not be noted.  Any context. */
void iob_assoc_count_evicted(const struct iob_assoc_kind *kind)
{
	iob_stat_inc_part(kind->stat);
}

/* (hash_64() has 32 bits) */
static u64 assoc_hash(u32 kind, const void *object, u64 sub)
{
	return ((unsigned long)object + sub * GOLDEN_RATIO_32 + kind) * GOLDEN_RATIO_64;
}

#define EACH_BYTE	0x0101010101010101ULL
/* the eighth byte of tags is no way's */
#define NO_WAY		(0xffULL << (WAYS * 8))

/* Of the bits that do not choose the set.  The highest bit is set: it is not 0. */
static u8 tag_of(u64 hash)
{
	return 0x80 | hash >> 24;
}

/*
 * The bytes of @tags that are @tag, each as its highest bit.  A byte above such a one may be
 * wrong: so the entries are compared, and for tag 0 only the first byte is used.
 */
static u64 tags_with(u64 tags, u8 tag)
{
	u64 x = tags ^ (EACH_BYTE * tag);

	return (x - EACH_BYTE) & ~x & (EACH_BYTE << 7);
}

/* The set of a hash, with its lock held. */
static struct assoc_set *assoc_lock(u64 hash, unsigned long *flags)
	__acquires(assoc_lock)
{
	struct assoc_set **place = &assoc_dir[hash >> (64 - assoc_bits)];
	struct assoc_set *s;

	for (;;) {
		/* pairs with assoc_lead_to() */
		s = smp_load_acquire(place);
		raw_spin_lock_irqsave(&s->lock, *flags);
		if (likely(READ_ONCE(*place) == s))
			return s;
		raw_spin_unlock_irqrestore(&s->lock, *flags);
	}
}

/* The entry of an object in its set, or NULL.  S. */
static __always_inline struct assoc *assoc_find(struct assoc_set *s, u64 hash, u32 kind,
						const void *object, u64 sub)
{
	u64 found = tags_with(s->tags, tag_of(hash));

	for (; found; found &= found - 1) {
		struct assoc *a = &s->way[__ffs64(found) / 8];

		if (a->object == object && a->sub == sub && a->kind == kind)
			return a;
	}
	return NULL;
}

/* A free place in a set, which gets a tag, or NULL.  S. */
static struct assoc *assoc_place(struct assoc_set *s, u64 hash)
{
	u64 found = tags_with(s->tags | NO_WAY, 0);
	unsigned int shift;

	if (unlikely(!found))
		return NULL;
	shift = __ffs64(found) & ~7;
	s->tags |= (u64)tag_of(hash) << shift;
	return &s->way[shift / 8];
}

/* The way's byte of tags is cleared.  S. */
static void assoc_drop(struct assoc_set *s, const struct assoc *a)
{
	s->tags &= ~(0xffULL << (a - s->way) * 8);
}

static const struct iob_assoc_kind *kind_of(const struct assoc *a)
{
	return assoc_kinds[a->kind];
}

static bool kind_lasts(const struct iob_assoc_kind *kind)
{
	return kind->life > IDLE;
}

/* S.  The entry's way has a tag: else its kind may be anything. */
static bool assoc_is_idle(const struct assoc *a)
{
	return (u32)jiffies - a->used >= kind_of(a)->life;
}

/* S, as @place. */
static void assoc_fill(struct assoc *a, u32 kind, const void *object, u64 sub, u64 act)
{
	a->object = object;
	a->sub = sub;
	a->kind = kind;
	a->act = act;
	a->used = jiffies;
}

/* From here on @nr places of the directory lead to @s.  The lock of their set is held. */
static void assoc_lead_to(struct assoc_set *s, unsigned long first, unsigned long nr)
{
	unsigned long i;

	/* pairs with assoc_lock() */
	smp_wmb();
	for (i = first; i < first + nr; i++)
		WRITE_ONCE(assoc_dir[i], s);
}

static void assoc_set_init(struct assoc_set *s, unsigned int depth)
{
	raw_spin_lock_init(&s->lock);
	s->depth = depth;
	s->tags = 0;
	atomic_inc(&nr_assoc_sets);
}

/* Split the set of @hash: @new gets the entries whose next bit is 1, and their places.  S. */
static void assoc_split(struct assoc_set *s, struct assoc_set *new, u64 hash)
{
	unsigned int bit = 63 - s->depth, i;
	unsigned long half = 1UL << (assoc_bits - s->depth - 1);
	unsigned long first = (hash >> (64 - assoc_bits)) & ~(2 * half - 1);

	assoc_set_init(new, ++s->depth);
	for (i = 0; i < WAYS; i++) {
		const struct assoc *a = &s->way[i];
		u64 tag = s->tags & 0xffULL << i * 8;

		if (!tag || !(assoc_hash(a->kind, a->object, a->sub) >> bit & 1))
			continue;
		new->way[i] = *a;
		new->tags |= tag;
		s->tags &= ~tag;
	}
	assoc_lead_to(new, first + half, half);
}

/* The older one of two entries, of which one may be NULL.  S. */
static struct assoc *assoc_older(struct assoc *a, struct assoc *b)
{
	return a && (s32)(a->used - b->used) <= 0 ? a : b;
}

/* The oldest of the entries of a full set that are idle, or NULL.  S. */
static struct assoc *assoc_oldest_idle(struct assoc_set *s)
{
	struct assoc *oldest = NULL;
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		if (assoc_is_idle(&s->way[i]))
			oldest = assoc_older(oldest, &s->way[i]);
	}
	return oldest;
}

/*
 * The entry of a full set without idle ones that gives way to one of @kind: the oldest of those
 * that last, else the oldest.  One that lasts takes no place of one that lasts longer.  NULL: the
 * new one gives way, as it lasts, and all others last longer or do not.  S.
 *
 * Example: times of an inode may wait for a day.  In which transaction a role has changed an inode
 * is of use for minutes: chown -R of a million files makes no such times forgotten.
 */
static struct assoc *assoc_oldest(struct assoc_set *s, const struct iob_assoc_kind *kind)
{
	struct assoc *oldest = NULL, *lasting = NULL;
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		struct assoc *a = &s->way[i];

		if (!kind_lasts(kind_of(a)))
			oldest = assoc_older(oldest, a);
		else if (!kind_lasts(kind) || kind_of(a)->life <= kind->life)
			lasting = assoc_older(lasting, a);
	}
	return lasting || kind_lasts(kind) ? lasting : oldest;
}

/* Make room in the set of @hash for @kind, once.  Return: false if there is no memory for it. */
static bool assoc_grow(u64 hash, const struct iob_assoc_kind *kind)
{
	int max = kind_lasts(kind) ? max_assoc_sets / 2 : max_assoc_sets;
	struct assoc_set *s, *new = NULL;
	unsigned long flags;

	if (atomic_read(&nr_assoc_sets) < max)
		new = iob_pool_get(&assoc_pool);
	if (!new)
		return false;
	s = assoc_lock(hash, &flags);
	/* another CPU may have done it */
	if (s->depth < assoc_bits && !tags_with(s->tags | NO_WAY, 0)) {
		assoc_split(s, new, hash);
		new = NULL;
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	if (new)
		iob_pool_put(&assoc_pool, new);
	return true;
}

/* Of iob_assoc_set(): the object is not noted, and its set was full. */
static noinline void assoc_set_full(u64 hash, const struct iob_assoc_kind *kind,
				    const void *object, u64 sub, u64 act)
{
	bool may_grow = true;
	unsigned long flags;
	struct assoc_set *s;
	struct assoc *a, *old;

	for (;;) {
		s = assoc_lock(hash, &flags);
		a = assoc_find(s, hash, kind->nr, object, sub);
		if (!a)
			a = assoc_place(s, hash);
		if (a)
			break;
		old = assoc_oldest_idle(s);
		if (!old && (!may_grow || s->depth == assoc_bits)) {
			old = assoc_oldest(s, kind);
			iob_assoc_count_evicted(old ? kind_of(old) : kind);
			if (!old)
				break;
		}
		if (old) {
			assoc_drop(s, old);
			a = assoc_place(s, hash);
			break;
		}
		raw_spin_unlock_irqrestore(&s->lock, flags);
		may_grow = assoc_grow(hash, kind);
	}
	if (a)
		assoc_fill(a, kind->nr, object, sub, act);
	raw_spin_unlock_irqrestore(&s->lock, flags);
}

/**
 * iob_assoc_set - note which act changed an object
 * @kind:   what it is
 * @object: its address
 * @sub:    a number where the address is not enough, else 0
 * @act:    the act's id
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_assoc_set(const struct iob_assoc_kind *kind, const void *object, u64 sub,
		   u64 act)
{
	u64 hash = assoc_hash(kind->nr, object, sub);
	unsigned long flags;
	struct assoc_set *s;
	struct assoc *a;

	s = assoc_lock(hash, &flags);
	a = assoc_find(s, hash, kind->nr, object, sub);
	if (!a)
		a = assoc_place(s, hash);
	if (likely(a))
		assoc_fill(a, kind->nr, object, sub, act);
	raw_spin_unlock_irqrestore(&s->lock, flags);
	if (unlikely(!a))
		assoc_set_full(hash, kind, object, sub, act);
}

/**
 * iob_assoc_forget - drop what is noted of an object
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * Any context but NMI, inside iob_read_lock().
 */
void iob_assoc_forget(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	iob_assoc_take(kind, object, sub);
}

/**
 * iob_assoc_get - which act changed an object
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * Any context but NMI, inside iob_read_lock().
 * Return: the act's id, IOB_CAUSE_NONE if it is not known.
 */
u64 iob_assoc_get(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	u64 act, hash = assoc_hash(kind->nr, object, sub);
	const struct assoc *a;
	unsigned long flags;
	struct assoc_set *s;

	s = assoc_lock(hash, &flags);
	a = assoc_find(s, hash, kind->nr, object, sub);
	act = a ? a->act : IOB_CAUSE_NONE;
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return act;
}

/**
 * iob_assoc_get_last - which act changed an object, asked for the last time in most cases
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * As iob_assoc_get().  The entry is idle a minute later.  Example: an inode is written; half a
 * minute later its data are written, which changes the inode again.
 */
u64 iob_assoc_get_last(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	u64 act = IOB_CAUSE_NONE, hash = assoc_hash(kind->nr, object, sub);
	unsigned long flags;
	struct assoc_set *s;
	struct assoc *a;

	s = assoc_lock(hash, &flags);
	a = assoc_find(s, hash, kind->nr, object, sub);
	if (a) {
		act = a->act;
		a->used = (u32)jiffies - kind->life + LAST;
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return act;
}

/**
 * iob_assoc_take - which act changed an object, asked for the last time
 * @kind:   what it is
 * @object: its address
 * @sub:    as it was set
 *
 * As iob_assoc_get(), and as iob_assoc_forget(): that makes room.
 */
u64 iob_assoc_take(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	u64 act = IOB_CAUSE_NONE, hash = assoc_hash(kind->nr, object, sub);
	const struct assoc *a;
	unsigned long flags;
	struct assoc_set *s;

	s = assoc_lock(hash, &flags);
	a = assoc_find(s, hash, kind->nr, object, sub);
	if (a) {
		act = a->act;
		assoc_drop(s, a);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return act;
}

/*
 * True if the entry's cause must stay: nobody has asked for it the last time, and of its kind's
 * life (five minutes for most) more than one is left.  If it lasts, then only while there
 * @is_room.  S.
 */
static bool assoc_needs_cause(const struct assoc *a, bool is_room)
{
	const struct iob_assoc_kind *kind = kind_of(a);

	return (u32)jiffies - a->used < kind->life - LAST && (is_room || !kind_lasts(kind));
}

static void assoc_mark_set(struct assoc_set *s, unsigned long *causes, bool is_room)
{
	unsigned long flags;
	unsigned int i;

	raw_spin_lock_irqsave(&s->lock, flags);
	for (i = 0; i < WAYS; i++) {
		/* (what is no reference finds nothing) */
		if (s->tags >> i * 8 & 0xff && assoc_needs_cause(&s->way[i], is_room))
			iob_cause_mark(s->way[i].act, causes);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
}

/**
 * iob_assoc_mark - find the causes that entries in use name
 * @causes:  bitmap by number of cause; the function sets bits and clears none
 * @is_room: there is room for more causes: those of kinds that live long, too
 * @stop:    true: the walk ends at the next set
 *
 * May sleep: it reads all sets.  In a session.
 * Return: false if it was stopped; then not all are found.
 */
bool iob_assoc_mark(unsigned long *causes, bool is_room, const bool *stop)
{
	struct assoc_set *s, *last = NULL;
	unsigned long place;

	mutex_lock(&assoc_walk_mutex);
	for (place = 0; place < 1UL << assoc_bits && !READ_ONCE(*stop); place++) {
		iob_read_lock();
		/* pairs with assoc_lead_to() */
		s = smp_load_acquire(&assoc_dir[place]);
		if (s != last)
			assoc_mark_set(s, causes, is_room);
		last = s;
		iob_read_unlock();
		cond_resched();
	}
	mutex_unlock(&assoc_walk_mutex);
	return place == 1UL << assoc_bits;
}

static bool assoc_is_used(const struct assoc_set *s, unsigned int i)
{
	return (s->tags >> i * 8 & 0xff) && !assoc_is_idle(&s->way[i]);
}

/* The number of entries in use.  S. */
static unsigned int assoc_count(const struct assoc_set *s)
{
	unsigned int i, nr = 0;

	for (i = 0; i < WAYS; i++)
		nr += assoc_is_used(s, i);
	return nr;
}

/* The entries of @from in use become @to's, which has room; @from leads nowhere.  S of both. */
static void assoc_move(struct assoc_set *to, struct assoc_set *from)
{
	unsigned int i;

	for (i = 0; i < WAYS; i++) {
		if (!assoc_is_used(to, i))
			assoc_drop(to, &to->way[i]);
	}
	for (i = 0; i < WAYS; i++) {
		const struct assoc *a = &from->way[i];

		if (assoc_is_used(from, i))
			*assoc_place(to, assoc_hash(a->kind, a->object, a->sub)) = *a;
	}
}

/*
 * Merge the set at @place of the directory with its buddy behind it, if both have little.
 * *@next gets the place of the next set.  Return: a set that is not used any more, or NULL.
 */
static struct assoc_set *assoc_merge_at(unsigned long place, unsigned long *next)
{
	struct assoc_set *s, *buddy, *unused = NULL;
	unsigned long flags, nr;

	s = assoc_lock((u64)place << (64 - assoc_bits), &flags);
	nr = 1UL << (assoc_bits - s->depth);
	*next = place + nr;
	/* the buddy of the second is before it */
	if (s->depth == assoc_first_bits || place & nr)
		goto unlock;
	*next += nr;
	buddy = READ_ONCE(assoc_dir[place + nr]);
	raw_spin_lock_nested(&buddy->lock, SINGLE_DEPTH_NESTING);
	/* only this worker merges, so the place leads to the set or to a half that was split off */
	if (buddy->depth == s->depth && assoc_count(s) + assoc_count(buddy) <= MERGE_UPTO) {
		assoc_move(s, buddy);
		assoc_lead_to(s, place + nr, nr);
		s->depth--;
		unused = buddy;
	} else if (buddy->depth != s->depth) {
		*next = place + nr;
	}
	raw_spin_unlock(&buddy->lock);
unlock:
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return unused;
}

/* Free sets that no place leads to; each has the address of the next one.  May sleep. */
static void assoc_free_unused(const void *sets)
{
	struct assoc_set *s = (void *)sets;

	/* a probe may still wait for the lock */
	synchronize_rcu();
	while (s) {
		const void *next = s->way[0].object;

		iob_pool_free(&assoc_pool, s);
		atomic_dec(&nr_assoc_sets);
		s = (void *)next;
		/* after a burst these are half a million */
		cond_resched();
	}
}

static void assoc_merge(struct work_struct *work)
{
	const void *unused = NULL;
	unsigned long place, next;
	struct assoc_set *s;

	mutex_lock(&assoc_walk_mutex);
	for (place = 0; place < 1UL << assoc_bits; place = next) {
		/* sets that were found by their places are not freed before the end */
		s = assoc_merge_at(place, &next);
		if (s) {
			s->way[0].object = unused;
			unused = s;
		}
		cond_resched();
	}
	mutex_unlock(&assoc_walk_mutex);
	if (unused)
		assoc_free_unused(unused);
	iob_work_queue_delayed(&assoc_merge_work, MERGE_EVERY);
}

/* The size of the cache in bytes, for `status`.  The caller holds the session. */
unsigned long iob_assoc_bytes(void)
{
	if (!assoc_dir)
		return 0;
	return (sizeof(*assoc_dir) << assoc_bits) +
	       (unsigned long)atomic_read(&nr_assoc_sets) * sizeof(struct assoc_set);
}

static int assoc_fill_dir(void)
{
	unsigned long place, nr = 1UL << (assoc_bits - assoc_first_bits);

	for (place = 0; place < 1UL << assoc_bits; place += nr) {
		struct assoc_set *s = iob_pool_alloc(&assoc_pool);

		if (!s)
			return -ENOMEM;
		assoc_set_init(s, assoc_first_bits);
		assoc_lead_to(s, place, nr);
		cond_resched();
	}
	return 0;
}

/**
 * iob_assoc_init - begin with an empty cache
 *
 * At first there are 512 sets (128 KiB), or 1/32 of the most if that is more.  May sleep.
 * Return: 0 or -ENOMEM; iob_assoc_exit() undoes it.
 */
int iob_assoc_init(void)
{
	unsigned long nr = totalram_pages() / SHARE * (PAGE_SIZE / sizeof(struct assoc_set));
	unsigned int bits = clamp_t(unsigned int, ilog2(nr | 1), MIN_BITS, MAX_BITS);
	int err;

	atomic_set(&nr_assoc_sets, 0);
	max_assoc_sets = 1 << bits;
	assoc_bits = bits + 1;
	assoc_first_bits = max_t(int, bits - ilog2(FIRST_SHARE), MIN_BITS);
	assoc_dir = kvcalloc(1UL << assoc_bits, sizeof(*assoc_dir), GFP_KERNEL);
	if (!assoc_dir)
		return -ENOMEM;
	err = iob_pool_start(&assoc_pool);
	if (!err)
		err = assoc_fill_dir();
	if (!err)
		iob_work_queue_delayed(&assoc_merge_work, MERGE_EVERY);
	return err;
}

/* Free the cache.  No probe is attached. */
void iob_assoc_exit(void)
{
	unsigned long place, next;

	cancel_delayed_work_sync(&assoc_merge_work);
	iob_pool_stop(&assoc_pool);
	for (place = 0; assoc_dir && place < 1UL << assoc_bits; place = next) {
		struct assoc_set *s = assoc_dir[place];

		/* the start failed here */
		if (!s)
			break;
		next = place + (1UL << (assoc_bits - s->depth));
		iob_pool_free(&assoc_pool, s);
		cond_resched();
	}
	kvfree(assoc_dir);
	assoc_dir = NULL;
}

/* Module load.  Return: 0 or -ENOMEM. */
int iob_assoc_pool_init(void)
{
	return iob_pool_init(&assoc_pool);
}

/* Module unload, after iob_assoc_exit(). */
void iob_assoc_pool_exit(void)
{
	iob_pool_exit(&assoc_pool);
}

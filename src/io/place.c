// SPDX-License-Identifier: GPL-2.0
/*
 * Spare places, and places that are taken back.
 *
 * A region's places are taken back in steps that no lookup has to know of:
 *  1. all its places are closed: no bio takes one from now on;
 *  2. after a grace period, each bio whose place was seen free has taken it: a region of
 *     which any place is in use is opened again, as no bio of it may be lost;
 *  3. a new map without the others replaces the map; after a grace period nothing looks at
 *     them any more.
 *
 * While the map is copied no region is added: the notes of its bios lie elsewhere.
 *
 * Regions of memory that bios have left would else add up for weeks, to the limit.  So they are
 * taken back whenever there are twice as many regions as had bios the last time: a region is
 * looked at once or twice, on average, for each that is added.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <compat/rcu.h>

#include "core/worker.h"
#include "place.h"

/* Regions: at the beginning for each CPU; at least; at most for each CPU. */
#define FIRST_PER_CPU	32
#define FIRST_MIN	256
#define MOST_PER_CPU	2048
#define MOST_MIN	8192
/* and at most that part of the memory */
#define MOST_OF_MEMORY	128

struct iob_place_map *iob_place_map __read_mostly;

static const struct iob_place_ops *place_ops;
static struct iob_place closed_places[IOB_REGION_PLACES];

/* L: places_lock.  A raw one: probes take it. */
static DEFINE_RAW_SPINLOCK(places_lock);
static struct iob_place **spare;	/* L: arrays of IOB_REGION_PLACES */
static u32 nr_spare;		/* L */
static bool map_frozen;		/* L: the map is being copied */
static unsigned long rest_until;	/* L: jiffies; the worker can do nothing before */
static u32 nr_regions;		/* with places, spare ones too; the worker's */
static u32 take_back_at;	/* so many regions; the worker's */
static u32 max_spare, max_regions;	/* constant in a session */

static void fill_spare(struct work_struct *work);
static DECLARE_WORK(places_work, fill_spare);

/* Places for one region.  May sleep. */
static struct iob_place *alloc_region(gfp_t gfp)
{
	/* (a size that is a power of two is aligned to itself) */
	return kzalloc(IOB_REGION_SIZE, gfp | __GFP_NOWARN);
}

static bool add_spare(struct iob_place *place)
{
	unsigned long flags;
	bool room;

	raw_spin_lock_irqsave(&places_lock, flags);
	room = nr_spare < max_spare;
	if (room)
		spare[nr_spare++] = place;
	raw_spin_unlock_irqrestore(&places_lock, flags);
	return room;
}

/* Return: false if it is time to take regions back, or there is no memory. */
static bool alloc_spare(u32 wanted, gfp_t gfp)
{
	struct iob_place *p;

	while (READ_ONCE(nr_spare) < wanted) {
		if (nr_regions >= take_back_at)
			return false;
		p = alloc_region(gfp);
		if (!p)
			return false;
		nr_regions++;
		if (!add_spare(p)) {
			kfree(p);
			nr_regions--;
			break;
		}
	}
	return true;
}

static bool is_region_idle(const struct iob_place *place)
{
	unsigned int i;

	for (i = 0; i < IOB_REGION_PLACES; i++) {
		if (READ_ONCE(place[i].owner) || !place_ops->idle(&place[i]))
			return false;
	}
	return true;
}

static bool is_region_closed(const struct iob_place *place)
{
	unsigned int i;

	for (i = 0; i < IOB_REGION_PLACES; i++) {
		if (READ_ONCE(place[i].owner) != IOB_PLACE_CLOSED)
			return false;
	}
	return true;
}

static void open_region(struct iob_place *place)
{
	unsigned int i;

	for (i = 0; i < IOB_REGION_PLACES; i++)
		cmpxchg(&place[i].owner, IOB_PLACE_CLOSED, NULL);
}

/* A map of a large host has half a million entries: let others run now and then. */
static void map_walk_pause(u32 i)
{
	if (!(i % 1024))
		cond_resched();
}

/* Step 1.  Return: how many regions are closed now. */
static u32 close_idle_regions(struct iob_place_map *map)
{
	u32 i, k, nr = 0, entries = iob_place_map_entries(map);

	for (i = 0; i < entries; i++) {
		struct iob_place *place = READ_ONCE(map->region[i].place);

		map_walk_pause(i);
		if (!READ_ONCE(map->region[i].key) || !is_region_idle(place))
			continue;
		for (k = 0; k < IOB_REGION_PLACES; k++)
			cmpxchg(&place[k].owner, NULL, IOB_PLACE_CLOSED);
		nr++;
	}
	return nr;
}

/* Step 3: the new map; regions of which all places are closed are not in it. */
static void copy_open_regions(struct iob_place_map *to, const struct iob_place_map *from)
{
	u32 i, entries = iob_place_map_entries(from);

	for (i = 0; i < entries; i++) {
		const struct iob_region *r = &from->region[i];

		map_walk_pause(i);
		/* (they were found so in a map of the same size: there is room) */
		if (r->key && !is_region_closed(r->place))
			WARN_ON_ONCE(!iob_place_map_add(to, r->key, r->place));
	}
}

static void free_closed_regions(struct iob_place_map *map)
{
	u32 i, entries = iob_place_map_entries(map);

	for (i = 0; i < entries; i++) {
		struct iob_place *place = map->region[i].place;

		map_walk_pause(i);
		if (!map->region[i].key || !is_region_closed(place))
			continue;
		open_region(place);
		if (!add_spare(place)) {
			kfree(place);
			nr_regions--;
		}
	}
}

static void set_map_frozen(bool frozen)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&places_lock, flags);
	map_frozen = frozen;
	raw_spin_unlock_irqrestore(&places_lock, flags);
}

/* Take back the places of regions without bios.  Return: false if there are none. */
static bool take_back_regions(void)
{
	u32 i, entries = (iob_place_map->mask / sizeof(struct iob_region)) + 1;
	struct iob_place_map *old = iob_place_map, *new;

	new = kvmalloc(iob_place_map_size(entries), GFP_KERNEL | __GFP_NOWARN);
	if (!new)
		return false;
	if (!close_idle_regions(old)) {
		kvfree(new);
		return false;
	}
	set_map_frozen(true);
	synchronize_rcu();
	for (i = 0; i < iob_place_map_entries(old); i++) {
		struct iob_region *r = &old->region[i];

		map_walk_pause(i);
		if (r->key && !is_region_closed(r->place))
			open_region(r->place);
	}
	iob_place_map_init(new, entries, closed_places);
	copy_open_regions(new, old);
	/* a probe that sees the map sees it complete */
	smp_store_release(&iob_place_map, new);
	set_map_frozen(false);
	synchronize_rcu();
	free_closed_regions(old);
	kvfree(old);
	return true;
}

/* Regions are taken back again when there are twice as many as are left now. */
static void plan_take_back(void)
{
	u32 left = nr_regions - READ_ONCE(nr_spare);

	take_back_at = min(2 * (left + max_spare), max_regions);
}

/* The worker. */
static void fill_spare(struct work_struct *work)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NORETRY;
	unsigned long flags;
	bool taken;

	if (alloc_spare(max_spare, gfp))
		return;
	taken = take_back_regions();
	plan_take_back();
	/* with few that come back, the next search is not worth while soon */
	if (alloc_spare(max_spare, gfp) || (taken && READ_ONCE(nr_spare) >= max_spare / 2))
		return;
	raw_spin_lock_irqsave(&places_lock, flags);
	WRITE_ONCE(rest_until, jiffies + 10 * HZ);
	raw_spin_unlock_irqrestore(&places_lock, flags);
}

/**
 * iob_place_add - the place of an address, also in a new region
 * @address: of a bio
 *
 * The slow path of iob_place_of().  Any context but NMI, inside iob_read_lock().
 * Return: never NULL; a closed place if there is no spare one.
 */
struct iob_place *iob_place_add(const void *address)
{
	unsigned long flags, key = (unsigned long)address >> IOB_REGION_BITS;
	struct iob_place_map *map;
	struct iob_place *place;
	bool low;

	/* where there are none, and will be none soon, nobody waits for the lock */
	if (!READ_ONCE(nr_spare) && time_before(jiffies, READ_ONCE(rest_until)))
		return iob_place_of(READ_ONCE(iob_place_map), address);
	raw_spin_lock_irqsave(&places_lock, flags);
	map = READ_ONCE(iob_place_map);
	place = iob_place_of(map, address);
	if (place >= closed_places && place < closed_places + IOB_REGION_PLACES &&
	    !map_frozen && nr_spare && iob_place_map_add(map, key, spare[nr_spare - 1])) {
		nr_spare--;
		place = iob_place_of(map, address);
	}
	low = nr_spare < max_spare / 8 && time_after_eq(jiffies, rest_until);
	raw_spin_unlock_irqrestore(&places_lock, flags);
	if (low)
		iob_work_queue(&places_work);
	return place;
}

/**
 * iob_places_each - call a function for each place of a region that has bios
 * @each: NULL to count them; else the session ends, and the worker has ended
 *
 * The caller holds the session.  May sleep.  @each is called in a read section of RCU.
 * Return: how many places are in use; during a session an estimate.
 */
u32 iob_places_each(void (*each)(struct iob_place *place))
{
	struct iob_place_map *map;
	u32 i, k, nr = 0;

	rcu_read_lock();
	map = READ_ONCE(iob_place_map);
	for (i = 0; map && i < iob_place_map_entries(map); i++) {
		struct iob_place *place;

		if (!(i % 1024)) {
			rcu_read_unlock();
			cond_resched();
			rcu_read_lock();
			/* maybe a new one, of the same size */
			map = READ_ONCE(iob_place_map);
		}
		/* pairs with iob_place_map_add(); without a key the places are the closed ones */
		if (!smp_load_acquire(&map->region[i].key))
			continue;
		place = READ_ONCE(map->region[i].place);
		for (k = 0; k < IOB_REGION_PLACES; k++) {
			const void *owner = READ_ONCE(place[k].owner);

			if (!owner || owner == IOB_PLACE_CLOSED)
				continue;
			nr++;
			if (each)
				each(&place[k]);
		}
	}
	rcu_read_unlock();
	return nr;
}

/* The bytes that places and their map take.  Any context; an estimate. */
size_t iob_places_memory(void)
{
	return (size_t)READ_ONCE(nr_regions) * IOB_REGION_SIZE +
	       (max_regions ? iob_place_map_size(max_regions * 2) : 0);
}

/**
 * iob_places_start - a session begins
 * @ops: constant
 *
 * May sleep.  Return: 0 or -ENOMEM.
 */
int iob_places_start(const struct iob_place_ops *ops)
{
	unsigned long kib = totalram_pages() << (PAGE_SHIFT - 10);
	u32 i, cpus = num_possible_cpus();
	struct iob_place_map *map;

	place_ops = ops;
	for (i = 0; i < IOB_REGION_PLACES; i++)
		closed_places[i].owner = IOB_PLACE_CLOSED;
	max_spare = max_t(u32, cpus * FIRST_PER_CPU, FIRST_MIN);
	max_regions = max_t(u32, cpus * MOST_PER_CPU, MOST_MIN);
	max_regions = min_t(unsigned long, max_regions, kib / MOST_OF_MEMORY);
	max_regions = rounddown_pow_of_two(max(max_regions, max_spare));
	max_spare = min(max_spare, max_regions);
	plan_take_back();
	rest_until = jiffies;
	spare = kvmalloc_array(max_spare, sizeof(*spare), GFP_KERNEL);
	map = kvmalloc(iob_place_map_size(max_regions * 2), GFP_KERNEL);
	if (!spare || !map) {
		kvfree(map);
		return -ENOMEM;
	}
	iob_place_map_init(map, max_regions * 2, closed_places);
	/* as in take_back_regions() */
	smp_store_release(&iob_place_map, map);
	return alloc_spare(max_spare, GFP_KERNEL) ? 0 : -ENOMEM;
}

/**
 * iob_places_stop - the session ends
 * @put: of each place that has a bio still
 *
 * No probe is attached.  May sleep.
 */
void iob_places_stop(void (*put)(struct iob_place *place))
{
	struct iob_place_map *map;
	u32 i;

	cancel_work_sync(&places_work);
	/* from here on no map takes another's place: that was the worker's */
	iob_places_each(put);
	map = iob_place_map;
	for (i = 0; map && i < iob_place_map_entries(map); i++) {
		map_walk_pause(i);
		if (map->region[i].key)
			kfree(map->region[i].place);
	}
	kvfree(map);
	iob_place_map = NULL;
	while (spare && nr_spare)
		kfree(spare[--nr_spare]);
	kvfree(spare);
	spare = NULL;
	nr_regions = 0;
	max_regions = 0;
}

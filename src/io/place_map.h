/* SPDX-License-Identifier: GPL-2.0 */
/*
 * place_map - which memory belongs to an address
 *
 * A place is 128 bytes that belong to 128 bytes of the address space: what is noted of an
 * object lies in the place of its address.  Places come by regions of 1 KiB, eight at once.
 * The map is a hash table of regions with open addressing.  It is written when an address is
 * met in a new region, and only read after that.  So all that is written for an object lies
 * in its own place, and a CPU whose objects no other CPU uses shares no line that is written.
 *
 * Example: a bio at 0x..a18740 is in region 0x..a18740 >> 10, at offset 0x340 of it.  The
 * region's places are at P: the bio's place is P + 0x300.
 *
 * Lookups take no lock.  Those that write the map exclude one another.
 *
 * Pure: builds in userspace too.
 */
#ifndef IOB_IO_PLACE_MAP_H
#define IOB_IO_PLACE_MAP_H

#include <asm/barrier.h>
#include <linux/compiler.h>
#include <linux/types.h>

#define IOB_PLACE_SIZE		128
#define IOB_REGION_BITS		10
#define IOB_REGION_SIZE		1024
#define IOB_REGION_PLACES	(IOB_REGION_SIZE / IOB_PLACE_SIZE)
/* a region is found after so many others at most */
#define IOB_REGION_PROBES	16

/* owner of a place that takes no object; no address, and not NULL */
#define IOB_PLACE_CLOSED	((const void *)1)

struct iob_place {
	const void *owner;	/* the object; NULL: the place is free */
	u8 rest[IOB_PLACE_SIZE - sizeof(void *)];
} __aligned(IOB_PLACE_SIZE);

struct iob_region {
	unsigned long key;	/* address >> IOB_REGION_BITS; 0: none */
	struct iob_place *place;	/* never NULL: closed ones if there is none */
};

struct iob_place_map {
	unsigned long mask;	/* of the offset of an entry, in bytes */
	u32 nr;			/* regions */
	u32 room;		/* so many are taken */
	struct iob_place *closed;	/* IOB_REGION_PLACES of them */
	struct iob_region region[];	/* and IOB_REGION_PROBES + 1 behind the last */
};

/* The offset of the entry where the search for a region begins, in bytes. */
static __always_inline unsigned long iob_region_hash(const struct iob_place_map *map,
						     unsigned long key)
{
	/* GOLDEN_RATIO_32: one instruction.  These bits of the product depend on all below them. */
	return ((u64)key * 0x61c88647 >> 16) & map->mask;
}

/* That place of a region's which belongs to an address. */
static __always_inline struct iob_place *iob_place_within(struct iob_place *places,
							  unsigned long at)
{
	return (void *)((char *)places + (at & (IOB_REGION_SIZE - IOB_PLACE_SIZE)));
}

/**
 * iob_place_of - the place of an address
 * @map:     the map
 * @address: of an object
 *
 * Any context, while the map stays.  Return: never NULL; if the region is not in the map, a
 * closed place.
 */
static __always_inline struct iob_place *iob_place_of(const struct iob_place_map *map,
						      const void *address)
{
	unsigned long at = (unsigned long)address, key = at >> IOB_REGION_BITS, found;
	const struct iob_region *r;

	r = (const void *)((const char *)map->region + iob_region_hash(map, key));
	/* pairs with iob_place_map_add(); the entry behind the last has no key */
	found = smp_load_acquire(&r->key);
	while (unlikely(found != key)) {
		/* r->place may be of a region that is being added */
		if (!found)
			return iob_place_within(map->closed, at);
		r++;
		/* likewise */
		found = smp_load_acquire(&r->key);
	}
	return iob_place_within(r->place, at);
}

size_t iob_place_map_size(u32 entries);
void iob_place_map_init(struct iob_place_map *map, u32 entries,
			struct iob_place *closed);
bool iob_place_map_add(struct iob_place_map *map, unsigned long key,
		       struct iob_place *place);
u32 iob_place_map_entries(const struct iob_place_map *map);

#endif

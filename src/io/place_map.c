// SPDX-License-Identifier: GPL-2.0
/*
 * What writes the map; place_map.h looks up.
 */
#include "place_map.h"

/* entries with places, and behind them the last that a search may come to */
#define MAP_TAIL	(IOB_REGION_PROBES + 1)

/* The bytes of a map of so many entries, a power of two. */
size_t iob_place_map_size(u32 entries)
{
	return sizeof(struct iob_place_map) +
	       ((size_t)entries + MAP_TAIL) * sizeof(struct iob_region);
}

/* All entries that a loop over .region has to look at. */
u32 iob_place_map_entries(const struct iob_place_map *map)
{
	return map->mask / sizeof(struct iob_region) + 1 + MAP_TAIL;
}

/**
 * iob_place_map_init - an empty map
 * @map:     of iob_place_map_size()
 * @entries: a power of two
 * @closed:  IOB_REGION_PLACES places that are closed
 */
void iob_place_map_init(struct iob_place_map *map, u32 entries,
			struct iob_place *closed)
{
	u32 i;

	map->mask = (entries - 1) * sizeof(struct iob_region);
	map->nr = 0;
	map->closed = closed;
	/* then a search ends after one or two entries */
	map->room = entries / 2;
	for (i = 0; i < entries + MAP_TAIL; i++) {
		map->region[i].key = 0;
		map->region[i].place = closed;
	}
}

/**
 * iob_place_map_add - places for a region
 * @map:   the map; the caller is the only one that writes it
 * @key:   the region, which is not in the map
 * @place: its places, complete
 *
 * Return: false if the map is full, there at least.
 */
bool iob_place_map_add(struct iob_place_map *map, unsigned long key,
		       struct iob_place *place)
{
	struct iob_region *r;
	u32 i;

	if (map->nr == map->room)
		return false;
	r = (void *)((char *)map->region + iob_region_hash(map, key));
	for (i = 0; i < IOB_REGION_PROBES; i++, r++) {
		if (r->key)
			continue;
		WRITE_ONCE(r->place, place);
		/* pairs with iob_place_of() */
		smp_store_release(&r->key, key);
		map->nr++;
		return true;
	}
	return false;
}

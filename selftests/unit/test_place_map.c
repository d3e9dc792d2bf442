// SPDX-License-Identifier: GPL-2.0
/*
 * Which memory belongs to an address: places are found for all that was added, for nothing
 * else, and no two addresses that are a bio apart share one.
 */
#include <asm/barrier.h>

#include "test.h"

/* Runs when a lookup has met the end of its search, and before it returns: another CPU */
static void (*on_other_cpu)(void);

#undef smp_load_acquire
#define smp_load_acquire(p) ({							\
	typeof(*(p)) read_ = __atomic_load_n(p, __ATOMIC_ACQUIRE);		\
	void (*other_)(void) = on_other_cpu;					\
										\
	if (!read_ && other_) {							\
		on_other_cpu = NULL;						\
		other_();							\
	}									\
	read_;									\
})

#include "io/place_map.h"

#define ENTRIES	256
#define MANY	2000

static struct iob_place closed[IOB_REGION_PLACES];
static struct iob_place places[ENTRIES][IOB_REGION_PLACES];

static struct iob_place_map *new_map(void)
{
	struct iob_place_map *map = malloc(iob_place_map_size(ENTRIES));
	unsigned int i;

	for (i = 0; i < IOB_REGION_PLACES; i++)
		closed[i].owner = IOB_PLACE_CLOSED;
	iob_place_map_init(map, ENTRIES, closed);
	return map;
}

static bool is_closed(const struct iob_place *p)
{
	return p >= closed && p < closed + IOB_REGION_PLACES;
}

/* An address as the kernel has them: of a slab, or of a stack. */
static unsigned long any_address(void)
{
	return (rnd(2) ? 0xffff888000000000UL : 0xffffc90000000000UL) +
	       (rnd64() % (1UL << 36) & ~7UL);
}

static void empty(void)
{
	struct iob_place_map *map = new_map();
	unsigned int i;

	for (i = 0; i < MANY; i++) {
		unsigned long at = any_address();
		const struct iob_place *p = iob_place_of(map, (void *)at);

		if (!is_closed(p) || p->owner != IOB_PLACE_CLOSED)
			fail("%lx has a place in an empty map", at);
	}
	free(map);
}

/* Addresses of regions that follow one another, or lie anywhere. */
static void added(void)
{
	unsigned int round;

	for (round = 0; round < 100; round++) {
		struct iob_place_map *map = new_map();
		unsigned long keys[ENTRIES], key = any_address() >> IOB_REGION_BITS;
		bool near = rnd(2);
		unsigned int i, k, nr = 0;

		while (nr < ENTRIES) {
			if (!is_closed(iob_place_of(map, (void *)(key << IOB_REGION_BITS)))) {
				key++;
				continue;
			}
			if (!iob_place_map_add(map, key, places[nr]))
				break;
			keys[nr++] = key;
			key = near ? key + 1 : any_address() >> IOB_REGION_BITS;
		}
		if (nr < ENTRIES / 4 || nr > ENTRIES / 2 || map->nr != nr)
			fail("%u of %u entries were taken", nr, ENTRIES);
		for (i = 0; i < nr; i++) {
			for (k = 0; k < IOB_REGION_SIZE; k += 8) {
				unsigned long at = (keys[i] << IOB_REGION_BITS) + k;

				if (iob_place_of(map, (void *)at) !=
				    &places[i][k / IOB_PLACE_SIZE])
					fail("%lx has another's place", at);
			}
			if (!is_closed(iob_place_of(map, (void *)~(keys[i] << IOB_REGION_BITS))))
				fail("a place of another region");
		}
		free(map);
	}
}

/* A region at the end of the table is followed by the tail only. */
static void at_the_end(void)
{
	struct iob_place_map *map = new_map();
	unsigned long key = 0xffff888000000000UL >> IOB_REGION_BITS;
	unsigned int nr = 0, refused = 0;

	for (; nr < IOB_REGION_PROBES + 4; key++) {
		if (iob_region_hash(map, key) != map->mask)
			continue;
		nr++;
		if (!iob_place_map_add(map, key, places[nr]))
			refused++;
		else if (iob_place_of(map, (void *)(key << IOB_REGION_BITS)) != places[nr])
			fail("number %u of one hash is not found", nr);
	}
	if (refused != 4)
		fail("%u of %u with one hash were refused", refused, nr);
	free(map);
}

static struct iob_place_map *common;
static unsigned long another;	/* key of a region that is added on another CPU */

static void add_another(void)
{
	iob_place_map_add(common, another, places[0]);
}

/* A region is added while another one of the same hash, which is not there, is looked up. */
static void meanwhile(void)
{
	unsigned long at = 0xffff888012345000UL, key = at >> IOB_REGION_BITS;

	common = new_map();
	for (another = key + 1; iob_region_hash(common, another) != iob_region_hash(common, key);
	     another++)
		;
	on_other_cpu = add_another;
	if (!is_closed(iob_place_of(common, (void *)at)))
		fail("a region that is not there has the places of another one");
	if (iob_place_of(common, (void *)(another << IOB_REGION_BITS)) != places[0])
		fail("the other region was not added");
	free(common);
}

static void sizes(void)
{
	if (sizeof(struct iob_place) != IOB_PLACE_SIZE)
		fail("a place has %zu bytes", sizeof(struct iob_place));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(sizes), TEST(empty), TEST(added), TEST(at_the_end), TEST(meanwhile),
	};

	return run_tests("place_map", tests, ARRAY_SIZE(tests));
}

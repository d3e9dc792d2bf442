// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "map.h"
#include "msg.h"

static uint64_t hash_key(const void *key, size_t len)
{
	const unsigned char *s = key;
	uint64_t h = len, word;

	while (len) {
		size_t n = len < 8 ? len : 8;

		word = 0;
		memcpy(&word, s, n);
		h = (h ^ word) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
		s += n;
		len -= n;
	}
	return h ^ h >> 32;
}

/* The slot of a key, or the free slot where it belongs. */
static void **find_map_slot(const struct map *map, const void *key)
{
	size_t i = hash_key(key, map->key_len);

	for (;; i++) {
		void **slot = &map->slot[i & (map->size - 1)];

		if (!*slot || !memcmp(*slot, key, map->key_len))
			return slot;
	}
}

/* The value with this key, or NULL. */
void *map_get(const struct map *map, const void *key)
{
	return map->size ? *find_map_slot(map, key) : NULL;
}

static void grow_map(struct map *map)
{
	struct map new = { .key_len = map->key_len };
	size_t i;

	new.size = map->size ? map->size * 2 : 64;
	new.slot = must(calloc(new.size, sizeof(*new.slot)));
	for (i = 0; i < map->size; i++) {
		if (map->slot[i])
			*find_map_slot(&new, map->slot[i]) = map->slot[i];
	}
	new.nr = map->nr;
	free(map->slot);
	*map = new;
}

/* Add a value.  The map must not have its key. */
void map_put(struct map *map, void *value)
{
	if (map->nr * 4 >= map->size * 3)
		grow_map(map);
	*find_map_slot(map, value) = value;
	map->nr++;
}

/*
 * Make an empty map of the size of another, to move values from there.  In a smaller
 * map, values that arrive in slot order would form one long cluster.
 */
void map_like(struct map *map, const struct map *other)
{
	map->key_len = other->key_len;
	map->nr = 0;
	map->size = other->size;
	map->slot = map->size ? must(calloc(map->size, sizeof(*map->slot))) : NULL;
}

/* Keep the values for which @keep is true, and free the others. */
void map_keep(struct map *map, bool (*keep)(const void *value, const void *arg),
	      const void *arg, void (*free_value)(void *value))
{
	struct map old = *map;
	size_t i;

	map_like(map, &old);
	for (i = 0; i < old.size; i++) {
		if (!old.slot[i])
			continue;
		if (keep(old.slot[i], arg))
			map_put(map, old.slot[i]);
		else
			free_value(old.slot[i]);
	}
	free(old.slot);
}

/* Free all values. */
void map_clear(struct map *map, void (*free_value)(void *value))
{
	size_t i;

	for (i = 0; i < map->size; i++) {
		if (map->slot[i] && free_value)
			free_value(map->slot[i]);
	}
	free(map->slot);
	map->slot = NULL;
	map->nr = 0;
	map->size = 0;
}

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * map - a hash table of values with keys of one length
 *
 * Pure.  A value begins with its key.  Padding in a key must be zeroed.
 */
#ifndef IOBLAME_MAP_H
#define IOBLAME_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map {
	size_t key_len;
	size_t nr, size;	/* size is a power of two */
	void **slot;
};

void *map_get(const struct map *map, const void *key);
void map_put(struct map *map, void *value);
void map_like(struct map *map, const struct map *other);
void map_keep(struct map *map, bool (*keep)(const void *value, const void *arg),
	      const void *arg, void (*free_value)(void *value));
void map_clear(struct map *map, void (*free_value)(void *value));

#define map_for_each(map, i, value)				\
	for ((i) = 0; (i) < (map)->size; (i)++)			\
		if (((value) = (map)->slot[i]) != NULL)

#endif

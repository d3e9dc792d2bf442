// SPDX-License-Identifier: GPL-2.0
/*
 * The largest usages keep their names, the rest becomes few.  Pure.
 *
 * The smaller ones first lose their file and stack, then their program and user, then their
 * unit.  Where there are more disks than a span has usages, the smallest lose their disk, too.
 * Sums and histograms stay what they were.  Example: of 5000 files of one program, 100
 * stay; the other 4900 are one usage with the file "(others)".
 */
#include <stdlib.h>
#include <string.h>

#include "recorder.h"

enum narrowness {
	NO_FILE = 1, NO_PROGRAM, NO_UNIT, NO_REASON, NR_NARROW, NO_DISK,
};

enum {
	OPERATIONS = 8,		/* or fewer */
};

/* Errors are rare and asked for; an IO costs about as much as 4096 bytes. */
static uint64_t weight_of(const struct usage *u)
{
	return u->bytes + 4096 * u->ios + ((u->errors ? 1ULL : 0) << 62);
}

static int compare_weights(const void *a, const void *b)
{
	uint64_t x = weight_of(a), y = weight_of(b);

	if (x != y)
		return x < y ? 1 : -1;
	return usage_compare(&((const struct usage *)a)->key, &((const struct usage *)b)->key);
}

static void narrow_key(struct usage_key *key, enum narrowness how)
{
	if (*key->file)
		key->file = PAST_OTHERS;
	key->stack = 0;
	if (how < NO_PROGRAM)
		return;
	key->program = PAST_OTHERS;
	key->user = "";
	key->uid = UINT32_MAX;
	key->file = "";
	if (how >= NO_UNIT)
		key->unit = PAST_OTHERS;
	if (how >= NO_REASON) {
		key->why = "";
		key->how = 0;
	}
	if (how >= NO_DISK)
		key->disk = PAST_OTHERS;
}

/* Keep the texts of stacks that a usage still has. */
static void copy_stacks(struct usage_list *to, const struct usage_list *from)
{
	struct map used = { .key_len = sizeof(uint64_t) };
	uint64_t *stack;
	size_t i;

	for (i = 0; i < to->nr; i++) {
		stack = &to->list[i].key.stack;
		if (*stack && !map_get(&used, stack))
			map_put(&used, stack);
	}
	for (i = 0; i < from->nr_stacks; i++) {
		if (map_get(&used, &from->stack[i].hash))
			usage_add_stack(to, from->stack[i].hash, from->stack[i].text);
	}
	map_clear(&used, NULL);
}

/* Keep @keep as they are and make the others narrow. */
static void squeeze_to(struct usage_list *list, size_t keep, enum narrowness how)
{
	struct usage_list to = { 0 };
	struct usage u;
	size_t i;

	qsort(list->list, list->nr, sizeof(*list->list), compare_weights);
	for (i = 0; i < list->nr; i++) {
		u = list->list[i];
		if (i >= keep)
			narrow_key(&u.key, how);
		usage_add(&to, &u);
	}
	copy_stacks(&to, list);
	for (i = 0; i < list->nr_busy; i++)
		usage_add_busy(&to, list->busy[i].disk, list->busy[i].ms);
	to.from_ns = list->from_ns;
	to.until_ns = list->until_ns;
	to.lost_ios = list->lost_ios;
	usage_clear(list);
	*list = to;
}

/**
 * recorder_squeeze - make a list at most @most long, if it can be
 * @list: its usages are reordered
 * @most: more remain only if there are so many disks and operations: PAST_USAGES at most
 */
void recorder_squeeze(struct usage_list *list, size_t most)
{
	enum narrowness how;

	for (how = NO_FILE; how < NR_NARROW && list->nr > most; how++)
		squeeze_to(list, most * 3 / 4, how);
	if (list->nr > PAST_USAGES)
		squeeze_to(list, PAST_USAGES - OPERATIONS, NO_DISK);
}

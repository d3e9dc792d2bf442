// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "usage_by.h"

enum {
	/* places in IOB_OPS */
	AT_READ = 0, AT_AHEAD, AT_WRITE,
};

/* The key of the row that a usage is added to. */
static struct usage_key key_of_row(const struct usage_key *from, enum pivot by)
{
	struct usage_key to = { .disk = from->disk, .op = from->op, .uid = UINT32_MAX };

	switch (by) {
	case BY_FILE:
		to.file = from->file;
		break;
	case BY_CGROUP:
		to.unit = from->unit;
		break;
	case BY_STACK:
		to.stack = from->stack;
		break;
	case BY_OP:
		to.disk = NULL;
		break;
	case BY_WHY:
		to.why = from->why;
		break;
	case BY_DEVICE:
		break;
	default:
		to.unit = from->unit;
		to.program = from->program;
		to.user = from->user;
		to.uid = from->uid;
	}
	return to;
}

/**
 * usage_by - put usages together into rows
 * @rows: gets them, and the times; what it had is cleared
 * @from: the usages
 * @by:   below USAGE_PIVOTS
 */
void usage_by(struct usage_list *rows, const struct usage_list *from, enum pivot by)
{
	struct usage u;
	size_t i;

	usage_clear(rows);
	rows->from_ns = from->from_ns;
	rows->until_ns = from->until_ns;
	rows->lost_ios = from->lost_ios;
	for (i = 0; i < from->nr; i++) {
		u = from->list[i];
		u.key = key_of_row(&from->list[i].key, by);
		usage_add(rows, &u);
	}
	for (i = 0; i < from->nr_stacks && by == BY_STACK; i++)
		usage_add_stack(rows, from->stack[i].hash, from->stack[i].text);
}

static enum sort sort_by;

static uint64_t value_of(const struct usage *u)
{
	switch (sort_by) {
	case SORT_IOS:
		return u->ios;
	case SORT_TIME:
		return u->ns;
	case SORT_READ:
		return u->key.op <= AT_AHEAD ? u->bytes : 0;
	case SORT_WRITTEN:
		return u->key.op == AT_WRITE ? u->bytes : 0;
	case SORT_P99:
		return usage_percentile(u->lat, 0.99);
	default:
		return u->bytes;
	}
}

static int compare_usages(const void *va, const void *vb)
{
	const struct usage *a = va, *b = vb;
	uint64_t x = value_of(a), y = value_of(b);

	if (x != y)
		return x < y ? 1 : -1;
	return usage_compare(&a->key, &b->key);
}

/* Sort rows, the largest first.  Nothing can be added to the list afterwards. */
void usage_sort(struct usage_list *rows, enum sort sort)
{
	sort_by = sort;
	if (rows->nr)
		qsort(rows->list, rows->nr, sizeof(*rows->list), compare_usages);
}

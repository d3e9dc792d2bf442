// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "blamed.h"
#include "diskstats.h"
#include "group.h"
#include "intent.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opf.h"
#include "rec.h"
#include "spans.h"

void blamed_init(struct blamed_sums *s, enum pivot by)
{
	memset(s, 0, sizeof(*s));
	s->map.key_len = sizeof(struct atom_key);
	s->by = by;
}

/* Under which operation the kernel counts an IO; STAT_FLUSH: it counts it as no IO. */
static enum diskstats_op stat_op(const struct iob_iolog_bin_record *rec, bool cached)
{
	switch (rec->op) {
	case OP_FLUSH:
		return cached ? STAT_WRITE : STAT_FLUSH;
	case OP_WRITE:
		return STAT_WRITE;
	case OP_DISCARD:
		/* write zeroes and secure erase are writes there */
		return (rec->opf & OPF_OP) == OPF_DISCARD ? STAT_DISCARD : STAT_WRITE;
	default:
		return STAT_READ;
	}
}

static struct blamed *find_sum(struct blamed_sums *s, const struct iob_iolog_bin_record *rec)
{
	struct atom_key key, whole;
	struct blamed *b;

	agg_key(&whole, rec, s->by);
	key = whole;
	group_narrow(s->by, &key);
	key.disk = rec->disk;
	b = map_get(&s->map, &key);
	if (b)
		return b;
	if (s->map.nr >= BLAMED_MOST) {
		memset(&key, 0, sizeof(key));
		key.disk = rec->disk;
		key.rest = REST_ALL;
		key.kind = ROLE_SPECIAL;
		whole = key;
		b = map_get(&s->map, &key);
		if (b)
			return b;
	}
	b = must(calloc(1, sizeof(*b)));
	b->key = key;
	b->label.key = whole;
	b->label.why = intent_why(rec);
	map_put(&s->map, b);
	name_note_file(whole.dev, whole.ino, whole.gen);
	if (whole.cgroup)
		name_cgroup(whole.cgroup);
	return b;
}

/**
 * blamed_add - add an IO, or a further part of one
 * @s:	      the sums
 * @rec:      the record
 * @cached:   the disk has a volatile cache, so that it gets flushes
 * @since_ns: when the interval began: what was before does not count as busy
 */
void blamed_add(struct blamed_sums *s, const struct iob_iolog_bin_record *rec, bool cached,
		uint64_t since_ns)
{
	struct blamed *b = find_sum(s, rec);
	enum diskstats_op op = stat_op(rec, cached);
	uint64_t from = rec->queue_ns > since_ns ? rec->queue_ns : since_ns;

	if (rec->op == OP_FLUSH && op != STAT_FLUSH && !rec->part)
		b->ios[STAT_FLUSH]++;
	b->bytes[op] += rec->bytes;
	if (rec->queue_ns && from < rec->complete_ns)
		spans_add(&b->busy, from, rec->complete_ns);
	if (rec->part)
		return;
	b->ios[op]++;
	b->merges[op] += rec->nr_bios ? rec->nr_bios - 1 : 0;
	/* of IO that was under way when ioblame was switched on, it is not known */
	if (rec->queue_ns) {
		b->timed[op]++;
		b->ns[op] += rec_total_ns(rec);
	}
	b->errors += rec->error != 0;
	b->lost_ios += rec->how == IOB_HOW_LOST;
}

uint64_t blamed_ios(const struct blamed *b)
{
	return b->ios[STAT_READ] + b->ios[STAT_WRITE] + b->ios[STAT_DISCARD];
}

/* The sums of a disk, in no order, allocated.  Return: their number. */
unsigned int blamed_list(const struct blamed_sums *s, uint32_t disk, struct blamed ***list)
{
	struct blamed **to = must(malloc((s->map.nr + 1) * sizeof(*to))), *b;
	unsigned int nr = 0;
	size_t i;

	map_for_each(&s->map, i, b) {
		if (b->key.disk == disk)
			to[nr++] = b;
	}
	*list = to;
	return nr;
}

/* All sums of a disk together, but for the time that it was busy. */
void blamed_total(const struct blamed_sums *s, uint32_t disk, struct blamed *total)
{
	struct blamed *b;
	unsigned int op;
	size_t i;

	memset(total, 0, sizeof(*total));
	map_for_each(&s->map, i, b) {
		if (b->key.disk != disk)
			continue;
		for (op = 0; op < STAT_OPS; op++) {
			total->ios[op] += b->ios[op];
			total->merges[op] += b->merges[op];
			total->bytes[op] += b->bytes[op];
			total->ns[op] += b->ns[op];
			total->timed[op] += b->timed[op];
		}
		total->errors += b->errors;
		total->lost_ios += b->lost_ios;
	}
}

/* Hold the names of all sums: for name_held_by(). */
void blamed_hold_names(const void *sums)
{
	const struct blamed_sums *s = sums;
	struct blamed *b;
	size_t i;

	map_for_each(&s->map, i, b)
		agg_hold_label(&b->label);
}

static void free_sum(void *sum)
{
	struct blamed *b = sum;

	spans_clear(&b->busy);
	free(b);
}

void blamed_clear(struct blamed_sums *s)
{
	map_clear(&s->map, free_sum);
}

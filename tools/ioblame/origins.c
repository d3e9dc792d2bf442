// SPDX-License-Identifier: GPL-2.0
/*
 * A place is 1 MiB of a disk.  A record is in a list for each place that it touches, so an event
 * is compared with the records of its place only, and of them with those that were not complete
 * long before.  Records of more places, such as large discards, are in a list of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "origins.h"
#include "rec.h"

enum {
	PLACE_BITS = 11,		/* sectors of 512 bytes */
	PLACES_MAX = 16,		/* of a record that is listed by place */
	HEADS = 1 << 14,
};

static uint32_t *list_of(const struct origins *o, uint32_t disk, uint64_t place)
{
	uint64_t h = (place ^ (uint64_t)disk << 40) * 0x9e3779b97f4a7c15ULL;

	return &o->head[h >> 50];
}

static void add_node(struct origins *o, uint32_t *list, uint32_t rec)
{
	uint64_t until_ns = o->rec[rec].complete_ns;

	if (o->nr_nodes == o->node_size) {
		o->node_size = o->node_size ? o->node_size * 2 : 1024;
		o->node = must(realloc(o->node, o->node_size * sizeof(*o->node)));
	}
	if (*list && o->node[*list - 1].until_ns > until_ns)
		until_ns = o->node[*list - 1].until_ns;
	o->node[o->nr_nodes] = (struct origins_node){ rec, *list, until_ns };
	*list = ++o->nr_nodes;
}

static uint64_t end_of(const struct iob_iolog_bin_record *rec)
{
	return rec->sector + (rec->bytes + 511) / 512;
}

static void add_to_lists(struct origins *o, uint32_t nr)
{
	const struct iob_iolog_bin_record *rec = &o->rec[nr];
	uint64_t place = rec->sector >> PLACE_BITS, last;

	if (!rec->bytes) {
		add_node(o, &o->flushes, nr);
		return;
	}
	last = (end_of(rec) - 1) >> PLACE_BITS;
	if (last - place >= PLACES_MAX) {
		add_node(o, &o->wide, nr);
		return;
	}
	for (; place <= last; place++)
		add_node(o, list_of(o, rec->disk, place), nr);
}

/* Add a record. */
void origins_add(struct origins *o, const struct iob_iolog_bin_record *rec)
{
	if (!o->head)
		o->head = must(calloc(HEADS, sizeof(*o->head)));
	if (o->nr == o->size) {
		o->size = o->size ? o->size * 2 : 1024;
		o->rec = must(realloc(o->rec, o->size * sizeof(*o->rec)));
	}
	o->rec[o->nr] = *rec;
	add_to_lists(o, o->nr++);
}

/* How far a time is outside of the record's. */
static uint64_t distance(const struct iob_iolog_bin_record *rec, uint64_t ns)
{
	if (ns < rec->queue_ns)
		return rec->queue_ns - ns;
	return ns > rec->complete_ns ? ns - rec->complete_ns : 0;
}

static bool has_sectors(const struct iob_iolog_bin_record *rec, const struct origins_query *q)
{
	if (rec->disk != q->disk)
		return false;
	if (!q->sectors)
		return !rec->bytes || rec->op == OP_FLUSH;
	return rec->bytes && rec->sector < q->sector + q->sectors && q->sector < end_of(rec);
}

static bool same_origin(const struct iob_iolog_bin_record *a, const struct iob_iolog_bin_record *b)
{
	return a->id == b->id && a->role_kind == b->role_kind && a->cgroup == b->cgroup &&
	       !memcmp(a->comm, b->comm, sizeof(a->comm));
}

/* Whether @a is the better answer: nearer in time, then the first sector, then the task. */
static bool is_better(const struct iob_iolog_bin_record *a, const struct iob_iolog_bin_record *b,
		      const struct origins_query *q)
{
	uint64_t far_a = distance(a, q->ns), far_b = distance(b, q->ns);
	bool first_a = q->sector >= a->sector && q->sector < end_of(a);
	bool first_b = q->sector >= b->sector && q->sector < end_of(b);

	if (far_a != far_b)
		return far_a < far_b;
	if (first_a != first_b)
		return first_a;
	if (a->sub_pid != b->sub_pid && (a->sub_pid == q->pid || b->sub_pid == q->pid))
		return a->sub_pid == q->pid;
	return a->queue_ns > b->queue_ns;
}

/* Look through a list; what is found goes to @found, up to @max. */
static size_t look_through(const struct origins *o, uint32_t list, const struct origins_query *q,
			   const struct iob_iolog_bin_record **found, size_t nr, size_t max)
{
	size_t i;

	for (; list; list = o->node[list - 1].next) {
		const struct origins_node *node = &o->node[list - 1];
		const struct iob_iolog_bin_record *rec = &o->rec[node->rec];

		/* all that follow are older: on one place there may be the IO of a second */
		if (node->until_ns + q->slack_ns < q->ns)
			break;
		if (!has_sectors(rec, q) || distance(rec, q->ns) > q->slack_ns)
			continue;
		/* a record may be in the lists of several places */
		for (i = 0; i < nr && found[i] != rec; i++)
			;
		if (i == nr && nr < max)
			found[nr++] = rec;
	}
	return nr;
}

/**
 * origins_find - find the record to which an event belongs
 * @o:     the records
 * @q:     the event
 * @found: the best answer, and how many other originators have some of its sectors
 */
void origins_find(const struct origins *o, const struct origins_query *q,
		  struct origins_found *found)
{
	const struct iob_iolog_bin_record *all[64], *best = NULL;
	uint64_t place = q->sector >> PLACE_BITS, last;
	size_t nr, i, k;

	memset(found, 0, sizeof(*found));
	if (!o->nr)
		return;
	nr = look_through(o, q->sectors ? o->wide : o->flushes, q, all, 0, 64);
	last = q->sectors ? (q->sector + q->sectors - 1) >> PLACE_BITS : place;
	for (i = 0; i < PLACES_MAX && place <= last; i++, place++)
		nr = look_through(o, *list_of(o, q->disk, place), q, all, nr, 64);
	for (i = 0; i < nr; i++) {
		if (!best || is_better(all[i], best, q))
			best = all[i];
	}
	found->rec = best;
	for (i = 0; i < nr; i++) {
		if (distance(all[i], q->ns) != distance(best, q->ns) || same_origin(all[i], best))
			continue;
		for (k = 0; k < i && !(same_origin(all[k], all[i]) &&
				       distance(all[k], q->ns) == distance(best, q->ns)); k++)
			;
		found->others += k == i;
	}
}

/* Forget records that were complete before. */
void origins_forget(struct origins *o, uint64_t before_ns)
{
	size_t i, kept = 0;

	for (i = 0; i < o->nr; i++)
		kept += o->rec[i].complete_ns >= before_ns;
	/* the lists are made anew, so not for a few */
	if (kept * 2 > o->nr || o->nr < 4096)
		return;
	for (i = 0, kept = 0; i < o->nr; i++) {
		if (o->rec[i].complete_ns >= before_ns)
			o->rec[kept++] = o->rec[i];
	}
	o->nr = kept;
	o->nr_nodes = 0;
	o->wide = 0;
	o->flushes = 0;
	memset(o->head, 0, HEADS * sizeof(*o->head));
	for (i = 0; i < o->nr; i++)
		add_to_lists(o, i);
}

void origins_clear(struct origins *o)
{
	free(o->rec);
	free(o->node);
	free(o->head);
	memset(o, 0, sizeof(*o));
}

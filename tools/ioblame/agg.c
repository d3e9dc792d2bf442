// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "choice.h"
#include "hist.h"
#include "intent.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "rec.h"

void agg_init(struct agg *agg, enum field field)
{
	memset(agg, 0, sizeof(*agg));
	agg->atoms.key_len = sizeof(struct atom_key);
	agg->field = field;
}

static void make_key(struct atom_key *key, const struct iob_iolog_bin_record *rec)
{
	memset(key, 0, sizeof(*key));
	key->ino = rec->ino;
	key->cgroup = rec->cgroup;
	key->dev = rec->dev;
	key->gen = rec->gen;
	key->disk = rec->disk;
	key->intent = rec->intent_nr;
	key->who = rec->role_kind == ROLE_USER ? -(uint32_t)rec->id :
		   rec->tgid ? rec->tgid : (uint32_t)rec->id;
	key->sub_pid = rec->sub_pid;
	key->op = rec->op;
	key->how = rec->how;
	key->kind = rec->role_kind;
	key->modifier = rec->modifier;
}

/* The key of what is put together to have room. */
static void widen_key(struct atom_key *key, enum rest rest)
{
	key->ino = 0;
	key->gen = 0;
	key->intent = 0;
	key->modifier = 0;
	key->sub_pid = 0;
	key->rest = rest;
	if (rest == REST_FILE)
		return;
	key->who = 0;
	key->cgroup = 0;
	key->kind = ROLE_SPECIAL;
	key->dev = 0;
}

static struct atom *new_atom(struct map *map, const struct atom_key *key, const char *why)
{
	struct atom *atom = must(calloc(1, sizeof(*atom)));

	atom->key = *key;
	atom->why = key->rest ? "-" : why;
	map_put(map, atom);
	return atom;
}

static void free_atom(void *value)
{
	struct atom *atom = value;

	hist_few_free(&atom->hist);
	free(atom);
}

static uint64_t value_of(enum field field, const struct iob_iolog_bin_record *rec)
{
	switch (field) {
	case FIELD_SIZE:
		return rec->bytes;
	case FIELD_WAIT:
		return rec_wait_ns(rec);
	case FIELD_IO:
		return rec_io_ns(rec);
	case FIELD_AGE:
		return rec_age_ns(rec);
	default:
		return rec_total_ns(rec);
	}
}

/* The atom of a record; where there is no room, a wider one. */
static struct atom *find_atom(struct agg *agg, const struct iob_iolog_bin_record *rec)
{
	struct atom_key key;
	struct atom *atom;

	make_key(&key, rec);
	atom = map_get(&agg->atoms, &key);
	if (atom)
		return atom;
	if (agg->atoms.nr >= AGG_ATOMS) {
		agg->folded++;
		widen_key(&key, REST_FILE);
		atom = map_get(&agg->atoms, &key);
		/* and if it is the originators that are so many */
		if (!atom && agg->atoms.nr >= AGG_ATOMS + AGG_ATOMS / 4) {
			widen_key(&key, REST_ALL);
			atom = map_get(&agg->atoms, &key);
		}
		if (atom)
			return atom;
	}
	atom = new_atom(&agg->atoms, &key, intent_why(rec));
	/* now, while file and cgroup are there */
	if (!key.rest)
		name_note_file(key.dev, key.ino, key.gen);
	if (key.cgroup)
		name_cgroup(key.cgroup);
	return atom;
}

/* Sum up an IO, or the part of one. */
void agg_add(struct agg *agg, const struct iob_iolog_bin_record *rec)
{
	struct atom *atom = find_atom(agg, rec);

	/* a process that executes another program changes its name */
	memcpy(atom->comm, rec->comm, sizeof(atom->comm));
	memcpy(atom->sub_comm, rec->sub_comm, sizeof(atom->sub_comm));
	atom->last_ns = rec->complete_ns;
	atom->ios++;
	atom->bytes += rec->bytes;
	atom->errors += rec->error != 0;
	atom->total_ns += rec_total_ns(rec);
	if (agg->field != FIELD_AGE || rec->dirty_ns)
		hist_few_add(&atom->hist, hist_slot(value_of(agg->field, rec)), 1);
	agg->ios += !rec->part;
	agg->records++;
}

/* Bytes count, and what has none a little. */
static uint64_t weight(const struct atom *atom)
{
	return atom->bytes + atom->ios;
}

/* The least first; of those that weigh the same, what was seen least lately. */
static int compare_atoms(const void *va, const void *vb)
{
	const struct atom *a = *(struct atom **)va, *b = *(struct atom **)vb;

	if (weight(a) != weight(b))
		return weight(a) < weight(b) ? -1 : 1;
	return (a->last_ns > b->last_ns) - (a->last_ns < b->last_ns);
}

/* Mark the lighter half of those of one kind. */
static void mark_lighter(const struct map *map, enum rest rest)
{
	struct atom **atoms = must(malloc((map->nr + 1) * sizeof(*atoms))), *atom;
	size_t i, nr = 0;

	map_for_each(map, i, atom) {
		if (atom->key.rest == rest)
			atoms[nr++] = atom;
	}
	qsort(atoms, nr, sizeof(*atoms), compare_atoms);
	for (i = 0; i < nr / 2; i++)
		atoms[i]->widen = true;
	free(atoms);
}

static void merge_atom(struct atom *to, struct atom *from)
{
	if (to->key.rest != REST_ALL && to->last_ns <= from->last_ns)
		memcpy(to->comm, from->comm, sizeof(to->comm));
	if (to->last_ns < from->last_ns)
		to->last_ns = from->last_ns;
	to->ios += from->ios;
	to->bytes += from->bytes;
	to->errors += from->errors;
	to->total_ns += from->total_ns;
	hist_few_move(&to->hist, &from->hist);
	free_atom(from);
}

/* Put the lighter half of those of one kind into wider ones. */
static void widen_lighter(struct agg *agg, enum rest rest)
{
	struct map old = agg->atoms;
	struct atom *atom, *to;
	struct atom_key key;
	size_t i;

	mark_lighter(&old, rest);
	map_like(&agg->atoms, &old);
	map_for_each(&old, i, atom) {
		key = atom->key;
		if (atom->widen) {
			widen_key(&key, rest + 1);
			agg->folded += rest == REST_NONE ? atom->ios : 0;
		}
		to = map_get(&agg->atoms, &key);
		if (to)
			merge_atom(to, atom);
		else if (atom->widen)
			merge_atom(new_atom(&agg->atoms, &key, NULL), atom);
		else
			map_put(&agg->atoms, atom);
	}
	map_clear(&old, NULL);
}

/**
 * agg_squeeze - have room for what will come
 * @agg: the sums; no rows of them are in use
 *
 * Does nothing while there is enough.
 */
void agg_squeeze(struct agg *agg)
{
	if (agg->atoms.nr < AGG_ATOMS / 4 * 3)
		return;
	widen_lighter(agg, REST_NONE);
	if (agg->atoms.nr >= AGG_ATOMS / 4 * 3)
		widen_lighter(agg, REST_FILE);
}

/* Forget what was summed up. */
void agg_clear(struct agg *agg)
{
	map_clear(&agg->atoms, free_atom);
	agg->folded = 0;
	agg->ios = 0;
	agg->records = 0;
}

#define ORDER(a, b)	(((a) > (b)) - ((a) < (b)))
#define MIX(h, v)	(((h) ^ (uint64_t)(v)) * 0x9e3779b97f4a7c15ULL)

static unsigned int kind_of(const struct atom *a)
{
	return a->key.kind == ROLE_THREAD ? ROLE_PROCESS : a->key.kind;
}

static int by_process(const struct atom *a, const struct atom *b)
{
	int d = ORDER(kind_of(a), kind_of(b));

	if (!d)
		d = ORDER(a->key.who, b->key.who);
	if (!d && a->key.kind == ROLE_CGROUP)
		d = ORDER(a->key.cgroup, b->key.cgroup);
	return d ? d : ORDER(a->key.rest == REST_ALL, b->key.rest == REST_ALL);
}

static uint64_t of_process(const struct atom *a)
{
	return MIX(kind_of(a), a->key.who);
}

static int by_file(const struct atom *a, const struct atom *b)
{
	int d = ORDER(a->key.rest != REST_NONE, b->key.rest != REST_NONE);

	/* what has no room is one row, of whatever device */
	if (d || a->key.rest)
		return d;
	d = ORDER(a->key.dev, b->key.dev);
	if (!d)
		d = ORDER(a->key.ino, b->key.ino);
	return d ? d : ORDER(a->key.gen, b->key.gen);
}

static uint64_t of_file(const struct atom *a)
{
	return a->key.rest ? 0 : MIX(MIX(a->key.dev, a->key.ino), a->key.gen);
}

static int by_device(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.disk, b->key.disk);
}

static uint64_t of_device(const struct atom *a)
{
	return a->key.disk;
}

static int by_cgroup(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.cgroup, b->key.cgroup);
}

static uint64_t of_cgroup(const struct atom *a)
{
	return a->key.cgroup;
}

static int by_stack(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.intent, b->key.intent);
}

static uint64_t of_stack(const struct atom *a)
{
	return a->key.intent;
}

static int by_op(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.op, b->key.op);
}

static uint64_t of_op(const struct atom *a)
{
	return a->key.op;
}

static int by_why(const struct atom *a, const struct atom *b)
{
	return strcmp(a->why, b->why);
}

static uint64_t of_why(const struct atom *a)
{
	const char *s;
	uint64_t h = 0;

	for (s = a->why; *s; s++)
		h = MIX(h, *s);
	return h;
}

static int by_via(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.sub_pid, b->key.sub_pid);
}

static uint64_t of_via(const struct atom *a)
{
	return a->key.sub_pid;
}

/* What rows may stand for: which of two comes first (0: the same row), and a hash */
struct aspect {
	int (*order)(const struct atom *a, const struct atom *b);
	uint64_t (*hash)(const struct atom *a);
};

static const struct aspect aspects[NR_PIVOTS] = {
	[BY_PROCESS] = { by_process, of_process }, [BY_FILE] = { by_file, of_file },
	[BY_DEVICE] = { by_device, of_device }, [BY_CGROUP] = { by_cgroup, of_cgroup },
	[BY_STACK] = { by_stack, of_stack }, [BY_OP] = { by_op, of_op },
	[BY_WHY] = { by_why, of_why },
};

static const struct aspect via = { by_via, of_via };

/* Atoms that are the same in one aspect, by number from 0 */
struct groups {
	const struct aspect *aspect;
	const struct atom **first;	/* of each group */
	uint64_t *sum;
	unsigned int nr, size;
	unsigned int *slot;		/* twice @size, a power of two: group + 1 */
};

static void groups_init(struct groups *g, const struct aspect *aspect)
{
	memset(g, 0, sizeof(*g));
	g->aspect = aspect;
}

static unsigned int *find_slot(const struct groups *g, const struct atom *a)
{
	uint64_t h = MIX(g->aspect->hash(a), 0);

	for (h ^= h >> 32;; h++) {
		unsigned int *slot = &g->slot[h & (2 * g->size - 1)];

		if (!*slot || !g->aspect->order(g->first[*slot - 1], a))
			return slot;
	}
}

static void groups_grow(struct groups *g)
{
	unsigned int i;

	g->size = g->size ? g->size * 2 : 16;
	g->first = must(realloc(g->first, g->size * sizeof(*g->first)));
	g->sum = must(realloc(g->sum, g->size * sizeof(*g->sum)));
	free(g->slot);
	g->slot = must(calloc(2 * g->size, sizeof(*g->slot)));
	for (i = 0; i < g->nr; i++)
		*find_slot(g, g->first[i]) = i + 1;
}

static unsigned int group_of(struct groups *g, const struct atom *a)
{
	unsigned int *slot;

	if (g->nr == g->size)
		groups_grow(g);
	slot = find_slot(g, a);
	if (!*slot) {
		g->first[g->nr] = a;
		g->sum[g->nr] = 0;
		*slot = ++g->nr;
	}
	return *slot - 1;
}

static void groups_free(struct groups *g)
{
	free(g->first);
	free(g->sum);
	free(g->slot);
}

/* The one with most weight of those that are the same; how many there are. */
static const struct atom *heaviest(const struct row *row, const struct aspect *aspect,
				   unsigned int *nr)
{
	const struct atom *a, *best;
	struct groups g;
	unsigned int i, at = 0;

	groups_init(&g, aspect);
	for (a = row->atoms; a; a = a->next) {
		i = group_of(&g, a);
		g.sum[i] += weight(a);
	}
	for (i = 1; i < g.nr; i++) {
		if (g.sum[i] > g.sum[at])
			at = i;
	}
	best = g.first[at];
	if (nr)
		*nr = g.nr;
	groups_free(&g);
	return best;
}

/**
 * agg_more - all of a row
 * @row:  the row
 * @more: gets it
 */
void agg_more(const struct row *row, struct row_more *more)
{
	more->lead = heaviest(row, &aspects[BY_PROCESS], NULL);
	more->file = heaviest(row, &aspects[BY_FILE], &more->files);
	more->why = heaviest(row, &aspects[BY_WHY], NULL);
	more->disk = heaviest(row, &aspects[BY_DEVICE], NULL);
	more->cgroup = heaviest(row, &aspects[BY_CGROUP], NULL);
	more->via = heaviest(row, &via, NULL);
	more->stack = heaviest(row, &aspects[BY_STACK], NULL);
	agg_hist(row, &more->hist);
}

/* How a row's values are spread. */
void agg_hist(const struct row *row, struct hist *hist)
{
	const struct atom *a;

	memset(hist, 0, sizeof(*hist));
	for (a = row->atoms; a; a = a->next)
		hist_few_sum(hist, &a->hist);
}

static enum row_op row_op(unsigned char op)
{
	switch (op) {
	case OP_WRITE:
		return ROW_WRITE;
	case OP_DISCARD:
		return ROW_DISCARD;
	case OP_FLUSH:
		return ROW_FLUSH;
	default:
		return ROW_READ;
	}
}

static void add_atom(struct row *row, struct atom *a)
{
	enum row_op op = row_op(a->key.op);

	a->next = row->atoms;
	row->atoms = a;
	row->ios[op] += a->ios;
	row->bytes[op] += a->bytes;
	row->all_ios += a->ios;
	row->all_bytes += a->bytes;
	row->errors += a->errors;
	row->total_ns += a->total_ns;
}

static uint64_t sort_value(const struct row *row, enum sort sort)
{
	struct hist hist;

	switch (sort) {
	case SORT_IOS:
		return row->all_ios;
	case SORT_READ:
		return row->bytes[ROW_READ];
	case SORT_WRITTEN:
		return row->bytes[ROW_WRITE];
	case SORT_P99:
		agg_hist(row, &hist);
		return hist_percentile(&hist, 0.99);
	case SORT_TIME:
		return row->total_ns;
	default:
		return row->all_bytes;
	}
}

static const struct aspect *aspect_now;

static int compare_rows(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	int d = ORDER(b->sort, a->sort);

	if (!d)
		d = ORDER(b->all_ios, a->all_ios);
	/* the rest only keeps rows in their places */
	return d ? d : aspect_now->order(a->atoms, b->atoms);
}

/* Whether two belong to the same row. */
bool agg_same(enum pivot by, const struct atom *a, const struct atom *b)
{
	return !aspects[by].order(a, b);
}

/**
 * agg_rows - put atoms together
 * @agg:  what was summed up; rows are good until it changes, or until its rows
 *	  are asked for again
 * @by:   what a row stands for
 * @sort: the largest comes first
 * @rows: gets them, to be freed
 *
 * Return: how many.
 */
size_t agg_rows(const struct agg *agg, enum pivot by, enum sort sort, struct row **rows)
{
	struct row *row = NULL;
	size_t i, nr, size = 0;
	struct groups g;
	struct atom *atom;

	groups_init(&g, &aspects[by]);
	map_for_each(&agg->atoms, i, atom) {
		nr = group_of(&g, atom);
		if (g.size > size) {
			row = must(realloc(row, g.size * sizeof(*row)));
			memset(row + size, 0, (g.size - size) * sizeof(*row));
			size = g.size;
		}
		add_atom(&row[nr], atom);
	}
	nr = g.nr;
	groups_free(&g);
	for (i = 0; i < nr; i++)
		row[i].sort = sort_value(&row[i], sort);
	aspect_now = &aspects[by];
	if (nr)
		qsort(row, nr, sizeof(*row), compare_rows);
	*rows = row;
	return nr;
}

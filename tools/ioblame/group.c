// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "choice.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "rec.h"

#define ORDER(a, b)	(((a) > (b)) - ((a) < (b)))
#define MIX(h, v)	(((h) ^ (uint64_t)(v)) * 0x9e3779b97f4a7c15ULL)

static unsigned int role_kind_of(const struct atom *a)
{
	return a->key.kind == ROLE_THREAD ? ROLE_PROCESS : a->key.kind;
}

static int order_by_process(const struct atom *a, const struct atom *b)
{
	int d = ORDER(role_kind_of(a), role_kind_of(b));

	if (!d)
		d = ORDER(a->key.who, b->key.who);
	if (!d && a->key.kind == ROLE_CGROUP)
		d = ORDER(a->key.cgroup, b->key.cgroup);
	return d ? d : ORDER(a->key.rest == REST_ALL, b->key.rest == REST_ALL);
}

static uint64_t hash_of_process(const struct atom *a)
{
	return MIX(role_kind_of(a), a->key.who);
}

static int order_by_comm(const struct atom *a, const struct atom *b)
{
	return memcmp(a->key.comm, b->key.comm, sizeof(a->key.comm));
}

static uint64_t hash_of_comm(const struct atom *a)
{
	uint64_t h = 0;
	size_t i;

	for (i = 0; i < sizeof(a->key.comm); i++)
		h = MIX(h, a->key.comm[i]);
	return h;
}

static int order_by_file(const struct atom *a, const struct atom *b)
{
	int d = ORDER(a->key.rest != REST_NONE, b->key.rest != REST_NONE);

	/* atoms that lost their file are one row, of all devices */
	if (d || a->key.rest)
		return d;
	d = ORDER(a->key.dev, b->key.dev);
	if (!d)
		d = ORDER(a->key.ino, b->key.ino);
	return d ? d : ORDER(a->key.gen, b->key.gen);
}

static uint64_t hash_of_file(const struct atom *a)
{
	return a->key.rest ? 0 : MIX(MIX(a->key.dev, a->key.ino), a->key.gen);
}

static int order_by_device(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.disk, b->key.disk);
}

static uint64_t hash_of_device(const struct atom *a)
{
	return a->key.disk;
}

static int order_by_cgroup(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.cgroup, b->key.cgroup);
}

static uint64_t hash_of_cgroup(const struct atom *a)
{
	return a->key.cgroup;
}

static int order_by_stack(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.intent, b->key.intent);
}

static uint64_t hash_of_stack(const struct atom *a)
{
	return a->key.intent;
}

static int order_by_op(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.op, b->key.op);
}

static uint64_t hash_of_op(const struct atom *a)
{
	return a->key.op;
}

static int order_by_why(const struct atom *a, const struct atom *b)
{
	return strcmp(a->why, b->why);
}

static uint64_t hash_of_why(const struct atom *a)
{
	const char *s;
	uint64_t h = 0;

	for (s = a->why; *s; s++)
		h = MIX(h, *s);
	return h;
}

/* The thread; where it is not known, all of the process. */
static int order_by_thread(const struct atom *a, const struct atom *b)
{
	int d = order_by_process(a, b);

	return d ? d : ORDER(a->key.tid, b->key.tid);
}

static uint64_t hash_of_thread(const struct atom *a)
{
	return MIX(hash_of_process(a), a->key.tid);
}

static int order_by_flags(const struct atom *a, const struct atom *b)
{
	int d = ORDER(a->key.op, b->key.op);

	return d ? d : ORDER(a->key.flags, b->key.flags);
}

static uint64_t hash_of_flags(const struct atom *a)
{
	return MIX(a->key.op, a->key.flags);
}

static int order_by_queue(const struct atom *a, const struct atom *b)
{
	int d = ORDER(a->key.disk, b->key.disk);

	return d ? d : ORDER(a->key.hwq, b->key.hwq);
}

static uint64_t hash_of_queue(const struct atom *a)
{
	return MIX(a->key.disk, a->key.hwq);
}

/* Disks with one scheduler are one row. */
static int order_by_sched(const struct atom *a, const struct atom *b)
{
	if (a->key.disk == b->key.disk)
		return 0;
	return strcmp(name_sched(a->key.disk), name_sched(b->key.disk));
}

static uint64_t hash_of_sched(const struct atom *a)
{
	const char *s;
	uint64_t h = 0;

	for (s = name_sched(a->key.disk); *s; s++)
		h = MIX(h, *s);
	return h;
}

/* The process of an atom, 0 if it is of none. */
uint32_t group_process(const struct atom *a)
{
	return a->key.kind <= ROLE_PROCESS && a->key.rest != REST_ALL ? a->key.who : 0;
}

static uint64_t hash_of_text(const char *s)
{
	uint64_t h = 0;

	for (; *s; s++)
		h = MIX(h, *s);
	return h;
}

static const char *user_of(const struct atom *a)
{
	return name_user(group_process(a), a->key.comm);
}

static const char *command_of(const struct atom *a)
{
	return name_command(group_process(a), a->key.comm);
}

/* Both would be one look-up, and the second may free what the first has returned. */
static bool is_one_process(const struct atom *a, const struct atom *b)
{
	return group_process(a) == group_process(b) && !order_by_comm(a, b);
}

static int order_by_user(const struct atom *a, const struct atom *b)
{
	if (is_one_process(a, b))
		return 0;
	return strcmp(user_of(a), user_of(b));
}

static uint64_t hash_of_user(const struct atom *a)
{
	return hash_of_text(user_of(a));
}

/* Processes with one command line are one row; those without, one for each name. */
static int order_by_command(const struct atom *a, const struct atom *b)
{
	const char *x, *y;

	if (is_one_process(a, b))
		return 0;
	x = command_of(a);
	y = command_of(b);
	if (!x || !y)
		return !x && !y ? order_by_comm(a, b) : ORDER(!x, !y);
	return strcmp(x, y);
}

static uint64_t hash_of_command(const struct atom *a)
{
	const char *text = command_of(a);

	return text ? hash_of_text(text) : hash_of_comm(a);
}

static int order_by_via(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.sub_pid, b->key.sub_pid);
}

static uint64_t hash_of_via(const struct atom *a)
{
	return a->key.sub_pid;
}

/* A property that rows can stand for: an order of atoms (0: same row), and a hash */
struct aspect {
	int (*order)(const struct atom *a, const struct atom *b);
	uint64_t (*hash)(const struct atom *a);
};

static const struct aspect aspects[NR_PIVOTS] = {
	[BY_PROCESS] = { order_by_process, hash_of_process },
	[BY_FILE] = { order_by_file, hash_of_file },
	[BY_DEVICE] = { order_by_device, hash_of_device },
	[BY_CGROUP] = { order_by_cgroup, hash_of_cgroup },
	[BY_STACK] = { order_by_stack, hash_of_stack },
	[BY_OP] = { order_by_op, hash_of_op },
	[BY_WHY] = { order_by_why, hash_of_why },
	[BY_THREAD] = { order_by_thread, hash_of_thread },
	[BY_FLAGS] = { order_by_flags, hash_of_flags },
	[BY_QUEUE] = { order_by_queue, hash_of_queue },
	[BY_SCHED] = { order_by_sched, hash_of_sched },
	[BY_USER] = { order_by_user, hash_of_user },
	[BY_COMMAND] = { order_by_command, hash_of_command },
};

static const struct aspect via = { order_by_via, hash_of_via };
static const struct aspect comm = { order_by_comm, hash_of_comm };

/* Groups of atoms that agree in one aspect, numbered from 0 */
struct groups {
	const struct aspect *aspect;
	const struct atom **first;	/* of each group */
	uint64_t *sum;
	unsigned int nr, size;
	unsigned int *slot;		/* 2 * @size, a power of two; a group's number + 1, or 0 */
};

static void groups_init(struct groups *g, const struct aspect *aspect)
{
	memset(g, 0, sizeof(*g));
	g->aspect = aspect;
}

static unsigned int *group_slot(const struct groups *g, const struct atom *a)
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
		*group_slot(g, g->first[i]) = i + 1;
}

static unsigned int group_of(struct groups *g, const struct atom *a)
{
	unsigned int *slot;

	if (g->nr == g->size)
		groups_grow(g);
	slot = group_slot(g, a);
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

/*
 * The first atom of the heaviest group of a row, and the number of groups.  With @process:
 * of its atoms only.
 */
static const struct atom *heaviest_of(const struct row *row, const struct aspect *aspect,
				      const struct atom *process, unsigned int *nr)
{
	const struct atom *a, *best;
	struct groups g;
	unsigned int i, at = 0;

	groups_init(&g, aspect);
	for (a = row->atoms; a; a = a->next) {
		if (process && order_by_process(process, a))
			continue;
		i = group_of(&g, a);
		g.sum[i] += agg_weight(a);
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

static const struct atom *heaviest_atom(const struct row *row, const struct aspect *aspect,
					unsigned int *nr)
{
	return heaviest_of(row, aspect, NULL, nr);
}

/**
 * group_more - find what a row has besides sums
 * @row:  the row
 * @more: the result
 */
void group_more(const struct row *row, struct row_more *more)
{
	/* a process that did IO under several names has the name of most of it */
	more->lead = heaviest_of(row, &comm, heaviest_atom(row, &aspects[BY_PROCESS], NULL),
				 NULL);
	more->file = heaviest_atom(row, &aspects[BY_FILE], &more->files);
	more->why = heaviest_atom(row, &aspects[BY_WHY], NULL);
	more->disk = heaviest_atom(row, &aspects[BY_DEVICE], NULL);
	more->cgroup = heaviest_atom(row, &aspects[BY_CGROUP], NULL);
	more->via = heaviest_atom(row, &via, NULL);
	more->stack = heaviest_atom(row, &aspects[BY_STACK], NULL);
	group_hist(row, &more->hist);
}

/* The sum of what the histogram of a row counts. */
__uint128_t group_sum(const struct row *row)
{
	const struct atom *a;
	__uint128_t sum = 0;

	for (a = row->atoms; a; a = a->next)
		sum += a->sum;
	return sum;
}

/* The histogram of a row. */
void group_hist(const struct row *row, struct hist *hist)
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

static void add_atom_to_row(struct row *row, struct atom *a, enum pivot by)
{
	enum row_op op = row_op(a->key.op);

	a->next = row->atoms;
	row->atoms = a;
	row->ios[op] += a->ios;
	row->bytes[op] += a->bytes;
	row->all_ios += a->ios;
	row->all_bytes += a->bytes;
	row->errors += agg_errors(a, by);
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
		group_hist(row, &hist);
		return hist_time_percentile(&hist, 0.99);
	case SORT_TIME:
		return row->total_ns;
	default:
		return row->all_bytes;
	}
}

/* The reason of an atom, which has all that it is made of. */
static const char *reason_of(const struct atom_key *key)
{
	const struct iob_iolog_bin_record rec = {
		.op = key->op, .role_kind = key->kind, .intent_nr = key->intent,
		.modifier = key->modifier, .ino = key->ino,
	};

	return intent_why(&rec);
}

/* A hash of the text that rows stand for. */
static uint64_t hash_of_row(enum pivot by, const struct atom *a)
{
	switch (by) {
	case BY_USER:
		return hash_of_user(a);
	case BY_COMMAND:
		return hash_of_command(a);
	default:
		return hash_of_text(reason_of(&a->key));
	}
}

static const struct aspect *aspect_now;

static int compare_rows(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	int d = ORDER(b->sort, a->sort);

	if (!d)
		d = ORDER(b->all_ios, a->all_ios);
	/* rows with equal sums keep their order */
	return d ? d : aspect_now->order(a->atoms, b->atoms);
}

/* Leave of a key what atoms of one row have in common. */
void group_narrow(enum pivot by, struct atom_key *key)
{
	const struct atom_key all = *key;
	const struct atom whole = { .key = all };
	uint64_t h;

	memset(key, 0, sizeof(*key));
	switch (by) {
	case BY_FILE:
		key->dev = all.dev;
		key->ino = all.ino;
		key->gen = all.gen;
		break;
	case BY_DEVICE:
		key->disk = all.disk;
		break;
	case BY_CGROUP:
		key->cgroup = all.cgroup;
		break;
	case BY_STACK:
		key->intent = all.intent;
		break;
	case BY_OP:
		key->op = all.op;
		break;
	case BY_FLAGS:
		key->op = all.op;
		key->flags = all.flags;
		break;
	case BY_QUEUE:
		key->disk = all.disk;
		key->hwq = all.hwq;
		break;
	case BY_SCHED:
		key->disk = all.disk;
		break;
	case BY_USER:
	case BY_COMMAND:
	case BY_WHY:
		h = hash_of_row(by, &whole);
		key->dev = h >> 32;
		key->gen = h;
		break;
	default:
		key->kind = all.kind == ROLE_THREAD ? ROLE_PROCESS : all.kind;
		key->who = all.who;
		key->tid = all.tid;
		key->cgroup = all.kind == ROLE_CGROUP ? all.cgroup : 0;
	}
	key->rest = all.rest;
}

/* True if two atoms belong to the same row. */
bool group_same(enum pivot by, const struct atom *a, const struct atom *b)
{
	return !aspects[by].order(a, b);
}

/**
 * group_rows - put atoms together into rows
 * @agg:  the sums; rows are valid until @agg changes, or until the next call
 * @by:   what a row stands for
 * @sort: the largest comes first
 * @rows: the rows, allocated
 *
 * Return: the number of rows.
 */
size_t group_rows(const struct agg *agg, enum pivot by, enum sort sort, struct row **rows)
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
		add_atom_to_row(&row[nr], atom, by);
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

// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "intent.h"
#include "msg.h"
#include "name.h"

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

static struct atom *new_atom(const struct atom_key *key,
			     const struct iob_iolog_bin_record *rec)
{
	struct atom *atom = must(calloc(1, sizeof(*atom)));

	atom->key = *key;
	atom->why = intent_why(rec);
	/* now, while file and cgroup are there */
	if (!key->rest)
		name_file(key->dev, key->ino, key->gen);
	if (key->cgroup)
		name_cgroup(key->cgroup);
	return atom;
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

/* Sum up an IO, or the part of one. */
void agg_add(struct agg *agg, const struct iob_iolog_bin_record *rec)
{
	struct atom_key key;
	struct atom *atom;

	make_key(&key, rec);
	atom = map_get(&agg->atoms, &key);
	if (!atom && agg->atoms.nr >= AGG_ATOMS) {
		agg->folded++;
		key.ino = 0;
		key.gen = 0;
		key.intent = 0;
		key.modifier = 0;
		key.sub_pid = 0;
		key.rest = 1;
		atom = map_get(&agg->atoms, &key);
		/* and if it is the originators that are so many */
		if (!atom && agg->atoms.nr >= AGG_ATOMS + AGG_ATOMS / 4) {
			key.who = 0;
			key.cgroup = 0;
			key.kind = ROLE_NOBODY;
			key.dev = 0;
			atom = map_get(&agg->atoms, &key);
		}
	}
	if (!atom) {
		atom = new_atom(&key, rec);
		map_put(&agg->atoms, atom);
	}
	/* a process that executes another program changes its name */
	memcpy(atom->comm, rec->comm, sizeof(atom->comm));
	memcpy(atom->sub_comm, rec->sub_comm, sizeof(atom->sub_comm));
	atom->ios++;
	atom->bytes += rec->bytes;
	atom->errors += rec->error != 0;
	atom->total_ns += rec_total_ns(rec);
	if (agg->field != FIELD_AGE || rec->dirty_ns)
		hist_add(&atom->hist, value_of(agg->field, rec));
	agg->ios += !rec->part;
	agg->records++;
}

/* Forget what was summed up. */
void agg_clear(struct agg *agg)
{
	map_clear(&agg->atoms, free);
	agg->folded = 0;
	agg->ios = 0;
	agg->records = 0;
}

#define ORDER(a, b)	(((a) > (b)) - ((a) < (b)))

/* Which of two comes first among what rows stand for; 0: the same row */
typedef int (*order_fn)(const struct atom *a, const struct atom *b);

static int by_process(const struct atom *a, const struct atom *b)
{
	int d = ORDER(a->key.kind == ROLE_THREAD ? ROLE_PROCESS : a->key.kind,
		      b->key.kind == ROLE_THREAD ? ROLE_PROCESS : b->key.kind);

	if (!d)
		d = ORDER(a->key.who, b->key.who);
	if (!d && a->key.kind == ROLE_CGROUP)
		d = ORDER(a->key.cgroup, b->key.cgroup);
	return d;
}

static int by_file(const struct atom *a, const struct atom *b)
{
	int d = ORDER(a->key.dev, b->key.dev);

	if (!d)
		d = ORDER(a->key.rest, b->key.rest);
	if (!d)
		d = ORDER(a->key.ino, b->key.ino);
	return d ? d : ORDER(a->key.gen, b->key.gen);
}

static int by_device(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.disk, b->key.disk);
}

static int by_cgroup(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.cgroup, b->key.cgroup);
}

static int by_stack(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.intent, b->key.intent);
}

static int by_op(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.op, b->key.op);
}

static int by_why(const struct atom *a, const struct atom *b)
{
	return strcmp(a->why, b->why);
}

static int by_via(const struct atom *a, const struct atom *b)
{
	return ORDER(a->key.sub_pid, b->key.sub_pid);
}

static const order_fn orders[NR_PIVOTS] = {
	[BY_PROCESS] = by_process, [BY_FILE] = by_file,
	[BY_DEVICE] = by_device, [BY_CGROUP] = by_cgroup,
	[BY_STACK] = by_stack, [BY_OP] = by_op, [BY_WHY] = by_why,
};

static order_fn order_now;

static int compare(const void *a, const void *b)
{
	return order_now(*(struct atom **)a, *(struct atom **)b);
}

static void sort_by(struct atom **atoms, size_t nr, order_fn order)
{
	order_now = order;
	qsort(atoms, nr, sizeof(*atoms), compare);
}

/* Bytes count, and what has none a little. */
static uint64_t weight(const struct atom *atom)
{
	return atom->bytes + atom->ios;
}

/* The one with most weight of those that are the same; how many there are. */
static const struct atom *heaviest(struct atom **atoms, size_t nr, order_fn order,
				   unsigned int *groups)
{
	const struct atom *best = atoms[0];
	uint64_t sum = 0, most = 0;
	unsigned int found = 0;
	size_t i;

	sort_by(atoms, nr, order);
	for (i = 0; i < nr; i++) {
		if (!i || order(atoms[i - 1], atoms[i])) {
			sum = 0;
			found++;
		}
		sum += weight(atoms[i]);
		if (sum > most) {
			most = sum;
			best = atoms[i];
		}
	}
	if (groups)
		*groups = found;
	return best;
}

static enum row_op row_op(unsigned char op)
{
	switch (op) {
	case 'W':
		return ROW_WRITE;
	case 'D':
		return ROW_DISCARD;
	case 'F':
		return ROW_FLUSH;
	default:
		return ROW_READ;
	}
}

static void fill_row(struct row *row, struct atom **atoms, size_t nr)
{
	size_t i;

	memset(row, 0, sizeof(*row));
	for (i = 0; i < nr; i++) {
		const struct atom *a = atoms[i];
		enum row_op op = row_op(a->key.op);

		row->ios[op] += a->ios;
		row->bytes[op] += a->bytes;
		row->all_ios += a->ios;
		row->all_bytes += a->bytes;
		row->errors += a->errors;
		row->total_ns += a->total_ns;
		hist_sum(&row->hist, &a->hist);
	}
	row->lead = heaviest(atoms, nr, by_process, NULL);
	row->file = heaviest(atoms, nr, by_file, &row->files);
	row->why = heaviest(atoms, nr, by_why, NULL);
	row->disk = heaviest(atoms, nr, by_device, NULL);
	row->cgroup = heaviest(atoms, nr, by_cgroup, NULL);
	row->via = heaviest(atoms, nr, by_via, NULL);
	row->stack = heaviest(atoms, nr, by_stack, NULL);
}

static enum sort sort_now;

static uint64_t sort_value(const struct row *row)
{
	switch (sort_now) {
	case SORT_IOS:
		return row->all_ios;
	case SORT_READ:
		return row->bytes[ROW_READ];
	case SORT_WRITTEN:
		return row->bytes[ROW_WRITE];
	case SORT_P99:
		return hist_percentile(&row->hist, 0.99);
	case SORT_TIME:
		return row->total_ns;
	default:
		return row->all_bytes;
	}
}

static int compare_rows(const void *va, const void *vb)
{
	const struct row *a = va, *b = vb;
	uint64_t va_now = sort_value(a), vb_now = sort_value(b);
	int d = ORDER(vb_now, va_now);

	if (!d)
		d = ORDER(b->all_ios, a->all_ios);
	/* the rest only keeps rows in their places */
	return d ? d : by_process(a->lead, b->lead);
}

/* Whether two belong to the same row. */
bool agg_same(enum pivot by, const struct atom *a, const struct atom *b)
{
	return !orders[by](a, b);
}

/**
 * agg_rows - put atoms together
 * @agg:  what was summed up; must stay while rows are used
 * @by:   what a row stands for
 * @sort: the largest comes first
 * @rows: gets them, to be freed
 *
 * Return: how many.
 */
size_t agg_rows(const struct agg *agg, enum pivot by, enum sort sort, struct row **rows)
{
	size_t i, from, nr = 0, groups = 0;
	struct atom **atoms, *atom;

	atoms = must(malloc((agg->atoms.nr + 1) * sizeof(*atoms)));
	map_for_each(&agg->atoms, i, atom)
		atoms[nr++] = atom;
	sort_by(atoms, nr, orders[by]);
	for (i = 0; i < nr; i++)
		groups += !i || orders[by](atoms[i - 1], atoms[i]);
	*rows = must(malloc((groups + 1) * sizeof(**rows)));
	groups = 0;
	for (from = 0, i = 1; i <= nr; i++) {
		if (i < nr && !orders[by](atoms[i - 1], atoms[i]))
			continue;
		fill_row(&(*rows)[groups++], atoms + from, i - from);
		from = i;
	}
	free(atoms);
	sort_now = sort;
	qsort(*rows, groups, sizeof(**rows), compare_rows);
	return groups;
}

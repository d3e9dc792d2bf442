// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "bars.h"
#include "choice.h"
#include "group.h"
#include "hist.h"
#include "intent.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opf.h"
#include "rec.h"

enum {
	SHOWN = 1024,		/* of the heaviest atoms, all names are held first */
};

/* Where the last IO of a disk ended, for seek_dist */
struct disk_end {
	uint32_t disk;
	uint64_t sector;
};

void agg_init(struct agg *agg, enum field field, enum pivot by)
{
	memset(agg, 0, sizeof(*agg));
	agg->atoms.key_len = sizeof(struct atom_key);
	agg->ends.key_len = sizeof(uint32_t);
	agg->field = field;
	agg->by = by;
}

/* The key of the atom that a record belongs to. */
void agg_key(struct atom_key *key, const struct iob_iolog_bin_record *rec, enum pivot by)
{
	memset(key, 0, sizeof(*key));
	key->ino = rec->ino;
	key->cgroup = rec->cgroup;
	key->dev = rec->dev;
	key->gen = rec->gen;
	key->disk = rec->disk;
	key->intent = rec->intent_nr;
	key->who = rec_originator(rec);
	key->sub_pid = rec->sub_pid;
	key->op = rec->op;
	key->how = rec->how;
	key->kind = rec->role_kind;
	key->modifier = rec->modifier;
	if (by == BY_THREAD)
		key->tid = rec->pid;
	if (by == BY_FLAGS)
		key->flags = opf_flags(rec->opf);
	if (by == BY_QUEUE)
		key->hwq = rec->hwq;
	/* it was another program before an exec */
	memcpy(key->comm, rec->comm, sizeof(key->comm));
}

/* The key of the atom that atoms without room are merged into. */
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
	key->tid = 0;
	key->cgroup = 0;
	key->kind = ROLE_SPECIAL;
	key->dev = 0;
	memset(key->comm, 0, sizeof(key->comm));
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
	free(atom->further);
	free(atom);
}

/* Of IO that was under way when ioblame was switched on, no time is known. */
static bool time_of(enum field field, const struct iob_iolog_bin_record *rec, uint64_t *ns)
{
	switch (field) {
	case FIELD_WAIT:
		*ns = rec_wait_ns(rec);
		return rec_has_wait(rec);
	case FIELD_IO:
		*ns = rec_io_ns(rec);
		return rec_has_io(rec);
	default:
		*ns = rec_total_ns(rec);
		return rec->queue_ns;
	}
}

/* Where the last IO of this disk ended; false if there was none.  Now it is where this one ends. */
static bool last_end(struct agg *agg, const struct iob_iolog_bin_record *rec, uint64_t *end)
{
	struct disk_end *e = map_get(&agg->ends, &rec->disk);
	bool known = e;

	if (!e && agg->ends.nr >= AGG_DISKS) {
		agg->no_seek++;
		return false;
	}
	if (!e) {
		e = must(calloc(1, sizeof(*e)));
		e->disk = rec->disk;
		map_put(&agg->ends, e);
	}
	*end = e->sector;
	e->sector = rec->sector + rec->bytes / 512;
	return known;
}

/* An IO that is not to be added: the next one is held against it all the same. */
void agg_pass(struct agg *agg, const struct iob_iolog_bin_record *rec)
{
	uint64_t end;

	if (agg->field == FIELD_SEEK && rec->bytes)
		last_end(agg, rec, &end);
}

/*
 * What the histogram counts of a record: each part has a size and an age of its own, all else is
 * the IO's.  Return: false if it does not count it.
 */
static bool value_of(struct agg *agg, const struct iob_iolog_bin_record *rec, uint64_t *value)
{
	uint64_t end;

	switch (agg->field) {
	case FIELD_SEEK:
		/* an empty flush has no place; a further part of an IO is no seek */
		if (!rec->bytes || !last_end(agg, rec, &end) || rec->part)
			return false;
		*value = rec->sector > end ? rec->sector - end : end - rec->sector;
		return true;
	case FIELD_OFFSET:
		*value = rec->sector;
		return rec->bytes && !rec->part;
	case FIELD_AGE:
		*value = rec_age_ns(rec);
		return rec->dirty_ns;
	case FIELD_SIZE:
		*value = rec->bytes;
		return true;
	default:
		return time_of(agg->field, rec, value) && !rec->part;
	}
}

/* So many IOs have no room.  Where it is only a further part of one, that is said as well. */
static void add_folded(struct agg *agg, uint64_t ios)
{
	agg->folded += ios || agg->folded ? ios : 1;
}

/*
 * The atom with this key, or, if there is no room, a merged one: then it has @ios more that are
 * folded.  NULL: there is none yet, and the key is that of the one to make.
 */
static struct atom *room_for(struct agg *agg, struct atom_key *key, uint64_t ios)
{
	struct atom *atom = map_get(&agg->atoms, key);

	if (atom || agg->atoms.nr < AGG_ATOMS)
		return atom;
	if (key->rest == REST_NONE) {
		add_folded(agg, ios);
		widen_key(key, REST_FILE);
		atom = map_get(&agg->atoms, key);
	}
	/* too many originators: give them up, too */
	if (!atom && agg->atoms.nr >= AGG_ATOMS + AGG_ATOMS / 4) {
		widen_key(key, REST_ALL);
		atom = map_get(&agg->atoms, key);
	}
	return atom;
}

/* The atom of a record; a merged one if there is no room. */
static struct atom *find_atom(struct agg *agg, const struct iob_iolog_bin_record *rec)
{
	struct atom_key key;
	struct atom *atom;

	agg_key(&key, rec, agg->by);
	atom = room_for(agg, &key, !rec->part);
	if (atom)
		return atom;
	atom = new_atom(&agg->atoms, &key, intent_why(rec));
	/* look up names now: file and cgroup may go away */
	if (!key.rest)
		name_note_file(key.dev, key.ino, key.gen);
	if (key.cgroup)
		name_cgroup(key.cgroup);
	if (agg->by == BY_USER)
		name_user(rec->tgid, rec->comm);
	if (agg->by == BY_COMMAND)
		name_command(rec->tgid, rec->comm);
	return atom;
}

static bool is_part_of(const struct agg_failed *f, const struct atom *atom,
		       const struct iob_iolog_bin_record *rec)
{
	return f->complete_ns == rec->complete_ns && f->queue_ns == rec->queue_ns &&
	       f->atom->key.disk == atom->key.disk;
}

/* Of the pivots @left, those whose rows have @one and @other apart */
static unsigned int pivots_apart(unsigned int left, const struct atom *one,
				 const struct atom *other)
{
	unsigned int apart = 0;
	enum pivot by;

	for (by = 0; one != other && left >> by; by++) {
		if (left >> by & 1 && !group_same(by, one, other))
			apart |= 1U << by;
	}
	return apart;
}

/* Few atoms have this. */
static uint64_t *further_of(struct atom *atom)
{
	if (!atom->further)
		atom->further = must(calloc(NR_PIVOTS, sizeof(*atom->further)));
	return atom->further;
}

/*
 * An IO, or a part of one, failed.  It is no news to a row that has a part before it; where it is
 * one of very many parts, the row may have had that too long ago.
 */
static void add_error(struct agg *agg, struct atom *atom, const struct iob_iolog_bin_record *rec)
{
	unsigned int nr = agg->nr_failed < AGG_FAILED ? agg->nr_failed : AGG_FAILED, i;
	/* other pivots have no rows: agg_key() */
	unsigned int left = ((2U << BY_WHY) - 1) | 1U << agg->by;
	const struct agg_failed *f;
	bool further = false;
	enum pivot by;

	for (i = 1; rec->part && left && i <= nr; i++) {
		f = &agg->failed[(agg->nr_failed - i) % AGG_FAILED];
		if (!is_part_of(f, atom, rec))
			continue;
		further = true;
		left = pivots_apart(left, f->atom, atom);
	}
	if (!left)
		return;
	for (by = 0; further && by < NR_PIVOTS; by++)
		further_of(atom)[by] += left >> by & 1;
	atom->errors += !further;
	agg->errors += !further;
	agg->failed[agg->nr_failed++ % AGG_FAILED] = (struct agg_failed){
		.atom = atom, .queue_ns = rec->queue_ns, .complete_ns = rec->complete_ns,
	};
}

/* The IOs that failed that an atom adds to its row. */
uint64_t agg_errors(const struct atom *atom, enum pivot by)
{
	return atom->errors + (atom->further ? atom->further[by] : 0);
}

/* Add an IO, or a part of one. */
void agg_add(struct agg *agg, const struct iob_iolog_bin_record *rec)
{
	struct atom *atom = find_atom(agg, rec);
	uint64_t value;

	memcpy(atom->sub_comm, rec->sub_comm, sizeof(atom->sub_comm));
	atom->last_ns = rec->complete_ns;
	atom->bytes += rec->bytes;
	if (!rec->part) {
		atom->ios++;
		atom->total_ns += rec_total_ns(rec);
	}
	if (rec->error)
		add_error(agg, atom, rec);
	if (value_of(agg, rec, &value)) {
		hist_few_add(&atom->hist, bars_slot_of(agg->field, value), 1);
		atom->sum += value;
	}
	agg->ios += !rec->part;
	agg->records++;
}

/* Bytes, and one for each IO: a flush has no bytes. */
uint64_t agg_weight(const struct atom *atom)
{
	return atom->bytes + atom->ios;
}

/* The lightest first; of equal weight, the oldest. */
static int compare_atoms(const void *va, const void *vb)
{
	const struct atom *a = *(struct atom **)va, *b = *(struct atom **)vb;

	if (agg_weight(a) != agg_weight(b))
		return agg_weight(a) < agg_weight(b) ? -1 : 1;
	return (a->last_ns > b->last_ns) - (a->last_ns < b->last_ns);
}

static void hold_process(const struct atom *atom)
{
	uint32_t process = group_process(atom);

	if (process)
		name_hold_process(process, atom->key.comm);
}

/* Hold the names that an atom can be shown with. */
void agg_hold_label(const struct atom *label)
{
	hold_process(label);
	if (label->key.cgroup)
		name_hold_cgroup(label->key.cgroup);
	if (!label->key.rest)
		name_hold_file(label->key.dev, label->key.ino, label->key.gen);
}

/**
 * agg_hold_names - hold the names of all atoms, the heaviest first
 * @agg: the sums
 *
 * Names are looked up when an atom is made: it may be shown long after the last IO, when process
 * and file are gone.
 */
void agg_hold_names(const struct agg *agg)
{
	struct atom **atoms = must(malloc((agg->atoms.nr + 1) * sizeof(*atoms))), *atom;
	/* a file without a name is a number; IO without a user would be in the wrong row */
	bool first = agg->by == BY_USER || agg->by == BY_COMMAND;
	size_t i, nr = 0;

	map_for_each(&agg->atoms, i, atom)
		atoms[nr++] = atom;
	qsort(atoms, nr, sizeof(*atoms), compare_atoms);
	for (i = nr; i-- && nr - i <= SHOWN;)
		agg_hold_label(atoms[i]);
	for (i = nr; first && i--;)
		hold_process(atoms[i]);
	for (i = nr; i--;)
		agg_hold_label(atoms[i]);
	free(atoms);
}

/* Mark the lighter half of the atoms that lost @rest. */
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

/* All but the histogram */
static void add_numbers(struct atom *to, const struct atom *from)
{
	enum pivot by;

	if (to->last_ns < from->last_ns)
		to->last_ns = from->last_ns;
	to->ios += from->ios;
	to->bytes += from->bytes;
	to->errors += from->errors;
	to->total_ns += from->total_ns;
	to->sum += from->sum;
	for (by = 0; from->further && by < NR_PIVOTS; by++)
		further_of(to)[by] += from->further[by];
}

static void merge_atom(struct atom *to, struct atom *from)
{
	add_numbers(to, from);
	hist_few_move(&to->hist, &from->hist);
	free_atom(from);
}

/* Merge the lighter half of the atoms that lost @rest, which then lose one more. */
static void widen_lighter(struct agg *agg, enum rest rest)
{
	struct map old = agg->atoms;
	struct atom *atom, *to;
	struct atom_key key;
	size_t i;

	agg->nr_failed = 0;
	mark_lighter(&old, rest);
	map_like(&agg->atoms, &old);
	map_for_each(&old, i, atom) {
		key = atom->key;
		if (atom->widen) {
			widen_key(&key, rest + 1);
			if (rest == REST_NONE)
				add_folded(agg, atom->ios);
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

/* Add other sums, which stay what they are. */
void agg_merge(struct agg *to, const struct agg *from)
{
	struct atom *atom, *own;
	struct atom_key key;
	size_t i;

	map_for_each(&from->atoms, i, atom) {
		key = atom->key;
		own = room_for(to, &key, atom->ios);
		if (!own)
			own = new_atom(&to->atoms, &key, atom->why);
		memcpy(own->sub_comm, atom->sub_comm, sizeof(own->sub_comm));
		add_numbers(own, atom);
		hist_few_merge(&own->hist, &atom->hist);
	}
	to->folded += from->folded;
	to->ios += from->ios;
	to->errors += from->errors;
	to->records += from->records;
}

/**
 * agg_squeeze - merge atoms until a quarter of the room is free
 * @agg: the sums; no rows of them are in use
 *
 * Does nothing while that much is free.
 */
void agg_squeeze(struct agg *agg)
{
	if (agg->atoms.nr < AGG_ATOMS / 4 * 3)
		return;
	widen_lighter(agg, REST_NONE);
	if (agg->atoms.nr >= AGG_ATOMS / 4 * 3)
		widen_lighter(agg, REST_FILE);
}

/* Drop all sums. */
void agg_clear(struct agg *agg)
{
	map_clear(&agg->atoms, free_atom);
	agg->folded = 0;
	agg->ios = 0;
	agg->errors = 0;
	agg->records = 0;
	agg->nr_failed = 0;
}

/* Drop where disks were, too. */
void agg_free(struct agg *agg)
{
	agg_clear(agg);
	map_clear(&agg->ends, free);
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "escape.h"
#include "group.h"
#include "intent.h"
#include "label.h"
#include "msg.h"
#include "name.h"

static const struct advise_rule *const rules[] = {
#define X(rule)	&advise_##rule,
	ADVISE_RULES(X)
#undef X
};

static uint64_t no_room;
static bool rec_chosen;		/* the record that is being added */

/* A record found no room in a map. */
void advise_miss(void)
{
	no_room++;
}

/**
 * advise_entry - the entry of a record in a rule's map
 * @map:   the map; all 0 at first
 * @rec:   the record
 * @by:    what of the originator the entry stands for
 * @parts: what else, enum advise_part
 * @size:  of the entry, which begins with a struct advise_entry
 *
 * Return: the entry, 0 behind its beginning if it is new; NULL if there is no room.
 */
void *advise_entry(struct map *map, const struct iob_iolog_bin_record *rec, enum pivot by,
		   unsigned int parts, size_t size)
{
	struct advise_key key = { .disk = parts & ADVISE_DISK ? rec->disk : 0 };
	struct advise_entry *e;
	struct atom_key whole;

	agg_key(&whole, rec, by);
	key.who = whole;
	group_narrow(by, &key.who);
	if (parts & ADVISE_FILE) {
		key.file = whole;
		group_narrow(BY_FILE, &key.file);
	}
	map->key_len = sizeof(key);
	e = map_get(map, &key);
	if (!e && map->nr >= ADVISE_ROOM) {
		advise_miss();
		return NULL;
	}
	if (!e) {
		e = must(calloc(1, size));
		e->key = key;
		map_put(map, e);
		/* look up names now: file and cgroup may go away */
		if (parts & ADVISE_FILE)
			name_note_file(whole.dev, whole.ino, whole.gen);
		if (whole.cgroup)
			name_cgroup(whole.cgroup);
	}
	e->label.key = whole;
	e->label.why = intent_why(rec);
	e->chosen |= rec_chosen;
	return e;
}

void advise_clear_map(struct map *map)
{
	map_clear(map, free);
}

/* A new piece of advice about an entry; the caller writes its texts and figures. */
struct advice *advise_new(struct advices *to, const char *name, const struct advise_entry *e)
{
	struct advice *a;

	if (to->nr == to->size) {
		to->size = to->size ? to->size * 2 : 16;
		to->advice = must(realloc(to->advice, to->size * sizeof(*to->advice)));
	}
	a = &to->advice[to->nr++];
	memset(a, 0, sizeof(*a));
	a->rule = name;
	a->who = e->label;
	a->chosen = e->chosen;
	a->disk = e->label.key.disk;
	return a;
}

/* The process of an entry: "sqlite3 (4711)". */
const char *advise_who(const struct advise_entry *e, char *to, size_t size)
{
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)];

	snprintf(to, size, "%s (%s)", label_comm(&e->label, comm, sizeof(comm)),
		 label_who(&e->label, who, sizeof(who)));
	return escape_cut(to);
}

/* A unit's name in words, cut if it is long. */
const char *advise_unit(uint64_t id, char *to, size_t size)
{
	snprintf(to, size, "%s", name_cgroup(id));
	return escape_cut(to);
}

/* A disk whose name a shell would not take as it is has its number there. */
static void write_see(const struct advice *a, char *to, size_t size, const char *view,
		      const struct advise_entry *e)
{
	const char *name = name_disk(a->disk);
	char disk[64], pid[32] = "";

	if (escape_is_word(name) && strlen(name) < sizeof(disk))
		snprintf(disk, sizeof(disk), "%s", name);
	else
		snprintf(disk, sizeof(disk), "%u:%u", a->disk >> 20, a->disk & 0xfffff);
	if (e && e->label.key.kind <= ROLE_PROCESS && e->label.key.who)
		snprintf(pid, sizeof(pid), " -p %u", e->label.key.who);
	snprintf(to, size, "%s -D %s%s", view, disk, pid);
}

/**
 * advise_see - write the command that shows more
 * @a:    the advice
 * @view: with its options; one of what a recording does not have needs advise_see_recorded(), too
 * @e:    the process to show, or NULL; one without a pid is left out
 */
void advise_see(struct advice *a, const char *view, const struct advise_entry *e)
{
	write_see(a, a->see, sizeof(a->see), view, e);
	memcpy(a->see_recorded, a->see, sizeof(a->see));
}

/* Of a recording, another view shows more; behind advise_see(). */
void advise_see_recorded(struct advice *a, const char *view, const struct advise_entry *e)
{
	write_see(a, a->see_recorded, sizeof(a->see_recorded), view, e);
}

/**
 * advise_add - add an IO, or a further part of one, in the order in which they completed
 * @rec:    the record
 * @chosen: the options choose it
 */
void advise_add(const struct iob_iolog_bin_record *rec, bool chosen)
{
	size_t i;

	rec_chosen = chosen;
	for (i = 0; i < ARRAY_SIZE(rules); i++)
		rules[i]->add(rec);
}

static int compare_advice(const void *va, const void *vb)
{
	const struct advice *a = va, *b = vb;

	return (a->weight < b->weight) - (a->weight > b->weight);
}

/* Drop what a rule found, from @first on, of whom the options do not choose. */
static void keep_chosen(struct advices *to, size_t first)
{
	size_t i, nr = first;

	for (i = first; i < to->nr; i++) {
		if (to->advice[i].chosen)
			to->advice[nr++] = to->advice[i];
	}
	to->nr = nr;
}

/* Sort what a rule found, from @first on, and keep the beginning. */
static void keep_weightiest(struct advices *to, size_t first)
{
	size_t nr = to->nr - first;

	if (!nr)
		return;
	qsort(to->advice + first, nr, sizeof(*to->advice), compare_advice);
	if (nr <= ADVISE_MOST)
		return;
	to->more += nr - ADVISE_MOST;
	to->nr = first + ADVISE_MOST;
}

/**
 * advise_tell - what stands out in the records that were added, of whom the options choose
 * @to: gets the advice, the weightiest first; empty before
 *
 * The sums begin anew.
 */
void advise_tell(struct advices *to)
{
	size_t i, first;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		first = to->nr;
		rules[i]->tell(to, rules[i]->name);
		keep_chosen(to, first);
		keep_weightiest(to, first);
		rules[i]->clear();
	}
	to->no_room = no_room;
	no_room = 0;
}

void advise_free(struct advices *a)
{
	free(a->advice);
	memset(a, 0, sizeof(*a));
}

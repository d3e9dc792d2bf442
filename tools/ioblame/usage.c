// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "usage.h"

/* One text of a list; texts whose hashes are the same are chained. */
struct text {
	uint64_t hash;
	struct text *next;
	char text[];
};

/* Where in the list the usage with this key is; the key's texts are those of the list. */
struct place {
	struct usage_key key;
	size_t at;
};

/* Where in the list of busy disks this one is. */
struct busy_place {
	const char *disk;	/* the list's text */
	size_t at;
};

/* Where in the list of stacks the one with this hash is. */
struct stack_place {
	uint64_t hash;
	size_t at;
};

/* The slot of a time in nanoseconds.  Example: 70 us are below 2^7 us: slot 7. */
unsigned int usage_slot(uint64_t ns)
{
	uint64_t us = ns / 1000;
	unsigned int slot = us ? 64 - __builtin_clzll(us) : 0;

	return slot < USAGE_SLOTS ? slot : USAGE_SLOTS - 1;
}

/* The shortest time of a slot, in nanoseconds. */
uint64_t usage_slot_low(unsigned int slot)
{
	return slot ? 1000ULL << (slot - 1) : 0;
}

/**
 * usage_percentile - the time that @part of all IOs did not exceed
 * @lat:  the histogram, USAGE_SLOTS numbers
 * @part: 0.99 for the 99th percentile
 *
 * Return: the upper end of its slot in nanoseconds, the lower end of the last slot, which has no
 * upper end; 0 if there is no IO.
 */
uint64_t usage_percentile(const uint64_t *lat, double part)
{
	uint64_t all = 0, seen = 0, want;
	unsigned int i;

	for (i = 0; i < USAGE_SLOTS; i++)
		all += lat[i];
	if (!all)
		return 0;
	want = (uint64_t)(part * (double)all);
	if (want >= all)
		want = all - 1;
	for (i = 0; i < USAGE_SLOTS - 1; i++) {
		seen += lat[i];
		if (seen > want)
			return usage_slot_low(i + 1);
	}
	return usage_slot_low(i);
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* The order of keys: by unit, program, user, file, disk, reason, and then by the numbers. */
int usage_compare(const struct usage_key *a, const struct usage_key *b)
{
	const char *const left[] = { a->unit, a->program, a->user, a->file, a->disk, a->why };
	const char *const right[] = { b->unit, b->program, b->user, b->file, b->disk, b->why };
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(left); i++) {
		ret = strcmp(left[i], right[i]);
		if (ret)
			return ret;
	}
	ret = compare_numbers(a->stack, b->stack);
	if (!ret)
		ret = compare_numbers(a->uid, b->uid);
	if (!ret)
		ret = compare_numbers(a->op, b->op);
	return ret ? ret : compare_numbers(a->how, b->how);
}

/* Add the sums of @from to those of @to. */
void usage_merge(struct usage *to, const struct usage *from)
{
	unsigned int i;

	to->ios += from->ios;
	to->bytes += from->bytes;
	to->ns += from->ns;
	to->errors += from->errors;
	for (i = 0; i < USAGE_SLOTS; i++)
		to->lat[i] += from->lat[i];
}

/* A hash of a text, the same on each machine; never 0, which stands for no stack. */
uint64_t usage_hash(const char *text)
{
	uint64_t h = 0xcbf29ce484222325ULL;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	return h ? h : 1;
}

/* The list's own copy of a text, which lives until usage_clear(); NULL is "". */
const char *usage_text(struct usage_list *list, const char *text)
{
	struct text *first, *t;
	uint64_t hash;
	size_t len;

	if (!text || !*text)
		return "";
	list->texts.key_len = sizeof(hash);
	hash = usage_hash(text);
	first = map_get(&list->texts, &hash);
	for (t = first; t; t = t->next) {
		if (!strcmp(t->text, text))
			return t->text;
	}
	len = strlen(text) + 1;
	t = must(calloc(1, sizeof(*t) + len));
	t->hash = hash;
	memcpy(t->text, text, len);
	list->text_bytes += sizeof(*t) + len;
	if (first) {
		t->next = first->next;
		first->next = t;
	} else {
		map_put(&list->texts, t);
	}
	return t->text;
}

/* The key with the texts of the list; its padding is zero. */
static void own_key(struct usage_list *list, const struct usage_key *from, struct usage_key *to)
{
	memset(to, 0, sizeof(*to));
	to->unit = usage_text(list, from->unit);
	to->program = usage_text(list, from->program);
	to->user = usage_text(list, from->user);
	to->file = usage_text(list, from->file);
	to->disk = usage_text(list, from->disk);
	to->why = usage_text(list, from->why);
	to->stack = from->stack;
	to->uid = from->uid;
	to->op = from->op;
	to->how = from->how;
}

/**
 * usage_add - add a usage to a list
 * @to:	   the list, which copies the texts
 * @usage: it may be of another list
 *
 * Return: the list's usage with this key, valid until the next usage_add().
 */
struct usage *usage_add(struct usage_list *to, const struct usage *usage)
{
	struct usage_key key;
	struct place *place;

	own_key(to, &usage->key, &key);
	to->index.key_len = sizeof(key);
	place = map_get(&to->index, &key);
	if (place) {
		usage_merge(&to->list[place->at], usage);
		return &to->list[place->at];
	}
	if (to->nr == to->size) {
		to->size = to->size ? to->size * 2 : 16;
		to->list = must(realloc(to->list, to->size * sizeof(*to->list)));
	}
	place = must(calloc(1, sizeof(*place)));
	memcpy(&place->key, &key, sizeof(key));
	place->at = to->nr;
	map_put(&to->index, place);
	to->list[to->nr] = *usage;
	memcpy(&to->list[to->nr].key, &key, sizeof(key));
	return &to->list[to->nr++];
}

/**
 * usage_add_within - add a usage to a list whose texts are bounded
 * @to:	   the list
 * @usage: it may be of another list
 * @most:  bytes of texts, beyond which all files are one, USAGE_OTHERS, and no stack is added
 *
 * The other texts of a key are short and few.
 * Return: false if the file or the stack had no room.
 */
bool usage_add_within(struct usage_list *to, const struct usage *usage, size_t most)
{
	struct usage u = *usage;
	bool fits = to->text_bytes < most || (!*u.key.file && !u.key.stack);

	if (!fits) {
		u.key.file = *u.key.file ? USAGE_OTHERS : "";
		u.key.stack = 0;
	}
	usage_add(to, &u);
	return fits;
}

/* Say what the text of a stack is; the first text of a hash stays. */
void usage_add_stack(struct usage_list *to, uint64_t hash, const char *text)
{
	struct stack_place *place;

	if (!hash || usage_stack_text(to, hash))
		return;
	place = must(malloc(sizeof(*place)));
	*place = (struct stack_place){ hash, to->nr_stacks };
	to->stacks.key_len = sizeof(hash);
	map_put(&to->stacks, place);
	if (to->nr_stacks == to->stack_size) {
		to->stack_size = to->stack_size ? to->stack_size * 2 : 16;
		to->stack = must(realloc(to->stack, to->stack_size * sizeof(*to->stack)));
	}
	to->stack[to->nr_stacks++] = (struct usage_stack){ hash, usage_text(to, text) };
}

/* The text of a stack; NULL if the list has none with this hash. */
const char *usage_stack_text(const struct usage_list *list, uint64_t hash)
{
	const struct stack_place *place = map_get(&list->stacks, &hash);

	return place ? list->stack[place->at].text : NULL;
}

/* Add to the time that a disk was busy. */
void usage_add_busy(struct usage_list *to, const char *disk, uint64_t ms)
{
	struct busy_place *place;

	disk = usage_text(to, disk);
	to->busy_places.key_len = sizeof(disk);
	place = map_get(&to->busy_places, &disk);
	if (place) {
		to->busy[place->at].ms += ms;
		return;
	}
	if (to->nr_busy == to->busy_size) {
		to->busy_size = to->busy_size ? to->busy_size * 2 : 8;
		to->busy = must(realloc(to->busy, to->busy_size * sizeof(*to->busy)));
	}
	place = must(malloc(sizeof(*place)));
	*place = (struct busy_place){ disk, to->nr_busy };
	map_put(&to->busy_places, place);
	to->busy[to->nr_busy++] = (struct usage_busy){ disk, ms };
}

/* Add all of a list, and make the time of @to long enough for both. */
void usage_add_list(struct usage_list *to, const struct usage_list *from)
{
	bool empty = !to->from_ns && !to->until_ns;
	size_t i;

	for (i = 0; i < from->nr; i++)
		usage_add(to, &from->list[i]);
	for (i = 0; i < from->nr_stacks; i++)
		usage_add_stack(to, from->stack[i].hash, from->stack[i].text);
	for (i = 0; i < from->nr_busy; i++)
		usage_add_busy(to, from->busy[i].disk, from->busy[i].ms);
	to->lost_ios += from->lost_ios;
	if (empty || from->from_ns < to->from_ns)
		to->from_ns = from->from_ns;
	if (empty || from->until_ns > to->until_ns)
		to->until_ns = from->until_ns;
}

static void free_texts(void *first)
{
	struct text *t = first, *next;

	for (; t; t = next) {
		next = t->next;
		free(t);
	}
}

/* Free all that a list has; it is empty then. */
void usage_clear(struct usage_list *list)
{
	map_clear(&list->texts, free_texts);
	map_clear(&list->index, free);
	map_clear(&list->stacks, free);
	map_clear(&list->busy_places, free);
	free(list->list);
	free(list->stack);
	free(list->busy);
	memset(list, 0, sizeof(*list));
}

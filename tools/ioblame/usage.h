/* SPDX-License-Identifier: GPL-2.0 */
/*
 * usage - what one originator did to one disk in one interval, under names
 *
 * Pure.  A usage has no number that means something on one machine or in one session only, so it
 * can be kept, sent and added up.  A list owns the texts of its usages, each once, and has one
 * usage for each key: a second one is added to the first.
 *
 * Example: two writes of 4096 bytes that dd of session-3.scope did to /a on sda, one in 70 us
 * and one in 300 us, are one usage: ios 2, bytes 8192, lat[7] 1 and lat[9] 1.
 */
#ifndef IOBLAME_USAGE_H
#define IOBLAME_USAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "map.h"

/* The file, program or unit of many that have no place of their own */
#define USAGE_OTHERS	"(others)"

enum {
	USAGE_SLOTS = 28,	/* lat[], as in struct iob_sum_bin_record */
};

struct usage_key {		/* all texts are escaped, "" if there is none */
	const char *unit;	/* systemd unit, container or the cgroup's path: name_unit() */
	const char *program;	/* comm of the role, or its word ("nobody", "user-7") */
	const char *user;	/* name of the uid, else its number, "" if not known */
	const char *file;	/* path; "" without one */
	const char *disk;	/* sda */
	const char *why;	/* reason, the words of the column WHY */
	uint64_t stack;		/* hash of the intent's stack, 0 if none: see usage_stack */
	uint32_t uid;		/* UINT32_MAX: not known */
	uint8_t op, how;	/* place in IOB_OPS, enum iob_how */
};

struct usage {
	struct usage_key key;
	uint64_t ios, bytes, ns, errors;	/* of this interval (deltas) */
	uint64_t lat[USAGE_SLOTS];	/* a month of a fast disk may be one usage */
};

/* The text of a stack, as intent_folded() writes it */
struct usage_stack {
	uint64_t hash;
	const char *text;
};

/* How long a disk had at least one IO, as the kernel counts it */
struct usage_busy {
	const char *disk;
	uint64_t ms;
};

/* All zero is an empty list. */
struct usage_list {
	struct usage *list;
	size_t nr;
	int64_t from_ns, until_ns;	/* CLOCK_REALTIME */
	uint64_t lost_ios;		/* that are in no usage */
	int64_t recorded_ns;		/* of the past: past_each(); else 0 */
	struct usage_stack *stack;	/* of the keys; one that was given in an earlier
					 * list may be missing
					 */
	size_t nr_stacks;
	struct usage_busy *busy;	/* of disks that were; a disk's comes once */
	size_t nr_busy;

	/* usage.c's own */
	size_t size, stack_size, busy_size;
	size_t text_bytes;
	struct map texts, index, stacks, busy_places;
};

unsigned int usage_slot(uint64_t ns);
uint64_t usage_slot_low(unsigned int slot);
uint64_t usage_percentile(const uint64_t *lat, double part);
int usage_compare(const struct usage_key *a, const struct usage_key *b);
void usage_merge(struct usage *to, const struct usage *from);
uint64_t usage_hash(const char *text);

struct usage *usage_add(struct usage_list *to, const struct usage *usage);
bool usage_add_within(struct usage_list *to, const struct usage *usage, size_t most);
void usage_add_stack(struct usage_list *to, uint64_t hash, const char *text);
const char *usage_stack_text(const struct usage_list *list, uint64_t hash);
void usage_add_busy(struct usage_list *to, const char *disk, uint64_t ms);
void usage_add_list(struct usage_list *to, const struct usage_list *from);
const char *usage_text(struct usage_list *list, const char *text);
void usage_clear(struct usage_list *list);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * advise - what stands out in the IO, in words
 *
 * Each rule has a file of its own, advise_*.c.  It sees every record, keeps sums, and at the end
 * gives pieces of advice.  A rule says only what its records prove: each piece has its figures,
 * and the command that shows more.  Where a figure is short of a rule's bound, nothing is said.
 *
 * What the options choose is whose advice is shown.  The records are all there are: a share of
 * what a disk does, or how a unit fares beside others, can be told of nothing less.
 *
 * To add a rule: its file, a line in ADVISE_RULES, a paragraph in Documentation/ioblame.8, IO
 * that it must find and IO that it must not in selftests/unit/test_tool_advise.c.
 */
#ifndef IOBLAME_ADVISE_H
#define IOBLAME_ADVISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agg.h"
#include "choice.h"
#include "map.h"
#include "rec.h"

/* The weightiest first: X(rule) */
#define ADVISE_RULES(X)		\
	X(errors)		\
	X(starved)		\
	X(reclaim)		\
	X(small_sync)		\
	X(background)		\
	X(journal)		\
	X(random_writes)	\
	X(read_again)		\
	X(fault_around)

enum {
	ADVISE_ROOM = 8192,	/* entries of a map; what finds no room is counted */
	ADVISE_MOST = 3,	/* pieces of advice by one rule */
	ADVISE_TEXT = 640,
};

struct advice {
	const char *rule;
	struct atom who;	/* the originator; its file, if @has_file */
	bool has_file;
	bool chosen;		/* by the options: an IO of it, at least */
	uint32_t disk;
	/* the evidence; what each stands for is in the words of @fact */
	uint64_t ios, bytes, ns, calm_ns;
	double percent;
	uint64_t weight;	/* among the advice of one rule, the largest is first */
	char fact[ADVISE_TEXT], what[ADVISE_TEXT];
	char see[160];		/* the command, without "ioblame" */
	char see_recorded[160];	/* the one behind "ioblame replay RECORDING" */
};

struct advices {
	struct advice *advice;
	size_t nr, size;
	size_t more;		/* found, too, by rules that gave ADVISE_MOST */
	uint64_t no_room;	/* times that a record found no room in a map */
};

struct advise_rule {
	const char *name;
	void (*add)(const struct iob_iolog_bin_record *rec);
	void (*tell)(struct advices *to, const char *name);
	void (*clear)(void);
};

extern const struct advise_rule advise_errors, advise_starved, advise_reclaim, advise_small_sync,
	advise_background, advise_journal, advise_random_writes, advise_read_again,
	advise_fault_around;

/* What an entry of a rule's map stands for, besides the originator */
enum advise_part {
	ADVISE_DISK = 1,
	ADVISE_FILE = 2,
};

struct advise_key {
	struct atom_key who, file;
	uint64_t disk;
};

/* A rule's own struct begins with this. */
struct advise_entry {
	struct advise_key key;
	struct atom label;	/* of the last record */
	bool chosen;		/* the options choose one of its records */
};

void *advise_entry(struct map *map, const struct iob_iolog_bin_record *rec, enum pivot by,
		   unsigned int parts, size_t size);
struct advice *advise_new(struct advices *to, const char *name, const struct advise_entry *e);
void advise_clear_map(struct map *map);
const char *advise_who(const struct advise_entry *e, char *to, size_t size);
void advise_miss(void);
const char *advise_unit(uint64_t id, char *to, size_t size);
void advise_see(struct advice *a, const char *view, const struct advise_entry *e);
void advise_see_recorded(struct advice *a, const char *view, const struct advise_entry *e);

void advise_add(const struct iob_iolog_bin_record *rec, bool chosen);
void advise_tell(struct advices *to);
void advise_free(struct advices *a);

#endif

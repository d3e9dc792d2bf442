/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rule - what a user says stands out
 *
 * Pure.  One grammar for ioblamed.conf and `ioblame when --rule`:
 *
 *	[NAME:] [OP[|OP...]] WHAT > VALUE [on DISK] [of unit|program|user PATTERN]
 *
 * WHAT is p99 or mean (a time: 50ms), util (90%), errors (a number), bytes/s (200M) or ios/s
 * (5k); OP is read, readahead, write, discard or flush.  A rule is held against the sums of one
 * stretch of time and disk, of the IO that it is about.
 * Example: "db: write p99 > 50ms on sd* of unit postgres*.service".
 */
#ifndef IOBLAME_RULE_H
#define IOBLAME_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "usage.h"

enum rule_what {
	RULE_P99,		/* nanoseconds */
	RULE_MEAN,		/* nanoseconds */
	RULE_UTIL,		/* hundredths of a percent */
	RULE_ERRORS,
	RULE_BYTES,		/* a second */
	RULE_IOS,		/* a second */
	NR_RULE_WHATS,
};

enum rule_of {
	RULE_OF_ALL,
	RULE_OF_UNIT,
	RULE_OF_PROGRAM,
	RULE_OF_USER,
	NR_RULE_OFS,
};

enum {
	RULE_TEXT = 256,	/* room for a rule as text, and for each word of it */
	RULE_NAME = 24,
	RULE_VALUE = 48,	/* room for rule_text() */
	RULE_FULL = 10000,	/* util: busy all the time */
};

struct rule {
	char name[RULE_NAME];	/* letters, digits, - and _: it becomes part of a file's name */
	enum rule_what what;
	uint64_t limit;
	unsigned int ops;	/* 1 << place in IOB_OPS; 0: all */
	enum rule_of of;
	/* shell patterns; @disk is "" for all */
	char disk[RULE_NAME], pattern[RULE_TEXT];
};

/* Of one stretch of time and disk, what the rule is about */
struct rule_sums {
	uint64_t ios, bytes, ns, errors, busy_ms;
	int64_t span_ns;		/* how long the stretch is */
	const uint64_t *lat;		/* USAGE_SLOTS of them */
};

extern const char *const rule_whats[NR_RULE_WHATS];

const char *rule_parse(struct rule *rule, const char *text);
bool rule_wants_disk(const struct rule *rule, const char *disk);
bool rule_is_of(const struct rule *rule, const char *text);
bool rule_wants(const struct rule *rule, const struct usage_key *key);
uint64_t rule_value(enum rule_what what, const struct rule_sums *sums);
const char *rule_text(enum rule_what what, uint64_t value, char *to);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metrics_sum - what lies behind metrics: units, and sums of what they did
 *
 * Pure.  Names are kept once, and sums have numbers of names.  Number 0 is "other" of each kind.
 */
#ifndef IOBLAMED_METRICS_SUM_H
#define IOBLAMED_METRICS_SUM_H

#include <linux/ioblame.h>

#include "map.h"
#include "metrics.h"
#include "metrics_text.h"
#include "status.h"

enum {
	METRICS_OPS = 5,
	METRICS_WORDS = 64,		/* devices, and reasons: what comes later is "other" */
	METRICS_OTHER = 0,
	/* the daemon's own series, losses included: metrics_write.c */
	METRICS_FIXED = 100,
	/* the last resort: unit, device and reason are "other"; always there is room for them */
	METRICS_RESERVE = METRICS_OPS * (IOB_NR_HOWS * 4 + METRICS_HISTOGRAM_SERIES),
};

/* A unit that did IO lately and was not forgotten; it has series of its own if it is named */
struct metrics_unit {
	char label[METRICS_LABEL];	/* the key: zeroed behind the text */
	uint64_t nr;			/* of its sums; never used again */
	bool named;
	double score;			/* bytes, and 4096 for each IO; halved each hour */
};

struct metrics_words {
	unsigned int nr;
	char word[METRICS_WORDS][METRICS_LABEL];
};

/* Who was shown a series, by bits of enum metrics_reader */
struct metrics_shown {
	unsigned int seen, begun;	/* as 0; it has its value now */
	int64_t since_ns;		/* the text file: the first time */
};

/* The counters of a unit, device, operation, reason and certainty */
struct metrics_sum {
	struct metrics_sum_key {
		uint64_t unit;
		uint16_t device, reason;
		uint8_t op, how;
		uint16_t zero;
	} key;
	const struct metrics_unit *unit;	/* NULL: "other" */
	uint64_t ios, bytes, ns, errors;
	int64_t used_ns;		/* the end of the interval that was added last */
	struct metrics_shown shown;
};

/* The latency of a unit, device and operation */
struct metrics_lat {
	struct metrics_lat_key {
		uint64_t unit;
		uint16_t device;
		uint8_t op, zero[5];
	} key;
	const struct metrics_unit *unit;
	uint64_t slots[USAGE_SLOTS], ns;
	int64_t used_ns;
	struct metrics_shown shown;
};

/* A kind of the module's losses in this session */
struct metrics_loss {
	char name[STATUS_NAME];
	struct metrics_shown shown;
};

struct metrics_folded {
	uint64_t ios, bytes;
};

struct metrics {
	struct metrics_conf conf;
	struct map units, sums, lats;
	struct metrics_words devices, reasons;
	uint64_t next_unit;
	unsigned int named;		/* units that are named */
	unsigned int limit;		/* how many may be: falls if series do not suffice */
	unsigned int series;		/* of sums and lats, without the reserve's */
	bool crowded;			/* a sum found no room in this interval */
	bool whole;			/* "other" has no devices or reasons: names come first */
	int64_t wanted_ns;		/* when .wanted was looked at, or began */
	/* what "other" did meanwhile, a bit for each reason: the sums that it would have */
	uint64_t wanted[METRICS_WORDS][METRICS_OPS][IOB_NR_HOWS];
	uint64_t certainty[IOB_NR_HOWS];	/* bytes of the host */
	struct metrics_folded folded;
	uint64_t lost_ios, intervals, replaced;
	int64_t from_ns, until_ns;	/* the last interval */
	bool has_status;
	struct status status;
	struct metrics_loss losses[STATUS_LOSSES];	/* as in status */
	uint64_t cancelled_bytes;
	struct metrics_own own;
	uint64_t scrapes[2], scrape_bytes[2];	/* by the bit of the reader */
	uint64_t refused;		/* by HTTP, as too much waited for other readers */
	bool textfile_there;		/* this one has written it */
	int textfile_error;		/* of the last time; 0: none */
	struct metrics_http *http;	/* NULL: not served */
	bool kept_away;			/* nor was it the last time, which was said */
};

const struct metrics_unit *metrics_unit(const struct metrics *m, const char *name);
void metrics_unit_did(struct metrics *m, const char *name, double score);
void metrics_choose_units(struct metrics *m);
uint16_t metrics_word(struct metrics_words *words, const char *name);
void metrics_sum_add(struct metrics *m, const struct usage *u);
unsigned int metrics_named_series(const struct metrics *m);
unsigned int metrics_wanted_series(const struct metrics *m);
void metrics_forget_unused(struct metrics *m);

#endif

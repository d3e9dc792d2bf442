/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hist - histograms with four slots for each power of two
 *
 * Pure.  A percentile is off by less than an eighth of its value, to either side: it is no bound
 * that so many keep.
 *
 * Those of hist_time_slot() count times, in 1024ths of a microsecond: then each power of two
 * microseconds is where a slot begins, as bars.h needs it.  Example: 1,024,000 ns, 2^10 us, are in
 * slot 76, the first of 2^20; 1,023,999 ns are in slot 75.
 */
#ifndef IOBLAME_HIST_H
#define IOBLAME_HIST_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HIST_SUB = 4,			/* slots of a power of two */
	HIST_SLOTS = 4 + 40 * HIST_SUB,	/* up to 2^42, of times 2^32 us */
};

static_assert(HIST_SLOTS <= 256, "a pair has 8 bits for its slot");

struct hist {
	uint64_t n[HIST_SLOTS];
};

/* a histogram with few slots in use; all zero at first */
struct hist_few {
	struct hist_pair {
		uint64_t slot : 8, n : 56;
	} *pair;
	unsigned int nr, size;
};

void hist_few_add(struct hist_few *h, unsigned int slot, uint64_t n);
void hist_few_sum(struct hist *to, const struct hist_few *from);
void hist_few_merge(struct hist_few *to, const struct hist_few *from);
void hist_few_move(struct hist_few *to, struct hist_few *from);
void hist_few_free(struct hist_few *h);

unsigned int hist_slot(uint64_t value);
unsigned int hist_time_slot(uint64_t ns);
uint64_t hist_low(unsigned int slot);
void hist_add(struct hist *h, uint64_t value);
void hist_sum(struct hist *to, const struct hist *from);
uint64_t hist_count(const struct hist *h);
uint64_t hist_percentile(const struct hist *h, double part);
uint64_t hist_time_percentile(const struct hist *h, double part);
uint64_t hist_within(uint64_t value, uint64_t min, uint64_t max);

#endif

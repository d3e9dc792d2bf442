// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "hist.h"
#include "msg.h"

/* The slot of a value; the last slot takes all larger ones.  Example: 5000 is in slot 44. */
unsigned int hist_slot(uint64_t value)
{
	unsigned int log, slot;

	if (value < 4)
		return value;
	log = 63 - __builtin_clzll(value);
	slot = 4 + (log - 2) * HIST_SUB + ((value >> (log - 2)) & 3);
	return slot < HIST_SLOTS ? slot : HIST_SLOTS - 1;
}

/* The slot of a time, whose slots are those of 1024ths of a microsecond. */
unsigned int hist_time_slot(uint64_t ns)
{
	/* 1.024 of them are a nanosecond; more than 13 days are in the last slot */
	return ns >> 50 ? HIST_SLOTS - 1 : hist_slot(ns * 128 / 125);
}

/* The smallest value of a slot. */
uint64_t hist_low(unsigned int slot)
{
	unsigned int log;

	if (slot < 4)
		return slot;
	log = (slot - 4) / HIST_SUB + 2;
	return (4ULL + (slot - 4) % HIST_SUB) << (log - 2);
}

void hist_add(struct hist *h, uint64_t value)
{
	h->n[hist_slot(value)]++;
}

void hist_sum(struct hist *to, const struct hist *from)
{
	unsigned int i;

	for (i = 0; i < HIST_SLOTS; i++)
		to->n[i] += from->n[i];
}

void hist_few_add(struct hist_few *h, unsigned int slot, uint64_t n)
{
	unsigned int i;

	for (i = 0; i < h->nr; i++) {
		if (h->pair[i].slot == slot) {
			h->pair[i].n += n;
			return;
		}
	}
	if (h->nr == h->size) {
		h->size = h->size ? h->size * 2 : 2;
		h->pair = must(realloc(h->pair, h->size * sizeof(*h->pair)));
	}
	h->pair[h->nr++] = (struct hist_pair){ .slot = slot, .n = n };
}

void hist_few_sum(struct hist *to, const struct hist_few *from)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++)
		to->n[from->pair[i].slot] += from->pair[i].n;
}

/* Add @from to @to. */
void hist_few_merge(struct hist_few *to, const struct hist_few *from)
{
	unsigned int i;

	for (i = 0; i < from->nr; i++)
		hist_few_add(to, from->pair[i].slot, from->pair[i].n);
}

/* Add @from to @to, and free @from. */
void hist_few_move(struct hist_few *to, struct hist_few *from)
{
	hist_few_merge(to, from);
	hist_few_free(from);
}

void hist_few_free(struct hist_few *h)
{
	free(h->pair);
	memset(h, 0, sizeof(*h));
}

uint64_t hist_count(const struct hist *h)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < HIST_SLOTS; i++)
		sum += h->n[i];
	return sum;
}

/* Twice the middle of the slot of the value that @part of all do not exceed; 0: there is none. */
static uint64_t twice_percentile(const struct hist *h, double part)
{
	uint64_t all = hist_count(h), seen = 0, want;
	unsigned int i;

	if (!all)
		return 0;
	want = (uint64_t)(part * (double)all);
	if (want >= all)
		want = all - 1;
	for (i = 0; i < HIST_SLOTS - 1; i++) {
		seen += h->n[i];
		if (seen > want)
			return hist_low(i) + hist_low(i + 1);
	}
	return 2 * hist_low(i);
}

/**
 * hist_percentile - about the value that @part of all values do not exceed
 * @h:    the histogram
 * @part: 0.5 is the median
 *
 * The value itself is up to an eighth more or less: it may be above the largest, and, where all are
 * in one slot, below their mean.
 * Return: the middle of its slot; 0 if the histogram is empty.
 */
uint64_t hist_percentile(const struct hist *h, double part)
{
	return twice_percentile(h, part) / 2;
}

/* As hist_percentile(), in nanoseconds: the slots are those of hist_time_slot(). */
uint64_t hist_time_percentile(const struct hist *h, double part)
{
	return (twice_percentile(h, part) * 125 + 128) / 256;
}

/* A percentile of values from @min to @max: the middle of a slot may be beyond either. */
uint64_t hist_within(uint64_t value, uint64_t min, uint64_t max)
{
	return value < min ? min : value > max ? max : value;
}

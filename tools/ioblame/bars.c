// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "bars.h"
#include "choice.h"
#include "hist.h"

/* A bar of @n out of @most, in @width characters and a NUL. */
void bars_bar(char *to, size_t width, uint64_t n, uint64_t most)
{
	size_t filled = most ? (size_t)((double)n / (double)most * (double)width + 0.5) : 0;

	if (filled > width)
		filled = width;
	if (n && !filled)
		filled = 1;
	memset(to, '@', filled);
	memset(to + filled, ' ', width - filled);
	to[width] = '\0';
}

bool bars_is_time(enum field field)
{
	return field != FIELD_SIZE && field != FIELD_SEEK && field != FIELD_OFFSET;
}

const char *bars_unit(enum field field)
{
	return bars_is_time(field) ? "usecs" : field == FIELD_SIZE ? "bytes" : "sectors";
}

/* The slot of struct hist that counts a value: nanoseconds, bytes or sectors. */
unsigned int bars_slot_of(enum field field, uint64_t value)
{
	return bars_is_time(field) ? hist_time_slot(value) : hist_slot(value);
}

/* A slot of bars.h for a slot of struct hist, whose times are those of hist_time_slot(). */
static unsigned int bars_slot(enum field field, unsigned int slot)
{
	uint64_t low = hist_low(slot);

	if (bars_is_time(field))
		low /= 1024;
	return low ? 64 - __builtin_clzll(low) : 0;
}

/* The smallest value of a slot; the largest is 2 * low - 1, or 0. */
uint64_t bars_low(unsigned int slot)
{
	return slot ? 1ULL << (slot - 1) : 0;
}

/* Sum up a histogram in slots of powers of two. */
void bars_collect(const struct hist *h, enum field field, uint64_t *slots)
{
	unsigned int i;

	memset(slots, 0, BARS_SLOTS * sizeof(*slots));
	for (i = 0; i < HIST_SLOTS; i++)
		slots[bars_slot(field, i)] += h->n[i];
}

/* A line up to its bar.  Return: its length. */
static int print_slot(char *to, size_t size, unsigned int slot, uint64_t n)
{
	return snprintf(to, size, "%11llu -> %-10llu : %-10llu ",
			(unsigned long long)bars_low(slot),
			(unsigned long long)(slot ? 2 * bars_low(slot) - 1 : 0),
			(unsigned long long)n);
}

/* How long a bar may be beside the longest of these numbers. */
static unsigned int bar_beside(const uint64_t *slots, unsigned int first, unsigned int last,
			       unsigned int width)
{
	unsigned int longest = 0, i, n;
	char text[128];

	for (i = first; i <= last; i++) {
		n = print_slot(text, sizeof(text), i, slots[i]);
		if (n > longest)
			longest = n;
	}
	longest += 2;
	if (!width || width >= longest + BARS_LONGEST)
		return BARS_LONGEST;
	return width > longest ? width - longest : 1;
}

/**
 * bars_print - print a histogram as lines of text
 * @h:     the histogram, of values of bars_slot_of()
 * @field: what it counts
 * @unit:  the unit of its values
 * @width: characters of a line, of which the numbers take what they need; 0: any
 * @line:  called for each line
 * @arg:   passed to @line
 */
void bars_print(const struct hist *h, enum field field, const char *unit, unsigned int width,
		void (*line)(const char *text, void *arg), void *arg)
{
	unsigned int i, first = BARS_SLOTS, last = 0, longest;
	uint64_t slots[BARS_SLOTS], most = 0;
	char text[256], bar[BARS_LONGEST + 1];
	int n;

	bars_collect(h, field, slots);
	for (i = 0; i < BARS_SLOTS; i++) {
		if (!slots[i])
			continue;
		if (first == BARS_SLOTS)
			first = i;
		last = i;
		if (slots[i] > most)
			most = slots[i];
	}
	longest = bar_beside(slots, first, last, width);
	snprintf(text, sizeof(text), "%25s : %-10s distribution", unit, "count");
	line(text, arg);
	for (i = first; i <= last && most; i++) {
		bars_bar(bar, longest, slots[i], most);
		n = print_slot(text, sizeof(text), i, slots[i]);
		snprintf(text + n, sizeof(text) - n, "|%s|", bar);
		line(text, arg);
	}
}

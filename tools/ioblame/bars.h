/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bars - histograms in powers of two, as numbers and as bars
 *
 * Pure.  Slot 0 counts zeroes, slot n values from 2^(n-1) to 2^n - 1, in bytes, sectors or
 * microseconds.  Example: 70,000 bytes are in slot 17, 65536 to 131071.
 */
#ifndef IOBLAME_BARS_H
#define IOBLAME_BARS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "choice.h"
#include "hist.h"

enum {
	BARS_SLOTS = 64,
	BARS_LONGEST = 40,	/* characters of a bar */
};

const char *bars_unit(enum field field);
bool bars_is_time(enum field field);
unsigned int bars_slot_of(enum field field, uint64_t value);
uint64_t bars_low(unsigned int slot);
void bars_collect(const struct hist *h, enum field field, uint64_t *slots);
void bars_bar(char *to, size_t width, uint64_t n, uint64_t most);
void bars_print(const struct hist *h, enum field field, const char *unit, unsigned int width,
		void (*line)(const char *text, void *arg), void *arg);

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * A histogram as the text that the database has: the slots that are not empty, each with its
 * number.  SQLite's JSON functions read it, too.  Example: [7,1,9,2] is one IO in slot 7 and two
 * in slot 9.
 */
#include <stdio.h>
#include <string.h>

#include "past.h"

/* @to has PAST_LAT_TEXT bytes. */
const char *past_lat_text(const uint64_t *lat, char *to)
{
	char *end = to;
	unsigned int i;

	for (i = 0; i < USAGE_SLOTS; i++) {
		if (lat[i])
			end += sprintf(end, "%c%u,%llu", end == to ? '[' : ',', i,
				       (unsigned long long)lat[i]);
	}
	strcpy(end, end == to ? "[]" : "]");
	return to;
}

static bool take_number(const char **s, uint64_t most, uint64_t *n)
{
	unsigned int digit;

	if (**s < '0' || **s > '9')
		return false;
	for (*n = 0; **s >= '0' && **s <= '9'; (*s)++) {
		digit = **s - '0';
		if (digit > most || *n > (most - digit) / 10)
			return false;
		*n = *n * 10 + digit;
	}
	return true;
}

/* Return: false if the text is none; @lat has then what came before. */
bool past_lat_parse(const char *text, uint64_t *lat)
{
	uint64_t slot, n;

	memset(lat, 0, USAGE_SLOTS * sizeof(*lat));
	if (!strcmp(text, "[]"))
		return true;
	if (*text != '[')
		return false;
	do {
		text++;
		if (!take_number(&text, USAGE_SLOTS - 1, &slot) || *text++ != ',' ||
		    !take_number(&text, UINT64_MAX, &n))
			return false;
		lat[slot] = n;
	} while (*text == ',');
	return !strcmp(text, "]");
}

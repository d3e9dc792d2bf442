// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "text.h"

/* Three digits and a unit: 512, 4.0K, 12K, 1.5M */
const char *text_bytes(char *to, uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	double value = bytes;
	int unit = 0;

	while (value >= 999.5 && units[unit + 1]) {
		value /= 1024;
		unit++;
	}
	if (!unit)
		snprintf(to, TEXT_NUMBER, "%llu", (unsigned long long)bytes);
	else
		snprintf(to, TEXT_NUMBER, value < 9.95 ? "%.1f%c" : "%.0f%c",
			 value, units[unit]);
	return to;
}

/* 85us, 1.2ms, 340ms, 2.5s */
const char *text_nsecs(char *to, uint64_t ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	double value = ns;
	int unit = 0;

	while (value >= 999.5 && unit < 3) {
		value /= 1000;
		unit++;
	}
	snprintf(to, TEXT_NUMBER, unit >= 2 && value < 9.95 ? "%.1f%s" : "%.0f%s",
		 value, units[unit]);
	return to;
}

/* Per second: 0, 0.3, 12, 20000 */
const char *text_rate(char *to, double rate)
{
	if (rate > 0 && rate < 9.95)
		snprintf(to, TEXT_NUMBER, "%.1f", rate);
	else
		snprintf(to, TEXT_NUMBER, "%.0f", rate);
	return to;
}

/* Parse a text that is a decimal number. */
bool text_parse_u64(const char *s, uint64_t *value)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*value = strtoull(s, &end, 10);
	return !errno && !*end;
}

/**
 * text_parse_nsecs - parse a time: 10, 0.5, 20us, 1.5ms, 3s, 2m, 1h
 * @s:    the text
 * @unit: nanoseconds of 1, if there is no unit
 * @ns:   the result
 *
 * Return: false if it is not a time.
 */
bool text_parse_nsecs(const char *s, uint64_t unit, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 },
		{ "s", 1e9 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	size_t i, n = strspn(s, "0123456789.");
	double value, scale = unit;
	char digits[32], *end;

	if (!n || n >= sizeof(digits))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	value = strtod(digits, &end);
	if (end == digits || *end)
		return false;
	if (s[n]) {
		for (i = 0; i < ARRAY_SIZE(units); i++) {
			if (!strcmp(s + n, units[i].name))
				break;
		}
		if (i == ARRAY_SIZE(units))
			return false;
		scale = units[i].ns;
	}
	value *= scale;
	if (!(value < 9.2e18))
		return false;
	*ns = (uint64_t)(value + 0.5);
	return true;
}

/* Call @one for each word between commas.  Return: false if one is empty or refused. */
bool text_parse_list(const char *s, bool (*one)(const char *word, void *arg), void *arg)
{
	char word[256];
	size_t n;

	for (;;) {
		n = strcspn(s, ",");
		if (!n || n >= sizeof(word))
			return false;
		memcpy(word, s, n);
		word[n] = '\0';
		if (!one(word, arg))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

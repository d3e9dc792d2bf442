// SPDX-License-Identifier: GPL-2.0
/*
 * The names of the fields as a table, and a parser of numbers.
 *
 * Pure: builds in userspace too.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "field.h"

static const char * const field_names[IOB_NR_FIELDS] = {
	[IOB_FIELD_OFFSET]	= "offset",
	[IOB_FIELD_SIZE]	= "size",
	[IOB_FIELD_WAIT_TIME]	= "wait_time",
	[IOB_FIELD_IO_TIME]	= "io_time",
	[IOB_FIELD_SEEK_DIST]	= "seek_dist",
	[IOB_FIELD_AGE]		= "age",
	[IOB_FIELD_TOTAL_TIME]	= "total_time",
};

/**
 * iob_field_name - the name of a field
 * @f: which
 *
 * Any context.  Return: a constant string; "?" if @f is no field.
 */
const char *iob_field_name(enum iob_field f)
{
	return (unsigned int)f < IOB_NR_FIELDS ? field_names[f] : "?";
}

/**
 * iob_field_parse - look up a field by its name
 * @s:   the name; no NUL is needed
 * @len: its length in bytes
 *
 * Any context.  Return: enum iob_field, or -EINVAL.
 */
int iob_field_parse(const char *s, size_t len)
{
	int f;

	for (f = 0; f < IOB_NR_FIELDS; f++) {
		if (strlen(field_names[f]) == len && !memcmp(field_names[f], s, len))
			return f;
	}
	return -EINVAL;
}

static unsigned int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

/**
 * iob_field_parse_value - parse a number as kstrtoull(s, 0, value) does
 * @s:	   decimal, hex after "0x", octal after "0"; no NUL is needed
 * @len:   its length in bytes, all of which must be the number
 * @value: gets the number; untouched on error
 *
 * A sign is an error, as fields have none.
 *
 * Any context.  Return: 0; -EINVAL: not a number; -ERANGE: more than 64 bits.
 */
int iob_field_parse_value(const char *s, size_t len, u64 *value)
{
	unsigned int base = 10, d;
	u64 v = 0, most = U64_MAX / 10;
	bool fits = true;
	size_t i = 0;

	if (len > 1 && s[0] == '0') {
		bool hex = s[1] == 'x' || s[1] == 'X';

		base = hex ? 16 : 8;
		most = hex ? U64_MAX / 16 : U64_MAX / 8;
		i = hex ? 2 : 1;
	}
	if (i == len)
		return -EINVAL;
	for (; i < len; i++) {
		d = digit_value(s[i]);
		if (d >= base)
			return -EINVAL;
		if (v > most || d > U64_MAX - v * base)
			fits = false;
		v = v * base + d;
	}
	if (!fits)
		return -ERANGE;
	*value = v;
	return 0;
}

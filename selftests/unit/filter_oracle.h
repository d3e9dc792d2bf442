/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The grammar of filter.h once more, as plainly as it can be written: one
 * function for each rule, which evaluates what it reads.  Shared by the unit
 * test and the fuzzer; knows nothing of terms that lead anywhere.
 */
#ifndef UNIT_FILTER_ORACLE_H
#define UNIT_FILTER_ORACLE_H

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>

#include "io/field.h"

struct oracle {
	const char *s;
	const struct iob_fields *fields;
	int terms, depth;
	bool bad;
};

static bool oracle_or(struct oracle *o);

/* Take this text if it comes next. */
static bool oracle_take(struct oracle *o, const char *text)
{
	while (*o->s && strchr(" \t\n\v\f\r", *o->s))
		o->s++;
	if (strncmp(o->s, text, strlen(text)))
		return false;
	o->s += strlen(text);
	return true;
}

static void oracle_word(struct oracle *o, char *word, size_t size)
{
	size_t n = 0;

	oracle_take(o, "");
	while (isascii(*o->s) && (isalnum(*o->s) || *o->s == '_')) {
		if (n < size - 1)
			word[n++] = *o->s;
		o->s++;
	}
	word[n] = '\0';
}

static u64 oracle_field(struct oracle *o)
{
	static const char * const names[] = {
		"offset", "size", "wait_time", "io_time", "seek_dist", "age",
		"total_time",
	};
	char word[16];
	size_t i;

	oracle_word(o, word, sizeof(word));
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(word, names[i]))
			return o->fields->v[i];
	}
	o->bad = true;
	return 0;
}

static u64 oracle_number(struct oracle *o)
{
	char word[4096], *end;
	u64 n;

	oracle_word(o, word, sizeof(word));
	errno = 0;
	n = strtoull(word, &end, 0);
	/* "0x" alone ends before the x */
	if (!isdigit((unsigned char)word[0]) || *end || errno)
		o->bad = true;
	return n;
}

static bool oracle_comparison(struct oracle *o)
{
	u64 v = oracle_field(o);

	o->terms++;
	if (oracle_take(o, "=="))
		return v == oracle_number(o);
	if (oracle_take(o, "!="))
		return v != oracle_number(o);
	if (oracle_take(o, "<="))
		return v <= oracle_number(o);
	if (oracle_take(o, ">="))
		return v >= oracle_number(o);
	if (oracle_take(o, "<"))
		return v < oracle_number(o);
	if (oracle_take(o, ">"))
		return v > oracle_number(o);
	if (oracle_take(o, "&"))
		return (v & oracle_number(o)) != 0;
	o->bad = true;
	return false;
}

static bool oracle_not(struct oracle *o)
{
	bool value;

	if (oracle_take(o, "!"))
		return !oracle_not(o);
	if (!oracle_take(o, "("))
		return oracle_comparison(o);
	if (++o->depth > 32) {
		o->bad = true;
		return false;
	}
	value = oracle_or(o);
	o->depth--;
	if (!oracle_take(o, ")"))
		o->bad = true;
	return value;
}

static bool oracle_and(struct oracle *o)
{
	bool value = oracle_not(o);

	while (!o->bad && oracle_take(o, "&&"))
		value = oracle_not(o) && value;
	return value;
}

static bool oracle_or(struct oracle *o)
{
	bool value = oracle_and(o);

	while (!o->bad && oracle_take(o, "||"))
		value = oracle_and(o) || value;
	return value;
}

/* Return: 0 or 1, -1 if @text is no filter. */
static int oracle_eval(const char *text, const struct iob_fields *fields)
{
	struct oracle o = { .s = text, .fields = fields };
	bool value = oracle_or(&o);

	oracle_take(&o, "");
	if (o.bad || *o.s || o.terms > 64)
		return -1;
	return value;
}

#endif

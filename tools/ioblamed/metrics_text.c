// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "metrics_text.h"
#include "msg.h"
#include "usage.h"
#include "utf8.h"

/*
 * The bounds of histograms, as powers of two microseconds: 32 us to 33 s.  A slot n of a usage has
 * what is below 2^n microseconds.
 */
static const unsigned char bounds[METRICS_BOUNDS] = { 5, 7, 9, 11, 12, 13, 14, 16, 18, 20, 22, 25 };

/* What stands for a byte that is no character: U+FFFD */
#define NO_CHARACTER	"\xef\xbf\xbd"

/* The form of the character at @s within quotes.  Return: how many bytes of @s it takes. */
static size_t quoted_character(const unsigned char *s, size_t len, char form[5])
{
	unsigned int code = 0;
	size_t n = iob_utf8_length(s, len, &code);

	memset(form, 0, 5);
	if (!n || (code < ' ' && code != '\n') || (code >= 0x7f && code < 0xa0))
		strcpy(form, NO_CHARACTER);
	else if (code == '\n')
		strcpy(form, "\\n");
	else if (code == '"' || code == '\\')
		form[0] = '\\', form[1] = code;
	else
		memcpy(form, s, n);
	return n ? n : 1;
}

/**
 * metrics_label - a name as a label's value, as it stands between the quotes
 * @to:   the result, with a NUL
 * @size: bytes of @to, not 0; a longer result is cut between two characters
 * @from: any bytes, ended by a NUL
 *
 * Quotes, backslashes and newlines are escaped; control characters and what is no UTF-8 become
 * U+FFFD.  Example: a"b becomes a\"b.
 * Return: its length.
 */
size_t metrics_label(char *to, size_t size, const char *from)
{
	const unsigned char *s = (const unsigned char *)from;
	size_t len = strlen(from), out = 0, n, more;
	char form[5];

	for (; len; s += n, len -= n) {
		n = quoted_character(s, len, form);
		more = strlen(form);
		if (out + more >= size)
			break;
		memcpy(to + out, form, more);
		out += more;
	}
	to[out] = '\0';
	return out;
}

/**
 * metrics_family - the lines before the samples of a family
 * @t:    where to
 * @name: of the family, without _total and _info
 * @type: what it is
 * @unit: its unit, which @name ends with; NULL if it has none
 * @help: one line without quotes and backslashes
 */
void metrics_family(const struct metrics_text *t, const char *name, enum metrics_type type,
		    const char *unit, const char *help)
{
	static const char *const words[] = { "counter", "gauge", "info", "histogram" };
	static const char *const ends[] = { "_total", "", "_info", "" };
	/* the older format has no type info */
	const char *word = words[!t->open && type == METRICS_INFO ? METRICS_GAUGE : type];
	const char *end = t->open ? "" : ends[type];

	fprintf(t->f, "# HELP %s%s %s\n# TYPE %s%s %s\n", name, end, help, name, end, word);
	if (t->open && unit)
		fprintf(t->f, "# UNIT %s %s\n", name, unit);
}

static void begin_sample(const struct metrics_text *t, const char *name, const char *end,
			 const char *labels)
{
	fprintf(t->f, *labels ? "%s%s{%s} " : "%s%s%s ", name, end, labels);
}

/* A sample of a number; @name is whole: with _total if it is a counter */
void metrics_count(const struct metrics_text *t, const char *name, const char *labels,
		   uint64_t value)
{
	begin_sample(t, name, "", labels);
	fprintf(t->f, "%llu\n", (unsigned long long)value);
}

static void put_seconds(FILE *f, uint64_t ns)
{
	fprintf(f, "%llu.%09llu\n", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000));
}

/* A sample of a time: seconds, of nanoseconds and without the rounding of a double */
void metrics_seconds(const struct metrics_text *t, const char *name, const char *labels,
		     uint64_t ns)
{
	begin_sample(t, name, "", labels);
	put_seconds(t->f, ns);
}

static void put_bucket(const struct metrics_text *t, const char *name, const char *labels,
		       const char *le, uint64_t nr)
{
	fprintf(t->f, "%s_bucket{%s%sle=\"%s\"} %llu\n", name, labels, *labels ? "," : "", le,
		(unsigned long long)nr);
}

/**
 * metrics_histogram - the series of a histogram
 * @t:      where to
 * @name:   of the family
 * @labels: those of the histogram, without le
 * @slots:  USAGE_SLOTS of them: IOs below 2^n microseconds and not below 2^(n-1)
 * @ns:     their time together
 *
 * Buckets are cumulative, as readers expect them; the last is the count.
 */
void metrics_histogram(const struct metrics_text *t, const char *name, const char *labels,
		       const uint64_t *slots, uint64_t ns)
{
	unsigned int i, slot = 0;
	uint64_t nr = 0;
	char le[24];

	for (i = 0; i < METRICS_BOUNDS; i++) {
		while (slot <= bounds[i])
			nr += slots[slot++];
		snprintf(le, sizeof(le), "%.9g", (1 << bounds[i]) / 1e6);
		put_bucket(t, name, labels, le, nr);
	}
	while (slot < USAGE_SLOTS)
		nr += slots[slot++];
	put_bucket(t, name, labels, "+Inf", nr);
	begin_sample(t, name, "_sum", labels);
	put_seconds(t->f, ns);
	begin_sample(t, name, "_count", labels);
	fprintf(t->f, "%llu\n", (unsigned long long)nr);
}

/* The end of all families */
void metrics_end(const struct metrics_text *t)
{
	if (t->open)
		fputs("# EOF\n", t->f);
}

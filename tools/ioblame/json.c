// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "intent.h"
#include "json.h"
#include "msg.h"
#include "out.h"

/* A new object of this type. */
struct json_object *json_begin(const char *type)
{
	struct json_object *o = must(json_object_new_object());

	json_object_object_add(o, "type", json_object_new_string(type));
	return o;
}

void json_text(struct json_object *o, const char *key, const char *text)
{
	json_object_object_add(o, key, text ? json_object_new_string(text) : NULL);
}

/* Seconds, to the microsecond: what a double holds of a time since 1970. */
static void json_seconds(char *to, uint64_t ns)
{
	sprintf(to, "%llu.%06llu", (unsigned long long)(ns / 1000000000),
		(unsigned long long)(ns % 1000000000 / 1000));
}

/* A time since 1970: as a string to the nanosecond, and as a number that jq can hold. */
void json_time(struct json_object *o, uint64_t ns)
{
	char text[32];

	sprintf(text, "%llu", (unsigned long long)ns);
	json_text(o, "time_ns", text);
	json_seconds(text, ns);
	json_object_object_add(o, "time_s", json_object_new_double_s((double)ns / 1e9, text));
}

void json_n(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)n));
}

/* Print an object as one line, and free it. */
void json_print(struct json_object *o)
{
	out_printf("%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PLAIN |
							  JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(o);
}

enum {
	NUMBER_MOST = 24,	/* bytes of a number, the sign aside */
	KEY_MOST = 32,		/* of a key with its quotes */
};

/*
 * A row is written byte by byte into a buffer: json-c would make an object of each cell, and a
 * view may print 20,000 rows in a second.
 */
static char *row, *row_at, *row_end;

static void grow_row(size_t n)
{
	size_t used = row_at - row, size = (used + n) * 2;

	row = must(realloc(row, size));
	row_at = row + used;
	row_end = row + size;
}

/* Make room for @n more bytes. */
static inline void reserve(size_t n)
{
	if ((size_t)(row_end - row_at) < n)
		grow_row(n);
}

/* Add bytes as they are. */
void json_put(const char *word)
{
	size_t n = strlen(word);

	reserve(n);
	row_at = mempcpy(row_at, word, n);
}

#define BYTES_OF(c)	(0x0101010101010101ULL * (c))

/* True if none of eight bytes must be escaped: no quote, backslash or control character. */
static bool are_plain(uint64_t bytes)
{
	uint64_t quote = bytes ^ BYTES_OF('"'), backslash = bytes ^ BYTES_OF('\\');
	uint64_t found = ((quote - BYTES_OF(1)) & ~quote) |
			 ((backslash - BYTES_OF(1)) & ~backslash) |
			 ((bytes - BYTES_OF(' ')) & ~bytes);

	return !(found & BYTES_OF(0x80));
}

static void put_char(unsigned char c)
{
	if (c < ' ') {
		row_at += sprintf(row_at, "\\u%04x", c);
		return;
	}
	if (c == '"' || c == '\\')
		*row_at++ = '\\';
	*row_at++ = c;
}

/* Add a string. */
void json_put_text(const char *text)
{
	size_t n = strlen(text);
	uint64_t bytes;

	/* an escaped character takes six, and sprintf() a NUL */
	reserve(6 * n + 3);
	*row_at++ = '"';
	while (n) {
		if (n >= sizeof(bytes)) {
			memcpy(&bytes, text, sizeof(bytes));
			if (are_plain(bytes)) {
				memcpy(row_at, text, sizeof(bytes));
				row_at += sizeof(bytes);
				text += sizeof(bytes);
				n -= sizeof(bytes);
				continue;
			}
		}
		put_char(*text++);
		n--;
	}
	*row_at++ = '"';
}

void json_put_n(int64_t n)
{
	uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
	/* the digits end in the middle: a copy of fixed size needs no call */
	char digits[2 * NUMBER_MOST] = "", *to = digits + NUMBER_MOST;

	reserve(1 + NUMBER_MOST);
	if (n < 0)
		*row_at++ = '-';
	/* two at a time: a division is the slow part */
	for (; left >= 10; left /= 100) {
		unsigned int two = left % 100;

		*--to = '0' + two % 10;
		*--to = '0' + two / 10;
	}
	if (left || to == digits + NUMBER_MOST)
		*--to = '0' + left;
	memcpy(row_at, to, NUMBER_MOST);
	row_at += digits + NUMBER_MOST - to;
}

/* As json_seconds() */
static void put_seconds(uint64_t ns)
{
	char *point;

	json_put_n(ns / 1000000000);
	reserve(NUMBER_MOST + 1);
	point = row_at;
	/* all six digits, behind a 1 that becomes the point */
	json_put_n(1000000 + ns % 1000000000 / 1000);
	*point = '.';
}

static void put_stack(const struct intent *in)
{
	unsigned int i;

	json_put("[");
	for (i = 0; i < in->depth; i++) {
		if (i)
			json_put(",");
		json_put_text(in->frame[i]);
	}
	json_put("]");
}

static void put_cell(const struct col *col, const struct cell *cell)
{
	char number[32];

	if (!cell->known) {
		json_put("null");
		return;
	}
	switch (col->type) {
	case COL_TEXT:
		json_put_text(cell->text);
		break;
	case COL_RATE:
		snprintf(number, sizeof(number), "%.3f", cell->f);
		json_put(number);
		break;
	case COL_DIGITS:
		json_put("\"");
		json_put_n(cell->n);
		json_put("\"");
		break;
	case COL_SECONDS:
		put_seconds(cell->n);
		break;
	case COL_FLAG:
		json_put(cell->n ? "true" : "false");
		break;
	case COL_STACK:
		put_stack(cell->intent);
		break;
	default:
		json_put_n((int64_t)cell->n);
	}
}

/* The keys of the rows that are printed now, as ,"key": */
static struct {
	const struct col *cols;
	struct key {
		char bytes[KEY_MOST];
		unsigned int len;
	} *key;
} keys;

static void make_keys(const struct col *cols, unsigned int nr)
{
	unsigned int i;

	keys.cols = cols;
	keys.key = must(realloc(keys.key, nr * sizeof(*keys.key)));
	for (i = 0; i < nr; i++)
		keys.key[i].len = snprintf(keys.key[i].bytes, KEY_MOST, ",\"%.*s\":",
					   KEY_MOST - 5, cols[i].key);
}

/* Begin a line for json_put() and the like. */
void json_line(void)
{
	row_at = row;
}

/* Print the line. */
void json_line_print(void)
{
	out_write(row, row_at - row);
}

/* Print a row of cells as an object. */
void json_row(const char *type, const struct col *cols, unsigned int nr, const struct cell *cells)
{
	unsigned int i;

	if (cols != keys.cols)
		make_keys(cols, nr);
	json_line();
	json_put("{\"type\":");
	json_put_text(type);
	for (i = 0; i < nr; i++) {
		if (cols[i].flags & COL_ONLY_TABLE)
			continue;
		reserve(KEY_MOST);
		memcpy(row_at, keys.key[i].bytes, KEY_MOST);
		row_at += keys.key[i].len;
		put_cell(&cols[i], &cells[i]);
	}
	json_put("}\n");
	json_line_print();
}

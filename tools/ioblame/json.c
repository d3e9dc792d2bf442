// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdio.h>

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

static struct json_object *json_stack(const struct intent *in)
{
	struct json_object *list = must(json_object_new_array());
	unsigned int i;

	for (i = 0; i < in->depth; i++)
		json_object_array_add(list, json_object_new_string(in->frame[i]));
	return list;
}

static struct json_object *json_cell(const struct col *col, const struct cell *cell)
{
	char number[32];

	if (!cell->known)
		return NULL;
	switch (col->type) {
	case COL_TEXT:
		return json_object_new_string(cell->text);
	case COL_RATE:
		snprintf(number, sizeof(number), "%.3f", cell->f);
		return json_object_new_double_s(cell->f, number);
	case COL_DIGITS:
		snprintf(number, sizeof(number), "%llu", (unsigned long long)cell->n);
		return json_object_new_string(number);
	case COL_SECONDS:
		json_seconds(number, cell->n);
		return json_object_new_double_s((double)cell->n / 1e9, number);
	case COL_FLAG:
		return json_object_new_boolean(cell->n != 0);
	case COL_STACK:
		return json_stack(cell->intent);
	default:
		return json_object_new_int64((int64_t)cell->n);
	}
}

/* Print a row of cells as an object. */
void json_row(const char *type, const struct col *cols, unsigned int nr, const struct cell *cells)
{
	struct json_object *o = json_begin(type);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!(cols[i].flags & COL_ONLY_TABLE))
			json_object_object_add(o, cols[i].key, json_cell(&cols[i], &cells[i]));
	}
	json_print(o);
}

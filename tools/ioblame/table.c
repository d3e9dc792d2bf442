// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <libsmartcols/libsmartcols.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "escape.h"
#include "intent.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "table.h"
#include "text.h"

struct table {
	enum format format;
	const char *type;
	const struct col *cols;
	unsigned int nr;
	struct libscols_table *scols;
	bool headed;		/* a stream's or CSV's head is out */
};

static bool is_number(const struct col *col)
{
	return col->type != COL_TEXT && col->type != COL_STACK;
}

static bool in_table(const struct col *col)
{
	return !(col->flags & COL_ONLY_DATA);
}

/**
 * stack_folded - a stack on one line, to be freed
 * @in:              the intent
 * @separator:       between functions
 * @outermost_first: as flame graphs want it
 */
char *stack_folded(const struct intent *in, const char *separator, bool outermost_first)
{
	size_t size = 1, len = 0;
	unsigned int i;
	char name[256], *text;

	for (i = 0; i < in->depth; i++)
		size += strlen(in->frame[i]) + strlen(separator);
	text = must(malloc(size + 16));
	*text = '\0';
	for (i = 0; i < in->depth; i++) {
		const char *frame = in->frame[outermost_first ? in->depth - 1 - i : i];

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(frame, "+ "), frame);
		escape_cut(name);
		len += sprintf(text + len, "%s%s", i ? separator : "", name);
	}
	if (!in->depth)
		strcpy(text, "-");
	return text;
}

/* A cell for people.  @buf is room; what is returned may be another. */
const char *cell_text(const struct col *col, const struct cell *cell, char *buf,
		      unsigned int size)
{
	char *stack;

	if (!cell->known)
		return "-";
	switch (col->type) {
	case COL_TEXT:
		return cell->text;
	case COL_BYTES:
		return text_bytes(buf, cell->n);
	case COL_NSECS:
		return text_nsecs(buf, cell->n);
	case COL_RATE:
		return text_rate(buf, cell->f);
	case COL_SIGNED:
		snprintf(buf, size, "%lld", (long long)cell->n);
		return buf;
	case COL_STACK:
		stack = stack_folded(cell->intent, " < ", false);
		snprintf(buf, size, "%s", stack);
		free(stack);
		return escape_cut(buf);
	default:
		snprintf(buf, size, "%llu", (unsigned long long)cell->n);
		return buf;
	}
}

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

void json_n(struct json_object *o, const char *key, uint64_t n)
{
	json_object_object_add(o, key, json_object_new_int64((int64_t)n));
}

/* One line; frees the object. */
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
	case COL_FLAG:
		return json_object_new_boolean(cell->n != 0);
	case COL_STACK:
		return json_stack(cell->intent);
	default:
		return json_object_new_int64((int64_t)cell->n);
	}
}

static void json_row(const struct table *t, const struct cell *cells)
{
	struct json_object *o = json_begin(t->type);
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (!(t->cols[i].flags & COL_ONLY_TABLE))
			json_object_object_add(o, t->cols[i].key,
					       json_cell(&t->cols[i], &cells[i]));
	}
	json_print(o);
}

static void csv_text(const char *text)
{
	if (!strpbrk(text, ",\"\n\r")) {
		out_puts(text);
		return;
	}
	out_puts("\"");
	for (; *text; text++)
		out_printf(*text == '"' ? "\"\"" : "%c", *text);
	out_puts("\"");
}

static void csv_cell(const struct col *col, const struct cell *cell)
{
	char *stack;

	if (!cell->known)
		return;
	switch (col->type) {
	case COL_TEXT:
		csv_text(cell->text);
		break;
	case COL_RATE:
		out_printf("%.3f", cell->f);
		break;
	case COL_SIGNED:
		out_printf("%lld", (long long)cell->n);
		break;
	case COL_STACK:
		stack = stack_folded(cell->intent, ";", true);
		csv_text(stack);
		free(stack);
		break;
	default:
		out_printf("%llu", (unsigned long long)cell->n);
	}
}

/* All tables of a program have the same columns, and one head. */
static bool csv_headed;

static void csv_row(const struct table *t, const struct cell *cells)
{
	unsigned int i;

	if (!csv_headed) {
		out_puts("type");
		for (i = 0; i < t->nr; i++) {
			if (!(t->cols[i].flags & COL_ONLY_TABLE))
				out_printf(",%s", t->cols[i].key);
		}
		out_puts("\n");
		csv_headed = true;
	}
	out_puts(t->type);
	for (i = 0; i < t->nr; i++) {
		if (t->cols[i].flags & COL_ONLY_TABLE)
			continue;
		out_puts(",");
		csv_cell(&t->cols[i], &cells[i]);
	}
	out_puts("\n");
}

/**
 * table_new - begin a table
 * @format: how it is printed
 * @type:   what JSON and CSV call its rows
 * @cols:   its columns
 * @nr:     how many
 *
 * Return: the table; table_end() prints and frees it.
 */
struct table *table_new(enum format format, const char *type, const struct col *cols,
			unsigned int nr)
{
	struct table *t = must(calloc(1, sizeof(*t)));
	unsigned int i;

	t->format = format;
	t->type = type;
	t->cols = cols;
	t->nr = nr;
	if (format != FORMAT_TABLE)
		return t;
	t->scols = must(scols_new_table());
	for (i = 0; i < nr; i++) {
		int flags = is_number(&cols[i]) ? SCOLS_FL_RIGHT :
			    cols[i].flags & COL_CUT ? SCOLS_FL_TRUNC : 0;

		if (in_table(&cols[i]))
			must(scols_table_new_column(t->scols, cols[i].head, 0, flags));
	}
	/* scols asks the terminal itself when it has to cut */
	if (isatty(STDOUT_FILENO))
		scols_table_set_termforce(t->scols, SCOLS_TERMFORCE_ALWAYS);
	else
		scols_table_set_termforce(t->scols, SCOLS_TERMFORCE_NEVER);
	return t;
}

/* A row of it. */
void table_row(struct table *t, const struct cell *cells)
{
	struct libscols_line *line;
	unsigned int i, at = 0;
	char buf[2048];

	if (t->format == FORMAT_JSON) {
		json_row(t, cells);
		return;
	}
	if (t->format == FORMAT_CSV) {
		csv_row(t, cells);
		return;
	}
	line = must(scols_table_new_line(t->scols, NULL));
	for (i = 0; i < t->nr; i++) {
		if (in_table(&t->cols[i]))
			scols_line_set_data(line, at++,
					    cell_text(&t->cols[i], &cells[i], buf, sizeof(buf)));
	}
}

static void stream_cell(const struct col *col, const char *text, bool last)
{
	if (last && !is_number(col))
		out_puts(text);
	else
		out_printf(is_number(col) ? "%*s%s" : "%-*s%s", (int)col->width, text,
			   last ? "" : " ");
}

/* A row that is printed at once, in columns of fixed width. */
void table_stream_row(struct table *t, const struct cell *cells)
{
	unsigned int i, last = 0;
	char buf[2048];

	if (t->format != FORMAT_TABLE) {
		table_row(t, cells);
		return;
	}
	for (i = 0; i < t->nr; i++) {
		if (in_table(&t->cols[i]))
			last = i;
	}
	for (i = 0; !t->headed && i <= last; i++) {
		if (in_table(&t->cols[i]))
			stream_cell(&t->cols[i], t->cols[i].head, i == last);
	}
	if (!t->headed)
		out_puts("\n");
	t->headed = true;
	for (i = 0; i <= last; i++) {
		if (in_table(&t->cols[i]))
			stream_cell(&t->cols[i], cell_text(&t->cols[i], &cells[i], buf,
							   sizeof(buf)), i == last);
	}
	out_puts("\n");
}

/* Print what is not printed yet, and free it. */
void table_end(struct table *t)
{
	char *text = NULL;

	if (t->scols) {
		if (scols_table_get_nlines(t->scols) &&
		    !scols_print_table_to_string(t->scols, &text) && text)
			out_printf("%s%s", text,
				   *text && text[strlen(text) - 1] == '\n' ? "" : "\n");
		free(text);
		scols_unref_table(t->scols);
	}
	free(t);
}

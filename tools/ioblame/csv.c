// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"
#include "csv.h"
#include "intent.h"
#include "out.h"

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
	case COL_SECONDS:
		out_printf("%llu.%06llu", (unsigned long long)(cell->n / 1000000000),
			   (unsigned long long)(cell->n % 1000000000 / 1000));
		break;
	case COL_SIGNED:
		out_printf("%lld", (long long)cell->n);
		break;
	case COL_STACK:
		stack = intent_folded(cell->intent, ";", true);
		csv_text(stack);
		free(stack);
		break;
	default:
		out_printf("%llu", (unsigned long long)cell->n);
	}
}

/* All tables of a run have the same columns, and share one head. */
static bool head_printed;

/* Print a row of cells, and the head before the first one. */
void csv_row(const char *type, const struct col *cols, unsigned int nr, const struct cell *cells)
{
	unsigned int i;

	if (!head_printed) {
		out_puts("type");
		for (i = 0; i < nr; i++) {
			if (!(cols[i].flags & COL_ONLY_TABLE))
				out_printf(",%s", cols[i].key);
		}
		out_puts("\n");
		head_printed = true;
	}
	out_puts(type);
	for (i = 0; i < nr; i++) {
		if (cols[i].flags & COL_ONLY_TABLE)
			continue;
		out_puts(",");
		csv_cell(&cols[i], &cells[i]);
	}
	out_puts("\n");
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "cell.h"
#include "escape.h"
#include "intent.h"
#include "text.h"

/* Numbers are aligned to the right. */
bool cell_is_number(const struct col *col)
{
	return col->type != COL_TEXT && col->type != COL_STACK;
}

/* A cell as a table shows it.  The result is in @buf, or in the cell. */
const char *cell_text(const struct col *col, const struct cell *cell, char *buf,
		      unsigned int size)
{
	char *stack;

	if (!cell->known)
		return "-";
	switch (col->type) {
	case COL_TEXT:
		return cell->text;
	case COL_SECONDS:
		snprintf(buf, size, "%llu.%09llu", (unsigned long long)(cell->n / 1000000000),
			 (unsigned long long)(cell->n % 1000000000));
		return buf;
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
		stack = intent_folded(cell->intent, " < ", false);
		snprintf(buf, size, "%s", stack);
		free(stack);
		return escape_cut(buf);
	default:
		snprintf(buf, size, "%llu", (unsigned long long)cell->n);
		return buf;
	}
}

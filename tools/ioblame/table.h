/* SPDX-License-Identifier: GPL-2.0 */
/*
 * table - rows of one kind, as a table that fits the terminal, JSON lines or CSV
 */
#ifndef IOBLAME_TABLE_H
#define IOBLAME_TABLE_H

#include "cell.h"
#include "opts.h"

struct table;

void table_init(const struct opts *o);
struct table *table_new(enum format format, const char *type, const struct col *cols,
			unsigned int nr);
void table_row(struct table *t, const struct cell *cells);
void table_stream_row(struct table *t, const struct cell *cells);
void table_end(struct table *t);

#endif

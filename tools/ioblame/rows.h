/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rows - print sums as tables
 */
#ifndef IOBLAME_ROWS_H
#define IOBLAME_ROWS_H

#include "agg.h"
#include "cell.h"
#include "escape.h"
#include "group.h"
#include "run.h"

/* Room for the columns of a table */
#define ROWS_COLUMNS	45
/* What is shown as slow */
#define ROWS_SLOW_NS	100000000

struct rows_look {
	bool rates;		/* show rates, else sums */
	bool submitter;
	bool iowait;
	bool ios;		/* show the number of IOs: see rows_look_at() */
	uint64_t from_ns, to_ns;
};

/* The texts of the cells of a row */
struct rows_room {
	char who[32], comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	char marked[ESCAPE_SIZE(255) + 2];
	char via[ESCAPE_SIZE(IOB_COMM_LEN)], via_shown[ESCAPE_SIZE(IOB_COMM_LEN) + 16];
	char file[ESCAPE_SIZE(4096) + 32], name[ESCAPE_SIZE(4096)];
};

bool rows_know(const char *spec);
bool rows_unknown(const char *spec, char *to, size_t size);
void rows_look_at(struct rows_look *look, const struct row *rows, size_t nr);
unsigned int rows_columns(struct col *cols, enum pivot by, const struct rows_look *look);
void rows_cells(const struct run *run, const struct row *row, enum pivot by,
		const struct rows_look *look, struct cell *cells, struct rows_room *room);
void rows_print(const struct run *run, const struct agg *agg, enum pivot by,
		unsigned int most, const struct rows_look *look);

#endif

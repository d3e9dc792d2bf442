/* SPDX-License-Identifier: GPL-2.0 */
/*
 * csv - rows as CSV
 */
#ifndef IOBLAME_CSV_H
#define IOBLAME_CSV_H

#include "cell.h"

void csv_row(const char *type, const struct col *cols, unsigned int nr, const struct cell *cells);

#endif

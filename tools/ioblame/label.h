/* SPDX-License-Identifier: GPL-2.0 */
/*
 * label - what atoms are called
 *
 * A result is in @to, or lives until the next name_tidy().
 */
#ifndef IOBLAME_LABEL_H
#define IOBLAME_LABEL_H

#include <stdbool.h>

#include "agg.h"
#include "choice.h"

const char *label_row(const struct atom *a, enum pivot by, char *to, unsigned int size);
const char *label_who(const struct atom *a, char *to, unsigned int size);
const char *label_comm(const struct atom *a, char *to, unsigned int size);
const char *label_file(const struct atom *a);
bool label_exited(const struct atom *a);

#endif

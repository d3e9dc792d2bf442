/* SPDX-License-Identifier: GPL-2.0 */
/*
 * usage_by - usages put together by what they agree in
 *
 * Pure.  Each row is of one operation on one disk.  By file, a row is all that originators did to
 * one file; what rows do not stand for is "".
 */
#ifndef IOBLAME_USAGE_BY_H
#define IOBLAME_USAGE_BY_H

#include <stddef.h>

#include "choice.h"
#include "usage.h"

/* The pivots that rows can stand for are the first ones */
enum {
	USAGE_PIVOTS = BY_WHY + 1,
};

void usage_by(struct usage_list *rows, const struct usage_list *from, enum pivot by);
void usage_sort(struct usage_list *rows, enum sort sort);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * color - colours for what is slow, failed or lost
 *
 * --color says when; without it, a terminal has colours unless NO_COLOR is set.
 */
#ifndef IOBLAME_COLOR_H
#define IOBLAME_COLOR_H

#include <stdbool.h>

#include "opts.h"

enum mark {
	MARK_NONE,
	MARK_SLOW,
	MARK_BAD,		/* failed, or lost */
};

void color_init(const struct opts *o);
bool color_is_on(void);
const char *color_begin(enum mark mark);
const char *color_end(enum mark mark);

#endif

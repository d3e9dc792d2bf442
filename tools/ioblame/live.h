/* SPDX-License-Identifier: GPL-2.0 */
/*
 * live - top on a terminal
 *
 * Built only if there is ncursesw.
 */
#ifndef IOBLAME_LIVE_H
#define IOBLAME_LIVE_H

#include "opts.h"

int live_top(const struct opts *o);

#endif

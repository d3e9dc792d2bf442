/* SPDX-License-Identifier: GPL-2.0 */
/*
 * joined_choose - --since of a view that needs records
 */
#ifndef IOBLAME_JOINED_CHOOSE_H
#define IOBLAME_JOINED_CHOOSE_H

#include "opts.h"

int joined_choose(struct opts *o);

#endif

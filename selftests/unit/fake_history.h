/* SPDX-License-Identifier: GPL-2.0 */
/* What a test links in the place of history.c: the times of the command line as they are. */
#ifndef UNIT_FAKE_HISTORY_H
#define UNIT_FAKE_HISTORY_H

#include "history.h"

int64_t history_since(const struct opts *o)
{
	return o->since_ns;
}

int64_t history_until(const struct opts *o)
{
	return o->until_ns;
}

void history_end_words(const struct opts *o)
{
	(void)o;
}

#endif

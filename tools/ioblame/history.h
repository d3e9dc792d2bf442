/* SPDX-License-Identifier: GPL-2.0 */
/*
 * history - the views of what ioblamed has recorded
 *
 * The options are those of a view that watches, as far as the past can tell: check_past() of
 * opts.c has refused the others.
 */
#ifndef IOBLAME_HISTORY_H
#define IOBLAME_HISTORY_H

#include "opts.h"
#include "past.h"
#include "usage.h"

struct flame;

int history_open(struct past *past, const struct opts *o);
int64_t history_since(const struct opts *o);
int64_t history_until(const struct opts *o);
bool history_wants(const struct opts *o, const struct usage_key *key);
void history_end_words(const struct opts *o);
int history_list(const struct opts *o, int64_t from_ns, bool stacks, struct usage_list *list);

int history_report(const struct opts *o);
int history_top(const struct opts *o);
int history_hist(const struct opts *o);
int history_flame(const struct opts *o, struct flame **f, double *seconds);

#endif

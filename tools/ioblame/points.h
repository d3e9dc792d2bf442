/* SPDX-License-Identifier: GPL-2.0 */
/*
 * points - what ioblamed has recorded, as points that when_judge() takes
 *
 * A point is made of each disk of a span when the next span begins.
 */
#ifndef IOBLAME_POINTS_H
#define IOBLAME_POINTS_H

#include <stddef.h>

#include "opts.h"
#include "past.h"
#include "rule.h"
#include "usage.h"
#include "when.h"

struct points {
	const struct opts *o;
	struct rule *rules;		/* of the command line */
	size_t nr_rules;
	struct when_point *point;	/* the result */
	size_t nr;

	/* points.c's own */
	size_t size;
	struct usage_list *now;		/* of this span by disk and program: all, and by rule */
	struct usage_list busy;		/* of this span */
	struct usage_list names;	/* owns the texts of all points */
	struct map places;		/* where the last point of each disk is */
	size_t first;			/* point of this span */
	struct past_span span;
};

int points_read(struct points *to, const struct opts *o);
void points_free(struct points *points);

#endif

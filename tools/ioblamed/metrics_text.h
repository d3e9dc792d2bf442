/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metrics_text - lines of OpenMetrics, and of the text format that Prometheus had before
 *
 * Pure.  The two differ in what a counter's family is called and in the last line:
 *
 *	OpenMetrics			text format 0.0.4
 *	# TYPE ioblame_ios counter	# TYPE ioblame_ios_total counter
 *	ioblame_ios_total{...} 3	ioblame_ios_total{...} 3
 *	# EOF
 *
 * A value of a label is hostile text.  It is made harmless once, by metrics_label(), which gives
 * what stands between the quotes: so two names that look the same are one series.
 */
#ifndef IOBLAMED_METRICS_TEXT_H
#define IOBLAMED_METRICS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	METRICS_LABEL = 160,	/* room for a label's value, with its NUL */
	METRICS_BOUNDS = 12,	/* upper bounds of a histogram, without that of +Inf */
	METRICS_HISTOGRAM_SERIES = METRICS_BOUNDS + 3,
};

enum metrics_type { METRICS_COUNTER, METRICS_GAUGE, METRICS_INFO, METRICS_HISTOGRAM };

struct metrics_text {
	FILE *f;
	bool open;		/* OpenMetrics */
};

size_t metrics_label(char *to, size_t size, const char *from);
void metrics_family(const struct metrics_text *t, const char *name, enum metrics_type type,
		    const char *unit, const char *help);
void metrics_count(const struct metrics_text *t, const char *name, const char *labels,
		   uint64_t value);
void metrics_seconds(const struct metrics_text *t, const char *name, const char *labels,
		     uint64_t ns);
void metrics_histogram(const struct metrics_text *t, const char *name, const char *labels,
		       const uint64_t *slots, uint64_t ns);
void metrics_end(const struct metrics_text *t);

#endif

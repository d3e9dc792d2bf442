/* SPDX-License-Identifier: GPL-2.0 */
/*
 * metrics - usage as counters that a monitoring system reads: /metrics and a text file
 *
 * metrics.c, metrics_units.c, metrics_sum.c and metrics_write.c are pure.  Counters only grow
 * while the daemon runs.  How many series a host has is bounded (max_series): the largest units
 * have series of their own, all others are one, the unit "other".  Sums over all units close.
 *
 * A unit that becomes large begins at 0; what it did before stays in "other".  One that no longer
 * is large loses its series; what it does from then on is in "other".  So no counter jumps.
 * A series of "other" that nothing was added to for half a day ends, too, and begins at 0 again.
 * Where series do not suffice, "other" gives up its devices and reasons before a unit loses its
 * name.
 */
#ifndef IOBLAMED_METRICS_H
#define IOBLAMED_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "usage.h"

enum {
	METRICS_LEAST_SERIES = 400,
	METRICS_MOST_SERIES = 1000000,
	METRICS_MOST_UNITS = 4096,
	METRICS_PATH = 256,
};

/* Who reads: each is shown a new series as 0 first, see metrics_write() */
enum metrics_reader { METRICS_HTTP = 1, METRICS_TEXTFILE = 2 };

struct metrics_conf {
	uint64_t max_series;	/* of /metrics and of the text file, each */
	uint64_t max_units;	/* at most so many under their own names */
	char listen[METRICS_PATH];	/* ADDRESS:PORT or [ADDRESS]:PORT; "" serves nothing */
	char web_config[METRICS_PATH];	/* TLS and users; "" is neither */
	char textfile[METRICS_PATH];	/* the file for node_exporter; "" writes none */
};

/* What the daemon itself costs, and what it has lost */
struct metrics_own {
	uint64_t cpu_ns, resident_bytes;
	int64_t start_ns;		/* CLOCK_REALTIME */
	uint64_t lost_sums, lost_intervals;	/* of the past: recorder_lost.h */
};

struct metrics;

struct sockaddr_storage;

void metrics_defaults(struct metrics_conf *conf);
bool metrics_address(const char *text, struct sockaddr_storage *to);
struct metrics *metrics_new(const struct metrics_conf *conf);
void metrics_free(struct metrics *m);

void metrics_add(struct metrics *m, const struct usage_list *usage);
void metrics_status(struct metrics *m, const char *text, uint64_t page_size);
void metrics_own(struct metrics *m, const struct metrics_own *own);
unsigned int metrics_series(const struct metrics *m);
void metrics_write(struct metrics *m, FILE *f, bool open, enum metrics_reader reader);
void metrics_write_end(FILE *f);

/* Not pure: metrics_http.c, metrics_textfile.c and metrics_own.c */
bool metrics_test(const struct metrics_conf *conf);
int metrics_listen(struct metrics *m);
bool metrics_ready(struct metrics *m);
void metrics_close(struct metrics *m);
bool metrics_textfile(struct metrics *m);
void metrics_textfile_end(struct metrics *m);
void metrics_measure(struct metrics *m);

#endif

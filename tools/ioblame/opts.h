/* SPDX-License-Identifier: GPL-2.0 */
/*
 * opts - the command line, parsed
 *
 * Pure, except that errors are printed.
 */
#ifndef IOBLAME_OPTS_H
#define IOBLAME_OPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "choice.h"

enum format {
	FORMAT_TABLE,
	FORMAT_JSON,
	FORMAT_CSV,
};

enum {
	OPTS_LIST = 32,
};

struct opts {
	enum command command;
	bool given_command;
	const char *input;		/* the recording that replay reads */
	bool bare;			/* replay FILE, and nothing more */

	uint64_t interval_ns, count;	/* 0: not given */
	uint64_t duration_ns;
	char **run;			/* the command after --, or NULL */

	const char *device[OPTS_LIST];
	unsigned int nr_devices;
	uint64_t pid[OPTS_LIST];
	unsigned int nr_pids;
	const char *comm[OPTS_LIST];
	unsigned int nr_comms;
	const char *user[OPTS_LIST];
	unsigned int nr_users;
	const char *cgroup[OPTS_LIST];
	unsigned int nr_cgroups;
	const char *file[OPTS_LIST];
	unsigned int nr_files;
	char rw[8];			/* letters of IOB_OPS, "" for all */

	struct joined *joined;	/* of --since: @input is the first of these recordings */
	int64_t since_ns, until_ns;	/* CLOCK_REALTIME; 0: not given */
	const char *until;		/* as it was given */
	const char *past[OPTS_LIST];	/* databases of ioblamed */
	unsigned int nr_pasts;
	const char *rule[OPTS_LIST];	/* of when; rule_parse() takes each */
	unsigned int nr_rules;

	enum sort sort;
	bool given_sort;
	unsigned int rows;		/* 0: the view's own limit */
	bool timestamp;
	enum format format;
	enum color color;
	const char *column_list;		/* of tables, NULL: the usual ones */

	enum pivot by;
	bool given_by;
	bool accumulate, batch, submitter, sync, iowait;
	bool direct;			/* do not ask ioblamed */
	bool stacks, errors, extended;
	uint64_t min_lat_ns;
	enum weight weight;
	enum dirty_sort dirty_sort;
	unsigned int acts;		/* of trace, see blkevent.h; 0: all */
	enum field field;
	bool average, percentiles, counters;
	bool svg, given_drawing;	/* --svg or --folded was given */
	const char *html;		/* report: the page's file, or NULL */
	enum export export;
	bool given_export;
	const char *output;		/* of doctor: the bundle's file, or NULL */
	bool bundle, anonymous;

	char **args;			/* the words after config */
	int nr_args;
};

/* opts_parse() printed help or the version: nothing is left to do */
#define OPTS_DONE	(-1)

int opts_parse(struct opts *o, int argc, char **argv);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * opts - what was typed
 *
 * Parsing is pure but for messages.
 */
#ifndef IOBLAME_OPTS_H
#define IOBLAME_OPTS_H

#include <stdbool.h>
#include <stdint.h>

enum command {
	CMD_TOP,
	CMD_SNOOP,
	CMD_REPORT,
	CMD_HIST,
	CMD_STACKS,
	CMD_RECORD,
	CMD_REPLAY,
	CMD_CONFIG,
	CMD_STATUS,
	CMD_DOCTOR,
	NR_COMMANDS,
};

enum format {
	FORMAT_TABLE,
	FORMAT_JSON,
	FORMAT_CSV,
};

/* what rows stand for */
enum pivot {
	BY_PROCESS,
	BY_FILE,
	BY_DEVICE,
	BY_CGROUP,
	BY_STACK,
	BY_OP,
	BY_WHY,
	NR_PIVOTS,
};

enum sort {
	SORT_BYTES,
	SORT_IOS,
	SORT_READ,
	SORT_WRITTEN,
	SORT_P99,
	SORT_TIME,
	NR_SORTS,
};

enum weight {
	WEIGHT_BYTES,
	WEIGHT_IOS,
	WEIGHT_TIME,
	NR_WEIGHTS,
};

enum field {
	FIELD_SIZE,
	FIELD_WAIT,
	FIELD_IO,
	FIELD_TOTAL,
	FIELD_AGE,
	NR_FIELDS,
};

enum {
	OPTS_LIST = 32,
};

struct opts {
	enum command command;
	bool given_command;
	const char *input;		/* of replay */

	uint64_t interval_ns, count;	/* 0: none */
	uint64_t duration_ns;
	char **run;			/* behind --, or NULL */

	const char *device[OPTS_LIST];
	unsigned int nr_devices;
	uint64_t pid[OPTS_LIST];
	unsigned int nr_pids;
	const char *comm[OPTS_LIST];
	unsigned int nr_comms;
	const char *cgroup[OPTS_LIST];
	unsigned int nr_cgroups;
	const char *file[OPTS_LIST];
	unsigned int nr_files;
	char rw[8];			/* letters, "" for all */

	enum sort sort;
	bool given_sort;
	unsigned int rows;		/* 0: as many as fit, or all */
	bool timestamp;
	enum format format;

	enum pivot by;
	bool given_by;
	bool accumulate, batch, submitter, sync;
	bool stacks, errors;
	uint64_t min_lat_ns;
	enum weight weight;
	enum field field;
	bool svg;
	const char *output;

	char **args;			/* of config */
	int nr_args;
};

/* what opts_parse() returns when everything is done */
#define OPTS_DONE	(-1)

int opts_parse(struct opts *o, int argc, char **argv);
const char *opts_command_name(enum command command);
const char *opts_pivot_name(enum pivot pivot);
const char *opts_sort_name(enum sort sort);
const char *opts_weight_name(enum weight weight);
const char *opts_field_name(enum field field);

/* help.c */
void help_print(int command);
const char *help_usage(enum command command);

#endif

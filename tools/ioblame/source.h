/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source - where records come from: the module, or a recording
 *
 * Records of all CPUs are merged by the time they completed.
 */
#ifndef IOBLAME_SOURCE_H
#define IOBLAME_SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "device.h"
#include "status.h"
#include "stream.h"
#include "textlog.h"

enum {
	SOURCE_CPUS = 1024,
};

struct source_cpu {
	int fd;
	struct stream stream;
	struct iob_iolog_bin_record head;
	bool has_head;
};

struct source {
	bool live;
	bool ended;		/* nothing will come */
	bool unordered;		/* no need to merge what several CPUs have */
	struct source_cpu *cpu;
	unsigned int nr_cpus;
	unsigned int at_cpu;	/* unordered: those before have no more */
	int intents;
	int text;		/* the text log, if another has the binary one */
	uint64_t limit_ns;	/* what completed later is not complete yet */
	uint64_t got;		/* bytes of the last filling */

	struct stream raw;	/* of the text log */
	struct textlog entry;
	struct device entry_disk;

	FILE *file;
	char *path;		/* escaped */
	bool torn, ahead;	/* ahead: records are read already */
	struct status before, after;	/* of the recording */
	bool has_status;

	int64_t wall_ns;	/* to be added for the time of day */
	char kernel[128];
	uint64_t start_ns;
	uint64_t dropped;	/* records that were not understood */
};

int source_open(struct source *s, bool text);
int source_open_file(struct source *s, const char *path);
bool source_fill(struct source *s, bool last);
bool source_next(struct source *s, struct iob_iolog_bin_record *rec);
void source_close(struct source *s);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * source - where records come from: the binary log, the text log, ioblamed or a recording
 *
 * The records of all CPUs are merged in the order of their completion.  Of the binary log, at most
 * SOURCE_BYTES are here: what has no room waits in the module, which counts what has none there.
 */
#ifndef IOBLAME_SOURCE_H
#define IOBLAME_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "along.h"
#include "joined.h"
#include "merge.h"
#include "recording.h"
#include "served.h"
#include "store.h"
#include "stream.h"

enum {
	SOURCE_CPUS = 1024,
	SOURCE_BYTES = 8 << 20,
	SOURCE_WALLS = 16,
};

struct source_cpu {
	int fd;			/* of the binary log, else -1 */
	unsigned int nr;	/* of the CPU */
	struct stream stream;
	size_t rest;		/* bytes at the stream's end, of a record that is not read whole */
	struct iob_iolog_bin_record head;
	bool has_head;
	bool is_read;		/* the log was empty since the last source_fill() */
	size_t got;		/* bytes that were read since then */
};

/* The time of day was another one: the clock was set, or the machine was suspended */
struct source_wall {
	uint64_t until_ns;	/* of the records: the last one then, or the beginning */
	int64_t wall_ns;	/* as of the head */
};

enum source_kind {
	SOURCE_NONE,
	SOURCE_BINARY,		/* iolog_bin*, one for each CPU */
	SOURCE_TEXT,		/* iolog */
	SOURCE_RECORDING,
	SOURCE_SERVED,		/* the binary log, by ioblamed */
};

struct source {
	enum source_kind kind;
	bool ended;		/* nothing more will come */
	bool unordered;		/* do not merge */
	struct source_cpu *cpu;
	unsigned int nr_cpus;
	unsigned int at_cpu;	/* unordered: the one whose turn it is */
	struct merge merge;	/* ordered: of those with a record */
	bool merging;		/* it is right */
	bool fresh;		/* records were read whose intents may not be known */
	uint64_t limit_ns;	/* records after it wait: other CPUs may still have earlier ones */
	uint64_t got;		/* bytes that were read since the last source_fill() */
	int intents;		/* the file, of a running session */
	struct along along;
	struct recording recording;	/* or what is served */
	struct joined *joined;		/* the recordings that follow it, or NULL */
	struct served served;
	struct store_head head;
	struct source_wall wall[SOURCE_WALLS];	/* before that of the head, the oldest first */
	unsigned int nr_walls;
	uint64_t latest_ns;	/* of the records until now */
	uint64_t dropped;	/* of the streams that are closed: see source_dropped() */
	/* gets the whole records of a CPU as they are read; may be NULL */
	void (*raw)(unsigned int cpu, const void *bytes, size_t len, void *arg);
	void *raw_arg;
	bool raw_only;		/* and there is nothing for source_next() */
	uint64_t looked_ns;	/* when source_look_for_cpus() has looked */
	long cpus;		/* that were online then */
};

int source_open(struct source *s, bool text);
int source_open_log(struct source *s);
void source_look_for_cpus(struct source *s);
uint64_t source_tick(const struct source *s, uint64_t tick, uint64_t most);
int source_open_idle(struct source *s);
int source_open_served(struct source *s);
int source_open_file(struct source *s, const char *path);
int source_join(struct source *s, struct joined *k);
int64_t source_wall_ns(const struct source *s, uint64_t ns);
void source_head_now(struct store_head *head);
bool source_is_live(const struct source *s);
bool source_fill(struct source *s, bool last);
char *source_status(const struct source *s);
uint64_t source_dropped(const struct source *s);
bool source_next(struct source *s, struct iob_iolog_bin_record *rec);
bool source_skip(struct source *s, bool (*stop)(void));
void source_close(struct source *s);

#endif

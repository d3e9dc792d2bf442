/* SPDX-License-Identifier: GPL-2.0 */
/*
 * choice - the words that the command line chooses from
 *
 * Each list stands here once: the enum, its names, the help text, the completion and the
 * error messages are made of it.
 */
#ifndef IOBLAME_CHOICE_H
#define IOBLAME_CHOICE_H

#include <stddef.h>

/* X(CONSTANT, word): each has a function cmd_word() */
#define CHOICE_RUN(X)			\
	X(TOP, top)			\
	X(SNOOP, snoop)			\
	X(REPORT, report)		\
	X(HIST, hist)			\
	X(STACKS, stacks)		\
	X(TRACE, trace)			\
	X(SCHED, sched)			\
	X(DIRTY, dirty)			\
	X(SCSI, scsi)			\
	X(NVME, nvme)			\
	X(STAT, stat)			\
	X(SUMS, sums)			\
	X(ERRORS, errors)		\
	X(FLUSH, flush)			\
	X(FILES, files)			\
	X(PATTERN, pattern)		\
	X(ADVISE, advise)		\
	X(WEAR, wear)			\
	X(WHEN, when)			\
	X(RECORD, record)		\
	X(EXPORT, export)		\
	X(CONFIG, config)		\
	X(STATUS, status)		\
	X(DOCTOR, doctor)

/* replay is a view, with a recording */
#define CHOICE_COMMANDS(X)		\
	CHOICE_RUN(X)			\
	X(REPLAY, replay)

/* X(CONSTANT, "word") */

/* What a row stands for */
#define CHOICE_PIVOTS(X)		\
	X(PROCESS, "process")		\
	X(FILE, "file")			\
	X(DEVICE, "device")		\
	X(CGROUP, "cgroup")		\
	X(STACK, "stack")		\
	X(OP, "op")			\
	X(WHY, "why")			\
	X(THREAD, "thread")		\
	X(FLAGS, "flags")		\
	X(QUEUE, "queue")		\
	X(SCHED, "sched")		\
	X(USER, "user")			\
	X(COMMAND, "command")

/* The largest comes first; stat, which has no histograms, has those before p99 */
#define CHOICE_SORTS(X)			\
	X(BYTES, "bytes")		\
	X(IOS, "ios")			\
	X(READ, "read")			\
	X(WRITTEN, "written")		\
	X(TIME, "time")			\
	X(P99, "p99")

/* What the width of a stack in a flame graph stands for */
#define CHOICE_WEIGHTS(X)		\
	X(BYTES, "bytes")		\
	X(IOS, "ios")			\
	X(TIME, "time")

/* What comes first among dirty pages */
#define CHOICE_DIRTY_SORTS(X)		\
	X(AGE, "age")			\
	X(BYTES, "bytes")

/* A format of other tools */
#define CHOICE_EXPORTS(X)		\
	X(BLKTRACE, "blktrace")		\
	X(TRACE_EVENT, "trace-event")

/* What a histogram counts */
#define CHOICE_FIELDS(X)		\
	X(SIZE, "size")			\
	X(WAIT, "wait_time")		\
	X(IO, "io_time")		\
	X(TOTAL, "total_time")		\
	X(AGE, "age")			\
	X(SEEK, "seek_dist")		\
	X(OFFSET, "offset")

/* When there are colours */
#define CHOICE_COLORS(X)		\
	X(AUTO, "auto")			\
	X(ALWAYS, "always")		\
	X(NEVER, "never")

/* What may follow a word of `config`: X(word, words) */
#define CHOICE_CONFIG(X)						\
	X("config", "show", "set", "devices", "counters", "counter",	\
	  "filter", "enable", "disable")				\
	X("set", "enable", "log_at_enable", "charge", "role",		\
	  "max_roles", "max_intents", "max_causes", "max_acts",		\
	  "max_sums", "sums", "ttl_secs", "nr_counters")		\
	X("devices", "add", "remove", "only", "clear")			\
	X("role", "thread", "process", "cgroup")			\
	X("charge", "split", "first")		\
	X("enable", "0", "1")

enum command {
#define X(constant, word)	CMD_##constant,
	CHOICE_COMMANDS(X)
#undef X
	NR_COMMANDS,
};

enum pivot {
#define X(constant, word)	BY_##constant,
	CHOICE_PIVOTS(X)
#undef X
	NR_PIVOTS,
};

enum sort {
#define X(constant, word)	SORT_##constant,
	CHOICE_SORTS(X)
#undef X
	NR_SORTS,
};

enum weight {
#define X(constant, word)	WEIGHT_##constant,
	CHOICE_WEIGHTS(X)
#undef X
	NR_WEIGHTS,
};

enum dirty_sort {
#define X(constant, word)	DIRTY_##constant,
	CHOICE_DIRTY_SORTS(X)
#undef X
	NR_DIRTY_SORTS,
};

enum export {
#define X(constant, word)	EXPORT_##constant,
	CHOICE_EXPORTS(X)
#undef X
	NR_EXPORTS,
};

enum field {
#define X(constant, word)	FIELD_##constant,
	CHOICE_FIELDS(X)
#undef X
	NR_FIELDS,
};

enum color {
#define X(constant, word)	COLOR_##constant,
	CHOICE_COLORS(X)
#undef X
	NR_COLORS,
};

extern const char *const choice_commands[NR_COMMANDS];
extern const char *const choice_pivots[NR_PIVOTS];
extern const char *const choice_sorts[NR_SORTS];
extern const char *const choice_weights[NR_WEIGHTS];
extern const char *const choice_dirty_sorts[NR_DIRTY_SORTS];
extern const char *const choice_exports[NR_EXPORTS];
extern const char *const choice_fields[NR_FIELDS];
extern const char *const choice_colors[NR_COLORS];

/* The words of `config` after @word; the last is NULL */
struct choice_config {
	const char *word;
	const char *const *words;
};

extern const struct choice_config choice_config[];

/* Room for the words of any list, with commas */
#define CHOICE_LIST	512

const char *const *choice_config_after(const char *word, int *nr);
int choice_find(const char *word, const char *const *words, int nr);
const char *choice_list(char *to, const char *const *words, int nr);

#endif

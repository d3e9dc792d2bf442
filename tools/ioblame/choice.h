/* SPDX-License-Identifier: GPL-2.0 */
/*
 * choice - the words that the command line chooses from
 *
 * Each list stands here once: the enum, its names, the help text and the error
 * messages are made of it.  selftests/unit/test_tool_choice.c checks that the
 * completion file has the same words.
 */
#ifndef IOBLAME_CHOICE_H
#define IOBLAME_CHOICE_H

#include <stddef.h>

/* X(CONSTANT, word) */
#define CHOICE_COMMANDS(X)		\
	X(TOP, "top")			\
	X(SNOOP, "snoop")		\
	X(REPORT, "report")		\
	X(HIST, "hist")			\
	X(STACKS, "stacks")		\
	X(RECORD, "record")		\
	X(REPLAY, "replay")		\
	X(CONFIG, "config")		\
	X(STATUS, "status")		\
	X(DOCTOR, "doctor")

/* What a row stands for */
#define CHOICE_PIVOTS(X)		\
	X(PROCESS, "process")		\
	X(FILE, "file")			\
	X(DEVICE, "device")		\
	X(CGROUP, "cgroup")		\
	X(STACK, "stack")		\
	X(OP, "op")			\
	X(WHY, "why")

/* The largest comes first */
#define CHOICE_SORTS(X)			\
	X(BYTES, "bytes")		\
	X(IOS, "ios")			\
	X(READ, "read")			\
	X(WRITTEN, "written")		\
	X(P99, "p99")			\
	X(TIME, "time")

/* What the width of a stack in a flame graph stands for */
#define CHOICE_WEIGHTS(X)		\
	X(BYTES, "bytes")		\
	X(IOS, "ios")			\
	X(TIME, "time")

/* What a histogram counts */
#define CHOICE_FIELDS(X)		\
	X(SIZE, "size")			\
	X(WAIT, "wait_time")		\
	X(IO, "io_time")		\
	X(TOTAL, "total_time")		\
	X(AGE, "age")

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

enum field {
#define X(constant, word)	FIELD_##constant,
	CHOICE_FIELDS(X)
#undef X
	NR_FIELDS,
};

extern const char *const choice_commands[NR_COMMANDS];
extern const char *const choice_pivots[NR_PIVOTS];
extern const char *const choice_sorts[NR_SORTS];
extern const char *const choice_weights[NR_WEIGHTS];
extern const char *const choice_fields[NR_FIELDS];

/* Room for the words of any list, with commas */
#define CHOICE_LIST	128

int choice_find(const char *word, const char *const *words, int nr);
const char *choice_list(char *to, const char *const *words, int nr);

#endif

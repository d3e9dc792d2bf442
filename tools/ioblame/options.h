/* SPDX-License-Identifier: GPL-2.0 */
/*
 * options - the one table of options, and the one table of commands
 *
 * The parser (opts.c), --help, the synopsis of the manual (help.c) and the completion
 * (ioblame.bash asks `ioblame help --words`) are made of these tables.
 *
 * To add an option: a member in struct opts (opts.h), and a row in options.c.  To add a command:
 * its word in CHOICE_RUN (choice.h), a row in commands.c, and cmd_WORD() in cmd.h and a
 * cmd_WORD.c; if it shows records, its CMD() in VIEWS below gives it every option of views.  Then
 * `make -C tools/ioblame manual` writes the synopsis into Documentation/ioblame.8; a paragraph
 * there, about each new option and command, is yours.  selftests/unit/test_tool_options.c fails
 * if one is missing.
 */
#ifndef IOBLAME_OPTIONS_H
#define IOBLAME_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "choice.h"
#include "opts.h"

#define CMD(c)	(1U << CMD_##c)
/* Commands that show records, live or of a recording */
#define VIEWS	(CMD(TOP) | CMD(SNOOP) | CMD(REPORT) | CMD(HIST) | CMD(STACKS) | CMD(STAT) | \
		 CMD(ERRORS) | CMD(FLUSH) | CMD(FILES) | CMD(PATTERN) | CMD(ADVISE))
/* Commands that show what a recording does not have */
#define LIVE	(CMD(TRACE) | CMD(SCHED) | CMD(DIRTY) | CMD(SUMS) | DRIVERS)
/* ... for they read the kernel's events of a driver */
#define DRIVERS	(CMD(SCSI) | CMD(NVME))
/* Views whose rows are an originator and something else */
#define TALLIES	(CMD(ERRORS) | CMD(FLUSH) | CMD(FILES) | CMD(PATTERN))
/* Commands that show nothing but what ioblamed has recorded */
#define RECORDED (CMD(WEAR) | CMD(WHEN))
/* ... and those that can */
#define PASTS	(CMD(TOP) | CMD(REPORT) | CMD(HIST) | CMD(STACKS) | RECORDED)
/* Commands that show records as ioblamed sends them */
#define SERVED	(REPLAYS | CMD(RECORD))
/* Views of records that ioblamed has kept of a time: see joined.h */
#define KEPT	(CMD(SNOOP) | CMD(ERRORS) | CMD(FLUSH) | CMD(FILES) | CMD(PATTERN))
/* Commands that replay takes */
#define REPLAYS	(VIEWS | CMD(EXPORT))
/* Commands that switch ioblame on, and can run another command after -- */
#define WATCHES	(REPLAYS | LIVE | CMD(RECORD))
/* Commands that print once: an interval is their duration */
#define ONCE	(CMD(SNOOP) | CMD(TRACE) | CMD(STACKS) | CMD(ADVISE) | CMD(RECORD) | CMD(EXPORT))
/* Commands that take words as they like */
#define FREE	(CMD(CONFIG))
/* Commands that take no interval */
#define TIMELESS (CMD(CONFIG) | CMD(STATUS) | CMD(DOCTOR) | RECORDED)

/*
 * One row for each form of an option: -r of snoop and -r of report are two.  A row without @set
 * is an argument, which is in the help only; its @name stands there as it is.
 */
struct option_row {
	const char *name;
	char letter;		/* or 0 */
	const char *value;	/* what it is called in the help; NULL: none; "[=X]": optional */
	unsigned int commands;	/* CMD() of those that have it */
	const char *help;	/* a %s in it is @words; a \n begins a new line */

	bool (*set)(struct opts *o, const struct option_row *row, const char *arg);
	size_t at, at2;		/* what @set sets, in struct opts */
	long long n;		/* which value, or which unit */
	const char *const *words;	/* what the value is one of */
	int nr_words;
	const char *complete;	/* what ioblame.bash completes it with: file, disk, pid, comm... */
};

struct command_row {
	const char *usage;	/* OPTIONS, and other words in capitals, stand for something */
	const char *summary;
	const char *examples;
};

extern const struct option_row option_rows[];
extern const unsigned int option_nr;
extern const struct command_row command_rows[NR_COMMANDS];

const struct option_row *option_find(enum command command, int key);
int option_key(const struct option_row *row);

#endif

// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <string.h>
#include <time.h>

#include "blkevent.h"
#include "choice.h"
#include "moment_file.h"
#include "msg.h"
#include "options.h"
#include "past.h"
#include "rec.h"
#include "since.h"
#include "text.h"

static void *member_of(struct opts *o, size_t at)
{
	return (char *)o + at;
}

/* @at2 is a flag that says that it was given. */
static bool set_flag(struct opts *o, const struct option_row *row, const char *arg)
{
	(void)arg;
	*(bool *)member_of(o, row->at) = row->n;
	if (row->at2)
		*(bool *)member_of(o, row->at2) = true;
	return true;
}

static bool set_format(struct opts *o, const struct option_row *row, const char *arg)
{
	(void)arg;
	o->format = row->n;
	return true;
}

static bool set_list(struct opts *o, const struct option_row *row, const char *arg)
{
	const char **list = member_of(o, row->at);
	unsigned int *nr = member_of(o, row->at2);

	if (*nr == OPTS_LIST || !*arg)
		return false;
	list[(*nr)++] = arg;
	return true;
}

static bool set_text(struct opts *o, const struct option_row *row, const char *arg)
{
	*(const char **)member_of(o, row->at) = arg;
	return *arg;
}

/* @n is the largest. */
static bool set_number(struct opts *o, const struct option_row *row, const char *arg)
{
	uint64_t n;

	if (!text_parse_u64(arg, &n) || !n || n > (uint64_t)row->n)
		return false;
	*(unsigned int *)member_of(o, row->at) = n;
	return true;
}

/* @n is the unit of a bare number; a time of 0 is none. */
static bool set_time(struct opts *o, const struct option_row *row, const char *arg)
{
	uint64_t *ns = member_of(o, row->at);

	return text_parse_nsecs(arg, row->n, ns) && *ns;
}

static bool set_time_or_0(struct opts *o, const struct option_row *row, const char *arg)
{
	return text_parse_nsecs(arg, row->n, member_of(o, row->at));
}

/* An enum, which is an int; @at2 is a flag that says that it was given. */
static bool set_word(struct opts *o, const struct option_row *row, const char *arg)
{
	int i = choice_find(arg, row->words, row->nr_words);

	if (i < 0)
		return false;
	*(int *)member_of(o, row->at) = i;
	if (row->at2)
		*(bool *)member_of(o, row->at2) = true;
	return true;
}

static bool add_pid(const char *word, void *arg)
{
	struct opts *o = arg;
	uint64_t pid;

	if (o->nr_pids == OPTS_LIST || !text_parse_u64(word, &pid) || !pid || pid > INT32_MAX)
		return false;
	o->pid[o->nr_pids++] = pid;
	return true;
}

static bool set_pids(struct opts *o, const struct option_row *row, const char *arg)
{
	(void)row;
	return text_parse_list(arg, add_pid, o);
}

static bool set_rw(struct opts *o, const struct option_row *row, const char *arg)
{
	size_t i, n = strlen(arg);

	(void)row;
	if (!n || n >= sizeof(o->rw))
		return false;
	for (i = 0; i < n; i++) {
		o->rw[i] = toupper((unsigned char)arg[i]);
		if (!strchr(rec_op_letters, o->rw[i]))
			return false;
	}
	o->rw[n] = '\0';
	return true;
}

static bool set_acts(struct opts *o, const struct option_row *row, const char *arg)
{
	(void)row;
	return blkevent_parse_acts(arg, &o->acts);
}

/* @n: a time that comes twice is the later one. */
static bool set_moment(struct opts *o, const struct option_row *row, const char *arg)
{
	int64_t *ns = member_of(o, row->at), now;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	now = t.tv_sec * 1000000000LL + t.tv_nsec;
	if (row->n)
		o->until = arg;
	return (row->n ? since_parse_until(arg, now, ns) : since_parse(arg, now, ns)) && *ns;
}

static bool set_bundle(struct opts *o, const struct option_row *row, const char *arg)
{
	(void)row;
	o->bundle = true;
	o->output = arg;
	return !arg || *arg;
}

#define ARGUMENT	.set = NULL
#define AT(m)		offsetof(struct opts, m)
#define FLAG(m, v)	.set = set_flag, .at = AT(m), .n = (v)
#define FORMAT(v)	.set = set_format, .n = (v)
#define LIST(m, nr)	.set = set_list, .at = AT(m), .at2 = AT(nr)
#define TEXT(m)		.set = set_text, .at = AT(m)
#define NUMBER(m, most)	.set = set_number, .at = AT(m), .n = (most)
#define TIME(m, unit)	.set = set_time, .at = AT(m), .n = (unit)
#define WORDS(list)	.words = (list), .nr_words = ARRAY_SIZE(list)
#define WORD(m, list)	.set = set_word, .at = AT(m), WORDS(list)
#define WORD_GIVEN(m, given, list)	WORD(m, list), .at2 = AT(given)

/*
 * In the order of the help: a command's own options come first.  To add one, add a row here:
 *
 *	{ "long", 'l', "VALUE", commands that have it, "what it does", how it is set },
 *
 * with its member of struct opts in one of the macros above.  See options.h for the rest.
 */
const struct option_row option_rows[] = {
	{ "FIELD", 0, NULL, CMD(HIST), "%s", ARGUMENT, WORDS(choice_fields) },
	{ "FILE", 0, NULL, CMD(REPLAY), "made by ioblame record", ARGUMENT },
	{ "VIEW", 0, NULL, CMD(REPLAY), "one of the views, with its options", ARGUMENT },
	{ "show", 0, NULL, CMD(CONFIG), "all settings (--json)", ARGUMENT },
	{ "set NAME VALUE", 0, NULL, CMD(CONFIG), "change one setting", ARGUMENT },
	{ "devices", 0, NULL, CMD(CONFIG),
	  "the devices; add|remove|only DEVICE..., clear", ARGUMENT },
	{ "counters", 0, NULL, CMD(CONFIG), "the counters", ARGUMENT },
	{ "counter NR SPEC", 0, NULL, CMD(CONFIG), "what counter NR counts", ARGUMENT },
	{ "filter NR EXPRESSION", 0, NULL, CMD(CONFIG),
	  "only IO for which EXPRESSION is true; 0: all IO", ARGUMENT },
	{ "enable, disable", 0, NULL, CMD(CONFIG), "switch ioblame on or off", ARGUMENT },

	{ "accumulate", 'a', NULL, CMD(TOP), "sums since the beginning", FLAG(accumulate, true) },
	{ "batch", 'b', NULL, CMD(TOP), "no live view", FLAG(batch, true) },
	{ "stacks", 0, NULL, CMD(SNOOP), "print the stack below each line", FLAG(stacks, true) },
	{ "errors", 0, NULL, CMD(SNOOP), "only IO that failed", FLAG(errors, true) },
	{ "min-lat", 0, "TIME", CMD(SNOOP),
	  "only IO that took this time or more: 50 (ms), 200us, 1s",
	  .set = set_time_or_0, .at = AT(min_lat_ns), .n = 1000000 },
	{ "act", 0, "ACTION,...", CMD(TRACE),
	  "only events that are one of these: queue, issue, C, ...; read, sync, meta, ...",
	  .set = set_acts, .complete =
	  "queue remap bounce split getrq sleeprq plug unplug merge insert requeue issue complete "
	  "read write discard flush fua sync meta ahead pc" },
	{ "rows", 'r', "N", CMD(TRACE), "end after N lines, 100000 at most", NUMBER(rows, 100000) },
	{ "by", 0, "WHAT", CMD(DIRTY), "what a row stands for: %s;\n"
	  "without it, what a program dirtied of a file", .set = set_word, .at = AT(by),
	  .at2 = AT(given_by), .words = choice_pivots, .nr_words = BY_CGROUP + 1 },
	{ "by", 0, "WHAT", CMD(SUMS), "what a row stands for: %s", .set = set_word, .at = AT(by),
	  .at2 = AT(given_by), .words = choice_pivots, .nr_words = BY_WHY + 1 },
	{ "sort", 's', "COLUMN", CMD(DIRTY), "what comes first: %s (the oldest, the largest)",
	  WORD(dirty_sort, choice_dirty_sorts) },
	{ "rows", 'r', "N", CMD(SCHED) | CMD(DIRTY) | CMD(SUMS) | RECORDED,
	  "the first N rows, 100000 at most",
	  NUMBER(rows, 100000) },
	{ "rule", 0, "RULE", CMD(WHEN),
	  "what else stands out, as 'p99 > 50ms',\n'ios/s > 5k on sda' or\n"
	  "'write errors > 0 of unit db*'; repeatable, 32 at most",
	  LIST(rule, nr_rules) },
	{ "weight", 0, "WHAT", CMD(STACKS), "%s (us)", WORD(weight, choice_weights) },
	{ "folded", 0, NULL, CMD(STACKS), "folded stacks (the default)",
	  FLAG(svg, false), .at2 = AT(given_drawing) },
	{ "svg", 0, NULL, CMD(STACKS), "a flame graph", FLAG(svg, true),
	  .at2 = AT(given_drawing) },
	{ "output", 'o', "FILE", CMD(STACKS), "write to this file", TEXT(output),
	  .complete = "file" },
	{ "output", 'o', "FILE", CMD(RECORD), "the recording", TEXT(output), .complete = "file" },
	{ "html", 0, "FILE", CMD(REPORT), "write a page for browsers: charts and tables",
	  TEXT(html), .complete = "file" },
	{ "format", 0, "FORMAT", CMD(EXPORT), "%s",
	  WORD_GIVEN(export, given_export, choice_exports) },
	{ "output", 'o', "PATH", CMD(EXPORT),
	  "the folder of blktrace's files, or the file of trace-event", TEXT(output),
	  .complete = "file" },
	{ "bundle", 0, "[=FILE]", CMD(DOCTOR),
	  "write an archive (.tar.gz) to FILE, or to the current folder",
	  .set = set_bundle, .complete = "file" },
	{ "anonymous", 0, NULL, CMD(DOCTOR), "names and addresses are left out of it",
	  FLAG(anonymous, true) },

	{ "extended", 'x', NULL, CMD(STAT), "all columns, also where they are wider than 80",
	  FLAG(extended, true) },

	{ "average", 'e', NULL, CMD(HIST), "print mean and sum, too", FLAG(average, true) },
	{ "percentiles", 0, NULL, CMD(HIST), "a table of percentiles instead",
	  FLAG(percentiles, true) },
	{ "counters", 0, NULL, CMD(HIST),
	  "count in the kernel, not from its log; prints once", FLAG(counters, true) },
	{ "by", 0, "WHAT", CMD(TOP) | CMD(REPORT) | CMD(HIST) | CMD(STAT) | TALLIES,
	  "what a row stands for:\n%s", WORD_GIVEN(by, given_by, choice_pivots) },
	{ "rows", 'r', "N", CMD(TOP) | CMD(REPORT) | TALLIES | DRIVERS,
	  "the first N rows, 100000 at most",
	  NUMBER(rows, 100000) },
	{ "rows", 'r', "N", CMD(HIST), "the first N histograms, 100000 at most",
	  NUMBER(rows, 100000) },
	{ "rows", 'r', "N", CMD(STAT), "the first N originators of each disk, 100000 at most",
	  NUMBER(rows, 100000) },
	{ "rows", 'r', "N", CMD(SNOOP), "end after N lines, 100000 at most", NUMBER(rows, 100000) },
	{ "rows", 'r', "N", CMD(STACKS), "with --json or --csv: the first N stacks, 100000 at most",
	  NUMBER(rows, 100000) },
	{ "columns", 'o', "COL[,COL...]", CMD(TOP) | CMD(REPORT) | CMD(SNOOP),
	  "only these columns; +COL: these, too", TEXT(column_list) },
	{ "submitter", 'S', NULL, CMD(TOP) | CMD(REPORT), "show the submitter, too",
	  FLAG(submitter, true) },
	{ "iowait", 'w', NULL, CMD(TOP) | CMD(REPORT),
	  "show how much of the time a task waited for IO", FLAG(iowait, true) },
	{ "sort", 's', "COLUMN", (VIEWS | CMD(SUMS)) & ~(CMD(SNOOP) | CMD(STAT) | CMD(ERRORS) |
		   CMD(FLUSH) | CMD(PATTERN) | CMD(ADVISE)),
	  "the largest first:\n%s", WORD_GIVEN(sort, given_sort, choice_sorts) },
	{ "sort", 's', "COLUMN", CMD(STAT), "the largest first:\n%s", .set = set_word,
	  .at = AT(sort), .at2 = AT(given_sort), .words = choice_sorts, .nr_words = SORT_P99 },
	{ "[INTERVAL [COUNT]]", 0, NULL, (VIEWS & ~ONCE) | (LIVE & ~ONCE),
	  "seconds between tables (also 500ms, 2m), and their number", ARGUMENT },
	{ "[SECONDS]", 0, NULL, ONCE, "the same as -d", ARGUMENT },
	{ "timestamp", 'T', NULL, (VIEWS & ~(CMD(STACKS) | CMD(ADVISE))) | (LIVE & ~DRIVERS),
	  "show the time of day", FLAG(timestamp, true) },

	{ "since", 0, "TIME", PASTS,
	  "what ioblamed recorded since: 03:00, yesterday, 30d, 2026-11-25",
	  .set = set_moment, .at = AT(since_ns), .complete = "today yesterday" },
	{ "since", 0, "TIME", KEPT,
	  "what ioblamed kept of moments since: 03:00, yesterday, 30d, 2026-11-25",
	  .set = set_moment, .at = AT(since_ns), .complete = "today yesterday" },
	{ "until", 0, "TIME", PASTS | KEPT, "and until then; without it, until now",
	  .set = set_moment, .at = AT(until_ns), .n = true, .complete = "now today yesterday" },
	{ "past", 0, "FILE", PASTS, "another database than " PAST_FILE "; twice at most",
	  LIST(past, nr_pasts), .complete = "file" },
	{ "past", 0, "FILE", KEPT, "another folder than " MOMENT_FOLDER ", or a database beside it",
	  LIST(past, nr_pasts), .complete = "file" },
	{ "duration", 'd', "TIME", WATCHES, "end after this time: 10, 500ms, 2m",
	  TIME(duration_ns, 1000000000) },
	{ "-- COMMAND...", 0, NULL, WATCHES, "run a command, and watch until it ends", ARGUMENT },
	{ "sync", 0, NULL, WATCHES & ~CMD(DIRTY), "write dirty data at the beginning and at the end",
	  FLAG(sync, true) },
	{ "device", 'D', "DEVICE", WATCHES | RECORDED,
	  "a disk, partition or dm name, or MAJ:MIN; repeatable, 32 at most",
	  LIST(device, nr_devices), .complete = "disk" },
	{ "pid", 'p', "PID[,PID...]", WATCHES & ~CMD(SUMS),
	  "only these processes or threads, 32 at most",
	  .set = set_pids, .complete = "pid" },
	{ "comm", 'c', "PATTERN", WATCHES | RECORDED,
	  "only programs with this name (shell pattern); repeatable, 32 at most",
	  LIST(comm, nr_comms), .complete = "comm" },
	{ "user", 'u', "USER", (WATCHES | RECORDED) & ~CMD(DIRTY),
	  "only processes of this user; repeatable, 32 at most",
	  LIST(user, nr_users), .complete = "user" },
	{ "cgroup", 'g', "CGROUP", WATCHES & ~CMD(SUMS),
	  "only this cgroup and those below: path, a part of its\n"
	  "name, a container's name or short id, or a number; repeatable, 32 at most",
	  LIST(cgroup, nr_cgroups), .complete = "cgroup" },
	{ "file", 0, "PATTERN", WATCHES | RECORDED,
	  "only files whose path matches the shell pattern; repeatable, 32 at most",
	  LIST(file, nr_files), .complete = "file" },
	{ "rw", 0, "RAWDF", WATCHES & ~CMD(DIRTY), "only reads, readahead, writes, discards, flushes",
	  .set = set_rw, .complete = "R A W D F RA RAW" },
	{ "direct", 0, NULL, SERVED, "read the module's log, where ioblamed is there, too",
	  FLAG(direct, true) },
	{ "color", 0, "WHEN", VIEWS | LIVE | RECORDED, "what is slow, failed or lost in colour: %s",
	  WORD(color, choice_colors) },
	{ "json", 0, NULL, VIEWS | LIVE | RECORDED | CMD(STATUS) | CMD(CONFIG) | CMD(DOCTOR), "JSON lines",
	  FORMAT(FORMAT_JSON) },
	{ "csv", 0, NULL, VIEWS | LIVE | RECORDED, "CSV", FORMAT(FORMAT_CSV) },
};

const unsigned int option_nr = ARRAY_SIZE(option_rows);

/* What getopt returns of a row: its letter, or a number above all letters. */
int option_key(const struct option_row *row)
{
	unsigned int i;

	if (row->letter)
		return row->letter;
	/* rows of one name share the number of the first */
	for (i = 0; !option_rows[i].name || strcmp(option_rows[i].name, row->name); i++)
		;
	return 256 + i;
}

/* The row of a command's option, or NULL if the command has no such option. */
const struct option_row *option_find(enum command command, int key)
{
	const struct option_row *row;

	for (row = option_rows; row < option_rows + option_nr; row++) {
		if (row->set && row->commands & 1U << command && option_key(row) == key)
			return row;
	}
	return NULL;
}

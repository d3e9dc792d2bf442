// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "choice.h"
#include "escape.h"
#include "help.h"
#include "msg.h"
#include "options.h"
#include "opts.h"
#include "rule.h"
#include "since.h"
#include "text.h"

static int usage_error(const struct opts *o, const char *fmt, const char *what)
{
	char text[CHOICE_LIST + 512], safe[ESCAPE_SIZE(64)];

	escape_text(safe, sizeof(safe), what ? what : "", 64);
	snprintf(text, sizeof(text), fmt, safe);
	msg("%s; try: ioblame %s%s--help", text,
	    o->given_command ? choice_commands[o->command] : "",
	    o->given_command ? " " : "");
	return EXIT_USAGE;
}

static int unknown_command(const struct opts *o, const char *word)
{
	char list[CHOICE_LIST], text[CHOICE_LIST + 64];

	snprintf(text, sizeof(text), "there is no command '%%s'; choose one of %s, help",
		 choice_list(list, choice_commands, NR_COMMANDS));
	return usage_error(o, text, word);
}

static bool parse_choice(const char *word, const char * const *words, int nr, int *to)
{
	int i = choice_find(word, words, nr);

	if (i < 0)
		return false;
	*to = i;
	return true;
}

/* The table as getopt takes it: rows of one name have one key. */
static void make_getopt(struct option *longs, char *shorts)
{
	const struct option_row *row;

	*shorts++ = ':';
	*shorts++ = 'h';
	*shorts++ = 'V';
	*longs++ = (struct option){ "help", no_argument, NULL, 'h' };
	*longs++ = (struct option){ "version", no_argument, NULL, 'V' };
	for (row = option_rows; row < option_rows + option_nr; row++) {
		if (!row->set)
			continue;
		*longs++ = (struct option){
			row->name, !row->value ? no_argument : *row->value == '[' ?
			optional_argument : required_argument, NULL, option_key(row),
		};
		if (row->letter) {
			*shorts++ = row->letter;
			if (row->value)
				*shorts++ = ':';
		}
	}
	*longs = (struct option){ 0 };
	*shorts = '\0';
}

static const char *option_name(int key)
{
	const struct option_row *row = option_rows;

	while (!row->set || option_key(row) != key)
		row++;
	return row->name;
}

/* The option is not the command's, or its value is none of its own. */
static int option_refused(struct opts *o, const char *name, const struct option_row *row)
{
	char text[CHOICE_LIST + 128], list[CHOICE_LIST], *at;

	if (!row)
		snprintf(text, sizeof(text), "%s has no --%s", choice_commands[o->command],
			 name);
	else if (row->words)
		snprintf(text, sizeof(text), "--%s cannot be '%%s'; choose one of %s", row->name,
			 choice_list(list, row->words, row->nr_words));
	else
		snprintf(text, sizeof(text), "--%s takes %s (%s), not '%%s'", row->name,
			 row->value, row->help);
	/* a message is one line, unlike help */
	for (at = text; *at; at++) {
		if (*at == '\n')
			*at = ' ';
	}
	return usage_error(o, text, optarg);
}

/* help [COMMAND]; --words and --manual are for ioblame.bash and the Makefile */
static int parse_help(struct opts *o, int nr, char **words)
{
	int command = -1;

	if (nr && !strcmp(words[0], "--words"))
		help_words();
	else if (nr && !strcmp(words[0], "--manual"))
		help_manual();
	else if (!nr || parse_choice(words[0], choice_commands, NR_COMMANDS, &command))
		help_print(command);
	else
		return unknown_command(o, words[0]);
	return OPTS_DONE;
}

/*
 * What getopt does not take: a long option that is none, or has a value that it does not take, or
 * a letter.  That may stand within @word or, as getopt has not left its word yet, behind it.
 */
static int option_unknown(const struct opts *o, const struct option *longs, const char *word)
{
	const char letter[] = { '-', (char)optopt, '\0' };

	if (!optopt)
		return usage_error(o, "unknown option %s", word);
	/* of letters only those that are no option come here */
	for (; longs->name; longs++) {
		if (longs->val == optopt)
			return usage_error(o, "--%s takes no value", longs->name);
	}
	return usage_error(o, "unknown option %s", letter);
}

/* One option.  Return: EXIT_OK, EXIT_USAGE after an error, or OPTS_DONE. */
static int parse_option(struct opts *o, int key, const char *word, const char *name)
{
	const struct option_row *row;

	switch (key) {
	case 'h':
		help_print(o->given_command ? (int)o->command : -1);
		return OPTS_DONE;
	case 'V':
		printf("ioblame %s\n", VERSION);
		return OPTS_DONE;
	case ':':
		return usage_error(o, "%s needs a value", word);
	}
	row = option_find(o->command, key);
	/* -o is short for different words */
	if (row && name && strcmp(row->name, name))
		return option_refused(o, name, NULL);
	return row && row->set(o, row, optarg) ? EXIT_OK :
	       option_refused(o, name ? name : option_name(key), row);
}

static int parse_options(struct opts *o, int argc, char **argv)
{
	struct option *longs = must(calloc(option_nr + 3, sizeof(*longs)));
	char *shorts = must(calloc(option_nr + 2, 2));
	int key, at = -1, ret = EXIT_OK;

	make_getopt(longs, shorts);
	optind = 0;
	opterr = 0;
	while (!ret && (key = getopt_long(argc, argv, shorts, longs, &at)) >= 0) {
		ret = key == '?' ? option_unknown(o, longs, argv[optind - 1]) :
		      parse_option(o, key, argv[optind - 1], at < 0 ? NULL : longs[at].name);
		at = -1;
	}
	free(longs);
	free(shorts);
	return ret;
}

/* [INTERVAL [COUNT]] */
static int parse_interval(struct opts *o, char **args, int nr)
{
	if (nr > 2)
		return usage_error(o, "unexpected argument '%s'", args[2]);
	if (nr && (!text_parse_nsecs(args[0], 1000000000, &o->interval_ns) ||
		   o->interval_ns < 10000000))
		return usage_error(o, "'%s' is not an interval in seconds", args[0]);
	if (nr > 1 && (!text_parse_u64(args[1], &o->count) || !o->count))
		return usage_error(o, "'%s' is not a count", args[1]);
	return EXIT_OK;
}

/* Whether @word may follow one of `config`.  Return: the exit status, after saying what may. */
static int check_config_word(const struct opts *o, const char *after, const char *word)
{
	char list[CHOICE_LIST], text[CHOICE_LIST + 128];
	const char *const *words;
	int nr;

	words = choice_config_after(after, &nr);
	if (!words || choice_find(word, words, nr) >= 0)
		return EXIT_OK;
	snprintf(text, sizeof(text), "%s%s has no '%%s'; choose one of %s",
		 strcmp(after, "config") ? "config " : "", after, choice_list(list, words, nr));
	return usage_error(o, text, word);
}

/* What can be known without the module */
static int check_config(const struct opts *o)
{
	int ret = o->nr_args ? check_config_word(o, "config", o->args[0]) : EXIT_OK;

	if (!ret && o->nr_args > 1 && !strcmp(o->args[0], "devices"))
		return check_config_word(o, "devices", o->args[1]);
	if (ret || !o->nr_args || strcmp(o->args[0], "set"))
		return ret;
	if (o->nr_args != 3)
		return usage_error(o, "config set needs a name and a value", NULL);
	ret = check_config_word(o, "set", o->args[1]);
	return ret ? ret : check_config_word(o, o->args[1], o->args[2]);
}

static int parse_args(struct opts *o, char **args, int nr)
{
	char list[CHOICE_LIST], text[CHOICE_LIST + 64];
	int word;

	if (FREE & 1U << o->command) {
		o->args = args;
		o->nr_args = nr;
		return o->command == CMD_CONFIG ? check_config(o) : EXIT_OK;
	}
	if (TIMELESS & 1U << o->command)
		return nr ? usage_error(o, "unexpected argument '%s'", args[0]) : EXIT_OK;
	switch (o->command) {
	case CMD_HIST:
		choice_list(list, choice_fields, NR_FIELDS);
		snprintf(text, sizeof(text), nr ? "'%%s' is not a field; choose one of %s" :
			 "hist needs a field: one of %s", list);
		if (!nr || !parse_choice(args[0], choice_fields, NR_FIELDS, &word))
			return usage_error(o, text, nr ? args[0] : NULL);
		o->field = word;
		return parse_interval(o, args + 1, nr - 1);
	case CMD_RECORD:
		if (!o->output)
			return usage_error(o, "record needs a file: -o FILE", NULL);
		return parse_interval(o, args, nr);
	case CMD_EXPORT:
		if (!o->given_export)
			return usage_error(o, "export needs a format: --format blktrace or trace-event",
					   NULL);
		if (!o->output && o->export == EXPORT_BLKTRACE)
			return usage_error(o, "blktrace's format needs a folder: -o FOLDER", NULL);
		return parse_interval(o, args, nr);
	default:
		return parse_interval(o, args, nr);
	}
}

/* Of two options one would be ignored. */
static int check_together(const struct opts *o)
{
	const bool table = o->format == FORMAT_TABLE, stacks = o->command == CMD_STACKS;
	const struct {
		bool given;
		const char *what;
	} never[] = {
		{ stacks && table && (o->rows || o->given_sort),
		  "--rows and --sort need --json or --csv" },
		{ stacks && !table && o->given_drawing,
		  "--json and --csv are a list of stacks, no --svg or --folded" },
		{ stacks && !table && o->output,
		  "--output is for --svg and --folded; redirect --json or --csv: > FILE" },
		{ o->html && (o->interval_ns || !table),
		  "--html is one page: no interval, --json or --csv" },
		{ o->average && o->format == FORMAT_CSV && !o->percentiles,
		  "--average of CSV needs --percentiles" },
		{ o->iowait && (o->input || o->html),
		  "--iowait is not known of a recording or in --html" },
		{ o->direct && (o->input || o->since_ns), "--direct is for what happens now" },
		{ o->sync && o->input, "--sync is for what happens now, not for a recording" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(never); i++) {
		if (never[i].given)
			return usage_error(o, never[i].what, NULL);
	}
	return EXIT_OK;
}

/* The kernel's counters know acts, not IOs; they are read when a process may be gone. */
static int check_counters(const struct opts *o)
{
	static const enum pivot never[] = {
		BY_DEVICE, BY_OP, BY_WHY, BY_FLAGS, BY_QUEUE, BY_SCHED, BY_USER, BY_COMMAND,
	};
	size_t i;

	if (o->input)
		return usage_error(o, "--counters asks the kernel, and a recording has none", NULL);
	if (o->interval_ns || o->average || o->percentiles)
		return usage_error(o, "--counters prints slots, and once: no interval, --average or --percentiles",
				   NULL);
	if (o->nr_users)
		return usage_error(o, "--counters knows no users; leave out --counters", NULL);
	for (i = 0; o->given_by && i < ARRAY_SIZE(never); i++) {
		if (o->by == never[i])
			return usage_error(o, "--counters cannot tell this of IO: --by %s; leave out --counters",
					   choice_pivots[o->by]);
	}
	return EXIT_OK;
}

/* An --until that is a time of the day is the first one behind --since, if the last one is not. */
static void order_moments(struct opts *o)
{
	if (o->since_ns && o->until_ns && o->until_ns <= o->since_ns)
		since_time_behind(o->until, o->since_ns, &o->until_ns);
}

/* Whether the past can tell: it knows units by their names, no paths and no numbers of cgroups. */
static bool names_units(const struct opts *o)
{
	unsigned int i;
	uint64_t id;

	for (i = 0; i < o->nr_cgroups; i++) {
		/* a number of so many digits is a container's short id */
		if (*o->cgroup[i] == '/' ||
		    (text_parse_u64(o->cgroup[i], &id) && strlen(o->cgroup[i]) < 12))
			return false;
	}
	return true;
}

/* ioblamed keeps sums under names; what it shows is over, and no recording. */
static int check_past(const struct opts *o)
{
	const bool sums = PASTS & 1U << o->command;
	const struct {
		bool given;
		const char *what;
	} never[] = {
		{ o->run, "it runs no command" },
		{ o->input, "a recording is not asked" },
		{ o->duration_ns, "there is no --duration; say --until" },
		{ o->sync, "there is no --sync" },
		/* sums are kept by their interval and under names */
		{ sums && o->interval_ns && o->command != CMD_TOP,
		  "there are intervals in top only" },
		{ o->count, "there is no COUNT; say --until" },
		{ sums && o->timestamp, "there is no --timestamp" },
		{ o->html, "there is no --html" },
		{ o->nr_pids && sums, "pids are not known; say --comm" },
		{ sums && !names_units(o), "cgroups are known by the names of units: -g NAME" },
		{ sums && (o->iowait || o->submitter || o->column_list),
		  "there is no --iowait, --submitter or --columns" },
		{ o->accumulate || o->counters, "there is no --accumulate or --counters" },
		{ o->average || o->percentiles,
		  "there is no --average or --percentiles; report has MEAN and P99" },
		{ o->command == CMD_HIST && o->field != FIELD_TOTAL, "only total_time is known" },
		{ o->given_by && sums && o->by > BY_WHY,
		  "rows cannot stand for this (--by)" },
	};
	size_t i;

	if (!o->since_ns && !(RECORDED & 1U << o->command))
		return o->until_ns || o->nr_pasts ?
		       usage_error(o, "--until and --past need --since", NULL) : EXIT_OK;
	if (o->since_ns && o->until_ns && o->until_ns <= o->since_ns)
		return usage_error(o, "--until is not after --since", NULL);
	if (o->nr_pasts > 1 && !sums)
		return usage_error(o, "--past is given once: a folder", NULL);
	if (o->nr_pasts > 2)
		return usage_error(o, "--past is given twice at most: for minutes and for intervals",
				   NULL);
	for (i = 0; i < ARRAY_SIZE(never); i++) {
		if (never[i].given)
			return usage_error(o, "what ioblamed has recorded is shown: %s",
					   never[i].what);
	}
	return EXIT_OK;
}

/* Say of a wrong rule what is wrong. */
static int check_rules(const struct opts *o)
{
	char safe[ESCAPE_SIZE(RULE_TEXT)];
	const char *wrong;
	struct rule rule;
	unsigned int i;

	for (i = 0; i < o->nr_rules; i++) {
		wrong = rule_parse(&rule, o->rule[i]);
		if (!wrong)
			continue;
		escape_text(safe, sizeof(safe), o->rule[i], RULE_TEXT);
		msg("--rule '%s': %s; try: ioblame %s --help", safe, wrong,
		    choice_commands[o->command]);
		return EXIT_USAGE;
	}
	return EXIT_OK;
}

static int unknown_view(const struct opts *o, const char *word)
{
	char list[CHOICE_LIST], text[CHOICE_LIST + 64];
	const char *views[NR_COMMANDS];
	int i, nr = 0;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (REPLAYS & 1U << i)
			views[nr++] = choice_commands[i];
	}
	snprintf(text, sizeof(text), "replay has no view '%%s'; choose one of %s",
		 choice_list(list, views, nr));
	return usage_error(o, text, word);
}

/* `replay FILE [VIEW]`, before the view's options.  Return: words used, or -1. */
static int parse_replay(struct opts *o, int argc, char **argv)
{
	bool known;
	int word;

	o->given_command = true;
	o->command = CMD_REPLAY;
	if (argc < 2 || argv[1][0] == '-') {
		if (argc >= 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
			return 0;
		usage_error(o, "replay needs a file", NULL);
		return -1;
	}
	o->input = argv[1];
	o->bare = argc == 2;
	known = argc >= 3 && parse_choice(argv[2], choice_commands, NR_COMMANDS, &word);
	/* an option, or an interval, which begins with no letter */
	if (!known && (argc < 3 || !isalpha((unsigned char)argv[2][0]))) {
		o->command = CMD_REPORT;
		return 1;
	}
	if (!known || !(REPLAYS & 1U << word)) {
		unknown_view(o, argv[2]);
		return -1;
	}
	o->command = word;
	return 2;
}

/* These views print once: an interval is their duration, and 292 years are the longest. */
static void make_duration(struct opts *o)
{
	uint64_t ns;

	if (__builtin_mul_overflow(o->interval_ns, o->count ? o->count : 1, &ns) || ns > INT64_MAX)
		ns = INT64_MAX;
	if (!o->duration_ns)
		o->duration_ns = ns;
	o->interval_ns = 0;
	o->count = 0;
}

/**
 * opts_parse - parse the command line
 * @o:    the result; it points into @argv
 * @argc: number of words
 * @argv: the words; getopt reorders them
 *
 * Return: EXIT_OK; EXIT_USAGE after printing the error; or OPTS_DONE after
 * printing help or the version.
 */
int opts_parse(struct opts *o, int argc, char **argv)
{
	int word, taken, i, ret;

	memset(o, 0, sizeof(*o));
	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--") && i + 1 < argc) {
			o->run = argv + i + 1;
			argc = i;
		} else if (!strcmp(argv[i], "--")) {
			return usage_error(o, "a command is missing after --", NULL);
		}
	}
	if (argc > 1 && !strcmp(argv[1], "help"))
		return parse_help(o, argc - 2, argv + 2);
	if (argc > 1 && parse_choice(argv[1], choice_commands, NR_COMMANDS, &word)) {
		o->command = word;
		o->given_command = true;
		argc--;
		argv++;
	} else if (argc > 1 && argv[1][0] >= 'a' && argv[1][0] <= 'z') {
		return unknown_command(o, argv[1]);
	}
	if (o->command == CMD_REPLAY) {
		taken = parse_replay(o, argc, argv);
		if (taken < 0)
			return EXIT_USAGE;
		argc -= taken;
		argv += taken;
	}
	if (o->run && !(WATCHES & 1U << o->command))
		return usage_error(o, "it cannot run a command", NULL);
	if (o->run && o->input)
		return usage_error(o, "replay cannot run a command", NULL);
	ret = parse_options(o, argc, argv);
	if (!ret)
		ret = parse_args(o, argv + optind, argc - optind);
	if (!ret)
		ret = check_together(o);
	if (!ret && o->counters)
		ret = check_counters(o);
	order_moments(o);
	if (!ret && (PASTS | KEPT) & 1U << o->command)
		ret = check_past(o);
	if (!ret)
		ret = check_rules(o);
	if (!ret && o->anonymous && !o->bundle)
		return usage_error(o, "--anonymous needs --bundle", NULL);
	if (!ret && o->interval_ns && ONCE & 1U << o->command)
		make_duration(o);
	return ret;
}

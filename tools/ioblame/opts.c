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
#include "opts.h"
#include "rec.h"
#include "text.h"

enum {
	OPT_FILE = 256,
	OPT_RW,
	OPT_JSON,
	OPT_CSV,
	OPT_STACKS,
	OPT_ERRORS,
	OPT_MIN_LAT,
	OPT_BY,
	OPT_WEIGHT,
	OPT_FOLDED,
	OPT_SVG,
	OPT_SYNC,
	OPT_BUNDLE,
	OPT_ANONYMOUS,
};

#define CMD(c)	(1U << CMD_##c)
#define VIEWS	(CMD(TOP) | CMD(SNOOP) | CMD(REPORT) | CMD(HIST) | CMD(STACKS))

/* The commands that have an option.  Every command has --help and --version. */
static const struct {
	int opt;
	unsigned int commands;
} options_of[] = {
	{ 'D', VIEWS | CMD(RECORD) },
	{ 'p', VIEWS | CMD(RECORD) },
	{ 'c', VIEWS | CMD(RECORD) },
	{ 'g', VIEWS | CMD(RECORD) },
	{ OPT_FILE, VIEWS | CMD(RECORD) },
	{ OPT_RW, VIEWS | CMD(RECORD) },
	{ 's', VIEWS & ~CMD(SNOOP) },
	{ 'r', VIEWS },
	{ 'T', VIEWS },
	{ OPT_JSON, VIEWS | CMD(STATUS) | CMD(CONFIG) | CMD(DOCTOR) },
	{ OPT_CSV, VIEWS },
	{ 'd', VIEWS | CMD(RECORD) },
	{ OPT_STACKS, CMD(SNOOP) },
	{ OPT_ERRORS, CMD(SNOOP) },
	{ OPT_MIN_LAT, CMD(SNOOP) },
	{ OPT_BY, CMD(TOP) | CMD(REPORT) | CMD(HIST) },
	{ OPT_WEIGHT, CMD(STACKS) },
	{ OPT_FOLDED, CMD(STACKS) },
	{ OPT_SVG, CMD(STACKS) },
	{ OPT_SYNC, VIEWS | CMD(RECORD) },
	{ 'o', CMD(RECORD) | CMD(STACKS) },
	{ 'a', CMD(TOP) },
	{ 'b', CMD(TOP) },
	{ 'S', CMD(TOP) | CMD(REPORT) },
	{ OPT_BUNDLE, CMD(DOCTOR) },
	{ OPT_ANONYMOUS, CMD(DOCTOR) },
};

static const char short_options[] = ":D:p:c:g:s:r:d:o:TVhabS";

static const struct option long_options[] = {
	{ "device", required_argument, NULL, 'D' },
	{ "pid", required_argument, NULL, 'p' },
	{ "comm", required_argument, NULL, 'c' },
	{ "cgroup", required_argument, NULL, 'g' },
	{ "file", required_argument, NULL, OPT_FILE },
	{ "rw", required_argument, NULL, OPT_RW },
	{ "sort", required_argument, NULL, 's' },
	{ "rows", required_argument, NULL, 'r' },
	{ "timestamp", no_argument, NULL, 'T' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "csv", no_argument, NULL, OPT_CSV },
	{ "version", no_argument, NULL, 'V' },
	{ "help", no_argument, NULL, 'h' },
	{ "duration", required_argument, NULL, 'd' },
	{ "stacks", no_argument, NULL, OPT_STACKS },
	{ "errors", no_argument, NULL, OPT_ERRORS },
	{ "min-lat", required_argument, NULL, OPT_MIN_LAT },
	{ "by", required_argument, NULL, OPT_BY },
	{ "weight", required_argument, NULL, OPT_WEIGHT },
	{ "folded", no_argument, NULL, OPT_FOLDED },
	{ "svg", no_argument, NULL, OPT_SVG },
	{ "sync", no_argument, NULL, OPT_SYNC },
	{ "output", required_argument, NULL, 'o' },
	{ "accumulate", no_argument, NULL, 'a' },
	{ "batch", no_argument, NULL, 'b' },
	{ "submitter", no_argument, NULL, 'S' },
	{ "bundle", optional_argument, NULL, OPT_BUNDLE },
	{ "anonymous", no_argument, NULL, OPT_ANONYMOUS },
	{ NULL, 0, NULL, 0 },
};

static int usage_error(const struct opts *o, const char *fmt, const char *what)
{
	char text[160], safe[ESCAPE_SIZE(64)];

	escape_text(safe, sizeof(safe), what ? what : "", 64);
	snprintf(text, sizeof(text), fmt, safe);
	msg("%s; try: ioblame %s%s--help", text,
	    o->given_command ? choice_commands[o->command] : "",
	    o->given_command ? " " : "");
	return EXIT_USAGE;
}

static bool add_to_list(const char **list, unsigned int *nr, const char *value)
{
	if (*nr == OPTS_LIST || !*value)
		return false;
	list[(*nr)++] = value;
	return true;
}

static bool add_pid(const char *word, void *arg)
{
	struct opts *o = arg;
	uint64_t pid;

	if (o->nr_pids == OPTS_LIST || !text_parse_u64(word, &pid) || !pid ||
	    pid > INT32_MAX)
		return false;
	o->pid[o->nr_pids++] = pid;
	return true;
}

static bool parse_rw(struct opts *o, const char *letters)
{
	size_t i, n = strlen(letters);

	if (!n || n >= sizeof(o->rw))
		return false;
	for (i = 0; i < n; i++) {
		o->rw[i] = toupper((unsigned char)letters[i]);
		if (!strchr(rec_op_letters, o->rw[i]))
			return false;
	}
	o->rw[n] = '\0';
	return true;
}

static bool parse_choice(const char *word, const char * const *words, int nr, int *to)
{
	int i = choice_find(word, words, nr);

	if (i < 0)
		return false;
	*to = i;
	return true;
}

/* Set an option that has a value.  Return: false if the option cannot have it. */
static bool set_value(struct opts *o, int opt, const char *arg)
{
	uint64_t n;
	int word = 0;

	switch (opt) {
	case 'D':
		return add_to_list(o->device, &o->nr_devices, arg);
	case 'p':
		return text_parse_list(arg, add_pid, o);
	case 'c':
		return add_to_list(o->comm, &o->nr_comms, arg);
	case 'g':
		return add_to_list(o->cgroup, &o->nr_cgroups, arg);
	case OPT_FILE:
		return add_to_list(o->file, &o->nr_files, arg);
	case OPT_RW:
		return parse_rw(o, arg);
	case 's':
		if (!parse_choice(arg, choice_sorts, NR_SORTS, &word))
			return false;
		o->sort = word;
		o->given_sort = true;
		return true;
	case 'r':
		if (!text_parse_u64(arg, &n) || !n || n > 100000)
			return false;
		o->rows = n;
		return true;
	case 'd':
		return text_parse_nsecs(arg, 1000000000, &o->duration_ns) && o->duration_ns;
	case OPT_MIN_LAT:
		return text_parse_nsecs(arg, 1000000, &o->min_lat_ns);
	case OPT_BY:
		if (!parse_choice(arg, choice_pivots, NR_PIVOTS, &word))
			return false;
		o->by = word;
		o->given_by = true;
		return true;
	case OPT_WEIGHT:
		if (!parse_choice(arg, choice_weights, NR_WEIGHTS, &word))
			return false;
		o->weight = word;
		return true;
	case OPT_BUNDLE:
		o->bundle = true;
		o->output = arg;
		return *arg;
	case 'o':
		o->output = arg;
		return *arg;
	}
	return false;
}

static void set_flag(struct opts *o, int opt)
{
	switch (opt) {
	case 'T':
		o->timestamp = true;
		break;
	case OPT_JSON:
		o->format = FORMAT_JSON;
		break;
	case OPT_CSV:
		o->format = FORMAT_CSV;
		break;
	case OPT_STACKS:
		o->stacks = true;
		break;
	case OPT_ERRORS:
		o->errors = true;
		break;
	case OPT_SVG:
		o->svg = true;
		break;
	case OPT_FOLDED:
		o->svg = false;
		break;
	case OPT_SYNC:
		o->sync = true;
		break;
	case OPT_BUNDLE:
		o->bundle = true;
		o->output = NULL;
		break;
	case OPT_ANONYMOUS:
		o->anonymous = true;
		break;
	case 'a':
		o->accumulate = true;
		break;
	case 'b':
		o->batch = true;
		break;
	case 'S':
		o->submitter = true;
		break;
	}
}

static bool command_has_option(enum command command, int opt)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(options_of); i++) {
		if (options_of[i].opt == opt)
			return options_of[i].commands & 1U << command;
	}
	return false;
}

static const char *option_name(int opt)
{
	const struct option *l;

	for (l = long_options; l->name && l->val != opt; l++)
		;
	return l->name;
}

static int parse_options(struct opts *o, int argc, char **argv)
{
	int opt;

	optind = 0;
	opterr = 0;
	while ((opt = getopt_long(argc, argv, short_options, long_options, NULL)) >= 0) {
		if (opt == 'h') {
			help_print(o->given_command ? (int)o->command : -1);
			return OPTS_DONE;
		}
		if (opt == 'V') {
			printf("ioblame %s\n", VERSION);
			return OPTS_DONE;
		}
		if (opt == '?')
			return usage_error(o, "unknown option %s", argv[optind - 1]);
		if (opt == ':')
			return usage_error(o, "%s needs a value", argv[optind - 1]);
		if (!command_has_option(o->command, opt)) {
			char text[64];

			snprintf(text, sizeof(text), "%s has no --%s",
				 choice_commands[o->command], option_name(opt));
			return usage_error(o, "%s", text);
		}
		if (!optarg) {
			set_flag(o, opt);
		} else if (!set_value(o, opt, optarg)) {
			char text[64];

			snprintf(text, sizeof(text), "--%s cannot be '%%s'", option_name(opt));
			return usage_error(o, text, optarg);
		}
	}
	return EXIT_OK;
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

static int parse_args(struct opts *o, char **args, int nr)
{
	char list[CHOICE_LIST], text[CHOICE_LIST + 64];
	int word;

	switch (o->command) {
	case CMD_HIST:
		choice_list(list, choice_fields, NR_FIELDS);
		snprintf(text, sizeof(text), nr ? "'%%s' is not a field; choose one of %s" :
			 "hist needs a field: one of %s", list);
		if (!nr || !parse_choice(args[0], choice_fields, NR_FIELDS, &word))
			return usage_error(o, text, nr ? args[0] : NULL);
		o->field = word;
		return parse_interval(o, args + 1, nr - 1);
	case CMD_CONFIG:
		o->args = args;
		o->nr_args = nr;
		return EXIT_OK;
	case CMD_RECORD:
		if (!o->output)
			return usage_error(o, "record needs a file: -o FILE", NULL);
		return parse_interval(o, args, nr);
	case CMD_STATUS:
	case CMD_DOCTOR:
		return nr ? usage_error(o, "unexpected argument '%s'", args[0]) : EXIT_OK;
	default:
		return parse_interval(o, args, nr);
	}
}

/* `replay FILE [VIEW]`, before the view's options.  Return: words used, or -1. */
static int parse_replay(struct opts *o, int argc, char **argv)
{
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
	o->command = CMD_REPORT;
	if (argc < 3 || !parse_choice(argv[2], choice_commands, NR_COMMANDS, &word))
		return 1;
	if (!(VIEWS & 1U << word)) {
		usage_error(o, "replay has no view '%s'", argv[2]);
		return -1;
	}
	o->command = word;
	return 2;
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
	if (argc > 1 && !strcmp(argv[1], "help")) {
		help_print(argc > 2 ? choice_find(argv[2], choice_commands, NR_COMMANDS) : -1);
		return OPTS_DONE;
	}
	if (argc > 1 && parse_choice(argv[1], choice_commands, NR_COMMANDS, &word)) {
		o->command = word;
		o->given_command = true;
		argc--;
		argv++;
	} else if (argc > 1 && argv[1][0] >= 'a' && argv[1][0] <= 'z') {
		return usage_error(o, "there is no command '%s'", argv[1]);
	}
	if (o->command == CMD_REPLAY) {
		taken = parse_replay(o, argc, argv);
		if (taken < 0)
			return EXIT_USAGE;
		argc -= taken;
		argv += taken;
	}
	if (o->run && !((VIEWS | CMD(RECORD)) & 1U << o->command))
		return usage_error(o, "it cannot run a command", NULL);
	if (o->run && o->input)
		return usage_error(o, "replay cannot run a command", NULL);
	ret = parse_options(o, argc, argv);
	if (!ret)
		ret = parse_args(o, argv + optind, argc - optind);
	if (!ret && o->command == CMD_STACKS && o->format == FORMAT_TABLE &&
	    (o->rows || o->given_sort))
		return usage_error(o, "--rows and --sort need --json or --csv", NULL);
	if (!ret && o->anonymous && !o->bundle)
		return usage_error(o, "--anonymous needs --bundle", NULL);
	/* these views print once: an interval is their duration */
	if (!ret && o->interval_ns && (1U << o->command &
				       (CMD(SNOOP) | CMD(STACKS) | CMD(RECORD)))) {
		if (!o->duration_ns)
			o->duration_ns = o->interval_ns * (o->count ? o->count : 1);
		o->interval_ns = 0;
		o->count = 0;
	}
	return ret;
}

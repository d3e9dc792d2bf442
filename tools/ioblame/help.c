// SPDX-License-Identifier: GPL-2.0
/*
 * A command's help is its examples, its own options, and the parts that it shares
 * with other commands.  A %s in a part is the words of a list of choice.h.
 */
#include <stdio.h>

#include "choice.h"
#include "help.h"

/* The parts that commands share */
enum part {
	PART_END,
	PART_BY,
	PART_ROWS,
	PART_SORT,
	PART_INTERVAL,
	PART_OPTIONS,
	PART_FORMATS,
	NR_PARTS,
};

static const struct {
	const char *text;
	const char *const *words;	/* of the %s in @text */
	int nr;
} parts[NR_PARTS] = {
	[PART_BY] = {
		"      --by WHAT           what a row stands for:\n"
		"                          %s\n",
		choice_pivots, NR_PIVOTS,
	},
	[PART_ROWS] = {
		.text =
		"  -r, --rows N            at most N rows\n"
		"  -S, --submitter         show the submitter, too\n",
	},
	[PART_SORT] = {
		"  -s, --sort COLUMN       the largest first: %s\n",
		choice_sorts, NR_SORTS,
	},
	[PART_INTERVAL] = {
		.text =
		"  [INTERVAL [COUNT]]      seconds between tables (also 500ms, 2m), and their number\n"
		"  -T, --timestamp         show the time of day\n",
	},
	[PART_OPTIONS] = {
		.text =
		"  -d, --duration TIME     end after this time: 10, 500ms, 2m\n"
		"  -- COMMAND...           run a command, and watch until it ends\n"
		"      --sync              write dirty data at the beginning and at the end\n"
		"  -D, --device DEVICE     a disk, partition or dm name, or MAJ:MIN; repeatable\n"
		"  -p, --pid PID[,PID...]  only these processes or threads\n"
		"  -c, --comm PATTERN      only programs with this name (shell pattern)\n"
		"  -g, --cgroup CGROUP     only this cgroup and those below: path, unit or id\n"
		"      --file PATTERN      only files whose path matches the shell pattern\n"
		"      --rw RAWDF          only reads, readahead, writes, discards, flushes\n",
	},
	[PART_FORMATS] = {
		.text =
		"      --json              JSON lines\n"
		"      --csv               CSV\n",
	},
};

static const struct {
	const char *synopsis, *examples, *options;
	enum part parts[7];
} helps[NR_COMMANDS] = {
	[CMD_TOP] = {
		"top [OPTIONS] [INTERVAL [COUNT]]",
		"  ioblame                     the processes that cause IO now, on all disks\n"
		"  ioblame top -D sda 5        one disk, every five seconds\n"
		"  ioblame top -b 1 10         ten tables to a file or a pipe\n"
		"  ioblame top --by file --rw W\n",
		"  -a, --accumulate        sums since the beginning\n"
		"  -b, --batch             no live view\n",
		{ PART_BY, PART_ROWS, PART_SORT, PART_INTERVAL, PART_OPTIONS, PART_FORMATS },
	},
	[CMD_SNOOP] = {
		"snoop [OPTIONS]",
		"  ioblame snoop               one line for each IO\n"
		"  ioblame snoop --min-lat 50  only IO that took 50 ms or more\n"
		"  ioblame snoop --rw W --stacks -c postgres\n"
		"  ioblame snoop --json | jq 'select(.error != 0)'\n",
		"      --stacks            print the stack below each line\n"
		"      --errors            only IO that failed\n"
		"      --min-lat TIME      only IO that took this time or more: 50 (ms), 200us, 1s\n"
		"  -r, --rows N            end after N lines\n",
		{ PART_INTERVAL, PART_OPTIONS, PART_FORMATS },
	},
	[CMD_REPORT] = {
		"report [OPTIONS] [-d TIME | -- COMMAND...]",
		"  ioblame report -d 10        a summary of ten seconds\n"
		"  ioblame report --sync -- tar xf a.tar\n"
		"  ioblame report --by file -d 60 -D sda1\n",
		"", { PART_BY, PART_ROWS, PART_SORT, PART_INTERVAL, PART_OPTIONS, PART_FORMATS },
	},
	[CMD_HIST] = {
		"hist FIELD [OPTIONS] [INTERVAL [COUNT]]",
		"  ioblame hist total_time -d 10\n"
		"  ioblame hist size --by process --rw W\n"
		"  ioblame hist io_time --by device 5\n",
		"  -r, --rows N            at most N histograms\n",
		{ PART_BY, PART_SORT, PART_INTERVAL, PART_OPTIONS, PART_FORMATS },
	},
	[CMD_STACKS] = {
		"stacks [OPTIONS] [--folded | --svg]",
		"  ioblame stacks -d 10 --folded | flamegraph.pl > io.svg\n"
		"  ioblame stacks -d 10 --svg -o io.svg\n"
		"  ioblame stacks --weight time --rw R -d 10\n",
		"      --folded            folded stacks (the default)\n"
		"      --svg               a flame graph\n"
		"  -o, --output FILE       write to this file\n"
		"  -r, --rows N            with --json or --csv: at most N stacks\n",
		{ PART_SORT, PART_INTERVAL, PART_OPTIONS, PART_FORMATS },
	},
	[CMD_RECORD] = {
		"record -o FILE [OPTIONS] [-- COMMAND...]",
		"  ioblame record -o /dev/shm/io -d 60\n"
		"  ioblame record -o io -- make\n"
		"  ioblame replay io snoop --stacks\n",
		"  -o, --output FILE       the recording\n"
		"  [SECONDS]               the same as -d\n",
		{ PART_OPTIONS },
	},
	[CMD_REPLAY] = {
		"replay FILE [VIEW [OPTIONS]]",
		"  ioblame replay io           a report of a recording\n"
		"  ioblame replay io snoop --stacks -p 4711\n"
		"  ioblame replay io hist size --by file\n",
		"  FILE                    made by ioblame record\n"
		"  VIEW                    top, snoop, report, hist or stacks, with its options\n",
		{ PART_END },
	},
	[CMD_CONFIG] = {
		"config [show | set | devices | counters | counter | filter ...]",
		"  ioblame config                         all settings\n"
		"  ioblame config set role process\n"
		"  ioblame config devices only sda sdb\n"
		"  ioblame config counter 0 'W size 0 4096 8192 16384 32768 65536 131072 262144 0'\n"
		"  ioblame config filter 0 'io_time >= 10000'\n",
		"  show                    all settings (--json)\n"
		"  set NAME VALUE          change one setting\n"
		"  devices                 the devices; add|remove|only DEVICE..., clear\n"
		"  counters                the counters\n"
		"  counter NR SPEC         what counter NR counts\n"
		"  filter NR EXPRESSION    only IO for which EXPRESSION is true; 0: all IO\n"
		"  enable, disable         switch ioblame on or off\n",
		{ PART_END },
	},
	[CMD_STATUS] = {
		"status [--json]",
		"  ioblame status              totals, losses and hooks\n"
		"  ioblame status --json | jq .lost\n",
		"      --json              as JSON\n", { PART_END },
	},
	[CMD_DOCTOR] = {
		"doctor [--json] [--bundle[=FILE] [--anonymous]]",
		"  ioblame doctor              check that ioblame works here; print what to type if not\n"
		"  ioblame doctor --bundle     and write all that a developer needs into one file\n"
		"  ioblame doctor --bundle=/tmp/b.tar.gz --anonymous\n",
		"      --json              as JSON lines\n"
		"      --bundle[=FILE]     write an archive (.tar.gz) to FILE, or to the current folder\n"
		"      --anonymous         names and addresses are left out of it\n", { PART_END },
	},
};

static const char general[] =
	"Examples:\n"
	"  ioblame                         the processes that cause IO now (live; q ends)\n"
	"  ioblame snoop -D sda            one line for each IO of a disk\n"
	"  ioblame report -d 10            a summary of ten seconds\n"
	"  ioblame report --sync -- COMMAND   the IO that a command causes\n"
	"  ioblame hist total_time --by process -d 10\n"
	"  ioblame stacks --svg -d 10 > io.svg\n"
	"  ioblame record -o FILE; ioblame replay FILE snoop\n"
	"  ioblame doctor                  why ioblame does not work here\n"
	"\n"
	"Commands:\n"
	"  top       live view, or a table at each interval (the default)\n"
	"  snoop     one line for each IO\n"
	"  report    sums by process, file, device and stack\n"
	"  hist      histograms of sizes and times\n"
	"  stacks    folded stacks, or a flame graph\n"
	"  record    write a recording;  replay: every view of a recording\n"
	"  config    the module's settings\n"
	"  status    totals, losses and hooks\n"
	"  doctor    check that ioblame works here; print what to type if not\n"
	"\n"
	"Options of all views:\n";

static const char tail[] =
	"  -V, --version           the version\n"
	"  -h, --help              this text; ioblame COMMAND --help has more\n"
	"\n"
	"Exit status: 0 success, 1 failure, 2 usage, 3 no module, 4 refused. See ioblame(8).\n";

static void help_part(enum part part)
{
	char list[CHOICE_LIST] = "";

	if (parts[part].words)
		choice_list(list, parts[part].words, parts[part].nr);
	printf(parts[part].text, list);
}

/* Print the help of an enum command, or of all for -1, on stdout. */
void help_print(int command)
{
	char list[CHOICE_LIST];
	unsigned int i;

	if (command < 0) {
		fputs(general, stdout);
		help_part(PART_INTERVAL);
		help_part(PART_OPTIONS);
		help_part(PART_FORMATS);
		fputs(tail, stdout);
		return;
	}
	printf("Examples:\n%s\nUsage: ioblame %s\n\n", helps[command].examples,
	       helps[command].synopsis);
	if (command == CMD_HIST)
		printf("  FIELD                   %s\n",
		       choice_list(list, choice_fields, NR_FIELDS));
	if (command == CMD_STACKS)
		printf("      --weight WHAT       %s (us)\n",
		       choice_list(list, choice_weights, NR_WEIGHTS));
	fputs(helps[command].options, stdout);
	for (i = 0; helps[command].parts[i]; i++)
		help_part(helps[command].parts[i]);
	fputs(tail, stdout);
}

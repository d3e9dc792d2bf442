// SPDX-License-Identifier: GPL-2.0
/*
 * help: examples first
 */
#include <stdio.h>

#include "opts.h"

static const char options[] =
	"  -d, --duration TIME     end after that long: 10, 500ms, 2m\n"
	"  -- COMMAND...           watch while the command runs\n"
	"      --sync              write what is dirty before, and again at the end\n"
	"  -D, --device DEVICE     a disk, partition or dm name, or MAJ:MIN; repeatable\n"
	"  -p, --pid PID[,PID...]  only these processes or threads\n"
	"  -c, --comm PATTERN      only programs of that name (shell pattern)\n"
	"  -g, --cgroup CGROUP     only this cgroup and below: path, unit or id\n"
	"      --file PATTERN      only files whose path fits the shell pattern\n"
	"      --rw RAWDF          only reads, readahead, writes, discards, flushes\n";

static const char common[] =
	"  [INTERVAL [COUNT]]      seconds between pictures (also 500ms, 2m), and how many\n"
	"  -T, --timestamp         with the time of day\n";

static const char formats[] =
	"      --json              JSON lines\n"
	"      --csv               CSV\n";

static const char sort[] =
	"  -s, --sort COLUMN       bytes, ios, read, written, p99, time\n";

static const char rows[] =
	"      --by WHAT           process, file, device, cgroup, stack, op, why\n"
	"  -r, --rows N            no more rows than that\n"
	"  -S, --submitter         also who submitted it\n";

static const struct {
	const char *examples, *options;
	const char *parts[5];
} helps[NR_COMMANDS] = {
	[CMD_TOP] = {
		"  ioblame                     who causes IO now, on all disks\n"
		"  ioblame top -D sda 5        one disk, every five seconds\n"
		"  ioblame top -b 1 10         ten pictures to a file or a pipe\n"
		"  ioblame top --by file --rw W\n",
		"  -a, --accumulate        sums since the beginning\n"
		"  -b, --batch             no live view\n",
		{ rows, sort, common, options, formats },
	},
	[CMD_SNOOP] = {
		"  ioblame snoop               a line for each IO\n"
		"  ioblame snoop --min-lat 50  only those that took 50 ms or more\n"
		"  ioblame snoop --rw W --stacks -c postgres\n"
		"  ioblame snoop --json | jq 'select(.error != 0)'\n",
		"      --stacks            with the stack below each line\n"
		"      --errors            only what failed\n"
		"      --min-lat TIME      only what took so long: 50 (ms), 200us, 1s\n"
		"  -r, --rows N            end after so many\n",
		{ common, options, formats, NULL },
	},
	[CMD_REPORT] = {
		"  ioblame report -d 10        a summary of ten seconds\n"
		"  ioblame report --sync -- tar xf a.tar\n"
		"  ioblame report --by file -d 60 -D sda1\n",
		"", { rows, sort, common, options, formats },
	},
	[CMD_HIST] = {
		"  ioblame hist total_time -d 10\n"
		"  ioblame hist size --by process --rw W\n"
		"  ioblame hist io_time --by device 5\n",
		"  FIELD                   size, wait_time, io_time, total_time or age\n"
		"      --by WHAT           process, file, device, cgroup, stack, op, why\n"
		"  -r, --rows N            no more histograms than that\n",
		{ sort, common, options, formats },
	},
	[CMD_STACKS] = {
		"  ioblame stacks -d 10 --folded | flamegraph.pl > io.svg\n"
		"  ioblame stacks -d 10 --svg -o io.svg\n"
		"  ioblame stacks --weight time --rw R -d 10\n",
		"      --folded            folded stacks (the default)\n"
		"      --svg               the flame graph itself\n"
		"      --weight WHAT       bytes, ios or time (in us)\n"
		"  -o, --output FILE       write it there\n",
		{ "  -r, --rows N            with --json or --csv: no more stacks than that\n",
		  sort, common, options, formats },
	},
	[CMD_RECORD] = {
		"  ioblame record -o /dev/shm/io -d 60\n"
		"  ioblame record -o io -- make\n"
		"  ioblame replay io snoop --stacks\n",
		"  -o, --output FILE       the recording\n"
		"  [SECONDS]               end after that long, as -d\n",
		{ options, NULL },
	},
	[CMD_REPLAY] = {
		"  ioblame replay io           a report of a recording\n"
		"  ioblame replay io snoop --stacks -p 4711\n"
		"  ioblame replay io hist size --by file\n",
		"  FILE                    made by ioblame record\n"
		"  VIEW                    top, snoop, report, hist or stacks, with its options\n",
		{ NULL },
	},
	[CMD_CONFIG] = {
		"  ioblame config                         all settings\n"
		"  ioblame config set role process\n"
		"  ioblame config devices only sda sdb\n"
		"  ioblame config counter 0 'W size 0 4096 8192 16384 32768 65536 131072 262144 0'\n"
		"  ioblame config filter 0 'io_time >= 10000'\n",
		"  show                    all settings (--json)\n"
		"  set NAME VALUE          one of them\n"
		"  devices                 what is watched; add|remove|only DEVICE..., clear\n"
		"  counters                the counters\n"
		"  counter NR SPEC         what counter NR counts\n"
		"  filter NR EXPRESSION    of which IOs; 0: of all\n"
		"  enable, disable         the switch\n",
		{ NULL },
	},
	[CMD_STATUS] = {
		"  ioblame status              what was counted, lost and hooked\n"
		"  ioblame status --json | jq .lost\n",
		"      --json              as JSON\n", { NULL },
	},
	[CMD_DOCTOR] = {
		"  ioblame doctor              whether it works here, and if not, what to type\n",
		"      --json              as JSON lines\n", { NULL },
	},
};

static const char general[] =
	"Examples:\n"
	"  ioblame                         who causes IO now (live; q ends)\n"
	"  ioblame snoop -D sda            a line for each IO of a disk\n"
	"  ioblame report -d 10            who did what in ten seconds\n"
	"  ioblame report --sync -- COMMAND   what a command caused\n"
	"  ioblame hist total_time --by process -d 10\n"
	"  ioblame stacks --svg -d 10 > io.svg\n"
	"  ioblame record -o FILE; ioblame replay FILE snoop\n"
	"  ioblame doctor                  why it does not work\n"
	"\n"
	"Commands:\n"
	"  top       live view, or a table every interval (the default)\n"
	"  snoop     a line for each IO\n"
	"  report    sums by process, file, device and stack\n"
	"  hist      how sizes and times are spread\n"
	"  stacks    folded stacks, or a flame graph\n"
	"  record    into a file;  replay: every view of such a file\n"
	"  config    the module's settings\n"
	"  status    what was counted, lost and hooked\n"
	"  doctor    whether it works here, and what to type if not\n"
	"\n"
	"Options of all views:\n";

static const char tail[] =
	"  -V, --version           the version\n"
	"  -h, --help              this; ioblame COMMAND --help has more\n"
	"\n"
	"Exit status: 0 good, 1 failed, 2 usage, 3 no module, 4 refused. See ioblame(8).\n";

static const char * const synopsis[NR_COMMANDS] = {
	[CMD_TOP] = "top [OPTIONS] [INTERVAL [COUNT]]",
	[CMD_SNOOP] = "snoop [OPTIONS]",
	[CMD_REPORT] = "report [OPTIONS] [-d TIME | -- COMMAND...]",
	[CMD_HIST] = "hist FIELD [OPTIONS] [INTERVAL [COUNT]]",
	[CMD_STACKS] = "stacks [OPTIONS] [--folded | --svg]",
	[CMD_RECORD] = "record -o FILE [OPTIONS] [-- COMMAND...]",
	[CMD_REPLAY] = "replay FILE [VIEW [OPTIONS]]",
	[CMD_CONFIG] = "config [show | set | devices | counters | counter | filter ...]",
	[CMD_STATUS] = "status [--json]",
	[CMD_DOCTOR] = "doctor [--json]",
};

const char *help_usage(enum command command)
{
	return synopsis[command];
}

/* Help on stdout: of a command, or, for -1, of all. */
void help_print(int command)
{
	unsigned int i;

	if (command < 0) {
		printf("%s%s%s%s%s", general, common, options, formats, tail);
		return;
	}
	printf("Examples:\n%s\nUsage: ioblame %s\n\n%s", helps[command].examples,
	       synopsis[command], helps[command].options);
	for (i = 0; i < 5 && helps[command].parts[i]; i++)
		fputs(helps[command].parts[i], stdout);
	fputs(tail, stdout);
}

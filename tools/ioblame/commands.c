// SPDX-License-Identifier: GPL-2.0
/*
 * The one table of commands: how each is used, what it does in a line, and examples, which are
 * the beginning of its help.  To add one, see options.h.
 */
#include "options.h"

const struct command_row command_rows[NR_COMMANDS] = {
	[CMD_TOP] = {
		"top [OPTIONS] [INTERVAL [COUNT]]",
		"live view, or a table at each interval (the default)",
		"  ioblame                     the processes that cause IO now, on all disks\n"
		"  ioblame top -D sda 5        one disk, every five seconds\n"
		"  ioblame top -b 1 10         ten tables to a file or a pipe\n"
		"  ioblame top --by file --rw W\n",
	},
	[CMD_SNOOP] = {
		"snoop [OPTIONS]",
		"one line for each IO",
		"  ioblame snoop               one line for each IO\n"
		"  ioblame snoop --min-lat 50  only IO that took 50 ms or more\n"
		"  ioblame snoop --rw W --stacks -c postgres\n"
		"  ioblame snoop --json | jq 'select(.type == \"io\" and .error != 0)'\n",
	},
	[CMD_REPORT] = {
		"report [OPTIONS] [--html FILE] [-d TIME | -- COMMAND...]",
		"sums by process, file, device and stack",
		"  ioblame report -d 10        a summary of ten seconds\n"
		"  ioblame report --sync -- tar xf a.tar\n"
		"  ioblame report --by file -d 60 -D sda1\n"
		"  ioblame report --since 03:00 --until 03:10   what was, if ioblamed runs\n"
		"  ioblame report --html io.html -- make    charts and tables, for a browser\n",
	},
	[CMD_HIST] = {
		"hist FIELD [OPTIONS] [INTERVAL [COUNT]]",
		"histograms of sizes and times",
		"  ioblame hist total_time -d 10\n"
		"  ioblame hist size --by process --rw W\n"
		"  ioblame hist io_time --by device 5\n"
		"  ioblame hist io_time --counters --by process -d 60\n",
	},
	[CMD_STACKS] = {
		"stacks [OPTIONS] [--folded | --svg]",
		"folded stacks, or a flame graph",
		"  ioblame stacks -d 10 --folded | flamegraph.pl > io.svg\n"
		"  ioblame stacks -d 10 --svg -o io.svg\n"
		"  ioblame stacks --weight time --rw R -d 10\n",
	},
	[CMD_TRACE] = {
		"trace [OPTIONS]",
		"the block layer's events, as of blktrace, with who caused them",
		"  ioblame trace -D sda        each event of a disk, until Ctrl-C\n"
		"  ioblame trace --act issue,complete -c postgres\n"
		"  ioblame trace --act requeue,split -d 10\n"
		"  ioblame trace --json -- tar xf a.tar\n",
	},
	[CMD_SCHED] = {
		"sched [OPTIONS] [INTERVAL [COUNT]]",
		"how long IO waits to be issued, by scheduler and originator",
		"  ioblame sched -d 10         ten seconds\n"
		"  ioblame sched -D sda 5      a table every five seconds\n"
		"  ioblame sched --rw R -- make\n",
	},
	[CMD_DIRTY] = {
		"dirty [OPTIONS] [INTERVAL [COUNT] | -d TIME | -- COMMAND...]",
		"what waits in memory to be written, and who dirtied it",
		"  ioblame dirty               the pages that are dirty now, the oldest first\n"
		"  ioblame dirty 5             every five seconds\n"
		"  ioblame dirty -- tar xf a.tar  what a command leaves in memory\n"
		"  ioblame dirty --by file -s bytes\n",
	},
	[CMD_SCSI] = {
		"scsi [OPTIONS] [INTERVAL [COUNT]]",
		"SCSI commands: times and results by command and originator",
		"  ioblame scsi 5              each five seconds, also what is passed through\n"
		"  ioblame scsi -d 10 --json | jq 'select(.result? and .result != \"good\")'\n",
	},
	[CMD_NVME] = {
		"nvme [OPTIONS] [INTERVAL [COUNT]]",
		"NVMe commands: times and results by command and originator",
		"  ioblame nvme 5              each five seconds, also admin commands\n"
		"  ioblame nvme -D nvme0n1 -d 10\n",
	},
	[CMD_STAT] = {
		"stat [OPTIONS] [INTERVAL [COUNT]]",
		"iostat -x, split by originator",
		"  ioblame stat                each second what iostat -x says, and whose it is\n"
		"  ioblame stat -D sda 5       one disk, every five seconds\n"
		"  ioblame stat --by cgroup -d 60 --json\n",
	},
	[CMD_SUMS] = {
		"sums [OPTIONS] [INTERVAL [COUNT]]",
		"what the kernel sums up by originator, without a log",
		"  ioblame sums                each second, by program and unit\n"
		"  ioblame sums --by file 10   every ten seconds, the files\n"
		"  ioblame sums -D sda --by why -d 60 --json\n",
	},
	[CMD_ERRORS] = {
		"errors [OPTIONS] [INTERVAL [COUNT]]",
		"IO that failed, by device, status and originator",
		"  ioblame errors              what fails until Ctrl-C, and whose it was\n"
		"  ioblame errors -D sda --by file -d 60\n"
		"  ioblame replay io errors\n",
	},
	[CMD_FLUSH] = {
		"flush [OPTIONS] [INTERVAL [COUNT]]",
		"who asks for flushes, and what they cost",
		"  ioblame flush 5             each five seconds: flushes and FUA writes\n"
		"  ioblame flush -D md0 -d 10\n",
	},
	[CMD_FILES] = {
		"files [OPTIONS] [INTERVAL [COUNT]]",
		"what each originator read and wrote in each file",
		"  ioblame files 5             each five seconds, the most bytes first\n"
		"  ioblame files --sort p99 -d 10 --file '/var/*'\n",
	},
	[CMD_PATTERN] = {
		"pattern [OPTIONS] [INTERVAL [COUNT]]",
		"sequential or random, by disk and originator",
		"  ioblame pattern 5           each five seconds: who works in sequence\n"
		"  ioblame pattern --by file -d 10\n",
	},
	[CMD_ADVISE] = {
		"advise [OPTIONS] [-d TIME | -- COMMAND...]",
		"what stands out, in words, and what could be done",
		"  ioblame advise -d 60        what a minute's IO suffers from\n"
		"  ioblame advise -- make\n"
		"  ioblame replay io advise\n",
	},
	[CMD_WEAR] = {
		"wear [OPTIONS] [--since TIME]",
		"bytes written to each disk, as ioblamed recorded it",
		"  ioblame wear                of 30 days, by disk, program and file\n"
		"  ioblame wear --since 7d -D nvme0n1\n",
	},
	[CMD_WHEN] = {
		"when [OPTIONS] [--since TIME]",
		"what stood out, as ioblamed recorded it",
		"  ioblame when                slow, failed or unusually much IO of the last day\n"
		"  ioblame when --since 7d -D sda --json\n"
		"  ioblame when --rule 'p99 > 50ms' --rule 'db: errors > 0 of unit db*'\n",
	},
	[CMD_RECORD] = {
		"record -o FILE [OPTIONS] [-- COMMAND...]",
		"write a recording",
		"  ioblame record -o /dev/shm/io -d 60\n"
		"  ioblame record -o io -- make\n"
		"  ioblame replay io snoop --stacks\n",
	},
	[CMD_EXPORT] = {
		"export --format FORMAT [-o PATH] [OPTIONS]",
		"files that blkparse, btt, iowatcher or Perfetto read",
		"  ioblame replay io export --format blktrace -o trace; blkparse -i sda -D trace\n"
		"  ioblame replay io export --format trace-event -o io.json\n"
		"  ioblame export --format trace-event -d 10 > io.json\n",
	},
	[CMD_CONFIG] = {
		"config [show | set | devices | counters | counter | filter ...]",
		"the module's settings",
		"  ioblame config                         all settings\n"
		"  ioblame config set role process\n"
		"  ioblame config devices only sda sdb\n"
		"  ioblame config set nr_counters 1\n"
		"  ioblame config counter 0 'W size 0 512 1024 4096 8192 16384 32768 65536 0'\n"
		"  ioblame config filter 0 'io_time >= 10000'\n",
	},
	[CMD_STATUS] = {
		"status [--json]",
		"totals, losses and hooks",
		"  ioblame status              totals, losses and hooks\n"
		"  ioblame status --json | jq .lost\n",
	},
	[CMD_DOCTOR] = {
		"doctor [--json] [--bundle[=FILE] [--anonymous]]",
		"check that ioblame works here; print what to type if not",
		"  ioblame doctor              whether ioblame works here; what to type if not\n"
		"  ioblame doctor --bundle     and write all that a developer needs into one file\n"
		"  ioblame doctor --bundle=/tmp/b.tar.gz --anonymous\n",
	},
	[CMD_REPLAY] = {
		"replay FILE [VIEW [OPTIONS]]",
		"every view, of a recording",
		"  ioblame replay io           a recording in the live view; in a pipe, a report\n"
		"  ioblame replay io report --html io.html\n"
		"  ioblame replay io snoop --stacks -p 4711\n"
		"  ioblame replay io hist size --by file\n",
	},
};

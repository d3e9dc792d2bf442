// SPDX-License-Identifier: GPL-2.0
/*
 * sums: what the kernel has summed up in each interval, by originator
 *
 * The module adds each IO to a sum, so no record of an IO is read or lost, and any number of
 * processes can look at once.  The price: percentiles are known to a factor of two.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "clock.h"
#include "cmd.h"
#include "dir.h"
#include "msg.h"
#include "opts.h"
#include "out.h"
#include "restore.h"
#include "run.h"
#include "schedule.h"
#include "status.h"
#include "stop.h"
#include "sums.h"
#include "usage.h"
#include "usage_by.h"
#include "usage_print.h"

static struct sums sums;
static struct usage_list gathered;	/* since it was printed */
static uint64_t session;		/* the number of that which it began in */
static bool off;			/* it has switched ioblame off itself */

static bool is_wanted_disk(uint32_t disk, const void *arg)
{
	const struct run *run = arg;
	unsigned int i;

	for (i = 0; i < run->nr_devices; i++) {
		if (run->device[i].disk == disk)
			return true;
	}
	return !run->nr_devices;
}

/* Leave out what the command line does not ask for, and count the rest. */
static void filter_list(struct run *run, struct usage_list *list)
{
	size_t i, n = 0;

	for (i = 0; i < list->nr; i++) {
		if (!usage_wanted(run->opts, &list->list[i].key))
			continue;
		run->ios += list->list[i].ios;
		run->bytes[list->list[i].key.how] += list->list[i].bytes;
		list->list[n++] = list->list[i];
	}
	list->nr = n;
}

/* Note if somebody else has switched ioblame off, and maybe on again. */
static void note_end(struct run *run, bool on, uint64_t number)
{
	if (!off && (!on || number != session))
		run->ended_by_others = true;
}

/*
 * Behind our own end nothing tells whether another one came before it.  (Who reads along switches
 * nothing off: its last pass tells.)
 */
static void switch_off(struct run *run)
{
	struct status st;

	if (run->session.own && status_now(&st))
		note_end(run, st.enabled, st.session);
	session_off(&run->session);
	off = run->session.own;
}

/* Gather what is new.  Return: the exit status. */
static int take_pass(struct run *run)
{
	int err = sums_gather(&sums, &gathered);

	if (err)
		return dir_refused(err, "sums_bin");
	note_end(run, sums.on, sums.session);
	return EXIT_OK;
}

/* Print what is new.  Return: the exit status. */
static int print_pass(struct run *run, bool last)
{
	static struct usage_list rows;
	const struct opts *o = run->opts;
	static bool again;
	char time[32];
	int ret = take_pass(run);

	if (ret)
		return ret;
	run->now_ns = clock_ns();
	filter_list(run, &gathered);
	usage_by(&rows, &gathered, o->by);
	usage_sort(&rows, o->sort);
	/*
	 * What is left behind the last interval is not worth one of its own.  While ioblame is off
	 * nobody knows whether there was IO.
	 */
	if (rows.nr || (!run->ended_by_others && (!last || !o->interval_ns))) {
		run_time(run, run->now_ns, time, sizeof(time));
		if (o->format == FORMAT_TABLE && again)
			out_puts("\n");
		if (o->format == FORMAT_TABLE && o->timestamp)
			out_printf("%.19s\n", time);
		if (o->format == FORMAT_TABLE && !rows.nr)
			out_printf("No IO in %.1f s.\n",
				   (double)(rows.until_ns - rows.from_ns) / 1e9);
		usage_print(o, &rows, o->by);
		again = true;
	}
	usage_clear(&rows);
	usage_clear(&gathered);
	out_flush();
	return EXIT_OK;
}

/* Print at each interval until the end of the time or of the command.  Return: the exit status. */
static int watch_sums(struct run *run, uint64_t interval, uint64_t *printed)
{
	const struct opts *o = run->opts;
	uint64_t start = clock_ns(), next = start + interval, late = start + SUMS_APART_NS;
	uint64_t now, wait;
	int ret;

	while (!stop_asked() && !out_closed() && !run->ended_by_others) {
		now = clock_ns();
		if (interval && now >= next) {
			ret = print_pass(run, false);
			next = schedule_next(next, interval, now);
			late = now + SUMS_APART_NS;
			++*printed;
			if (ret || (o->count && *printed >= o->count))
				return ret;
			continue;
		}
		if (child_ended(o->sync) || (o->duration_ns && now >= start + o->duration_ns))
			break;
		if (now >= late) {
			ret = take_pass(run);
			if (ret)
				return ret;
			late = now + SUMS_APART_NS;
			continue;
		}
		wait = 100000000;
		if (interval && next - now < wait)
			wait = next - now;
		if (o->duration_ns && start + o->duration_ns - now < wait)
			wait = start + o->duration_ns - now;
		stop_wait(-1, wait);
	}
	return EXIT_OK;
}

/* The module sums up by disks: a partition is not told apart.  Return: the exit status. */
static int refuse_beside(const struct run *run)
{
	const struct session *s = &run->session;
	const struct device *d = device_beside(run->device, run->nr_devices, s->device,
					       s->nr_devices);

	if (!d || s->own)
		return EXIT_OK;
	msg("more of the disk of %s is watched, and its sums are not told apart; say -D with the disk, or see: ioblame report -D %s",
	    d->name, d->name);
	return EXIT_FAILED;
}

/* Return: the exit status. */
static int begin_sums(struct run *run)
{
	const struct opts *o = run->opts;
	int err, ret = dir_find();

	if (ret)
		return ret;
	/* another command that ends switches sums off, unless it finds that we read them */
	ret = session_lock();
	if (!ret)
		ret = restore_set_sums();
	if (!ret)
		ret = session_begin(&run->session, run->device, run->nr_devices, NULL);
	if (!ret)
		ret = refuse_beside(run);
	if (ret)
		return ret;
	sums.wants = is_wanted_disk;
	sums.arg = run;
	err = sums_open(&sums);
	session_ready();
	if (err)
		return dir_refused(err, "sums_bin");
	session = sums.session;
	off = false;
	session_status(&run->session);
	source_head_now(&run->source.head);
	run->source.kind = SOURCE_BINARY;
	if (o->run && !child_start(o->run))
		return EXIT_FAILED;
	return EXIT_OK;
}

static int go_through(struct run *run)
{
	const struct opts *o = run->opts;
	uint64_t printed = 0, interval = o->interval_ns;
	int ret;

	/* without a duration or a command, each second */
	if (!interval && !o->duration_ns && !o->run)
		interval = 1000000000;
	run_print_head(run);
	ret = watch_sums(run, interval, &printed);
	child_kill(stop_asked(), o->sync);
	if (ret)
		return ret;
	if (o->sync && !stop_asked())
		sync();
	switch_off(run);
	if (!o->count || printed < o->count)
		ret = print_pass(run, interval);
	if (!ret)
		run_print_end(run);
	if (sums.no_room)
		msg("names took too much memory: %llu usages have the file \"" USAGE_OTHERS "\"",
		    (unsigned long long)sums.no_room);
	if (sums.broken)
		msg("%llu bytes of the module were not understood",
		    (unsigned long long)sums.broken);
	return ret;
}

int cmd_sums(const struct opts *o)
{
	struct run run = { .opts = o, .session.logless = true };
	unsigned int i;
	int ret;

	for (i = 0; i < o->nr_devices; i++) {
		if (!device_require(o->device[i], &run.device[run.nr_devices++]))
			return EXIT_FAILED;
	}
	sums.fd = -1;
	sums.intents = -1;
	if (o->sync)
		sync();
	ret = begin_sums(&run);
	if (!ret)
		ret = go_through(&run);
	out_flush();
	sums_close(&sums);
	usage_clear(&gathered);
	session_off(&run.session);
	session_end(&run.session);
	if (!ret && run.ended_by_others) {
		msg("ioblame was switched off by somebody else");
		return EXIT_FAILED;
	}
	if (!ret && out_failed())
		return EXIT_FAILED;
	return ret ? ret : o->run ? child_status() : EXIT_OK;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "choice.h"
#include "clock.h"
#include "device.h"
#include "filter.h"
#include "intent.h"
#include "iowait.h"
#include "msg.h"
#include "name.h"
#include "options.h"
#include "opts.h"
#include "out.h"
#include "pace.h"
#include "run.h"
#include "schedule.h"
#include "session.h"
#include "source.h"
#include "stop.h"
#include "view.h"

#define MS	1000000ULL

/* Records are read as often as this, and oftener where there is much */
#define TICK_MOST	(100 * MS)

static bool look_up_devices(struct run *run)
{
	const struct opts *o = run->opts;
	unsigned int i;

	for (i = 0; i < o->nr_devices && !o->input; i++) {
		if (!device_require(o->device[i], &run->device[run->nr_devices++]))
			return false;
	}
	return true;
}

/* Pass a record to the view, unless it is filtered out. */
void view_pass(struct run *run, const struct view *view, const struct iob_iolog_bin_record *rec)
{
	bool takes = filter_takes(&run->filter, rec);

	if (!view->all && !takes)
		return;
	run->ios += takes && !rec->part;
	run->records += takes;
	if (takes && rec->how < IOB_NR_HOWS)
		run->bytes[rec->how] += rec->bytes;
	view->record(run, rec);
}

/*
 * No view keeps a name behind its batch.  Where names have no room, filters do not know them, and
 * drop the IO: so each view has them tidied, also one that prints only at its end.
 */
static void end_batch(struct run *run, const struct view *view)
{
	if (view->filled)
		view->filled(run);
	name_tidy();
}

static void pass_records(struct run *run, const struct view *view)
{
	struct iob_iolog_bin_record rec;

	while (!run->quit && source_next(&run->source, &rec))
		view_pass(run, view, &rec);
	end_batch(run, view);
	name_done();
}

struct schedule {
	uint64_t interval, next, end;
	uint64_t count;
	bool begun;		/* a record has come */
};

/*
 * That an interval of a recording is over is seen at the next record, which may be of another day.
 * So it ends where it should, and what completes just then is still in it.  Live, it ends now.
 */
static bool is_over(const struct run *run, const struct schedule *c)
{
	if (!c->interval)
		return false;
	return source_is_live(&run->source) ? run->now_ns >= c->next : run->now_ns > c->next;
}

/* Go on to the interval that is under way; those of a recording without IO are left out. */
static void next_interval(struct run *run, struct schedule *c, uint64_t ended)
{
	bool live = source_is_live(&run->source);

	c->next = schedule_next(c->next, c->interval, live ? run->now_ns : run->now_ns - 1);
	run->since_ns = live || c->next == UINT64_MAX ? ended : c->next - c->interval;
	/* the last one that there can be: a forged record has any time */
	if (c->next == UINT64_MAX)
		c->interval = 0;
}

/* At the end of an interval, let the view print.  Return: true after the last one. */
static bool end_interval(struct run *run, const struct view *view, struct schedule *c)
{
	uint64_t to = source_is_live(&run->source) ? run->now_ns : c->next;

	if (!is_over(run, c))
		return false;
	if (run->opts->iowait)
		iowait_turn();
	if (view->interval) {
		view->interval(run, run->since_ns, to, false);
		out_flush();
		name_tidy();
	}
	next_interval(run, c, to);
	return run->opts->count && ++c->count >= run->opts->count;
}

/* The time is that of the next record.  Return: true if that is behind the end of the replay. */
static bool replay_until(struct run *run, const struct view *view, struct schedule *c,
			 const struct iob_iolog_bin_record *rec)
{
	bool past = rec->complete_ns > c->end;
	uint64_t now = past ? c->end : rec->complete_ns;

	/* the records of several CPUs are in order but for moments */
	if (run->now_ns < now)
		run->now_ns = now;
	if (!c->begun && is_over(run, c))
		next_interval(run, c, run->since_ns);
	c->begun = true;
	return end_interval(run, view, c) || past;
}

/* Replay a recording: intervals follow the times of its records. */
static void replay_some(struct run *run, const struct view *view, struct schedule *c)
{
	struct iob_iolog_bin_record rec;

	while (!stop_asked() && !out_closed() && !run->quit &&
	       source_fill(&run->source, false)) {
		while (!run->quit && source_next(&run->source, &rec)) {
			run->cut = replay_until(run, view, c, &rec);
			if (run->cut)
				return;
			view_pass(run, view, &rec);
		}
		end_batch(run, view);
		out_flush();
	}
}

static void replay_records(struct run *run, const struct view *view, struct schedule *c)
{
	uint64_t start = run->source.head.start_ns;

	run->now_ns = start;
	run->since_ns = start;
	if (c->interval)
		c->next = schedule_next(start, c->interval, start);
	c->end = UINT64_MAX;
	if (run->opts->duration_ns && run->opts->duration_ns < UINT64_MAX - start)
		c->end = start + run->opts->duration_ns;
	replay_some(run, view, c);
	/* what the module counted stands at the end of the file */
	if (!stop_asked() && !out_closed())
		run->cut |= source_skip(&run->source, stop_asked);
}

static void show_progress(const struct run *run, uint64_t start)
{
	static uint64_t shown;

	if (run->now_ns < shown + 1000 * MS)
		return;
	shown = run->now_ns;
	msg_progress("%llu s, %llu IOs; Ctrl-C ends", (unsigned long long)
		     ((run->now_ns - start) / (1000 * MS)), (unsigned long long)run->ios);
}

static void watch_records(struct run *run, const struct view *view, struct schedule *c, bool quiet)
{
	uint64_t tick = TICK_MOST, start = clock_ns(), wait;

	run->now_ns = start;
	run->since_ns = start;
	c->next = start + c->interval;
	if (run->opts->duration_ns)
		c->end = start + run->opts->duration_ns;
	while (!stop_asked() && !out_closed() && !run->quit) {
		source_look_for_cpus(&run->source);
		if (!source_fill(&run->source, false)) {
			run->ended_by_others = true;
			break;
		}
		pass_records(run, view);
		out_flush();
		run->now_ns = clock_ns();
		if (end_interval(run, view, c) || (c->end && run->now_ns >= c->end))
			break;
		if (child_ended(run->opts->sync))
			break;
		if (!quiet)
			show_progress(run, start);
		tick = source_tick(&run->source, tick, TICK_MOST);
		wait = tick;
		if (c->interval && c->next - run->now_ns < wait)
			wait = c->next - run->now_ns;
		if (c->end && c->end - run->now_ns < wait)
			wait = c->end - run->now_ns;
		if (view->wait)
			view->wait(run, wait);
		else
			stop_wait(-1, wait);
	}
	msg_progress_end();
}

/*
 * Page faults of the command itself would be IO on the disks that it watches.  Load
 * the program and the time zone now, and keep them in memory.  Without the
 * privilege, the command shows up in its own output.
 */
static void lock_memory(void)
{
	tzset();
	if (mlockall(MCL_CURRENT))
		return;
}

/*
 * ioblamed keeps ioblame on and may read its log: it is asked where it runs, by root, too.  A view
 * that sets counters or follows the kernel's events needs the module itself.
 */
static bool asks_daemon(const struct opts *o, const struct view *view)
{
	if (o->direct)
		return false;
	if (geteuid())
		return true;
	/* root's command does not start it: it is there if it has settings to put back */
	return !view->ages && SERVED & 1U << o->command && !access(SERVED_SETTINGS, F_OK);
}

/* Why ioblamed does not answer.  Return: the exit status; EXIT_OK: root does without it. */
static int not_served(struct run *run, int err)
{
	const char *refused = run->source.served.refused;
	int ret = EXIT_FAILED;

	if (!geteuid()) {
		msg("ioblamed does not answer%s%s; doing without it", refused ? ": " : "",
		    refused ? refused : "");
		ret = EXIT_OK;
	} else if (refused) {
		msg("ioblamed refuses: %s", refused);
	} else if (err == ENOENT || err == ECONNREFUSED) {
		msg("only root can use ioblame: sudo ioblame; where ioblamed runs, each user sees his own IO: sudo systemctl enable --now ioblamed");
		ret = EXIT_REFUSED;
	} else {
		msg("ioblamed does not answer: %s; see: systemctl status ioblamed", strerror(err));
	}
	source_close(&run->source);
	return ret;
}

/* Let ioblamed read the log.  @run->source is open then, or not if root does without it. */
static int begin_served(struct run *run, const struct view *view)
{
	const char *word = choice_commands[run->opts->command];
	int err;

	if (view->ages || !(SERVED & 1U << run->opts->command)) {
		msg("ioblamed does not send what %s needs; as root: sudo ioblame %s", word, word);
		return EXIT_REFUSED;
	}
	err = source_open_served(&run->source);
	if (err)
		return not_served(run, err);
	if (!session_served(&run->session, &run->source.head, run->device, run->nr_devices))
		return EXIT_FAILED;
	run->filter.device = run->device;
	run->filter.nr_devices = run->nr_devices;
	run->source.unordered = view->unordered;
	return EXIT_OK;
}

static int begin_source(struct run *run, const struct view *view)
{
	const struct opts *o = run->opts;
	int ret;

	if (o->input) {
		ret = source_open_file(&run->source, o->input);
		if (!ret && o->joined)
			ret = source_join(&run->source, o->joined);
		if (!ret && view->wait && !pace_measure(&run->pace, run))
			ret = EXIT_FAILED;
		return ret;
	}
	lock_memory();
	run->session.arrays = view->arrays;
	if (asks_daemon(o, view)) {
		ret = begin_served(run, view);
		if (ret || run->source.kind == SOURCE_SERVED)
			return ret;
	}
	ret = session_begin(&run->session, run->device, run->nr_devices,
			    view->ages ? session_ages : NULL);
	/* the binary log exists once ioblame is on: open it as early as possible */
	if (!ret && !run->session.own)
		session_status(&run->session);
	if (!ret)
		ret = source_open(&run->source, run->session.text);
	if (!ret && run->session.own)
		session_status(&run->session);
	session_ready();
	run->source.unordered = view->unordered;
	if (!ret && !run->session.own) {
		run->filter.device = run->device;
		run->filter.nr_devices = run->nr_devices;
		if (view->ages)
			msg("ages are known only if a counter of the running session uses age");
	}
	return ret;
}

static int go_through(struct run *run, const struct view *view)
{
	const struct opts *o = run->opts;
	struct schedule c = { .interval = o->interval_ns ? o->interval_ns : view->interval_ns };
	int ret = EXIT_OK;

	if (o->iowait)
		iowait_begin(o->accumulate);
	if (view->begin)
		ret = view->begin(run);
	if (!ret && o->run)
		ret = child_start(o->run) ? EXIT_OK : EXIT_FAILED;
	if (ret)
		return ret;
	run_print_head(run);
	if (source_is_live(&run->source))
		watch_records(run, view, &c,
			      view->wait || view->interval_ns || o->command == CMD_SNOOP ||
			      o->command == CMD_TRACE);
	else if (run->pace.on)
		pace_records(&run->pace, run, view);
	else
		replay_records(run, view, &c);
	if (view->ending)
		view->ending(run);
	/* of the time that is asked for, not all is kept */
	run->cut |= !!o->joined;
	child_kill(stop_asked(), o->sync);
	ret = EXIT_OK;
	if (source_is_live(&run->source)) {
		if (o->sync && !stop_asked())
			sync();
		if (view->stopping)
			view->stopping(run);
		session_off(&run->session);
		source_fill(&run->source, true);
		pass_records(run, view);
		if (view->interval && run->now_ns < clock_ns())
			run->now_ns = clock_ns();
	}
	if (o->iowait && !(o->count && c.count >= o->count))
		iowait_turn();
	if (view->interval && !(o->count && c.count >= o->count))
		view->interval(run, run->since_ns, run->now_ns, true);
	return ret;
}

/* Print why there are no more records.  Return: the exit status. */
static int print_how_it_ended(const struct run *run)
{
	uint64_t no_room = name_no_room() + intent_no_room();

	if (no_room)
		msg("%llu names and stacks had no room, and are shown as numbers",
		    (unsigned long long)no_room);
	if (run->ended_by_others && run->source.kind == SOURCE_SERVED) {
		msg("ioblamed has ended; when it is back, begin again: systemctl status ioblamed");
		return EXIT_FAILED;
	}
	if (run->ended_by_others) {
		msg("ioblame was switched off by somebody else");
		return EXIT_FAILED;
	}
	if (run->source.recording.damaged) {
		msg("the recording is damaged: what is shown is incomplete, and may be wrong");
		return EXIT_FAILED;
	}
	if (run->source.recording.torn) {
		msg("the recording ends early: it is incomplete");
		return EXIT_OK;
	}
	return out_failed() ? EXIT_FAILED : EXIT_OK;
}

/**
 * view_run - run a view from its beginning to its end
 * @opts: the command line
 * @view: its functions
 *
 * Return: the exit status.
 */
int view_run(const struct opts *opts, const struct view *view)
{
	struct run run = { .opts = opts };
	int ret, how;

	filter_begin(&run.filter, opts);
	if (!look_up_devices(&run))
		return EXIT_FAILED;
	if (opts->sync && !opts->input)
		sync();
	ret = begin_source(&run, view);
	if (!ret)
		ret = go_through(&run, view);
	if (!ret)
		run_print_end(&run);
	if (!ret && view->end)
		ret = view->end(&run);
	out_flush();
	how = ret ? ret : print_how_it_ended(&run);
	filter_end(&run.filter);
	if (!how && opts->run)
		how = child_status();
	if (opts->iowait)
		iowait_end();
	source_close(&run.source);
	session_end(&run.session);
	return how;
}

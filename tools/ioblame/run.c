// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "choice.h"
#include "clock.h"
#include "device.h"
#include "dir.h"
#include "escape.h"
#include "file.h"
#include "filter.h"
#include "json.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "session.h"
#include "source.h"
#include "status.h"
#include "stop.h"
#include "text.h"

#define MS	1000000ULL

/* How long records may lie in the module: its buffer of a CPU holds 6500. */
#define TICK_MOST	(100 * MS)
#define TICK_LEAST	(5 * MS)

/* A moment of the records as time of day, in ns since 1970. */
uint64_t run_wall_ns(const struct run *run, uint64_t ns)
{
	return ns + run->source.wall_ns;
}

/* The same as text: 17:54:03.123456 */
void run_time(const struct run *run, uint64_t ns, char *to, unsigned int size)
{
	uint64_t wall = run_wall_ns(run, ns);
	time_t secs = wall / 1000000000;
	struct tm tm;
	char text[16];

	localtime_r(&secs, &tm);
	strftime(text, sizeof(text), "%H:%M:%S", &tm);
	snprintf(to, size, "%s.%06u", text, (unsigned int)(wall % 1000000000 / 1000));
}

static bool find_devices(struct run *run)
{
	const struct opts *o = run->opts;
	char safe[ESCAPE_SIZE(64)];
	unsigned int i;

	for (i = 0; i < o->nr_devices && !o->input; i++) {
		if (device_lookup(o->device[i], &run->device[run->nr_devices++]))
			continue;
		escape_text(safe, sizeof(safe), o->device[i], 64);
		msg("there is no block device '%s'; see: lsblk", safe);
		return false;
	}
	return true;
}

static void print_head(const struct run *run)
{
	struct json_object *o;
	unsigned int i;
	struct json_object *list;

	if (run->opts->format != FORMAT_JSON)
		return;
	o = json_begin("header");
	json_n(o, "schema", 1);
	json_text(o, "version", VERSION);
	json_text(o, "command", choice_commands[run->opts->command]);
	json_text(o, "kernel", run->source.kernel);
	json_n(o, "time_ns", run_wall_ns(run, run->source.start_ns));
	json_object_object_add(o, "replayed", json_object_new_boolean(!run->source.live));
	list = json_object_new_array();
	for (i = 0; i < run->session.nr_devices; i++)
		json_object_array_add(list, json_object_new_string(run->session.device[i].name));
	json_object_object_add(o, "devices", list);
	json_print(o);
	out_flush();
}

/* What happened between begin and now. */
static bool status_now(const struct run *run, struct status *st)
{
	char *text;

	if (!run->source.live) {
		*st = run->source.after;
		status_since(st, &run->source.before);
		return run->source.has_status;
	}
	text = dir_read("status");
	if (!text)
		return false;
	status_parse(st, text);
	free(text);
	status_since(st, &run->session.before);
	return true;
}

static double percent(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/**
 * run_lost - what could not be attributed, and what was lost, as text
 * @run:  the run
 * @to:   gets one or two lines
 * @size: of @to
 */
void run_lost(const struct run *run, char *to, unsigned int size)
{
	struct status st;
	char all[TEXT_NUMBER];
	uint64_t bytes;
	unsigned int i;
	size_t n;

	if (!status_now(run, &st)) {
		snprintf(to, size, "What was lost is not known: %s\n", run->source.live ?
			 "the module's status cannot be read" : "the recording ends early");
		return;
	}
	bytes = status_all_bytes(&st);
	n = snprintf(to, size, "Of %s: %.1f %% exact, %.1f %% inherited, "
		     "%.1f %% only the submitter is known, %.1f %% nobody.\n",
		     text_bytes(all, bytes), percent(st.bytes[IOB_HOW_EXACT], bytes),
		     percent(st.bytes[IOB_HOW_INHERITED], bytes),
		     percent(st.bytes[IOB_HOW_SUBMITTER], bytes),
		     percent(st.bytes[IOB_HOW_LOST], bytes));
	n += snprintf(to + n, size - n, "Lost: %s", st.nr_losses ? "" : "nothing");
	for (i = 0; i < st.nr_losses && n < size; i++)
		n += snprintf(to + n, size - n, "%s%s %llu (%s)", i ? ", " : "",
			      st.loss[i].name, (unsigned long long)st.loss[i].nr,
			      st.loss[i].what);
	if (st.missing && n < size)
		n += snprintf(to + n, size - n, "; %u hooks are missing (ioblame status)",
			      st.missing);
	if (run->source.dropped && n < size)
		n += snprintf(to + n, size - n, "; %llu records not understood",
			      (unsigned long long)run->source.dropped);
	if (n < size)
		snprintf(to + n, size - n, "\n");
}

static void end_json(const struct run *run)
{
	struct json_object *o = json_begin("end"), *lost;
	struct status st;
	unsigned int i;
	char key[64];

	json_n(o, "schema", 1);
	json_n(o, "shown_ios", run->ios);
	json_n(o, "shown_records", run->records);
	if (status_now(run, &st)) {
		json_n(o, "ios", st.ios);
		json_n(o, "bytes", status_all_bytes(&st));
		for (i = 0; i < IOB_NR_HOWS; i++) {
			snprintf(key, sizeof(key), "%s_bytes", rec_how_name(i));
			json_n(o, key, st.bytes[i]);
		}
		lost = json_object_new_object();
		for (i = 0; i < st.nr_losses; i++)
			json_n(lost, st.loss[i].name, st.loss[i].nr);
		json_object_object_add(o, "lost", lost);
		json_n(o, "missing_hooks", st.missing);
	}
	json_n(o, "unknown_records", run->source.dropped);
	json_object_object_add(o, "complete", json_object_new_boolean(!run->ended_by_others &&
								      !run->source.torn));
	json_print(o);
}

/* Every view ends with this; where data is for programs, as a message. */
static void print_end(const struct run *run)
{
	char text[4096], *line, *rest;

	if (run->opts->format == FORMAT_JSON) {
		end_json(run);
		return;
	}
	run_lost(run, text, sizeof(text));
	if (run->opts->format == FORMAT_TABLE && run->opts->command != CMD_STACKS &&
	    run->opts->command != CMD_RECORD) {
		out_printf("\n%s", text);
		return;
	}
	for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		msg("%s", line);
}

/* One record to the view, if it is one that was asked for. */
static void give(struct run *run, const struct view *view,
		 const struct iob_iolog_bin_record *rec)
{
	if (!filter_takes(&run->filter, rec))
		return;
	run->ios += !rec->part;
	run->records++;
	view->record(run, rec);
}

static void take(struct run *run, const struct view *view)
{
	struct iob_iolog_bin_record rec;

	while (source_next(&run->source, &rec)) {
		if (!run->source.live)
			run->now_ns = rec.complete_ns;
		give(run, view, &rec);
	}
	if (view->filled)
		view->filled(run);
	name_done();
}

struct clock {
	uint64_t interval, next, last, end;
	uint64_t count;
};

/* Whether it is time for a picture, and whether that was the last. */
static bool at_interval(struct run *run, const struct view *view, struct clock *c)
{
	if (!c->interval || run->now_ns < c->next)
		return false;
	if (view->interval) {
		view->interval(run, c->last, run->now_ns, false);
		out_flush();
		name_tidy();
	}
	c->last = run->now_ns;
	while (c->next <= run->now_ns)
		c->next += c->interval;
	return run->opts->count && ++c->count >= run->opts->count;
}

/* Records one by one, so that pictures are of the right ones. */
static void replay(struct run *run, const struct view *view, struct clock *c)
{
	struct iob_iolog_bin_record rec;

	while (!stop_asked() && !out_closed() && !run->quit &&
	       source_fill(&run->source, false)) {
		while (source_next(&run->source, &rec)) {
			if (!c->next) {
				c->last = run->source.start_ns;
				c->next = c->last + c->interval;
			}
			run->now_ns = rec.complete_ns;
			if (at_interval(run, view, c))
				return;
			if (run->opts->duration_ns &&
			    rec.complete_ns > run->source.start_ns + run->opts->duration_ns)
				return;
			give(run, view, &rec);
		}
		if (view->filled)
			view->filled(run);
		out_flush();
	}
	if (!c->next)
		c->last = run->source.start_ns;
}

static uint64_t tick_of(const struct run *run, uint64_t tick)
{
	/* a quarter of a CPU's buffer is as full as it should get */
	if (run->source.got > (256 << 10) * (uint64_t)run->source.nr_cpus / 2)
		return tick / 2 > TICK_LEAST ? tick / 2 : TICK_LEAST;
	return tick * 2 < TICK_MOST ? tick * 2 : TICK_MOST;
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

/* What is in memory and was not written yet, of the whole machine: bytes. */
static uint64_t unwritten(void)
{
	static const char * const words[] = { "\nDirty:", "\nWriteback:" };
	char *text = file_read("/proc/meminfo"), *p;
	uint64_t sum = 0;
	size_t i;

	for (i = 0; text && i < ARRAY_SIZE(words); i++) {
		p = strstr(text, words[i]);
		if (p)
			sum += strtoull(p + strlen(words[i]), NULL, 10) << 10;
	}
	free(text);
	return sum;
}

/* How the command ended, and what of its work is not to be seen yet. */
static void say_child_ended(const struct run *run, int status, uint64_t wrote)
{
	uint64_t left = run->opts->sync ? 0 : unwritten();
	char all[TEXT_NUMBER], part[TEXT_NUMBER];

	if (WIFSIGNALED(status))
		msg("the command was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status))
		msg("the command ended with status %d", WEXITSTATUS(status));
	if (left > wrote)
		left = wrote;
	if (left)
		msg("of %s that the command wrote, up to %s is in memory still and not seen here; --sync waits for it",
		    text_bytes(all, wrote), text_bytes(part, left));
}

static void live(struct run *run, const struct view *view, struct clock *c, bool quiet)
{
	uint64_t tick = TICK_MOST, start = clock_ns(), wait;
	uint64_t wrote;
	int status = 0;

	run->now_ns = start;
	c->last = start;
	c->next = start + c->interval;
	if (run->opts->duration_ns)
		c->end = start + run->opts->duration_ns;
	while (!stop_asked() && !out_closed() && !run->quit) {
		if (!source_fill(&run->source, false)) {
			run->ended_by_others = true;
			break;
		}
		take(run, view);
		out_flush();
		run->now_ns = clock_ns();
		if (at_interval(run, view, c) || (c->end && run->now_ns >= c->end))
			break;
		if (child_ended(&status, &wrote)) {
			say_child_ended(run, status, wrote);
			break;
		}
		if (!quiet)
			show_progress(run, start);
		tick = tick_of(run, tick);
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
 * What is read from a disk that is watched would show up as ours: be in memory, and
 * stay there, with what else is wanted later.  If it cannot be, it is no worse than
 * other programs.
 */
static void be_in_memory(void)
{
	tzset();
	if (mlockall(MCL_CURRENT))
		return;
}

static int begin(struct run *run, const struct view *view)
{
	const struct opts *o = run->opts;
	int ret;

	if (o->input)
		return source_open_file(&run->source, o->input);
	be_in_memory();
	ret = session_begin(&run->session, run->device, run->nr_devices, view->ages);
	/* the binary log is there once it is on: open it as soon as can be */
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
			msg("ages are known only if a counter of the running session names age");
	}
	return ret;
}

static int go(struct run *run, const struct view *view)
{
	const struct opts *o = run->opts;
	struct clock c = { .interval = o->interval_ns ? o->interval_ns : view->interval_ns };
	int ret = EXIT_OK;

	if (view->begin)
		ret = view->begin(run);
	if (!ret && o->run)
		ret = child_start(o->run) ? EXIT_OK : EXIT_FAILED;
	if (ret)
		return ret;
	print_head(run);
	if (run->source.live)
		live(run, view, &c, view->wait || view->interval_ns ||
		     o->command == CMD_SNOOP);
	else
		replay(run, view, &c);
	if (stop_asked())
		child_kill();
	ret = EXIT_OK;
	if (run->source.live) {
		if (o->sync && !stop_asked())
			sync();
		session_off(&run->session);
		source_fill(&run->source, true);
		take(run, view);
		if (view->interval && run->now_ns < clock_ns())
			run->now_ns = clock_ns();
	}
	if (view->interval && !(o->count && c.count >= o->count))
		view->interval(run, c.last, run->now_ns, true);
	return ret;
}

/* How it was that nothing more came. */
static int say_how_it_ended(const struct run *run)
{
	if (run->ended_by_others) {
		msg("ioblame was switched off by somebody else");
		return EXIT_FAILED;
	}
	if (run->source.torn) {
		msg("the recording ends early: it was not finished");
		return EXIT_OK;
	}
	return out_failed() ? EXIT_FAILED : EXIT_OK;
}

/**
 * run_view - run a view from its beginning to its end
 * @opts: what was asked for
 * @view: what it does
 *
 * Return: the exit status.
 */
int run_view(const struct opts *opts, const struct view *view)
{
	struct run run = { .opts = opts };
	int ret, how;

	run.filter.opts = opts;
	if (!find_devices(&run))
		return EXIT_FAILED;
	if (opts->sync && !opts->input)
		sync();
	ret = begin(&run, view);
	if (!ret)
		ret = go(&run, view);
	if (!ret)
		print_end(&run);
	if (!ret && view->end)
		ret = view->end(&run);
	out_flush();
	how = ret ? ret : say_how_it_ended(&run);
	source_close(&run.source);
	session_end(&run.session);
	return how;
}

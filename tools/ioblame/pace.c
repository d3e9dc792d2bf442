// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "pace.h"
#include "run.h"
#include "source.h"
#include "stop.h"
#include "view.h"

#define MS	1000000ULL

/* How often keys are looked at, and what passes is passed on */
#define TICK	(50 * MS)

/* Open the recording again, at its beginning.  What stands or is met at its end stays. */
static bool rewind_recording(struct run *run)
{
	const struct recording told = run->source.recording;

	source_close(&run->source);
	if (source_open_file(&run->source, run->opts->input))
		return false;
	run->source.recording.before = told.before;
	run->source.recording.after = told.after;
	run->source.recording.has_status = told.has_status;
	run->source.recording.several = told.several;
	run->source.recording.torn = told.torn;
	run->source.recording.damaged = told.damaged;
	return true;
}

/* As in other views, -d is a time of the recording. */
static void cut_end(struct pace *p, struct run *run)
{
	const struct opts *o = run->opts;

	p->ends = o->duration_ns || o->count;
	if (!o->duration_ns || o->duration_ns >= p->end_ns - p->begin_ns)
		return;
	p->end_ns = p->begin_ns + o->duration_ns;
	run->cut = true;
}

/**
 * pace_measure - find where a recording begins and ends, and what was lost in it
 * @p:   the result
 * @run: its source is open, and is so again after it
 *
 * Return: false after printing why not.
 */
bool pace_measure(struct pace *p, struct run *run)
{
	struct iob_iolog_bin_record rec;

	memset(p, 0, sizeof(*p));
	p->begin_ns = run->source.head.start_ns;
	p->end_ns = p->begin_ns;
	while (!stop_asked() && source_fill(&run->source, false)) {
		while (source_next(&run->source, &rec)) {
			if (p->end_ns < rec.complete_ns)
				p->end_ns = rec.complete_ns;
		}
	}
	p->at_ns = p->begin_ns;
	cut_end(p, run);
	p->on = rewind_recording(run);
	return p->on;
}

/* As much of the recording as one picture has */
static uint64_t shown_ns(const struct pace *p)
{
	return p->speed >= 0 ? p->interval_ns << p->speed : p->interval_ns >> -p->speed;
}

static void seek_by(struct pace *p, int64_t by)
{
	uint64_t from = p->sought ? p->to_ns : p->at_ns;
	int64_t at = (int64_t)(from - p->begin_ns) + by, all = p->end_ns - p->begin_ns;

	p->to_ns = p->begin_ns + (at < 0 ? 0 : at > all ? all : at);
	p->sought = true;
}

/* Take a key of the live view.  Return: false if it is none of these. */
bool pace_key(struct pace *p, int key)
{
	int64_t step = shown_ns(p), tenth = (p->end_ns - p->begin_ns) / 10;

	switch (key) {
	case ' ':
		p->paused = !p->paused;
		return true;
	case '+':
	case '=':
		p->speed += p->speed < PACE_SPEED_MOST;
		return true;
	case '-':
		p->speed -= p->speed > -PACE_SPEED_MOST;
		return true;
	case ',':
		seek_by(p, -step);
		return true;
	case '.':
		seek_by(p, step);
		return true;
	case '<':
		seek_by(p, -tenth);
		return true;
	case '>':
		seek_by(p, tenth);
		return true;
	case '0':
		p->to_ns = p->begin_ns;
		p->sought = true;
		return true;
	}
	return false;
}

static void text_position(char *to, size_t size, uint64_t ns)
{
	uint64_t s = ns / 1000000000;

	if (s >= 3600)
		snprintf(to, size, "%llu:%02u:%02u", (unsigned long long)(s / 3600),
			 (unsigned int)(s / 60 % 60), (unsigned int)(s % 60));
	else
		snprintf(to, size, "%u:%02u.%u", (unsigned int)(s / 60), (unsigned int)(s % 60),
			 (unsigned int)(ns / 100000000 % 10));
}

/* Where it is: "0:12.5 of 1:30.0 x2 PAUSED".  @to has PACE_TEXT bytes. */
const char *pace_text(const struct pace *p, char *to)
{
	char at[24], all[24], speed[16];

	text_position(at, sizeof(at), p->at_ns - p->begin_ns);
	text_position(all, sizeof(all), p->end_ns - p->begin_ns);
	snprintf(speed, sizeof(speed), p->speed < 0 ? "x1/%u" : "x%u",
		 1U << (p->speed < 0 ? -p->speed : p->speed));
	snprintf(to, PACE_TEXT, "%s of %s %s%s", at, all, speed,
		 p->paused ? " PAUSED" : p->at_ns >= p->end_ns ? " END" : "");
	return to;
}

/* The reader of records: one that is read, but is of a time to come, waits here */
struct reader {
	struct iob_iolog_bin_record rec;
	bool waits;
	bool ended;
};

/* The next record that completed until @to_ns.  Return: false if there is none. */
static bool next_record(struct reader *r, struct run *run, uint64_t to_ns)
{
	while (!r->waits && !r->ended) {
		r->waits = source_next(&run->source, &r->rec);
		if (!r->waits)
			r->ended = !source_fill(&run->source, false);
	}
	if (!r->waits || r->rec.complete_ns > to_ns)
		return false;
	r->waits = false;
	return true;
}

/* Let pass what completed until @to_ns; without a view, unseen. */
static void pass_until(struct reader *r, struct run *run, const struct view *view, uint64_t to_ns)
{
	while (!stop_asked() && next_record(r, run, to_ns)) {
		if (view)
			view_pass(run, view, &r->rec);
	}
	if (view && view->filled)
		view->filled(run);
	name_tidy();
}

/* Go to where it was asked for, and show what a picture there would have. */
static bool seek_record(struct pace *p, struct reader *r, struct run *run, const struct view *view)
{
	uint64_t shown = shown_ns(p), from;

	from = p->to_ns - p->begin_ns > shown ? p->to_ns - shown : p->begin_ns;
	p->sought = false;
	run->now_ns = from;
	run->ios = 0;
	run->records = 0;
	memset(run->bytes, 0, sizeof(run->bytes));
	if (view->jumped)
		view->jumped(run);
	if (from < p->at_ns) {
		memset(r, 0, sizeof(*r));
		if (!rewind_recording(run))
			return false;
	}
	pass_until(r, run, NULL, from);
	pass_until(r, run, view, p->to_ns);
	p->at_ns = p->to_ns;
	run->now_ns = p->at_ns;
	view->interval(run, from, p->at_ns, false);
	return true;
}

static void go_on(struct pace *p, uint64_t wall_ns)
{
	uint64_t left = p->end_ns - p->at_ns, by;

	by = p->speed >= 0 ? wall_ns << p->speed : wall_ns >> -p->speed;
	p->at_ns += by < left ? by : left;
}

/* True if all pictures that were asked for were shown, or all of the time was. */
static bool is_shown(const struct pace *p, struct run *run, uint64_t pictures)
{
	if (run->opts->count && pictures >= run->opts->count) {
		run->cut |= p->at_ns < p->end_ns;
		return true;
	}
	return p->ends && !p->paused && !p->sought && p->at_ns >= p->end_ns;
}

/**
 * pace_records - let a recording pass until the view ends it, or all that was asked for is shown
 * @p:    where it is; the view changes it by pace_key()
 * @run:  the run
 * @view: a live view: it waits for keys, and has intervals
 */
void pace_records(struct pace *p, struct run *run, const struct view *view)
{
	uint64_t wall = clock_ns(), drawn = wall, from = p->at_ns, now, pictures = 0;
	struct reader r = { .waits = false };
	bool moved = false;

	p->interval_ns = run->opts->interval_ns ? run->opts->interval_ns : view->interval_ns;
	run->now_ns = p->at_ns;
	while (!stop_asked() && !run->quit) {
		if (p->sought) {
			if (!seek_record(p, &r, run, view))
				return;
			from = p->at_ns;
			wall = clock_ns();
			drawn = wall;
			moved = false;
		}
		now = clock_ns();
		if (!p->paused && p->at_ns < p->end_ns) {
			go_on(p, now - wall);
			pass_until(&r, run, view, p->at_ns);
			run->now_ns = p->at_ns;
			moved = true;
		}
		wall = now;
		if (moved && (now >= drawn + p->interval_ns || p->at_ns >= p->end_ns)) {
			view->interval(run, from, p->at_ns, false);
			from = p->at_ns;
			drawn = now;
			moved = false;
			pictures++;
		}
		if (is_shown(p, run, pictures))
			return;
		view->wait(run, TICK);
	}
}

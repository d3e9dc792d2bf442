// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <systemd/sd-event.h>

#include "clock.h"
#include "intent.h"
#include "kernel.h"
#include "msg.h"
#include "name.h"
#include "records.h"
#include "source.h"
#include "status.h"

/* How often it is tried to open the log */
#define AGAIN_NS	1000000000ULL

static struct source source;
static struct records_tap *taps;
static sd_event_source *timer;
static bool open_log;		/* @source is open */
static bool passing;		/* taps are being called */
static uint64_t tick = RECORDS_TICK;
static uint64_t session;	/* intent_session() of the log that was opened last */
static uint64_t read_ns;	/* when this read began, or the last one */
static const char *state;	/* why nothing comes; NULL: it does */

/* Note why nothing comes, and say it once. */
static void set_state(const char *why)
{
	if (why == state)
		return;
	state = why;
	if (why)
		msg("%s", why);
}

/* What it waits for while somebody has a tap; NULL if it reads. */
const char *records_state(void)
{
	return taps ? state : NULL;
}

/* A number of the session that is read, which no other has; 0: none was. */
uint64_t records_session(void)
{
	return session;
}

/*
 * When this read began: what completed before is passed until its end.  It goes on for as long as
 * the taps take, and what completes meanwhile is passed in part.
 */
uint64_t records_read_ns(void)
{
	return read_ns;
}

/* What is to be added to a record's time now for the time of day. */
int64_t records_wall_ns(void)
{
	return source.head.wall_ns;
}

static void pass_raw(unsigned int cpu, const void *bytes, size_t len, void *arg)
{
	struct records_tap *tap;

	(void)arg;
	for (tap = taps; tap; tap = tap->next) {
		if (tap->raw)
			tap->raw(cpu, bytes, len, tap->arg);
	}
}

static void pass_record(const struct iob_iolog_bin_record *rec)
{
	struct records_tap *tap;

	for (tap = taps; tap; tap = tap->next) {
		if (tap->take)
			tap->take(rec, tap->arg);
	}
}

static void pass_batch(void)
{
	struct records_tap *tap, *next;

	for (tap = taps; tap; tap = next) {
		next = tap->next;
		if (tap->batch)
			tap->batch(tap->arg);
	}
}

static void close_log(void)
{
	if (!open_log)
		return;
	open_log = false;
	source_close(&source);
	if (source_dropped(&source))
		msg("%llu records of the log were not understood",
		    (unsigned long long)source_dropped(&source));
}

/*
 * Intents of another session have the numbers of those before.
 * Return: whether ioblame is on; the files of a session that has ended are there, too.
 */
static bool note_session(void)
{
	struct status st;

	if (!status_now(&st))
		return false;
	intent_note_session(st.module, st.session);
	session = intent_session();
	return st.enabled;
}

static const char off[] = "ioblame is switched off; records come when it is on";

static const char *why_not_open(int err)
{
	switch (err) {
	case EBUSY:
		return "another program reads the log; records come when it ends";
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return off;
	}
	return "the log cannot be opened; see: ioblame doctor";
}

static void try_to_open(void)
{
	int err;

	if (!kernel_is_open()) {
		set_state("the module is not there, or was let go; records come when it is back");
		return;
	}
	err = note_session() ? source_open_log(&source) : ENOENT;
	set_state(err ? why_not_open(err) : NULL);
	if (err)
		return;
	open_log = true;
	tick = RECORDS_TICK;
}

/* What the taps want. */
static void choose_form(void)
{
	struct records_tap *tap;

	source.raw = NULL;
	source.raw_only = true;
	for (tap = taps; tap; tap = tap->next) {
		if (tap->raw)
			source.raw = pass_raw;
		if (tap->take)
			source.raw_only = false;
	}
}

/* Read what is there, and pass it on.  Return: false if the session has ended. */
static bool read_log(void)
{
	struct iob_iolog_bin_record rec;
	bool more;

	source_look_for_cpus(&source);
	choose_form();
	read_ns = clock_ns();
	more = source_fill(&source, false);
	while (source_next(&source, &rec)) {
		/* the next session began, and who reads the sums knows its intents already */
		if (session != intent_session())
			rec.intent_nr = UINT32_MAX;
		pass_record(&rec);
	}
	return more;
}

/* Read now, and not only when the time has come. */
void records_read(void)
{
	if (!taps || passing)
		return;
	passing = true;
	if (!open_log)
		try_to_open();
	if (open_log && !read_log()) {
		close_log();
		set_state(off);
	}
	pass_batch();
	/* what the taps have looked up */
	name_tidy();
	name_done();
	passing = false;
	if (!taps)
		close_log();
}

static uint64_t longest_wait(void)
{
	uint64_t most = UINT64_MAX, wants;
	struct records_tap *tap;

	for (tap = taps; tap; tap = tap->next) {
		wants = tap->most_ns ? tap->most_ns : RECORDS_TICK;
		if (wants < most)
			most = wants;
	}
	return most;
}

static void set_timer(void)
{
	uint64_t ns = AGAIN_NS;

	if (open_log) {
		tick = source_tick(&source, tick, longest_wait());
		ns = tick;
	}
	sd_event_source_set_enabled(timer, taps ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
	if (taps)
		sd_event_source_set_time_relative(timer, ns / 1000);
}

static int on_tick(sd_event_source *s, uint64_t now_us, void *arg)
{
	(void)s;
	(void)now_us;
	(void)arg;
	records_read();
	set_timer();
	return 0;
}

/**
 * records_begin - let others have taps
 * @event: the loop
 *
 * Return: 0 or -errno.
 */
int records_begin(struct sd_event *event)
{
	int ret = sd_event_add_time_relative(event, &timer, CLOCK_MONOTONIC, 0, 1000, on_tick,
					     NULL);

	return ret < 0 ? ret : sd_event_source_set_enabled(timer, SD_EVENT_OFF);
}

/* False where no log can be read, whatever comes. */
bool records_can(void)
{
	return timer;
}

/* Add a tap, which stays where it is until records_untap(): records from now on. */
void records_tap(struct records_tap *tap)
{
	bool first = !taps;

	/* those before are not for this one */
	records_read();
	tap->next = taps;
	taps = tap;
	if (first && !passing) {
		try_to_open();
		set_timer();
	}
}

/* Take a tap away.  The log is closed with the last one. */
void records_untap(struct records_tap *tap)
{
	struct records_tap **at;

	for (at = &taps; *at && *at != tap; at = &(*at)->next)
		;
	if (*at)
		*at = tap->next;
	if (taps || passing)
		return;
	close_log();
	if (timer)
		set_timer();
}

/* Close the log until the next try, a second later, so that the module can be unloaded. */
void records_let_go(void)
{
	close_log();
}

void records_end(void)
{
	close_log();
	taps = NULL;
	timer = sd_event_source_disable_unref(timer);
}

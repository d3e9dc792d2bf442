// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "caps.h"
#include "daemon.h"
#include "feeder.h"
#include "kernel.h"
#include "let_go.h"
#include "metrics_loop.h"
#include "moments.h"
#include "msg.h"
#include "name.h"
#include "namer.h"
#include "process.h"
#include "query.h"
#include "records.h"
#include "settings.h"
#include "sums.h"
#include "viewers.h"

#define NAME_STALE_NS	30000000000ULL
/* A moment has two minutes at most: a process that ended before this is in no recording of now */
#define ENDED_NS	600000000000ULL

enum {
	/* any user chooses how long his files' names are, up to 16 KB when they are escaped */
	NAME_LONGEST = 1024,
	NAME_BYTES = 16 << 20,
};

/* The group that files are made for; the service's get that of their folder: own_files.h. */
static gid_t group_of_files(const struct daemon *d)
{
	if (getenv("INVOCATION_ID") || geteuid())
		return -1;
	return conf_group(&d->conf, peer_find_group);
}

/* Whether nobody else records there.  It is tried again with each interval. */
static bool lock_databases(struct daemon *d)
{
	const char *const paths[] = { d->conf.recorder.file, d->conf.recorder.recent };
	char by[32] = "";
	unsigned int i;
	pid_t pid = 0;

	for (i = 0; i < ARRAY_SIZE(paths) && !pid; i++)
		pid = recorder_lock(&d->lock, paths[i]);
	if (pid) {
		recorder_unlock(&d->lock);
		if (pid > 0)
			snprintf(by, sizeof(by), " (pid %d)", pid);
		if (!d->locked_out)
			msg("another ioblamed%s records into %s: nothing is recorded before it ends; end it, or set File= and Recent= of [Recorder]",
			    by, paths[i - 1]);
	} else if (d->locked_out) {
		msg("nobody else records into %s any more: recording", paths[0]);
	}
	d->locked_out = pid;
	return !pid;
}

/* What is done before the capabilities go: files are made for the group. */
static void begin_recording(struct daemon *d)
{
	const struct conf_recorder *from = &d->conf.recorder;
	struct recorder_conf conf;

	/* a feed is not what this machine did */
	if (!*from->file || !*from->recent || (d->feed && !strcmp(from->file, PAST_FILE)))
		return;
	/* also of what another one records there */
	query_past_of(from->file, from->recent);
	if (!lock_databases(d))
		return;
	recorder_defaults(&conf);
	conf.file = from->file;
	conf.recent = from->recent;
	conf.group = group_of_files(d);
	conf.interval_ns = d->conf.daemon.interval_ns;
	conf.recent_ns = from->intervals_ns;
	conf.minutes_ns = from->minutes_ns;
	conf.hours_ns = from->hours_ns;
	conf.max_bytes = from->max_bytes;
	recorder_open(&d->recorder, &conf);
	d->recording = true;
}

static void end_recording(struct daemon *d)
{
	if (d->recording)
		recorder_close(&d->recorder);
	d->recording = false;
	recorder_unlock(&d->lock);
}

/* The usage of an interval goes to all that keep or serve it. */
static void take_usage(const struct usage_list *usage, void *arg)
{
	struct daemon *d = arg;

	viewers_usage(usage);
	metrics_interval(d->metrics, usage, !d->feed);
	/* who has ended has a part of this interval: of the next one, he has none */
	if (d->recording)
		recorder_add(&d->recorder, usage);
	else if (d->locked_out)
		begin_recording(d);
}

static int64_t realtime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/*
 * Take what the kernel has summed up since the last time.  Return: true if it was recorded, which
 * includes what recorder_tick() does.
 */
static bool take_sums(struct daemon *d)
{
	bool known = kernel_pass(&d->usage), recorded = known && d->recording;

	busy_pass(&d->busy, BUSY_FOLDER, known ? &d->usage : NULL);
	if (known)
		take_usage(&d->usage, d);
	else
		metrics_idle(d->metrics, kernel_is_open());
	return recorded;
}

static void tell_state(void)
{
	const char *log = records_state();

	sd_notifyf(0, "STATUS=%s%s%s", kernel_state(), log ? "; " : "", log ? log : "");
}

/* From now, not from the last one: a suspended machine has nothing to make up for. */
static int begin_interval(struct daemon *d)
{
	return sd_event_source_set_time_relative(d->timer, d->conf.daemon.interval_ns / 1000);
}

/* An interval of the kernel's sums has ended. */
static int on_interval(sd_event_source *source, uint64_t now_us, void *arg)
{
	struct daemon *d = arg;
	bool recorded;

	(void)source;
	(void)now_us;
	recorded = take_sums(d);
	moments_interval(d->moments);
	tell_state();
	if (kernel_needs_start()) {
		msg("ending, so that systemd mounts the module's files and starts ioblamed again");
		return sd_event_exit(d->event, 0);
	}
	if (d->recording && !recorded)
		recorder_tick(&d->recorder, realtime_ns());
	return begin_interval(d);
}

/* Within a long interval. */
static int on_gather(sd_event_source *source, uint64_t now_us, void *arg)
{
	(void)now_us;
	(void)arg;
	kernel_gather();
	return sd_event_source_set_time_relative(source, SUMS_APART_NS / 1000);
}

/*
 * SIGHUP: let go of the module for an interval, so that it can be unloaded.  A whole one: of the
 * one that is under way, nothing may be left.
 */
static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	struct timespec now;
	int ret;

	(void)source;
	(void)info;
	clock_gettime(CLOCK_MONOTONIC, &now);
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
		   now.tv_sec * 1000000LL + now.tv_nsec / 1000);
	take_sums(arg);
	records_let_go();
	kernel_let_go();
	ret = begin_interval(arg);
	tell_state();
	sd_notify(0, "READY=1");
	let_go_done();
	return ret;
}

/*
 * SIGTERM and SIGINT end the loop; the signals are blocked, so that they come by it.  The
 * watchdog of systemd is fed by the loop itself.
 */
static int add_signals(struct daemon *d)
{
	sigset_t set;
	int ret;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	ret = sd_event_add_signal(d->event, NULL, SIGTERM, NULL, NULL);
	if (ret >= 0)
		ret = sd_event_add_signal(d->event, NULL, SIGINT, NULL, NULL);
	if (ret >= 0 && !d->feed)
		ret = sd_event_add_signal(d->event, NULL, SIGHUP, on_hangup, d);
	if (ret >= 0)
		ret = sd_event_set_watchdog(d->event, true);
	return ret;
}

static void say_no_socket(const char *path, int err, const char *what)
{
	if (err == EADDRINUSE)
		msg("%s: another program serves it; %s: end it, or configure another path", path,
		    what);
	else
		msg("%s: %s; %s", path, strerror(err), what);
}

/* Whether a socket is to be: a feed is not what this machine did, and is served elsewhere. */
static bool wants_socket(const struct daemon *d, const char *path, const char *usual)
{
	return *path && !(d->feed && !strcmp(path, usual));
}

/* What else the daemon does needs no viewers. */
static void open_sockets(struct daemon *d)
{
	const struct conf_viewers *v = &d->conf.viewers;
	int ret;

	peer_group(v->group);
	ret = wants_socket(d, v->socket, CONF_SOCKET) ? viewers_begin(d->event, v->socket) : 0;
	if (ret < 0)
		say_no_socket(v->socket, -ret, "nobody can connect");
	ret = wants_socket(d, v->query, CONF_QUERY) ? query_begin(d->event, v->query) : 0;
	if (ret < 0)
		say_no_socket(v->query, -ret, "nobody can ask");
}

/* Call @fn after @ns, and as often as it sets its time anew. */
static int add_timer(struct daemon *d, sd_event_source **timer, uint64_t ns,
		     sd_event_time_handler_t fn)
{
	int ret = sd_event_add_time_relative(d->event, timer, CLOCK_MONOTONIC, ns / 1000,
					     ns / 100000, fn, d);

	return ret < 0 ? ret : sd_event_source_set_enabled(*timer, SD_EVENT_ON);
}

static int add_sources(struct daemon *d)
{
	uint64_t ns = d->conf.daemon.interval_ns;
	int ret;

	open_sockets(d);
	if (d->feed)
		return feeder_begin(d->event, d->feed, d->once, take_usage, d);
	let_go_begin();
	settings_disks(d->conf.daemon.disks);
	kernel_begin();
	tell_state();
	/* an interval may be an hour */
	metrics_idle(d->metrics, kernel_is_open());
	ret = records_begin(d->event);
	if (ret < 0)
		return ret;
	moments_interval(d->moments);
	moments_watch(d->moments);
	ret = add_timer(d, &d->timer, ns, on_interval);
	if (ret >= 0 && ns > SUMS_APART_NS)
		ret = add_timer(d, &d->gather, SUMS_APART_NS, on_gather);
	return ret;
}

/* What takes capabilities that are given up then. */
static int prepare_root(const struct daemon *d)
{
	if (d->feed)
		return 0;
	/* whether the files are found is said later */
	msg_quiet(true);
	kernel_mount();
	msg_quiet(false);
	return namer_start();
}

/**
 * daemon_run - run the loop until a signal ends it
 * @d: configured
 *
 * Return: the exit status.
 */
int daemon_run(struct daemon *d)
{
	int ret;

	begin_recording(d);
	/* a feed has no records */
	if (!d->feed)
		d->moments = moments_begin(&d->conf.moments, group_of_files(d));
	/* nobody looks on: a file that is renamed has its new name half a minute later */
	name_stale_after(NAME_STALE_NS);
	name_bound(NAME_LONGEST, NAME_BYTES);
	process_forget_after(ENDED_NS);
	ret = prepare_root(d);
	if (ret >= 0)
		ret = caps_keep(CAPS_NONE);
	if (ret >= 0)
		ret = sd_event_default(&d->event);
	if (ret >= 0)
		ret = add_signals(d);
	if (ret >= 0)
		ret = metrics_begin(&d->metrics, d->event, &d->conf.metrics);
	if (ret >= 0)
		ret = add_sources(d);
	if (ret >= 0) {
		sd_notify(0, "READY=1");
		ret = sd_event_loop(d->event);
		sd_notify(0, "STOPPING=1");
		if (!d->feed)
			take_sums(d);
	}
	if (ret < 0)
		msg("%s: %s", d->feed ? d->feed : "the loop", strerror(-ret));
	viewers_end();
	query_end();
	feeder_end();
	moments_end(d->moments);
	records_end();
	if (!d->feed) {
		kernel_end();
		let_go_end();
	}
	namer_stop();
	end_recording(d);
	metrics_finish(d->metrics, d->once);
	usage_clear(&d->usage);
	busy_end(&d->busy);
	d->timer = sd_event_source_disable_unref(d->timer);
	d->gather = sd_event_source_disable_unref(d->gather);
	d->event = sd_event_unref(d->event);
	return ret < 0 || kernel_needs_start() ? EXIT_FAILED : EXIT_OK;
}

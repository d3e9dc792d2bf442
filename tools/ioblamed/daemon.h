/* SPDX-License-Identifier: GPL-2.0 */
/*
 * daemon - the loop of ioblamed
 *
 * One thread, one sd-event loop.  At the end of each interval the usage of it goes to all that
 * keep or serve it: daemon_usage() calls them.
 */
#ifndef IOBLAMED_DAEMON_H
#define IOBLAMED_DAEMON_H

#include <stdbool.h>

#include "busy.h"
#include "conf.h"
#include "recorder.h"
#include "recorder_lock.h"
#include "usage.h"

struct metrics;
struct moments;
struct sd_event;
struct sd_event_source;

struct daemon {
	struct conf conf;
	struct recorder recorder;
	struct recorder_lock lock;
	bool recording, locked_out;	/* locked_out: another one records there */
	struct sd_event *event;
	struct sd_event_source *timer;	/* of the interval */
	struct sd_event_source *gather;	/* within a long one; NULL: it is short */
	struct metrics *metrics;
	struct moments *moments;
	const char *feed;	/* --feed: the source instead of the kernel */
	bool once;		/* --once: end with the feed */
	struct usage_list usage;
	struct busy busy;
};

int daemon_run(struct daemon *d);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * conf - the configuration of ioblamed
 *
 * Pure, but for conf_load().  A file is in systemd's style: sections, and in them KEY=VALUE.
 * A line is checked before it counts: of a wrong one the value before stays, and the caller
 * is told.  Example:
 *
 *	[Daemon]
 *	Interval=10s
 *
 * A new key is a member of struct conf, its default and a row of the table in conf.c.
 */
#ifndef IOBLAMED_CONF_H
#define IOBLAMED_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "metrics.h"
#include "rule.h"
#include "served.h"

#define CONF_FILE	"/etc/ioblame/ioblamed.conf"
#define CONF_SOCKET	"/run/ioblame/socket"
#define CONF_QUERY	SERVED_SOCKET

enum {
	CONF_TEXT = 256,	/* room for a value that is text, with its NUL */
	CONF_RULES = 16,
	CONF_WORDS = 1 << 16,	/* the same for words of several lines: 1024 disks by links */
};

struct conf_daemon {
	uint64_t interval_ns;
	char disks[CONF_WORDS];	/* names, each with a blank behind it; empty: all */
};

struct conf_viewers {
	char socket[CONF_TEXT];	/* empty: there are none */
	char query[CONF_TEXT];	/* the same of those who ask */
	char group[CONF_TEXT];	/* its members see all */
};

struct conf_recorder {
	char file[CONF_TEXT], recent[CONF_TEXT];	/* one is empty: nothing is recorded */
	uint64_t max_bytes;				/* of the file */
	uint64_t intervals_ns, minutes_ns, hours_ns;	/* how long each is kept */
};

struct conf_moments {
	uint64_t ring_bytes;		/* 0: the log is not read */
	uint64_t before_ns, after_ns;	/* what is kept around a moment */
	char folder[CONF_TEXT];		/* empty: nothing is kept */
	uint64_t max_moments, max_bytes;
	struct rule rule[CONF_RULES];
	unsigned int nr_rules;
};

struct conf {
	struct conf_daemon daemon;
	struct conf_viewers viewers;
	struct conf_recorder recorder;
	struct conf_moments moments;
	struct metrics_conf metrics;
};

/* Called for each line that does not count */
typedef void (*conf_wrong_fn)(const char *file, unsigned int line, const char *what);

void conf_defaults(struct conf *conf);
bool conf_parse(struct conf *conf, const char *file, const char *text, conf_wrong_fn wrong);
gid_t conf_group(const struct conf *conf, gid_t (*find)(const char *name));
bool conf_load(struct conf *conf, const char *path, conf_wrong_fn wrong);

#endif

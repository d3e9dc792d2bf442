/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session - ioblame switched on for the time of a run, read along, or read by ioblamed
 */
#ifndef IOBLAME_SESSION_H
#define IOBLAME_SESSION_H

#include <stdbool.h>

#include "device.h"
#include "status.h"
#include "store.h"

struct session {
	bool own;			/* this run switched ioblame on */
	bool text;			/* another process reads the binary log */
	bool logless;			/* set before the beginning: no log is read */
	bool arrays;			/* as well: arrays of md are watched beside all disks */
	struct device device[DEVICES_MAX];	/* that are watched */
	unsigned int nr_devices;
	struct status before;
	char *status_text;		/* from which @before was parsed */
};

/* The module notes when a page is dirtied only while a counter uses it */
extern const char *const session_ages[];

int session_lock(void);
int session_begin(struct session *s, const struct device *want, unsigned int nr,
		  const char *const *counters);
void session_status(struct session *s);
void session_ready(void);
bool session_served(struct session *s, struct store_head *head, const struct device *want,
		    unsigned int nr);
void session_off(struct session *s);
void session_off_reading(struct session *s, void (*read)(void *arg), void *arg);
void session_end(struct session *s);

#endif

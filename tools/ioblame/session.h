/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session - ioblame switched on for as long as we look, and then as it was
 *
 * Whatever way the command ends, settings are put back: by session_end() in the
 * ordinary way, by an exit handler, and by a small process that waits for our
 * end in case we are killed.
 */
#ifndef IOBLAME_SESSION_H
#define IOBLAME_SESSION_H

#include <stdbool.h>

#include "device.h"
#include "status.h"

struct session {
	bool own;			/* switched on by us */
	bool text;			/* another has the binary log */
	struct device device[DEVICES_MAX];	/* what is watched */
	unsigned int nr_devices;
	struct status before;
	char *status_text;		/* the same as it was read */
};

int session_begin(struct session *s, const struct device *want, unsigned int nr, bool ages);
void session_status(struct session *s);
void session_ready(void);
void session_off(struct session *s);
void session_end(struct session *s);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session - from one enabling to the next
 *
 * What was gathered stays readable after disabling, until ioblame is enabled again: a
 * session ends when the next one begins, or with the module.  Its units are started and
 * stopped in one order, which session.c has as a table.
 *
 * Readers of what a session holds take iob_session_read_lock().  They may sleep with it,
 * but do not wait for data with it.  Probes need no lock: they are attached only while a
 * session runs.
 *
 * Example: `echo 1 > enable` at 10:00 begins session 3, `echo 0 > enable` at 10:05 detaches
 * the hooks.  At 10:30 `cat roles` still shows the roles of session 3.  The next `echo 1 >
 * enable` frees them and begins session 4.  While ftrace is off it is refused and frees nothing;
 * one that fails later, for want of memory or a hook, has freed them.
 */
#ifndef IOB_IO_SESSION_H
#define IOB_IO_SESSION_H

#include <linux/types.h>

#include "conf.h"

/* What a session needs of units that io/ does not know. */
struct iob_session_ops {
	int (*check)(void);	/* see whether the hooks could be attached */
	int (*attach)(void);	/* the hooks */
	void (*detach)(void);	/* and wait until no probe runs */
	void (*renew)(void);	/* some hooks may be wanted now, or no more */
};

int iob_session_init(const struct iob_session_ops *ops);
void iob_session_exit(void);

int iob_session_switch(bool on);
bool iob_session_enabled(void);
int iob_session_change(void);
void iob_session_change_done(void);
void iob_session_renew(void);

void iob_session_read_lock(void);
void iob_session_read_unlock(void);
bool iob_session_there(void);
u32 iob_session_seq(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * session - from one enabling to the next
 *
 * What was gathered stays readable after disabling, until ioblame is enabled
 * again: a session ends when the next one begins, or with the module.
 *
 * Readers of what a session holds take iob_session_read_lock() (may sleep, not
 * held while waiting for data); probes need none, they are attached only while
 * the session runs.
 */
#ifndef IOB_IO_SESSION_H
#define IOB_IO_SESSION_H

#include <linux/types.h>

#include "core/role.h"

/* settings; those marked D change only while disabled */
struct iob_conf {
	u32 max_roles;		/* D */
	u32 max_intents;	/* D */
	u32 max_acts;		/* D */
	u32 ttl_secs;
	u32 role;		/* D: enum iob_role_kind */
	bool charge_first;	/* D */
};

extern struct iob_conf iob_conf;

int iob_session_init(int (*attach)(void), void (*detach)(void));
void iob_session_exit(void);

int iob_session_switch(bool on);
bool iob_session_enabled(void);
/* serialises with the switch: -EBUSY if enabled, else held until _done() */
int iob_session_change(void);
void iob_session_change_done(void);

void iob_session_read_lock(void);
void iob_session_read_unlock(void);
/* whether there is one to be read; under the lock */
bool iob_session_there(void);
u32 iob_session_seq(void);

#endif

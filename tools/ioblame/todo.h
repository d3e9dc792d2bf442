/* SPDX-License-Identifier: GPL-2.0 */
/*
 * todo - what to type where the module is not installed, not signed, or of another version
 *
 * Pure.
 */
#ifndef IOBLAME_TODO_H
#define IOBLAME_TODO_H

#include <stdbool.h>

/* Room for any of them */
#define TODO_SIZE	1024

struct todo_host {
	const char *get;	/* how the module is installed: GET of the Makefile */
	const char *version;	/* which it is to be */
	const char *release;	/* of the running kernel */
	bool apt;		/* there is apt */
	bool headers;		/* .. the running kernel's headers */
	bool source;		/* .. the version's source, for DKMS */
	bool installed;		/* DKMS has installed the version for the running kernel */
	bool daemon;		/* ioblamed runs, as systemd's service */
	bool mounted;		/* the module's own file system is, or will be */
	const int *users;	/* other processes that have files of the module open */
	unsigned int nr_users;
};

const char *todo_install(char *to, const struct todo_host *h);
const char *todo_sign(char *to, const struct todo_host *h);
const char *todo_reload(char *to, const struct todo_host *h);

#endif

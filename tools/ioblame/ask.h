/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ask - ask what may never answer, and go on
 *
 * The kernel reads /proc/PID/cmdline out of the process's memory, and may wait for the disk or for
 * a lock that a stuck task holds; no signal ends that wait.  Who knows a user may be in the
 * network.  So another process, a helper, asks.  One that does not answer is killed and left
 * behind, and while some of them hang no more is asked; nor for some seconds when several were
 * waited for in vain.
 */
#ifndef IOBLAME_ASK_H
#define IOBLAME_ASK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	ASK_MOST = 1024,	/* bytes of an answer */
	ASK_HELPERS = 3,	/* that may hang, of each asker */
};

/* One thing that is asked for, with a helper of its own */
struct asker {
	/* in the helper: put the answer there.  Return: its bytes, 0 if there is none */
	ssize_t (*answer)(uint32_t nr, char *to);
	/* an answer did not come, and no more are asked for where too many hang */
	void (*say)(uint32_t nr, bool no_more);
	const char *process;
	int patience_ms;
	unsigned int vain_seconds;	/* in which a few answers are waited for in vain */

	/* ask.c's: the helper, 0 if there is none */
	pid_t helper;
	int to_helper;
	/* those that were left, and that had not ended when they were last looked at */
	pid_t left[ASK_HELPERS];
	unsigned int nr_left;
	/* how many of them were said, up to ASK_HELPERS, and when the last one was, in seconds */
	unsigned int nr_said;
	uint64_t said_at;
	/* how many answers were waited for in vain since then, in seconds */
	unsigned int nr_vain;
	uint64_t vain_since;
};

ssize_t ask_in_time(struct asker *a, uint32_t nr, char *to, bool *asked);
ssize_t ask_cmdline(uint32_t pid, char *to);

#endif

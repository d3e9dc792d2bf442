/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ask - read /proc/PID/cmdline, whatever state that process is in
 *
 * The kernel reads it out of the process's memory, and may wait for the disk or for a lock that
 * a stuck task holds; no signal ends that wait.  So a helper reads it.  One that does not answer
 * is killed and left behind, and while some of them hang no more is asked; nor for some seconds
 * when several were waited for in vain.
 */
#ifndef IOBLAME_ASK_H
#define IOBLAME_ASK_H

#include <stdint.h>
#include <sys/types.h>

enum {
	ASK_MOST = 1024,	/* bytes of an answer */
	ASK_HELPERS = 3,	/* that may hang */
};

ssize_t ask_cmdline(uint32_t pid, char *to);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * process - when the process that has an id began, and whether it is still the one that had it
 *
 * A process id is used again: what is asked of /proc by an id alone may be of another process.
 */
#ifndef IOBLAME_PROCESS_H
#define IOBLAME_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* No process has the id, or nobody may look */
#define PROCESS_NONE	UINT64_MAX

/* The process that had an id when it was looked at first */
struct process {
	uint64_t start;		/* as process_start() */
	uint64_t seen_ns;	/* when it had the id last; 0: it was not looked at */
};

uint64_t process_start(uint32_t tgid, bool *kernel);
bool process_begin(struct process *p, uint32_t tgid, uint64_t now_ns);
bool process_is_still(struct process *p, uint32_t tgid, bool begun, uint64_t now_ns);
void process_forget_after(uint64_t ns);

#endif

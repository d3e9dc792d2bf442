/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_instance - an instance of tracefs that is ours alone
 *
 * It is named ioblame-PID, or ioblame-PID-drv for the events of drivers.  It has buffers and
 * events of its own, so nobody else who traces notices, and it is removed at the end, by the keeper
 * if the command is killed, and by the next command if the keeper is killed, too.
 */
#ifndef IOBLAME_TRACE_INSTANCE_H
#define IOBLAME_TRACE_INSTANCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct trace_instance {
	char folder[300];		/* "" if there is none */
};

int trace_instance_make(struct trace_instance *t, const char *suffix);
int trace_instance_put(const struct trace_instance *t, const char *name, const char *text);
char *trace_instance_get(const struct trace_instance *t, const char *name);
int trace_instance_open(const struct trace_instance *t, const char *name);
uint64_t trace_instance_lost(const struct trace_instance *t);
void trace_instance_remove(struct trace_instance *t);
void trace_instance_remove_of(pid_t pid);
bool trace_instance_is_left(void);

#endif

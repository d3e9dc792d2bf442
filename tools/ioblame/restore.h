/* SPDX-License-Identifier: GPL-2.0 */
/*
 * restore - change settings of the module, and restore them whatever happens
 *
 * restore_end() restores them, or an exit handler, or the keeper: a small process
 * that waits for the end of this one, in case it is killed.  The keeper also removes the
 * instances of tracefs that are left (trace_instance.h).
 */
#ifndef IOBLAME_RESTORE_H
#define IOBLAME_RESTORE_H

#include <stdbool.h>

#include "device.h"

int restore_instances(void);
int restore_begin(bool counters);
int restore_set_devices(const struct device *device, unsigned int nr);
int restore_set_counters(const char *const *specs);
int restore_set_sums(void);
int restore_switch_on(void);
void restore_switch_off(void (*read)(void *arg), void *arg);
void restore_end(void);

#endif

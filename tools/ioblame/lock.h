/* SPDX-License-Identifier: GPL-2.0 */
/*
 * lock - of several that switch ioblame on or off, or change its devices, one at a time does
 *
 * It is a lock on the module's file `enable` (flock(2)).  ioblamed takes it, too.
 */
#ifndef IOBLAME_LOCK_H
#define IOBLAME_LOCK_H

#include <stdbool.h>

int lock_take(bool (*give_up)(void));
void lock_drop(void);
void lock_inherit(void);
int lock_file(void);
void lock_close(void);

#endif

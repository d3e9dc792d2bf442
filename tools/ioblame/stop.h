/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stop - signals that end the command
 *
 * They only say so: whoever loops looks, and leaves by the way that puts
 * everything back.  A wait that stop_wait() does is cut short by them.
 */
#ifndef IOBLAME_STOP_H
#define IOBLAME_STOP_H

#include <stdbool.h>
#include <stdint.h>

void stop_init(void);
bool stop_asked(void);
void stop_reset(void);
int stop_wait(int fd, uint64_t timeout_ns);

#endif

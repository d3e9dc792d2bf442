/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stop - signals that end the command
 *
 * A signal sets stop_asked() and ends stop_wait().  Loops check stop_asked() and end in
 * the ordinary way, which restores the settings.
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

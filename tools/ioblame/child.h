/* SPDX-License-Identifier: GPL-2.0 */
/*
 * child - the command after --, one at most
 */
#ifndef IOBLAME_CHILD_H
#define IOBLAME_CHILD_H

#include <stdbool.h>

bool child_start(char **argv);
bool child_ended(bool sync);
int child_status(void);
void child_kill(bool asked, bool sync);

#endif

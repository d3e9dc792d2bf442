/* SPDX-License-Identifier: GPL-2.0 */
/*
 * let_go - who reloads the daemon waits until the module can be unloaded
 *
 * A signal is sent and not answered.  Who asks opens a FIFO for reading, sends SIGHUP, and waits
 * for it to be hung up: the daemon opens and closes it for writing once the module's files are
 * closed.  It works with each version of systemd, and without it.
 */
#ifndef IOBLAMED_LET_GO_H
#define IOBLAMED_LET_GO_H

#include "settings.h"

#define LET_GO_FIFO	SETTINGS_FOLDER "/let-go"

void let_go_begin(void);
void let_go_done(void);
void let_go_end(void);
int let_go_ask(const char *pid);

#endif

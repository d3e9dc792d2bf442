/* SPDX-License-Identifier: GPL-2.0 */
/*
 * settings - what the daemon sets in the module, and puts back
 *
 * What was set before is kept in a file of /run, so that it is put back also after kill -9: by
 * the next daemon when it ends, or by ioblamed --restore.  It is forgotten where the module was
 * unloaded, which took its settings along, and loaded again.  Where no disk was chosen, all are
 * watched, or those of the configuration, also those that come later, as far as the module has room
 * for them.  Those for which it
 * has none are asked for again when a disk came or went, or `devs` has changed.
 */
#ifndef IOBLAMED_SETTINGS_H
#define IOBLAMED_SETTINGS_H

#define SETTINGS_FOLDER	"/run/ioblame"
#define SETTINGS_FILE	SETTINGS_FOLDER "/settings"
#define SETTINGS_MODULE	"/sys/module/ioblame"

#include <stdbool.h>

bool settings_kept(void);
int settings_take(void);
void settings_disks(const char *names);
void settings_add_disks(void);
int settings_restore(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dir - the module's folder in debugfs
 */
#ifndef IOBLAME_DIR_H
#define IOBLAME_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

int dir_find(void);
const char *dir_path(void);
const char *dir_debugfs(void);
int dir_open(const char *name, int flags);
char *dir_read(const char *name);
char *dir_read_word(const char *name);
int dir_write(const char *name, const char *text, int flags);
bool dir_locked_down(void);
int dir_refused(int err, const char *name);

#endif

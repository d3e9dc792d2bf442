/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dir - the module's folder
 */
#ifndef IOBLAME_DIR_H
#define IOBLAME_DIR_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum lockdown {
	LOCKDOWN_NONE,
	LOCKDOWN_INTEGRITY,	/* files of debugfs cannot be written */
	LOCKDOWN_CONFIDENTIALITY, /* .. and nothing of the module can be read */
};

int dir_find(void);
bool dir_installed(void);
bool dir_ftrace_off(void);
const char *dir_path(void);
const char *dir_debugfs(void);
int dir_open(const char *name, int flags);
char *dir_read(const char *name);
char *dir_read_timed(const char *name);
char *dir_read_word(const char *name);
int dir_write(const char *name, const char *text, int flags);
const char *dir_name_in(const char *path);
bool dir_is_module_file(const char *path);
enum lockdown dir_lockdown(void);
int dir_refused(int err, const char *name);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file - read a small file whole
 */
#ifndef IOBLAME_FILE_H
#define IOBLAME_FILE_H

#include <stddef.h>

char *file_first_entry(const char *path);
char *file_read(const char *path);
char *file_read_timed(const char *path, size_t max);

#endif

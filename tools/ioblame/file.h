/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file - read a small file whole, and create one; what sysfs has for a disk's name
 */
#ifndef IOBLAME_FILE_H
#define IOBLAME_FILE_H

#include <stddef.h>
#include <stdio.h>

FILE *file_create(const char *path);
char *file_first_entry(const char *path);
char *file_read(const char *path);
char *file_read_timed(const char *path, size_t max);
char *file_disk_name(char *folder);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file - read a small file whole, and create one; what sysfs has for a disk's name
 */
#ifndef IOBLAME_FILE_H
#define IOBLAME_FILE_H

#include <stddef.h>
#include <stdio.h>

/* How many children of file_read_timed() may hang */
enum {
	FILE_LEFT_NAMES = 3,	/* for names, which are asked for again: the namer has few tasks */
	FILE_LEFT_MOST = 128,	/* for a bundle, which has each file once, and wants the others */
};

FILE *file_create(const char *path);
char *file_first_entry(const char *path);
char *file_read(const char *path);
char *file_read_timed(const char *path, size_t max, unsigned int left);
char *file_disk_name(char *folder);

#endif

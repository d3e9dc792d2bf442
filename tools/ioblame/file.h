/* SPDX-License-Identifier: GPL-2.0 */
/*
 * file - read a small file whole
 */
#ifndef IOBLAME_FILE_H
#define IOBLAME_FILE_H

char *file_read(const char *path);

#endif

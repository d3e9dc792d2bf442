/* SPDX-License-Identifier: GPL-2.0 */
/*
 * path - paths for the numbers of files, mounts and cgroups
 *
 * Each result is allocated; NULL if there is no path.
 */
#ifndef IOBLAME_PATH_H
#define IOBLAME_PATH_H

#include <stdint.h>

char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen);
char *path_of_mount(uint32_t dev);
char *path_of_cgroup(uint64_t id);
void path_close(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * own_files - the group that may read what the service keeps
 *
 * The service has no capability, and can give its files no group.  So systemd runs the program
 * before it as root (--own-files): the folders of the service and all in them get the group, and
 * what is made in a folder later gets that of the folder.
 */
#ifndef IOBLAMED_OWN_FILES_H
#define IOBLAMED_OWN_FILES_H

#include <sys/types.h>

int own_files(const char *const *folders, gid_t group);
int own_files_of_service(gid_t group);

#endif

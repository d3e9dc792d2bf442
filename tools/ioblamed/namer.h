/* SPDX-License-Identifier: GPL-2.0 */
/*
 * namer - a process that looks up the names of files for the daemon
 *
 * The path of a file is found by its number, which takes CAP_DAC_READ_SEARCH.  The daemon talks
 * to anyone and has no capability; the namer has this one, and talks to root alone.  It is a
 * service of its own, ioblamed-namer.service, or a child where the daemon was started by hand.  A
 * question is a struct name_key, its answer the escaped name, empty for none.
 */
#ifndef IOBLAMED_NAMER_H
#define IOBLAMED_NAMER_H

#define NAMER_SOCKET	"/run/ioblame/namer"

int namer_serve(void);
int namer_start(void);
void namer_stop(void);

#endif

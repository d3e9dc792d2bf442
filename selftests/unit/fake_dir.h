/* SPDX-License-Identifier: GPL-2.0 */
/* What a test links in the place of dir.c: the folder is there, what is refused is an error. */
#ifndef UNIT_FAKE_DIR_H
#define UNIT_FAKE_DIR_H

#include "dir.h"
#include "msg.h"

int dir_find(void)
{
	return 0;
}

int dir_refused(int err, const char *name)
{
	(void)err;
	(void)name;
	return EXIT_FAILED;
}

#endif

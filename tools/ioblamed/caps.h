/* SPDX-License-Identifier: GPL-2.0 */
/*
 * caps - the capabilities of a process
 */
#ifndef IOBLAMED_CAPS_H
#define IOBLAMED_CAPS_H

#include <stdbool.h>

enum caps {
	CAPS_NONE,
	CAPS_FIND_FILES,	/* CAP_DAC_READ_SEARCH */
};

bool caps_can_find_files(void);
int caps_keep(enum caps caps);

#endif

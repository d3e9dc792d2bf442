/* SPDX-License-Identifier: GPL-2.0 */
/*
 * input - the text that a user writes to a file
 */
#ifndef IOB_DEBUGFS_INPUT_H
#define IOB_DEBUGFS_INPUT_H

#include <linux/types.h>

#define IOB_INPUT_MAX	4096	/* bytes of a write */

char *iob_input_text(const char __user *from, size_t count);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * op - the letter of an operation, as iolog, `status` and counters print it
 */
#ifndef IOB_IO_OP_H
#define IOB_IO_OP_H

#include <linux/ioblame.h>

#include "core/disk.h"

/* @op is below IOB_NR_OPS.  Any context. */
static inline char iob_op_letter(enum iob_op op)
{
#define IOB_OP_LETTER(constant, letter, word)	letter,
	static const char letters[IOB_NR_OPS] = { IOB_OPS(IOB_OP_LETTER) };
#undef IOB_OP_LETTER

	return letters[op];
}

#endif

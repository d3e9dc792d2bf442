/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/raw - words of memory that other functions own
 *
 * Hides: kernels with KASAN or KCSAN check each read.  A stack is compared word by word,
 * whatever its frames have there; many of these words lie between variables, where KASAN
 * allows no read.  READ_ONCE_NOCHECK() is not checked.  Elsewhere it is not used, as it
 * keeps the compiler from putting the read into the comparison.
 */
#ifndef IOB_COMPAT_RAW_H
#define IOB_COMPAT_RAW_H

#include <linux/compiler.h>

/* The value of @word, an lvalue of the size of a long, on the current task's stack. */
#if defined(CONFIG_KASAN) || defined(CONFIG_KCSAN)
#define IOB_RAW(word)	READ_ONCE_NOCHECK(word)
#else
#define IOB_RAW(word)	(word)
#endif

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/raw - words of memory that other functions own
 *
 * Hides: kernels with KASAN or KCSAN check each read.  A stack is compared word by word,
 * whatever its frames have there; many of these words lie between variables, where KASAN
 * allows no read.  READ_ONCE_NOCHECK() is not checked.  Elsewhere it is not used, as it
 * keeps the compiler from putting the read into the comparison.
 *
 * Hides also that arm64 signs return addresses on the stack, where the processor can.
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

/*
 * The return address that a word of the stack is, without its signature (by xpaclri).  Up to 5.13
 * the kernel has no option of its own that says whether its addresses are signed.  One that is not
 * stays as it is.
 */
static __always_inline unsigned long iob_raw_ret(unsigned long word)
{
#ifdef CONFIG_ARM64_PTR_AUTH
	register unsigned long lr asm("x30") = word;

	/* (volatile: it stays behind the question whether it is needed) */
	asm volatile("hint #7" : "+r" (lr));
	return lr;
#else
	return word;
#endif
}

#endif

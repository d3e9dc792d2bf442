/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/compiler - a variable that is set before it is read
 *
 * Hides: kernels are built to clear each variable on the stack
 * (CONFIG_INIT_STACK_ALL_ZERO), an array word by word, on each call.  Who says
 * IOB_UNINIT answers for what is read having been written; older compilers do
 * not know the attribute, and do not clear.
 */
#ifndef IOB_COMPAT_COMPILER_H
#define IOB_COMPAT_COMPILER_H

#if defined(__has_attribute)
#if __has_attribute(__uninitialized__)
#define IOB_UNINIT	__attribute__((__uninitialized__))
#endif
#endif
#ifndef IOB_UNINIT
#define IOB_UNINIT
#endif

#endif

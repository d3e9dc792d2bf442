/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/compiler - a variable that is set before it is read
 *
 * Hides: kernels with CONFIG_INIT_STACK_ALL_ZERO clear each variable on the stack at each
 * call, 400 bytes of a trace for example.  IOB_UNINIT prevents that.  Users of IOB_UNINIT
 * must initialise every byte that is read.  Compilers without the attribute do not clear.
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

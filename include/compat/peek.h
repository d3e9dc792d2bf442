/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/peek - read what may not be there
 *
 * Hides: private structs have the layout that our headers say on the kernels that were seen.
 * On another one a word may be something else, and what is taken for a pointer may point
 * nowhere.  So where nothing else proves the layout, it is read by iob_peek(), and a wrong
 * answer is the worst that can happen.
 *
 * CONFIG_RANDSTRUCT shuffles structs that are marked for it, such as struct file, and structs
 * of nothing but pointers to functions.  The private structs of our headers are neither, seen
 * in 6.12: they have the same layout there.
 */
#ifndef IOB_COMPAT_PEEK_H
#define IOB_COMPAT_PEEK_H

#include <linux/uaccess.h>

/*
 * Copy what is at @from, any address, to *@to, whose size counts.  Any context but NMI.
 * Return: false if it cannot be read; *@to is undefined then.
 */
#define iob_peek(to, from)	(!copy_from_kernel_nofault(to, from, sizeof(*(to))))

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* A terminal of which nothing is known */
#ifndef SHIM_TERM_H
#define SHIM_TERM_H

#include <stddef.h>

#define cur_term	((const void *)NULL)
#define cursor_address	((const char *)NULL)

static inline int setupterm(const char *term, int fd, int *bad)
{
	(void)term;
	(void)fd;
	*bad = 0;
	return 0;
}

#endif

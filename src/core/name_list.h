/* SPDX-License-Identifier: GPL-2.0 */
/*
 * name_list - names that are separated by '|', as hooks, layouts and parameters have them
 *
 * Pure.  Example: "b" is one of "a|b", and neither "" nor "c" is.
 */
#ifndef IOB_CORE_NAME_LIST_H
#define IOB_CORE_NAME_LIST_H

#include <linux/string.h>
#include <linux/types.h>

/* Where @name is in @names, which may be NULL; NULL if it is not there.  Any context. */
static inline const char *iob_name_place(const char *names, const char *name)
{
	size_t len = strlen(name);
	const char *p = names;

	while (p && len) {
		if (!strncmp(p, name, len) && (!p[len] || p[len] == '|'))
			return p;
		p = strchr(p, '|');
		if (p)
			p++;
	}
	return NULL;
}

/* True if @name is one of @names, which may be NULL.  Any context. */
static inline bool iob_name_listed(const char *names, const char *name)
{
	return iob_name_place(names, name);
}

#endif

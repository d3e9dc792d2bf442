/* SPDX-License-Identifier: GPL-2.0 */
/*
 * locate - finds the tracepoint or the function of a hook in the running kernel
 */
#ifndef IOB_HOOKS_LOCATE_H
#define IOB_HOOKS_LOCATE_H

#include <linux/types.h>

struct iob_entry;
struct iob_hook;
struct tracepoint;

bool iob_hook_module_absent(const struct iob_hook *hook);
struct tracepoint *iob_hook_tracepoint(const struct iob_hook *hook);
int iob_hook_function(const struct iob_hook *hook, struct iob_entry *e);

#endif

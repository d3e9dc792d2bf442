/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kernel - the module's sums as the source of usage
 *
 * The module may be absent, come, be switched off by others: each pass tries anew, and says so
 * once when it changes.
 */
#ifndef IOBLAMED_KERNEL_H
#define IOBLAMED_KERNEL_H

#include <stdbool.h>

#include "usage.h"

int kernel_mount(void);
void kernel_begin(void);
void kernel_gather(void);
bool kernel_pass(struct usage_list *list);
void kernel_let_go(void);
bool kernel_is_open(void);
bool kernel_needs_start(void);
const char *kernel_state(void);
void kernel_end(void);

#endif

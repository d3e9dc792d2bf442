/* SPDX-License-Identifier: GPL-2.0 */
/*
 * out - stdout: data, whole lines
 *
 * A line goes out whole or not at all, also when a signal comes while it is
 * written, so a stream that was interrupted is still valid.  When nobody reads
 * any more, out_closed() is true and what follows is dropped.
 */
#ifndef IOBLAME_OUT_H
#define IOBLAME_OUT_H

#include <stdbool.h>
#include <stddef.h>

void out_puts(const char *text);
void out_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void out_flush(void);
bool out_closed(void);
bool out_failed(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * out - data on stdout, in whole lines
 *
 * Output is buffered, and signals do not interrupt it, so a stream that ends early
 * ends with a whole line.  When the reader is gone, out_closed() is true and
 * further output is dropped.  The end does not wait long for a reader who does not
 * read: what has no room is dropped, maybe within a line, and out_failed() is true.
 * out_to_file() puts a file in the place of stdout.
 */
#ifndef IOBLAME_OUT_H
#define IOBLAME_OUT_H

#include <stdbool.h>
#include <stddef.h>

int out_to_file(const char *path);
void out_write(const char *text, size_t n);
void out_puts(const char *text);
void out_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void out_flush(void);
void out_hold(void);
void out_release(void);
void out_end(void);
void out_keep(void);
size_t out_length(void);
void out_cut(size_t at);
const char *out_kept(void);
bool out_closed(void);
bool out_failed(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text - names made harmless, and numbers made readable
 *
 * Pure.  Names of tasks, files and cgroups are chosen by strangers.  They pass
 * text_escape() when they come in, and nothing else escapes them.
 */
#ifndef IOBLAME_TEXT_H
#define IOBLAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an escaped name of @n bytes takes at most, with its NUL */
#define TEXT_ESCAPED(n)	((n) * 4 + 1)

size_t text_escape(char *to, size_t size, const char *from, size_t len);
char *text_cut(char *text);
char *text_escape_dup(const char *from, size_t len);

/* enough for any of the numbers below */
#define TEXT_NUMBER	24

const char *text_bytes(char *to, uint64_t bytes);
const char *text_nsecs(char *to, uint64_t ns);
const char *text_rate(char *to, double rate);

bool text_parse_u64(const char *s, uint64_t *value);
bool text_parse_nsecs(const char *s, uint64_t unit, uint64_t *ns);
bool text_parse_list(const char *s, bool (*one)(const char *word, void *arg), void *arg);

#endif

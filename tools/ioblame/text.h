/* SPDX-License-Identifier: GPL-2.0 */
/*
 * text - numbers and lists as text
 *
 * Pure.
 */
#ifndef IOBLAME_TEXT_H
#define IOBLAME_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* Room for any of the numbers below */
#define TEXT_NUMBER	24

/* In all locales the same: in Turkish, tolower() makes no i of an I. */
static inline char text_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

const char *text_bytes(char *to, uint64_t bytes);
const char *text_nsecs(char *to, uint64_t ns);
const char *text_rate(char *to, double rate);

bool text_parse_u64(const char *s, uint64_t *value);
bool text_parse_nsecs(const char *s, uint64_t unit, uint64_t *ns);
bool text_parse_list(const char *s, bool (*one)(const char *word, void *arg), void *arg);

#endif

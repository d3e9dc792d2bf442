/* SPDX-License-Identifier: GPL-2.0 */
/*
 * escape - make names from outside harmless
 *
 * Pure.  Any user can choose the names of tasks, files and cgroups.  A name is
 * escaped once, when it comes in.  Example: the file "a<newline>b" becomes a\012b.
 */
#ifndef IOBLAME_ESCAPE_H
#define IOBLAME_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

/* Room for the escaped form of @n bytes, with the NUL */
#define ESCAPE_SIZE(n)	((n) * 4 + 1)

size_t escape_text(char *to, size_t size, const char *from, size_t len);
char *escape_cut(char *text);
char *escape_tail(char *text, size_t most);
const char *escape_xml(char *to, size_t size, const char *text);
char *escape_dup(const char *from, size_t len);
bool escape_is_word(const char *text);
char *escape_again(const char *from, size_t len);
bool escape_shows(const char *shown, const char *word);

#endif

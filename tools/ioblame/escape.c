// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"

/* The length of the UTF-8 character at @s, its code in @code; 0 if it is invalid. */
size_t escape_utf8_length(const unsigned char *s, size_t len, uint32_t *code)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n, i;

	if (*s < 0x80) {
		*code = *s;
		return 1;
	}
	if (*s >= 0xc2 && *s < 0xe0)
		n = 2;
	else if (*s >= 0xe0 && *s < 0xf0)
		n = 3;
	else if (*s >= 0xf0 && *s < 0xf5)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	*code = *s & (0xff >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff ||
	    (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return n;
}

/*
 * Never shown: what cannot be seen (Unicode's Default_Ignorable_Code_Point, and a blank of
 * Braille), ends a line, or is another sign on each machine.  src/debugfs/escape.c has the same;
 * test_tool_text.c compares them.
 */
static const struct {
	uint32_t first, last;
} hidden_codes[] = {
	{ 0x7f, 0x9f },		/* control characters */
	{ 0xad, 0xad },
	{ 0x34f, 0x34f },
	{ 0x61c, 0x61c },
	{ 0x115f, 0x1160 },
	{ 0x17b4, 0x17b5 },
	{ 0x180b, 0x180f },
	{ 0x200b, 0x200f },
	{ 0x2028, 0x202e },	/* ends of lines, directions */
	{ 0x2060, 0x206f },
	{ 0x2800, 0x2800 },
	{ 0x3164, 0x3164 },
	{ 0xe000, 0xf8ff },	/* private use */
	{ 0xfdd0, 0xfdef },	/* no characters */
	{ 0xfe00, 0xfe0f },	/* variants of the sign before */
	{ 0xfeff, 0xfeff },
	{ 0xffa0, 0xffa0 },
	{ 0xfff0, 0xfffb },
	{ 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a },
	{ 0xe0000, 0x10ffff },	/* tags, variants, private use */
};

/* True if a character only shows a glyph on a terminal. */
static bool is_harmless(uint32_t code)
{
	size_t i;

	if (code < ' ' || code == '\\')
		return false;
	for (i = 0; i < sizeof(hidden_codes) / sizeof(*hidden_codes); i++) {
		if (code >= hidden_codes[i].first && code <= hidden_codes[i].last)
			return false;
	}
	/* the last two of each plane are no characters */
	return (code & 0xfffe) != 0xfffe;
}

/**
 * escape_text - escape a name
 * @to:   the result, with a NUL
 * @size: bytes of @to, not 0; a longer result is cut between two characters
 * @from: the name; a NUL ends it
 * @len:  bytes of @from
 *
 * Each byte of control characters, of the backslash, of invalid UTF-8 and of
 * characters that cannot be seen becomes \ooo, as in /proc/mounts.  So the result
 * is one line of valid UTF-8.
 * Return: its length.
 */
size_t escape_text(char *to, size_t size, const char *from, size_t len)
{
	const unsigned char *s = (const unsigned char *)from;
	size_t out = 0, n, i;
	uint32_t code = 0;

	for (; len && *s; s += n, len -= n) {
		/* nearly all names are ASCII */
		if (*s >= ' ' && *s < 0x7f && *s != '\\') {
			if (out + 1 >= size)
				break;
			to[out++] = *s;
			n = 1;
			continue;
		}
		n = escape_utf8_length(s, len, &code);
		if (n && is_harmless(code)) {
			if (out + n >= size)
				break;
			memcpy(to + out, s, n);
			out += n;
			continue;
		}
		if (!n)
			n = 1;
		if (out + 4 * n >= size)
			break;
		for (i = 0; i < n; i++)
			out += sprintf(to + out, "\\%03o", s[i]);
	}
	to[out] = '\0';
	return out;
}

/* Remove an incomplete UTF-8 character at the end of a text that was cut. */
char *escape_cut(char *text)
{
	unsigned char *s = (unsigned char *)text;
	size_t n = strlen(text), i;
	uint32_t code;

	for (i = n; i > 0 && n - i < 4 && (s[i - 1] & 0xc0) == 0x80; i--)
		;
	if (i > 0 && s[i - 1] >= 0x80 &&
	    escape_utf8_length(s + i - 1, n - i + 1, &code) != n - i + 1)
		text[i - 1] = '\0';
	return text;
}

/**
 * escape_tail - cut an escaped text that is too long, in front
 * @text: valid UTF-8, with backslashes in \ooo alone
 * @most: bytes that remain at most, 3 or more
 *
 * What remains is whole characters and whole \ooo, and "..." before them.
 * Return: @text.
 */
char *escape_tail(char *text, size_t most)
{
	static const char mark[] = "...";
	size_t len = strlen(text), at = 0, n;
	uint32_t code;

	if (len <= most)
		return text;
	while (len - at > most - strlen(mark)) {
		n = escape_utf8_length((unsigned char *)text + at, len - at, &code);
		if (text[at] == '\\')
			n = 4;
		at += n && n <= len - at ? n : 1;
	}
	memmove(text + strlen(mark), text + at, len - at + 1);
	memcpy(text, mark, strlen(mark));
	return text;
}

/* Escape valid UTF-8 for XML and HTML; cut if it does not fit. */
const char *escape_xml(char *to, size_t size, const char *text)
{
	size_t n = 0, len;
	const char *as;

	for (; *text; text++) {
		char one[2] = { *text, '\0' };

		as = *text == '&' ? "&amp;" : *text == '<' ? "&lt;" :
		     *text == '>' ? "&gt;" : *text == '"' ? "&quot;" : one;
		len = strlen(as);
		if (n + len + 1 >= size)
			break;
		memcpy(to + n, as, len);
		n += len;
	}
	to[n] = '\0';
	return escape_cut(to);
}

/* As escape_text(), allocated; NULL if out of memory. */
char *escape_dup(const char *from, size_t len)
{
	char *to;

	len = strnlen(from, len);
	to = malloc(ESCAPE_SIZE(len));
	if (to)
		escape_text(to, ESCAPE_SIZE(len), from, len);
	return to;
}

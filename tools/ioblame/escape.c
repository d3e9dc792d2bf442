// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "utf8.h"

/* True if a character only shows a glyph on a terminal. */
static bool is_harmless(unsigned int code)
{
	return code != '\\' && !iob_utf8_hidden(code);
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
	unsigned int code = 0;

	for (; len && *s; s += n, len -= n) {
		/* nearly all names are ASCII */
		if (*s >= ' ' && *s < 0x7f && *s != '\\') {
			if (out + 1 >= size)
				break;
			to[out++] = *s;
			n = 1;
			continue;
		}
		n = iob_utf8_length(s, len, &code);
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
		for (i = 0; i < n; i++, out += 4)
			iob_utf8_octal(to + out, s[i]);
	}
	to[out] = '\0';
	return out;
}

/* Remove an incomplete UTF-8 character at the end of a text that was cut. */
char *escape_cut(char *text)
{
	unsigned char *s = (unsigned char *)text;
	size_t n = strlen(text), i;
	unsigned int code;

	for (i = n; i > 0 && n - i < 4 && (s[i - 1] & 0xc0) == 0x80; i--)
		;
	if (i > 0 && s[i - 1] >= 0x80 &&
	    iob_utf8_length(s + i - 1, n - i + 1, &code) != n - i + 1)
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
	unsigned int code;

	if (len <= most)
		return text;
	while (len - at > most - strlen(mark)) {
		n = iob_utf8_length((unsigned char *)text + at, len - at, &code);
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

/* True if a shell takes the text as one word, as it is: it can stand in a command to be copied. */
bool escape_is_word(const char *text)
{
	return *text && !text[strcspn(text, " \t\n'\"\\$`&|;<>()*?[]{}~#!")];
}

/*
 * As escape_dup(), of a name that should be escaped already: its backslashes stay, so nothing
 * changes if it is.
 */
char *escape_again(const char *from, size_t len)
{
	char *to = escape_dup(from, len);
	size_t i, n = 0;

	for (i = 0; to && to[i]; i++) {
		to[n++] = to[i];
		if (!strncmp(to + i, "\\134", 4))
			i += 3;
	}
	if (to)
		to[n] = '\0';
	return to;
}

/*
 * Whether an escaped name is the one that a word means: as it is shown, where it was copied, or as
 * it is.  Which of both it is, the word does not tell: CORP\20012345 may be either.
 */
bool escape_shows(const char *shown, const char *word)
{
	char *safe;
	bool same;

	if (!strcmp(shown, word))
		return true;
	/* nearly all names are shown as they are */
	if (!strchr(shown, '\\'))
		return false;
	safe = escape_dup(word, strlen(word));
	same = safe && !strcmp(shown, safe);
	free(safe);
	return same;
}

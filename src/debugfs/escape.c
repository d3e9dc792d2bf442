// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>

#include "escape.h"

/* The length of the UTF-8 character at @s, its code in @code; 0 if it is none. */
static size_t utf8_length(const unsigned char *s, size_t len, u32 *code)
{
	static const u32 least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n, i;

	if (*s < 0x80) {
		*code = *s;
		return 1;
	}
	if (*s < 0xc2 || *s >= 0xf5)
		return 0;
	n = *s < 0xe0 ? 2 : *s < 0xf0 ? 3 : 4;
	if (n > len)
		return 0;
	*code = *s & (0xff >> (n + 1));
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (s[i] & 0x3f);
	}
	if (*code < least[n] || *code > 0x10ffff || (*code >= 0xd800 && *code < 0xe000))
		return 0;
	return n;
}

/*
 * Never shown: what cannot be seen (Unicode's Default_Ignorable_Code_Point, and a blank of
 * Braille), ends a line, or is another sign on each machine.  tools/ioblame/escape.c has the same;
 * test_tool_text.c compares them.
 */
static const struct {
	u32 first, last;
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

static bool is_hidden(u32 code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(hidden_codes) && code >= hidden_codes[i].first; i++) {
		if (code <= hidden_codes[i].last)
			return true;
	}
	/* the last two of each plane are no characters */
	return (code & 0xfffe) == 0xfffe;
}

/* White space of Unicode that does not end a line. */
static bool is_white_space(u32 code)
{
	return code == ' ' || code == 0xa0 || code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f ||
	       code == 0x3000;
}

static bool is_shown(u32 code, bool spaces)
{
	if (code < ' ' || code == '\\' || is_hidden(code))
		return false;
	return !spaces || !is_white_space(code);
}

static void put_octal(char *to, unsigned char c)
{
	to[0] = '\\';
	to[1] = '0' + (c >> 6);
	to[2] = '0' + ((c >> 3) & 7);
	to[3] = '0' + (c & 7);
}

/**
 * iob_escape - a name as it is printed
 * @to:     gets it, ended by NUL
 * @size:   of @to, not 0; a longer result is cut between two characters
 * @name:   the name; a NUL ends it earlier
 * @len:    of @name
 * @spaces: escape all white space, so that the result is one word
 *
 * Any context.  Return: the length of the result; 4 * @len at most.
 */
size_t iob_escape(char *to, size_t size, const char *name, size_t len, bool spaces)
{
	const unsigned char *s = (const unsigned char *)name, *end = s + len;
	size_t out = 0, n;
	u32 code = 0;
	bool shown;

	while (s < end && *s) {
		n = utf8_length(s, end - s, &code);
		shown = n && is_shown(code, spaces);
		if (!n)
			n = 1;
		if (out + (shown ? n : 4 * n) >= size)
			break;
		for (; n; n--, s++) {
			if (shown) {
				to[out++] = *s;
			} else {
				put_octal(to + out, *s);
				out += 4;
			}
		}
	}
	to[out] = 0;
	return out;
}

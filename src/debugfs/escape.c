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

/* True for characters that change the direction of text, end a line, or cannot be seen. */
static bool is_deceptive(u32 code)
{
	return code == 0xad || code == 0x61c || code == 0x180e || code == 0xfeff ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || (code >= 0xe0000 && code < 0xe1000);
}

static bool is_shown(u32 code, bool spaces)
{
	if (code < ' ' || code == '\\' || (code >= 0x7f && code < 0xa0) || is_deceptive(code))
		return false;
	return code != ' ' || !spaces;
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
 * @spaces: escape spaces, too
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

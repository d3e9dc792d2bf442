// SPDX-License-Identifier: GPL-2.0
#include "escape.h"
#include "utf8.h"

/* White space of Unicode that does not end a line. */
static bool is_white_space(unsigned int code)
{
	return code == ' ' || code == 0xa0 || code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f ||
	       code == 0x3000;
}

static bool is_shown(unsigned int code, bool spaces)
{
	if (code == '\\' || iob_utf8_hidden(code))
		return false;
	return !spaces || !is_white_space(code);
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
	unsigned int code = 0;
	bool shown;

	while (s < end && *s) {
		n = iob_utf8_length(s, end - s, &code);
		shown = n && is_shown(code, spaces);
		if (!n)
			n = 1;
		if (out + (shown ? n : 4 * n) >= size)
			break;
		for (; n; n--, s++) {
			if (shown) {
				to[out++] = *s;
			} else {
				iob_utf8_octal(to + out, *s);
				out += 4;
			}
		}
	}
	to[out] = 0;
	return out;
}

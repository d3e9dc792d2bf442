/* SPDX-License-Identifier: GPL-2.0 */
/*
 * utf8 - a character of a name that a user chose, and whether it may be shown
 *
 * Pure.  The module and the command escape names, and must agree on which: both have this.
 * The includer provides size_t and bool, which have other headers in the kernel.
 *
 * Example: iob_utf8_length() is 3 for the bytes e2 80 ae, and the code is 0x202e, which turns the
 * rest of a line around: iob_utf8_hidden() is true.
 */
#ifndef IOB_UTF8_H
#define IOB_UTF8_H

/* The length of the character at @s, its code in @code; 0 if it is invalid. @len is 1 or more. */
static inline size_t iob_utf8_length(const unsigned char *s, size_t len, unsigned int *code)
{
	static const unsigned int least[] = { 0, 0, 0x80, 0x800, 0x10000 };
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
 * True for what is never shown: control characters, and what cannot be seen (Unicode's
 * Default_Ignorable_Code_Point, and a blank of Braille), ends a line, or is another sign on
 * each machine.
 */
static inline bool iob_utf8_hidden(unsigned int code)
{
	static const unsigned int hidden[][2] = {
		{ 0x0, 0x1f },
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
	size_t i;

	for (i = 0; i < sizeof(hidden) / sizeof(*hidden) && code >= hidden[i][0]; i++) {
		if (code <= hidden[i][1])
			return true;
	}
	/* the last two of each plane are no characters */
	return (code & 0xfffe) == 0xfffe;
}

/* The four characters \ooo for the byte @c; no NUL. */
static inline void iob_utf8_octal(char *to, unsigned char c)
{
	to[0] = '\\';
	to[1] = '0' + (c >> 6);
	to[2] = '0' + ((c >> 3) & 7);
	to[3] = '0' + (c & 7);
}

#endif

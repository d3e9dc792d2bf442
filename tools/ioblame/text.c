// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "text.h"

/* The bytes of the UTF-8 character at @s, its code in @code; 0 if it is none. */
static size_t utf8_length(const unsigned char *s, size_t len, uint32_t *code)
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

/* Whether a terminal shows it and nothing else happens. */
static bool harmless(uint32_t code)
{
	if (code < ' ' || code == '\\' || (code >= 0x7f && code < 0xa0))
		return false;
	/* what turns the direction of text, has no width or ends lines */
	if (code == 0xad || code == 0x61c || code == 0x180e || code == 0xfeff)
		return false;
	if ((code >= 0x200b && code <= 0x200f) ||
	    (code >= 0x2028 && code <= 0x202e) ||
	    (code >= 0x2060 && code <= 0x206f))
		return false;
	if ((code >= 0xfff0 && code <= 0xfffb) || (code & 0xfffe) == 0xfffe)
		return false;
	/* private use and tags */
	return !(code >= 0xe000 && code < 0xf900) && code < 0xe0000;
}

/**
 * text_escape - a name as it is shown
 * @to:   gets it, ended by NUL
 * @size: of @to, not 0; what does not fit is cut between characters
 * @from: @len bytes, of which a NUL ends the name
 * @len:  of @from
 *
 * Control characters, the backslash, bytes that are no UTF-8 and characters
 * that only deceive become \ooo, a byte each, as in /proc/mounts.  The rest
 * stays, so what comes out is valid UTF-8 and stays on its line.
 * Return: the length.
 */
size_t text_escape(char *to, size_t size, const char *from, size_t len)
{
	const unsigned char *s = (const unsigned char *)from;
	size_t out = 0, n, i;
	uint32_t code = 0;

	for (; len && *s; s += n, len -= n) {
		n = utf8_length(s, len, &code);
		if (n && harmless(code)) {
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

/* Take away what is left of a character at the end, where text was cut. */
char *text_cut(char *text)
{
	unsigned char *s = (unsigned char *)text;
	size_t n = strlen(text), i;
	uint32_t code;

	for (i = n; i > 0 && n - i < 4 && (s[i - 1] & 0xc0) == 0x80; i--)
		;
	if (i > 0 && s[i - 1] >= 0x80 && utf8_length(s + i - 1, n - i + 1, &code) != n - i + 1)
		text[i - 1] = '\0';
	return text;
}

/* What text_escape() gives, in memory of its own; NULL without any. */
char *text_escape_dup(const char *from, size_t len)
{
	char *to;

	len = strnlen(from, len);
	to = malloc(TEXT_ESCAPED(len));
	if (to)
		text_escape(to, TEXT_ESCAPED(len), from, len);
	return to;
}

/* Three digits and a unit: 512, 4.0K, 12K, 1.5M */
const char *text_bytes(char *to, uint64_t bytes)
{
	static const char units[] = "BKMGTPE";
	double value = bytes;
	int unit = 0;

	while (value >= 999.5 && units[unit + 1]) {
		value /= 1024;
		unit++;
	}
	if (!unit)
		snprintf(to, TEXT_NUMBER, "%llu", (unsigned long long)bytes);
	else
		snprintf(to, TEXT_NUMBER, value < 9.95 ? "%.1f%c" : "%.0f%c",
			 value, units[unit]);
	return to;
}

/* 85us, 1.2ms, 340ms, 2.5s */
const char *text_nsecs(char *to, uint64_t ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	double value = ns;
	int unit = 0;

	while (value >= 999.5 && unit < 3) {
		value /= 1000;
		unit++;
	}
	snprintf(to, TEXT_NUMBER, unit >= 2 && value < 9.95 ? "%.1f%s" : "%.0f%s",
		 value, units[unit]);
	return to;
}

/* Per second: 0, 0.3, 12, 20000 */
const char *text_rate(char *to, double rate)
{
	if (rate > 0 && rate < 9.95)
		snprintf(to, TEXT_NUMBER, "%.1f", rate);
	else
		snprintf(to, TEXT_NUMBER, "%.0f", rate);
	return to;
}

/* A decimal number and nothing else. */
bool text_parse_u64(const char *s, uint64_t *value)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*value = strtoull(s, &end, 10);
	return !errno && !*end;
}

/**
 * text_parse_nsecs - a time: 10, 0.5, 20us, 1.5ms, 3s, 2m, 1h
 * @s:    all of it
 * @unit: nanoseconds of a number without a unit
 * @ns:   gets it
 *
 * Return: whether it was one.
 */
bool text_parse_nsecs(const char *s, uint64_t unit, uint64_t *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "µs", 1e3 }, { "ms", 1e6 },
		{ "s", 1e9 }, { "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 },
	};
	size_t i, n = strspn(s, "0123456789.");
	double value, scale = unit;
	char digits[32], *end;

	if (!n || n >= sizeof(digits))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	value = strtod(digits, &end);
	if (end == digits || *end)
		return false;
	if (s[n]) {
		for (i = 0; i < ARRAY_SIZE(units); i++) {
			if (!strcmp(s + n, units[i].name))
				break;
		}
		if (i == ARRAY_SIZE(units))
			return false;
		scale = units[i].ns;
	}
	value *= scale;
	if (!(value < 9.2e18))
		return false;
	*ns = (uint64_t)(value + 0.5);
	return true;
}

/* Words between commas; empty ones are an error, as is what @one refuses. */
bool text_parse_list(const char *s, bool (*one)(const char *word, void *arg), void *arg)
{
	char word[256];
	size_t n;

	for (;;) {
		n = strcspn(s, ",");
		if (!n || n >= sizeof(word))
			return false;
		memcpy(word, s, n);
		word[n] = '\0';
		if (!one(word, arg))
			return false;
		if (!s[n])
			return true;
		s += n + 1;
	}
}

// SPDX-License-Identifier: GPL-2.0
#include <langinfo.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "text.h"
#include "width.h"

static bool is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

/* Bytes and cells of the character at @text.  What the terminal cannot show is one byte. */
static size_t next_char(const char *text, unsigned int *cells)
{
	mbstate_t state = { 0 };
	wchar_t c;
	size_t n = mbrtowc(&c, text, strlen(text), &state);
	int w;

	*cells = 1;
	if (n == (size_t)-1 || n == (size_t)-2 || !n)
		return 1;
	w = wcwidth(c);
	*cells = w < 0 ? 1 : w;
	return n;
}

unsigned int width_of(const char *text)
{
	unsigned int cells, all = 0;

	for (; *text; text += next_char(text, &cells), all += cells)
		;
	return all;
}

/* Where the last @width cells of a text begin. */
static const char *tail_of(const char *text, unsigned int width)
{
	unsigned int cells, all = width_of(text);

	while (*text && all > width) {
		text += next_char(text, &cells);
		all -= cells;
	}
	return text;
}

/**
 * width_cut - cut a text to a number of cells
 * @to:    the result, of @size bytes
 * @text:  the text
 * @width: cells at most
 * @left:  cut its beginning, not its end
 *
 * A sign in the first or last cell stands for what is cut.
 * Return: the cells of the result, which may be one less than @width.
 */
unsigned int width_cut(char *to, size_t size, const char *text, unsigned int width, bool left)
{
	const char *sign = is_utf8() ? "…" : "~";
	unsigned int cells, used = 0;
	size_t n, len = 0;
	bool cut = width_of(text) > width;

	if (!width || size < 8) {
		*to = '\0';
		return 0;
	}
	if (cut)
		width--;
	if (cut && left) {
		len = strlen(strcpy(to, sign));
		text = tail_of(text, width);
	}
	for (; *text; text += n) {
		n = next_char(text, &cells);
		if (used + cells > width || len + n + 4 >= size)
			break;
		memcpy(to + len, text, n);
		/* a byte that is no character here */
		if (n == 1 && (unsigned char)*text >= 0x80)
			to[len] = '?';
		len += n;
		used += cells;
	}
	strcpy(to + len, cut && !left ? sign : "");
	return used + cut;
}

/* Columns of the terminal on stdout; 0 if it is none.  COLUMNS says it for watch(1) and others. */
unsigned int width_terminal(void)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (columns && text_parse_u64(columns, &n) && n && n < 10000)
		return n;
	if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
		return size.ws_col;
	return isatty(STDOUT_FILENO) ? 80 : 0;
}

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "width.h"
#include "wrap.h"

/**
 * wrap_text - words in lines
 * @words:  the words, with one or more blanks between two
 * @width:  cells of a line; a longer word has a line of its own
 * @indent: blanks at the beginning of each line
 *
 * Return: the lines, allocated, without a newline at the end.
 */
char *wrap_text(const char *words, unsigned int width, unsigned int indent)
{
	unsigned int at = indent, cells;
	char *text, *word;
	size_t size, len;
	FILE *f;

	f = must(open_memstream(&text, &size));
	fprintf(f, "%*s", (int)indent, "");
	for (words += strspn(words, " "); *words; words += len + strspn(words + len, " ")) {
		len = strcspn(words, " ");
		/* a number and its sign stay together */
		if (!strncmp(words + len, " %", 2))
			len += 1 + strcspn(words + len + 1, " ");
		word = must(strndup(words, len));
		cells = width_of(word);
		if (at > indent && at + 1 + cells > width) {
			fprintf(f, "\n%*s", (int)indent, "");
			at = indent;
		}
		fprintf(f, "%s%s", at > indent ? " " : "", word);
		at += (at > indent) + cells;
		free(word);
	}
	fclose(f);
	return must(text);
}

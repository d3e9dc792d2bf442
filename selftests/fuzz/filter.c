// SPDX-License-Identifier: GPL-2.0
/*
 * What a filter is: the unit tests' oracle tells.
 */
#include "../unit/filter_oracle.h"
#include "fuzz.h"

/* @text has no white space around it. */
bool filter_valid(const char *text)
{
	static const struct iob_fields fields;

	return !strcmp(text, "0") || oracle_eval(text, &fields) >= 0;
}

/* Is @shown the refused @text, a line with "^" below it, and a reason? */
bool filter_explained(const char *text, const char *shown)
{
	size_t i, blanks, len = strlen(text);

	for (i = 0; i < len; i++) {
		char c = text[i];

		if (c == ' ' || (c >= '\t' && c <= '\r'))
			c = ' ';
		else if (c < ' ' || c > '~')
			c = '?';
		if (shown[i] != c)
			return false;
	}
	if (shown[len] != '\n')
		return false;
	shown += len + 1;
	blanks = strspn(shown, " ");
	return blanks <= len && !strncmp(shown + blanks, "^\nparse_error: ", 15) &&
	       shown[blanks + 15] && !strchr(shown + blanks + 15, '\n');
}

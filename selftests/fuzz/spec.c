// SPDX-License-Identifier: GPL-2.0
/*
 * A counter's specification once more, as the reference tells it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define BLANKS	" \t\n\v\f\r"

static const char *const fields[] = {
	"offset", "size", "wait_time", "io_time", "seek_dist", "age", "total_time", NULL
};

/* The letters of @word in their order, each once; false if one is unknown. */
static bool spec_dirs(const char *word, char *to)
{
	const char *l;

	if (strspn(word, "RAWDF") != strlen(word))
		return false;
	for (l = "RAWDF"; *l; l++) {
		if (strchr(word, *l))
			*to++ = *l;
	}
	*to = '\0';
	return true;
}

/* Decimal, or hex after 0x; 64 bits at most. */
static bool spec_bound(const char *word, uint64_t *bound)
{
	const char *digits = "0123456789", *at = word;
	unsigned int base = 10;
	uint64_t d;

	if (word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
		digits = "0123456789abcdefABCDEF";
		base = 16;
		at += 2;
	} else if (word[0] == '0' && word[1]) {
		return false;
	}
	if (!*at || strspn(at, digits) != strlen(at))
		return false;
	for (*bound = 0; *at; at++) {
		d = *at <= '9' ? *at - '0' : (*at | 0x20) - 'a' + 10;
		if (__builtin_mul_overflow(*bound, (uint64_t)base, bound) ||
		    __builtin_add_overflow(*bound, d, bound))
			return false;
	}
	return true;
}

static bool spec_bounds(char **save, char *shown)
{
	uint64_t bound, last = 0;
	char *word;
	int i;

	for (i = 0; i < 9; i++) {
		word = strtok_r(NULL, BLANKS, save);
		if (!word || !spec_bound(word, &bound))
			return false;
		if (bound < last && !(i == 8 && !bound))
			return false;
		last = bound;
		shown += sprintf(shown, " %lu", bound);
	}
	return !strtok_r(NULL, BLANKS, save);
}

/* False if @text is none; @shown gets what it reads as. */
bool spec_expect(const char *text, char *shown)
{
	char *copy = strdup(text), *save, *word = strtok_r(copy, BLANKS, &save);
	char *second = word ? strtok_r(NULL, BLANKS, &save) : NULL;
	bool valid = false;
	char dirs[8];
	int i;

	if (!word || (second && !strcmp(word, "---") && !strcmp(second, "disabled"))) {
		strcpy(shown, "--- disabled");
		valid = !word || !strtok_r(NULL, BLANKS, &save);
	} else if (second && spec_dirs(word, dirs)) {
		for (i = 0; fields[i] && strcmp(second, fields[i]); i++)
			;
		if (fields[i])
			valid = spec_bounds(&save, shown + sprintf(shown, "%s %s", dirs, second));
	}
	free(copy);
	return valid;
}

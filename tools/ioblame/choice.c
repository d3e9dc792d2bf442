// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "choice.h"

#define WORD(constant, word)	word,

const char *const choice_commands[NR_COMMANDS] = { CHOICE_COMMANDS(WORD) };
const char *const choice_pivots[NR_PIVOTS] = { CHOICE_PIVOTS(WORD) };
const char *const choice_sorts[NR_SORTS] = { CHOICE_SORTS(WORD) };
const char *const choice_weights[NR_WEIGHTS] = { CHOICE_WEIGHTS(WORD) };
const char *const choice_fields[NR_FIELDS] = { CHOICE_FIELDS(WORD) };

/* The place of @word in a list, -1 if it is not in it. */
int choice_find(const char *word, const char *const *words, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (!strcmp(word, words[i]))
			return i;
	}
	return -1;
}

/* The words of a list with commas, in CHOICE_LIST bytes. */
const char *choice_list(char *to, const char *const *words, int nr)
{
	int i, n = 0;

	for (i = 0; i < nr && n < CHOICE_LIST; i++)
		n += snprintf(to + n, CHOICE_LIST - n, "%s%s", i ? ", " : "", words[i]);
	return to;
}

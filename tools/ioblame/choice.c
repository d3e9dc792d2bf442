// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "choice.h"

#define COMMAND(constant, word)	#word,
#define WORD(constant, word)	word,

const char *const choice_commands[NR_COMMANDS] = { CHOICE_COMMANDS(COMMAND) };
const char *const choice_pivots[NR_PIVOTS] = { CHOICE_PIVOTS(WORD) };
const char *const choice_sorts[NR_SORTS] = { CHOICE_SORTS(WORD) };
const char *const choice_weights[NR_WEIGHTS] = { CHOICE_WEIGHTS(WORD) };
const char *const choice_dirty_sorts[NR_DIRTY_SORTS] = { CHOICE_DIRTY_SORTS(WORD) };
const char *const choice_exports[NR_EXPORTS] = { CHOICE_EXPORTS(WORD) };
const char *const choice_fields[NR_FIELDS] = { CHOICE_FIELDS(WORD) };
const char *const choice_colors[NR_COLORS] = { CHOICE_COLORS(WORD) };

#define CONFIG(first, ...)	{ first, (const char *const[]){ __VA_ARGS__, NULL } },

const struct choice_config choice_config[] = { CHOICE_CONFIG(CONFIG) { NULL, NULL } };

/* The words that `config` takes after @word, and their number; NULL if any word may follow. */
const char *const *choice_config_after(const char *word, int *nr)
{
	const struct choice_config *c;

	for (c = choice_config; c->word && strcmp(c->word, word); c++)
		;
	for (*nr = 0; c->word && c->words[*nr]; (*nr)++)
		;
	return c->words;
}

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

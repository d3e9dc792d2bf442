// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "msg.h"
#include "wants.h"

/* There are @nr words of this kind. */
void wants_begin(struct wants *w, enum want want, unsigned int nr)
{
	w->open[want] = nr >= 32 ? UINT32_MAX : (1U << nr) - 1;
}

bool wants_are_open(const struct wants *w)
{
	unsigned int i;

	for (i = 0; i < NR_WANTS; i++) {
		if (w->open[i])
			return true;
	}
	return false;
}

void wants_matched(struct wants *w, enum want want, unsigned int i)
{
	w->open[want] &= ~(1U << i);
}

/* Note what a word could have matched.  @what is escaped. */
void wants_see(struct wants *w, enum want want, const char *what)
{
	unsigned int i, nr = w->nr_seen[want];

	if (!w->open[want] || w->more[want])
		return;
	for (i = 0; i < nr; i++) {
		if (!strcmp(w->seen[want][i], what))
			return;
	}
	if (nr == WANTS_SEEN)
		w->more[want] = true;
	else
		w->seen[want][w->nr_seen[want]++] = must(strdup(what));
}

/* If the word matched nothing, print that, and what there was. */
void wants_print(const struct wants *w, enum want want, const char *option, unsigned int i,
		 const char *word)
{
	char safe[ESCAPE_SIZE(128)], *text;
	unsigned int k;
	size_t len;
	FILE *f;

	if (!(w->open[want] & 1U << i))
		return;
	escape_text(safe, sizeof(safe), word, strnlen(word, 128));
	f = must(open_memstream(&text, &len));
	for (k = 0; k < w->nr_seen[want]; k++)
		fprintf(f, "%s%s", k ? ", " : "", w->seen[want][k]);
	if (w->more[want])
		fputs(", ...", f);
	fclose(f);
	msg("%s %s matches nothing; there is %s%s", option, safe, *text ? "IO of: " : "no IO",
	    text);
	free(text);
}

void wants_free(struct wants *w)
{
	unsigned int i, k;

	for (i = 0; i < NR_WANTS; i++) {
		for (k = 0; k < w->nr_seen[i]; k++)
			free(w->seen[i][k]);
		w->nr_seen[i] = 0;
	}
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "devs.h"
#include "dir.h"

enum {
	DEVS_BYTES = 4000,	/* of a write: the module takes 4096 */
};

/**
 * devs_add - add a device to a list that is to be written
 * @list:   NULL and 0 at first
 * @number: MAJ:MIN, and maybe more behind a blank
 *
 * Return: false without memory, or if it is no number.  (Who puts back what was set goes on.)
 */
bool devs_add(struct devs_list *list, const char *number)
{
	size_t n = strcspn(number, " \n");
	struct devs_word *more;

	if (!n || n >= sizeof(list->word->number))
		return false;
	more = realloc(list->word, (list->nr + 1) * sizeof(*more));
	if (!more)
		return false;
	list->word = more;
	more += list->nr++;
	memcpy(more->number, number, n);
	more->number[n] = '\0';
	more->err = 0;
	return true;
}

/* What it has is gone, and it is empty. */
void devs_free(struct devs_list *list)
{
	free(list->word);
	list->word = NULL;
	list->nr = 0;
}

/* Write the first of @nr words with one write, *@nr gets how many.  Return: 0 or -errno. */
static int write_first(const struct devs_word *word, unsigned int *nr, int flags)
{
	char text[DEVS_BYTES + 1];
	size_t size = 0, n;
	unsigned int i;

	for (i = 0; i < *nr; i++) {
		n = strlen(word[i].number);
		if (size + n + 1 > DEVS_BYTES)
			break;
		memcpy(text + size, word[i].number, n);
		size += n;
		text[size++] = ' ';
	}
	text[size - 1] = '\0';
	*nr = i;
	return dir_write("devs", text, flags);
}

/**
 * devs_write - let the module watch devices
 * @list:   each gets its .err
 * @others: what it watches by now stays, too
 *
 * At each write the module opens devices and waits for all CPUs: a write has as many words as it
 * takes.  It takes all of them or none: of those that are refused half are written, so that one
 * that is gone takes no others along.  Where there is no room for one, there is none for those
 * behind it.
 *
 * Return: how many are watched.  If none is, what the module watches is as it was.
 */
unsigned int devs_write(struct devs_list *list, bool others)
{
	unsigned int at, n, refused = 0, good = 0, i;
	int err;

	for (at = 0; at < list->nr; at += n) {
		/* of those from here to @refused one is bad at least */
		n = at < refused ? (refused - at + 1) / 2 : list->nr - at;
		err = write_first(&list->word[at], &n, others || good ? 0 : O_TRUNC);
		if (err && n > 1) {
			refused = at + n;
			n = 0;
			continue;
		}
		if (err == -ENOSPC)
			n = list->nr - at;
		for (i = at; i < at + n; i++)
			list->word[i].err = err;
		good += err ? 0 : n;
	}
	return good;
}

/* As devs_write(), and nothing else; no device if none can be watched.  Return: how many are. */
unsigned int devs_set(struct devs_list *list)
{
	unsigned int good = devs_write(list, false);

	/* O_TRUNC clears the list */
	if (!good)
		close(dir_open("devs", O_WRONLY | O_TRUNC));
	return good;
}

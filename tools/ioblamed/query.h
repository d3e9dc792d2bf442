/* SPDX-License-Identifier: GPL-2.0 */
/*
 * query - who asks the daemon
 *
 * An asker connects and sends a line: a verb and its words.  The answer follows, as long as it
 * takes, or a line "error TEXT".  It tells when it wants no more by closing its side for
 * writing; the answer is brought to an end then.  What is put for an asker waits until it is read,
 * and query_send() lets the loop look for that: no asker waits for another one, and the daemon
 * waits for none.
 *
 * A verb is a row in the table of query.c.
 */
#ifndef IOBLAMED_QUERY_H
#define IOBLAMED_QUERY_H

#include <stdbool.h>
#include <stddef.h>

#include "peer.h"

struct sd_event;
struct sd_event_source;
struct asker;

struct query_verb {
	const char *word;
	/* @rest: the words behind the verb.  Return: what is wrong, or NULL. */
	const char *(*begin)(struct asker *a, char *rest);
	/* nothing more is wanted: put the end, and query_done() */
	void (*enough)(struct asker *a);
	/* the asker goes: free what begin() made */
	void (*end)(struct asker *a);
};

enum {
	QUERY_LINE = 1024,	/* the longest request, with its newline */
};

struct asker {
	struct viewer_right right;
	void *state;			/* the verb's */

	/* query.c's own */
	struct asker *next;
	const struct query_verb *verb;
	struct sd_event_source *source, *patience;
	int fd;
	char request[QUERY_LINE];
	size_t got;
	char *buf;			/* what waits to be sent: from @at to @len */
	size_t at, len, size;
	bool all_put, no_input, broken;
};

extern const struct query_verb query_records, query_past;

void query_past_of(const char *file, const char *recent);

void query_put(struct asker *a, const void *data, size_t len);
void query_send(struct asker *a);
bool query_is_behind(const struct asker *a);
void query_done(struct asker *a);

int query_begin(struct sd_event *event, const char *path);
void query_end(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * served - records as ioblamed sends them
 *
 * ioblamed is the one reader of the module's log, and anyone may ask it: see ioblamed(8).  The
 * answer to "records" is a recording that goes on; its chunks arrive in pieces.
 */
#ifndef IOBLAME_SERVED_H
#define IOBLAME_SERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct recording;
struct store_head;
struct stream;

#define SERVED_SOCKET	"/run/ioblame/query"

/* Is there while ioblamed runs and watches; it has what was set before */
#define SERVED_SETTINGS	"/run/ioblame/settings"

/* Whether ioblamed chose the disks itself, by the text of that file: it watches those then. */
static inline bool served_chose_disks(const char *settings)
{
	return !strstr(settings, "enable 1") && !strstr(settings, "devs ");
}

/* What .lost is called among the losses */
#define SERVED_LOSS	"records that this command was too slow to be sent"

/* All zero but .fd, -1, is not connected. */
struct served {
	int fd;
	bool begun;			/* it is a recording */
	bool has_head;
	bool ended;			/* nothing more comes */
	char *refused;			/* why it was, or NULL */
	char *before, *after;		/* texts of the status that was sent last, or NULL */
	uint64_t lost;			/* records that this reader was too slow for */

	/* served.c's own */
	char *buf;			/* what is no whole chunk yet: from @at to @len */
	size_t at, len, size;
};

int served_connect(struct served *s, const char *request);
bool served_read(struct served *s, struct recording *r, struct store_head *head,
		 struct stream *to, uint64_t *got);
bool served_wait(const struct served *s, uint64_t timeout_ns);
void served_enough(struct served *s);
void served_close(struct served *s);

#endif

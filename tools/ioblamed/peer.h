/* SPDX-License-Identifier: GPL-2.0 */
/*
 * peer - the sockets of the daemon, and who is at the other end
 *
 * Anyone may connect.  The kernel says who it is.  Root and members of the group get all; every
 * other user gets what he did himself, and nothing of who is not known.
 */
#ifndef IOBLAMED_PEER_H
#define IOBLAMED_PEER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "usage.h"

/* What a viewer may see */
struct viewer_right {
	bool all;
	uid_t uid;		/* else: what this user did */
};

/* How many are served at once, or may be at the most */
struct peer_places {
	unsigned int all;
	unsigned int of_others;	/* who see their own alone: one person may have many user ids */
	unsigned int of_user;	/* of one that is not root */
};

struct sd_event;
struct sd_event_source;

/* A socket to which anyone may connect */
struct peer_listener {
	int fd;
	struct sd_event_source *source;
	struct sd_event_source *rest;	/* ends the time in which nobody can be let in */
	const char *own;	/* its path, if systemd has not opened it */
	dev_t dev;		/* which socket was made there */
	ino_t ino;
	void (*add)(int fd);
};

#define PEER_NO_LISTENER	((struct peer_listener){ .fd = -1 })

bool viewer_may_see_user(const struct viewer_right *right, uint32_t uid);
bool viewer_may_see(const struct viewer_right *right, const struct usage_key *key);
void peer_places_add(struct peer_places *taken, const struct viewer_right *by,
		     const struct viewer_right *right);
bool peer_places_left(const struct peer_places *most, const struct peer_places *taken,
		      const struct viewer_right *right);

gid_t peer_find_group(const char *name);
void peer_group(const char *name);
bool peer_right(int fd, struct viewer_right *right);
bool peer_send(int fd, const char *buf, size_t *at, size_t len);
int peer_listen(struct peer_listener *l, struct sd_event *event, const char *path,
		void (*add)(int fd));
void peer_stop(struct peer_listener *l);

#endif

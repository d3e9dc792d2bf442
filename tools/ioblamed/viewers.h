/* SPDX-License-Identifier: GPL-2.0 */
/*
 * viewers - who is connected to the daemon's socket
 *
 * Each gets the usage of the last interval at once, and of each that ends: lines as feed.h has
 * them.  The kernel says who is at the other end.  Root and members of the group get all; every
 * other user gets what he did himself, and nothing of who is not known.  What a viewer sends is
 * not read.  One that is slow misses intervals, and no other viewer waits for it.
 */
#ifndef IOBLAMED_VIEWERS_H
#define IOBLAMED_VIEWERS_H

#include "peer.h"
#include "usage.h"

struct sd_event;

int viewers_begin(struct sd_event *event, const char *path);
void viewers_usage(const struct usage_list *usage);
void viewers_end(void);

#endif

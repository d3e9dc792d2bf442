/* SPDX-License-Identifier: GPL-2.0 */
/*
 * reel - the latest bytes of the module's log, in memory
 *
 * Pure.  A ring of chunks: what one read of one CPU's log gave, whole records.  What is added
 * costs one copy; when there is no room, the oldest chunks go.  A chunk is never split at the end
 * of the memory, so it can be used where it is.
 */
#ifndef IOBLAMED_REEL_H
#define IOBLAMED_REEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	REEL_LEAST = 64 << 10,	/* the smallest one */
};

/* All zero is a reel that keeps nothing. */
struct reel {
	unsigned char *buf;
	size_t size;
	uint64_t head, tail;	/* bytes that were ever added, and that went */
	uint64_t dropped;	/* bytes of records that went for want of room */
};

struct reel_chunk {
	uint64_t read_ns;	/* as it was given */
	const unsigned char *bytes;
	size_t len;
};

bool reel_begin(struct reel *r, size_t size);
void reel_add(struct reel *r, uint64_t read_ns, const void *bytes, size_t len);
bool reel_peek(struct reel *r, struct reel_chunk *chunk);
void reel_pop(struct reel *r);
void reel_clear(struct reel *r);
void reel_end(struct reel *r);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stream - records of iolog_bin out of a stream of bytes
 *
 * Pure.  A record may arrive in pieces.  A record of another version is skipped
 * and counted.  If a length is impossible, the rest of the bytes is dropped and counted.
 */
#ifndef IOBLAME_STREAM_H
#define IOBLAME_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

struct stream {
	unsigned char *buf;
	size_t len, size, off;
	uint64_t unknown;	/* records of another version */
	uint64_t broken;	/* records that the bytes which were dropped had room for */
};

unsigned char *stream_room(struct stream *s, size_t room);
void stream_added(struct stream *s, size_t len);
void stream_shrink(struct stream *s);
void stream_dropped(struct stream *s, size_t len);
bool stream_next(struct stream *s, struct iob_iolog_bin_record *rec);
size_t stream_whole(const unsigned char *bytes, size_t len);
bool stream_is_broken(const unsigned char *bytes, size_t len);
void stream_free(struct stream *s);

#endif

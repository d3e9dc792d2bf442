/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pack - a file that is compressed as it is written, and expanded as it is read
 *
 * The bytes are zstd frames of PACK_FRAME or less, each with a checksum.  A reader gives no byte of
 * a frame that is damaged, and none behind it.  Two are given without a look at the checksum: a
 * frame of a pipe, which is read as it is written, and one that is longer, as of earlier versions.
 * Of the last frame, if the file ends early, what was flushed can be read.
 */
#ifndef IOBLAME_PACK_H
#define IOBLAME_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	/* bytes of a frame before it is compressed, at most */
	PACK_FRAME = 4 << 20,
};

struct pack;

bool pack_can(void);
struct pack *pack_writer(FILE *to);
struct pack *pack_reader(FILE *from, size_t frame);
FILE *pack_file(struct pack *p);
bool pack_flush(struct pack *p);
bool pack_damaged(const struct pack *p);
bool pack_ends_early(const struct pack *p);
bool pack_end(struct pack *p, uint64_t *written);

#endif

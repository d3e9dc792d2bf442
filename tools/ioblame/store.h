/* SPDX-License-Identifier: GPL-2.0 */
/*
 * store - a recording: the records as they came, and what their numbers mean
 *
 * A file begins with STORE_MAGIC, a mark that shows its byte order and then
 * chunks, each with a type and a length.  Unknown types are skipped.  What a
 * record names comes before it.  A file that ends early is good up to there.
 */
#ifndef IOBLAME_STORE_H
#define IOBLAME_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define STORE_MAGIC	"IOBLREC1"
#define STORE_MARK	0x01020304U

enum store_type {
	STORE_HEAD = 1,		/* lines "KEY VALUE" */
	STORE_INTENT,		/* an entry of the file `intents` */
	STORE_NAME,		/* struct name_key and the name */
	STORE_RECORDS,
	STORE_STATUS_BEFORE,	/* the file `status` */
	STORE_STATUS_AFTER,	/* the same; comes last */
};

enum {
	/* no chunk that is written is longer */
	STORE_CHUNK_MAX = 8 << 20,
};

struct store_chunk {
	uint32_t type;
	uint32_t len;
};

enum store_got {
	STORE_CHUNK,
	STORE_END,		/* the file is over */
	STORE_TORN,		/* in the middle of a chunk */
	STORE_ALIEN,		/* no recording, or of another machine's kind */
};

enum store_got store_open(FILE *f);
enum store_got store_read(FILE *f, struct store_chunk *chunk, char **data);
bool store_begin(FILE *f);
bool store_write(FILE *f, uint32_t type, const void *data, size_t len);

#endif

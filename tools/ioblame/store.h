/* SPDX-License-Identifier: GPL-2.0 */
/*
 * store - the file format of a recording
 *
 * A file is STORE_MAGIC, a mark that shows the byte order, and chunks, each with
 * a type and a length.  Chunks of unknown type are skipped.  The intents and names
 * of a record come before it, so a file that ends early is good up to its end.
 * Example: 16 bytes of start, STORE_HEAD, STORE_PACKED, STORE_STATUS_BEFORE, then by turns
 * STORE_INTENT, STORE_NAME and STORE_RECORDS, and at last STORE_STATUS_AFTER.
 * A status is the file `status` with a line "module N" below it, another number for each load of
 * the module: sessions count from 1 with each, so both tell which session it is.  Old ones have
 * no such line.
 * All behind STORE_PACKED is zstd frames (pack.h) of chunks, which may go on in the next frame;
 * without it, nothing is compressed.
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
	STORE_HEAD = 1,		/* lines "KEY VALUE"; a further one has those that have changed */
	STORE_INTENT,		/* an entry of the file `intents` */
	STORE_NAME,		/* struct name_key, then the name */
	STORE_RECORDS,
	STORE_STATUS_BEFORE,	/* status_read(); ioblamed sends it anew for each session */
	STORE_STATUS_AFTER,	/* the same at the end; the last chunk */
	STORE_PACKED,		/* uint32_t: PACK_FRAME; empty: frames are of any length */
	/* of what ioblamed sends, and of no file */
	STORE_LOST,		/* uint64_t: so many records were left out here */
	STORE_NOTE,		/* a text for the user; empty: what the last one says is over */
};

enum {
	/* the longest chunk in bytes */
	STORE_CHUNK_MAX = 8 << 20,
	/* bytes before the first chunk */
	STORE_START = 16,
};

struct store_chunk {
	uint32_t type;
	uint32_t len;
};

/* By more than this the offset to the time of day moves only if a clock is set, or in a suspend */
#define STORE_STEP_NS	1000000000LL

enum store_got {
	STORE_CHUNK,
	STORE_END,		/* end of the file */
	STORE_TORN,		/* end of the file within a chunk */
	STORE_ALIEN,		/* not a recording, or of another byte order */
};

/* A disk or partition that was watched */
struct store_device {
	uint32_t dev;		/* major << 20 | minor */
	uint64_t sectors;	/* 0: not known */
	char name[64];		/* escaped */
};

struct store_head {
	int64_t wall_ns;	/* to be added to a record's time for the time of day */
	/*
	 * CLOCK_REALTIME when the machine began to run.  The same for a whole boot, if clocks are
	 * not set; wall_ns grows by each suspend.  0: not known, the recording is old
	 */
	int64_t boot_ns;
	char boot_id[48];	/* escaped; another one for each boot; "": not known */
	uint64_t start_ns;
	unsigned int cpus;
	/* escaped */
	char kernel[128];	/* release */
	char host[256];
	char version[32];	/* of the command that recorded */
	struct store_device *device;
	unsigned int nr_devices;
};

enum store_got store_open(FILE *f);
enum store_got store_read(FILE *f, struct store_chunk *chunk, char **data);
bool store_begin(FILE *f);
bool store_write_head(FILE *f, const struct store_head *head);
void store_parse_head(struct store_head *head, const char *text);
void store_add_device(struct store_head *head, uint32_t dev, uint64_t sectors, const char *name,
		      size_t len);
void store_free_head(struct store_head *head);
bool store_write(FILE *f, uint32_t type, const void *data, size_t len);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * recording - records, names, intents and status out of a recording
 */
#ifndef IOBLAME_RECORDING_H
#define IOBLAME_RECORDING_H

#include <stdbool.h>
#include <stdio.h>

#include "pack.h"
#include "status.h"
#include "store.h"
#include "stream.h"

struct recording {
	FILE *file;			/* of chunks */
	FILE *opened;			/* the file itself, which may be compressed */
	struct pack *pack;		/* if it is */
	bool no_zstd;			/* it is, and this program cannot expand it */
	bool torn;			/* it ends early */
	bool damaged;			/* it does, as what follows is not what was written */
	bool several;			/* sessions were read */
	bool ahead;			/* the next records are read already */
	bool has_head;
	int64_t begin_wall_ns;		/* of the first head; another may be before the records */
	struct status before, after;
	bool has_before;		/* @before is there */
	bool has_records;		/* of its session */
	bool has_status;		/* @after is there */
};

int recording_open(struct recording *r, const char *path, struct store_head *head,
		   struct stream *to);
bool recording_take(struct recording *r, struct store_head *head, struct stream *to,
		    const struct store_chunk *chunk, const char *data);
bool recording_read(struct recording *r, struct store_head *head, struct stream *to);
void recording_close(struct recording *r);
bool recording_is(const char *recording, const char *output);

#endif

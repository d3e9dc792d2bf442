// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about data that is read from the disk again and again.
 *
 * The disks are divided into chunks of 128 KiB.  What is read of a chunk beyond its size has
 * been read before.  This is a lower bound: a block of 4 KiB may be read 32 times before it
 * counts.  Direct IO keeps nothing in memory by intent, and is left out.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advise.h"
#include "escape.h"
#include "intent.h"
#include "label.h"
#include "msg.h"
#include "name.h"
#include "text.h"

enum {
	CHUNK = 128 << 10,
	CHUNKS = 65536,			/* that are followed: 8 GiB */
	LEAST_BYTES = 16 << 20,		/* read again */
	LEAST_PERCENT = 30,		/* of what was read of the file */
};

struct chunk_key {
	uint64_t disk, nr;
};

struct chunk {
	struct chunk_key key;
	uint64_t bytes;
};

struct reader {
	struct advise_entry e;
	uint64_t ios, bytes, again;
};

static struct map chunks = { .key_len = sizeof(struct chunk_key) }, map;

/* How many of these bytes, all of one chunk, must have been read before.  @full: it has no room */
static uint64_t add_to_chunk(uint32_t disk, uint64_t nr, uint64_t bytes, bool *full)
{
	struct chunk_key key = { .disk = disk, .nr = nr };
	struct chunk *c = map_get(&chunks, &key);
	uint64_t before;

	if (!c && chunks.nr >= CHUNKS) {
		*full = true;
		return 0;
	}
	if (!c) {
		c = must(calloc(1, sizeof(*c)));
		c->key = key;
		map_put(&chunks, c);
	}
	before = c->bytes > CHUNK ? c->bytes - CHUNK : 0;
	c->bytes += bytes;
	return (c->bytes > CHUNK ? c->bytes - CHUNK : 0) - before;
}

static uint64_t read_before(const struct iob_iolog_bin_record *rec)
{
	uint64_t at = rec->sector * 512, left = rec->bytes, again = 0, n;
	bool full = false;

	for (; left; at += n, left -= n) {
		n = CHUNK - at % CHUNK;
		if (n > left)
			n = left;
		again += add_to_chunk(rec->disk, at / CHUNK, n, &full);
	}
	if (full)
		advise_miss();
	return again;
}

static void add_read(const struct iob_iolog_bin_record *rec)
{
	const struct intent *in = intent_get(rec->intent_nr);
	struct reader *r;

	if ((rec->op != OP_READ && rec->op != OP_AHEAD) || rec->error || !rec->ino ||
	    rec_is_metadata(rec) || (in && in->direct))
		return;
	r = advise_entry(&map, rec, BY_PROCESS, ADVISE_DISK | ADVISE_FILE, sizeof(*r));
	if (!r)
		return;
	r->ios += !rec->part;
	r->bytes += rec->bytes;
	r->again += read_before(rec);
}

static void tell_again(struct advices *to, const char *name)
{
	char who[160], again[TEXT_NUMBER], all[TEXT_NUMBER];
	const struct reader *r;
	struct advice *a;
	char file[300];
	size_t i;

	map_for_each(&map, i, r) {
		if (r->again < LEAST_BYTES || r->again * 100 < r->bytes * LEAST_PERCENT)
			continue;
		a = advise_new(to, name, &r->e);
		a->has_file = true;
		a->ios = r->ios;
		a->bytes = r->again;
		a->percent = 100.0 * (double)r->again / (double)r->bytes;
		a->weight = r->again;
		snprintf(file, sizeof(file), "%s", label_file(&r->e.label));
		snprintf(a->fact, sizeof(a->fact),
			 "Of the %s that %s read of %s, at least %s (%.0f %%) had been read from the disk before.",
			 text_bytes(all, r->bytes), advise_who(&r->e, who, sizeof(who)),
			 escape_cut(file), text_bytes(again, r->again), a->percent);
		snprintf(a->what, sizeof(a->what),
			 "It does not stay in memory.  More memory (or a larger memory.max of its cgroup) keeps it there; so does less that others read and write through the page cache.");
		advise_see(a, "files --rw RA", NULL);
	}
}

static void clear_again(void)
{
	map_clear(&chunks, free);
	advise_clear_map(&map);
}

const struct advise_rule advise_read_again = {
	.name = "read_again", .add = add_read, .tell = tell_again, .clear = clear_again,
};

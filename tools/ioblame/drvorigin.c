// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drvorigin.h"
#include "escape.h"
#include "map.h"
#include "msg.h"
#include "rec.h"

/* IO to a sector of a disk */
struct place_key {
	uint32_t disk, zero;
	uint64_t sector;
};

struct place {
	struct place_key key;
	uint32_t last;		/* the number of the last origin, from 1 */
};

/* Times of drivers are whole microseconds */
#define COARSE_NS	1000
/* Records are noted in the order of their ends, but for so much */
#define DISORDER_NS	1000000

static struct map places = { .key_len = sizeof(struct place_key) };
static struct drvorigin *origins;
static uint32_t nr_origins;
static uint64_t forgot_ns;	/* no end of a forgotten record is later */

static void forget(void)
{
	uint32_t i;

	for (i = 0; i < nr_origins; i++) {
		if (origins[i].end_ns > forgot_ns)
			forgot_ns = origins[i].end_ns;
	}
	map_clear(&places, free);
	nr_origins = 0;
}

/**
 * drvorigin_note - remember a record
 * @rec:    the record
 * @sector: its sector, DRVORIGIN_FLUSH or DRVORIGIN_DISCARD
 */
void drvorigin_note(const struct iob_iolog_bin_record *rec, uint64_t sector)
{
	struct place_key key = { .disk = rec->disk, .sector = sector };
	char comm[ESCAPE_SIZE(IOB_COMM_LEN)];
	struct drvorigin *o;
	struct place *p;

	if (!origins)
		origins = must(malloc(DRVORIGIN_MOST * sizeof(*origins)));
	if (nr_origins == DRVORIGIN_MOST)
		forget();
	p = map_get(&places, &key);
	if (!p) {
		p = must(calloc(1, sizeof(*p)));
		p->key = key;
		map_put(&places, p);
	}
	o = &origins[nr_origins++];
	memset(o, 0, sizeof(*o));
	o->before = p->last;
	p->last = nr_origins;
	rec_who(rec->role_kind, abs(rec->id), o->who, sizeof(o->who));
	if (rec->role_kind <= ROLE_PROCESS && rec->tgid)
		snprintf(o->who, sizeof(o->who), "%u", rec->tgid);
	escape_text(comm, sizeof(comm), rec->comm, sizeof(rec->comm));
	snprintf(o->comm, sizeof(o->comm), "%.16s", comm);
	escape_cut(o->comm);
	o->begin_ns = rec->queue_ns;
	o->issue_ns = rec->issue_ns;
	o->end_ns = rec->complete_ns;
}

/* The record of IO at @sector in whose time @ns is, or NULL. */
const struct drvorigin *drvorigin_find(uint32_t disk, uint64_t sector, uint64_t ns)
{
	const struct place_key key = { .disk = disk, .sector = sector };
	const struct place *p = map_get(&places, &key);
	const struct drvorigin *o;
	uint32_t nr;

	for (nr = p ? p->last : 0; nr; nr = o->before) {
		o = &origins[nr - 1];
		if (ns + COARSE_NS >= o->begin_ns && ns <= o->end_ns + COARSE_NS)
			return o;
	}
	return NULL;
}

/**
 * drvorigin_find_discard - find the record of a discard whose command has no sectors
 * @disk:    the disk
 * @sent_ns: when the command was sent
 * @done_ns: when it was done
 *
 * A record begins before its command is sent, and ends after that is done.  Of several, that of
 * the command was issued at the moment of the sending; others need not be.
 *
 * Return: the record that was issued nearest to it, or NULL.
 */
const struct drvorigin *drvorigin_find_discard(uint32_t disk, uint64_t sent_ns, uint64_t done_ns)
{
	const struct place_key key = { .disk = disk, .sector = DRVORIGIN_DISCARD };
	const struct place *p = map_get(&places, &key);
	const struct drvorigin *o, *best = NULL;
	uint64_t off, best_off = UINT64_MAX;
	uint32_t nr;

	for (nr = p ? p->last : 0; nr; nr = o->before) {
		o = &origins[nr - 1];
		if (o->end_ns + COARSE_NS + DISORDER_NS < done_ns)
			break;
		if (sent_ns + COARSE_NS < o->begin_ns || done_ns > o->end_ns + COARSE_NS)
			continue;
		off = sent_ns > o->issue_ns ? sent_ns - o->issue_ns : o->issue_ns - sent_ns;
		if (off >= best_off)
			continue;
		best_off = off;
		best = o;
	}
	return best;
}

/* True if a record of this moment may be among those that were forgotten. */
bool drvorigin_forgotten(uint64_t ns)
{
	return forgot_ns && ns <= forgot_ns + COARSE_NS;
}

/* Forget everything. */
void drvorigin_clear(void)
{
	map_clear(&places, free);
	free(origins);
	origins = NULL;
	nr_origins = 0;
	forgot_ns = 0;
}

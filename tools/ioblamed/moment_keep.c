// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intent.h"
#include "moment_keep.h"
#include "msg.h"
#include "stream.h"
#include "tape.h"

enum {
	PATH_ROOM = 512,
};

/* CPUs are read one after the other: what completed so shortly before may come with the next */
#define LATE_NS	10000000ULL

static void path_of(const struct keep *k, const char *name, const char *tail, char *to)
{
	snprintf(to, PATH_ROOM, "%s/%s%s%s", k->folder, *tail ? "." : "", name, tail);
}

/**
 * keep_clock_note - note what is to be added to records' times for the time of day
 * @c:	     all 0 at first
 * @seen_ns: when it was looked at before, on the records' clock: what completed since has the new
 *	     one
 * @wall_ns: as it is now
 */
void keep_clock_note(struct keep_clock *c, uint64_t seen_ns, int64_t wall_ns)
{
	struct keep_wall *last = c->nr ? &c->wall[c->nr - 1] : NULL;

	if (last && wall_ns - last->wall_ns <= STORE_STEP_NS &&
	    last->wall_ns - wall_ns <= STORE_STEP_NS)
		return;
	if (last)
		last->until_ns = seen_ns;
	if (c->nr == KEEP_WALLS)
		memmove(&c->wall[0], &c->wall[1], --c->nr * sizeof(c->wall[0]));
	c->wall[c->nr++] = (struct keep_wall){ .wall_ns = wall_ns };
}

/* For a record that completed at a time; something was noted. */
int64_t keep_clock_at(const struct keep_clock *c, uint64_t ns)
{
	unsigned int i;

	for (i = 0; i + 1 < c->nr && ns >= c->wall[i].until_ns; i++)
		;
	return c->wall[i].wall_ns;
}

/**
 * keep_start - from when on a recording has all IO
 * @ring:    the records from before
 * @from_ns: when it is to begin
 *
 * Where the ring had no room for all, that is when its oldest ones were read.
 * Return: when it begins.
 */
uint64_t keep_start(struct reel *ring, uint64_t from_ns)
{
	struct reel_chunk chunk;

	return ring->dropped && reel_peek(ring, &chunk) && chunk.read_ns > from_ns ?
	       chunk.read_ns : from_ns;
}

/**
 * keep_begin - begin a recording
 * @k:	    folder, name[0], reel, from_ns and session are set
 * @head:   of the recording
 * @status: the file `status` as it was before, or NULL
 *
 * Return: 0 or an errno, and nothing is left but the reel.
 */
int keep_begin(struct keep *k, const struct store_head *head, const char *status)
{
	char path[PATH_ROOM];
	int fd, err;

	path_of(k, k->name[0], ".tmp", path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0640);
	k->file = fd < 0 ? NULL : fdopen(fd, "w");
	k->tape = k->file ? tape_begin(k->file, head, true) : NULL;
	if (k->tape) {
		if (status)
			tape_text(k->tape, STORE_STATUS_BEFORE, status);
		return 0;
	}
	err = errno;
	if (k->file)
		fclose(k->file);
	else if (fd >= 0)
		close(fd);
	if (fd >= 0)
		unlink(path);
	return err;
}

/*
 * Take the records of a chunk.  Those of an unknown version are left out; what is no record is,
 * too, with what follows it, and counted.
 */
static void take_chunk(struct keep *k, const struct reel_chunk *chunk)
{
	size_t whole = stream_whole(chunk->bytes, chunk->len);
	struct iob_iolog_bin_record rec;
	struct stream s = { 0 };

	k->broken += chunk->len - whole;
	memcpy(stream_room(&s, whole), chunk->bytes, whole);
	stream_added(&s, whole);
	while (stream_next(&s, &rec)) {
		if (rec.complete_ns < k->from_ns)
			continue;
		if (k->nr == k->size) {
			k->size = k->size ? k->size * 2 : 1024;
			k->record = must(realloc(k->record, k->size * sizeof(*k->record)));
		}
		k->record[k->nr++] = rec;
	}
	stream_free(&s);
}

static int compare_records(const void *va, const void *vb)
{
	const struct iob_iolog_bin_record *a = va, *b = vb;

	return (a->complete_ns > b->complete_ns) - (a->complete_ns < b->complete_ns);
}

/*
 * Write those that completed before @until_ns, in their order; later ones wait.  Where the next
 * session has begun meanwhile, a number is that of one of its intents: theirs are unknown.
 */
static size_t write_until(struct keep *k, uint64_t until_ns)
{
	bool over = k->session != intent_session();
	size_t i;

	if (k->nr)
		qsort(k->record, k->nr, sizeof(*k->record), compare_records);
	for (i = 0; i < k->nr && k->record[i].complete_ns < until_ns; i++) {
		if (over)
			k->record[i].intent_nr = UINT32_MAX;
		if (k->clock)
			tape_set_wall(k->tape, keep_clock_at(k->clock, k->record[i].complete_ns));
		tape_add(k->tape, &k->record[i]);
		k->ios += !k->record[i].part;
	}
	if (i)
		memmove(k->record, k->record + i, (k->nr - i) * sizeof(*k->record));
	k->nr -= i;
	return i;
}

/**
 * keep_write - write some of what waits
 * @k:	  the recording
 * @most: about so many records
 *
 * Return: true if the reel is empty.
 */
bool keep_write(struct keep *k, size_t most)
{
	struct reel_chunk chunk;
	uint64_t read_ns;
	size_t done = 0;

	while (done < most && reel_peek(&k->reel, &chunk)) {
		read_ns = chunk.read_ns;
		do {
			take_chunk(k, &chunk);
			reel_pop(&k->reel);
		} while (reel_peek(&k->reel, &chunk) && chunk.read_ns == read_ns);
		/* what was left out is work, too */
		done += write_until(k, read_ns - LATE_NS) + 64;
	}
	return !reel_peek(&k->reel, &chunk);
}

/* The name that others read, and one for each moment that shares it. */
static int publish(const struct keep *k, const char *from)
{
	char first[PATH_ROOM], other[PATH_ROOM];
	unsigned int i;

	path_of(k, k->name[0], "", first);
	if (rename(from, first))
		return errno;
	for (i = 1; i < k->nr_names; i++) {
		path_of(k, k->name[i], "", other);
		if (link(first, other) && errno != EEXIST)
			return errno;
	}
	return 0;
}

/**
 * keep_end - write what waits, and let others read it
 * @k:	    it is ended, its reel, too
 * @status: the file `status` as it is now, or NULL: the recording says that it ends early
 *
 * Return: 0 or an errno, and there is no recording.
 */
int keep_end(struct keep *k, const char *status)
{
	char path[PATH_ROOM];
	int err;

	keep_write(k, SIZE_MAX);
	write_until(k, k->until_ns ? k->until_ns : UINT64_MAX);
	if (status)
		tape_text(k->tape, STORE_STATUS_AFTER, status);
	err = tape_end(k->tape, NULL);
	if (fclose(k->file) && !err)
		err = errno;
	path_of(k, k->name[0], ".tmp", path);
	if (!err)
		err = publish(k, path);
	if (err)
		unlink(path);
	reel_end(&k->reel);
	free(k->record);
	k->record = NULL;
	k->nr = 0;
	k->size = 0;
	return err;
}

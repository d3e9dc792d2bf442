// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "intent.h"
#include "msg.h"
#include "name.h"
#include "pack.h"
#include "tape.h"

enum {
	BATCH = 8192,		/* records in a chunk, at most */
	BATCH_FIRST = 64,	/* room for them at first */
};

struct tape {
	FILE *file;		/* of chunks */
	FILE *opened;		/* the caller's */
	struct pack *pack;	/* if it is compressed */
	unsigned int nr;	/* its bit in name.saved */
	bool only_of_user;	/* of processes, names that are @uid's */
	uint32_t uid;
	int failed;		/* an errno */
	uint64_t written;	/* bytes before they are compressed */
	int64_t wall_ns;	/* of the head that was written last */
	uint64_t session;	/* intent_session(), of which @intents are */
	uint64_t *intents;	/* a bit for each that is written */
	uint32_t nr_intents;	/* bits */
	struct iob_iolog_bin_record *batch;
	size_t nr_batch, size_batch;
};

static uint64_t used;		/* a bit for each tape that is written */

/* Write a chunk. */
void tape_write(struct tape *t, uint32_t type, const void *data, size_t len)
{
	if (!t->failed && !store_write(t->file, type, data, len))
		t->failed = errno ? errno : EIO;
	t->written += sizeof(struct store_chunk) + len;
}

/* The same of a text, without its NUL. */
void tape_text(struct tape *t, uint32_t type, const char *text)
{
	tape_write(t, type, text, strlen(text));
}

/**
 * tape_begin - begin a recording
 * @to:     the file, which the caller closes after tape_end()
 * @head:   can be read by anything
 * @packed: compress what follows, if this program can
 *
 * Return: the recording, for tape_end(); NULL with errno.
 */
struct tape *tape_begin(FILE *to, const struct store_head *head, bool packed)
{
	const uint32_t frame = PACK_FRAME;
	struct tape *t;

	if (!~used) {
		errno = EMFILE;
		return NULL;
	}
	if (!store_begin(to))
		return NULL;
	t = must(calloc(1, sizeof(*t)));
	t->file = to;
	t->opened = to;
	t->nr = __builtin_ctzll(~used);
	t->session = intent_session();
	t->wall_ns = head->wall_ns;
	used |= 1ULL << t->nr;
	name_not_saved(1ULL << t->nr);
	if (!store_write_head(to, head))
		t->failed = errno;
	if (packed && pack_can()) {
		tape_write(t, STORE_PACKED, &frame, sizeof(frame));
		t->pack = pack_writer(to);
		t->file = pack_file(t->pack);
	}
	return t;
}

/* This recording is for a user who may see only what is his.  Before the first record. */
void tape_only_of(struct tape *t, uint32_t uid)
{
	t->only_of_user = true;
	t->uid = uid;
}

static void write_name(struct name *name, void *arg)
{
	struct tape *t = arg;
	size_t n = strlen(name->text) + 1;
	char *data;

	if (name->saved & 1ULL << t->nr)
		return;
	if (t->only_of_user && !name_is_of_user(name, t->uid))
		return;
	name->saved |= 1ULL << t->nr;
	data = must(malloc(sizeof(name->key) + n));
	memcpy(data, &name->key, sizeof(name->key));
	memcpy(data + sizeof(name->key), name->text, n);
	tape_write(t, STORE_NAME, data, sizeof(name->key) + n);
	free(data);
}

/* True if this intent is not in the recording yet; it is noted to be. */
static bool is_new_intent(struct tape *t, uint32_t nr)
{
	uint32_t size = t->nr_intents;	/* those behind it are not set */

	if (nr >= size) {
		t->nr_intents = (nr + 4096) & ~63U;
		t->intents = must(realloc(t->intents, t->nr_intents / 8));
		memset((char *)t->intents + size / 8, 0, (t->nr_intents - size) / 8);
	}
	if (t->intents[nr / 64] & 1ULL << nr % 64)
		return false;
	t->intents[nr / 64] |= 1ULL << nr % 64;
	return true;
}

static void write_intent(struct tape *t, uint32_t nr)
{
	const struct intent *in = intent_get(nr);
	char *text;

	if (!in || !is_new_intent(t, nr))
		return;
	text = intent_text(in);
	tape_text(t, STORE_INTENT, text);
	free(text);
}

/* Look up all names that a view may show: write_name() is called for each. */
static void use_names(const struct iob_iolog_bin_record *rec)
{
	name_disk(rec->disk);
	name_sched(rec->disk);
	name_user(rec->tgid, rec->comm);
	name_command(rec->tgid, rec->comm);
	name_file(rec->dev, rec->ino, rec->gen);
	if (rec->cgroup)
		name_unit(rec->cgroup);
}

static void write_batch(struct tape *t)
{
	if (t->nr_batch)
		tape_write(t, STORE_RECORDS, t->batch, t->nr_batch * sizeof(*t->batch));
	t->nr_batch = 0;
}

/* Records that are added from now on have this offset to the time of day. */
void tape_set_wall(struct tape *t, int64_t wall_ns)
{
	char line[64];

	if (wall_ns - t->wall_ns <= STORE_STEP_NS && t->wall_ns - wall_ns <= STORE_STEP_NS)
		return;
	write_batch(t);
	snprintf(line, sizeof(line), "wall_ns %lld\n", (long long)wall_ns);
	tape_text(t, STORE_HEAD, line);
	t->wall_ns = wall_ns;
}

/* Intents of another session have the same numbers: what is of the one before goes first. */
static void note_session(struct tape *t)
{
	if (t->session == intent_session())
		return;
	write_batch(t);
	t->session = intent_session();
	t->nr_intents = 0;
}

/* Add a record, after the intent and the names that it uses. */
void tape_add(struct tape *t, const struct iob_iolog_bin_record *rec)
{
	note_session(t);
	name_watch(write_name, t);
	use_names(rec);
	name_watch(NULL, NULL);
	write_intent(t, rec->intent_nr);
	if (t->nr_batch == t->size_batch) {
		t->size_batch = t->size_batch ? t->size_batch * 2 : BATCH_FIRST;
		t->batch = must(realloc(t->batch, t->size_batch * sizeof(*t->batch)));
	}
	t->batch[t->nr_batch++] = *rec;
	if (t->nr_batch == BATCH)
		write_batch(t);
}

/* What was added until now is in the file, and can be read.  Return: false if that failed. */
bool tape_flush(struct tape *t)
{
	write_batch(t);
	if (!t->failed && !(t->pack ? pack_flush(t->pack) : !fflush(t->file)))
		t->failed = errno;
	return !t->failed;
}

/* What went wrong first: an errno, or 0. */
int tape_error(const struct tape *t)
{
	return t->failed;
}

/**
 * tape_end - end a recording
 * @t:       it is freed
 * @written: gets the bytes behind the head, as they are in the file; may be NULL
 *
 * Return: 0, or the errno of what went wrong first.
 */
int tape_end(struct tape *t, uint64_t *written)
{
	int err;

	tape_flush(t);
	if (t->pack && !pack_end(t->pack, &t->written) && !t->failed)
		t->failed = errno;
	if (!t->failed && fflush(t->opened))
		t->failed = errno;
	if (written)
		*written = t->written;
	err = t->failed;
	used &= ~(1ULL << t->nr);
	free(t->intents);
	free(t->batch);
	free(t);
	return err;
}

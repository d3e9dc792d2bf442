// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "escape.h"
#include "intent.h"
#include "msg.h"
#include "name.h"
#include "recording.h"
#include "status.h"
#include "store.h"
#include "stream.h"

/* The rest of the file is compressed.  @data: the content of STORE_PACKED */
static bool begin_packed(struct recording *r, const char *data, size_t len)
{
	uint32_t frame = 0;

	if (len == sizeof(frame))
		memcpy(&frame, data, sizeof(frame));
	if (!r->pack)
		r->pack = pack_reader(r->opened, frame);
	r->no_zstd = !r->pack;
	if (r->pack)
		r->file = pack_file(r->pack);
	return r->pack;
}

/* Bytes of the record that begins there; 0: it is none. */
static size_t record_len(const unsigned char *at, size_t len)
{
	struct { uint16_t len, ver; } begin;

	if (len < sizeof(begin))
		return 0;
	memcpy(&begin, at, sizeof(begin));
	if (begin.len < sizeof(begin) || begin.len > len ||
	    (begin.ver == IOB_IOLOG_BIN_VER && begin.len < sizeof(struct iob_iolog_bin_record)))
		return 0;
	return begin.len;
}

/*
 * All records are whole: none crosses its chunk.  What is none takes the rest of its chunk with it,
 * and no other.  The stream counts those of another version.
 *
 * Each intent gets the number by which it is known here now: when the record's turn comes, the
 * intents of the session after may have been read.
 */
static void take_records(struct stream *to, const char *data, size_t len)
{
	unsigned char *at = stream_room(to, len);
	struct iob_iolog_bin_record rec;
	size_t off, one;

	memcpy(at, data, len);
	for (off = 0; (one = record_len(at + off, len - off)) > 0; off += one) {
		if (one < sizeof(rec))
			continue;
		memcpy(&rec, at + off, sizeof(rec));
		if (rec.ver != IOB_IOLOG_BIN_VER)
			continue;
		rec.intent_nr = intent_number(rec.intent_nr);
		memcpy(at + off, &rec, sizeof(rec));
	}
	stream_dropped(to, len - off);
	stream_added(to, off);
}

/**
 * recording_take - take what a chunk says
 * @r:     the recording
 * @head:  changed by a STORE_HEAD chunk
 * @to:    records are appended
 * @chunk: its type and length
 * @data:  its content and a NUL
 *
 * Return: true if it has records.
 */
bool recording_take(struct recording *r, struct store_head *head, struct stream *to,
		    const struct store_chunk *chunk, const char *data)
{
	struct name_key key;

	switch (chunk->type) {
	case STORE_HEAD:
		store_parse_head(head, data);
		if (!r->has_head)
			r->begin_wall_ns = head->wall_ns;
		r->has_head = true;
		break;
	case STORE_INTENT:
		intent_parse(data);
		break;
	case STORE_NAME:
		if (chunk->len <= sizeof(key))
			break;
		memcpy(&key, data, sizeof(key));
		name_put(&key, data + sizeof(key));
		break;
	case STORE_STATUS_BEFORE:
		/* ioblamed sends one for each session: intents have the same numbers in all */
		if (r->has_before)
			intent_begin_other();
		/* what the one before lost is not known, unless it was over, and had no IO */
		r->several |= r->has_before && (r->has_records || r->before.enabled);
		r->has_before = true;
		r->has_records = false;
		status_parse(&r->before, data);
		break;
	case STORE_STATUS_AFTER:
		status_parse(&r->after, data);
		r->has_status = true;
		break;
	case STORE_RECORDS:
		r->has_records = true;
		take_records(to, data, chunk->len);
		return true;
	}
	return false;
}

/**
 * recording_read - read chunks up to the next records
 * @r:    the recording
 * @head: changed by a STORE_HEAD chunk
 * @to:   the records are appended
 *
 * Return: false at the end of the file.
 */
bool recording_read(struct recording *r, struct store_head *head, struct stream *to)
{
	struct store_chunk chunk;
	enum store_got got;
	char *data;
	bool goes_on, records;

	if (r->ahead) {
		r->ahead = false;
		return true;
	}
	while ((got = store_read(r->file, &chunk, &data)) == STORE_CHUNK) {
		if (chunk.type == STORE_PACKED) {
			goes_on = begin_packed(r, data, chunk.len);
			free(data);
			if (!goes_on)
				return false;
			continue;
		}
		records = recording_take(r, head, to, &chunk, data);
		free(data);
		if (records)
			return true;
	}
	/* (a pipe, and the user does not wait for the rest: nothing is known of that) */
	if (ferror(r->file) && errno == EINTR)
		return false;
	/* one before it may be, too: joined_next() */
	r->damaged |= r->pack && pack_damaged(r->pack);
	r->torn |= got == STORE_TORN || !r->has_status || r->damaged ||
		   (r->pack && pack_ends_early(r->pack));
	return false;
}

/**
 * recording_open - open a recording, and read up to its first records
 * @r:    the recording
 * @path: its path
 * @head: changed by a STORE_HEAD chunk
 * @to:   the records are appended
 *
 * From here on, names are those of the recording.
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int recording_open(struct recording *r, const char *path, struct store_head *head,
		   struct stream *to)
{
	char *name = must(escape_dup(path, strlen(path)));
	int ret = EXIT_OK;

	memset(r, 0, sizeof(*r));
	r->opened = fopen(path, "re");
	r->file = r->opened;
	if (!r->file) {
		msg("%s: %s", name, strerror(errno));
		ret = EXIT_FAILED;
	} else if (store_open(r->file) != STORE_CHUNK) {
		msg("%s is not a recording; make one with: ioblame record -o FILE", name);
		ret = EXIT_FAILED;
	}
	name_offline();
	if (!ret)
		r->ahead = recording_read(r, head, to);
	if (r->no_zstd) {
		msg("%s is compressed, and this ioblame is built without zstd: apt install libzstd-dev, and build it again",
		    name);
		ret = EXIT_FAILED;
	}
	free(name);
	return ret;
}

void recording_close(struct recording *r)
{
	if (r->pack)
		pack_end(r->pack, NULL);
	if (r->opened)
		fclose(r->opened);
	r->pack = NULL;
	r->opened = NULL;
	r->file = NULL;
}

/* True if an output would replace the recording that is read; @recording may be NULL. */
bool recording_is(const char *recording, const char *output)
{
	struct stat a, b;

	if (!recording || stat(recording, &a) || stat(output, &b) ||
	    a.st_dev != b.st_dev || a.st_ino != b.st_ino)
		return false;
	msg("the output would replace the recording; name another file");
	return true;
}

// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "stream.h"

/* Get room for @room bytes behind those in the stream. */
unsigned char *stream_room(struct stream *s, size_t room)
{
	if (s->off) {
		memmove(s->buf, s->buf + s->off, s->len - s->off);
		s->len -= s->off;
		s->off = 0;
	}
	if (!s->buf || s->size - s->len < room) {
		s->size = s->len + room + 1;
		s->buf = must(realloc(s->buf, s->size));
	}
	return s->buf + s->len;
}

/* Add the @len bytes that were put there. */
void stream_added(struct stream *s, size_t len)
{
	s->len += len;
}

/* Give back the room if nothing is in the stream. */
void stream_shrink(struct stream *s)
{
	if (s->off != s->len)
		return;
	free(s->buf);
	s->buf = NULL;
	s->len = 0;
	s->size = 0;
	s->off = 0;
}

/* Count @len bytes that are no records. */
void stream_dropped(struct stream *s, size_t len)
{
	const size_t one = sizeof(struct iob_iolog_bin_record);

	s->broken += (len + one - 1) / one;
}

/* False if no record begins so.  The length and the version are there. */
static bool read_lengths(const unsigned char *bytes, uint16_t *len, uint16_t *ver)
{
	memcpy(len, bytes, sizeof(*len));
	memcpy(ver, bytes + sizeof(*len), sizeof(*ver));
	return *len >= sizeof(*len) + sizeof(*ver) &&
	       (*ver != IOB_IOLOG_BIN_VER || *len >= sizeof(struct iob_iolog_bin_record));
}

/* True if these bytes are no record, nor the beginning of one. */
bool stream_is_broken(const unsigned char *bytes, size_t len)
{
	uint16_t one, ver;

	return len >= sizeof(one) + sizeof(ver) && !read_lengths(bytes, &one, &ver);
}

/* How many bytes the whole records have that @bytes begin with, of any version. */
size_t stream_whole(const unsigned char *bytes, size_t len)
{
	uint16_t one, ver;
	size_t at = 0;

	while (len - at >= sizeof(one) + sizeof(ver)) {
		if (!read_lengths(bytes + at, &one, &ver) || one > len - at)
			break;
		at += one;
	}
	return at;
}

/* Take the next whole record.  Return: false if there is none. */
bool stream_next(struct stream *s, struct iob_iolog_bin_record *rec)
{
	uint16_t len, ver;

	while (s->len - s->off >= sizeof(len) + sizeof(ver)) {
		if (!read_lengths(s->buf + s->off, &len, &ver)) {
			stream_dropped(s, s->len - s->off);
			s->off = s->len;
			return false;
		}
		if (s->len - s->off < len)
			return false;
		s->off += len;
		if (ver != IOB_IOLOG_BIN_VER) {
			s->unknown++;
			continue;
		}
		memcpy(rec, s->buf + s->off - len, sizeof(*rec));
		return true;
	}
	return false;
}

void stream_free(struct stream *s)
{
	free(s->buf);
	memset(s, 0, sizeof(*s));
}

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

/* Take the next whole record.  Return: false if there is none. */
bool stream_next(struct stream *s, struct iob_iolog_bin_record *rec)
{
	uint16_t len, ver;

	while (s->len - s->off >= sizeof(len) + sizeof(ver)) {
		memcpy(&len, s->buf + s->off, sizeof(len));
		memcpy(&ver, s->buf + s->off + sizeof(len), sizeof(ver));
		if (len < sizeof(len) + sizeof(ver) ||
		    (ver == IOB_IOLOG_BIN_VER && len < sizeof(*rec))) {
			s->broken++;
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

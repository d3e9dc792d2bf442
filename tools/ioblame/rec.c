// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "msg.h"
#include "rec.h"

/* Room for @room more bytes. */
unsigned char *rec_room(struct rec_stream *s, size_t room)
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

/* @len bytes were put there. */
void rec_added(struct rec_stream *s, size_t len)
{
	s->len += len;
}

/* The next whole record that is understood.  Return: false for none. */
bool rec_next(struct rec_stream *s, struct iob_iolog_bin_record *rec)
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

void rec_free(struct rec_stream *s)
{
	free(s->buf);
	memset(s, 0, sizeof(*s));
}

static uint64_t span(uint64_t from, uint64_t to)
{
	return from && to > from ? to - from : 0;
}

static uint64_t issued(const struct iob_iolog_bin_record *rec)
{
	return rec->issue_ns ? rec->issue_ns : rec->queue_ns;
}

/* From queueing to the last issue. */
uint64_t rec_wait_ns(const struct iob_iolog_bin_record *rec)
{
	return span(rec->queue_ns, issued(rec));
}

/* From there to completion. */
uint64_t rec_io_ns(const struct iob_iolog_bin_record *rec)
{
	return span(issued(rec), rec->complete_ns);
}

uint64_t rec_total_ns(const struct iob_iolog_bin_record *rec)
{
	return span(rec->queue_ns, rec->complete_ns);
}

/* Since its first page became dirty; only while ages are noted. */
uint64_t rec_age_ns(const struct iob_iolog_bin_record *rec)
{
	return span(rec->dirty_ns, rec->complete_ns);
}

/* No file of its own: see "The file of metadata" in usage.rst. */
bool rec_is_metadata(const struct iob_iolog_bin_record *rec)
{
	return rec->ino <= 2;
}

const char *rec_op_name(unsigned char op)
{
	switch (op) {
	case 'R':
		return "read";
	case 'A':
		return "readahead";
	case 'W':
		return "write";
	case 'D':
		return "discard";
	case 'F':
		return "flush";
	default:
		return "?";
	}
}

const char *rec_role_name(unsigned int kind)
{
	static const char * const names[] = {
		[ROLE_THREAD] = "thread", [ROLE_PROCESS] = "process",
		[ROLE_CGROUP] = "cgroup", [ROLE_USER] = "user",
		[ROLE_NOBODY] = "nobody",
	};

	return kind <= ROLE_NOBODY ? names[kind] : "?";
}

/* Who pays, in short: a pid, user-N, cgroup, -. */
const char *rec_who(unsigned int kind, uint32_t nr, char *to, size_t size)
{
	switch (kind) {
	case ROLE_THREAD:
	case ROLE_PROCESS:
		snprintf(to, size, "%u", nr);
		break;
	case ROLE_USER:
		snprintf(to, size, "user-%u", nr);
		break;
	case ROLE_CGROUP:
		snprintf(to, size, "cgroup");
		break;
	default:
		snprintf(to, size, "-");
	}
	return to;
}

const char *rec_how_name(unsigned int how)
{
	static const char * const names[IOB_NR_HOWS] = {
		[IOB_HOW_EXACT]	    = "exact",
		[IOB_HOW_INHERITED] = "inherited",
		[IOB_HOW_SUBMITTER] = "submitter",
		[IOB_HOW_LOST]	    = "lost",
	};

	return how < IOB_NR_HOWS ? names[how] : "?";
}

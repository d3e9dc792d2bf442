// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "escape.h"
#include "msg.h"
#include "recording.h"
#include "served.h"
#include "store.h"

enum {
	READ_BYTES = 256 << 10,
	READ_MOST = 4 << 20,		/* in one turn */
};

static const char refusal[] = "error ";

/**
 * served_connect - ask ioblamed
 * @s:	     is cleared
 * @request: a line, with its newline
 *
 * Return: 0 or an errno: ENOENT or ECONNREFUSED if it does not run.
 */
int served_connect(struct served *s, const char *request)
{
	const struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = SERVED_SOCKET };
	size_t len = strlen(request);
	int err = 0;

	memset(s, 0, sizeof(*s));
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return errno;
	if (connect(s->fd, (const struct sockaddr *)&to, sizeof(to)) ||
	    send(s->fd, request, len, MSG_NOSIGNAL) != (ssize_t)len)
		err = errno;
	if (err)
		served_close(s);
	return err;
}

static void keep_text(char **to, const char *text)
{
	free(*to);
	*to = must(strdup(text));
}

/* Say what the daemon says, but for the empty text: that is over. */
static void say_note(const char *text)
{
	char *safe;

	if (!*text)
		return;
	safe = must(escape_dup(text, strlen(text)));
	msg("ioblamed: %s", safe);
	free(safe);
}

static void take_chunk(struct served *s, struct recording *r, struct store_head *head,
		       struct stream *to, const struct store_chunk *chunk, char *data)
{
	char behind = data[chunk->len];
	uint64_t lost;

	data[chunk->len] = '\0';
	switch (chunk->type) {
	case STORE_LOST:
		memcpy(&lost, data, chunk->len < sizeof(lost) ? 0 : sizeof(lost));
		s->lost += chunk->len < sizeof(lost) ? 0 : lost;
		break;
	case STORE_NOTE:
		say_note(data);
		break;
	case STORE_STATUS_BEFORE:
		keep_text(&s->before, data);
		break;
	case STORE_STATUS_AFTER:
		keep_text(&s->after, data);
		break;
	case STORE_HEAD:
		s->has_head = true;
		break;
	}
	recording_take(r, head, to, chunk, data);
	data[chunk->len] = behind;
}

/* The answer begins with the mark of a recording, or with a line that says why there is none. */
static void take_beginning(struct served *s)
{
	char *newline;
	enum store_got got;
	FILE *file;

	if (s->len >= strlen(refusal) && !strncmp(s->buf, refusal, strlen(refusal))) {
		newline = memchr(s->buf, '\n', s->len);
		if (!newline)
			return;
		s->refused = must(escape_dup(s->buf + strlen(refusal),
					     newline - s->buf - strlen(refusal)));
		s->ended = true;
		return;
	}
	if (s->len < STORE_START)
		return;
	file = must(fmemopen(s->buf, STORE_START, "r"));
	got = store_open(file);
	fclose(file);
	s->begun = got == STORE_CHUNK;
	s->at = STORE_START;
	if (s->begun)
		return;
	s->refused = must(strdup("what it sends is no recording"));
	s->ended = true;
}

static void take_chunks(struct served *s, struct recording *r, struct store_head *head,
			struct stream *to)
{
	struct store_chunk chunk;

	while (s->len - s->at >= sizeof(chunk)) {
		memcpy(&chunk, s->buf + s->at, sizeof(chunk));
		if (chunk.len > STORE_CHUNK_MAX) {
			s->ended = true;
			return;
		}
		if (s->len - s->at - sizeof(chunk) < chunk.len)
			return;
		take_chunk(s, r, head, to, &chunk, s->buf + s->at + sizeof(chunk));
		s->at += sizeof(chunk) + chunk.len;
	}
}

/* Room for what is read next, and a NUL behind it. */
static char *make_room(struct served *s)
{
	if (s->at) {
		memmove(s->buf, s->buf + s->at, s->len - s->at);
		s->len -= s->at;
		s->at = 0;
	}
	if (s->size < s->len + READ_BYTES + 1) {
		s->size = 2 * s->len + READ_BYTES + 1;
		s->buf = must(realloc(s->buf, s->size));
	}
	return s->buf + s->len;
}

/**
 * served_read - take what has arrived, without waiting
 * @s:    was asked for "records"
 * @r:    gets the status
 * @head: changed by a STORE_HEAD chunk
 * @to:   the records are appended
 * @got:  is added the bytes that were read
 *
 * Return: false if nothing more comes.
 */
bool served_read(struct served *s, struct recording *r, struct store_head *head,
		 struct stream *to, uint64_t *got)
{
	size_t all = 0;
	ssize_t n;

	while (!s->ended && all < READ_MOST) {
		n = recv(s->fd, make_room(s), READ_BYTES, MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		if (n <= 0) {
			s->ended = true;
			break;
		}
		s->len += n;
		all += n;
		if (!s->begun)
			take_beginning(s);
		if (s->begun)
			take_chunks(s, r, head, to);
	}
	*got += all;
	return !s->ended;
}

/* Wait until something arrives.  Return: false if nothing has. */
bool served_wait(const struct served *s, uint64_t timeout_ns)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	const struct timespec ts = {
		.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000,
	};

	return ppoll(&p, 1, &ts, NULL) > 0;
}

/* Nothing more is wanted: what is left is sent, and then the end. */
void served_enough(struct served *s)
{
	shutdown(s->fd, SHUT_WR);
}

void served_close(struct served *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	free(s->buf);
	free(s->refused);
	free(s->before);
	free(s->after);
	s->buf = NULL;
	s->refused = NULL;
	s->before = NULL;
	s->after = NULL;
	s->len = 0;
	s->at = 0;
	s->size = 0;
}

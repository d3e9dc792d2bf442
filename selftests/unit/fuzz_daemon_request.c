// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes that a user may send to ioblamed as a request, in pieces: the verb of the first line
 * gets what stands behind it and no more, or an error is the answer; what comes behind the line
 * is not read; and who has the answer goes.  ~ stands for a line end, which a seed cannot contain,
 * and ^ for many letters, so that a short input is a long line.
 */
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "../../tools/ioblamed/query.h"
#include "fuzz.h"

#define LETTERS		100	/* of a ^ */
#define MOST		4096	/* bytes of a request */

static const char *begin_records(struct asker *a, char *rest);
static const char *begin_past(struct asker *a, char *rest);
static void bring_to_end(struct asker *a);
static void end_verb(struct asker *a);

/* The first answers at the end of the input, the second has others answer for it */
const struct query_verb query_records = {
	.word = "records", .begin = begin_records, .enough = bring_to_end, .end = end_verb,
};
const struct query_verb query_past = {
	.word = "past", .begin = begin_past, .enough = bring_to_end, .end = end_verb,
};

static void (*add_peer)(int fd);
static sd_event_io_handler_t on_ready;
static void *ready_arg;
static uint32_t ready_for;
static size_t piece;		/* what is sent and taken at once */

/* What came of a request */
static struct {
	const struct query_verb *verb;
	char rest[QUERY_LINE], answer[256];
	size_t nr_answer;
	unsigned int begun, enough, ended;
} did;

static const char *note_begin(const struct query_verb *verb, const char *rest)
{
	did.verb = verb;
	did.begun++;
	strcpy(did.rest, rest);
	return *rest == 'n' ? "no" : NULL;
}

static const char *begin_records(struct asker *a, char *rest)
{
	(void)a;
	return note_begin(&query_records, rest);
}

static const char *begin_past(struct asker *a, char *rest)
{
	const char *wrong = note_begin(&query_past, rest);

	if (!wrong)
		query_done(a);
	return wrong;
}

static void bring_to_end(struct asker *a)
{
	did.enough++;
	query_put(a, "all\n", 4);
	query_done(a);
}

static void end_verb(struct asker *a)
{
	(void)a;
	did.ended++;
}

int peer_listen(struct peer_listener *l, struct sd_event *event, const char *path,
		void (*add)(int fd))
{
	(void)l;
	(void)event;
	(void)path;
	add_peer = add;
	return 0;
}

void peer_stop(struct peer_listener *l)
{
	(void)l;
}

bool peer_right(int fd, struct viewer_right *right)
{
	(void)fd;
	right->uid = 0;
	right->all = true;
	return true;
}

bool peer_send(int fd, const char *buf, size_t *at, size_t len)
{
	size_t i;

	(void)fd;
	for (i = 0; i < piece && *at < len; i++) {
		REQUIRE(did.nr_answer < sizeof(did.answer) - 1);
		did.answer[did.nr_answer++] = buf[(*at)++];
	}
	return true;
}

int sd_event_add_io(sd_event *event, sd_event_source **s, int fd, uint32_t events,
		    sd_event_io_handler_t callback, void *arg)
{
	(void)event;
	(void)fd;
	*s = NULL;
	on_ready = callback;
	ready_arg = arg;
	ready_for = events;
	return 0;
}

int sd_event_add_time_relative(sd_event *event, sd_event_source **s, clockid_t clock,
			       uint64_t us, uint64_t accuracy, sd_event_time_handler_t callback,
			       void *arg)
{
	(void)event;
	(void)clock;
	(void)us;
	(void)accuracy;
	(void)callback;
	(void)arg;
	*s = NULL;
	return 0;
}

int sd_event_source_set_io_events(sd_event_source *s, uint32_t events)
{
	(void)s;
	ready_for = events;
	return 0;
}

sd_event_source *sd_event_source_disable_unref(sd_event_source *s)
{
	(void)s;
	return NULL;
}

static char *request_of(const u8 *data, size_t size, size_t *len)
{
	char *text = malloc(MOST), *at = text;
	size_t i;

	for (i = 0; i < size && at - text <= MOST - LETTERS; i++) {
		if (data[i] == '^')
			memset(at, 'a', LETTERS);
		else
			*at = data[i] == '~' ? '\n' : data[i];
		at += data[i] == '^' ? LETTERS : 1;
	}
	*len = at - text;
	return text;
}

static bool is_there(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* The loop's turns, until it would wait. */
static void run_loop(int fd, bool ends)
{
	uint32_t events;
	int left;

	while (is_there(fd)) {
		REQUIRE(!ioctl(fd, FIONREAD, &left));
		events = (left || ends ? EPOLLIN : 0) | EPOLLOUT;
		events &= ready_for;
		if (!events)
			return;
		on_ready(NULL, fd, events, ready_arg);
	}
}

static void ask(const char *text, size_t len)
{
	size_t at, n;
	int fd[2];

	REQUIRE(!pipe2(fd, O_NONBLOCK));
	add_peer(fd[0]);
	for (at = 0; at < len && is_there(fd[0]); at += n) {
		n = len - at < piece ? len - at : piece;
		REQUIRE(write(fd[1], text + at, n) == (ssize_t)n);
		run_loop(fd[0], false);
	}
	close(fd[1]);
	run_loop(fd[0], true);
	REQUIRE(!is_there(fd[0]));
}

static bool is_for(const struct query_verb *verb, const char *line, size_t len)
{
	size_t nr = strlen(verb->word);

	return len >= nr && !memcmp(line, verb->word, nr) && (len == nr || line[nr] == ' ');
}

static void check_verb(const struct query_verb *verb, const char *line, size_t len)
{
	size_t nr = strlen(verb->word);

	nr += nr < len;
	REQUIRE(did.begun == 1 && did.verb == verb);
	REQUIRE(strlen(did.rest) == len - nr && !memcmp(did.rest, line + nr, len - nr));
	if (*did.rest == 'n') {
		REQUIRE(!did.enough && !did.ended && !strcmp(did.answer, "error no\n"));
	} else {
		REQUIRE(did.enough == (verb == &query_records) && did.ended == 1);
		REQUIRE(!strcmp(did.answer, did.enough ? "all\n" : ""));
	}
}

static void check_refused(const char *why)
{
	REQUIRE(!did.begun && !did.enough && !did.ended);
	REQUIRE(!strncmp(did.answer, why, strlen(why)));
	REQUIRE(*why ? did.answer[did.nr_answer - 1] == '\n' : !did.nr_answer);
}

static void check_request(const char *text, size_t len)
{
	const char *end = memchr(text, '\n', len < QUERY_LINE ? len : QUERY_LINE);

	if (!end && len < QUERY_LINE)
		check_refused("");
	else if (!end)
		check_refused("error the request is too long");
	else if (memchr(text, '\0', end - text))
		check_refused("error a request is a line of text");
	else if (is_for(&query_records, text, end - text))
		check_verb(&query_records, text, end - text);
	else if (is_for(&query_past, text, end - text))
		check_verb(&query_past, text, end - text);
	else
		check_refused("error no such request");
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	size_t len;
	char *text;

	if (!size)
		return 0;
	piece = *data ? *data : MOST;
	text = request_of(data + 1, size - 1, &len);
	memset(&did, 0, sizeof(did));
	REQUIRE(!query_begin(NULL, ""));
	ask(text, len);
	check_request(text, len);
	query_end();
	free(text);
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "msg.h"
#include "query.h"

static const struct peer_places askers_most = { .all = 48, .of_others = 36, .of_user = 12 };

enum {
	/*
	 * bytes that wait for one that is slow, for all of a user, of those who see their own
	 * alone, and together
	 */
	BEHIND = 4 << 20,
	BEHIND_OF_USER = 16 << 20,
	BEHIND_OF_OTHERS = 48 << 20,
	BEHIND_ALL = 64 << 20,
	/* for the request */
	PATIENCE_US = 5000000,
};

static const struct query_verb *const verbs[] = { &query_records, &query_past };

static struct asker *askers;
static size_t waiting;			/* bytes, for all */
static sd_event *loop;
static struct peer_listener listener = { .fd = -1 };

static void free_asker(struct asker *a)
{
	struct asker **at;

	for (at = &askers; *at && *at != a; at = &(*at)->next)
		;
	if (*at)
		*at = a->next;
	if (a->verb)
		a->verb->end(a);
	waiting -= a->len - a->at;
	sd_event_source_disable_unref(a->patience);
	sd_event_source_disable_unref(a->source);
	close(a->fd);
	free(a->buf);
	free(a);
}

static void drop_sent(struct asker *a)
{
	if (a->at < a->len)
		return;
	free(a->buf);
	a->buf = NULL;
	a->at = 0;
	a->len = 0;
	a->size = 0;
}

/* Add to what is sent to an asker. */
void query_put(struct asker *a, const void *data, size_t len)
{
	if (a->size - a->len < len && a->at) {
		memmove(a->buf, a->buf + a->at, a->len - a->at);
		a->len -= a->at;
		a->at = 0;
	}
	if (a->size - a->len < len) {
		a->size = (a->len + len) * 2;
		a->buf = must(realloc(a->buf, a->size));
	}
	memcpy(a->buf + a->len, data, len);
	a->len += len;
	waiting += len;
}

/* Whether too much waits for the user of an asker, or for all like him. */
static bool is_user_behind(const struct asker *a)
{
	size_t of_user = 0, of_others = 0;
	const struct asker *b;

	if (a->right.all)
		return false;
	for (b = askers; b; b = b->next) {
		of_user += b->right.uid == a->right.uid ? b->len - b->at : 0;
		of_others += b->right.all ? 0 : b->len - b->at;
	}
	return of_user > BEHIND_OF_USER || of_others > BEHIND_OF_OTHERS;
}

/* True if so much waits for this asker that nothing more should be put. */
bool query_is_behind(const struct asker *a)
{
	size_t waits = a->len - a->at;

	if (!waits || waits > BEHIND)
		return waits;
	return waiting > BEHIND_ALL || (waiting > BEHIND_OF_USER && is_user_behind(a));
}

/* What the loop looks for; one that is broken is always ready, and freed then. */
static void set_events(struct asker *a)
{
	uint32_t events = a->no_input ? 0 : EPOLLIN;

	if (a->len || a->broken || a->all_put)
		events |= EPOLLOUT;
	sd_event_source_set_io_events(a->source, events);
}

/* Send what can be sent without waiting. */
void query_send(struct asker *a)
{
	size_t from = a->at;

	if (!a->broken)
		a->broken = !peer_send(a->fd, a->buf, &a->at, a->len);
	waiting -= a->at - from;
	drop_sent(a);
	set_events(a);
}

/* All is put: the asker goes when it is sent. */
void query_done(struct asker *a)
{
	a->all_put = true;
	query_send(a);
}

static void refuse_asker(struct asker *a, const char *why)
{
	a->patience = sd_event_source_disable_unref(a->patience);
	query_put(a, "error ", 6);
	query_put(a, why, strlen(why));
	query_put(a, "\n", 1);
	query_done(a);
}

/* Do what a whole line asks for. */
static void take_request(struct asker *a)
{
	char *rest = a->request, *word;
	const char *wrong;
	unsigned int i;

	a->patience = sd_event_source_disable_unref(a->patience);
	word = strsep(&rest, " ");
	for (i = 0; i < ARRAY_SIZE(verbs); i++) {
		if (strcmp(verbs[i]->word, word))
			continue;
		wrong = verbs[i]->begin(a, rest ? rest : word + strlen(word));
		if (wrong)
			refuse_asker(a, wrong);
		else
			a->verb = verbs[i];
		return;
	}
	refuse_asker(a, "no such request; this ioblamed may be older than who asks");
}

/* Input behind the request is not read; its end says that nothing more is wanted. */
static void read_input(struct asker *a)
{
	char drop[256], *end;
	ssize_t n = a->verb || a->all_put ? read(a->fd, drop, sizeof(drop)) :
		    read(a->fd, a->request + a->got, QUERY_LINE - a->got);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	a->broken |= n < 0;
	a->no_input = n <= 0;
	if (a->no_input && !a->all_put && a->verb)
		a->verb->enough(a);
	else if (a->no_input && !a->all_put)
		a->broken = true;
	if (a->no_input || a->verb || a->all_put)
		return;
	a->got += n;
	end = memchr(a->request, '\n', a->got);
	if (end && memchr(a->request, '\0', end - a->request)) {
		refuse_asker(a, "a request is a line of text");
	} else if (end) {
		*end = '\0';
		take_request(a);
	} else if (a->got == QUERY_LINE) {
		refuse_asker(a, "the request is too long");
	}
}

static int on_asker(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	struct asker *a = arg;

	(void)s;
	(void)fd;
	a->broken |= !!(events & (EPOLLHUP | EPOLLERR));
	if (events & EPOLLIN && !a->broken)
		read_input(a);
	query_send(a);
	if (a->broken || (a->all_put && !a->len))
		free_asker(a);
	return 0;
}

/* Who connects and does not ask holds a place of those who would. */
static int on_patience(sd_event_source *s, uint64_t now_us, void *arg)
{
	struct asker *a = arg;

	(void)s;
	(void)now_us;
	refuse_asker(a, "no request has come");
	return 0;
}

static bool has_place(const struct viewer_right *right)
{
	struct peer_places taken = { 0 };
	const struct asker *a;

	for (a = askers; a; a = a->next) {
		/* one that was refused goes with the next turn of the loop */
		if (!a->all_put || a->verb)
			peer_places_add(&taken, &a->right, right);
	}
	return peer_places_left(&askers_most, &taken, right);
}

static void add_asker(int fd)
{
	struct asker *a = must(calloc(1, sizeof(*a)));

	a->fd = fd;
	if (!peer_right(fd, &a->right) ||
	    sd_event_add_io(loop, &a->source, fd, EPOLLIN, on_asker, a) < 0 ||
	    sd_event_add_time_relative(loop, &a->patience, CLOCK_MONOTONIC, PATIENCE_US, 0,
				       on_patience, a) < 0) {
		sd_event_source_disable_unref(a->source);
		close(fd);
		free(a);
		return;
	}
	if (!has_place(&a->right))
		refuse_asker(a, "too many ask already; end one, and try again");
	a->next = askers;
	askers = a;
}

/**
 * query_begin - let anyone ask
 * @event: the loop
 * @path:  where the socket is; it lives until query_end()
 *
 * Return: 0 or -errno.
 */
int query_begin(struct sd_event *event, const char *path)
{
	loop = event;
	return peer_listen(&listener, event, path, add_asker);
}

void query_end(void)
{
	while (askers)
		free_asker(askers);
	peer_stop(&listener);
}

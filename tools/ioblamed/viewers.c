// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "feed.h"
#include "msg.h"
#include "viewers.h"

static const struct peer_places viewers_most = { .all = 256, .of_others = 192, .of_user = 16 };

enum {
	/* bytes that wait for a slow viewer; more than one interval of a large host */
	VIEWER_BUFFER = 8 << 20,
	/* and for all of one user, and of those who see their own alone */
	USER_BUFFER = 16 << 20,
	OTHERS_BUFFER = 48 << 20,
};

struct viewer {
	struct viewer *next;
	struct viewer_right right;
	sd_event_source *source;
	int fd;
	char *buf;		/* what waits to be sent */
	size_t at, len;
	uint64_t missed;	/* intervals, since the last that was sent */
};

static struct viewer *viewers;
static sd_event *loop;
static struct peer_listener listener = { .fd = -1 };
static struct usage_list last;

static void free_viewer(struct viewer *v)
{
	struct viewer **at;

	for (at = &viewers; *at && *at != v; at = &(*at)->next)
		;
	if (*at)
		*at = v->next;
	sd_event_source_disable_unref(v->source);
	close(v->fd);
	free(v->buf);
	free(v);
}

/* Send what waits.  Return: false if the viewer is gone, and freed. */
static bool send_some(struct viewer *v)
{
	if (!peer_send(v->fd, v->buf, &v->at, v->len)) {
		free_viewer(v);
		return false;
	}
	if (v->at == v->len) {
		free(v->buf);
		v->buf = NULL;
		v->at = 0;
		v->len = 0;
	}
	/* HUP and errors come in any case, the end of the input does not count */
	sd_event_source_set_io_events(v->source, v->len ? EPOLLOUT : 0);
	return true;
}

static int on_viewer(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	struct viewer *v = arg;

	(void)s;
	(void)fd;
	if (events & (EPOLLHUP | EPOLLERR))
		free_viewer(v);
	else
		send_some(v);
	return 0;
}

/* Whether too much waits for all viewers of a user, or for all like him. */
static bool is_user_behind(const struct viewer_right *right)
{
	size_t of_user = 0, of_others = 0;
	const struct viewer *v;

	for (v = viewers; v; v = v->next) {
		of_user += v->right.uid == right->uid ? v->len : 0;
		of_others += v->right.all ? 0 : v->len;
	}
	return of_user > USER_BUFFER || (!right->all && of_others > OTHERS_BUFFER);
}

/*
 * Send what this viewer may see of an interval, if it is not too slow for that.  What has no room
 * is told as IOs that are in no usage.
 */
static void send_usage(struct viewer *v, const struct usage_list *usage)
{
	struct usage_list interval = *usage;
	char *text = NULL;
	size_t i, len = 0;
	FILE *lines;

	if (v->len || is_user_behind(&v->right)) {
		v->missed++;
		return;
	}
	lines = must(open_memstream(&text, &len));
	for (i = 0; i < usage->nr; i++) {
		if (!viewer_may_see(&v->right, &usage->list[i].key))
			continue;
		if (ftell(lines) < VIEWER_BUFFER)
			feed_put(lines, &usage->list[i]);
		else
			interval.lost_ios += usage->list[i].ios;
	}
	feed_put_interval(lines, &interval, v->missed);
	if (fclose(lines)) {
		free(text);
		return;
	}
	v->missed = 0;
	v->buf = text;
	v->at = 0;
	v->len = len;
	send_some(v);
}

static bool has_place(const struct viewer_right *right)
{
	struct peer_places taken = { 0 };
	const struct viewer *v;

	for (v = viewers; v; v = v->next)
		peer_places_add(&taken, &v->right, right);
	return peer_places_left(&viewers_most, &taken, right);
}

static void add_viewer(int fd)
{
	struct viewer_right right;
	struct viewer *v;

	if (!peer_right(fd, &right) || !has_place(&right)) {
		close(fd);
		return;
	}
	v = must(calloc(1, sizeof(*v)));
	v->fd = fd;
	v->right = right;
	if (sd_event_add_io(loop, &v->source, fd, 0, on_viewer, v) < 0) {
		close(fd);
		free(v);
		return;
	}
	v->next = viewers;
	viewers = v;
	if (last.until_ns)
		send_usage(v, &last);
}

/**
 * viewers_begin - let viewers connect
 * @event: the loop
 * @path:  where the socket is; it lives until viewers_end()
 *
 * Return: 0 or -errno.
 */
int viewers_begin(struct sd_event *event, const char *path)
{
	loop = event;
	return peer_listen(&listener, event, path, add_viewer);
}

/* An interval has ended: send it. */
void viewers_usage(const struct usage_list *usage)
{
	struct viewer *v, *next;

	usage_clear(&last);
	usage_add_list(&last, usage);
	last.from_ns = usage->from_ns;
	last.until_ns = usage->until_ns;
	last.lost_ios = usage->lost_ios;
	for (v = viewers; v; v = next) {
		next = v->next;
		send_usage(v, usage);
	}
}

void viewers_end(void)
{
	while (viewers)
		free_viewer(viewers);
	usage_clear(&last);
	peer_stop(&listener);
}

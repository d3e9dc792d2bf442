// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "feed.h"
#include "feeder.h"
#include "msg.h"

enum {
	FEEDER_ROOM = 128 << 10,	/* twice the longest line */
};

static struct {
	struct feed feed;
	sd_event_source *source;
	int fd;
	char *buf;
	size_t len;
	bool exit_at_end;
	feeder_usage_fn usage;
	void *arg;
} feeder = { .fd = -1 };

static void take_lines(void)
{
	char *at = feeder.buf, *end = feeder.buf + feeder.len, *newline;

	while ((newline = memchr(at, '\n', end - at)) != NULL) {
		switch (feed_line(&feeder.feed, at, newline - at)) {
		case FEED_INTERVAL:
			feeder.usage(&feeder.feed.usage, feeder.arg);
			break;
		case FEED_WRONG:
			msg("line %llu of the feed does not count: %s",
			    (unsigned long long)feeder.feed.line, feeder.feed.wrong);
			break;
		default:
			break;
		}
		at = newline + 1;
	}
	feeder.len = end - at;
	memmove(feeder.buf, at, feeder.len);
	if (feeder.len == FEEDER_ROOM) {
		msg("a line of the feed is too long, and does not count");
		feeder.len = 0;
	}
}

static int end_of_feed(void)
{
	sd_event *event = sd_event_source_get_event(feeder.source);

	if (feeder.len)
		msg("the last line of the feed has no end, and does not count");
	sd_event_source_set_enabled(feeder.source, SD_EVENT_OFF);
	return feeder.exit_at_end ? sd_event_exit(event, 0) : 0;
}

static int read_some(void)
{
	ssize_t n = read(feeder.fd, feeder.buf + feeder.len, FEEDER_ROOM - feeder.len);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n < 0)
		msg("the feed: %s", strerror(errno));
	if (n <= 0)
		return end_of_feed();
	feeder.len += n;
	take_lines();
	return 0;
}

static int on_io(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	(void)s;
	(void)fd;
	(void)events;
	(void)arg;
	return read_some();
}

static int on_turn(sd_event_source *s, void *arg)
{
	(void)s;
	(void)arg;
	return read_some();
}

/**
 * feeder_begin - read a feed in the loop
 * @event: the loop
 * @path:  a file, a pipe, or "-" for stdin
 * @exit_at_end: leave the loop when it ends
 * @usage: called for each interval
 * @arg:   its last argument
 *
 * Return: 0 or -errno.
 */
int feeder_begin(struct sd_event *event, const char *path, bool exit_at_end,
		 feeder_usage_fn usage, void *arg)
{
	int ret;

	feeder.fd = strcmp(path, "-") ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) :
					dup(STDIN_FILENO);
	if (feeder.fd < 0)
		return -errno;
	feeder.buf = must(malloc(FEEDER_ROOM));
	feeder.exit_at_end = exit_at_end;
	feeder.usage = usage;
	feeder.arg = arg;
	ret = sd_event_add_io(event, &feeder.source, feeder.fd, EPOLLIN, on_io, NULL);
	/* a plain file is always ready, and epoll takes none */
	if (ret == -EPERM) {
		ret = sd_event_add_defer(event, &feeder.source, on_turn, NULL);
		if (ret >= 0)
			ret = sd_event_source_set_enabled(feeder.source, SD_EVENT_ON);
	}
	return ret < 0 ? ret : 0;
}

void feeder_end(void)
{
	sd_event_source_unref(feeder.source);
	if (feeder.fd >= 0)
		close(feeder.fd);
	free(feeder.buf);
	feed_end(&feeder.feed);
	memset(&feeder, 0, sizeof(feeder));
	feeder.fd = -1;
}

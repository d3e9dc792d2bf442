// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/epoll.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "dir.h"
#include "metrics_loop.h"
#include "metrics_sum.h"

/* Goes on with an answer in the next turn of the loop, when others had theirs; or NULL */
static struct sd_event_source *again;
/* Where it is served, while the loop runs */
static struct sd_event *metrics_event;

/* What cannot go on now does so with the next interval. */
static void serve(struct metrics *m)
{
	if (metrics_ready(m) && again)
		sd_event_source_set_enabled(again, SD_EVENT_ONESHOT);
}

static int on_again(sd_event_source *source, void *arg)
{
	(void)source;
	serve(arg);
	return 0;
}

static int on_request(sd_event_source *source, int fd, uint32_t events, void *arg)
{
	(void)source;
	(void)fd;
	(void)events;
	serve(arg);
	return 0;
}

/* Serve, unless that is done or cannot be done yet.  Return: 0 or a negative errno of the loop. */
static int begin_serving(struct metrics *m)
{
	int fd, err;

	if (m->http || sd_event_get_state(metrics_event) == SD_EVENT_FINISHED)
		return 0;
	fd = metrics_listen(m);
	if (fd < 0)
		return 0;
	err = sd_event_add_io(metrics_event, NULL, fd, EPOLLIN, on_request, m);
	if (err >= 0)
		err = sd_event_add_defer(metrics_event, &again, on_again, m);
	return err < 0 ? err : 0;
}

/**
 * metrics_begin - make metrics, and serve them in the loop
 * @m:     the metrics, never NULL after that
 * @event: the loop
 * @conf:  what is served, and where
 *
 * That nothing can be served is said and is no error: the rest of the daemon goes on, and it is
 * tried again when an interval ends.
 * Return: 0 or a negative errno of the loop.
 */
int metrics_begin(struct metrics **m, struct sd_event *event, const struct metrics_conf *conf)
{
	*m = metrics_new(conf);
	metrics_measure(*m);
	metrics_event = event;
	return begin_serving(*m);
}

/* Take the module's losses; @there: its files can be read. */
static void read_status(struct metrics *m, bool there)
{
	char *text = there ? dir_read("status") : NULL;

	metrics_status(m, text, sysconf(_SC_PAGESIZE));
	free(text);
}

/* What is to be done once an interval, whatever was done in it. */
static void tell_readers(struct metrics *m)
{
	metrics_textfile(m);
	/* the port may be free by now, or the address there */
	if (begin_serving(m) < 0)
		metrics_close(m);
	/* connections that were idle for long are closed */
	serve(m);
}

/**
 * metrics_interval - an interval has ended
 * @m:      the metrics; NULL does nothing
 * @usage:  its usage
 * @module: whether the usage is the kernel's, and the module's losses are to be read
 */
void metrics_interval(struct metrics *m, const struct usage_list *usage, bool module)
{
	if (!m)
		return;
	metrics_add(m, usage);
	if (module)
		read_status(m, true);
	tell_readers(m);
}

/**
 * metrics_idle - an interval has ended of which nothing is known, or the first one begins
 * @m:    the metrics; NULL does nothing
 * @open: whether the module's files are in use again; else ioblame_up falls to 0
 */
void metrics_idle(struct metrics *m, bool open)
{
	if (!m)
		return;
	read_status(m, open);
	tell_readers(m);
}

/**
 * metrics_finish - after the loop, whose source of events goes with it
 * @m:    the metrics; NULL does nothing
 * @kept: whether the text file stays as it is, to be read later
 */
void metrics_finish(struct metrics *m, bool kept)
{
	if (!m)
		return;
	if (!kept)
		metrics_textfile_end(m);
	again = sd_event_source_disable_unref(again);
	metrics_event = NULL;
	metrics_close(m);
	metrics_free(m);
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "msg.h"
#include "tracefs.h"

enum {
	CPUS_MAX = 4096,
};

static int read_formats(struct tracefs *t, uint32_t kinds)
{
	char name[80], *text = trace_instance_get(&t->instance, "events/header_page");
	unsigned int i, nr = 0;
	bool good = text && ring_parse_format(&t->ring, text);

	free(text);
	for (i = 0; good && i < NR_BLKEVENTS; i++) {
		if (!(kinds & 1U << i))
			continue;
		snprintf(name, sizeof(name), "events/block/%s/format", blkevent_names[i]);
		text = trace_instance_get(&t->instance, name);
		/* a kernel has no event of what it does not do any more */
		if (text && blkevent_parse_format(&t->format[i], text))
			nr++;
		free(text);
	}
	if (nr)
		return EXIT_OK;
	msg("the kernel's block events cannot be read: %s/events/block", t->instance.folder);
	return EXIT_FAILED;
}

static int open_cpus(struct tracefs *t)
{
	char name[64];
	unsigned int i;
	int fd;

	t->fd = must(calloc(CPUS_MAX, sizeof(*t->fd)));
	t->page = must(malloc(t->ring.page));
	for (i = 0; i < CPUS_MAX; i++) {
		snprintf(name, sizeof(name), "per_cpu/cpu%u/trace_pipe_raw", i);
		fd = trace_instance_open(&t->instance, name);
		if (fd < 0 && errno == ENOENT)
			break;
		t->fd[t->nr_cpus++] = fd;
	}
	return t->nr_cpus ? EXIT_OK : EXIT_FAILED;
}

/**
 * tracefs_open - begin to trace block events
 * @t:     the trace
 * @kinds: a bit for each enum blkevent_kind
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int tracefs_open(struct tracefs *t, uint32_t kinds)
{
	char name[80];
	unsigned int i;
	int ret;

	memset(t, 0, sizeof(*t));
	ret = trace_instance_make(&t->instance, "");
	if (!ret)
		ret = read_formats(t, kinds);
	if (!ret)
		ret = open_cpus(t);
	for (i = 0; !ret && i < NR_BLKEVENTS; i++) {
		if (!t->format[i].id)
			continue;
		snprintf(name, sizeof(name), "events/block/%s/enable", blkevent_names[i]);
		if (trace_instance_put(&t->instance, name, "1")) {
			msg("the kernel refuses to trace %s", blkevent_names[i]);
			ret = EXIT_FAILED;
		}
	}
	if (ret)
		tracefs_close(t);
	return ret;
}

struct read_arg {
	const struct tracefs *t;
	unsigned int cpu;
	void (*one)(const struct blkevent *e, void *arg);
	void *arg;
};

static void decode(uint64_t ns, const unsigned char *data, size_t len, void *arg)
{
	const struct read_arg *a = arg;
	struct blkevent e;

	if (!blkevent_decode(&e, a->t->format, data, len))
		return;
	e.ns = ns;
	e.cpu = a->cpu;
	a->one(&e, a->arg);
}

/* Read what is there, without waiting.  The events of one CPU come in order. */
void tracefs_read(struct tracefs *t, void (*one)(const struct blkevent *e, void *arg), void *arg)
{
	struct read_arg a = { .t = t, .one = one, .arg = arg };
	ssize_t n;

	for (a.cpu = 0; a.cpu < t->nr_cpus; a.cpu++) {
		while (t->fd[a.cpu] >= 0) {
			n = read(t->fd[a.cpu], t->page, t->ring.page);
			if (n < 0 && errno == EINTR)
				continue;
			if (n <= 0)
				break;
			if (!ring_each(&t->ring, t->page, n, decode, &a))
				t->broken++;
		}
	}
}

/* No more events come; those that came can be read. */
void tracefs_stop(struct tracefs *t)
{
	if (*t->instance.folder)
		trace_instance_put(&t->instance, "tracing_on", "0");
}

/* How many events had no room in the buffers. */
uint64_t tracefs_lost(const struct tracefs *t)
{
	return trace_instance_lost(&t->instance);
}

/* Remove the instance. */
void tracefs_close(struct tracefs *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_cpus; i++) {
		if (t->fd[i] >= 0)
			close(t->fd[i]);
	}
	free(t->fd);
	free(t->page);
	t->fd = NULL;
	t->page = NULL;
	t->nr_cpus = 0;
	trace_instance_remove(&t->instance);
}

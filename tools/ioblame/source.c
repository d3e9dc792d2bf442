// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "along.h"
#include "clock.h"
#include "dir.h"
#include "escape.h"
#include "intent.h"
#include "msg.h"
#include "recording.h"
#include "source.h"
#include "stream.h"
#include "text.h"

enum {
	READ_BYTES = 256 << 10,
	/* bytes of one CPU in one turn, so that all CPUs are read */
	READ_MOST = 4 << 20,
};

/* What has to be added to CLOCK_MONOTONIC for the time of day. */
static int64_t wall_offset(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (int64_t)(ts.tv_sec * 1000000000ULL + ts.tv_nsec - clock_ns());
}

static struct source_cpu *add_cpu(struct source *s, int fd)
{
	struct source_cpu *cpu;

	s->cpu = must(realloc(s->cpu, (s->nr_cpus + 1) * sizeof(*s->cpu)));
	cpu = &s->cpu[s->nr_cpus++];
	memset(cpu, 0, sizeof(*cpu));
	cpu->fd = fd;
	return cpu;
}

static int open_cpus(struct source *s)
{
	static const char prefix[] = "iolog_bin";
	DIR *dir = opendir(dir_path());
	struct dirent *e;
	uint64_t nr;
	int fd, err = 0;

	while (dir && !err && (e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, prefix, strlen(prefix)) ||
		    !text_parse_u64(e->d_name + strlen(prefix), &nr) ||
		    s->nr_cpus == SOURCE_CPUS)
			continue;
		fd = dir_open(e->d_name, O_RDONLY | O_NONBLOCK);
		if (fd < 0)
			err = errno;
		else
			add_cpu(s, fd);
	}
	if (dir)
		closedir(dir);
	return err ? err : s->nr_cpus ? 0 : ENOENT;
}

/* What is known of a run that begins now on this machine. */
void source_head_now(struct store_head *head)
{
	struct utsname name;

	head->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	head->wall_ns = wall_offset();
	head->start_ns = clock_ns();
	if (uname(&name))
		return;
	escape_text(head->kernel, sizeof(head->kernel), name.release, sizeof(name.release));
	escape_text(head->host, sizeof(head->host), name.nodename, sizeof(name.nodename));
}

/**
 * source_open - open the logs of the running session
 * @s:    the source
 * @text: read the text log: another process reads the binary one
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int source_open(struct source *s, bool text)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->intents = -1;
	if (text)
		add_cpu(s, -1);
	err = text ? along_open(&s->along) : open_cpus(s);
	if (err)
		return dir_refused(err, text ? "iolog" : "iolog_bin0");
	s->kind = text ? SOURCE_TEXT : SOURCE_BINARY;
	s->intents = dir_open("intents", O_RDONLY);
	if (s->intents < 0)
		return dir_refused(errno, "intents");
	source_head_now(&s->head);
	return EXIT_OK;
}

/**
 * source_open_idle - of the running session open all but its logs
 * @s: the source
 *
 * Return: as source_open().
 */
int source_open_idle(struct source *s)
{
	memset(s, 0, sizeof(*s));
	s->kind = SOURCE_BINARY;
	s->intents = dir_open("intents", O_RDONLY);
	if (s->intents < 0)
		return dir_refused(errno, "intents");
	source_head_now(&s->head);
	return EXIT_OK;
}

/**
 * source_open_file - open a recording
 * @s:    the source
 * @path: its path
 *
 * Return: as source_open().
 */
int source_open_file(struct source *s, const char *path)
{
	memset(s, 0, sizeof(*s));
	s->intents = -1;
	s->kind = SOURCE_RECORDING;
	add_cpu(s, -1);
	return recording_open(&s->recording, path, &s->head, &s->cpu[0].stream);
}

/* True if records come from the running session. */
bool source_is_live(const struct source *s)
{
	return s->kind == SOURCE_BINARY || s->kind == SOURCE_TEXT;
}

static void read_cpu(struct source *s, struct source_cpu *cpu)
{
	size_t all = 0;
	ssize_t n;

	while (all < READ_MOST) {
		n = read(cpu->fd, stream_room(&cpu->stream, READ_BYTES), READ_BYTES);
		if (n < 0 && errno == EINTR)
			continue;
		if (!n)
			s->ended = true;
		if (n <= 0)
			break;
		stream_added(&cpu->stream, n);
		all += n;
	}
	s->got += all;
}

/**
 * source_fill - read what is there, without waiting
 * @s:    the source
 * @last: ioblame is off: give out all records
 *
 * Return: false if nothing more will come.
 */
bool source_fill(struct source *s, bool last)
{
	unsigned int i;

	s->got = 0;
	s->at_cpu = 0;
	s->limit_ns = UINT64_MAX;
	switch (s->kind) {
	case SOURCE_RECORDING:
		s->ended = s->ended ||
			   !recording_read(&s->recording, &s->head, &s->cpu[0].stream);
		return !s->ended;
	case SOURCE_TEXT:
		s->ended = !along_read(&s->along, &s->cpu[0].stream, &s->got);
		break;
	default:
		s->limit_ns = clock_ns();
		for (i = 0; i < s->nr_cpus; i++)
			read_cpu(s, &s->cpu[i]);
		if (last || s->ended)
			s->limit_ns = UINT64_MAX;
	}
	if (s->got)
		intent_load(s->intents);
	return !s->ended;
}

/* The next record of what source_fill() read.  Return: false if there is none. */
bool source_next(struct source *s, struct iob_iolog_bin_record *rec)
{
	struct source_cpu *cpu, *first = NULL;
	unsigned int i;

	for (i = s->at_cpu; i < s->nr_cpus; i++) {
		cpu = &s->cpu[i];
		if (!cpu->has_head)
			cpu->has_head = stream_next(&cpu->stream, &cpu->head);
		if (!cpu->has_head || cpu->head.complete_ns > s->limit_ns)
			continue;
		if (!first || cpu->head.complete_ns < first->head.complete_ns)
			first = cpu;
		if (s->unordered) {
			s->at_cpu = i;
			break;
		}
	}
	if (!first) {
		s->at_cpu = 0;
		return false;
	}
	*rec = first->head;
	first->has_head = false;
	return true;
}

/* Read on to the end of a recording.  Return: true if there were more records. */
bool source_skip(struct source *s)
{
	struct iob_iolog_bin_record rec;
	bool more = false;

	do {
		while (source_next(s, &rec))
			more = true;
	} while (source_fill(s, false));
	return more;
}

/*
 * Records, or lines of the text log, that were not understood.  Those of a stream
 * are counted when it is closed.
 */
uint64_t source_dropped(const struct source *s)
{
	return s->dropped + s->along.dropped;
}

void source_close(struct source *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_cpus; i++) {
		if (s->cpu[i].fd >= 0)
			close(s->cpu[i].fd);
		s->dropped += s->cpu[i].stream.unknown + s->cpu[i].stream.broken;
		stream_free(&s->cpu[i].stream);
	}
	store_free_head(&s->head);
	free(s->cpu);
	s->cpu = NULL;
	s->nr_cpus = 0;
	if (source_is_live(s) && s->intents >= 0)
		close(s->intents);
	s->intents = -1;
	if (s->kind == SOURCE_TEXT)
		along_close(&s->along);
	if (s->kind == SOURCE_RECORDING)
		recording_close(&s->recording);
	s->kind = SOURCE_NONE;
}

// SPDX-License-Identifier: GPL-2.0
#include <assert.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "along.h"
#include "clock.h"
#include "dir.h"
#include "escape.h"
#include "file.h"
#include "intent.h"
#include "msg.h"
#include "name.h"
#include "recording.h"
#include "source.h"
#include "status.h"
#include "stream.h"
#include "text.h"

enum {
	/* 1638 records: a module that fills the buffer to its last byte does not cut one */
	READ_BYTES = (256 << 10) / sizeof(struct iob_iolog_bin_record) *
		     sizeof(struct iob_iolog_bin_record),
	/* bytes of one CPU in one turn, so that it ends, whatever times the records have */
	READ_MOST = 4 << 20,
	/* what the module keeps of each CPU: 6500 records */
	LOG_BYTES = 1 << 20,
};

static_assert(READ_BYTES % sizeof(struct iob_iolog_bin_record) == 0, "whole records");
static_assert(SOURCE_BYTES / SOURCE_CPUS > 16 * sizeof(struct iob_iolog_bin_record),
	      "a read is for many records");

/* The log is read as often as this, where there is much */
#define TICK_LEAST	5000000ULL

/* How long ioblamed has to answer: it may be started for that */
#define ANSWER_NS	10000000000ULL

/* How often it is looked for CPUs that have come */
#define LOOK_NS		1000000000ULL

/* What has to be added to a clock for the time of day.  CLOCK_MONOTONIC stops in a suspend. */
static int64_t wall_offset(clockid_t clock)
{
	struct timespec wall, ts;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(clock, &ts);
	return (wall.tv_sec - ts.tv_sec) * 1000000000LL + wall.tv_nsec - ts.tv_nsec;
}

/*
 * The head has another offset to the time of day than before: note until when it had that.  Before
 * the first record that is the beginning.
 */
static void note_wall(struct source *s, int64_t before_ns)
{
	uint64_t until_ns = s->latest_ns ? s->latest_ns : s->head.start_ns;

	if (s->head.wall_ns == before_ns || !before_ns || !until_ns ||
	    (s->nr_walls && s->wall[s->nr_walls - 1].until_ns == until_ns))
		return;
	/* the first one stays: a view's beginning is of it */
	if (s->nr_walls == SOURCE_WALLS)
		memmove(&s->wall[1], &s->wall[2], (--s->nr_walls - 1) * sizeof(s->wall[0]));
	s->wall[s->nr_walls++] = (struct source_wall){
		.until_ns = until_ns, .wall_ns = before_ns,
	};
}

/* What has to be added to a record's time, or one beside it, for the time of day. */
int64_t source_wall_ns(const struct source *s, uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < s->nr_walls; i++) {
		if (ns <= s->wall[i].until_ns)
			return s->wall[i].wall_ns;
	}
	return s->head.wall_ns;
}

/* The clock was set, or the machine was suspended: times of day have another offset from now on. */
static void look_at_clock(struct source *s)
{
	int64_t now_ns = wall_offset(CLOCK_MONOTONIC);

	if (now_ns - s->head.wall_ns > STORE_STEP_NS || s->head.wall_ns - now_ns > STORE_STEP_NS)
		s->head.wall_ns = now_ns;
}

static struct source_cpu *add_cpu(struct source *s, int fd)
{
	struct source_cpu *cpu;

	s->cpu = must(realloc(s->cpu, (s->nr_cpus + 1) * sizeof(*s->cpu)));
	s->merge.head = must(realloc(s->merge.head, (s->nr_cpus + 1) * sizeof(*s->merge.head)));
	cpu = &s->cpu[s->nr_cpus++];
	memset(cpu, 0, sizeof(*cpu));
	cpu->fd = fd;
	return cpu;
}

static bool has_cpu(const struct source *s, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < s->nr_cpus; i++) {
		if (s->cpu[i].nr == nr)
			return true;
	}
	return false;
}

/* Open the log of one CPU.  Its readers share it, so there is one: who has the lock. */
static int open_cpu(struct source *s, const char *name, unsigned int nr)
{
	int fd = dir_open(name, O_RDONLY | O_NONBLOCK), err = EBUSY;

	if (fd < 0)
		return errno;
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return err;
	}
	add_cpu(s, fd)->nr = nr;
	return 0;
}

/* Open the logs that are not open yet.  Return: 0 or an errno: EBUSY if another reads one. */
static int open_cpus(struct source *s)
{
	static const char prefix[] = "iolog_bin";
	DIR *dir = opendir(dir_path());
	struct dirent *e;
	uint64_t nr;
	int err = 0;

	while (dir && !err && (e = readdir(dir)) != NULL) {
		if (strncmp(e->d_name, prefix, strlen(prefix)) ||
		    !text_parse_u64(e->d_name + strlen(prefix), &nr) ||
		    s->nr_cpus == SOURCE_CPUS || has_cpu(s, nr))
			continue;
		err = open_cpu(s, e->d_name, nr);
	}
	if (dir)
		closedir(dir);
	return err ? err : s->nr_cpus ? 0 : ENOENT;
}

/* A CPU that comes has a log from then on: open it, too.  It is looked once a second. */
void source_look_for_cpus(struct source *s)
{
	uint64_t now = clock_ns();
	long online;

	if (s->kind != SOURCE_BINARY || now - s->looked_ns < LOOK_NS)
		return;
	s->looked_ns = now;
	online = sysconf(_SC_NPROCESSORS_ONLN);
	if (online != s->cpus)
		open_cpus(s);
	s->cpus = online;
}

/* systemd hides the kernel's file from ioblamed, and tells it what is in it, without dashes. */
static void set_boot_id(struct store_head *head)
{
	const char *told = getenv("IOBLAME_BOOT_ID");
	char *own = told ? NULL : file_read("/proc/sys/kernel/random/boot_id");
	const char *from = told ? told : own ? own : "";
	size_t len = 0;

	for (; *from && *from != '\n' && len < sizeof(head->boot_id) - 1; from++) {
		if (isxdigit((unsigned char)*from))
			head->boot_id[len++] = *from;
	}
	head->boot_id[len] = '\0';
	free(own);
}

/* What is known of a run that begins now on this machine. */
void source_head_now(struct store_head *head)
{
	struct utsname name;

	head->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	head->wall_ns = wall_offset(CLOCK_MONOTONIC);
	head->boot_ns = wall_offset(CLOCK_BOOTTIME);
	set_boot_id(head);
	head->start_ns = clock_ns();
	if (uname(&name))
		return;
	escape_text(head->kernel, sizeof(head->kernel), name.release, sizeof(name.release));
	escape_text(head->host, sizeof(head->host), name.nodename, sizeof(name.nodename));
}

/**
 * source_open_log - open the binary log of the running session
 * @s: the source
 *
 * Return: 0, or an errno, and it is closed: EBUSY if another process reads it.
 */
int source_open_log(struct source *s)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->kind = SOURCE_BINARY;
	s->intents = -1;
	s->looked_ns = clock_ns();
	s->cpus = sysconf(_SC_NPROCESSORS_ONLN);
	err = open_cpus(s);
	if (!err) {
		s->intents = dir_open("intents", O_RDONLY);
		err = s->intents < 0 ? errno : 0;
	}
	if (err)
		source_close(s);
	else
		source_head_now(&s->head);
	return err;
}

static int open_text(struct source *s)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->intents = -1;
	add_cpu(s, -1);
	err = along_open(&s->along);
	if (err)
		return dir_refused(err, "iolog");
	s->kind = SOURCE_TEXT;
	s->intents = dir_open("intents", O_RDONLY);
	if (s->intents < 0)
		return dir_refused(errno, "intents");
	source_head_now(&s->head);
	return EXIT_OK;
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

	if (text)
		return open_text(s);
	err = source_open_log(s);
	return err ? dir_refused(err, "iolog_bin0") : EXIT_OK;
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
	int ret;

	memset(s, 0, sizeof(*s));
	s->intents = -1;
	s->kind = SOURCE_RECORDING;
	add_cpu(s, -1);
	ret = recording_open(&s->recording, path, &s->head, &s->cpu[0].stream);
	/* it is read up to its first records, and may have had another offset at its beginning */
	note_wall(s, s->recording.begin_wall_ns);
	return ret;
}

/**
 * source_open_served - let ioblamed read the log
 * @s: the source; why it refused is in @s->served.refused
 *
 * From here on, names are those that it sends.
 * Return: 0, or an errno, and it is closed: ENOENT or ECONNREFUSED if it does not run.
 */
int source_open_served(struct source *s)
{
	uint64_t until = clock_ns() + ANSWER_NS;
	int err;

	memset(s, 0, sizeof(*s));
	s->intents = -1;
	err = served_connect(&s->served, "records\n");
	if (err)
		return err;
	s->kind = SOURCE_SERVED;
	add_cpu(s, -1);
	while (!s->served.has_head && source_fill(s, false) && clock_ns() < until)
		served_wait(&s->served, ANSWER_NS);
	if (s->served.has_head)
		name_served();
	return s->served.has_head ? 0 : s->served.refused ? EACCES : ETIMEDOUT;
}

/* True if records come from the running session. */
bool source_is_live(const struct source *s)
{
	return s->kind == SOURCE_BINARY || s->kind == SOURCE_TEXT || s->kind == SOURCE_SERVED;
}

/* The module's status as it is known now, allocated; NULL if it is not. */
char *source_status(const struct source *s)
{
	char *text;

	if (s->kind != SOURCE_SERVED)
		return status_read();
	if (!s->served.after)
		return NULL;
	if (asprintf(&text, "%sloss viewer %llu (%s)\n", s->served.after,
		     (unsigned long long)s->served.lost, SERVED_LOSS) < 0)
		must(NULL);
	return text;
}

static bool read_served(struct source *s)
{
	return served_read(&s->served, &s->recording, &s->head, &s->cpu[0].stream, &s->got);
}

/* What is left, until ioblamed ends it, or is too slow for that. */
static void read_rest(struct source *s)
{
	served_enough(&s->served);
	while (read_served(s) && served_wait(&s->served, ANSWER_NS))
		;
	/* others can go on */
	s->ended = true;
}

/*
 * @new bytes were added to the stream: those of whole records go to @s->raw.  The rest of one waits
 * at the stream's end.  What is no record is dropped and counted.
 */
static void pass_raw(struct source *s, struct source_cpu *cpu, size_t new)
{
	size_t len = cpu->rest + new, whole, gone;
	struct stream *to = &cpu->stream;
	unsigned char *at = to->buf + to->len - len;

	whole = stream_whole(at, len);
	if (s->raw && whole)
		s->raw(cpu->nr, at, whole, s->raw_arg);
	cpu->rest = len - whole;
	gone = s->raw_only ? whole : 0;
	if (stream_is_broken(at + whole, cpu->rest)) {
		to->broken++;
		to->len -= cpu->rest;
		cpu->rest = 0;
	}
	memmove(at, at + gone, whole + cpu->rest - gone);
	to->len -= gone;
}

/* How many bytes of its log a CPU may have here, so that all have SOURCE_BYTES at most. */
static size_t share_bytes(const struct source *s)
{
	const size_t one = sizeof(struct iob_iolog_bin_record);

	/* the stream has room for one byte more */
	return (SOURCE_BYTES / s->nr_cpus - 1) / one * one;
}

/* Those of whole records */
static size_t held_bytes(const struct source_cpu *cpu)
{
	return cpu->stream.len - cpu->stream.off - cpu->rest;
}

/*
 * Read on in the log of a CPU, until it is empty or the CPU has its share.  The rest waits in the
 * module.  Return: false if nothing came.
 */
static bool read_cpu(struct source *s, struct source_cpu *cpu)
{
	size_t share = share_bytes(s), piece = share < READ_BYTES ? share : READ_BYTES, all = 0;
	unsigned char *to;
	ssize_t n;

	while (!cpu->is_read && held_bytes(cpu) + piece <= share) {
		to = stream_room(&cpu->stream, piece);
		n = read(cpu->fd, to, piece);
		if (n < 0 && errno == EINTR)
			continue;
		/* an error: somebody began the next session, and the file of ours is gone */
		if (!n || (n < 0 && errno != EAGAIN))
			s->ended = true;
		cpu->is_read = n <= 0;
		if (n <= 0)
			break;
		stream_added(&cpu->stream, n);
		pass_raw(s, cpu, n);
		all += n;
		cpu->got += n;
		cpu->is_read = cpu->got >= READ_MOST;
	}
	stream_shrink(&cpu->stream);
	s->got += all;
	s->fresh = s->fresh || all;
	return all;
}

/*
 * True if a record of the CPU is known, which is then its head.  If all that was read is given out,
 * the next ones may be in the module: as long as that is not known, no later record of another CPU
 * may be given out.
 */
static bool has_record(struct source *s, struct source_cpu *cpu)
{
	while (!cpu->has_head) {
		cpu->has_head = stream_next(&cpu->stream, &cpu->head);
		if (!cpu->has_head && (s->kind != SOURCE_BINARY || !read_cpu(s, cpu)))
			break;
	}
	return cpu->has_head;
}

/*
 * Begin to read the logs.  What completed until now is in them, so all of it is given out, in
 * order: of each CPU it is read until the log is empty, or a later record comes.
 */
static void read_logs(struct source *s)
{
	unsigned int i;

	s->limit_ns = clock_ns();
	for (i = 0; i < s->nr_cpus; i++) {
		s->cpu[i].is_read = false;
		s->cpu[i].got = 0;
		if (s->raw_only)
			read_cpu(s, &s->cpu[i]);
		else
			has_record(s, &s->cpu[i]);
	}
}

/* The stacks of what was read are known before it is given out. */
static void load_intents(struct source *s)
{
	if (s->fresh)
		intent_load(s->intents);
	s->fresh = false;
}

static bool read_recording(struct source *s)
{
	struct stream *to = &s->cpu[0].stream;

	if (!recording_read(&s->recording, &s->head, to))
		return s->joined && joined_next(s->joined, &s->recording, &s->head, to);
	if (s->joined)
		joined_clock(s->joined, &s->head);
	return true;
}

static bool fill(struct source *s, bool last)
{
	switch (s->kind) {
	case SOURCE_RECORDING:
		s->ended = s->ended || !read_recording(s);
		return !s->ended;
	case SOURCE_SERVED:
		if (last)
			read_rest(s);
		else
			s->ended = !read_served(s);
		return !s->ended;
	case SOURCE_TEXT:
		s->ended = !along_read(&s->along, &s->cpu[0].stream, &s->got);
		s->fresh = s->got;
		break;
	default:
		read_logs(s);
		if (last || s->ended)
			s->limit_ns = UINT64_MAX;
	}
	load_intents(s);
	look_at_clock(s);
	return !s->ended;
}

/**
 * source_fill - read what is there, without waiting
 * @s:    the source
 * @last: ioblame is off: give out all records
 *
 * Of the log that is the first part, for which there is room; source_next() reads on.
 *
 * Return: false if nothing more will come.
 */
bool source_fill(struct source *s, bool last)
{
	int64_t before_ns = s->head.wall_ns;
	bool more;

	s->got = 0;
	s->at_cpu = 0;
	s->merging = false;
	s->limit_ns = UINT64_MAX;
	more = fill(s, last);
	note_wall(s, before_ns);
	return more;
}

/* How long to wait until the next source_fill(), after @tick before this one. */
uint64_t source_tick(const struct source *s, uint64_t tick, uint64_t most)
{
	/* faster when the logs were more than 1/8 full */
	if (s->got > LOG_BYTES / 8 * (uint64_t)s->nr_cpus)
		return tick / 2 > TICK_LEAST ? tick / 2 : TICK_LEAST;
	return tick * 2 < most ? tick * 2 : most;
}

static bool give_head(struct source_cpu *cpu, struct iob_iolog_bin_record *rec)
{
	*rec = cpu->head;
	cpu->has_head = false;
	return true;
}

/* CPU by CPU, and what is read of one at once: so the logs of the others get room, too. */
static bool next_of_any(struct source *s, struct iob_iolog_bin_record *rec)
{
	struct source_cpu *cpu;
	unsigned int none;

	for (none = 0; s->nr_cpus && none <= s->nr_cpus; none++) {
		cpu = &s->cpu[s->at_cpu];
		cpu->has_head = cpu->has_head || stream_next(&cpu->stream, &cpu->head);
		if (cpu->has_head && cpu->head.complete_ns <= s->limit_ns)
			return give_head(cpu, rec);
		if (s->kind == SOURCE_BINARY && !cpu->has_head && read_cpu(s, cpu))
			none = 0;
		s->at_cpu = (s->at_cpu + 1) % s->nr_cpus;
	}
	return false;
}

/* Find which CPU has the first record: anew, or after that of the root was given out. */
static void find_root(struct source *s)
{
	struct merge *m = &s->merge;
	struct source_cpu *cpu;
	unsigned int i;

	if (!s->merging) {
		s->merging = true;
		m->nr = 0;
		for (i = 0; i < s->nr_cpus; i++) {
			if (has_record(s, &s->cpu[i]))
				merge_add(m, i, s->cpu[i].head.complete_ns);
		}
	}
	cpu = m->nr ? &s->cpu[m->head[0].cpu] : NULL;
	if (!cpu || cpu->has_head)
		return;
	if (has_record(s, cpu))
		merge_renew(m, cpu->head.complete_ns);
	else
		merge_drop(m);
}

static bool next_in_order(struct source *s, struct iob_iolog_bin_record *rec)
{
	find_root(s);
	return s->merge.nr && s->merge.head[0].at <= s->limit_ns &&
	       give_head(&s->cpu[s->merge.head[0].cpu], rec);
}

static bool next_record(struct source *s, struct iob_iolog_bin_record *rec)
{
	bool more = s->unordered ? next_of_any(s, rec) : next_in_order(s, rec);

	load_intents(s);
	return more;
}

/* Read on to the first record that is asked for, which stays. */
static void find_first(struct source *s)
{
	struct source_cpu *cpu = &s->cpu[0];

	s->merging = false;
	while (!s->ended) {
		while (stream_next(&cpu->stream, &cpu->head)) {
			cpu->has_head = joined_takes(s->joined, &cpu->head);
			if (cpu->has_head) {
				/* source_fill() gives out what is read before it reads on */
				s->recording.ahead = true;
				return;
			}
		}
		s->ended = !read_recording(s);
	}
}

/**
 * source_join - go on with the recordings that follow the open one
 * @s: the source
 * @k: the recordings: only records of the time that is asked for are given
 *
 * Recordings without such a record are over before that time, or are of disks without IO then.  The
 * source's head says when what is given begins.
 * Return: as joined_start().
 */
int source_join(struct source *s, struct joined *k)
{
	joined_begin(k, &s->recording, &s->head);
	s->joined = k;
	/* joined_start() gives the beginning with the offset of the first record */
	s->nr_walls = 0;
	find_first(s);
	return joined_start(k, &s->head, s->cpu[0].has_head);
}

/*
 * The next record of what was there at source_fill().  Return: false if there is none.  Until then
 * it reads on in the log.
 */
bool source_next(struct source *s, struct iob_iolog_bin_record *rec)
{
	while (next_record(s, rec)) {
		if (s->joined && !joined_takes(s->joined, rec))
			continue;
		if (s->latest_ns < rec->complete_ns)
			s->latest_ns = rec->complete_ns;
		return true;
	}
	return false;
}

/*
 * Read on to the end of a recording, or until @stop says so.  Return: true if there were more
 * records.
 */
bool source_skip(struct source *s, bool (*stop)(void))
{
	struct iob_iolog_bin_record rec;
	bool more = false;

	do {
		while (source_next(s, &rec))
			more = true;
	} while (!stop() && source_fill(s, false));
	return more;
}

/* Records, or lines of the text log, that were not understood until now. */
uint64_t source_dropped(const struct source *s)
{
	uint64_t nr = s->dropped + s->along.dropped;
	unsigned int i;

	for (i = 0; i < s->nr_cpus; i++)
		nr += s->cpu[i].stream.unknown + s->cpu[i].stream.broken;
	return nr;
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
	free(s->merge.head);
	s->cpu = NULL;
	s->nr_cpus = 0;
	memset(&s->merge, 0, sizeof(s->merge));
	if (source_is_live(s) && s->intents >= 0)
		close(s->intents);
	s->intents = -1;
	if (s->kind == SOURCE_TEXT)
		along_close(&s->along);
	if (s->kind == SOURCE_RECORDING)
		recording_close(&s->recording);
	if (s->kind == SOURCE_SERVED)
		served_close(&s->served);
	s->kind = SOURCE_NONE;
}

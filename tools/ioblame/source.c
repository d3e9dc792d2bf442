// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "device.h"
#include "dir.h"
#include "escape.h"
#include "intent.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "rec.h"
#include "source.h"
#include "status.h"
#include "stop.h"
#include "store.h"
#include "stream.h"
#include "text.h"
#include "textlog.h"

enum {
	READ_BYTES = 256 << 10,
	/* tasks whose process and cgroup are remembered */
	ROLES_MAX = 16384,
	/* of a CPU at a time: others want to be read, too */
	READ_MOST = 4 << 20,
};

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

/* What lies in it already is not of our time. */
static int open_text(struct source *s)
{
	static char old[64 << 10];

	s->text = dir_open("iolog", O_RDONLY | O_NONBLOCK);
	if (s->text < 0)
		return errno;
	while (read(s->text, old, sizeof(old)) > 0 && !stop_asked())
		;
	add_cpu(s, -1);
	return 0;
}

/**
 * source_open - read the running session
 * @s:    gets it
 * @text: by its text log, as another reads the binary one
 *
 * Return: EXIT_OK, or the exit status, and why was said.
 */
int source_open(struct source *s, bool text)
{
	struct utsname name;
	int err;

	memset(s, 0, sizeof(*s));
	s->live = true;
	s->text = -1;
	err = text ? open_text(s) : open_cpus(s);
	if (err)
		return dir_refused(err, text ? "iolog" : "iolog_bin0");
	s->intents = dir_open("intents", O_RDONLY);
	if (s->intents < 0)
		return dir_refused(errno, "intents");
	s->wall_ns = wall_offset();
	s->start_ns = clock_ns();
	if (!uname(&name))
		snprintf(s->kernel, sizeof(s->kernel), "%s", name.release);
	return EXIT_OK;
}

static void parse_head(struct source *s, const char *text)
{
	const char *line = text;
	size_t len;

	for (; *line; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		if (!strncmp(line, "wall_ns ", 8))
			s->wall_ns = strtoll(line + 8, NULL, 10);
		else if (!strncmp(line, "start_ns ", 9))
			s->start_ns = strtoull(line + 9, NULL, 10);
		else if (!strncmp(line, "kernel ", 7))
			escape_text(s->kernel, sizeof(s->kernel), line + 7, len - 7);
	}
}

/* Chunks up to the next records. */
static bool read_file(struct source *s)
{
	struct store_chunk chunk;
	struct name_key key;
	enum store_got got;
	char *data;

	while ((got = store_read(s->file, &chunk, &data)) == STORE_CHUNK) {
		switch (chunk.type) {
		case STORE_HEAD:
			parse_head(s, data);
			break;
		case STORE_INTENT:
			intent_parse(data);
			break;
		case STORE_NAME:
			if (chunk.len <= sizeof(key))
				break;
			memcpy(&key, data, sizeof(key));
			name_put(&key, data + sizeof(key));
			break;
		case STORE_STATUS_BEFORE:
			status_parse(&s->before, data);
			break;
		case STORE_STATUS_AFTER:
			status_parse(&s->after, data);
			s->has_status = true;
			break;
		case STORE_RECORDS:
			memcpy(stream_room(&s->cpu[0].stream, chunk.len), data, chunk.len);
			stream_added(&s->cpu[0].stream, chunk.len);
			s->got = chunk.len;
			free(data);
			return true;
		}
		free(data);
	}
	s->torn = got == STORE_TORN || !s->has_status;
	s->ended = true;
	return false;
}

/**
 * source_open_file - read a recording
 * @s:    gets it
 * @path: of the file
 *
 * Return: as source_open().
 */
int source_open_file(struct source *s, const char *path)
{
	char *name = must(escape_dup(path, strlen(path)));
	int ret = EXIT_OK;

	memset(s, 0, sizeof(*s));
	s->intents = -1;
	s->text = -1;
	s->path = name;
	s->file = fopen(path, "re");
	if (!s->file) {
		msg("%s: %s", name, strerror(errno));
		ret = EXIT_FAILED;
	} else if (store_open(s->file) != STORE_CHUNK) {
		msg("%s is no recording of this command: make one by ioblame record -o FILE",
		    name);
		ret = EXIT_FAILED;
	}
	name_offline();
	add_cpu(s, -1);
	/* up to the first records: its head is there, then */
	if (!ret)
		s->ahead = read_file(s);
	return ret;
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

/* What the text log does not say of a task. */
static void fill_role(struct iob_iolog_bin_record *rec)
{
	static struct map roles = { .key_len = sizeof(uint32_t) };
	struct role {
		uint32_t pid, tgid;
		uint64_t cgroup;
	} *role;
	char *text, *line, *rest;
	unsigned int pid, tgid;
	unsigned long long cgroup;

	if (rec->role_kind != ROLE_THREAD)
		return;
	role = map_get(&roles, &rec->pid);
	if (!role && roles.nr >= ROLES_MAX)
		map_clear(&roles, free);
	text = role ? NULL : dir_read("roles");
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%*d %u %u %*s %llu", &pid, &tgid, &cgroup) != 3 ||
		    map_get(&roles, &pid))
			continue;
		role = must(calloc(1, sizeof(*role)));
		role->pid = pid;
		role->tgid = tgid;
		role->cgroup = cgroup;
		map_put(&roles, role);
	}
	free(text);
	role = map_get(&roles, &rec->pid);
	if (!role) {
		/* gone already: do not look again for each of its IOs */
		role = must(calloc(1, sizeof(*role)));
		role->pid = rec->pid;
		role->tgid = rec->pid;
		map_put(&roles, role);
	}
	rec->tgid = role->tgid;
	rec->cgroup = role->cgroup;
}

static void emit_text(struct source *s)
{
	struct stream *stream = &s->cpu[0].stream;
	struct device d;

	if (!s->entry.pending)
		return;
	s->entry.pending = false;
	fill_role(&s->entry.rec);
	if (strcmp(s->entry.disk, s->entry_disk.name) &&
	    device_lookup(s->entry.disk, &d))
		s->entry_disk = d;
	s->entry.rec.disk = s->entry_disk.dev;
	memcpy(stream_room(stream, sizeof(s->entry.rec)), &s->entry.rec, sizeof(s->entry.rec));
	stream_added(stream, sizeof(s->entry.rec));
}

/* Whole lines out of what was read; the rest stays. */
static void parse_text(struct source *s, struct stream *raw)
{
	unsigned char *newline;
	const char *line;
	size_t len;

	while ((newline = memchr(raw->buf + raw->off, '\n', raw->len - raw->off)) != NULL) {
		line = (const char *)raw->buf + raw->off;
		*newline = '\0';
		len = newline - raw->buf - raw->off;
		raw->off += len + 1;
		if (line[0] != ' ') {
			emit_text(s);
			if (!textlog_head(&s->entry, line, len, clock_ns()))
				s->dropped++;
		} else if (line[2] == '#') {
			textlog_intent(&s->entry, line);
		}
	}
}

static void read_text(struct source *s)
{
	ssize_t n;

	do {
		n = read(s->text, stream_room(&s->raw, READ_BYTES), READ_BYTES);
		if (n <= 0)
			break;
		stream_added(&s->raw, n);
		s->got += n;
		parse_text(s, &s->raw);
	} while (s->got < READ_MOST);
	/* the module gives whole entries: nothing follows the last one */
	if (n <= 0)
		emit_text(s);
	s->ended = !n;
}

/**
 * source_fill - take in what has come
 * @s:    the source
 * @last: nothing will come: give out all there is
 *
 * Never waits.  Return: false if there is nothing more to come.
 */
bool source_fill(struct source *s, bool last)
{
	unsigned int i;

	s->got = 0;
	s->at_cpu = 0;
	if (!s->live) {
		s->limit_ns = UINT64_MAX;
		if (s->ahead) {
			s->ahead = false;
			return true;
		}
		return !s->ended && read_file(s);
	}
	s->limit_ns = clock_ns();
	if (s->text >= 0)
		read_text(s);
	for (i = 0; i < s->nr_cpus && s->text < 0; i++)
		read_cpu(s, &s->cpu[i]);
	if (last || s->ended || s->text >= 0)
		s->limit_ns = UINT64_MAX;
	if (s->got)
		intent_load(s->intents);
	return !s->ended;
}

/* The next record of what was filled in, of all CPUs by time. */
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

void source_close(struct source *s)
{
	unsigned int i;

	for (i = 0; i < s->nr_cpus; i++) {
		if (s->cpu[i].fd >= 0)
			close(s->cpu[i].fd);
		s->dropped += s->cpu[i].stream.unknown + s->cpu[i].stream.broken;
		stream_free(&s->cpu[i].stream);
	}
	free(s->cpu);
	s->cpu = NULL;
	s->nr_cpus = 0;
	if (s->live && s->intents >= 0)
		close(s->intents);
	s->intents = -1;
	if (s->live && s->text >= 0)
		close(s->text);
	s->text = -1;
	stream_free(&s->raw);
	if (s->file)
		fclose(s->file);
	s->file = NULL;
	free(s->path);
	s->path = NULL;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "along.h"
#include "clock.h"
#include "device.h"
#include "dir.h"
#include "map.h"
#include "msg.h"
#include "rec.h"
#include "stop.h"
#include "stream.h"
#include "textlog.h"

enum {
	READ_BYTES = 256 << 10,
	/* bytes of one reading: the view goes on in between */
	READ_MOST = 4 << 20,
	/* tasks whose process and cgroup are remembered: as many as max_roles can be */
	ROLES_MAX = 262144,
	/* `roles` is read anew after this time, but for one part in 50 of the time at most .. */
	ROLES_NS = 1000000000,
	ROLES_PART = 50,
	/* .. with so much in advance, for new tasks, whose first IO would have no process */
	ROLES_ADVANCE_NS = 100000000,
};

/* A line of `roles`: what a task was under a name */
struct role {
	struct role_key {
		uint32_t pid;
		char comm[IOB_COMM_LEN];
	} key;
	uint32_t tgid;
	uint64_t cgroup;
	bool alive;
};

/* What was read of `roles` */
static struct {
	struct map map;
	uint64_t cleared_at;
	uint64_t took;		/* the last reading */
	uint64_t paid_at;	/* when all readings are one part in ROLES_PART of the time */
} roles = { .map.key_len = sizeof(struct role_key) };

/* Open the text log, and drop the entries that are in it.  Return: 0 or an errno. */
int along_open(struct along *a)
{
	static char old[64 << 10];

	memset(a, 0, sizeof(*a));
	a->fd = dir_open("iolog", O_RDONLY | O_NONBLOCK);
	if (a->fd < 0)
		return errno;
	while (read(a->fd, old, sizeof(old)) > 0 && !stop_asked())
		;
	return 0;
}

/*
 * A task that was moved has several lines: the one in which it acts now counts.  What finds no room
 * is not remembered.
 */
static void note_role(const struct role_key *key, uint32_t tgid, uint64_t cgroup, bool alive)
{
	struct role *role = map_get(&roles.map, key);

	if (role ? role->alive && !alive : roles.map.nr >= ROLES_MAX)
		return;
	if (!role) {
		role = must(calloc(1, sizeof(*role)));
		role->key = *key;
		map_put(&roles.map, role);
	}
	role->tgid = tgid;
	role->cgroup = cgroup;
	role->alive = alive;
}

static void parse_roles(char *text)
{
	char *line, *rest, comm[128], state[16];
	unsigned long long cgroup;
	struct role_key key;
	unsigned int tgid;
	int id;

	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%d %*s %u %127s %llu %15s", &id, &tgid, comm, &cgroup,
			   state) != 5)
			continue;
		key.pid = id;
		textlog_unescape(key.comm, sizeof(key.comm), comm, strlen(comm));
		note_role(&key, tgid, cgroup, !strcmp(state, "alive"));
	}
}

static void read_roles(uint64_t now)
{
	char *text = dir_read("roles");

	parse_roles(text);
	free(text);
	roles.took = clock_ns() - now;
	if (roles.paid_at < now)
		roles.paid_at = now;
	roles.paid_at += ROLES_PART * roles.took;
}

static void clear_roles(uint64_t now)
{
	map_clear(&roles.map, free);
	roles.cleared_at = now;
}

/* The role of a task, or NULL if it is not in `roles` or that was read too often. */
static const struct role *find_role(const struct role_key *key)
{
	uint64_t now = clock_ns();
	bool due = now - roles.cleared_at > ROLES_NS + ROLES_PART * roles.took;
	const struct role *role;

	/* the task may have been moved, the pid be another task's */
	if (due)
		clear_roles(now);
	role = map_get(&roles.map, key);
	if (role || (!due && roles.paid_at > now + ROLES_PART * (uint64_t)ROLES_ADVANCE_NS))
		return role;
	if (roles.map.nr >= ROLES_MAX)
		clear_roles(now);
	read_roles(now);
	role = map_get(&roles.map, key);
	/* the task is gone: remember that, or each of its IOs would read the file */
	if (!role)
		note_role(key, key->pid, 0, false);
	return role;
}

/* Process and cgroup of a thread: text files lack them, the file `roles` has them. */
void along_add_role(struct iob_iolog_bin_record *rec)
{
	const struct role *role;
	struct role_key key;

	if (rec->role_kind != ROLE_THREAD)
		return;
	key.pid = rec->pid;
	memcpy(key.comm, rec->comm, sizeof(key.comm));
	role = find_role(&key);
	rec->tgid = role ? role->tgid : rec->pid;
	rec->cgroup = role ? role->cgroup : 0;
}

static void append_entry(struct along *a, struct stream *to)
{
	struct device d;

	if (!a->entry.pending)
		return;
	a->entry.pending = false;
	along_add_role(&a->entry.rec);
	if (strcmp(a->entry.disk, a->disk.name) &&
	    device_lookup(a->entry.disk, &d))
		a->disk = d;
	a->entry.rec.disk = a->disk.dev;
	memcpy(stream_room(to, sizeof(a->entry.rec)), &a->entry.rec,
	       sizeof(a->entry.rec));
	stream_added(to, sizeof(a->entry.rec));
}

/* Parse the whole lines that were read; a part of a line stays. */
static void parse_lines(struct along *a, struct stream *to)
{
	struct stream *raw = &a->raw;
	unsigned char *newline;
	const char *line;
	size_t len;

	while ((newline = memchr(raw->buf + raw->off, '\n', raw->len - raw->off)) != NULL) {
		line = (const char *)raw->buf + raw->off;
		*newline = '\0';
		len = newline - raw->buf - raw->off;
		raw->off += len + 1;
		if (line[0] != ' ') {
			append_entry(a, to);
			if (!textlog_head(&a->entry, line, len, clock_ns()))
				a->dropped++;
		} else if (line[2] == '#') {
			textlog_intent(&a->entry, line);
		}
	}
}

/**
 * along_read - read what is in the text log
 * @a:  the text log
 * @to: records are appended
 * @got: increased by the bytes that were read
 *
 * Return: false if ioblame was switched off.
 */
bool along_read(struct along *a, struct stream *to, uint64_t *got)
{
	uint64_t all = 0;
	ssize_t n;

	do {
		n = read(a->fd, stream_room(&a->raw, READ_BYTES), READ_BYTES);
		if (n <= 0)
			break;
		stream_added(&a->raw, n);
		all += n;
		parse_lines(a, to);
	} while (all < READ_MOST && !stop_asked());
	/* the module gives whole entries: the last one is complete */
	if (n <= 0)
		append_entry(a, to);
	*got += all;
	return n;
}

void along_close(struct along *a)
{
	close(a->fd);
	stream_free(&a->raw);
}

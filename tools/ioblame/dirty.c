// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dirty.h"
#include "msg.h"
#include "name.h"
#include "rec.h"
#include "stop.h"
#include "textlog.h"

enum {
	READ_BYTES = 1 << 20,
};

static bool has_key(const char *word, const char *key, const char **value)
{
	size_t n = strlen(key);

	if (strncmp(word, key, n) || word[n] != '=')
		return false;
	*value = word + n + 1;
	return true;
}

/* The place of a word in a list of names, @nr if it is not in it. */
static unsigned int place_of(const char *value, size_t len, const char *(*name)(unsigned int),
			     unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (strlen(name(i)) == len && !strncmp(name(i), value, len))
			break;
	}
	return i;
}

static void parse_word(struct dirty_row *row, const char *word, size_t len)
{
	struct dirty_key *key = &row->key;
	const char *value;

	if (has_key(word, "dirty", &value)) {
		row->dirty = strtoull(value, NULL, 10);
	} else if (has_key(word, "writeback", &value)) {
		row->writeback = strtoull(value, NULL, 10);
	} else if (has_key(word, "cancelled", &value)) {
		row->cancelled = strtoull(value, NULL, 10);
		key->cancelled = 1;
	} else if (has_key(word, "oldest", &value)) {
		row->oldest_ns = strtoull(value, NULL, 10);
	} else if (has_key(word, "how", &value)) {
		row->how = place_of(value, len - 4, rec_how_name, IOB_NR_HOWS);
	} else if (has_key(word, "dev", &value)) {
		key->dev = strtoul(value, NULL, 16);
	} else if (has_key(word, "ino", &value)) {
		key->ino = strtoull(value, NULL, 16);
	} else if (has_key(word, "gen", &value)) {
		key->gen = strtoul(value, NULL, 16);
	} else if (has_key(word, "role", &value)) {
		key->kind = place_of(value, len - 5, rec_role_name, NR_ROLES);
	} else if (has_key(word, "id", &value)) {
		key->id = strtoull(value, NULL, 10);
	} else if (has_key(word, "tgid", &value)) {
		key->tgid = strtoul(value, NULL, 10);
	} else if (has_key(word, "cgroup", &value)) {
		key->cgroup = strtoull(value, NULL, 10);
	} else if (has_key(word, "comm", &value)) {
		textlog_unescape(key->comm, sizeof(key->comm), value, len - 5);
	}
}

/**
 * dirty_parse - parse a line
 * @row:  gets what it says
 * @line: ends with NUL or a newline
 *
 * Return: false if it is no line of this file.
 */
bool dirty_parse(struct dirty_row *row, const char *line)
{
	size_t len;

	memset(row, 0, sizeof(*row));
	row->key.kind = NR_ROLES;
	row->how = IOB_HOW_EXACT;
	if (strncmp(line, "dirty=", 6) && strncmp(line, "cancelled=", 10))
		return false;
	for (; *line && *line != '\n'; line += len + (line[len] == ' ')) {
		len = strcspn(line, " \n");
		parse_word(row, line, len);
	}
	row->key.known = row->key.kind < ROLE_SPECIAL;
	return row->key.kind < NR_ROLES;
}

/* Add a row to the one with its key. */
void dirty_add(struct dirty *d, const struct dirty_row *row)
{
	struct dirty_row *sum;

	d->rows.key_len = sizeof(row->key);
	sum = map_get(&d->rows, &row->key);
	if (!sum) {
		sum = must(malloc(sizeof(*sum)));
		*sum = *row;
		map_put(&d->rows, sum);
		return;
	}
	sum->dirty += row->dirty;
	sum->writeback += row->writeback;
	sum->cancelled += row->cancelled;
	if (row->how > sum->how)
		sum->how = row->how;
	if (row->oldest_ns && (!sum->oldest_ns || row->oldest_ns < sum->oldest_ns))
		sum->oldest_ns = row->oldest_ns;
}

/* Parse the whole lines of a text.  Return: bytes of them. */
static size_t take_lines(struct dirty *d, char *text, size_t len,
			 bool (*takes)(struct dirty_row *row, const void *arg), const void *arg)
{
	struct dirty_row row;
	size_t at = 0;
	char *end;

	while ((end = memchr(text + at, '\n', len - at)) != NULL) {
		*end = '\0';
		if (!dirty_parse(&row, text + at))
			d->broken++;
		else if (takes(&row, arg))
			dirty_add(d, &row);
		at = end + 1 - text;
	}
	return at;
}

/**
 * dirty_read - add up the module's file
 * @d:     gets the rows, besides those that it has
 * @fd:    the file
 * @takes: whether a row counts; may change its key
 * @arg:   of @takes
 *
 * Return: 0 or an errno; EINTR if the user ended it.
 */
int dirty_read(struct dirty *d, int fd, bool (*takes)(struct dirty_row *row, const void *arg),
	       const void *arg)
{
	char *text = must(malloc(READ_BYTES));
	size_t len = 0, used;
	ssize_t n = 1;
	int err = 0;

	while (!err && n) {
		/* a line is shorter than the buffer, or it is none */
		if (len == READ_BYTES) {
			d->broken++;
			len = 0;
		}
		n = read(fd, text + len, READ_BYTES - len);
		if (n < 0 && (errno != EINTR || stop_asked()))
			err = errno;
		if (n < 0)
			continue;
		len += n;
		used = take_lines(d, text, len, takes, arg);
		/* filters look up names, and drop what none has room for */
		name_tidy();
		memmove(text, text + used, len - used);
		len -= used;
	}
	free(text);
	return err;
}

static uint64_t pages_of(const struct dirty_row *row)
{
	return row->dirty + row->writeback + row->cancelled;
}

static int compare_bytes(const void *x, const void *y)
{
	const struct dirty_row *a = *(struct dirty_row * const *)x;
	const struct dirty_row *b = *(struct dirty_row * const *)y;

	if (pages_of(a) != pages_of(b))
		return pages_of(a) < pages_of(b) ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

/* The oldest first; behind them those whose time is not known. */
static int compare_age(const void *x, const void *y)
{
	const struct dirty_row *a = *(struct dirty_row * const *)x;
	const struct dirty_row *b = *(struct dirty_row * const *)y;

	if (a->oldest_ns != b->oldest_ns)
		return a->oldest_ns - 1 < b->oldest_ns - 1 ? -1 : 1;
	return compare_bytes(x, y);
}

/**
 * dirty_sorted - the rows in the order in which they are shown
 * @d:        the rows
 * @by_bytes: the largest first, else the oldest
 * @sorted:   gets the list, allocated
 *
 * Return: how many.
 */
size_t dirty_sorted(const struct dirty *d, bool by_bytes, struct dirty_row ***sorted)
{
	struct dirty_row *row;
	size_t i, nr = 0;

	*sorted = must(malloc((d->rows.nr + 1) * sizeof(**sorted)));
	map_for_each(&d->rows, i, row)
		(*sorted)[nr++] = row;
	qsort(*sorted, nr, sizeof(**sorted), by_bytes ? compare_bytes : compare_age);
	return nr;
}

/* Leave of a key what a row stands for; of a process the name and the cgroup, too: dirty_join(). */
void dirty_narrow(struct dirty_key *key, enum pivot by)
{
	const struct dirty_key was = *key;

	if (by == BY_PROCESS) {
		if (was.kind == ROLE_THREAD) {
			key->kind = ROLE_PROCESS;
			key->id = was.tgid ? was.tgid : was.id;
		}
	} else {
		memset(key, 0, sizeof(*key));
		key->kind = ROLE_SPECIAL;
		key->cancelled = was.cancelled;
	}
	key->dev = by == BY_FILE || by == BY_DEVICE ? was.dev : 0;
	key->ino = by == BY_FILE ? was.ino : 0;
	key->gen = by == BY_FILE ? was.gen : 0;
	if (by == BY_CGROUP)
		key->cgroup = was.cgroup;
}

/* The largest row of a process */
struct leader {
	struct dirty_key key;	/* of all its rows */
	const struct dirty_row *row;
};

static const struct dirty_key *find_leader(struct map *leaders, const struct dirty_row *row)
{
	struct dirty_key key = row->key;
	struct leader *leader;

	memset(key.comm, 0, sizeof(key.comm));
	if (key.kind != ROLE_CGROUP)
		key.cgroup = 0;
	leader = map_get(leaders, &key);
	if (!leader) {
		leader = must(calloc(1, sizeof(*leader)));
		leader->key = key;
		leader->row = row;
		map_put(leaders, leader);
	}
	return &leader->row->key;
}

/* Make one row of each process, with the name and the cgroup of most of its pages. */
void dirty_join(struct dirty *d)
{
	struct map leaders = { .key_len = sizeof(struct dirty_key) };
	struct dirty joined = { .broken = d->broken };
	struct dirty_row **rows, row;
	size_t i, nr = dirty_sorted(d, true, &rows);

	for (i = 0; i < nr; i++) {
		row = *rows[i];
		row.key = *find_leader(&leaders, rows[i]);
		dirty_add(&joined, &row);
	}
	map_clear(&leaders, free);
	free(rows);
	dirty_clear(d);
	*d = joined;
}

void dirty_clear(struct dirty *d)
{
	map_clear(&d->rows, free);
	memset(d, 0, sizeof(*d));
}

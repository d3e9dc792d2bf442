// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "escape.h"
#include "intent.h"
#include "joined.h"
#include "moment_file.h"
#include "msg.h"
#include "since.h"
#include "status.h"

#define SECOND	1000000000LL

/* How far from its moment a recording may reach: Before=, and After= of several (ioblamed.8) */
#define REACH	(2 * 60 * SECOND)
/* How far behind its last moment it may: After= */
#define REACH_BEHIND	(60 * SECOND)
/* Clocks are set a little, and another boot is not as near to the one before */
#define SAME_BOOT	(5 * SECOND)

static int refuse(int err, const char *path)
{
	char *folder = must(escape_dup(path, strlen(path)));

	switch (err) {
	case EACCES:
		msg("%s: root and members of the group ioblame may read it", folder);
		break;
	case ENOENT:
		msg("there is no %s: ioblamed has kept no records; see: systemctl status ioblamed",
		    folder);
		break;
	default:
		msg("%s: %s", folder, strerror(err));
	}
	free(folder);
	return EXIT_FAILED;
}

static int say_none(const struct joined *k)
{
	char from[32], until[32];

	since_text(k->since_ns, from, sizeof(from));
	since_text(k->until_ns, until, sizeof(until));
	msg("no records are kept of this time; moments that stood out: ioblame when --since '%s'; sums: ioblame report --since '%s' --until '%s'",
	    from, from, until);
	return EXIT_FAILED;
}

/* A recording of several moments has several names.  Return: which it is; @nr for another one. */
static size_t find_seen(const struct stat *seen, size_t nr, const struct stat *st)
{
	size_t i;

	for (i = 0; i < nr && (seen[i].st_ino != st->st_ino || seen[i].st_dev != st->st_dev); i++)
		;
	return i;
}

/* It is written until it ends; one that was copied is newer. */
static int64_t end_of(const struct stat *st, int64_t moment_ns)
{
	int64_t written_ns = st->st_mtim.tv_sec * SECOND + st->st_mtim.tv_nsec;

	if (written_ns < moment_ns)
		return moment_ns;
	return written_ns < moment_ns + REACH_BEHIND ? written_ns : moment_ns + REACH_BEHIND;
}

/* Moments come by time.  @seen: of the recordings that are there already */
static void add_moment(struct joined *k, struct stat *seen, char *path, int64_t at_ns)
{
	struct stat st;
	size_t i;

	if (stat(path, &st)) {
		free(path);
		return;
	}
	i = find_seen(seen, k->nr, &st);
	k->end_ns[i] = end_of(&st, at_ns);
	if (i < k->nr) {
		free(path);
		return;
	}
	seen[i] = st;
	k->path[i] = path;
	k->nr++;
}

/* When a recording begins: its first chunk says so.  @moment_ns if it does not. */
static int64_t begin_of(const char *path, int64_t moment_ns)
{
	struct store_head head = { 0 };
	struct store_chunk chunk;
	FILE *f = fopen(path, "re");
	char *data = NULL;

	if (f && store_open(f) == STORE_CHUNK && store_read(f, &chunk, &data) == STORE_CHUNK &&
	    chunk.type == STORE_HEAD)
		store_parse_head(&head, data);
	free(data);
	store_free_head(&head);
	if (f)
		fclose(f);
	return head.start_ns ? (int64_t)(head.start_ns + head.wall_ns) : moment_ns;
}

/**
 * joined_find - find the recordings of a stretch of time
 * @k:	      gets them, to be freed if there are any
 * @folder:   where ioblamed keeps them
 * @since_ns: CLOCK_REALTIME
 * @until_ns: the same
 *
 * One that is near is among them; joined_takes() looks at each record.
 * Return: EXIT_OK, or another status after a message: also if there is none.
 */
int joined_find(struct joined *k, const char *folder, int64_t since_ns, int64_t until_ns)
{
	struct moment_files files;
	struct stat *seen;
	int64_t at_ns;
	char *path;
	size_t i;
	int err = moment_files_read(&files, folder);

	memset(k, 0, sizeof(*k));
	k->since_ns = since_ns;
	k->until_ns = until_ns;
	if (err)
		return refuse(err, folder);
	k->path = must(calloc(files.nr + 1, sizeof(*k->path)));
	k->end_ns = must(calloc(files.nr + 1, sizeof(*k->end_ns)));
	seen = must(calloc(files.nr + 1, sizeof(*seen)));
	for (i = 0; i < files.nr; i++) {
		at_ns = files.list[i].at_ns;
		if (at_ns < since_ns - REACH)
			continue;
		if (asprintf(&path, "%s/%s", folder, files.list[i].name) < 0)
			path = must(NULL);
		/* a recording may begin before a long sleep; those behind it begin later */
		if (at_ns > until_ns + REACH && begin_of(path, at_ns) > until_ns) {
			free(path);
			break;
		}
		add_moment(k, seen, path, at_ns);
	}
	free(seen);
	moment_files_free(&files);
	if (k->nr)
		return EXIT_OK;
	joined_free(k);
	return say_none(k);
}

/* A time of day on the clock of the records that follow @head. */
static uint64_t clock_of(int64_t day_ns, const struct store_head *head)
{
	return day_ns > head->wall_ns ? day_ns - head->wall_ns : 0;
}

/* What is asked for on the clock of the records that follow: a recording may have several heads. */
void joined_clock(struct joined *k, const struct store_head *head)
{
	k->from_ns = clock_of(k->since_ns, head);
	k->to_ns = clock_of(k->until_ns, head);
}

/* It is read up to its first records: @head says what the last head before these does. */
static void begin_recording(struct joined *k, const struct recording *r,
			    const struct store_head *head)
{
	joined_clock(k, head);
	k->start_ns = head->start_ns;
	k->start_wall_ns = r->begin_wall_ns;
}

/* The first recording is read up to its first records. */
void joined_begin(struct joined *k, const struct recording *r, const struct store_head *head)
{
	k->wall_ns = head->wall_ns;
	k->boot_ns = head->boot_ns;
	memcpy(k->boot_id, head->boot_id, sizeof(k->boot_id));
	begin_recording(k, r, head);
}

/* The time of day at which the recording that is read begins */
static int64_t begin_day(const struct joined *k)
{
	return (int64_t)k->start_ns + k->start_wall_ns;
}

/*
 * True if the recording that is read has the beginning of the time that is asked for.  Without IO
 * then, it is its end that says how far it goes.
 */
static bool reaches_beginning(const struct joined *k)
{
	return begin_day(k) < k->since_ns + SECOND &&
	       (k->latest_ns >= k->from_ns || k->end_ns[k->at] >= k->since_ns);
}

/**
 * joined_start - begin at the time that is asked for, or where the recordings do
 * @k:	   the recordings, read up to the first record that is asked for
 * @head:  gets when that is; what is not kept of the time asked for is said
 * @found: there is such a record
 *
 * Return: EXIT_OK, or another status after a message: nothing is kept of that time.
 */
int joined_start(const struct joined *k, struct store_head *head, bool found)
{
	char from[32], asked[32];

	head->start_ns = k->from_ns;
	if (!found)
		return k->reached || k->left_out ? EXIT_OK : say_none(k);
	if (k->reached)
		return EXIT_OK;
	/* the machine may have slept between the beginning and this record */
	if (begin_day(k) > k->since_ns)
		head->start_ns = clock_of(begin_day(k), head);
	if (reaches_beginning(k))
		return EXIT_OK;
	since_text(begin_day(k), from, sizeof(from));
	msg("records are kept from %s on, not from %s", from,
	    since_text(k->since_ns, asked, sizeof(asked)));
	return EXIT_OK;
}

/* Old recordings have no boot_id: by their clocks, which may be set within a boot. */
static bool is_other_boot(const struct joined *k, const struct store_head *head)
{
	int64_t apart;

	if (*k->boot_id && *head->boot_id)
		return strcmp(k->boot_id, head->boot_id);
	apart = head->boot_ns && k->boot_ns ? head->boot_ns - k->boot_ns :
					      head->wall_ns - k->wall_ns;
	return apart > SAME_BOOT || apart < -SAME_BOOT;
}

static void add_devices(struct store_head *to, const struct store_head *from)
{
	unsigned int i, k;

	for (i = 0; i < from->nr_devices; i++) {
		for (k = 0; k < to->nr_devices && to->device[k].dev != from->device[i].dev; k++)
			;
		if (k == to->nr_devices)
			store_add_device(to, from->device[i].dev, from->device[i].sectors,
					 from->device[i].name, strlen(from->device[i].name));
	}
}

/**
 * joined_next - go on with the next recording
 * @k:	  the recordings
 * @r:	  one that has ended; becomes the next one
 * @head: of the first one; it gets the time of day and the devices of the next one
 * @to:	  gets the records
 *
 * Return: false if there is no other one.
 */
bool joined_next(struct joined *k, struct recording *r, struct store_head *head, struct stream *to)
{
	struct store_head other = { 0 };
	struct recording ended = *r;
	/* one without was begun with its session */
	const struct status *known = ended.has_before ? &ended.before : &ended.after;
	bool good;

	if (k->at < k->nr)
		k->reached |= reaches_beginning(k);
	while (++k->at < k->nr) {
		recording_close(r);
		k->floor_ns = k->latest_ns;
		intent_begin_other();
		/* one that was deleted meanwhile is said to be */
		good = recording_open(r, k->path[k->at], &other, to) == EXIT_OK;
		if (good && is_other_boot(k, &other)) {
			msg("%s is of another boot: narrow --since and --until, and ask for it by itself",
			    k->path[k->at]);
			good = false;
			k->at = k->nr;
		}
		if (good) {
			add_devices(head, &other);
			head->wall_ns = other.wall_ns;
			begin_recording(k, r, &other);
		}
		k->left_out |= !good;
		store_free_head(&other);
		r->torn |= ended.torn;
		r->damaged |= ended.damaged;
		r->several |= ended.several || !status_follows(&r->before, known);
		if (good && !r->several) {
			r->before = ended.before;
			r->has_before = ended.has_before;
		}
		if (good)
			return true;
	}
	return false;
}

/* Whether a record is of the time that is asked for, and was not in the recording before. */
bool joined_takes(struct joined *k, const struct iob_iolog_bin_record *rec)
{
	if (rec->complete_ns > k->latest_ns)
		k->latest_ns = rec->complete_ns;
	/* an ioblamed before this one wrote when the moment was noticed */
	if (rec->complete_ns < k->start_ns)
		k->start_ns = rec->complete_ns;
	return rec->complete_ns >= k->from_ns && rec->complete_ns < k->to_ns &&
	       rec->complete_ns > k->floor_ns;
}

void joined_free(struct joined *k)
{
	size_t i;

	for (i = 0; i < k->nr; i++)
		free(k->path[i]);
	free(k->path);
	free(k->end_ns);
	k->path = NULL;
	k->end_ns = NULL;
	k->nr = 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * export --format trace-event: JSON that Perfetto, chrome://tracing and speedscope read
 *
 * Each disk is a "process" of the viewer, and each originator has a track there.  A track's
 * slices must not overlap, but an originator's IOs do: it has as many tracks as IOs at once.  An IO
 * is a slice from queueing to completion, and the time at the device a slice within it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "export.h"
#include "intent.h"
#include "json.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "origin.h"
#include "out.h"
#include "rec.h"
#include "recording.h"
#include "run.h"
#include "text.h"

/* The tracks of an originator on a disk */
struct tracks {
	struct {
		const struct origin *who;
		uint64_t disk;
	} key;
	unsigned int nr;
	struct track {
		uint64_t end_ns;
		unsigned int number;
	} *track;
};

static struct map all_tracks = { .key_len = sizeof(((struct tracks *)0)->key) };
static struct map disks = { .key_len = sizeof(uint64_t) };
static unsigned int nr_tracks;
static uint64_t start_ns, unqueued;
static bool has_events;

/* Viewers take a number that is a process's and a track's for its main thread. */
enum {
	FIRST_TRACK = 1000000,
};

/* The beginning of an element of the list, up to its name */
static void begin_event(char phase)
{
	const char text[] = { phase, '\0' };

	json_put(has_events ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	json_put(text);
	json_put("\",\"name\":");
	has_events = true;
}

/* The name of a "process" or of a track */
static void print_name(const char *what, unsigned int disk, unsigned int track, const char *name)
{
	json_line();
	begin_event('M');
	json_put_text(what);
	json_put(",\"pid\":");
	json_put_n(disk);
	json_put(",\"tid\":");
	json_put_n(track);
	json_put(",\"args\":{\"name\":");
	json_put_text(name);
	json_put("}}");
	json_line_print();
}

/* A disk's number, from 1. */
static unsigned int disk_number(uint32_t dev)
{
	const uint64_t key = dev;
	struct disk {
		uint64_t key;
		unsigned int number;
	} *disk = map_get(&disks, &key);

	if (disk)
		return disk->number;
	disk = must(calloc(1, sizeof(*disk)));
	disk->key = key;
	map_put(&disks, disk);
	disk->number = disks.nr;
	print_name("process_name", disk->number, 0, name_disk(dev));
	return disk->number;
}

static struct track *new_track(struct tracks *t, unsigned int disk)
{
	const struct origin *who = t->key.who;
	char name[64], more[24] = "";
	struct track *track;

	t->track = must(realloc(t->track, (t->nr + 1) * sizeof(*t->track)));
	track = &t->track[t->nr++];
	track->number = FIRST_TRACK + nr_tracks++;
	if (t->nr > 1)
		snprintf(more, sizeof(more), " #%u", t->nr);
	if (who->key.kind <= ROLE_PROCESS)
		snprintf(name, sizeof(name), "%s %u%s", who->name, who->pid, more);
	else
		snprintf(name, sizeof(name), "%s%s", who->name, more);
	print_name("thread_name", disk, track->number, name);
	return track;
}

/*
 * The track for an IO.  IOs come in the order of their ends: of the tracks that are free at its
 * beginning, the one that was used last leaves the most room for those that began earlier.
 */
static unsigned int find_track(const struct iob_iolog_bin_record *rec, unsigned int disk)
{
	struct tracks new = { .key = { origin_of(rec), rec->disk } }, *t;
	struct track *best = NULL;
	unsigned int i;

	t = map_get(&all_tracks, &new.key);
	if (!t) {
		t = must(malloc(sizeof(*t)));
		*t = new;
		map_put(&all_tracks, t);
	}
	for (i = 0; i < t->nr; i++) {
		if (t->track[i].end_ns <= rec->queue_ns &&
		    (!best || t->track[i].end_ns > best->end_ns))
			best = &t->track[i];
	}
	if (!best)
		best = new_track(t, disk);
	best->end_ns = rec->complete_ns;
	return best->number;
}

/* Nanoseconds as microseconds with three digits, the unit of the format */
static void put_usecs(int64_t ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%s%lld.%03u", ns < 0 ? "-" : "", llabs(ns) / 1000,
		 (unsigned int)(llabs(ns) % 1000));
	json_put(text);
}

static void put_slice(const char *name, const char *category, unsigned int disk,
		      unsigned int track, uint64_t from, uint64_t to)
{
	begin_event('X');
	json_put_text(name);
	json_put(",\"cat\":");
	json_put_text(category);
	json_put(",\"pid\":");
	json_put_n(disk);
	json_put(",\"tid\":");
	json_put_n(track);
	json_put(",\"ts\":");
	put_usecs((int64_t)(from - start_ns));
	json_put(",\"dur\":");
	put_usecs(to - from);
}

static void put_member(const char *key, const char *text)
{
	json_put(",");
	json_put_text(key);
	json_put(":");
	json_put_text(text);
}

static void put_details(const struct iob_iolog_bin_record *rec)
{
	char via[ESCAPE_SIZE(IOB_COMM_LEN)];

	json_put(",\"args\":{\"sector\":");
	json_put_n(rec->sector);
	json_put(",\"bytes\":");
	json_put_n(rec->bytes);
	if (rec->part) {
		json_put(",\"part\":");
		json_put_n(rec->part);
	}
	put_member("file", name_file(rec->dev, rec->ino, rec->gen));
	put_member("why", intent_why(rec));
	put_member("how", rec_how_name(rec->how));
	put_member("cgroup", name_cgroup(rec->cgroup));
	if (rec->sub_pid != rec->pid) {
		escape_text(via, sizeof(via), rec->sub_comm, sizeof(rec->sub_comm));
		put_member("via", via);
		json_put(",\"via_pid\":");
		json_put_n(rec->sub_pid);
	}
	if (rec->error) {
		json_put(",\"error\":");
		json_put_n(rec->error);
	}
	/* a colour of chrome://tracing for what failed */
	json_put(rec->error ? "},\"cname\":\"terrible\"}" : "}}");
}

static void export_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	const char *op = rec_op_name(rec->op);
	unsigned int disk, track;
	char name[64], bytes[TEXT_NUMBER];

	(void)run;
	if (!rec->queue_ns || rec->complete_ns < rec->queue_ns) {
		unqueued++;
		return;
	}
	disk = disk_number(rec->disk);
	track = find_track(rec, disk);
	snprintf(name, sizeof(name), "%s %s%s", op, text_bytes(bytes, rec->bytes),
		 rec->error ? " failed" : "");
	json_line();
	put_slice(name, op, disk, track, rec->queue_ns, rec->complete_ns);
	put_details(rec);
	if (rec->issue_ns > rec->queue_ns && rec->issue_ns <= rec->complete_ns) {
		put_slice("device", "device", disk, track, rec->issue_ns, rec->complete_ns);
		json_put("}");
	}
	json_line_print();
}

static void flush_output(struct run *run)
{
	(void)run;
	out_flush();
}

static int begin_export(struct run *run)
{
	const char *path = run->opts->output;
	char *name;
	int err;

	if (path) {
		if (recording_is(run->opts->input, path))
			return EXIT_FAILED;
		err = out_to_file(path);
		name = must(escape_dup(path, strlen(path)));
		if (err)
			msg("%s: %s", name, strerror(err));
		free(name);
		if (err)
			return EXIT_FAILED;
	}
	start_ns = run->source.head.start_ns;
	json_line();
	json_put("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"ioblame\":");
	json_put_text(VERSION);
	json_put(",\"kernel\":");
	json_put_text(run->source.head.kernel);
	json_put(",\"host\":");
	json_put_text(run->source.head.host);
	json_put(",\"start_ns\":");
	json_put_n(run_wall_ns(run, start_ns));
	json_put("},\"traceEvents\":[");
	json_line_print();
	return EXIT_OK;
}

static int end_export(struct run *run)
{
	(void)run;
	out_puts("\n]}\n");
	if (unqueued)
		msg("%llu IOs began before ioblame was on: they are left out",
		    (unsigned long long)unqueued);
	return EXIT_OK;
}

const struct view export_trace_event = {
	.begin = begin_export, .record = export_record, .filled = flush_output, .end = end_export,
};

// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "events.h"
#include "msg.h"
#include "nvme_path.h"

enum {
	HELD_MAX = 1 << 20,
};

/*
 * The module and the kernel's tracer note a time each at the same tracepoint, one after the
 * other: an interrupt may come between.
 */
#define SLACK_NS	20000000ULL

/* A number that events have: of a disk or of a partition. */
struct known_disk {
	uint32_t dev;
	char number[24];		/* "8:16" */
	struct device device;
};

/**
 * events_begin - begin to trace
 * @ev:     the events
 * @kinds:  a bit for each enum blkevent_kind
 * @device: events of these disks and partitions, and those of no disk
 * @nr:     how many; 0: all
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int events_begin(struct events *ev, uint32_t kinds, const struct device *device, unsigned int nr)
{
	memset(ev, 0, sizeof(*ev));
	ev->disks.key_len = sizeof(uint32_t);
	ev->device = device;
	ev->nr_devices = nr;
	return tracefs_open(&ev->trace, kinds);
}

/* The disk or partition with a number; of a path of NVMe's multipath, the namespace. */
static bool find_device(uint32_t dev, const char *number, struct device *device)
{
	char head[40];

	return device_lookup(number, device) ||
	       (nvme_path_find(dev, head, sizeof(head)) && device_lookup(head, device));
}

static const struct known_disk *known_disk(struct events *ev, uint32_t dev)
{
	struct known_disk *known = map_get(&ev->disks, &dev);

	if (known)
		return known;
	known = must(calloc(1, sizeof(*known)));
	known->dev = dev;
	snprintf(known->number, sizeof(known->number), "%u:%u", dev >> 20, dev & 0xfffff);
	if (!find_device(dev, known->number, &known->device)) {
		/* it is gone */
		known->device.dev = dev;
		known->device.disk = dev;
	}
	map_put(&ev->disks, known);
	return known;
}

/* The number of the disk on which a partition is, or to which a path of NVMe's multipath leads. */
uint32_t events_disk(struct events *ev, uint32_t dev)
{
	return known_disk(ev, dev)->device.disk;
}

/* The number of a disk or partition as a text, "8:16". */
const char *events_number(struct events *ev, uint32_t dev)
{
	return known_disk(ev, dev)->number;
}

static bool is_watched(struct events *ev, const struct blkevent *e)
{
	bool data = e->sectors || e->sector || !strchr(e->rwbs, 'F');
	uint32_t disk;
	unsigned int i;

	if (!e->dev || !ev->nr_devices)
		return true;
	disk = events_disk(ev, e->dev);
	for (i = 0; i < ev->nr_devices; i++) {
		if (device_has(&ev->device[i], disk, e->sector, data))
			return true;
	}
	return false;
}

static void hold(const struct blkevent *e, void *arg)
{
	struct events *ev = arg;

	if (!is_watched(ev, e))
		return;
	/* what is given out goes once it is the larger part: each event moves once */
	if (ev->nr == ev->size && ev->first > ev->nr / 2) {
		ev->nr -= ev->first;
		memmove(ev->held, ev->held + ev->first, ev->nr * sizeof(*ev->held));
		ev->first = 0;
	}
	if (ev->nr == ev->size) {
		ev->size = ev->size ? ev->size * 2 : 4096;
		ev->held = must(realloc(ev->held, ev->size * sizeof(*ev->held)));
	}
	ev->held[ev->nr] = *e;
	ev->held[ev->nr++].order = ev->order++;
}

/* A record came. */
void events_record(struct events *ev, const struct iob_iolog_bin_record *rec)
{
	origins_add(&ev->origins, rec);
}

static int compare_times(const void *x, const void *y)
{
	const struct blkevent *a = x, *b = y;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

/*
 * Put the last @nr events, which are new, in order with the others.  Many others may wait for a
 * record, for seconds.  Few of them, if any, are behind a new one: only these are sorted again.
 */
static void sort_new(struct events *ev, size_t nr)
{
	size_t new = ev->nr - nr, low = ev->first, high = new;

	if (!nr)
		return;
	qsort(ev->held + new, nr, sizeof(*ev->held), compare_times);
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (compare_times(&ev->held[mid], &ev->held[new]) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < new)
		qsort(ev->held + low, ev->nr - low, sizeof(*ev->held), compare_times);
}

/* Read the events that are there. */
void events_fill(struct events *ev)
{
	uint64_t before = ev->order;

	/* other CPUs may still have events from after this moment */
	ev->before_ns = ev->horizon_ns;
	ev->horizon_ns = clock_ns();
	tracefs_read(&ev->trace, hold, ev);
	sort_new(ev, ev->order - before);
}

/*
 * The record of an IO for which the disk is flushed: before its data or behind them.  Such a flush
 * is a request without sectors, of which the log has nothing but the IO.
 */
static const struct iob_iolog_bin_record *flusher_of(const struct events *ev, uint32_t disk,
						     uint64_t ns)
{
	unsigned int i;

	for (i = 0; i < EVENTS_FLUSHERS; i++) {
		const struct iob_iolog_bin_record *rec =
			&ev->flusher[(ev->nr_flushers - 1 - i) % EVENTS_FLUSHERS];

		if (rec->disk == disk && ns >= rec->queue_ns && ns <= rec->complete_ns + SLACK_NS)
			return rec;
	}
	return NULL;
}

/* An IO that asks for a flush is queued: remember its record. */
static void note_flusher(struct events *ev, const struct blkevent *e,
			 const struct origins_found *found)
{
	if (e->kind == EV_block_bio_queue && found->rec && strchr(e->rwbs, 'F'))
		ev->flusher[ev->nr_flushers++ % EVENTS_FLUSHERS] = *found->rec;
}

/* Find the event's record.  Return: false to wait for it. */
static bool find_record(struct events *ev, const struct blkevent *e, bool wait,
			struct origins_found *found)
{
	struct origins_query q = {
		.sector = e->sector, .sectors = e->sectors, .ns = e->ns, .pid = e->pid,
	};

	memset(found, 0, sizeof(*found));
	if (!blkevent_has_place(e))
		return true;
	q.disk = events_disk(ev, e->dev);
	/* a split has no length: what is behind it is a bio of its own */
	if (e->kind == EV_block_split)
		q.sectors = 1;
	/* an IO with a flush behind it completes once more, when its record is there */
	if (!e->sectors && e->sector) {
		q.sectors = 1;
		q.slack_ns = SLACK_NS;
	}
	origins_find(&ev->origins, &q, found);
	if (!found->rec && !q.sectors)
		found->rec = flusher_of(ev, q.disk, e->ns);
	if (found->rec || wait)
		return found->rec;
	/* its record is of another moment, if there is any */
	q.slack_ns = SLACK_NS;
	origins_find(&ev->origins, &q, found);
	return true;
}

/* How many sectors of @e, or flushes, @other has, too. */
static uint64_t common(struct events *ev, const struct blkevent *other, const struct blkevent *e)
{
	uint64_t from, to;

	if (!other->dev || events_disk(ev, other->dev) != events_disk(ev, e->dev))
		return 0;
	if (!e->sectors || !other->sectors)
		return !e->sectors && !other->sectors;
	from = other->sector > e->sector ? other->sector : e->sector;
	to = other->sector + other->sectors;
	if (to > e->sector + e->sectors)
		to = e->sector + e->sectors;
	return to > from ? to - from : 0;
}

/*
 * True if the IO of an event has been complete for a while: the log has been read since, as that is
 * done between two readings of the events, and if it has no record by now, it gets none.  All
 * sectors must have been completed, in as many parts as they were, and again for each later IO to
 * them: whose completion comes first is not known.
 */
static bool is_over(struct events *ev, size_t at)
{
	const struct blkevent *e = &ev->held[at];
	int64_t left = e->sectors ? e->sectors : 1;
	size_t i;

	/* a split has no length; and behind data a flush may have to be complete, too */
	if (e->kind == EV_block_split || strchr(e->rwbs, 'F'))
		return false;
	for (i = at; i < ev->nr && ev->held[i].ns + SLACK_NS < ev->before_ns; i++) {
		const struct blkevent *other = &ev->held[i];

		if (blkevent_letters[other->kind] == 'C')
			left -= common(ev, other, e);
		else if (other->kind == EV_block_bio_queue && i != at)
			left += common(ev, other, e);
		if (left <= 0)
			return true;
	}
	return false;
}

/* Find the record of a held event, or that there is none.  Return: false to wait. */
static bool find_or_wait(struct events *ev, size_t at, bool wait, struct origins_found *found)
{
	const struct blkevent *e = &ev->held[at];

	return find_record(ev, e, wait, found) ||
	       (is_over(ev, at) && find_record(ev, e, false, found));
}

/**
 * events_release - give out events in order
 * @ev:  the events
 * @all: also those whose record has not come
 * @one: gets them
 * @arg: of @one
 */
void events_release(struct events *ev, bool all, events_fn one, void *arg)
{
	uint64_t now = clock_ns();
	struct origins_found found;
	size_t i;

	for (i = ev->first; i < ev->nr; i++) {
		const struct blkevent *e = &ev->held[i];
		bool full = ev->nr - i > HELD_MAX;
		bool wait = !all && !full && e->ns + EVENTS_WAIT_NS > now;

		if ((!all && e->ns > ev->horizon_ns) || !find_or_wait(ev, i, wait, &found))
			break;
		one(e, &found, arg);
		note_flusher(ev, e, &found);
	}
	ev->first = i;
	if (i == ev->nr) {
		ev->first = 0;
		ev->nr = 0;
	}
	now = i < ev->nr ? ev->held[i].ns : ev->horizon_ns;
	if (now > ev->forgot_ns + 1000000000 && now > SLACK_NS) {
		origins_forget(&ev->origins, now - SLACK_NS);
		ev->forgot_ns = now;
	}
}

/* End tracing, and free what is held. */
void events_end(struct events *ev)
{
	tracefs_close(&ev->trace);
	origins_clear(&ev->origins);
	map_clear(&ev->disks, free);
	free(ev->held);
	ev->held = NULL;
	ev->nr = 0;
	ev->first = 0;
}

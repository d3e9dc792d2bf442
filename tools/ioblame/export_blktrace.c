// SPDX-License-Identifier: GPL-2.0
/*
 * export --format blktrace: files that blkparse, btt and iowatcher read
 *
 * An IO becomes the events of a request: queued (Q), got (G), inserted (I), issued (D) and
 * completed (C).  Records have no times for G and I, which get that of Q.  A run of sectors that
 * another originator pays for is a bio of its own, queued and merged (M).  A disk without requests
 * has Q and C.  All are by the originator.  A "CPU" is a hardware queue: records do not know CPUs.
 *
 * Records come as IOs complete, and events go out in the order of their times.  So they are kept;
 * when there are very many, the earlier half is written.  An event that is older than that comes
 * late in its file: only an IO that takes as long as a million events causes one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blkfile.h"
#include "escape.h"
#include "export.h"
#include "msg.h"
#include "opf.h"
#include "opts.h"
#include "origin.h"
#include "rec.h"
#include "run.h"

/* Events that are kept, of 72 bytes each; a test makes it less */
size_t export_blktrace_most = 2 << 20;

struct event {
	struct blkfile_event trace;
	const struct origin *who;
	uint64_t order;
};

static struct event *events;
static size_t nr_events, size_events;
static uint64_t nr_added, written_ns, late, unqueued;

/* The IO whose runs come now */
static struct {
	struct iob_iolog_bin_record first;
	const struct origin *who;
	uint32_t categories;
	uint64_t end;		/* the sector behind its last run */
	uint32_t bytes;
	unsigned int part;
	bool open;
} io;

static int compare_events(const void *a, const void *b)
{
	const struct event *x = a, *y = b;

	if (x->trace.time != y->trace.time)
		return x->trace.time < y->trace.time ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* Write the first @nr events. */
static void write_events(size_t nr)
{
	size_t i;

	qsort(events, nr_events, sizeof(*events), compare_events);
	for (i = 0; i < nr; i++) {
		late += events[i].trace.time < written_ns;
		if (events[i].trace.time > written_ns)
			written_ns = events[i].trace.time;
		blkfile_event(&events[i].trace, events[i].who);
	}
	nr_events -= nr;
	memmove(events, events + nr, nr_events * sizeof(*events));
}

static struct blkfile_event *add_event(const struct iob_iolog_bin_record *rec,
				       const struct origin *who, uint32_t action, uint64_t time)
{
	struct event *e;

	if (nr_events == export_blktrace_most)
		write_events(nr_events / 2);
	if (nr_events == size_events) {
		size_events = size_events ? size_events * 2 : 4096;
		events = must(realloc(events, size_events * sizeof(*events)));
	}
	e = &events[nr_events++];
	memset(e, 0, sizeof(*e));
	e->who = who;
	e->order = nr_added++;
	e->trace.time = time;
	e->trace.sector = rec->sector;
	e->trace.bytes = rec->bytes;
	e->trace.action = action | io.categories;
	e->trace.device = rec->disk;
	e->trace.cpu = rec->hwq == 0xffff ? 0 : rec->hwq;
	return &e->trace;
}

/* What blktrace tells of the operation, as the kernel's __blk_add_trace() has it. */
static uint32_t categories_of(const struct iob_iolog_bin_record *rec)
{
	unsigned int op = rec->opf & OPF_OP;
	uint32_t tc;

	tc = rec->op == OP_READ || rec->op == OP_AHEAD || (rec->op == OP_FLUSH && !(op & 1)) ?
	     TC_READ : TC_WRITE;
	if (rec->op == OP_DISCARD && op != 9)	/* REQ_OP_WRITE_ZEROES, a write there */
		tc |= TC_DISCARD;
	if (rec->op == OP_FLUSH || rec->opf & OPF_PREFLUSH)
		tc |= TC_FLUSH;
	if (rec->op == OP_AHEAD || rec->opf & OPF_AHEAD)
		tc |= TC_AHEAD;
	if (rec->opf & OPF_SYNC)
		tc |= TC_SYNC;
	if (rec->opf & OPF_META)
		tc |= TC_META;
	if (rec->opf & OPF_FUA)
		tc |= TC_FUA;
	return TC(tc);
}

/* All runs of the IO are known. */
static void finish_io(void)
{
	const uint32_t fs = io.first.issue_ns ? TC_FS : 0;
	struct blkfile_event *t;

	if (!io.open)
		return;
	io.open = false;
	/* the block layer has made a request of its own of the flush before a write */
	if (io.bytes)
		io.categories &= ~TC(TC_FLUSH);
	if (io.first.issue_ns) {
		t = add_event(&io.first, io.who, TA_ISSUE | TC(TC_ISSUE | fs), io.first.issue_ns);
		t->bytes = io.bytes;
	}
	t = add_event(&io.first, io.who, TA_COMPLETE | TC(TC_COMPLETE | fs), io.first.complete_ns);
	t->bytes = io.bytes;
	t->error = io.first.error;
}

static bool continues_io(const struct iob_iolog_bin_record *rec)
{
	return io.open && rec->part > io.part && rec->disk == io.first.disk &&
	       rec->complete_ns == io.first.complete_ns && rec->queue_ns == io.first.queue_ns &&
	       rec->sector == io.end;
}

static void export_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	const struct origin *who = origin_of(rec);
	bool more = continues_io(rec);

	(void)run;
	if (!more) {
		finish_io();
		io.open = true;
		io.first = *rec;
		io.who = who;
		io.categories = categories_of(rec);
		io.bytes = 0;
	}
	io.part = rec->part;
	io.bytes += rec->bytes;
	io.end = rec->sector + rec->bytes / 512;
	if (!rec->queue_ns) {
		unqueued++;
		return;
	}
	add_event(rec, who, TA_QUEUE | TC(TC_QUEUE), rec->queue_ns);
	if (!rec->issue_ns)
		return;
	if (more) {
		add_event(rec, who, TA_BACKMERGE | TC(TC_QUEUE | TC_FS), rec->queue_ns);
		return;
	}
	add_event(rec, who, TA_GETRQ | TC(TC_QUEUE), rec->queue_ns);
	add_event(rec, who, TA_INSERT | TC(TC_QUEUE | TC_FS), rec->queue_ns);
}

static int begin_export(struct run *run)
{
	const char *folder = run->opts->output;
	uint64_t start = run->source.head.start_ns;
	char *name = must(escape_dup(folder, strlen(folder)));
	int err = blkfile_begin(folder, start, run_wall_ns(run, start));

	if (err)
		msg("%s: %s", name, strerror(err));
	free(name);
	return err ? EXIT_FAILED : EXIT_OK;
}

static int end_export(struct run *run)
{
	char *folder = must(escape_dup(run->opts->output, strlen(run->opts->output)));
	unsigned int disks;
	char name[64];
	int err;

	finish_io();
	write_events(nr_events);
	free(events);
	events = NULL;
	size_events = 0;
	disks = blkfile_disks();
	snprintf(name, sizeof(name), "%s", blkfile_disk());
	err = blkfile_end();
	if (err) {
		msg("%s: cannot write the trace: %s", folder, strerror(err));
		free(folder);
		return EXIT_FAILED;
	}
	if (unqueued)
		msg("%llu IOs began before ioblame was on: they have no Q",
		    (unsigned long long)unqueued);
	if (late)
		msg("%llu events come late in their file: of IOs that took very long",
		    (unsigned long long)late);
	msg("%llu IOs as %llu events of %u disks; see: blkparse -i %s -D %s",
	    (unsigned long long)run->ios, (unsigned long long)nr_added, disks,
	    *name ? name : "DISK", folder);
	free(folder);
	return EXIT_OK;
}

const struct view export_blktrace = {
	.begin = begin_export, .record = export_record, .end = end_export,
};

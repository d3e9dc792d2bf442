// SPDX-License-Identifier: GPL-2.0
/*
 * record: write all records and their names into a file, for every view
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"
#include "device.h"
#include "escape.h"
#include "msg.h"
#include "opts.h"
#include "run.h"
#include "status.h"
#include "store.h"
#include "tape.h"
#include "view.h"

static FILE *file;
static struct tape *tape;

static struct tape *begin_tape(struct run *run)
{
	struct store_head *head = &run->source.head;
	unsigned int i;

	for (i = 0; i < run->session.nr_devices; i++) {
		const struct device *d = &run->session.device[i];

		store_add_device(head, d->dev, device_sectors(d->dev), d->name, strlen(d->name));
	}
	return tape_begin(file, head, true);
}

static int begin_recording(struct run *run)
{
	const struct opts *o = run->opts;
	char *name = must(escape_dup(o->output, strlen(o->output)));
	int fd;

	if (device_under_path(o->output, run->session.device, run->session.nr_devices))
		msg("%s is on a disk that is watched: writing it is IO, too", name);
	fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	file = fd >= 0 ? fdopen(fd, "w") : NULL;
	tape = file ? begin_tape(run) : NULL;
	if (!tape)
		msg("%s: %s", name, strerror(errno));
	free(name);
	if (!tape)
		return EXIT_FAILED;
	if (run->source.kind == SOURCE_SERVED && run->source.served.before)
		tape_text(tape, STORE_STATUS_BEFORE, run->source.served.before);
	else if (run->session.status_text && !run->session.own)
		tape_text(tape, STORE_STATUS_BEFORE, run->session.status_text);
	return EXIT_OK;
}

/* What was recorded until now is in the file. */
static void flush_tape(struct run *run)
{
	run->quit |= !tape_flush(tape);
}

static void add_to_tape(struct run *run, const struct iob_iolog_bin_record *rec)
{
	tape_set_wall(tape, run->source.head.wall_ns);
	tape_add(tape, rec);
	run->quit |= !!tape_error(tape);
}

/*
 * Whether a status is of what was recorded.  Our own session has none at the recording's beginning,
 * so that a view would take that of one which others have begun since for ours.
 */
static bool is_of_session(const struct run *run, const char *text)
{
	const struct status *before = &run->session.before;
	struct status now;

	if (!run->session.own || !before->session)
		return true;
	status_parse(&now, text);
	return status_follows(&now, before);
}

static int end_recording(struct run *run)
{
	char *text = source_status(&run->source);
	uint64_t written;
	long long bytes;
	int err;

	tape_flush(tape);
	if (text && is_of_session(run, text))
		tape_text(tape, STORE_STATUS_AFTER, text);
	free(text);
	err = tape_end(tape, &written);
	/* a pipe has no place: then without the head */
	bytes = ftell(file);
	if (bytes < 0)
		bytes = written;
	if (fclose(file) && !err)
		err = errno;
	if (err) {
		msg("cannot write the recording: %s", strerror(err));
		return EXIT_FAILED;
	}
	msg("%llu IOs in %lld bytes; see: ioblame replay FILE",
	    (unsigned long long)run->ios, bytes);
	return EXIT_OK;
}

int cmd_record(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_recording, .record = add_to_tape,
		.filled = flush_tape, .end = end_recording,
	};

	return view_run(o, &view);
}

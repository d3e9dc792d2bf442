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
#include "dir.h"
#include "escape.h"
#include "intent.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "pack.h"
#include "run.h"
#include "store.h"
#include "view.h"

enum {
	BATCH = 8192,		/* records in a chunk */
};

static FILE *file;		/* of chunks */
static FILE *opened;		/* the file itself */
static struct pack *pack;	/* if it is compressed */
static int failed;		/* an errno */
static uint64_t written;	/* to the file, where it does not know itself */
static struct iob_iolog_bin_record *batch;
static size_t nr_batch;
static uint32_t intents_saved;

static void write_chunk(uint32_t type, const void *data, size_t len)
{
	if (!failed && !store_write(file, type, data, len))
		failed = errno;
	written += sizeof(struct store_chunk) + len;
}

/* The head can be read by anything; what follows is compressed. */
static void write_head(struct run *run)
{
	struct store_head *head = &run->source.head;
	unsigned int i;

	for (i = 0; i < run->session.nr_devices; i++) {
		const struct device *d = &run->session.device[i];

		store_add_device(head, d->dev, device_sectors(d->dev), d->name, strlen(d->name));
	}
	if (!store_write_head(file, head))
		failed = errno;
	if (!pack_can())
		return;
	write_chunk(STORE_PACKED, "", 0);
	pack = pack_writer(opened);
	file = pack_file(pack);
}

/* What was recorded until now is in the file. */
static bool flush_file(void)
{
	return pack ? pack_flush(pack) : !fflush(file);
}

static int begin_recording(struct run *run)
{
	const struct opts *o = run->opts;
	char *name = must(escape_dup(o->output, strlen(o->output)));
	int fd;

	if (device_under_path(o->output, run->session.device, run->session.nr_devices))
		msg("%s is on a disk that is watched: writing it is IO, too", name);
	fd = open(o->output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	opened = fd >= 0 ? fdopen(fd, "w") : NULL;
	file = opened;
	if (!file || !store_begin(file)) {
		msg("%s: %s", name, strerror(errno));
		free(name);
		return EXIT_FAILED;
	}
	free(name);
	write_head(run);
	if (run->session.status_text && !run->session.own)
		write_chunk(STORE_STATUS_BEFORE, run->session.status_text,
			    strlen(run->session.status_text));
	batch = must(malloc(BATCH * sizeof(*batch)));
	return EXIT_OK;
}

static void write_name(const struct name *name, void *arg)
{
	size_t n = strlen(name->text) + 1;
	char *data = must(malloc(sizeof(name->key) + n));

	(void)arg;
	memcpy(data, &name->key, sizeof(name->key));
	memcpy(data + sizeof(name->key), name->text, n);
	write_chunk(STORE_NAME, data, sizeof(name->key) + n);
	free(data);
}

/* Write the records that were gathered, after the intents and names they use. */
static void write_batch(struct run *run)
{
	char *text;

	for (; intents_saved < intent_count(); intents_saved++) {
		const struct intent *in = intent_get(intents_saved);

		if (!in)
			continue;
		text = intent_text(in);
		write_chunk(STORE_INTENT, text, strlen(text));
		free(text);
	}
	name_each_new(write_name, NULL);
	if (nr_batch)
		write_chunk(STORE_RECORDS, batch, nr_batch * sizeof(*batch));
	nr_batch = 0;
	if (!failed && !flush_file())
		failed = errno;
	run->quit |= failed;
	name_tidy();
}

static void add_to_batch(struct run *run, const struct iob_iolog_bin_record *rec)
{
	name_disk(rec->disk);
	name_sched(rec->disk);
	name_user(rec->tgid, rec->comm);
	name_command(rec->tgid, rec->comm);
	name_file(rec->dev, rec->ino, rec->gen);
	if (rec->cgroup)
		name_unit(rec->cgroup);
	batch[nr_batch++] = *rec;
	if (nr_batch == BATCH)
		write_batch(run);
}

static int end_recording(struct run *run)
{
	char *text = dir_read("status");
	long long bytes;

	write_batch(run);
	if (text)
		write_chunk(STORE_STATUS_AFTER, text, strlen(text));
	free(text);
	free(batch);
	if (pack && !pack_end(pack, &written) && !failed)
		failed = errno;
	/* a pipe has no place: then without the head */
	bytes = ftell(opened);
	if (bytes < 0)
		bytes = written;
	if (fclose(opened) && !failed)
		failed = errno;
	if (failed) {
		msg("cannot write the recording: %s", strerror(failed));
		return EXIT_FAILED;
	}
	msg("%llu IOs in %lld bytes; see: ioblame replay FILE",
	    (unsigned long long)run->ios, bytes);
	return EXIT_OK;
}

int cmd_record(const struct opts *o)
{
	static const struct view view = {
		.begin = begin_recording, .record = add_to_batch,
		.filled = write_batch, .end = end_recording,
	};

	return view_run(o, &view);
}

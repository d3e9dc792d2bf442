// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "drvdisk.h"
#include "drvevent.h"
#include "drvtrace.h"
#include "escape.h"
#include "msg.h"
#include "sense.h"

enum {
	/* failed commands that are remembered, and different texts */
	FAILED_MOST = 4096,
	TEXTS_MOST = 1024,
};

/* The kernel's times are microseconds */
#define NEAR_NS	1000

/* A command that failed */
struct failed {
	uint32_t dev;
	unsigned int text;
	uint64_t ns, sector, end;
};

static struct failed *list;
static uint64_t nr_failed;		/* the last FAILED_MOST of these are in @list */
static char *texts[TEXTS_MOST];		/* number 0 is none */
static unsigned int nr_texts = 1;

/* Begin to listen.  Without SCSI devices nothing is known, and nothing is to be said. */
void sense_begin(void)
{
	if (!drvtrace_has_scsi() || drvtrace_open(DRVTRACE_SCSI_FAILED))
		return;
	list = must(calloc(FAILED_MOST, sizeof(*list)));
}

static unsigned int number_of(const char *text)
{
	unsigned int i;

	for (i = 1; i < nr_texts; i++) {
		if (!strcmp(texts[i], text))
			return i;
	}
	if (nr_texts == TEXTS_MOST)
		return 0;
	texts[nr_texts] = must(escape_dup(text, strlen(text)));
	return nr_texts++;
}

static void take_event(const struct drvevent *e)
{
	unsigned int sectors;
	struct failed *f;
	uint32_t dev;

	if (!*e->result || !e->has_block || !drvdisk_find(e->device, &dev, &sectors))
		return;
	f = &list[nr_failed++ % FAILED_MOST];
	f->dev = dev;
	f->text = number_of(e->result);
	f->ns = e->ns;
	f->sector = e->block * sectors;
	f->end = f->sector + (e->blocks ? e->blocks : 1) * sectors;
}

/* Read what came until now. */
void sense_read(void)
{
	if (list)
		drvtrace_read(take_event);
}

/* The number of what was said of a record's last failed command; 0 if nothing is known. */
unsigned int sense_of(const struct iob_iolog_bin_record *rec)
{
	uint64_t end = rec->sector + (rec->bytes + 511) / 512, i;
	const struct failed *f;

	for (i = nr_failed; i > 0 && nr_failed - i < FAILED_MOST; i--) {
		f = &list[(i - 1) % FAILED_MOST];
		if (f->dev == rec->disk && f->sector < end && rec->sector < f->end &&
		    f->ns + NEAR_NS >= rec->queue_ns && f->ns <= rec->complete_ns + NEAR_NS)
			return f->text;
	}
	return 0;
}

/* The text of a number, NULL of 0. */
const char *sense_text(unsigned int nr)
{
	return nr && nr < nr_texts ? texts[nr] : NULL;
}

void sense_end(void)
{
	drvtrace_close();
	free(list);
	list = NULL;
}

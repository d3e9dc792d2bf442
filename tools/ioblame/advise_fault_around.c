// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about page faults that read more than they need.
 *
 * A fault needs one page.  The kernel reads those around it, too (read_ahead_kb, 128 KiB), and
 * goes on behind them when the task comes near their end.  If nothing is ever read where such
 * a window ends, the task did not come there: it jumps.
 *
 * read() is left out: its requests may be as large as what is read, and records do not tell.
 */
#include <stdio.h>
#include <string.h>

#include "advise.h"
#include "escape.h"
#include "intent.h"
#include "label.h"
#include "name.h"
#include "text.h"

enum {
	WINDOWS = 64,			/* the last ones of a file, which are followed */
	LEAST_WINDOWS = 100,
	LEAST_BYTES = 32 << 10,		/* of a window, on average */
	MOST_FOLLOWED = 10,		/* percent */
};

struct faulter {
	struct advise_entry e;
	uint64_t windows, followed, bytes;
	uint64_t end[WINDOWS];		/* sectors; 0: none */
};

static struct map map;

/* Whether an intent is the stack of a page fault of a file.  The last answer is kept. */
static bool is_fault(uint32_t nr)
{
	static uint32_t last_nr = UINT32_MAX;
	static bool last_is;
	const struct intent *in = intent_get(nr);
	char function[64];
	unsigned int i;

	if (!in || nr == last_nr)
		return in && last_is;
	last_is = false;
	for (i = 0; i < in->depth && !last_is; i++)
		last_is = !strcmp(intent_function(in->frame[i], function, sizeof(function)),
				  "filemap_fault");
	last_nr = nr;
	return last_is;
}

/* True if a window ends at @sector.  It is no longer followed then. */
static bool was_expected(struct faulter *f, uint64_t sector)
{
	unsigned int i;

	for (i = 0; i < WINDOWS; i++) {
		if (f->end[i] && f->end[i] == sector) {
			f->end[i] = 0;
			return true;
		}
	}
	return false;
}

static void add_fault(const struct iob_iolog_bin_record *rec)
{
	struct faulter *f;

	if ((rec->op != OP_READ && rec->op != OP_AHEAD) || !rec->ino || !rec->bytes ||
	    !is_fault(rec->intent_nr))
		return;
	f = advise_entry(&map, rec, BY_PROCESS, ADVISE_DISK | ADVISE_FILE, sizeof(*f));
	if (!f)
		return;
	f->followed += was_expected(f, rec->sector);
	f->bytes += rec->bytes;
	f->end[f->windows++ % WINDOWS] = rec->sector + rec->bytes / 512;
}

static bool is_wasted(const struct faulter *f)
{
	return f->windows >= LEAST_WINDOWS && f->bytes / f->windows >= LEAST_BYTES &&
	       f->followed * 100 <= f->windows * MOST_FOLLOWED;
}

static void tell_fault(struct advices *to, const char *name)
{
	char who[160], each[TEXT_NUMBER];
	const struct faulter *f;
	struct advice *a;
	char file[300];
	size_t i;

	map_for_each(&map, i, f) {
		if (!is_wasted(f))
			continue;
		a = advise_new(to, name, &f->e);
		a->has_file = true;
		a->ios = f->windows;
		a->bytes = f->bytes;
		a->percent = 100.0 * (double)(f->windows - f->followed) / (double)f->windows;
		a->weight = f->bytes;
		snprintf(file, sizeof(file), "%s", label_file(&f->e.label));
		snprintf(a->fact, sizeof(a->fact),
			 "Page faults of %s in %s read %s around each, %llu times; %llu times nothing was read behind it.",
			 advise_who(&f->e, who, sizeof(who)), escape_cut(file),
			 text_bytes(each, f->bytes / f->windows), (unsigned long long)f->windows,
			 (unsigned long long)(f->windows - f->followed));
		snprintf(a->what, sizeof(a->what),
			 "A fault needs one page.  For a file that is used at random, madvise(MADV_RANDOM) reads just that.");
		advise_see(a, "snoop --rw RA --stacks", &f->e);
	}
}

static void clear_fault(void)
{
	advise_clear_map(&map);
}

const struct advise_rule advise_fault_around = {
	.name = "fault_around", .add = add_fault, .tell = tell_fault, .clear = clear_fault,
};

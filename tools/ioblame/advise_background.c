// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about data that was written because too much was dirty.
 *
 * Dirty data is written after 30 seconds, or before when there is more of it than
 * vm.dirty_background_ratio: the reason is `background` then.  At vm.dirty_ratio, twice as
 * much, the kernel holds the writers up.
 */
#include <stdio.h>

#include "advise_share.h"
#include "escape.h"
#include "name.h"
#include "text.h"

static struct share share = {
	.why = "background", .by = BY_PROCESS,
	.least_bytes = 16 << 20, .least_percent = 50, .least_one = 70,
};

static void add_background(const struct iob_iolog_bin_record *rec)
{
	share_add(&share, rec);
}

static void write_background(struct advice *a, const struct share_found *f)
{
	char who[160], written[TEXT_NUMBER], bytes[TEXT_NUMBER];

	snprintf(a->fact, sizeof(a->fact),
		 "Of the %s written to %s, the kernel wrote %s (%.0f %%) because too much was dirty in memory; %.0f %% of that is of %s.",
		 text_bytes(written, f->written), name_disk(a->disk), text_bytes(bytes, f->bytes),
		 a->percent, 100.0 * (double)f->own / (double)f->bytes,
		 advise_who(f->e, who, sizeof(who)));
	snprintf(a->what, sizeof(a->what),
		 "It dirties memory faster than the disk takes it.  At vm.dirty_ratio the kernel holds up all who write there.  memory.high and io.max of its cgroup, sync_file_range() or direct IO keep it to itself.");
	advise_see(a, "dirty", f->e);
	advise_see_recorded(a, "files --rw W", f->e);
}

static void tell_background(struct advices *to, const char *name)
{
	share_each(&share, to, name, write_background);
}

static void clear_background(void)
{
	share_clear(&share);
}

const struct advise_rule advise_background = {
	.name = "background", .add = add_background, .tell = tell_background,
	.clear = clear_background,
};

// SPDX-License-Identifier: GPL-2.0
/* Advice about memory that was written to the disk because it was needed: swap and page-out. */
#include <stdio.h>

#include "advise_share.h"
#include "escape.h"
#include "name.h"
#include "text.h"

static struct share share = {
	.why = "reclaim", .by = BY_PROCESS,
	.least_bytes = 4 << 20, .least_percent = 0, .least_one = 20,
};

static void add_reclaim(const struct iob_iolog_bin_record *rec)
{
	share_add(&share, rec);
}

static void write_reclaim(struct advice *a, const struct share_found *f)
{
	char who[160], bytes[TEXT_NUMBER], own[TEXT_NUMBER];

	snprintf(a->fact, sizeof(a->fact),
		 "The kernel wrote %s of memory to %s to have it free, %s of it (%.0f %%) memory of %s.",
		 text_bytes(bytes, f->bytes), name_disk(a->disk), text_bytes(own, f->own),
		 100.0 * (double)f->own / (double)f->bytes, advise_who(f->e, who, sizeof(who)));
	snprintf(a->what, sizeof(a->what),
		 "Memory is short, of the machine or of a cgroup (memory.events tells).  What is read back later makes each who needs it wait for the disk.");
	advise_see(a, "top", f->e);
}

static void tell_reclaim(struct advices *to, const char *name)
{
	share_each(&share, to, name, write_reclaim);
}

static void clear_reclaim(void)
{
	share_clear(&share);
}

const struct advise_rule advise_reclaim = {
	.name = "reclaim", .add = add_reclaim, .tell = tell_reclaim, .clear = clear_reclaim,
};

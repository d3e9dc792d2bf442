// SPDX-License-Identifier: GPL-2.0
/* Advice about a journal that one unit fills. */
#include <stdio.h>

#include "advise_share.h"
#include "name.h"
#include "text.h"

static struct share share = {
	.why = "journal", .by = BY_CGROUP,
	.least_bytes = 4 << 20, .least_percent = 30, .least_one = 70,
};

static void add_journal(const struct iob_iolog_bin_record *rec)
{
	share_add(&share, rec);
}

static void write_journal(struct advice *a, const struct share_found *f)
{
	char written[TEXT_NUMBER], bytes[TEXT_NUMBER], unit[200 + 1];

	snprintf(a->fact, sizeof(a->fact),
		 "Of the %s written to %s, %s (%.0f %%) are the file system's journal; %.0f %% of it is of %s.",
		 text_bytes(written, f->written), name_disk(a->disk), text_bytes(bytes, f->bytes),
		 a->percent, 100.0 * (double)f->own / (double)f->bytes,
		 advise_unit(a->who.key.cgroup, unit, sizeof(unit)));
	snprintf(a->what, sizeof(a->what),
		 "The journal has what changes names, sizes and places of files: many files made and deleted, or files that grow by little between two fsync().  Fewer such changes, or a tmpfs for temporary files, make it small.");
	advise_see(a, "files", NULL);
}

static void tell_journal(struct advices *to, const char *name)
{
	share_each(&share, to, name, write_journal);
}

static void clear_journal(void)
{
	share_clear(&share);
}

const struct advise_rule advise_journal = {
	.name = "journal", .add = add_journal, .tell = tell_journal, .clear = clear_journal,
};

// SPDX-License-Identifier: GPL-2.0
/* Advice about IO that failed. */
#include <stdio.h>
#include <string.h>

#include "advise.h"
#include "escape.h"
#include "name.h"

struct failed {
	struct advise_entry e;
	uint64_t ios;
	int error;		/* of the last one */
};

static struct map map;

static void add_failed(const struct iob_iolog_bin_record *rec)
{
	struct failed *f;

	if (!rec->error || rec->part)
		return;
	f = advise_entry(&map, rec, BY_PROCESS, ADVISE_DISK, sizeof(*f));
	if (!f)
		return;
	f->ios++;
	f->error = rec->error;
}

static void tell_failed(struct advices *to, const char *name)
{
	const struct failed *f;
	struct advice *a;
	char who[160];
	size_t i;

	map_for_each(&map, i, f) {
		a = advise_new(to, name, &f->e);
		a->ios = f->ios;
		a->weight = f->ios;
		snprintf(a->fact, sizeof(a->fact), "%llu IO%s of %s on %s failed, the last one: %s.",
			 (unsigned long long)f->ios, f->ios == 1 ? "" : "s",
			 advise_who(&f->e, who, sizeof(who)), name_disk(a->disk),
			 strerror(-f->error));
		snprintf(a->what, sizeof(a->what),
			 "Look at the kernel's log (dmesg) and at the disk's own record (smartctl -a) before anything else.");
		advise_see(a, "errors", NULL);
	}
}

static void clear_failed(void)
{
	advise_clear_map(&map);
}

const struct advise_rule advise_errors = {
	.name = "errors", .add = add_failed, .tell = tell_failed, .clear = clear_failed,
};

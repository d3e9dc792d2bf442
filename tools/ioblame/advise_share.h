/* SPDX-License-Identifier: GPL-2.0 */
/*
 * advise_share - how much of what is written to a disk has one reason, and who causes that
 *
 * Example: of 100 MiB written to sda, 60 MiB are the journal, and 58 of these are of one unit.
 */
#ifndef IOBLAME_ADVISE_SHARE_H
#define IOBLAME_ADVISE_SHARE_H

#include "advise.h"

struct share {
	const char *why;		/* the reason, as intent_why() has it */
	enum pivot by;			/* what causes it */
	uint64_t least_bytes;		/* for this reason, on the disk */
	unsigned int least_percent;	/* of what is written to the disk */
	unsigned int least_one;		/* percent of it that one causes */
	struct map disks, whos;
};

/* What one is found to cause */
struct share_found {
	const struct advise_entry *e;
	uint64_t written, bytes;	/* on the disk, and for the reason there */
	uint64_t ios, own;		/* of these, its */
};

void share_add(struct share *s, const struct iob_iolog_bin_record *rec);
void share_each(const struct share *s, struct advices *to, const char *name,
		void (*one)(struct advice *a, const struct share_found *f));
void share_clear(struct share *s);

#endif

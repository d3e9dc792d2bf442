// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "advise_share.h"
#include "intent.h"
#include "msg.h"

struct share_disk {
	uint64_t disk;
	uint64_t written, bytes;	/* of all, and for the reason */
};

struct share_who {
	struct advise_entry e;
	uint64_t ios, bytes;
};

static struct share_disk *disk_of(struct share *s, uint64_t disk)
{
	struct share_disk *d = map_get(&s->disks, &disk);

	if (d || s->disks.nr >= ADVISE_ROOM)
		return d;
	d = must(calloc(1, sizeof(*d)));
	d->disk = disk;
	map_put(&s->disks, d);
	return d;
}

/* Add an IO, or a further part of one. */
void share_add(struct share *s, const struct iob_iolog_bin_record *rec)
{
	struct share_disk *d;
	struct share_who *w;

	if (rec->op != OP_WRITE)
		return;
	s->disks.key_len = sizeof(uint64_t);
	d = disk_of(s, rec->disk);
	if (!d) {
		advise_miss();
		return;
	}
	d->written += rec->bytes;
	if (strcmp(intent_why(rec), s->why))
		return;
	d->bytes += rec->bytes;
	w = advise_entry(&s->whos, rec, s->by, ADVISE_DISK, sizeof(*w));
	if (!w)
		return;
	w->ios += !rec->part;
	w->bytes += rec->bytes;
}

/**
 * share_each - make advice of each originator that stands out
 * @s:    the sums
 * @to:   gets the advice, with its figures
 * @name: of the rule
 * @one:  writes the texts
 */
void share_each(const struct share *s, struct advices *to, const char *name,
		void (*one)(struct advice *a, const struct share_found *f))
{
	const struct share_disk *d;
	const struct share_who *w;
	struct share_found f;
	struct advice *a;
	size_t i;

	map_for_each(&s->whos, i, w) {
		d = map_get(&s->disks, &w->e.key.disk);
		if (!d || d->bytes < s->least_bytes ||
		    d->bytes * 100 < d->written * s->least_percent ||
		    w->bytes * 100 < d->bytes * s->least_one)
			continue;
		f = (struct share_found){
			.e = &w->e, .written = d->written, .bytes = d->bytes,
			.ios = w->ios, .own = w->bytes,
		};
		a = advise_new(to, name, &w->e);
		a->ios = w->ios;
		a->bytes = w->bytes;
		a->percent = 100.0 * (double)d->bytes / (double)d->written;
		a->weight = w->bytes;
		one(a, &f);
	}
}

void share_clear(struct share *s)
{
	map_clear(&s->disks, free);
	advise_clear_map(&s->whos);
}

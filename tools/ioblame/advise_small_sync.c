// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about a program that makes little data safe at a time: it calls fsync() for each line.
 *
 * A flush that the program submits itself is its own.  A flush of a journal's commit is charged
 * to the one who logged the most, who need not be the one who waits for it.  So it counts only
 * if the program has submitted buffered data itself since the last one: fsync() makes it do so,
 * else the flusher would have.
 */
#include <stdio.h>
#include <string.h>

#include "advise.h"
#include "escape.h"
#include "intent.h"
#include "label.h"
#include "name.h"
#include "opf.h"
#include "text.h"

enum {
	LEAST_SYNCS = 30,
	LEAST_EACH_SECOND = 5,
	MOST_BYTES = 64 << 10,	/* of data for each */
};

struct syncer {
	struct advise_entry e;
	struct atom file;	/* that it wrote last */
	uint64_t syncs, bytes, first_ns, last_ns;
	uint64_t timed, ns;	/* of @syncs, those whose time is known, and it */
	bool pending;		/* it submitted buffered data since the last flush */
};

static struct map map;

static void add_data(struct syncer *s, const struct iob_iolog_bin_record *rec)
{
	s->bytes += rec->bytes;
	if (rec->ino) {
		s->file.key = s->e.label.key;
		name_note_file(rec->dev, rec->ino, rec->gen);
	}
	s->pending = true;
}

static void add_sync(const struct iob_iolog_bin_record *rec)
{
	bool flushes = rec->op == OP_FLUSH || rec->opf & (OPF_PREFLUSH | OPF_FUA);
	bool own = rec_is_own(rec);
	bool data = rec->op == OP_WRITE && own && !rec->modifier && !rec_is_metadata(rec);
	struct syncer *s;

	if (!flushes && !data)
		return;
	s = advise_entry(&map, rec, BY_PROCESS, ADVISE_DISK, sizeof(*s));
	if (!s)
		return;
	if (data)
		add_data(s, rec);
	if (!flushes || rec->part || !(own || s->pending))
		return;
	s->pending = false;
	s->syncs++;
	/* of IO that was under way when ioblame was switched on, it is not known */
	if (rec->queue_ns) {
		s->timed++;
		s->ns += rec_total_ns(rec);
	}
	if (!s->first_ns)
		s->first_ns = rec->complete_ns;
	s->last_ns = rec->complete_ns;
}

static bool is_small_sync(const struct syncer *s)
{
	double seconds = (double)(s->last_ns - s->first_ns) / 1e9;

	return s->syncs >= LEAST_SYNCS && s->bytes && s->bytes / s->syncs <= MOST_BYTES &&
	       (double)s->syncs >= LEAST_EACH_SECOND * seconds;
}

/* How long they took, of all or of those of which it is known */
static const char *took_text(const struct syncer *s, char *to, size_t size)
{
	char took[TEXT_NUMBER];

	if (!s->timed)
		snprintf(to, size, "how long the flushes took is not known");
	else if (s->timed < s->syncs)
		snprintf(to, size, "%llu of the flushes took %s, the others' time is not known",
			 (unsigned long long)s->timed, text_nsecs(took, s->ns));
	else
		snprintf(to, size, "the flushes took %s", text_nsecs(took, s->ns));
	return to;
}

static void tell_sync(struct advices *to, const char *name)
{
	char who[160], each[TEXT_NUMBER], all[TEXT_NUMBER], took[96];
	const struct syncer *s;
	struct advice *a;
	char file[300];
	size_t i;

	map_for_each(&map, i, s) {
		if (!is_small_sync(s))
			continue;
		a = advise_new(to, name, &s->e);
		a->who = s->file.key.ino ? s->file : s->e.label;
		a->has_file = s->file.key.ino;
		a->ios = s->syncs;
		a->bytes = s->bytes;
		a->ns = s->ns;
		a->weight = s->syncs;
		snprintf(file, sizeof(file), "%s", a->has_file ? label_file(&a->who) : "");
		snprintf(a->fact, sizeof(a->fact),
			 "%s flushed %s %llu times in %.1f s, for %s of data each (%s in all%s%s); %s.",
			 advise_who(&s->e, who, sizeof(who)), name_disk(a->disk),
			 (unsigned long long)s->syncs, (double)(s->last_ns - s->first_ns) / 1e9,
			 text_bytes(each, s->bytes / s->syncs), text_bytes(all, s->bytes),
			 *file ? ", the last to " : "", escape_cut(file),
			 took_text(s, took, sizeof(took)));
		snprintf(a->what, sizeof(a->what),
			 "The disk is asked to make little safe, often.  If the program can lose its last moment, or write more before each fsync() (one transaction for many rows), it waits less.");
		advise_see(a, "flush", &s->e);
	}
}

static void clear_sync(void)
{
	advise_clear_map(&map);
}

const struct advise_rule advise_small_sync = {
	.name = "small_sync", .add = add_sync, .tell = tell_sync, .clear = clear_sync,
};

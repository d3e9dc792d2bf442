// SPDX-License-Identifier: GPL-2.0
/*
 * Advice about small writes all over one file.
 *
 * Pages that were dirtied at random leave memory in the order of the file, so what is random
 * here is so after all that the kernel could do: the next write does not begin where the last
 * one ended.
 */
#include <stdio.h>

#include "advise.h"
#include "escape.h"
#include "intent.h"
#include "label.h"
#include "name.h"
#include "text.h"

enum {
	LEAST_WRITES = 500,
	MOST_BYTES = 16 << 10,	/* of a write, on average */
	LEAST_RANDOM = 80,	/* percent */
	LEAST_SHARE = 25,	/* percent of all writes to all disks */
};

struct writer {
	struct advise_entry e;
	uint64_t writes, bytes, random, end;
};

static struct map map;
static uint64_t all_writes;

static void add_write(const struct iob_iolog_bin_record *rec)
{
	struct writer *w;

	if (rec->op != OP_WRITE || !rec->bytes)
		return;
	all_writes += !rec->part;
	if (!rec->ino || rec_is_metadata(rec) ||
	    (rec->modifier & IOB_MODIFIER_TYPE_MASK) == IOB_MODIFIER_JOURNAL)
		return;
	w = advise_entry(&map, rec, BY_PROCESS, ADVISE_DISK | ADVISE_FILE, sizeof(*w));
	if (!w)
		return;
	if (!rec->part) {
		w->random += w->writes && rec->sector != w->end;
		w->writes++;
	}
	w->bytes += rec->bytes;
	w->end = rec->sector + rec->bytes / 512;
}

static bool is_random(const struct writer *w)
{
	return w->writes >= LEAST_WRITES && w->bytes / w->writes <= MOST_BYTES &&
	       w->random * 100 >= w->writes * LEAST_RANDOM &&
	       w->writes * 100 >= all_writes * LEAST_SHARE;
}

static void tell_random(struct advices *to, const char *name)
{
	char who[160], each[TEXT_NUMBER];
	const struct writer *w;
	struct advice *a;
	char file[300];
	size_t i;

	map_for_each(&map, i, w) {
		if (!is_random(w))
			continue;
		a = advise_new(to, name, &w->e);
		a->has_file = true;
		a->ios = w->writes;
		a->bytes = w->bytes;
		a->percent = 100.0 * (double)w->random / (double)w->writes;
		a->weight = w->writes;
		snprintf(file, sizeof(file), "%s", label_file(&w->e.label));
		snprintf(a->fact, sizeof(a->fact),
			 "%s wrote %s in %llu pieces of %s on average; %.0f %% did not begin where the last one ended.",
			 advise_who(&w->e, who, sizeof(who)), escape_cut(file),
			 (unsigned long long)w->writes, text_bytes(each, w->bytes / w->writes),
			 a->percent);
		snprintf(a->what, sizeof(a->what),
			 "Each is a seek of a disk that turns, and wears an SSD by more than its bytes.  A log that is appended to, larger records, or more memory before the data is synced make fewer and larger ones.");
		advise_see(a, "pattern --by file", &w->e);
	}
}

static void clear_random(void)
{
	advise_clear_map(&map);
	all_writes = 0;
}

const struct advise_rule advise_random_writes = {
	.name = "random_writes", .add = add_write, .tell = tell_random, .clear = clear_random,
};

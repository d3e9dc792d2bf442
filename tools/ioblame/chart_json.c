// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agg.h"
#include "chart.h"
#include "chart_json.h"
#include "choice.h"
#include "escape.h"
#include "flame.h"
#include "flame_sums.h"
#include "group.h"
#include "hist.h"
#include "label.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "story.h"

enum {
	/* as many colours as all eyes tell apart, less one for the others */
	TRACKS_SHOWN = 7,
	DISKS_SHOWN = 4,
	BOXES = 1200,		/* of a flame graph, of which there are three */
	NAME = 90,
};

#define LLU(n)	((unsigned long long)(n))

/* Print valid UTF-8 without control characters as a JSON string. */
void chart_json_text(FILE *f, const char *text)
{
	putc('"', f);
	for (; *text; text++) {
		if (*text == '<')
			fputs("\\u003c", f);
		else if (*text == '"' || *text == '\\')
			fprintf(f, "\\%c", *text);
		else
			putc(*text, f);
	}
	putc('"', f);
}

enum value {
	READ, WRITTEN, IOS, TIMED, TOTAL, LONGEST,
	NR_VALUES,
};

static uint64_t bin_value(const struct chart_bin *bin, enum value value)
{
	switch (value) {
	case READ:
		return bin->read;
	case WRITTEN:
		return bin->written;
	case IOS:
		return bin->ios;
	case TIMED:
		return bin->timed;
	case TOTAL:
		return bin->total_ns;
	default:
		return bin->max_ns;
	}
}

static void print_track(FILE *f, const char *name, const struct chart_bin *bin, unsigned int nr)
{
	static const char *const keys[NR_VALUES] = {
		"read", "written", "ios", "timed", "total_ns", "max_ns",
	};
	unsigned int i;
	enum value v;

	fputs("{\"name\":", f);
	chart_json_text(f, name);
	for (v = 0; v < NR_VALUES; v++) {
		fprintf(f, ",\"%s\":[", keys[v]);
		for (i = 0; i < nr; i++)
			fprintf(f, "%s%llu", i ? "," : "", LLU(bin_value(&bin[i], v)));
		putc(']', f);
	}
	putc('}', f);
}

/* Take a track out of what is left for the others; the longest time stays what it is. */
static void subtract_track(struct chart_bin *rest, const struct chart_track *t, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		rest[i].read -= t->bin[i].read;
		rest[i].written -= t->bin[i].written;
		rest[i].ios -= t->bin[i].ios;
		rest[i].timed -= t->bin[i].timed;
		rest[i].total_ns -= t->bin[i].total_ns;
	}
}

/* The longest time in each bin of those that have no track of their own here */
static void longest_of_others(const struct chart *c, const struct chart_track *const *shown,
			      unsigned int nr_shown, struct chart_bin *rest)
{
	const struct chart_track *t;
	unsigned int k;
	size_t i;

	for (i = 0; i < c->used; i++)
		rest[i].max_ns = 0;
	map_for_each(&c->tracks, i, t) {
		for (k = 0; k < nr_shown && shown[k] != t; k++)
			;
		if (k < nr_shown)
			continue;
		for (k = 0; k < c->used; k++) {
			if (rest[k].max_ns < t->bin[k].max_ns)
				rest[k].max_ns = t->bin[k].max_ns;
		}
	}
}

/* Bytes without an IO: others have the first part of it. */
static bool has_io(const struct chart_bin *bin, unsigned int nr)
{
	while (nr && !bin->ios && !bin->read && !bin->written) {
		bin++;
		nr--;
	}
	return nr;
}

/* The heaviest originators, in the order of the rows, and the sum of all others. */
static void print_tracks(FILE *f, const struct chart *c, const struct agg *agg)
{
	const struct chart_track *shown[TRACKS_SHOWN], *t;
	struct chart_bin rest[CHART_BINS];
	unsigned int nr_shown = 0;
	struct row_more more;
	struct row *rows;
	char name[4096];
	size_t nr, i;

	memcpy(rest, c->all, sizeof(rest));
	nr = story_rows(agg, &rows);
	fputs("\"tracks\":[", f);
	for (i = 0; i < nr && nr_shown < TRACKS_SHOWN; i++) {
		group_more(&rows[i], &more);
		t = chart_track(c, more.lead);
		/* it was forgotten for a while: half of the truth would mislead */
		if (!t || t->ios < rows[i].all_ios ||
		    t->weight < rows[i].all_bytes + rows[i].all_ios)
			continue;
		label_row(more.lead, BY_PROCESS, name, NAME);
		fputs(nr_shown ? "," : "", f);
		print_track(f, name, t->bin, c->used);
		subtract_track(rest, t, c->used);
		shown[nr_shown++] = t;
	}
	if (has_io(rest, c->used)) {
		longest_of_others(c, shown, nr_shown, rest);
		fputs(nr_shown ? "," : "", f);
		print_track(f, "others", rest, c->used);
	}
	putc(']', f);
	free(rows);
}

/* Counts by time and latency: triples of bin, slot and count; and where each slot begins. */
static void print_latency(FILE *f, const struct chart *c)
{
	unsigned int i, slot;
	bool more = false;

	fputs("\"slots\":[", f);
	for (slot = 0; slot <= HIST_SLOTS; slot++)
		fprintf(f, "%s%llu", slot ? "," : "", LLU(hist_low(slot)));
	fputs("],\"latency\":[", f);
	for (i = 0; i < c->used; i++) {
		for (slot = 0; slot < HIST_SLOTS; slot++) {
			if (!c->latency[i][slot])
				continue;
			fprintf(f, "%s%u,%u,%llu", more ? "," : "", i, slot,
				LLU(c->latency[i][slot]));
			more = true;
		}
	}
	putc(']', f);
}

/* Cells: time, place, IOs, bytes, and of the IOs whose time is known that and their number. */
static void print_disk(FILE *f, const struct chart_disk *d)
{
	const struct chart_cell *cell;
	unsigned int i, k;
	bool more = false;

	fputs("{\"disk\":", f);
	chart_json_text(f, name_disk(d->disk));
	fprintf(f, ",\"ios\":%llu,\"step\":%llu,\"cells\":[", LLU(d->ios), LLU(d->step));
	for (i = 0; i < CHART_TIMES; i++) {
		for (k = 0; k < CHART_PLACES; k++) {
			cell = &d->cell[i][k];
			if (!cell->ios && !cell->bytes)
				continue;
			fprintf(f, "%s%u,%u,%llu,%llu,%llu,%llu", more ? "," : "", i, k,
				LLU(cell->ios), LLU(cell->bytes), LLU(cell->total_ns / 1000),
				LLU(cell->timed));
			more = true;
		}
	}
	fputs("]}", f);
}

static int compare_disks(const void *va, const void *vb)
{
	const struct chart_disk *a = *(struct chart_disk **)va, *b = *(struct chart_disk **)vb;

	return (a->ios < b->ios) - (a->ios > b->ios);
}

static void print_disks(FILE *f, const struct chart *c)
{
	unsigned int shown = c->nr_disks < DISKS_SHOWN ? c->nr_disks : DISKS_SHOWN, i;
	struct chart_disk *disk[CHART_DISKS];

	memcpy(disk, c->disk, sizeof(disk));
	qsort(disk, c->nr_disks, sizeof(disk[0]), compare_disks);
	fprintf(f, "\"more_disks\":%llu,\"disks\":[", LLU(c->nr_disks - shown + c->forgotten.nr));
	for (i = 0; i < shown; i++) {
		fputs(i ? "," : "", f);
		print_disk(f, disk[i]);
	}
	putc(']', f);
}

/**
 * chart_json - print charts as members of a JSON object
 * @f:   where to
 * @c:   the charts
 * @agg: the sums of the same IO, which say who comes first
 */
void chart_json(FILE *f, const struct chart *c, const struct agg *agg)
{
	fprintf(f, "\"width_ns\":%llu,\"bins\":%u,\"cell_bins\":%u,", LLU(c->width_ns), c->used,
		CHART_BINS / CHART_TIMES);
	print_tracks(f, c, agg);
	putc(',', f);
	print_latency(f, c);
	putc(',', f);
	print_disks(f, c);
}

struct boxes {
	FILE *f;
	unsigned int nr;
};

static void print_box(const char *name, unsigned int level, uint64_t weight, void *arg)
{
	struct boxes *b = arg;
	char cut[NAME];

	/* whatever was recorded */
	if (b->nr >= BOXES)
		return;
	snprintf(cut, sizeof(cut), "%s", name);
	fprintf(b->f, "%s%u,", b->nr++ ? "," : "", level);
	chart_json_text(b->f, escape_cut(cut));
	fprintf(b->f, ",%llu", LLU(weight));
}

static void print_flame(FILE *f, const struct flame *flame)
{
	struct boxes b = { .f = f };

	putc('[', f);
	flame_walk(flame, flame_least(flame, BOXES), print_box, &b);
	putc(']', f);
}

/* Print flame graphs: level, name and weight of each box, a box before its children. */
void chart_json_flames(FILE *f, const struct agg *agg)
{
	struct flame *flame;
	enum weight w;

	fputs("\"flames\":{", f);
	for (w = 0; w < NR_WEIGHTS; w++) {
		flame = flame_of_sums(agg, w);
		fprintf(f, "%s\"%s\":", w ? "," : "", choice_weights[w]);
		print_flame(f, flame);
		flame_free(flame);
	}
	putc('}', f);
}

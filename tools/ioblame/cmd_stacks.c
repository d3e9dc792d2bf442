// SPDX-License-Identifier: GPL-2.0
/*
 * stacks: folded for flame graph programs, or the flame graph itself
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "flame.h"
#include "intent.h"
#include "msg.h"
#include "name.h"
#include "out.h"
#include "rows.h"
#include "table.h"
#include "text.h"

enum {
	FRAMES = 260,
	NAME = 256,
};

static struct agg agg;
static FILE *file;

static int begin(struct run *run)
{
	const struct opts *o = run->opts;

	agg_init(&agg, FIELD_TOTAL);
	if (!o->output)
		return 0;
	if (device_under_path(o->output, run->session.device, run->session.nr_devices))
		msg("the output is on a disk that is watched: what is written to it is seen, too");
	file = fopen(o->output, "we");
	if (file)
		return 0;
	msg("cannot write the output: %s", strerror(errno));
	return EXIT_FAILED;
}

static void record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	agg_add(&agg, rec);
}

static uint64_t weight_of(const struct atom *a, enum weight weight)
{
	switch (weight) {
	case WEIGHT_IOS:
		return a->ios;
	case WEIGHT_TIME:
		return a->total_ns / 1000;
	default:
		return a->bytes;
	}
}

static const char *unit_of(enum weight weight)
{
	return weight == WEIGHT_IOS ? "IOs" : weight == WEIGHT_TIME ? "us" : "bytes";
}

/* Program, then its functions, then why it was written now. */
static void add_atom(struct flame *f, const struct atom *a, uint64_t weight)
{
	static char names[FRAMES][NAME];
	const char *frame[FRAMES + 2];
	const struct intent *in = intent_get(a->key.intent);
	char comm[TEXT_ESCAPED(IOB_COMM_LEN)], why[64], reason[72];
	unsigned int i, nr = 0;

	frame[nr++] = row_comm(a, comm, sizeof(comm));
	for (i = in ? in->depth : 0; i-- && nr < FRAMES;) {
		snprintf(names[nr], NAME, "%.*s", (int)strcspn(in->frame[i], "+ "),
			 in->frame[i]);
		frame[nr] = text_cut(names[nr]);
		nr++;
	}
	snprintf(why, sizeof(why), "%.58s", a->why);
	snprintf(reason, sizeof(reason), "[%s]", text_cut(why));
	frame[nr++] = reason;
	if (weight)
		flame_add(f, frame, nr, weight);
}

static void put(const char *text)
{
	if (file)
		fputs(text, file);
	else
		out_puts(text);
}

static void json_stacks(const struct run *run)
{
	struct json_object *o;
	struct row *rows;
	size_t i, nr;
	char *folded;
	const struct intent *in;

	nr = agg_rows(&agg, BY_STACK, SORT_BYTES, &rows);
	for (i = 0; i < nr; i++) {
		in = intent_get(rows[i].stack->key.intent);
		folded = in ? stack_folded(in, ";", true) : NULL;
		o = json_begin("stack");
		json_n(o, "intent", rows[i].stack->key.intent);
		json_text(o, "why", rows[i].why->why);
		json_text(o, "folded", folded);
		json_n(o, "ios", rows[i].all_ios);
		json_n(o, "bytes", rows[i].all_bytes);
		json_n(o, "total_us", rows[i].total_ns / 1000);
		json_print(o);
		free(folded);
	}
	free(rows);
	(void)run;
}

static void picture(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	const struct opts *o = run->opts;
	struct flame *f;
	struct atom *a;
	char title[128];
	size_t i;

	/* one picture, of everything */
	if (!last)
		return;
	if (o->format == FORMAT_JSON) {
		json_stacks(run);
		return;
	}
	f = flame_new();
	map_for_each(&agg.atoms, i, a)
		add_atom(f, a, weight_of(a, o->weight));
	if (o->svg) {
		snprintf(title, sizeof(title), "Block IO by originator, %s, %.1f s",
			 unit_of(o->weight), (double)(to_ns - from_ns) / 1e9);
		flame_svg(f, title, unit_of(o->weight), put);
	} else {
		flame_folded(f, put);
	}
	flame_free(f);
}

static int end(struct run *run)
{
	agg_clear(&agg);
	(void)run;
	if (file && (ferror(file) | fclose(file))) {
		msg("cannot write the output: %s", strerror(errno));
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

int cmd_stacks(const struct opts *o)
{
	static const struct view view = {
		.begin = begin, .record = record, .interval = picture, .end = end,
	};
	struct opts own = *o;

	if (own.interval_ns && !own.duration_ns)
		own.duration_ns = own.interval_ns * (own.count ? own.count : 1);
	own.interval_ns = 0;
	own.count = 0;
	return run_view(&own, &view);
}

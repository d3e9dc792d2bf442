// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

#include "agg.h"
#include "choice.h"
#include "escape.h"
#include "flame.h"
#include "flame_sums.h"
#include "intent.h"
#include "label.h"
#include "map.h"

enum {
	FRAMES = 260,
	NAME = 256,
};

static uint64_t atom_weight(const struct atom *a, enum weight weight)
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

/* Frames: the program, its functions from the outermost, the reason of the IO. */
static void add_atom(struct flame *f, const struct atom *a, uint64_t weight)
{
	static char names[FRAMES][NAME];
	const char *frame[FRAMES + 2];
	const struct intent *in = intent_get(a->key.intent);
	char comm[ESCAPE_SIZE(IOB_COMM_LEN)], why[64], reason[72];
	unsigned int i, nr = 0;

	frame[nr++] = label_comm(a, comm, sizeof(comm));
	for (i = in ? in->depth : 0; i-- && nr < FRAMES;) {
		frame[nr] = intent_function(in->frame[i], names[nr], NAME);
		nr++;
	}
	snprintf(why, sizeof(why), "%.58s", a->why);
	snprintf(reason, sizeof(reason), "[%s]", escape_cut(why));
	frame[nr++] = reason;
	if (weight)
		flame_add(f, frame, nr, weight);
}

/* A new tree of the stacks of all sums. */
struct flame *flame_of_sums(const struct agg *agg, enum weight weight)
{
	struct flame *f = flame_new();
	struct atom *a;
	size_t i;

	map_for_each(&agg->atoms, i, a)
		add_atom(f, a, atom_weight(a, weight));
	return f;
}

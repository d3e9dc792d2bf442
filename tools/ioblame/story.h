/* SPDX-License-Identifier: GPL-2.0 */
/*
 * story - what happened, in five sentences
 *
 * Example: "In 12.4 s, 967 IOs read 4.0M and wrote 24M on vda and vdb."
 */
#ifndef IOBLAME_STORY_H
#define IOBLAME_STORY_H

#include <stdint.h>

#include "agg.h"
#include "group.h"
#include "rec.h"

enum {
	STORY_SENTENCES = 5,
	STORY_TEXT = 1024,
	STORY_SUBMITTERS = 64,
};

struct story {
	uint64_t written, by_others;	/* bytes; submitted by another program */
	struct story_submitter {
		char comm[IOB_COMM_LEN];
		uint64_t bytes;
		uint64_t before;	/* of these, those of whom it took the place of */
	} submitter[STORY_SUBMITTERS];
	unsigned int nr;
};

void story_add(struct story *s, const struct iob_iolog_bin_record *rec);
size_t story_rows(const struct agg *agg, struct row **rows);
void story_tell(const struct story *s, const struct agg *agg, uint64_t ns,
		char sentence[STORY_SENTENCES][STORY_TEXT]);

#endif

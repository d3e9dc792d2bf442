/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tape - a recording as it is written
 *
 * Several may be written at a time, each with a note of its own of which names and intents are in
 * it: those that its records use, and no other.
 */
#ifndef IOBLAME_TAPE_H
#define IOBLAME_TAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <linux/ioblame.h>

#include "store.h"

enum {
	TAPES_MOST = 64,	/* at a time */
};

struct tape;

struct tape *tape_begin(FILE *to, const struct store_head *head, bool packed);
void tape_only_of(struct tape *t, uint32_t uid);
void tape_write(struct tape *t, uint32_t type, const void *data, size_t len);
void tape_text(struct tape *t, uint32_t type, const char *text);
void tape_add(struct tape *t, const struct iob_iolog_bin_record *rec);
void tape_set_wall(struct tape *t, int64_t wall_ns);
bool tape_flush(struct tape *t);
int tape_error(const struct tape *t);
int tape_end(struct tape *t, uint64_t *written);

#endif

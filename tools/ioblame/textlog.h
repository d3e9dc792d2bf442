/* SPDX-License-Identifier: GPL-2.0 */
/*
 * textlog - records out of the text log
 *
 * Pure.  The text log lacks the time of completion, processes and cgroups: the caller
 * adds them.
 */
#ifndef IOBLAME_TEXTLOG_H
#define IOBLAME_TEXTLOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ioblame.h>

struct textlog {
	struct iob_iolog_bin_record rec;	/* the entry that is parsed */
	char disk[64];				/* its disk, by name */
	bool pending;
};

void textlog_unescape(char *to, size_t size, const char *s, size_t len);
bool textlog_head(struct textlog *t, const char *line, size_t len, uint64_t now_ns);
bool textlog_act(struct iob_iolog_bin_record *rec, const char *line, size_t len);
void textlog_intent(struct textlog *t, const char *line);

#endif

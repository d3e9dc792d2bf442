/* SPDX-License-Identifier: GPL-2.0 */
/*
 * intent - the module's intents: a stack and a reason for each number
 *
 * Parsing is pure.  An intent never changes in a session, so each is read once.
 */
#ifndef IOBLAME_INTENT_H
#define IOBLAME_INTENT_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/ioblame.h>

struct intent {
	uint32_t nr;
	uint32_t modifier;
	bool direct;		/* a stack of direct IO */
	const char *why;	/* the modifier's name, NULL without one */
	unsigned int depth;
	const char **frame;	/* innermost first, without address: f+0x1/0x2 [mod] */
};

bool intent_parse(const char *text);
const struct intent *intent_get(uint32_t nr);
void intent_load(int fd);
void intent_forget(void);
void intent_note_session(uint64_t module, uint64_t session);
void intent_begin_other(void);
uint32_t intent_number(uint32_t nr);
const char *intent_why(const struct iob_iolog_bin_record *rec);
char *intent_function(const char *frame, char *to, unsigned int size);
char *intent_folded(const struct intent *in, const char *separator, bool outermost_first);
char *intent_text(const struct intent *in);
uint32_t intent_count(void);
uint64_t intent_session(void);
uint64_t intent_no_room(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * intent - how an IO came about: a stack trace and a modifier
 *
 * Two IOs with the same return addresses and the same modifier have the same intent.
 *
 * Example: cp and rsync both dirty pages by vfs_write() -> generic_file_write_iter() -> ...:
 * that is one intent, say 12, with modifier 0.  A journal writes a block that was changed by
 * this stack: that is intent 13, the same trace with IOB_MODIFIER_JOURNAL.
 *
 * An intent lives until its session ends.  So its number is its name, without a
 * generation, and a reader may hold a pointer as long as it holds the session.
 */
#ifndef IOB_CORE_INTENT_H
#define IOB_CORE_INTENT_H

#include <linux/ioblame.h>

#include "index.h"

/* return addresses that an intent has at most */
#define IOB_STACK_DEPTH	40

#define IOB_INTENT_OTHERS	2

struct iob_intent {
	struct iob_node node;
	u32 modifier;
	u16 depth;
	u16 flags;		/* of iob_marks_of() */
	/*
	 * The same trace with other modifiers, the first ones asked for:
	 * modifier << 32 | number, or 0.  Set once.
	 */
	u64 other[IOB_INTENT_OTHERS];
	unsigned long trace[];
};

int iob_intents_init(u32 max);
void iob_intents_exit(void);
u32 iob_intent_find(const unsigned long *trace, unsigned int depth, u32 modifier);
u32 iob_intent_modified(u32 nr, u32 modifier);
const struct iob_intent *iob_intent_nr(u32 nr);
u32 iob_intents_count(void);

#endif

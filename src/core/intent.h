/* SPDX-License-Identifier: GPL-2.0 */
/*
 * intent - how: a stack trace and a modifier
 *
 * Intents are made and never destroyed while a session lives, so their number
 * is name enough and a reader may hold a pointer as long as it holds the
 * session.
 */
#ifndef IOB_CORE_INTENT_H
#define IOB_CORE_INTENT_H

#include <linux/ioblame.h>

#include "index.h"
#include "stack/stack.h"

/* what the trace says about the IO, worked out once when the intent is made */
#define IOB_INTENT_REDIRTY	1	/* writeback puts a page back */
#define IOB_INTENT_WRITEBACK	2	/* inside writeback of a file */

/* the functions whose place in a trace says so */
enum iob_mark {
	IOB_MARK_WRITEBACK,
	IOB_MARK_REDIRTY,
	IOB_MARK_REDIRTY_BTRFS,
	IOB_NR_MARKS,
};

#define IOB_INTENT_OTHERS	2

struct iob_intent {
	struct iob_node node;
	u32 modifier;
	u16 depth;
	u16 flags;
	/*
	 * The same stack under the first other modifiers that were wanted: the modifier
	 * and, below it, the number; 0: none yet.  Set once.
	 */
	u64 other[IOB_INTENT_OTHERS];
	unsigned long trace[];
};

int iob_intents_init(u32 max);
void iob_intents_exit(void);
void iob_intent_mark(unsigned long func, enum iob_mark which);
void iob_intent_unmark(void);
u32 iob_intent_find(const struct iob_stack *s, u32 modifier);
void iob_intent_check(u32 nr, unsigned long ip, unsigned long sp,
		      unsigned long bp);

/**
 * iob_intent_get - the number of the intent with this stack and modifier
 * @s:	      the stack
 * @modifier: see IOB_MODIFIER_*
 *
 * Made if it is new.  Any context but NMI, inside iob_read_lock().
 * Return: its number, IOB_INTENT_NOMEM if it could not be made (counted).
 */
static inline u32 iob_intent_get(const struct iob_stack *s, u32 modifier)
{
	const struct iob_stack_slot *m = s->slot;

	/* intents last as long as what is remembered */
	if (likely(m && m->intent && m->modifier == modifier))
		return m->intent;
	return iob_intent_find(s, modifier);
}

u32 iob_intent_modified(u32 nr, u32 modifier);
const struct iob_intent *iob_intent_nr(u32 nr);
u32 iob_intents_count(void);

#endif

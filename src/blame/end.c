// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>

#include "end.h"

#define MAX_FUNCS	16
#define MAX_CHAIN	4

/* One writer, under the hooks' lock, while probes may read. */
static struct {
	unsigned long func;
	enum iob_end kind;
} ends[MAX_FUNCS];

static bio_end_io_t *chain_endio;	/* bio_chain_endio(), not exported */

/**
 * iob_end_mark - bios that this function ends are of a kind
 * @kind: which; several functions may be of one kind
 * @func: the function's address
 *
 * May sleep.  One caller at a time.
 */
void iob_end_mark(enum iob_end kind, unsigned long func)
{
	unsigned int i;

	for (i = 0; i < MAX_FUNCS; i++) {
		if (ends[i].func)
			continue;
		ends[i].kind = kind;
		/* who sees the function sees the kind */
		smp_store_release(&ends[i].func, func);
		return;
	}
	WARN_ON_ONCE(1);
}

/* Forget a kind: its module goes, and has no bios any more. */
void iob_end_unmark(enum iob_end kind)
{
	unsigned int i;

	for (i = 0; i < MAX_FUNCS; i++) {
		if (ends[i].kind == kind)
			WRITE_ONCE(ends[i].func, 0);
	}
}

/* Forget all.  While no probe is attached. */
void iob_ends_unmark(void)
{
	memset(ends, 0, sizeof(ends));
}

/* Whether a bio is a piece of the one in its bi_private.  Any context. */
bool iob_end_chained(const struct bio *bio)
{
	return bio->bi_end_io == chain_endio;
}

/**
 * iob_end_of - what a bio is
 * @bio:  the bio
 * @last: gets the bio that it is a piece of, or @bio
 *
 * Any context, while @bio is under way.
 */
enum iob_end iob_end_of(const struct bio *bio, const struct bio **last)
{
	unsigned int i;

	for (i = 0; i < MAX_CHAIN && iob_end_chained(bio); i++)
		bio = bio->bi_private;
	*last = bio;
	for (i = 0; i < MAX_FUNCS; i++) {
		/* pairs with iob_end_mark() */
		if (smp_load_acquire(&ends[i].func) ==
		    (unsigned long)bio->bi_end_io)
			return bio->bi_end_io ? ends[i].kind : IOB_END_NONE;
	}
	return IOB_END_NONE;
}

/* bio_chain_endio() is not exported, but bio_chain() leaves it in a bio. */
void iob_ends_init(void)
{
	struct bio child = { .bi_end_io = NULL }, parent = { .bi_end_io = NULL };

	atomic_set(&parent.__bi_remaining, 1);
	bio_chain(&child, &parent);
	chain_endio = child.bi_end_io;
}

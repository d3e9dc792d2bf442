// SPDX-License-Identifier: GPL-2.0
#include <linux/hash.h>
#include <linux/kernel.h>

#include "end.h"

#define MAX_CHAIN	4

/*
 * Which functions end what: open addressing, never more than half full.  One
 * writer, under the hooks' lock, while probes may read; a place that was taken
 * once is not empty again until all are.
 */
static struct {
	unsigned long func;	/* or 0, or GONE */
	enum iob_end kind;
} ends[1 << IOB_END_BITS];

#define GONE		1UL
#define NR_ENDS		ARRAY_SIZE(ends)

bio_end_io_t *iob_chain_endio;	/* bio_chain_endio(), not exported */

static unsigned int place_of(unsigned long func)
{
	return hash_long(func, IOB_END_BITS);
}

/**
 * iob_end_mark - bios that this function ends are of a kind
 * @kind: which; several functions may be of one kind
 * @func: the function's address
 *
 * May sleep.  One caller at a time.
 */
void iob_end_mark(enum iob_end kind, unsigned long func)
{
	unsigned int n, i = place_of(func);

	for (n = 0; n < NR_ENDS / 2; n++, i = (i + 1) % NR_ENDS) {
		if (ends[i].func > GONE && ends[i].func != func)
			continue;
		WRITE_ONCE(ends[i].kind, kind);
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

	for (i = 0; i < NR_ENDS; i++) {
		if (ends[i].func && ends[i].kind == kind)
			WRITE_ONCE(ends[i].func, GONE);
	}
}

/* Forget all.  While no probe is attached. */
void iob_ends_unmark(void)
{
	memset(ends, 0, sizeof(ends));
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
	unsigned int n, i;

	for (i = 0; i < MAX_CHAIN && iob_end_chained(bio); i++)
		bio = bio->bi_private;
	*last = bio;
	i = place_of((unsigned long)bio->bi_end_io);
	for (n = 0; n < NR_ENDS; n++, i = (i + 1) % NR_ENDS) {
		/* pairs with iob_end_mark() */
		unsigned long func = smp_load_acquire(&ends[i].func);

		if (!func)
			break;
		if (func == (unsigned long)bio->bi_end_io)
			return READ_ONCE(ends[i].kind);
	}
	return IOB_END_NONE;
}

/* bio_chain_endio() is not exported, but bio_chain() leaves it in a bio. */
void iob_ends_init(void)
{
	struct bio child = { .bi_end_io = NULL }, parent = { .bi_end_io = NULL };

	atomic_set(&parent.__bi_remaining, 1);
	bio_chain(&child, &parent);
	iob_chain_endio = child.bi_end_io;
}

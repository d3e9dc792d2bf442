// SPDX-License-Identifier: GPL-2.0
#include <linux/hash.h>
#include <linux/kernel.h>

#include "end.h"

struct iob_end_func iob_end_funcs[IOB_NR_ENDS];

#define GONE		1UL

bio_end_io_t *iob_chain_endio;	/* bio_chain_endio(), not exported */

/**
 * iob_end_mark - bios that this function ends are of a kind
 * @kind: which; several functions may be of one kind
 * @func: the function's address
 *
 * May sleep.  One caller at a time.
 */
void iob_end_mark(enum iob_end kind, unsigned long func)
{
	unsigned int n, i = iob_end_place(func);

	for (n = 0; n < IOB_NR_ENDS / 2; n++, i = (i + 1) % IOB_NR_ENDS) {
		if (iob_end_funcs[i].func > GONE && iob_end_funcs[i].func != func)
			continue;
		WRITE_ONCE(iob_end_funcs[i].kind, kind);
		/* who sees the function sees the kind */
		smp_store_release(&iob_end_funcs[i].func, func);
		return;
	}
	WARN_ON_ONCE(1);
}

/* Forget a kind: its module goes, and has no bios any more. */
void iob_end_unmark(enum iob_end kind)
{
	unsigned int i;

	for (i = 0; i < IOB_NR_ENDS; i++) {
		if (iob_end_funcs[i].func && iob_end_funcs[i].kind == kind)
			WRITE_ONCE(iob_end_funcs[i].func, GONE);
	}
}

/* Forget all.  While no probe is attached. */
void iob_ends_unmark(void)
{
	memset(iob_end_funcs, 0, sizeof(iob_end_funcs));
}

/* bio_chain_endio() is not exported, but bio_chain() leaves it in a bio. */
void iob_ends_init(void)
{
	struct bio child = { .bi_end_io = NULL }, parent = { .bi_end_io = NULL };

	atomic_set(&parent.__bi_remaining, 1);
	bio_chain(&child, &parent);
	iob_chain_endio = child.bi_end_io;
}

// SPDX-License-Identifier: GPL-2.0
#include <linux/hash.h>
#include <linux/kernel.h>

#include "bio_kind.h"

const struct iob_bio_kind iob_bio_direct = { .name = "direct" };
const struct iob_bio_kind iob_bio_buffer = { .name = "buffer" };
const struct iob_bio_kind iob_bio_ciphertext = { .name = "ciphertext" };

struct iob_bio_kind_func iob_bio_kind_funcs[IOB_NR_BIO_KINDS];

#define GONE		1UL

bio_end_io_t *iob_chain_endio;	/* bio_chain_endio(), which is not exported */

/**
 * iob_bio_kind_mark - bios that a function ends are of a kind
 * @kind: which; several functions may be of one kind
 * @func: the function's address
 *
 * May sleep.  One caller at a time.
 */
void iob_bio_kind_mark(const struct iob_bio_kind *kind, unsigned long func)
{
	unsigned int n, i = iob_bio_kind_place(func);

	for (n = 0; n < IOB_NR_BIO_KINDS / 2; n++, i = (i + 1) % IOB_NR_BIO_KINDS) {
		struct iob_bio_kind_func *f = &iob_bio_kind_funcs[i];

		if (f->func > GONE && f->func != func)
			continue;
		WRITE_ONCE(f->kind, kind);
		/* a reader that sees the function sees the kind */
		smp_store_release(&f->func, func);
		return;
	}
	WARN_ON_ONCE(1);
}

/* Forget a function: its module goes, and has no bios any more.  One caller at a time. */
void iob_bio_kind_unmark(unsigned long func)
{
	unsigned int i;

	for (i = 0; i < IOB_NR_BIO_KINDS; i++) {
		if (iob_bio_kind_funcs[i].func == func)
			WRITE_ONCE(iob_bio_kind_funcs[i].func, GONE);
	}
}

/* Forget all kinds.  No probe is attached. */
void iob_bio_kinds_unmark(void)
{
	memset(iob_bio_kind_funcs, 0, sizeof(iob_bio_kind_funcs));
}

/* Module load: bio_chain() leaves bio_chain_endio() in a bio. */
void iob_bio_kinds_init(void)
{
	struct bio child = { .bi_end_io = NULL }, parent = { .bi_end_io = NULL };

	atomic_set(&parent.__bi_remaining, 1);
	bio_chain(&child, &parent);
	iob_chain_endio = child.bi_end_io;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What a bio is for, told by the function that ends it, also if it is a piece of others; of a chain
 * that is longer than what is followed that is not known, which is counted.
 */
/* bios and tasks are ours */
#define SHIM_LINUX_BIO_H
#define SHIM_LINUX_SCHED_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "test.h"

/* the real one is not read */
#define IOB_CORE_STATS_H

static unsigned int nr_cut;

#define chain_cut		(&nr_cut)
#define iob_stat_inc(name)	((void)++*(name))

struct bio;
typedef void (bio_end_io_t)(struct bio *bio);

struct bio {
	bio_end_io_t *bi_end_io;
	void *bi_private;
	atomic_t __bi_remaining;
};

#define PF_KTHREAD		1

struct task_struct {
	unsigned int flags;
	void *bio_list;		/* it submits a bio */
};

static struct task_struct me, *current = &me;

#define IS_ENABLED(option)	1
#define hash_long(val, bits)	hash_64(val, bits)

static unsigned int nr_warnings;

#undef WARN_ON_ONCE
#define WARN_ON_ONCE(c)		((void)(nr_warnings += (c)))

static void bio_chain_endio(struct bio *bio)
{
	(void)bio;
}

static void bio_chain(struct bio *bio, struct bio *parent)
{
	bio->bi_private = parent;
	bio->bi_end_io = bio_chain_endio;
}

#include "blame/bio_kind.c"

static void dio_end(struct bio *bio)
{
	(void)bio;
}

static void begin(void)
{
	iob_bio_kinds_init();
	iob_bio_kinds_unmark();
	iob_bio_kind_mark(&iob_bio_direct, (unsigned long)dio_end);
	nr_cut = 0;
	nr_warnings = 0;
}

/* A bio is a piece of up to four others. */
static void chains(void)
{
	struct bio bio[IOB_BIO_CHAIN + 3];
	const struct iob_bio_kind *kind;
	const struct bio *whole;
	unsigned int length, i;

	begin();
	for (length = 0; length < ARRAY_SIZE(bio); length++) {
		bool cut = length > IOB_BIO_CHAIN;

		for (i = 0; i < length; i++)
			bio_chain(&bio[i], &bio[i + 1]);
		bio[length] = (struct bio){ .bi_end_io = dio_end };
		nr_cut = 0;
		kind = iob_bio_kind_of(&bio[0], &whole);
		if (kind != (cut ? NULL : &iob_bio_direct))
			fail("behind %u others it is %s", length, kind ? kind->name : "unknown");
		if (whole != &bio[cut ? IOB_BIO_CHAIN : length])
			fail("behind %u others number %td is the whole", length, whole - bio);
		if (nr_cut != cut)
			fail("behind %u others %u chains are cut", length, nr_cut);
		if (iob_bio_stands_in(&bio[0]) != (length > 0))
			fail("behind %u others it is a piece", length);
	}
	if (nr_warnings)
		fail("%u warnings", nr_warnings);
}

/* The rest of a bio with ciphertext is queued while its task submits another, or by a thread. */
static void rest_of_ciphertext(void)
{
	struct bio bio = { .bi_end_io = dio_end };
	void *list[1];
	unsigned int i;

	begin();
	for (i = 0; i < 8; i++) {
		me.bio_list = i & 1 ? list : NULL;
		me.flags = i & 2 ? PF_KTHREAD : 0;
		iob_bio_kind_mark(i & 4 ? &iob_bio_ciphertext : &iob_bio_direct,
				  (unsigned long)dio_end);
		if (iob_bio_may_be_rest_of_ciphertext(&bio) != (i > 4))
			fail("%u: it may %sbe the rest", i, i > 4 ? "not " : "");
		if (iob_bio_stands_in(&bio) != (i >= 4))
			fail("%u: it stands for another", i);
	}
	me = (struct task_struct){ };
}

/* Functions of modules come and go: at most half of the places are taken. */
static void functions(void)
{
	enum { MOST = IOB_NR_BIO_KINDS / 2 };
	static const struct iob_bio_kind kinds[3];
	const struct iob_bio_kind *marked[200] = { NULL };
	unsigned int i, at, nr = 0;

	begin();
	iob_bio_kinds_unmark();
	for (i = 0; i < 20000; i++) {
		at = rnd(ARRAY_SIZE(marked));
		if (marked[at] && rnd(2)) {
			iob_bio_kind_unmark(4096 + 16UL * at);
			marked[at] = NULL;
			nr--;
		} else if (marked[at] || nr < MOST / 2) {
			nr += !marked[at];
			marked[at] = &kinds[rnd(3)];
			iob_bio_kind_unmark(4096 + 16UL * at);
			iob_bio_kind_mark(marked[at], 4096 + 16UL * at);
		}
		at = rnd(ARRAY_SIZE(marked));
		if (iob_bio_kind_by(4096 + 16UL * at) != marked[at])
			fail("function %u is of another kind", at);
	}
	if (nr_warnings)
		fail("%u functions found no place", nr_warnings);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(chains), TEST(rest_of_ciphertext), TEST(functions),
	};

	return run_tests("bio_kind", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Extents that btrfs has compressed wait for their bios: each bio gets its own, and one that was
 * never queued is forgotten once its memory is another bio's.  A bio that nothing can wait for
 * takes no lock.
 */
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "test.h"

/* the real ones are not read */
#define SHIM_LINUX_BIO_H
#define SHIM_LINUX_SLAB_H
#define IOB_COMPAT_PEEK_H
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_CACHED_PAGE_H
#define IOB_BLAME_PROVIDER_H
#define IOB_CORE_CODE_H
#define IOB_CORE_DISK_H
#define IOB_CORE_LAYOUT_H
#define IOB_CORE_STATS_H
#define IOB_CORE_TASK_H
#define IOB_STACK_STACK_H

/* --- the kernel */

#define IS_BUILTIN(config)	0
#undef PAGE_SHIFT
#undef PAGE_SIZE
#undef PAGE_MASK
#define PAGE_SHIFT		12
#define PAGE_SIZE		(1UL << PAGE_SHIFT)
#define PAGE_MASK		(~(PAGE_SIZE - 1))
#define GFP_NOWAIT		0
#define __GFP_NOWARN		0
#define kmalloc(size, gfp)	malloc(size)
#define kfree(p)		free(p)

#define hlist_empty(h)		(!READ_ONCE((h)->first))
#define hlist_add_head(n, h)	hlist_add_head_rcu(n, h)
#define hlist_del(n)		hlist_del_rcu(n)
#define hlist_for_each_entry(pos, h, m)	hlist_for_each_entry_rcu(pos, h, m, true)
#define list_for_each_entry(pos, head, member)				\
	for (pos = list_of((head)->next, __typeof__(pos), member);	\
	     &pos->member != (head);					\
	     pos = list_of(pos->member.next, __typeof__(pos), member))
#define list_first_entry(head, type, member)	list_of((head)->next, type *, member)

static unsigned int nr_locked;		/* how often a lock was taken */

#define spin_lock_irqsave(l, flags)	((flags) = 0, nr_locked++, shim_lock(l, true))
#define spin_unlock_irqrestore(l, flags)	((void)(flags), shim_lock(l, false))
#define lockdep_assert_held(l)		((l)->held ? (void)0 : abort())

struct inode {
	int any;
};

struct bio_set {
	unsigned int front_pad;
};

struct bio_vec {
	int any;
};

struct bio {
	struct bio_set *bi_pool;
	struct bio_vec *bi_io_vec;
};

/* --- core, stack, compat/peek */

struct iob_file {
	u64 dev;
};

struct iob_task {
	struct iob_file file;
	unsigned long direct;
	u64 part[32];
};

struct iob_task_part {
	const char *name;
	size_t size;
	void (*free)(void *part);
};

static struct iob_task me;

#define iob_task_get()		(&me)
#define iob_task_part_of(t, p)	((void *)(t)->part)

struct iob_layout_member {
	const char *name;
	size_t size;
};

struct iob_layout {
	const char *type, *cost;
	const struct iob_layout_member *member;
	u16 at[1];
	bool held;
};

#define IOB_LAYOUT_IN(mod, config)	.at[0] = 0
#define IOB_LAYOUT_OF(members)		.member = members
#define iob_layout_is_learnt(l)		((l)->held)
#define iob_layout_learn(l, nr, offset)	((void)((l)->at[nr] = (offset), (l)->held = true))

struct iob_code {
	unsigned long start;
};

struct iob_stack {
	const struct iob_code *in;
};

#define iob_code_publish(func, code)	((void)((code)->start = (func)))
#define iob_code_has(code, ip)		((code)->start == (ip))
#define iob_stack_in(s, code)		((s)->in == (code))
#define iob_disk_watches(inode)		((void)(inode), true)
#define iob_file_of(inode, f)		((void)(inode), (void)((f)->dev = 1))
#define iob_peek(to, from)		(*(to) = *(from), true)
#define iob_stat_inc(name)		((void)0)

/* --- blame: an origin is the act of its pages */

struct iob_origin {
	u64 act;
};

struct iob_extent {
	u64 bytes;
	struct iob_origin origin;
	struct iob_file file;
};

struct iob_assoc_kind {
	const char *name;
};

static unsigned int nr_evicted;
static u64 dirtier;			/* of all pages */

#define iob_assoc_count_evicted(kind)	((void)(kind), (void)nr_evicted++)
#define iob_origin_begin(o)		((void)((o)->act = 0))
#define iob_origin_free(o)		((void)((o)->act = 0))
#define iob_origin_slice(to, from, at, n)	((void)((to)->act = (from)->act))
#define iob_origin_add_page(o, id, f, n, ns)	((void)((o)->act = (id)))
#define iob_cause_of_page(inode, index, ns)	((void)(inode), *(ns) = 0, dirtier)

#include "fs/btrfs_compressed.c"

/* --- what btrfs does */

enum { TAR = 10, DD };

/* btrfs' own struct around a bio */
struct btrfs_bio {
	long before[8];
	struct bio bio;
};

enum { NR_BIOS = 4 * MAX_WAITING };

static struct btrfs_bio bbios[NR_BIOS];
static struct bio_set pool = { .front_pad = offsetof(struct btrfs_bio, bio) };
static struct inode file;

static void begin(void)
{
	unsigned int i;

	memset(&me, 0, sizeof(me));
	iob_btrfs_bio_layout.held = false;
	iob_btrfs_inode_layout.held = false;
	iob_btrfs_learn_inode(&file, &file);
	for (i = 0; i < NR_BIOS; i++)
		bbios[i].bio = (struct bio){ .bi_pool = &pool, .bi_io_vec = (void *)&bbios[i] };
	nr_evicted = 0;
	nr_locked = 0;
}

static void end(void)
{
	unsigned int i;

	iob_btrfs_extents_stop();
	for (i = 0; i < ARRAY_SIZE(waiting_by_bbio); i++) {
		if (waiting_by_bbio[i].first || waiting_by_vec[i].first)
			fail("something waits in the next session");
	}
	if (nr_waiting)
		fail("%u wait in the next session", nr_waiting);
}

/* A worker submits what @act has dirtied in the bio @nr, after it was compressed. */
static void compresses(unsigned int nr, u64 act)
{
	dirtier = act;
	iob_btrfs_extent_begins(&file, 0, 4 * PAGE_SIZE - 1);
	iob_btrfs_submits(&bbios[nr]);
}

/* Who pays if another worker queues the bio @nr; 0: itself. */
static u64 payer(unsigned int nr)
{
	const struct iob_stack stack = { .in = &worker_code };
	const struct iob_extent *e;
	struct iob_extent room;

	/* it has compressed nothing itself */
	me = (struct iob_task){ };
	e = iob_btrfs_extent(&me, &bbios[nr].bio, &stack, &room);
	return e ? e->origin.act : 0;
}

/* Each bio has its own extent, once. */
static void own(void)
{
	begin();
	compresses(0, TAR);
	compresses(1, DD);
	iob_btrfs_submits(&bbios[2]);
	if (payer(0) != TAR || payer(2) || payer(1) != DD)
		fail("not the dirtiers of the pages pay");
	if (payer(0) || payer(1) || iob_btrfs_extent_any(&me))
		fail("an extent is there twice");
	end();
}

/* A bio was never queued.  The next one at its address is another's, compressed or not. */
static void reused(void)
{
	begin();
	compresses(0, TAR);
	compresses(1, TAR);
	iob_btrfs_submits(&bbios[0]);
	compresses(1, DD);
	if (payer(0) || payer(1) != DD)
		fail("who has dirtied another bio's pages pays");
	end();
}

/*
 * Some wait for ever.  Only a bio that is in their buckets takes the lock, which all CPUs share:
 * so it is one of 512 for each that waits.
 */
static void no_lock(void)
{
	unsigned int i;

	begin();
	compresses(0, TAR);
	nr_locked = 0;
	for (i = 1; i < NR_BIOS; i++)
		iob_btrfs_submits(&bbios[i]);
	if (nr_locked > NR_BIOS / (1 << WAITING_BITS) * 2)
		fail("%u of %u bios take the lock", nr_locked, NR_BIOS);
	iob_btrfs_submits(&bbios[0]);
	if (payer(0))
		fail("who has dirtied another bio's pages pays");
	end();
}

/* The oldest give way, and are counted. */
static void many(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < MAX_WAITING + 3; i++)
		compresses(i, TAR);
	if (nr_evicted != 3 || nr_waiting != MAX_WAITING)
		fail("%u wait, %u gave way", nr_waiting, nr_evicted);
	/* (where the bio is in the struct is learnt from the first one that is queued) */
	if (payer(MAX_WAITING + 2) != TAR || payer(2) || payer(3) != TAR)
		fail("not the oldest gave way");
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(own), TEST(reused), TEST(no_lock), TEST(many),
	};

	return run_tests("btrfs_compressed", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * An index with spare numbers: what may take them takes them first, and then others; what may not
 * finds room as long as these are left.  Objects come and go at random, beside a model that only
 * counts.
 */
#include <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "test.h"

/* its counts are here */
#define IOB_CORE_STATS_H

#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#define iob_stat_inc(count)		((count)++)
#define gfp_t				unsigned int
#define GFP_NOWAIT			0
#define __GFP_NOWARN			0
#define get_zeroed_page(gfp)		\
	((void)(gfp), no_memory ? 0UL : (unsigned long)calloc(1, PAGE_SIZE))
#define free_page(page)			free((void *)(page))
#define kvmalloc_array(n, size, gfp)	malloc((n) * (size))
#define kcalloc(n, size, gfp)		calloc(n, size)
#define kfree(p)			free(p)
/* (there is one thread) */
#define data_race(x)			(x)
#define rcu_read_lock()			do { } while (0)
#define rcu_read_unlock()		do { } while (0)
#define lockdep_assert_held(l)		((void)(l))
#define DIV_ROUND_UP(n, d)		(((n) + (d) - 1) / (d))
#define round_down(n, d)		((n) / (d) * (d))
#define order_base_2(n)			((n) > 1 ? ilog2((n) - 1) + 1 : 0)
#define INIT_HLIST_HEAD(h)		((h)->first = NULL)
#define INIT_HLIST_NODE(n)		((n)->next = NULL, (n)->pprev = NULL)
#define hlist_for_each_entry(p, h, m)	hlist_for_each_entry_rcu(p, h, m, true)
#define spin_lock_init(l)		raw_spin_lock_init(l)
#define spin_lock_irqsave(l, flags)	raw_spin_lock_irqsave(l, flags)
#define spin_unlock_irqrestore(l, flags) raw_spin_unlock_irqrestore(l, flags)
#define spin_lock_irqsave_nested(l, flags, subclass) raw_spin_lock_irqsave(l, flags)

static unsigned int idx_nospc, idx_nomem;
static bool no_memory;	/* for a leaf */

#include "../../src/core/index.c"

enum { MOST = 64 };

struct object {
	struct iob_node node;
	u32 content;
	bool spare;
};

static struct iob_index idx;
static struct object *all[MOST];
static u32 nr_all, nr_spare;	/* the model: those in @all, and of these .spare */

static bool same(const struct iob_node *a, const struct iob_node *b)
{
	return container_of(a, struct object, node)->content ==
	       container_of(b, struct object, node)->content;
}

/* Numbers that are not spare, and are taken. */
static u32 model_taken(void)
{
	return nr_all - nr_spare + (nr_spare > idx.spare ? nr_spare - idx.spare : 0);
}

static u32 model_room(void)
{
	return idx.max - idx.first - idx.spare;
}

static void check_counts(const char *when)
{
	bool full = model_taken() >= model_room();

	if (iob_index_taken(&idx) != model_taken())
		fail("%s: %u are taken, not %u", when, iob_index_taken(&idx), model_taken());
	if (iob_index_full(&idx) != full)
		fail("%s: with %u of %u it is %sfull", when, model_taken(), model_room(),
		     full ? "not " : "");
	if (idx.count != nr_all)
		fail("%s: there are %u, not %u", when, idx.count, nr_all);
}

static void add(void)
{
	static u32 content;
	struct object *o = calloc(1, sizeof(*o));
	struct iob_node *node;
	bool room, done;

	o->content = ++content;
	o->spare = rnd(2);
	room = o->spare ? nr_all < idx.max - idx.first : model_taken() < model_room();
	node = o->spare ? iob_index_add_spare(&idx, &o->node, content * 0x9e3779b9U, same) :
			  iob_index_add(&idx, &o->node, content * 0x9e3779b9U, same);
	done = node == &o->node;
	if (done != room)
		fail("with %u, %u of them spare, of %u + %u there is %sroom", nr_all, nr_spare,
		     model_room(), idx.spare, room ? "no " : "");
	if (!done) {
		free(o);
		return;
	}
	if (iob_index_id(&idx, o->node.id) != node)
		fail("%llx is not found", o->node.id);
	nr_spare += o->spare;
	all[nr_all++] = o;
}

static void take_away(u32 at)
{
	struct object *o = all[at];

	iob_index_unhash(&idx, &o->node);
	if (o->spare)
		iob_index_unnumber_spare(&idx, &o->node);
	else
		iob_index_unnumber(&idx, &o->node);
	if (iob_index_id(&idx, o->node.id))
		fail("%llx is found, but gone", o->node.id);
	nr_spare -= o->spare;
	all[at] = all[--nr_all];
	free(o);
}

static void random_objects(void)
{
	u32 run, i, more, spare;

	for (run = 0; run < 200; run++) {
		spare = rnd(MOST / 2);
		if (iob_index_init(&idx, 2 + rnd(MOST / 2) + spare, 1))
			fail("no memory");
		idx.spare = spare;
		for (i = 0; i < 600; i++) {
			/* at times it fills, at times it empties */
			more = i / 100 % 2 ? 2 : 8;
			if (rnd(10) < more)
				add();
			else if (nr_all)
				take_away(rnd(nr_all));
			check_counts("in between");
		}
		while (nr_all)
			take_away(0);
		check_counts("at the end");
		iob_index_exit(&idx, NULL);
	}
	note("no room %u times", idx_nospc);
	if (idx_nomem)
		fail("without memory %u times", idx_nomem);
}

/* What was taken over may wait for ever, and new ones have all their room. */
static void spare_ones_wait(void)
{
	u32 i;

	if (iob_index_init(&idx, 1 + 8 + 16, 1))
		fail("no memory");
	idx.spare = 16;
	for (i = 0; i < 16; i++) {
		all[i] = calloc(1, sizeof(*all[i]));
		all[i]->content = i;
		if (iob_index_add_spare(&idx, &all[i]->node, i << 24, same) != &all[i]->node)
			fail("no room for spare one %u", i);
	}
	for (; i < 24; i++) {
		all[i] = calloc(1, sizeof(*all[i]));
		all[i]->content = i;
		if (iob_index_add(&idx, &all[i]->node, i << 24, same) != &all[i]->node)
			fail("no room for %u", i);
	}
	if (!iob_index_full(&idx))
		fail("it is not full");
	while (i--) {
		iob_index_unhash(&idx, &all[i]->node);
		if (i < 16)
			iob_index_unnumber_spare(&idx, &all[i]->node);
		else
			iob_index_unnumber(&idx, &all[i]->node);
		free(all[i]);
	}
	if (iob_index_taken(&idx) || idx.spares || idx.count)
		fail("it is not empty");
	iob_index_exit(&idx, NULL);
}

/* What finds no number, or no memory for the leaf of its number, is counted under that name. */
static void counted(void)
{
	struct object a = { .content = 1 }, b = { .content = 2 }, c = { .content = 3 };
	struct iob_node *got;

	if (iob_index_init(&idx, 3, 1))
		fail("no memory");
	idx_nospc = 0;
	idx_nomem = 0;
	no_memory = true;
	got = iob_index_add(&idx, &a.node, 1, same);
	if (got != ERR_PTR(-ENOMEM) || idx_nomem != 1 || idx_nospc)
		fail("a leaf: %p, idx_nomem is %u, idx_nospc %u", got, idx_nomem, idx_nospc);
	no_memory = false;
	if (iob_index_add(&idx, &a.node, 1, same) != &a.node ||
	    iob_index_add(&idx, &b.node, 2, same) != &b.node || idx_nomem != 1 || idx_nospc)
		fail("with memory: idx_nomem is %u, idx_nospc %u", idx_nomem, idx_nospc);
	got = iob_index_add(&idx, &c.node, 3, same);
	if (got != ERR_PTR(-ENOSPC) || idx_nospc != 1)
		fail("the limit: %p, idx_nospc is %u", got, idx_nospc);
	/* an equal one needs no number */
	c.content = 2;
	if (iob_index_add(&idx, &c.node, 2, same) != &b.node || idx_nospc != 1)
		fail("an equal object: idx_nospc is %u", idx_nospc);
	if (!iob_index_full(&idx) || idx_nospc != 2)
		fail("a full index: idx_nospc is %u", idx_nospc);
	iob_index_unhash(&idx, &a.node);
	iob_index_unnumber(&idx, &a.node);
	if (iob_index_full(&idx) || idx_nospc != 2 || idx_nomem != 1)
		fail("with room: idx_nospc is %u, idx_nomem %u", idx_nospc, idx_nomem);
	iob_index_unhash(&idx, &b.node);
	iob_index_unnumber(&idx, &b.node);
	iob_index_exit(&idx, NULL);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(random_objects),
		TEST(spare_ones_wait),
		TEST(counted),
	};

	return run_tests("index", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The directory of a plane is as long as memory, whatever addresses devices have, and follows
 * memory that comes and goes.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "fake_rcu.h"
#include "test.h"

/* a page of memory: the struct page of a leaf is beside it */
struct page {
	struct list_head lru;
	char memory[PAGE_SIZE];
};

#define GFP_NOWAIT		0
#define __GFP_NOWARN		0
#define kvzalloc(size, gfp)	dir_alloc(size)
#define synchronize_rcu()	((void)nr_grace++)
#define virt_to_page(leaf)	((struct page *)((char *)(leaf) - offsetof(struct page, memory)))
#define __free_page(p)		free(p)
#define atomic_long_set(a, v)	WRITE_ONCE((a)->counter, v)
#define atomic_long_read(a)	READ_ONCE((a)->counter)
#define atomic_long_inc(a)	((void)(a)->counter++)
#define atomic_long_dec(a)	((void)(a)->counter--)
#define list_for_each_entry(pos, head, member)					\
	for (pos = list_of((head)->next, __typeof__(pos), member);		\
	     &pos->member != (head); pos = list_of(pos->member.next, __typeof__(pos), member))
#define list_empty(head)	((head)->next == (head))

static unsigned int nr_grace;
static size_t longest;		/* directory that was asked for, in bytes */

static void *dir_alloc(size_t size)
{
	if (size > longest)
		longest = size;
	return size > 1 << 20 ? NULL : calloc(1, size);
}

static unsigned long get_zeroed_page(int gfp)
{
	struct page *page = calloc(1, sizeof(*page));

	(void)gfp;
	return page ? (unsigned long)page->memory : 0;
}

static void free_page(unsigned long leaf)
{
	if (leaf)
		free(virt_to_page(leaf));
}

/* (one of them is a mutex) */
#undef lockdep_is_held
#define lockdep_is_held(l)		((void)(l), true)
#define rcu_dereference_protected(p, c)	rcu_dereference_check(p, c)

/* as in the kernel */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "blame/plane.c"

enum { LEAF = 1024, MIB = 1 << 8 };

struct pglist_data shim_nodes[SHIM_NODES];
static struct iob_plane plane = IOB_PLANE(NULL);

/* Two nodes of 64 MiB each, behind another. */
static void begin(void)
{
	unsigned int nid, i;

	memset(shim_nodes, 0, sizeof(shim_nodes));
	for (nid = 0; nid < SHIM_NODES; nid++) {
		for (i = 0; i < MAX_NR_ZONES; i++)
			shim_nodes[nid].node_zones[i].zone_pgdat = &shim_nodes[nid];
		shim_nodes[nid].node_zones[ZONE_NORMAL].zone_start_pfn = nid * 64UL * MIB;
		shim_nodes[nid].node_zones[ZONE_NORMAL].spanned_pages = 64 * MIB;
	}
	longest = 0;
	nr_grace = 0;
}

static unsigned long nr_leaves(void)
{
	return ((struct iob_plane_dir *)plane.dir)->nr;
}

static void event(unsigned long what, unsigned long pfn, unsigned long nr)
{
	struct memory_notify m = { .start_pfn = pfn, .nr_pages = nr };

	planes_memory_notifier.notifier_call(&planes_memory_notifier, what, &m);
}

static void of_memory(void)
{
	begin();
	if (iob_plane_start(&plane, 2))
		fail("it does not start");
	if (nr_leaves() != 128 * MIB / LEAF + 1)
		fail("%lu leaves", nr_leaves());
	iob_plane_stop(&plane);
	if (nr_grace != 1)
		fail("readers may be left");
}

/* A GPU's memory is where no other is. */
static void of_no_device(void)
{
	struct zone *device = &shim_nodes[1].node_zones[ZONE_DEVICE];

	begin();
	device->zone_start_pfn = (1UL << 40) - 1024 * MIB;
	device->spanned_pages = 1024 * MIB;
	if (iob_plane_start(&plane, 2))
		fail("it does not start: %zu bytes are too many", longest);
	else if (nr_leaves() != 128 * MIB / LEAF + 1)
		fail("%lu leaves", nr_leaves());
	if (iob_plane_leaf_make(&plane, device->zone_start_pfn))
		fail("a device's memory has a leaf");
	iob_plane_stop(&plane);
}

static void comes_and_goes(void)
{
	const unsigned long new = 128 * MIB;
	void *low, *high;

	begin();
	iob_plane_start(&plane, 2);
	low = iob_plane_leaf_make(&plane, 5);
	if (!low || iob_plane_leaf_make(&plane, new + LEAF))
		fail("what is there is not what has a leaf");
	event(MEM_GOING_ONLINE, new, 64 * MIB);
	if (nr_leaves() != 192 * MIB / LEAF + 1)
		fail("%lu leaves", nr_leaves());
	high = iob_plane_leaf_make(&plane, new + LEAF);
	nr_held++;
	if (!high || iob_plane_leaf(&plane, new + LEAF) != high ||
	    iob_plane_leaf(&plane, 1023) != low)
		fail("a leaf is lost");
	nr_held--;
	if (iob_plane_bytes(&plane) != nr_leaves() * sizeof(void *) + 2 * PAGE_SIZE)
		fail("%lu bytes", iob_plane_bytes(&plane));
	event(MEM_OFFLINE, new, 64 * MIB);
	nr_held++;
	if (iob_plane_leaf(&plane, new + LEAF) || iob_plane_leaf(&plane, 0) != low)
		fail("the wrong leaf is gone");
	nr_held--;
	iob_plane_stop(&plane);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(of_memory), TEST(of_no_device), TEST(comes_and_goes),
	};

	(void)iob_planes_init;
	(void)iob_planes_exit;
	(void)iob_planes_keep_memory;
	(void)iob_planes_free_memory;
	return run_tests("plane", tests, ARRAY_SIZE(tests));
}

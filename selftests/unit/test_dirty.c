// SPDX-License-Identifier: GPL-2.0
/*
 * Who is noted for an inode: whoever changes it.  A worker, or reclaim, only hands on what others
 * have changed; another kernel thread, such as nfsd, changes it for itself.
 */
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_DIRTIED_BY_H
#define IOB_BLAME_DIRTIER_H
#define IOB_BLAME_DIRTY_FAST_H
#define IOB_BLAME_DIRTY_H
#define IOB_BLAME_TIMES_H
#define IOB_BLAME_TRANSACTION_H
#define IOB_COMPAT_RCU_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_DISK_H
#define IOB_CORE_STATS_H

#define notrace
#define barrier()			((void)0)

/* --- the kernel, compat/folio: no folio becomes dirty here */

typedef struct {
	long counter;
} fake_atomic64;

#undef atomic64_inc
#define atomic64_inc(v)			((void)(v)->counter++)

struct pt_regs;
struct iob_folio;
struct page;

struct inode {
	unsigned long i_ino;
};

struct buffer_head {
	struct page *b_page;
};

#define PAGE_SHIFT			12
#define page_to_pfn(page)		((void)(page), 0UL)
#define bh_offset(bh)			((void)(bh), 0UL)
#define iob_buffer_pages(bh)		((void)(bh), 1UL)
#define iob_folio_of(page)		((void)(page), (struct iob_folio *)NULL)
#define iob_folio_host(f)		((void)(f), (struct inode *)NULL)
#define iob_folio_pfn(f)		((void)(f), 0UL)
#define iob_folio_pages(f)		((void)(f), 1UL)
#define iob_probe_lock()
#define iob_probe_unlock()

/* --- core/cause, core/task, core/disk, core/stats */

#define IOB_CAUSE_NONE			0ULL
#define IOB_CAUSE_INHERITED		(1ULL << 20)

struct iob_cause {
	u32 intent;
	bool kthread;
	fake_atomic64 cancelled;
};

struct iob_task {
	const struct iob_folio *part;
};

struct iob_task_part {
	const char *name;
	size_t size;
};

static struct iob_task my_task;

#define iob_task_get()			(&my_task)
#define iob_task_peek(task)		((void)(task), &my_task)
#define iob_task_part_of(t, which)	((void)(which), (void *)&(t)->part)
#define iob_cause_of(ref)		((void)(ref), (struct iob_cause *)NULL)
#define iob_cause_number(ref)		((u32)(ref))
#define iob_cause_of_entry(entry, hash)	((void)(hash), (u64)(entry))
#define iob_cause_touch(cause)		((void)(cause))
#define iob_cause_touch_nr(nr)		((void)(nr))
#define iob_disk_watches(inode)		((void)(inode), true)
#define iob_inode_hash(inode)		((void)(inode), 0U)
#define iob_stat_inc(name)		((void)0)

/* --- blame, stack: of one inode */

struct iob_assoc_kind {
	const char *name;
};

struct iob_frame {
	unsigned long ip, sp, bp;
};

struct iob_stack_slot {
	u32 intent;
};

struct iob_dirty_fast {
	u32 intent, entry, touched;
	unsigned long ino;
	struct iob_cause *cause;
};

struct iob_dirtied_by {
	u64 ref;
	u32 hash;
	bool again;
	bool sure;
};

static struct iob_dirtied_by now;	/* what changes the inode */
static struct iob_assoc_kind iob_assoc_inode;
static u64 noted, times;		/* for whom the inode is noted, and its times */
static bool are_due;			/* they are all that is to be written */
static bool have_gone;			/* the cause that changed them has, */
static unsigned int nr_lost;		/* which was a loss */
static struct iob_dirty_fast last_page;
static bool iob_check_stacks;

#define iob_assoc_set(kind, o, sub, act)	\
	((void)(o), (void)((kind) == &iob_assoc_inode ? noted = (act) : 0))
#define iob_dirtied_by_find(d, inode, regs)	((void)(inode), (void)(regs), (void)(*(d) = now))
#define iob_dirtied_by_at(d, inode, at)		((void)(inode), (void)(at), (void)(*(d) = now))
#define iob_dirtied_by_set_changed(d, f, pfn, nr)	((void)(f), (void)(pfn), (void)(nr))
#define iob_dirtied_by_has_entry(pfn, hash)	((void)(pfn), (void)(hash), false)
#define iob_dirtier_get(pfn)			((void)(pfn), 0U)
#define iob_dirtier_set(pfn, n, entry)		((void)(pfn), (void)(n), (void)(entry))
#define iob_dirtier_set_one(pfn, entry)		((void)(pfn), (void)(entry))
#define iob_dirtier_clear(pfn, n)		((void)(pfn))
#define iob_dirty_is_cacheable(t, intent)	((void)(t), (void)(intent), false)
#define iob_dirty_fast_note(t, intent, inode, ref)	((void)(t), (void)(inode))
#define iob_dirty_fast_of(t)			((void)(t), &last_page)
#define iob_dirty_fast_is(t, intent, inode)	((void)(t), (void)(intent), false)
#define iob_dirty_fast_again(f, m, sp)		((void)(f), (void)(m))
#define iob_dirty_fast_goes_on(f, me, inode, sp)	((void)(f), (void)(me), false)
#define iob_stack_here(ip, sp, bp)		((void)(*(ip) = *(sp) = *(bp) = 0))
#define iob_stack_known(ip, sp, bp, user, m)	((void)(*(m) = NULL), false)
#define iob_stack_intent_check(i, ip, sp, bp)	((void)(i))
#define iob_transaction_join(log, tid, ref)	((void)(log), (void)(tid))
#define iob_times_are_due(inode)		((void)(inode), are_due)
#define iob_times_note(inode, ref)		((void)(inode), (void)(times = (ref)))

static u64 iob_times_take(struct inode *inode, bool needed)
{
	u64 ref = times;

	(void)inode;
	times = IOB_CAUSE_NONE;
	if (!have_gone)
		return ref;
	nr_lost += needed;
	return IOB_CAUSE_NONE;
}

void iob_dirty_expect(const struct iob_folio *folio, bool was_dirty);
void iob_dirty_folio(struct inode *inode, struct iob_folio *folio);
void iob_dirty_logged(const void *log, u32 tid, struct buffer_head *bh, struct pt_regs *regs);
void iob_dirty_inode(struct inode *inode, bool waited);
void iob_dirty_times(struct inode *inode);
void iob_dirty_cancel(struct iob_folio *folio);

#include "blame/dirty.c"

static struct task_struct me;
struct task_struct *current = &me;

/* tar has changed an inode, or its times; another one does so now, perhaps for dd */
enum { TAR = 10, DD, SELF };

#define FOR_DD	(DD | IOB_CAUSE_INHERITED)
#define WORKER	(PF_KTHREAD | PF_WQ_WORKER)
#define KSWAPD	(PF_KTHREAD | PF_KSWAPD)

static const struct {
	const char *who;
	unsigned int flags;
	u64 ref;
	bool sure;
	u64 pays;
} cases[] = {
	{ "a program", 0, SELF, false, SELF },
	{ "a program that syncs", 0, FOR_DD, false, FOR_DD },
	{ "nfsd", PF_KTHREAD, SELF, false, SELF },
	{ "nfsd, for a file of dd's", PF_KTHREAD, FOR_DD, false, TAR },
	{ "a thread that carries out a request", PF_KTHREAD, FOR_DD, true, FOR_DD },
	{ "a worker", WORKER, SELF, false, TAR },
	{ "a worker, for a file of dd's", WORKER, FOR_DD, false, TAR },
	{ "a worker that carries out a request", WORKER, FOR_DD, true, FOR_DD },
	{ "reclaim", KSWAPD, SELF, false, TAR },
};

static struct inode inode;

static void begin(unsigned int i)
{
	me.flags = cases[i].flags;
	now = (struct iob_dirtied_by){ .ref = cases[i].ref, .sure = cases[i].sure };
	noted = TAR;
	times = IOB_CAUSE_NONE;
	are_due = false;
	have_gone = false;
	nr_lost = 0;
}

static void changed(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(i);
		iob_dirty_inode(&inode, false);
		if (noted != cases[i].pays)
			fail("%s: %llu pays", cases[i].who, noted);
	}
}

/* Times that waited are written with it: they are no loss where the task itself pays. */
static void waited(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(i);
		noted = IOB_CAUSE_NONE;
		times = TAR;
		iob_dirty_inode(&inode, true);
		if (noted != cases[i].pays || times)
			fail("%s: %llu pays, of times %llu", cases[i].who, noted, times);
	}
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(i);
		times = TAR;
		have_gone = true;
		iob_dirty_inode(&inode, true);
		if (cases[i].pays == SELF && nr_lost)
			fail("%s: a loss", cases[i].who);
		if (cases[i].ref == SELF && cases[i].pays == TAR && !nr_lost)
			fail("%s: no loss", cases[i].who);
	}
}

/* Whoever drops the inode changes nothing. */
static void due(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(i);
		noted = IOB_CAUSE_NONE;
		times = TAR;
		are_due = true;
		iob_dirty_inode(&inode, true);
		if (noted != TAR)
			fail("%s: %llu pays", cases[i].who, noted);
	}
}

static void times_only(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin(i);
		times = TAR;
		iob_dirty_times(&inode);
		if (times != cases[i].pays)
			fail("%s: %llu pays", cases[i].who, times);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(changed), TEST(waited), TEST(due), TEST(times_only),
	};

	return run_tests("dirty", tests, ARRAY_SIZE(tests));
}

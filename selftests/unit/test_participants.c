// SPDX-License-Identifier: GPL-2.0
/*
 * Who takes part in the transactions of a file system that keeps its metadata in pages of an inode
 * of its own: the tasks that change something, and not those for which its workers change metadata
 * later.
 */
#include "fake_blame.h"
#include <linux/sched.h>
#include <linux/spinlock.h>

/* the real ones are not read */
#define IOB_BLAME_CACHED_PAGE_H
#define IOB_BLAME_DIRTIED_BY_H
#define IOB_BLAME_DIRTIER_H
#define IOB_BLAME_DIRTY_FAST_H
#define IOB_BLAME_TIMES_H
#define IOB_COMPAT_INODE_H
#define IOB_COMPAT_UNWIND_H
#define IOB_CORE_CODE_H
#define IOB_CORE_DISK_H
#define IOB_CORE_FILE_H
#define IOB_CORE_INTENT_H
#define IOB_CORE_MARK_H
#define IOB_CORE_METADATA_H
#define IOB_STACK_CALL_H
#define IOB_STACK_STACK_H

#define noinline_for_stack
#define IOB_UNWIND_CALLS	true

/* --- the kernel's */

#define PAGE_SHIFT		12
#define PAGECACHE_TAG_DIRTY	0
#define XA_PRESENT		0
#define S_ISREG(mode)		((mode) == 1)
#define S_ISDIR(mode)		((mode) == 2)
#define S_ISLNK(mode)		((mode) == 3)

struct super_block {
	void *s_bdev;
	bool metadata;	/* a file system's that keeps metadata in pages */
};

struct inode {
	unsigned int i_mode;
	unsigned long i_ino;
	struct super_block *i_sb;
	u64 dirtier;	/* of its pages */
};

/* --- stack/call, stack/stack: which calls are under way */

#define IOB_STACK_DEPTH		40

struct iob_call {
	unsigned long ret, sp;
};

struct pt_regs {
	struct iob_call call;
};

struct iob_frame {
	unsigned long ip, sp;
};

struct iob_stack_slot {
	unsigned long ip[1];
	unsigned int own, nr;
};

struct iob_stack {
	const unsigned long *ip;
	unsigned int depth;
	unsigned long sp;
	struct iob_stack_slot *slot;
};

struct iob_code {
	unsigned long start;
};

static unsigned long under_way;		/* calls that return to 1, 2, ...: a bit for each */

#define iob_call_at(regs)			((regs)->call)
#define iob_call_is_kept(call)			((void)(call), true)
#define iob_stack_get(stack, regs)		((void)(regs), (void)((stack)->depth = 1))
#define iob_stack_from(stack, at, regs)		((void)(at), iob_stack_get(stack, regs))
#define iob_stack_is_whole(stack)		((void)(stack), true)
#define iob_stack_has(stack, ret)		((void)(stack), (ret) && under_way >> (ret) & 1)
#define iob_stack_has_call(stack, call)		iob_stack_has(stack, (call)->ret)
#define iob_stack_has_places(stack)		((void)(stack), false)
#define iob_stack_is_below(stack, call)		((void)(stack), (void)(call), false)
#define iob_stack_count(stack, ret)		((unsigned int)iob_stack_has(stack, ret))
#define iob_stack_in(stack, code)		((void)(stack), (void)(code), false)
#define iob_stack_intent(stack, modifier)	((void)(stack), (u32)(modifier))
#define iob_code_publish(func, code)		((void)(func), (void)(code))

/* --- core/task, core/intent, core/mark: none of it matters here */

#define IOB_CAUSE_NOMEM		1ULL
#define IOB_INTENT_LOST		1U
#define IOB_INTENT_REDIRTY	1
#define IOB_INTENT_WRITEBACK	2

enum { IOB_SERVES_PARENT = IOB_SERVES_TRANSACTION + 1 };

struct iob_intent {
	u16 flags;
};

static struct iob_task *me;
static u64 my_act;
static u16 marks;		/* of the task's stack */

#define iob_task_get()				(me)
#define iob_task_role(t)			((void)(t), my_act)
#define iob_task_own_cause(t, intent)		((void)(t), (void)(intent), my_act)
#define iob_cause_tagged(ref, hash)		((void)(hash), (u64)(ref))
#define iob_cause_of_entry(entry, hash)		((void)(hash), (u64)(entry))
#define iob_intent_nr(nr)			((void)(nr), (const struct iob_intent *)NULL)
#define iob_marks_of(ip, depth)			((void)(ip), (void)(depth), marks)
#define iob_dirty_not_cacheable(t)		((void)(t))
#define iob_dirty_set_cacheable(t, nr)		((void)(t), (void)(nr))

/* --- core/disk, core/metadata, blame/association, blame/times, blame/cached_page */

static int iob_assoc_inode;

#define iob_inode_hash(inode)			((void)(inode), 0U)
#define iob_is_bdev(inode)			((void)(inode), false)
#define iob_is_metadata(inode)			((inode)->i_sb->metadata && (inode)->i_ino == 1)
#define iob_has_metadata(sb)			((sb)->metadata)
#define iob_disk_watches(inode)			((void)(inode), true)
/* the changes that are noted, as behalf.c notes them */
static struct change {
	const void *object;
	u64 sub, in;
} changes[8];

static struct change *change_of(const void *object, u64 sub)
{
	unsigned int i = 0;

	while (changes[i].object && (changes[i].object != object || changes[i].sub != sub)) {
		if (++i == ARRAY_SIZE(changes))
			abort();
	}
	return &changes[i];
}

#define iob_assoc_get(kind, object, sub)	((void)(kind), change_of(object, sub)->in)
#define iob_assoc_set(kind, object, sub, in)	\
	((void)(kind), (void)(*change_of(object, sub) = (struct change){ object, sub, in }))
#define iob_assoc_get_last(kind, inode, sub)	((void)(kind), (void)(inode), IOB_CAUSE_NONE)
#define iob_cause_of_inode(ref, inode)		((void)(inode), (u64)(ref))
#define iob_inode_times_wait(inode)		((void)(inode), false)
#define iob_times_take(inode, needed)		((void)(inode), (void)(needed), IOB_CAUSE_NONE)
#define iob_times_note(inode, ref)		((void)(inode), (void)(ref))
#define iob_cause_of_pages(inode, index, last, tag, ns) \
	((void)(index), (void)(last), (void)(tag), *(ns) = 0, (inode)->dirtier)

static u64 iob_origin_at(const struct iob_origin *o, u64 pos)
{
	(void)pos;
	return o->nr ? o->share[0].cause : IOB_CAUSE_NONE;
}

/* --- blame/dirtied_by, blame/dirtier: one page, whose entry is an act */

struct iob_folio {
	unsigned long index;
};

struct iob_dirtied_by {
	u64 ref;
	u32 hash;
	bool again;
	bool sure;
	unsigned long stored;
	struct iob_task *parent;
};

static u32 entry_of_page_frame;

#define iob_folio_pfn(f)			((void)(f), 0UL)
#define iob_folio_pages(f)			((void)(f), 1UL)
#define iob_dirtier_get(pfn)			((void)(pfn), entry_of_page_frame)
#define iob_dirtier_run(pfn, count, entry)	((void)(pfn), (void)(count), (void)(entry), 0UL)
#define iob_dirtier_set(pfn, count, entry)	((void)(count), iob_dirtier_set_one(pfn, entry))
#define iob_dirtier_set_one(pfn, entry)	\
	((void)(pfn), (void)(entry_of_page_frame = (entry)))

#include "blame/transaction.c"
#include "blame/behalf.c"
#include "blame/dirtied_by.c"

unsigned long jiffies = 1000;
struct task_struct *current;

/* tar writes many small files and ends; dd writes on; a thread serves clients of the network */
enum { TAR = 10, DD, NFSD, CP };

static struct super_block sb;
static struct inode tree, other;

static void begin(void)
{
	sb = (struct super_block){ .metadata = true };
	tree = (struct inode){ .i_ino = 1, .i_sb = &sb };
	other = (struct inode){ .i_mode = 1, .i_ino = 300, .i_sb = &sb };
	if (iob_transactions_init() || iob_transactions_start())
		abort();
}

static void end(void)
{
	iob_transactions_stop();
	iob_transactions_exit();
}

/* From here on a task runs that has no behalf: of @act, with these flags. */
static void task(u64 act, unsigned int flags)
{
	static struct task_struct tasks[2];
	static struct iob_task contexts[2];
	static unsigned int nr;

	nr = !nr;
	tasks[nr].flags = flags;
	contexts[nr] = (struct iob_task){ };
	current = &tasks[nr];
	me = &contexts[nr];
	my_act = act;
	under_way = 0;
	marks = 0;
}

static void worker(void)
{
	task(KTHREAD_ACT, PF_KTHREAD | PF_WQ_WORKER);
}

/* The current task makes a page of the inode dirty.  Return: the page's act. */
static u64 dirties(struct inode *inode)
{
	struct iob_folio folio = { };
	struct iob_frame at = { };
	struct iob_dirtied_by d;

	iob_dirtied_by_slow(&d, inode, &at, NULL, NULL);
	iob_dirtied_by_set_changed(&d, &folio, 0, 1);
	return iob_cause_id(entry_of_page_frame);
}

/* The current task begins to write pages of a file of @act's. */
static void writes_for(u64 act)
{
	struct pt_regs regs = { .call = { 7, 4096 } };

	other.dirtier = act;
	under_way |= 1 << 7;
	iob_behalf_pages(&other, 0, 1, true, &regs);
}

static long pays(u32 tid, u64 act)
{
	struct iob_transaction_write what = { .key = &sb, .first = tid, .last = tid };
	struct iob_origin o = { };

	return iob_transaction_split(&o, &what, NULL, 4096) ? (long)o.bytes[act] : -1;
}

/*
 * tar has taken part in a transaction, and ended.  Workers begin the next ones: their changes are
 * tar's at first, but no part that tar takes.  The first task that takes part is charged from then
 * on.
 */
static void no_ghost(void)
{
	unsigned int i;
	u64 act;
	u32 tid;

	begin();
	task(TAR, 0);
	act = dirties(&tree);
	if (act != TAR)
		fail("tar's own page is %llu's", act);
	for (tid = 2; tid < 10; tid++) {
		iob_transaction_next(&sb);
		worker();
		for (i = 0; i < 20; i++)
			act = dirties(&tree);
		if (tid == 2 && act != TAR)
			fail("a worker of the transaction before: %llu pays", act);
		writes_for(DD);
		worker();
		act = dirties(&tree);
		if (act != DD)
			fail("transaction %u: %llu pays", tid, act);
		if (pays(tid, TAR) > 0)
			fail("tar pays %ld bytes of transaction %u", pays(tid, TAR), tid);
	}
	end();
}

/* What a worker changes while it writes dd's pages is a part that dd takes. */
static void known_worker(void)
{
	unsigned int i;

	begin();
	task(TAR, 0);
	for (i = 0; i < 4; i++)
		dirties(&tree);
	worker();
	writes_for(DD);
	for (i = 0; i < 11; i++) {
		if (dirties(&tree) != DD)
			fail("another pays for dd's metadata");
	}
	if (pays(1, DD) != 3072)
		fail("of a block dd pays %ld bytes", pays(1, DD));
	end();
}

/*
 * A kernel thread that is no worker takes part for itself, and so do workers that write what it
 * made dirty: tar, which changed one page, pays for no more.
 */
static void kernel_threads(void)
{
	struct pt_regs regs = { };
	unsigned int i;

	begin();
	act_of_kthread = NFSD;
	task(TAR, 0);
	dirties(&tree);
	task(NFSD, PF_KTHREAD);
	if (dirties(&tree) != NFSD)
		fail("another pays for what the thread changes");
	iob_behalf_join(&sb, &regs);
	worker();
	writes_for(NFSD);
	for (i = 0; i < 4; i++) {
		if (dirties(&tree) != NFSD)
			fail("another pays for the thread's metadata");
	}
	if (pays(1, NFSD) != 7 * 512 || pays(1, TAR) != 512)
		fail("of a block the thread pays %ld bytes, tar %ld", pays(1, NFSD),
		     pays(1, TAR));
	/* the thread that ends transactions takes no part by that */
	task(KTHREAD_ACT, PF_KTHREAD);
	under_way = 1 << 1;
	regs.call = (struct iob_call){ 1, 8192 };
	iob_behalf_none();
	iob_behalf_common(true, &regs);
	iob_behalf_join(&sb, &regs);
	if (dirties(&tree) != NFSD)
		fail("in a commit another pays");
	iob_behalf_join(&sb, &regs);
	if (pays(2, TAR) != -1)
		fail("the commit takes part in the next transaction");
	/* nor kswapd, which writes what others have made dirty */
	act_of_kthread = NFSD + 1;
	task(NFSD + 1, PF_KTHREAD | PF_KSWAPD);
	dirties(&tree);
	iob_behalf_join(&sb, &regs);
	iob_transaction_join(&sb, 2, NFSD + 1);
	if (pays(2, TAR) != -1)
		fail("kswapd takes part");
	act_of_kthread = 0;
	end();
}

/*
 * An inode that is changed again and again is copied once for each transaction.  The log's numbers
 * begin anew when it was not used for long, and a mount that comes has them, too.
 */
static void once(void)
{
	static const struct iob_assoc_kind kind;
	struct pt_regs regs = { };
	unsigned int i;

	begin();
	task(TAR, 0);
	for (i = 0; i < 3; i++)
		iob_behalf_join_once(&sb, &kind, &other, 5, &regs);
	task(DD, 0);
	iob_behalf_join_once(&sb, &kind, &other, 5, &regs);
	if (pays(1, TAR) != 2048 || pays(1, DD) != 2048)
		fail("of a block one pays %ld bytes, the other %ld", pays(1, TAR), pays(1, DD));
	iob_behalf_join_once(&sb, &kind, &other, 6, &regs);
	iob_behalf_join_once(&sb, &kind, &tree, 5, &regs);
	if (pays(1, TAR) != 1024)
		fail("of four inodes the first pays %ld bytes of a block", pays(1, TAR));
	iob_transaction_next(&sb);
	if (pays(2, DD) != -1)
		fail("a transaction has participants as it begins");
	iob_behalf_join_once(&sb, &kind, &other, 5, &regs);
	if (pays(2, DD) != 4096)
		fail("what was changed before is not changed anew");
	end();

	for (i = 0; i < 3; i++) {
		begin();
		task(TAR, 0);
		iob_behalf_join_once(&sb, &kind, &other, 5, &regs);
		if (pays(1, TAR) != 4096)
			fail("log %u: of a block it pays %ld bytes", i, pays(1, TAR));
		end();
	}

	/* without memory it takes part the next time */
	begin();
	task(DD, 0);
	no_memory = true;
	iob_behalf_join_once(&sb, &kind, &other, 5, &regs);
	no_memory = false;
	iob_behalf_join_once(&sb, &kind, &other, 5, &regs);
	if (pays(1, DD) != 4096)
		fail("without memory it took part");
	end();
}

/*
 * What a task changes without making a page dirty, by a direct write, say, a worker carries out.
 * Where a file system has a disk of its own, that is not needed.
 */
static void no_page(void)
{
	struct pt_regs regs = { };
	unsigned int i;

	begin();
	task(TAR, 0);
	dirties(&tree);
	iob_transaction_next(&sb);
	worker();
	dirties(&tree);
	iob_behalf_join(&sb, &regs);
	task(DD, 0);
	for (i = 0; i < 3; i++)
		iob_behalf_join(&sb, &regs);
	worker();
	if (dirties(&tree) != DD)
		fail("another than dd pays");
	if (pays(2, DD) != 4096)
		fail("of the transaction dd pays %ld bytes", pays(2, DD));
	sb.s_bdev = &sb;
	task(TAR, 0);
	for (i = 0; i < 3; i++)
		iob_behalf_join(&sb, &regs);
	if (pays(2, DD) != 4096)
		fail("a disk of its own: dd pays %ld bytes", pays(2, DD));
	end();
}

/*
 * The end of tar's transaction changes another inode, and writes it.  That is part of the
 * transaction that ends: tar takes no part in the next one.
 */
static void at_commit(void)
{
	struct pt_regs commit_regs = { .call = { 1, 8192 } }, roots_regs = { .call = { 2, 6144 } };
	u64 act;

	begin();
	task(TAR, 0);
	dirties(&tree);
	task(DD, 0);
	under_way = 1 << 1;
	iob_behalf_none();
	iob_behalf_common(false, &commit_regs);
	/* what is dirty already is written first: dd takes part */
	writes_for(DD);
	under_way = 1 << 1 | 1 << 2;
	iob_behalf_common(true, &roots_regs);
	dirties(&tree);
	act = dirties(&other);
	if (act != TAR)
		fail("in the commit %llu pays", act);
	writes_for(act);
	if (iob_transaction_now(&sb) != 2)
		fail("transaction %u runs", iob_transaction_now(&sb));
	if (pays(1, DD) <= 0 || pays(2, TAR) >= 0)
		fail("dd pays %ld bytes, and of the next transaction tar %ld", pays(1, DD),
		     pays(2, TAR));
	/* after it dd's part is one in the next */
	under_way = 0;
	writes_for(DD);
	if (pays(2, DD) != 4096)
		fail("of the next transaction dd pays %ld bytes", pays(2, DD));
	end();
}

/*
 * The end of a checkpoint changes another inode first, while others still take part: it is metadata
 * that tells that they no longer do.
 */
static void others_first(void)
{
	struct pt_regs commit_regs = { .call = { 1, 8192 } };
	u64 act;

	begin();
	task(TAR, 0);
	dirties(&tree);
	task(DD, 0);
	under_way = 1 << 1;
	iob_behalf_none();
	iob_behalf_common(true, &commit_regs);
	act = dirties(&other);
	if (act != TAR || iob_transaction_now(&sb) != 1)
		fail("%llu pays, transaction %u runs", act, iob_transaction_now(&sb));
	act = dirties(&tree);
	if (act != TAR || iob_transaction_now(&sb) != 2)
		fail("metadata: %llu pays, transaction %u runs", act, iob_transaction_now(&sb));
	end();
}

/*
 * A checkpoint first writes directories, which changes metadata, and copies inodes that others have
 * changed.  Who made an entry of a directory pays for the former; and all of it is part of the
 * transaction that ends when nobody can join it any more.
 */
static void directories(void)
{
	struct pt_regs call = { .call = { 1, 8192 } }, pages = { .call = { 7, 4096 } };
	struct inode dir = { .i_mode = 2, .i_ino = 301, .i_sb = &sb, .dirtier = DD };
	u64 act;

	begin();
	sb.s_bdev = &sb;
	task(TAR, 0);
	dirties(&tree);
	dirties(&tree);
	dirties(&tree);
	task(CP, 0);
	under_way = 1 << 1;
	iob_behalf_none();
	iob_behalf_common(false, &call);
	under_way |= 1 << 7;
	iob_behalf_pages(&dir, 0, 1, true, &pages);
	act = dirties(&tree);
	if (act != DD || iob_transaction_now(&sb) != 1)
		fail("of a directory %llu pays, transaction %u runs", act,
		     iob_transaction_now(&sb));
	under_way = 1 << 1;
	act = dirties(&tree);
	if (act != TAR || iob_transaction_now(&sb) != 1)
		fail("of an inode %llu pays, transaction %u runs", act,
		     iob_transaction_now(&sb));
	iob_behalf_ends();
	if (iob_transaction_now(&sb) != 2)
		fail("transaction %u runs", iob_transaction_now(&sb));
	/* whoever takes part in the next one does not pay for the rest of this */
	iob_transaction_join(&sb, 2, DD);
	if (dirties(&tree) != TAR)
		fail("a participant of the next transaction pays");
	if (pays(1, TAR) != 6 * 512 || pays(1, DD) != 2 * 512 || pays(1, CP) > 0)
		fail("of a block tar pays %ld bytes, dd %ld", pays(1, TAR), pays(1, DD));
	end();
}

/* If a checkpoint changes nothing before, it is metadata that tells which log it is. */
static void ends_later(void)
{
	struct pt_regs call = { .call = { 1, 8192 } };

	begin();
	iob_behalf_ends();
	task(TAR, 0);
	dirties(&tree);
	iob_behalf_ends();
	task(CP, 0);
	under_way = 1 << 1;
	iob_behalf_none();
	iob_behalf_common(false, &call);
	iob_behalf_ends();
	if (iob_transaction_now(&sb) != 1)
		fail("transaction %u runs", iob_transaction_now(&sb));
	if (dirties(&tree) != TAR || iob_transaction_now(&sb) != 2)
		fail("metadata: transaction %u runs", iob_transaction_now(&sb));
	iob_transaction_join(&sb, 2, DD);
	if (dirties(&tree) != TAR || iob_transaction_now(&sb) != 2)
		fail("more metadata: transaction %u runs", iob_transaction_now(&sb));
	end();
}

/* Of a page of the inode that is clean, but has tar's entry, which act pays when it becomes dirty? */
static u64 dirties_clean(struct inode *inode)
{
	entry_of_page_frame = TAR;
	return dirties(inode);
}

/*
 * What writeback of a file does to the file's own pages it puts back.  Another file's page that
 * becomes dirty there has changed: a file with what is free, or the file below an encrypted one.
 */
static void put_back(void)
{
	struct pt_regs inner = { .call = { 8, 2048 } };
	struct inode bitmap = { .i_mode = 1, .i_ino = 306, .i_sb = &sb };

	begin();
	iob_behalf_see_writepages(true);
	sb.s_bdev = &sb;
	worker();
	writes_for(DD);
	marks = IOB_INTENT_WRITEBACK;
	if (dirties_clean(&other) != TAR)
		fail("a page that is put back: %llu pays", dirties_clean(&other));
	if (dirties_clean(&bitmap) != DD)
		fail("another file's page: %llu pays", dirties_clean(&bitmap));
	/* a file is written inside of that */
	under_way |= 1 << 8;
	iob_behalf_pages(&bitmap, 0, 1, true, &inner);
	if (dirties_clean(&bitmap) != TAR || dirties_clean(&other) != TAR)
		fail("a page that is put back further inside: another pays");
	under_way = 1 << 7;
	if (dirties_clean(&bitmap) != DD)
		fail("behind that: %llu pays", dirties_clean(&bitmap));
	/* files of which nothing is noted: they are not watched */
	task(CP, 0);
	marks = IOB_INTENT_WRITEBACK;
	if (dirties_clean(&other) != CP)
		fail("below a file that is not watched %llu pays", dirties_clean(&other));
	marks = IOB_INTENT_REDIRTY;
	if (dirties_clean(&other) != TAR)
		fail("a page that is put back by name: %llu pays", dirties_clean(&other));
	/* where do_writepages() is not seen, it is not known which file is written */
	marks = IOB_INTENT_WRITEBACK;
	iob_behalf_see_writepages(false);
	if (dirties_clean(&other) != TAR)
		fail("a page in writeback that is not seen: %llu pays", dirties_clean(&other));
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(no_ghost), TEST(known_worker), TEST(kernel_threads), TEST(once), TEST(no_page),
		TEST(at_commit), TEST(others_first), TEST(directories),
		TEST(ends_later), TEST(put_back),
	};

	return run_tests("participants", tests, ARRAY_SIZE(tests));
}

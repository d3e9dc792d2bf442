// SPDX-License-Identifier: GPL-2.0
/*
 * On whose behalf a task acts, against a stack that grows and shrinks: of the calls that are under
 * way the innermost four are known, however many have returned, and one that gives way is counted.
 */
#include <linux/kernel.h>
#include <linux/compiler.h>
#include <linux/sched.h>

#include "test.h"
#include "fake_calls.h"

/* the real ones are not read */
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_CACHED_PAGE_H
#define IOB_COMPAT_INODE_H
#define IOB_BLAME_SHARE_H
#define IOB_BLAME_TIMES_H
#define IOB_BLAME_TRANSACTION_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_DISK_H
#define IOB_CORE_FILE_H
#define IOB_CORE_INTENT_H
#define IOB_CORE_METADATA_H
#define IOB_CORE_STATS_H
#define IOB_CORE_TASK_H
#define IOB_BLAME_DIRTY_FAST_H

/* --- core/task, core/cause, core/stats and others: what is asked of them is not looked at */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_CAUSE_INHERITED	0ULL
#define PAGECACHE_TAG_DIRTY	0
#define XA_PRESENT		0
#define S_ISREG(mode)		((mode) == 1)
#define S_ISDIR(mode)		((mode) == 2)
#define S_ISLNK(mode)		((mode) == 3)

struct super_block {
	void *s_bdev;
	bool metadata;	/* some of its inodes' pages are */
};

struct inode {
	unsigned int i_mode;
	struct super_block *i_sb;
	bool metadata;
	u64 ref;
	bool no_page;	/* is known: .ref is that of the inode alone */
	u64 times;	/* who changed those that wait, */
	bool times_wait;	/* or that still do */
};

struct iob_task {
	bool acted_on_behalf;
	char part[512] __attribute__((aligned(8)));
};

struct iob_task_part {
	const char *name;
	size_t size;
	void (*free)(void *part);
};

struct iob_cause {
	u64 role;
	bool kthread;
};

struct iob_origin {
	u64 ref;
};

static struct task_struct me = { .flags = PF_KTHREAD };
struct task_struct *current = &me;
static struct iob_task my_task;
static unsigned int nr_evicted;
static struct iob_cause any_cause = { .role = 1 };
static unsigned int nr_touched;
static int iob_assoc_inode;
static u64 times_noted;

enum { IOB_SERVES_PARENT };

static void *iob_task_part_of(const struct iob_task *t, const struct iob_task_part *part)
{
	return (char *)t->part + (strcmp(part->name, "behalf") ? 400 : 0);
}

#define iob_task_get()				(&my_task)
#define iob_task_role(t)			((void)(t), 0ULL)
#define iob_task_own_cause(t, intent)		((void)(t), (u64)(intent))
#define iob_task_serve(t, what, key)		((void)(t), (void)(served = (key)))
#define iob_cause_of(ref)			((void)(ref), &any_cause)
#define iob_cause_id(ref)			(ref)
#define iob_cause_touch(cause)			((void)(cause), (void)nr_touched++)
#define iob_stat_inc(name)			((void)nr_evicted++)
#define iob_dirty_not_cacheable(t)		((void)(t))
#define iob_is_bdev(inode)			((void)(inode), false)
#define iob_is_metadata(inode)			((inode)->metadata)
#define iob_has_metadata(sb)			((sb)->metadata)
#define iob_disk_watches(inode)			((void)(inode), true)
#define iob_origin_free(o)			((void)(o))
#define iob_origin_at(o, pos)			((o)->ref + (pos) / 4096)
#define iob_assoc_get(kind, object, sub)	\
	((void)(kind), (void)(sub), ((const struct inode *)(object))->ref)
#define iob_assoc_set(kind, object, sub, act)	\
	((void)(kind), (void)(object), (void)(sub), (void)(act))
#define iob_transaction_unique(key, tid)	((void)(key), (u64)(tid))
#define iob_assoc_get_last			iob_assoc_get
#define iob_cause_of_inode(ref, inode)		((void)(inode), (ref))
#define iob_inode_times_wait(inode)		((inode)->times_wait)
#define iob_times_take(inode, needed)		((void)(needed), (inode)->times)
#define iob_times_note(inode, ref)		((void)(inode), (void)(times_noted = (ref)))
#define iob_transaction_join(key, tid, ref) \
	((void)(key), (void)(joined = (ref), joined_tid = (tid)))
static u32 now_tid = 5, joined_tid;
static u64 joined;		/* by the last one that took part in a transaction */
static unsigned long served;	/* the parent's call: where it returns to */

#define iob_transaction_now(key)		((void)(key), now_tid)
#define iob_transaction_next(key)		((void)(key), now_tid++)
#define iob_transaction_most(key, tid)		((void)(key), (u64)(tid))
#define iob_transaction_begin_write(t, key, first, last) ((void)(t), (void)(key))

static u64 iob_cause_of_pages(struct inode *inode, unsigned long index, unsigned long last,
			      int tag, u64 *dirty_ns)
{
	(void)index;
	(void)last;
	(void)tag;
	*dirty_ns = 0;
	return inode->no_page ? IOB_CAUSE_NONE : inode->ref;
}

#include "blame/behalf.c"

static struct super_block sb;

static void begin(void)
{
	memset(&my_task, 0, sizeof(my_task));
	nr_frames = 0;
	nr_evicted = 0;
	nr_walks = 0;
	walk_ends = 0;
	words_are_others = false;
	has_places = false;
}

static void call_begins(unsigned long ret, unsigned int size, u64 ref)
{
	unsigned long sp = nr_frames ? frame[nr_frames - 1].call.sp : 1 << 20, at;
	struct inode inode = { .i_mode = 1, .i_sb = &sb, .ref = ref };
	struct pt_regs regs = { .call = { ret, sp - size } };

	frame[nr_frames].call = regs.call;
	frame[nr_frames++].ref = ref;
	/* (a function leaves some words of its frame as they were) */
	for (at = sp - 16; at > sp - size; at -= 16)
		word[at / 16] = rnd(4) ? 0 : word[at / 16];
	word[regs.call.sp / 16] = ret;
	if (!ref)
		return;
	if (ref % 2)
		iob_behalf_for(ref, &regs);
	else
		iob_behalf_pages(&inode, 0, 1, true, &regs);
}

static bool is_under_way(unsigned long ret)
{
	unsigned int i;

	for (i = 0; i < nr_frames && frame[i].call.ret != ret; i++)
		;
	return i < nr_frames;
}

/* The innermost @most calls that are hooked and under way are known, and the first of them pays. */
static void compare(const char *what, unsigned int most)
{
	const struct behalf_state *state = behalf_state_of(&my_task);
	struct iob_behalf *active;
	struct iob_stack stack;
	unsigned int i, j, n = 0;
	u64 first = 0;

	for (i = nr_frames; i-- && n < most;) {
		if (!frame[i].ref)
			continue;
		if (!n++)
			first = frame[i].ref;
		for (j = 0; j < IOB_MAX_BEHALFS; j++) {
			if (state->behalf[j].call.ret == frame[i].call.ret &&
			    state->behalf[j].call.sp == frame[i].call.sp &&
			    state->behalf[j].ref == frame[i].ref)
				break;
		}
		if (j == IOB_MAX_BEHALFS)
			fail("%s: of %u frames number %u is not known", what, nr_frames, i);
	}
	iob_stack_get(&stack, NULL);
	active = iob_behalf_active(&my_task, &stack);
	if ((active ? active->ref : 0) != first)
		fail("%s: %llu pays, not %llu", what, active ? active->ref : 0, first);
}

/*
 * Calls at any depth, of which four at most are under way.  If the trace is whole none gives way; if
 * not, one that is forgotten is counted.
 */
static void at_any_depth(const char *what, bool may_end)
{
	const unsigned long hooked = 8;		/* functions that return to 1 to 8 */
	unsigned int i, under_way = 0, before;
	u64 ref = 10;

	for (i = 0; i < 100000; i++) {
		unsigned long ret = 1 + rnd(3 * hooked);

		if (nr_frames && (rnd(2) || nr_frames > 20)) {
			under_way -= !!frame[--nr_frames].ref;
			continue;
		}
		/* (no function is entered from one place twice) */
		if (is_under_way(ret) || (ret <= hooked && under_way == 4))
			continue;
		walk_ends = may_end && !rnd(3) ? 1 + rnd(10) : 0;
		before = nr_evicted;
		call_begins(ret, 16 * (1 + rnd(20)), ret <= hooked ? ref++ : 0);
		under_way += ret <= hooked;
		walk_ends = 0;
		if (nr_evicted > before) {
			/* until these have returned */
			while (nr_frames)
				under_way -= !!frame[--nr_frames].ref;
			continue;
		}
		compare(what, 4);
	}
	if (!may_end == !!nr_evicted)
		fail("%s: %u gave way", what, nr_evicted);
	if (!nr_walks)
		fail("%s: there was room each time", what);
}

static void any_depth(void)
{
	begin();
	at_any_depth("any depth", false);
	begin();
	words_are_others = true;
	at_any_depth("beside a tracer of returns", false);
	begin();
	has_places = true;
	at_any_depth("with places", false);
	begin();
	at_any_depth("a walk that ends early", true);
}

/* A call is under way, and another one from the same place within it has returned. */
static void recursion(void)
{
	unsigned int times;

	for (times = 0; times < 100; times++) {
		begin();
		call_begins(1, 64, 11);
		call_begins(50, 64, 0);
		call_begins(1, 64, 13);
		call_begins(2, 64, 15);
		call_begins(3, 64, 17);
		nr_frames = 2;
		/* (the words that these had at their entry are another function's) */
		memset(word, 0, frame[1].call.sp / 16 * sizeof(*word));
		call_begins(51, 64 * 10, 0);
		call_begins(4, 64, 19);
		compare("a call of the same place has returned", 2);
	}
	if (nr_evicted)
		fail("%u gave way", nr_evicted);
}

/* The function that returns to @ret is entered; what it notes is the caller's. */
static struct pt_regs entered_by(unsigned long ret, unsigned int size)
{
	unsigned long sp = nr_frames ? frame[nr_frames - 1].call.sp : 1 << 20;
	struct pt_regs regs = { .call = { ret, sp - size } };

	frame[nr_frames].call = regs.call;
	frame[nr_frames++].ref = 0;
	word[regs.call.sp / 16] = ret;
	return regs;
}

static struct pt_regs entered_at(unsigned long ret)
{
	return entered_by(ret, 64);
}

static struct iob_behalf *active_now(void)
{
	struct iob_stack stack;

	iob_stack_get(&stack, NULL);
	return iob_behalf_active(&my_task, &stack);
}

/*
 * fsync() writes a file of 12's.  First it collects garbage, which writes a directory of 14's from
 * the same place, and has ended: the word that it had at its entry is as it was.
 */
static void nested_has_returned(void)
{
	static const struct {
		const char *what;
		bool places;
		unsigned int size;	/* of what is called next */
	} cases[] = {
		{ "deeper than that was", true, 64 * 10 },
		{ "less deep", false, 64 },
		{ "less deep, with places", true, 64 },
	};
	struct iob_behalf *active;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		call_begins(100, 64, 0);
		call_begins(1, 64, 12);
		call_begins(101, 64 * 4, 0);
		call_begins(1, 64, 14);
		active = active_now();
		if (!active || active->ref != 14)
			fail("%s: the inner one does not pay", cases[i].what);
		nr_frames = 2;
		has_places = cases[i].places;
		entered_by(102, cases[i].size);
		active = active_now();
		if (!active || active->ref != 12)
			fail("%s: %llu pays", cases[i].what, active ? active->ref : 0);
	}
}

/* Five within each other: the outermost gives way, which is counted once. */
static void too_many(void)
{
	unsigned int i;

	begin();
	for (i = 1; i <= 5; i++) {
		call_begins(i, 64, i);
		compare("nested", 4);
	}
	if (nr_evicted != 1)
		fail("%u gave way", nr_evicted);
	/* of a stack that is deeper than what is kept of it nothing is known to have returned */
	begin();
	call_begins(100, 64, 3);
	for (i = 1; i < IOB_STACK_DEPTH; i++)
		call_begins(100 + i, 64, 0);
	for (i = 1; i <= 4; i++)
		call_begins(200 + i, 64, 3 + i);
	if (nr_evicted != 1)
		fail("of a cut stack %u gave way", nr_evicted);
	compare("cut", 4);
}

/* An inode that is written is no call: it stays until it is written. */
static void open_one(void)
{
	struct inode inode = { .i_mode = 1, .i_sb = &sb, .ref = 7 };
	struct iob_behalf *active;
	struct iob_stack stack;
	unsigned int i, around = 0;

	begin();
	for (i = 1; i <= 4; i++)
		call_begins(i, 64, 20 + i);
	nr_frames = 1;
	iob_behalf_inode(&inode);
	if (nr_evicted)
		fail("a call that has returned takes the room of an inode");
	/* others come and go meanwhile, each deeper than the last */
	for (i = 0; i < 100; i++) {
		call_begins(50, 64 + 64 * i, 0);
		call_begins(10 + i % 5, 64, 30);
		compare("within", 2);
		nr_frames -= 2;
		iob_stack_get(&stack, NULL);
		active = iob_behalf_active(&my_task, &stack);
		if (!active || active->ref != 7)
			fail("%u: the inode is forgotten", i);
	}
	if (nr_evicted)
		fail("%u gave way", nr_evicted);
	for (i = 0; i < IOB_MAX_BEHALFS; i++)
		around += behalf_state_of(&my_task)->behalf[i].call.ret == 1;
	if (around != 1)
		fail("the call around it is there %u times", around);
	iob_behalf_inode(NULL);
	compare("closed", 4);
}

/* An inode is written whose times waited, or change while it is dirty and wait on. */
static void lazy_times(void)
{
	static const struct {
		const char *what;
		u64 ref, times;
		bool wait;
		u64 pays, noted;
	} cases[] = {
		{ "nothing is known", 0, 0, true, 0, 0 },
		{ "times waited", 0, 9, false, 9, 0 },
		{ "they wait on", 0, 9, true, 9, 9 },
		{ "the inode has changed since", 7, 9, false, 7, 0 },
		{ "its times have, too", 7, 0, true, 7, 7 },
	};
	struct iob_behalf *active;
	struct iob_stack stack;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct inode inode = {
			.i_mode = 1, .i_sb = &sb, .ref = cases[i].ref, .times = cases[i].times,
			.times_wait = cases[i].wait,
		};

		begin();
		times_noted = 0;
		iob_behalf_inode(&inode);
		iob_stack_get(&stack, NULL);
		active = iob_behalf_active(&my_task, &stack);
		if ((active ? active->ref : 0) != cases[i].pays)
			fail("%s: %llu pays", cases[i].what, active ? active->ref : 0);
		if (times_noted != cases[i].noted)
			fail("%s: %llu is noted", cases[i].what, times_noted);
		iob_behalf_inode(NULL);
	}
}

static void writes_pages(unsigned long ret, u64 ref)
{
	struct inode inode = { .i_mode = ref ? 1 : 0, .i_sb = &sb, .ref = ref };
	struct pt_regs regs = entered_at(ret);

	iob_behalf_pages(&inode, 0, 1, true, &regs);
}

/*
 * The flusher writes a file of 12's at a sync.  Later it writes something that is nobody's, one
 * frame deeper: the call that has returned does not pay, though both return to one address.
 */
static void not_known_deeper(void)
{
	struct iob_behalf *active;

	begin();
	entered_at(100);
	writes_pages(1, 12);
	if (!active_now() || active_now()->ref != 12)
		fail("a call under way does not pay");
	nr_frames = 1;
	entered_at(101);
	writes_pages(1, 0);
	active = active_now();
	if (active)
		fail("%llu pays for what is nobody's", active->ref);
}

/* Directories and symbolic links have dirty pages as files have; of a disk they are others' metadata. */
static void kinds(void)
{
	struct inode inode = { .i_sb = &sb, .ref = 12 };
	struct pt_regs regs;
	unsigned int i;

	for (i = 1; i <= 4; i++) {
		begin();
		inode.i_mode = i;
		entered_at(100);
		regs = entered_at(1);
		iob_behalf_pages(&inode, 0, 1, true, &regs);
		if ((active_now() ? active_now()->ref : 0) != (i < 4 ? 12 : 0))
			fail("kind %u: another pays", i);
	}
}

/* A call inside of another one that returns to the same address, and does not know for whom. */
static void not_known_inside(void)
{
	begin();
	entered_at(100);
	writes_pages(1, 12);
	entered_at(101);
	writes_pages(1, 0);
	if (!active_now() || active_now()->ref != 12)
		fail("inside, the call that knows does not pay");
}

static u64 changes_metadata(void)
{
	struct inode inode = { .i_mode = 1, .i_sb = &sb };

	return behalf_participant(&my_task, active_now(), &inode);
}

/* fsync() committed transaction 5; later the task runs delayed references in transaction 9. */
static void old_transaction(void)
{
	struct pt_regs regs;
	u64 tid;

	begin();
	now_tid = 5;
	entered_at(100);
	regs = entered_at(1);
	iob_behalf_none();
	iob_behalf_common(false, &regs);
	tid = changes_metadata();
	if (tid != 5)
		fail("in the commit: %llu", tid);
	/* inside of the commit it is the same transaction, though others join the next one */
	now_tid = 6;
	regs = entered_at(3);
	iob_behalf_common(false, &regs);
	tid = changes_metadata();
	if (tid != 5)
		fail("further inside: %llu", tid);
	nr_frames = 1;
	now_tid = 9;
	entered_at(101);
	entered_at(102);
	regs = entered_at(2);
	iob_behalf_common(false, &regs);
	tid = changes_metadata();
	if (tid != 9)
		fail("transaction %llu pays, not 9", tid);
}

/* Of a page of @inode that becomes dirty, which act pays?  0: the task itself. */
static u64 dirties(const struct inode *inode)
{
	return iob_behalf_cause(&my_task, active_now(), inode);
}

/*
 * A worker changes metadata for those that took part.  A kernel thread that is none, such as one
 * that serves clients of the network, or that collects garbage, changes it for itself.
 */
static void workers(void)
{
	struct inode tree = { .i_sb = &sb, .metadata = true }, file = { .i_mode = 1, .i_sb = &sb };

	begin();
	now_tid = 5;
	sb.metadata = true;
	me.flags = PF_KTHREAD | PF_WQ_WORKER;
	if (dirties(&tree) != 5)
		fail("a worker: %llu pays", dirties(&tree));
	if (dirties(&file))
		fail("a worker, data: %llu pays", dirties(&file));
	me.flags = PF_KTHREAD;
	if (dirties(&tree))
		fail("another kernel thread: %llu pays", dirties(&tree));
	me.flags = 0;
	if (dirties(&tree))
		fail("a program: %llu pays", dirties(&tree));
	me.flags = PF_KTHREAD;
	sb.metadata = false;
}

/*
 * The end of a transaction changes other inodes, too: what they have of free space, or of quota.
 * What it writes for a file that is dirty, it changes for the file's dirtier.
 */
static void other_inodes(void)
{
	struct inode file = { .i_mode = 1, .i_sb = &sb }, disk = { .i_mode = 1 };
	static struct super_block disk_sb;
	struct pt_regs regs;

	begin();
	now_tid = 5;
	sb.metadata = true;
	disk.i_sb = &disk_sb;
	me.flags = 0;
	entered_at(100);
	regs = entered_at(1);
	iob_behalf_none();
	iob_behalf_common(false, &regs);
	if (dirties(&file) != 5)
		fail("in a commit %llu pays for another inode", dirties(&file));
	if (dirties(&disk))
		fail("in a commit %llu pays for another file system", dirties(&disk));
	writes_pages(2, 12);
	if (dirties(&file) != 12)
		fail("in a commit %llu pays for what 12 made dirty", dirties(&file));
	nr_frames = 1;
	if (dirties(&file))
		fail("behind a commit %llu pays", dirties(&file));
	me.flags = PF_KTHREAD;
	sb.metadata = false;
}

/* What is changed on another's behalf is noted elsewhere next: the cause has just been used. */
static void in_use(void)
{
	begin();
	entered_at(100);
	writes_pages(1, 12);
	nr_touched = 0;
	if (iob_behalf_find_cause(&my_task, active_now(), NULL) != 12)
		fail("another pays");
	if (!nr_touched)
		fail("the cause may be reclaimed before it is noted");
}

/* Of the pages nobody is known: whoever changed the inode pays, and takes part in a transaction. */
static void no_page_known(void)
{
	struct super_block with_bdev = { .s_bdev = &me };
	struct inode inode = { .i_mode = 1, .i_sb = &sb, .ref = 12, .no_page = true };
	struct pt_regs regs;

	begin();
	entered_at(100);
	regs = entered_at(1);
	joined = 0;
	iob_behalf_pages(&inode, 0, 1, true, &regs);
	if (!active_now() || active_now()->ref != 12)
		fail("the one that changed the inode does not pay");
	if (joined != 12 || joined_tid != now_tid)
		fail("%llu takes part in transaction %u", joined, joined_tid);
	joined = 0;
	inode.i_sb = &with_bdev;
	regs = entered_at(2);
	iob_behalf_pages(&inode, 0, 1, true, &regs);
	if (joined)
		fail("%llu takes part where no worker changes more", joined);
}

/* A worker writes the file of a disk for a request of that disk: the place tells who pays. */
static void parent(void)
{
	const u64 at = 1 << 20;
	struct pt_regs regs;

	begin();
	iob_parent_io_of(&my_task)->pos = at;
	iob_parent_io_of(&my_task)->origin.ref = 20;
	entered_at(100);
	regs = entered_at(1);
	if (iob_behalf_is_known(&regs))
		fail("it is known before the request is carried out");
	iob_behalf_parent(at + 3 * 4096, &regs);
	if (!active_now() || active_now()->ref != 23)
		fail("of the fourth page %llu pays", active_now() ? active_now()->ref : 0);
	if (served != 1)
		fail("the task does not serve the request");
	if (!iob_behalf_is_known(&regs))
		fail("it is not known for whom");
	if (iob_behalf_parent_cause(&my_task, at + 4096) != 21 ||
	    iob_behalf_parent_cause(&my_task, at - 4096) != 20)
		fail("another pays for a byte of the request");
	iob_behalf_parent_end(&my_task);
	if (active_now())
		fail("after the request %llu pays", active_now()->ref);
	if (served)
		fail("the task serves a request that has ended");
	if (iob_behalf_is_known(&regs) || iob_parent_io_of(&my_task)->call.ret)
		fail("it is known after the request");
}

/*
 * A worker ends a write of 12's.  It is certain for whom, also further inside, and if both have one
 * role; but not of a call that only guesses, nor once it has returned.
 */
static void sure(void)
{
	struct pt_regs regs;

	begin();
	me.flags = PF_KTHREAD | PF_WQ_WORKER;
	entered_at(100);
	writes_pages(1, 11);
	regs = entered_at(2);
	if (iob_behalf_is_known(&regs))
		fail("a guess is certain");
	iob_behalf_surely(12, &regs);
	if (!iob_behalf_is_known(&regs) || iob_behalf_current(&regs) != 12)
		fail("for %llu, certain %d", iob_behalf_current(&regs),
		     iob_behalf_is_known(&regs));
	/* inside it another call does not know */
	regs = entered_at(3);
	iob_behalf_for(IOB_CAUSE_NONE, &regs);
	if (!iob_behalf_is_known(&regs) || iob_behalf_current(&regs) != 12)
		fail("inside for %llu", iob_behalf_current(&regs));
	any_cause.role = 0;
	if (iob_behalf_current(&regs) != 12)
		fail("of one role: for %llu", iob_behalf_current(&regs));
	any_cause.role = 1;
	nr_frames = 1;
	regs = entered_at(4);
	if (iob_behalf_is_known(&regs) || iob_behalf_current(&regs))
		fail("later for %llu", iob_behalf_current(&regs));
	/* who the next is for is not known: not for 12 */
	nr_frames = 1;
	entered_at(101);
	regs = entered_at(2);
	iob_behalf_surely(IOB_CAUSE_NONE, &regs);
	if (iob_behalf_is_known(&regs) || iob_behalf_current(&regs))
		fail("the next one: for %llu", iob_behalf_current(&regs));
	me.flags = PF_KTHREAD;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(any_depth), TEST(recursion), TEST(nested_has_returned), TEST(too_many),
		TEST(open_one), TEST(lazy_times),
		TEST(not_known_deeper), TEST(kinds), TEST(not_known_inside),
		TEST(old_transaction),
		TEST(workers), TEST(other_inodes),
		TEST(in_use), TEST(no_page_known), TEST(parent), TEST(sure),
	};

	return run_tests("behalf", tests, ARRAY_SIZE(tests));
}

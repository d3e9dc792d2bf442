// SPDX-License-Identifier: GPL-2.0
/*
 * Who pays for a bio of which nothing but its submitter is known: the submitter, but for what it
 * reads, or writes of an inode, for others.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/sched.h>

#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_BEHALF_H
#define IOB_BLAME_LOOK_H
#define IOB_COMPAT_MEMCG_H
#define IOB_CORE_INTENT_H
#define IOB_CORE_MARK_H
#define IOB_CORE_METADATA_H
#define IOB_CORE_ROLE_H
#define IOB_STACK_STACK_H

#define noinline_for_stack

/* --- the kernel, compat/folio: a bio of one page, which may be of an inode */

#define REQ_SWAP		1

enum { PG_locked, PG_writeback, PG_uptodate, PG_swapbacked };

enum { REQ_OP_READ, REQ_OP_WRITE, REQ_OP_WRITE_ZEROES };

struct inode {
	bool is_bdev, metadata;
};

struct page {
	unsigned long flags;
	struct inode *host;
};

struct bio {
	struct page *page;
	unsigned int bi_opf;
	int op;
	struct {
		u32 bi_size;
	} bi_iter;
};

static struct page zero_page;

#define ZERO_PAGE(at)		((void)(at), &zero_page)
#define bio_op(bio)		((bio)->op)
#define bio_has_data(bio)	((bio)->page != NULL)
#define bio_page(bio)		((bio)->page)
#define iob_folio		page
#define iob_folio_of(p)		(p)
#define iob_folio_flags(f)	((f)->flags)
#define iob_folio_host(f)	((f)->host)
#define iob_folio_writeback(f)	((f)->flags & BIT(PG_writeback))
#define iob_folio_locked(f)	((f)->flags & BIT(PG_locked))
#define iob_folio_cgroup(f)	((void)(f), 0ULL)

/* --- core/cause, core/role, core/intent, core/mark */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_CAUSE_INHERITED	BIT(20)
#define IOB_ROLE_NOMEM		1ULL
#define IOB_ROLE_LOST		2ULL
#define IOB_ROLE_CGROUP		1
#define IOB_INTENT_WRITEBACK	2
#define IOB_DIRTY_UNKNOWN	1
#define FLUSHER			5ULL

enum iob_op { IOB_OP_READ, IOB_OP_AHEAD, IOB_OP_WRITE, IOB_OP_DISCARD, IOB_OP_FLUSH };
enum iob_how { IOB_HOW_EXACT, IOB_HOW_INHERITED, IOB_HOW_SUBMITTER, IOB_HOW_LOST };

struct iob_file {
	const void *of;		/* an inode, or NULL: the device */
};

#define iob_file_of(inode, file)	((void)((file)->of = (inode)))
#define iob_look_device(bio, file)	((void)(bio), (void)((file)->of = NULL))
#define iob_is_bdev(inode)		((inode)->is_bdev)
#define iob_is_metadata(inode)		((inode)->metadata)
#define iob_roles_kind()		0
#define iob_role_of_cgroup(cgroup)	(cgroup)
#define iob_cause_get(role, intent)	((void)(intent), (u64)(role))
#define iob_cause_modified(ref, m)	((void)(m), (ref))
#define iob_task_cause(t, intent)	((void)(t), (void)(intent), FLUSHER)
#define iob_marks_of(ip, depth)		((void)(ip), (void)(depth), 0)

/* --- stack/stack */

struct pt_regs {
	int id;
};

struct iob_frame {
	unsigned long ip;
};

struct iob_call {
	unsigned long ret;
};

struct iob_stack {
	const unsigned long *ip;
	unsigned int depth;
};

#define iob_stack_from(s, at, regs)	((void)(at), (void)(regs), (void)((s)->depth = 0))
#define iob_stack_get(s, regs)		iob_stack_from(s, NULL, regs)
#define DIRECT_CALL			0x1000
#define iob_stack_has(s, ret)		((void)(s), (ret) == DIRECT_CALL)
#define iob_stack_intent(s, modifier)	((void)(s), (u32)(modifier))

/* --- core/task, blame/behalf: the innermost call of the task that is for another */

struct iob_task {
	unsigned long direct;
	struct iob_file file;
};

struct iob_origin {
	u64 cause;
	const void *of;
	enum iob_how how;
};

struct iob_parent_io {
	struct iob_call call;
	struct iob_origin origin;
};

struct iob_behalf {
	bool open;
	u64 ref;
};

static struct iob_behalf *active;

#define iob_parent_io_of(t)		((void)(t), (struct iob_parent_io *)NULL)
#define iob_origin_at(o, pos)		((void)(pos), (o)->cause)
#define iob_behalf_active(t, s)		((void)(t), (void)(s), active)
#define iob_behalf_cause(t, b, host)	((void)(t), (void)(host), (b) ? (b)->ref : IOB_CAUSE_NONE)

/* --- blame/look, blame/share */

struct iob_bio_kind {
	const char *name;
	u64 (*changed_by)(const struct bio *whole);
	bool (*is_log)(const struct iob_task *t);
};

static const struct iob_bio_kind iob_bio_buffer = { "buffer" };

struct iob_share {
	struct iob_file file;
	u64 cause, dirty_ns;
	u32 bytes;
	enum iob_how how;
};

struct iob_look {
	struct iob_origin *o;
	struct bio *bio;
	enum iob_op op;
	const struct iob_frame *at;
	struct pt_regs *regs;
	struct iob_task *task;
	const struct iob_bio_kind *kind;
	bool late, for_other;
	const struct iob_file *file;
	u32 modifier;
	u64 submitter;
	struct iob_file submitter_file;
	const struct inode *submitter_host;
};

#define iob_origin_put(o, ref, file, h, bytes, ns)	\
	((void)(bytes), (void)(ns), (void)(*(o) = (struct iob_origin){ ref, (file)->of, h }))

#include "blame/look.c"

static struct task_struct me;
struct task_struct *current = &me;

static struct inode mft, disk = { .is_bdev = true };

/* What the current task does while it writes an inode that 7 has changed, unless @b says more. */
struct try {
	const char *what;
	enum iob_op op;
	unsigned int opf;
	unsigned int task;
	struct page page;
	struct iob_behalf b;
	u64 pays;
	bool zeroes, zero_page;
};

static void submits(const struct try *try)
{
	struct page page = try->page;
	struct bio bio = { .page = &page, .bi_opf = try->opf };
	struct iob_behalf b = try->b;
	struct iob_task task = { };
	struct iob_origin o = { };
	struct iob_look l = { .o = &o, .bio = &bio, .op = try->op, .task = &task };
	struct inode *host;

	bio.bi_iter.bi_size = 4096;
	if (try->zeroes) {
		bio.op = REQ_OP_WRITE_ZEROES;
		bio.page = NULL;
	} else if (try->zero_page) {
		bio.page = &zero_page;
	}

	me.flags = try->task;
	active = b.ref ? &b : NULL;
	host = bio.page ? iob_look_host(&l, bio.page) : NULL;
	iob_look_add_submitter(&l, host, 4096);
	if ((o.cause & ~IOB_CAUSE_INHERITED) != try->pays)
		fail("%s: %llu pays", try->what, o.cause & ~IOB_CAUSE_INHERITED);
	if ((o.how == IOB_HOW_INHERITED) != (try->pays != FLUSHER))
		fail("%s: how is %d", try->what, o.how);
}

#define LOCKED		{ .flags = BIT(PG_locked), .host = &mft }
#define INODE		{ .open = true, .ref = 7 }

/*
 * A file system may keep inodes in pages of a file of its own, and write such a page while it is
 * locked.  Who changed the inode pays for that, as elsewhere, if a kernel thread writes it.
 */
static void writes_inode(void)
{
	static const struct try tries[] = {
		{ "an inode in a locked page", IOB_OP_WRITE, 0, PF_KTHREAD, LOCKED, INODE, 7 },
		{ "by a program", IOB_OP_WRITE, 0, 0, LOCKED, INODE, FLUSHER },
		{ "nobody has changed it", IOB_OP_WRITE, 0, PF_KTHREAD, LOCKED, { }, FLUSHER },
		{ "in a call for others", IOB_OP_WRITE, 0, PF_KTHREAD, LOCKED, { .ref = 7 },
		  FLUSHER },
		{ "a page that is in writeback", IOB_OP_WRITE, 0, PF_KTHREAD,
		  { .flags = BIT(PG_locked) | BIT(PG_writeback), .host = &mft }, INODE, FLUSHER },
		{ "a page of a log", IOB_OP_WRITE, 0, PF_KTHREAD, { .host = &mft }, INODE, FLUSHER },
		{ "a page of no file", IOB_OP_WRITE, 0, PF_KTHREAD, { .flags = BIT(PG_locked) },
		  INODE, FLUSHER },
		{ "a page of a disk", IOB_OP_WRITE, 0, PF_KTHREAD,
		  { .flags = BIT(PG_locked), .host = &disk }, INODE, FLUSHER },
		{ "swap", IOB_OP_WRITE, REQ_SWAP, PF_KTHREAD, LOCKED, INODE, FLUSHER },
		{ "a discard", IOB_OP_DISCARD, 0, PF_KTHREAD, LOCKED, INODE, FLUSHER },
		{ "a flush", IOB_OP_FLUSH, 0, PF_KTHREAD, LOCKED, INODE, FLUSHER },
		{ "a read", IOB_OP_READ, 0, PF_KTHREAD, LOCKED, INODE, 7 },
		{ "a read by a program", IOB_OP_READ, 0, 0, LOCKED, { .ref = 7 }, 7 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tries); i++)
		submits(&tries[i]);
}

/*
 * A flusher that allocates blocks for a page may have to zero those around it.  Who wrote the page
 * pays for that, not a thread that zeroes for its own sake, and a program pays for itself.
 */
static void zeroes(void)
{
	static const struct try tries[] = {
		{ "by a command", IOB_OP_DISCARD, 0, PF_KTHREAD, { }, { .ref = 7 }, 7,
		  .zeroes = true },
		{ "by writing", IOB_OP_WRITE, 0, PF_KTHREAD, { }, { .ref = 7 }, 7,
		  .zero_page = true },
		{ "on its own account", IOB_OP_WRITE, 0, PF_KTHREAD, { }, { }, FLUSHER,
		  .zero_page = true },
		{ "a program does", IOB_OP_DISCARD, 0, 0, { }, { .ref = 7 }, FLUSHER,
		  .zeroes = true },
		{ "data of no file", IOB_OP_WRITE, 0, PF_KTHREAD, { }, { .ref = 7 }, FLUSHER },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(tries); i++)
		submits(&tries[i]);
}

static u64 changed(const struct bio *whole)
{
	(void)whole;
	return 7;
}

/* In a call of a direct IO to mft a bio is submitted: whether it is on that file. */
static void in_direct(const char *what, enum iob_op op, unsigned int opf, unsigned long flags,
		      const struct iob_bio_kind *kind, bool is_on)
{
	struct iob_task task = { .direct = DIRECT_CALL, .file = { &mft } };
	struct page page = { .flags = flags };
	struct bio bio = { .page = &page, .bi_opf = opf, .bi_iter = { 4096 } };
	struct iob_origin o = { };
	struct iob_look l = { .o = &o, .bio = &bio, .op = op, .task = &task, .kind = kind };

	me.flags = 0;
	active = NULL;
	iob_look_add_submitter(&l, NULL, 4096);
	if ((o.of == &mft) != is_on)
		fail("%s: it is %son the file", what, is_on ? "not " : "");
}

/* What a direct IO needs beside its own data is none of the file's. */
static void beside_direct(void)
{
	static const struct iob_bio_kind meta = { .name = "metadata", .changed_by = changed };
	static const struct iob_bio_kind data = { .name = "data" };
	const unsigned long anon = BIT(PG_swapbacked) | BIT(PG_uptodate);

	in_direct("a read", IOB_OP_READ, 0, anon, &data, true);
	in_direct("a read into memory of a device", IOB_OP_READ, 0, 0, &data, true);
	in_direct("a write", IOB_OP_WRITE, 0, anon, &data, true);
	in_direct("a write by a function that is not known", IOB_OP_WRITE, 0, anon, NULL, true);
	in_direct("its buffer is swapped in", IOB_OP_READ, 0, BIT(PG_swapbacked), NULL, false);
	in_direct("memory is swapped out", IOB_OP_WRITE, REQ_SWAP, anon, NULL, false);
	in_direct("metadata is read", IOB_OP_READ, 0, 0, &meta, false);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(writes_inode), TEST(zeroes), TEST(beside_direct),
	};

	return run_tests("look", tests, ARRAY_SIZE(tests));
}

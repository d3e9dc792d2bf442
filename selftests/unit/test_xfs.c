// SPDX-License-Identifier: GPL-2.0
/*
 * Who pays for a buffer of xfs: the last act that changed it, until it is written.  A write that
 * fails is repeated, by whomever, for the same act.  For the log each act pays its part.
 */
#include <linux/bio.h>
#include <linux/compiler.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>

#include "test.h"

/* the real ones are not read */
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_ASYNC_H
#define IOB_BLAME_BEHALF_H
#define IOB_BLAME_BIO_KIND_H
#define IOB_BLAME_PROVIDER_H
#define IOB_BLAME_TRANSACTION_H
#define IOB_COMPAT_XFS_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_CODE_H
#define IOB_CORE_LAYOUT_H
#define IOB_CORE_TASK_H
#define IOB_HOOKS_ENTRY_H
#define IOB_STACK_CALL_H
#define IOB_STACK_STACK_H

/* --- the kernel */

#define THREAD_SIZE	16384UL
#define IS_BUILTIN(config)	0

struct pt_regs {
	unsigned long arg[4];
};

#define regs_get_kernel_argument(regs, nr)	((regs)->arg[nr])

struct iomap_ioend {
	struct inode *io_inode;
	u64 io_offset;
	size_t io_size;
};

struct bio_of_buffer {
	struct bio bio;
	void *bi_private;
};

#define bio	bio_of_buffer

static struct task_struct worker = { .flags = PF_KTHREAD | PF_WQ_WORKER };
static struct task_struct aild = { .flags = PF_KTHREAD }, program;
struct task_struct *current;

/* --- core/cause, core/task, core/layout, hooks/entry */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_CAUSE_INHERITED	(1ULL << 20)

struct iob_cause {
	bool kthread;
};

struct iob_task {
	u64 part[32];
};

struct iob_task_part {
	const char *name;
	size_t size;
};

static struct iob_task task_of_worker, task_of_program, task_of_aild;

static struct iob_task *iob_task_get(void)
{
	if (current == &worker)
		return &task_of_worker;
	return current == &aild ? &task_of_aild : &task_of_program;
}

#define iob_task_part_of(t, p)		((void *)(t)->part)

struct iob_layout_member {
	const char *name;
};

struct iob_layout {
	const char *type, *cost;
	const struct iob_layout_member *member;
	bool by_use_only;
	u16 at[3];
};

#define IOB_LAYOUT_IN(mod, config)	.at[0] = 0
#define IOB_LAYOUT_OF(members)		.member = members
#define IOB_LAYOUT_MEMBER(name, type, member)	{ name }
#define iob_layout_tell(l, right)	((void)(l), (void)(right))
#define iob_layout_is_sure(l)		((void)(l), true)
#define iob_layout_is_bad(l)		((void)(l), false)

typedef void (*iob_entry_fn)(struct pt_regs *regs);

/* --- compat/xfs, stack */

struct iob_xfs_cil_ctx;
struct iob_xfs_cil;

enum { IOB_XFS_CTX_CIL, IOB_XFS_CTX_SEQUENCE, IOB_XFS_CTX_START_LSN };

#define iob_xlog_checkpoint(ctx, at, log_at, sure, log, seq)	\
	((void)(ctx), (void)(sure), *(log) = NULL, *(seq) = 0, false)
#define iob_xlog_written(regs, at, seq)	((void)(regs), *(seq) = -1, (void *)NULL)

struct iob_call {
	unsigned long ret, sp;
};

struct iob_stack {
	unsigned int nr;
};

struct iob_code {
	unsigned long start, end;
};

static unsigned long called_from;	/* the address that the function entered returns to */

#define iob_code_has(code, ip)		((ip) > (code)->start && (ip) <= (code)->end)
#define iob_code_publish(func, code)	\
	(*(code) = (struct iob_code){ func, (func) ? (func) + 0x100 : 0 })
#define iob_call_ret(regs)		((void)(regs), called_from)
#define iob_call_at(regs)		((void)(regs), (struct iob_call){ 1, 1 })
#define iob_stack_at(regs)		((void)(regs), 0UL)
#define iob_stack_has(s, ret)		((void)(s), (void)(ret), false)

/* --- blame: one act for each object */

struct iob_assoc_kind {
	const char *name;
};

enum { NR_NOTES = 16 };

static struct {
	const struct iob_assoc_kind *kind;
	const void *object;
	u64 act;
} notes[NR_NOTES];

static u64 *note_of(const struct iob_assoc_kind *kind, const void *object, bool make)
{
	unsigned int i;

	for (i = 0; i < NR_NOTES && notes[i].kind; i++) {
		if (notes[i].kind == kind && notes[i].object == object)
			return &notes[i].act;
	}
	if (!make)
		return NULL;
	if (i == NR_NOTES)
		abort();
	notes[i].kind = kind;
	notes[i].object = object;
	return &notes[i].act;
}

static u64 iob_assoc_get(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	const u64 *act = note_of(kind, object, false);

	(void)sub;
	return act ? *act : IOB_CAUSE_NONE;
}

static void iob_assoc_set(const struct iob_assoc_kind *kind, const void *object, u64 sub, u64 act)
{
	(void)sub;
	*note_of(kind, object, true) = act;
}

static u64 iob_assoc_take(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	u64 act = iob_assoc_get(kind, object, sub);

	iob_assoc_set(kind, object, sub, IOB_CAUSE_NONE);
	return act;
}

#define iob_assoc_get_last		iob_assoc_get

/* --- core/cause */

static unsigned int nr_touched[16];

#define iob_cause_number(act)		((act) % ARRAY_SIZE(nr_touched))
#define iob_cause_touch_nr(nr)		((void)nr_touched[nr]++)
#define iob_assoc_forget(k, object, sub)	((void)iob_assoc_take(k, object, sub))

static u64 acts_for;			/* the current task acts for this act */
static const struct kiocb *ended;	/* the direct write that was ended last */
static unsigned int nr_other_ends;	/* of those that are not noted when they begin */

#define iob_behalf_current(regs)	((void)(regs), acts_for)
#define iob_async_end(iocb, regs)	((void)(regs), (void)(ended = (iocb)))
#define iob_async_end_other(regs)	((void)(regs), (void)nr_other_ends++)
#define iob_behalf_for(act, regs)	((void)(act), (void)(regs))
#define iob_behalf_pages(i, a, b, d, r)	((void)(r))
#define iob_behalf_is_known(regs)	((void)(regs), !(current->flags & PF_KTHREAD))

struct iob_transaction_write {
	const void *key;
	u32 first, last, modifier;
	bool always;
};

static struct iob_transaction_write writes;

#define IOB_MODIFIER_DISCARD		1
#define iob_transaction_writes(t)	((void)(t), &writes)
#define iob_transaction_begin_write(t, key, first, last)	\
	((void)(key), (void)(first), (void)(last))
/* the last act that took part in a checkpoint, with how much, and how often that was said */
static struct part {
	const void *key;
	u32 seq;
	u64 act;
	u32 weight;
	unsigned int calls;
} part;

static void iob_transaction_share(const void *key, u32 seq, u64 act, u32 weight)
{
	bool same = part.key == key && part.seq == seq && part.act == act;

	part = (struct part){
		key, seq, act, weight + (same ? part.weight : 0), part.calls + 1,
	};
}

#define iob_transaction_share_more		iob_transaction_share
#define iob_transaction_join(key, seq, act)	iob_transaction_share(key, seq, act, 1)
#define iob_transaction_freed_key(log)	((const void *)(log))
#define iob_transaction_key_is_known(k)	((void)(k), false)
#define iob_transaction_log_end(key)	((void)(key))

struct iob_hook_list;
struct iob_bio_kind {
	const char *name;
	u64 (*changed_by)(const struct bio *whole);
	bool (*is_log)(const struct iob_task *t);
};

static const struct iob_bio_kind iob_async_end_io = { .name = "asynchronous write" };

struct iob_provider {
	const struct iob_hook_list *hooks;
	struct iob_task_part *part[2];
	struct iob_assoc_kind *assoc[6];
	struct iob_layout *layout[4];
	bool (*discards)(const struct iob_task *t, const struct iob_stack *stack,
			 struct iob_transaction_write *what);
};

#define IOB_PROVIDER(name)		const struct iob_provider iob_provider_##name

/* as in the kernel */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "fs/xfs.c"

/* --- what xfs does */

enum { TAR = 10, DD, NFSD };

#define PUSH	0x1000UL	/* where the log's thread copies dquots */

static char buffer[2], transaction[2], inode[1], dquot[2], journal;

static void begin(void)
{
	memset(notes, 0, sizeof(notes));
	memset(nr_touched, 0, sizeof(nr_touched));
	memset(&task_of_worker, 0, sizeof(task_of_worker));
	memset(&task_of_aild, 0, sizeof(task_of_aild));
	memset(&task_of_program, 0, sizeof(task_of_program));
	part = (struct part){ };
}

/* @task enters a function that is hooked: a row of the table. */
static void enters(struct task_struct *task, const char *func, const void *arg0, const void *arg1)
{
	struct pt_regs regs = { { (unsigned long)arg0, (unsigned long)arg1 } };
	unsigned int i;

	current = task;
	for (i = 0; i < ARRAY_SIZE(xfs_table); i++) {
		if (!strcmp(xfs_table[i].name, func)) {
			xfs_table[i].entered(&regs);
			return;
		}
	}
	fail("%s is not hooked", func);
}

static void changes(u64 act, const void *bp)
{
	acts_for = act;
	enters(&program, "xfs_trans_dirty_buf", transaction, bp);
	enters(&program, "xfs_trans_free", transaction, NULL);
	acts_for = IOB_CAUSE_NONE;
}

/* Who pays when @task submits the buffer's write. */
static u64 payer(struct task_struct *task, const void *bp)
{
	const struct bio b = { .bi_private = (void *)bp };

	current = task;
	return xfs_bio_buf.changed_by(&b);
}

static void ends(struct task_struct *task, const void *bp, bool failed)
{
	enters(task, "__xfs_buf_ioend|xfs_buf_ioend", bp, NULL);
	if (failed)
		enters(task, "xfs_error_get_cfg", NULL, NULL);
}

/* The last act pays, once. */
static void written(void)
{
	begin();
	changes(TAR, &buffer[0]);
	changes(DD, &buffer[0]);
	changes(TAR, &buffer[1]);
	if (payer(&aild, &buffer[0]) != DD || payer(&aild, &buffer[1]) != TAR)
		fail("not the last act pays");
	ends(&worker, &buffer[0], false);
	if (payer(&aild, &buffer[0]) != IOB_CAUSE_NONE || payer(&aild, &buffer[1]) != TAR)
		fail("after the write of a buffer");
	enters(&aild, "xfs_buf_free", &buffer[1], NULL);
	if (payer(&aild, &buffer[1]) != IOB_CAUSE_NONE)
		fail("a buffer that is freed has an act");
}

/* A worker ends a direct write: the kiocb is the first argument. */
static void direct(void)
{
	begin();
	enters(&worker, "xfs_dio_write_end_io", buffer, transaction);
	if ((const void *)ended != buffer)
		fail("another kiocb ends");
	ended = NULL;
	nr_other_ends = 0;
	enters(&worker, "xfs_zoned_dio_write_end_io", buffer, transaction);
	if (ended || nr_other_ends != 1)
		fail("what is noted of an earlier write is believed of a zoned one");
}

/* The worker writes it again at once, and the log's thread as long as that fails. */
static void failed(void)
{
	unsigned int i;

	begin();
	changes(TAR, &buffer[0]);
	for (i = 0; i < 3; i++) {
		ends(&worker, &buffer[0], true);
		if (payer(i ? &aild : &worker, &buffer[0]) != TAR)
			fail("try %u is paid by %llu", i + 2, payer(&worker, &buffer[0]));
	}
	ends(&worker, &buffer[0], false);
	if (payer(&aild, &buffer[0]) != IOB_CAUSE_NONE)
		fail("a buffer that was written at last has an act");
}

/* Who changes it between two tries pays for the next. */
static void changed(void)
{
	begin();
	changes(TAR, &buffer[0]);
	ends(&worker, &buffer[0], true);
	changes(DD, &buffer[0]);
	if (payer(&aild, &buffer[0]) != DD)
		fail("the try before pays");
}

/* What fails is the buffer that ended last in this task, and no other. */
static void others(void)
{
	begin();
	changes(TAR, &buffer[0]);
	ends(&worker, &buffer[0], false);
	/* of the next one nothing is known */
	ends(&worker, &buffer[1], true);
	if (payer(&worker, &buffer[0]) || payer(&worker, &buffer[1]))
		fail("another buffer's act");
	changes(TAR, &buffer[0]);
	ends(&aild, &buffer[0], false);
	ends(&worker, &buffer[1], true);
	if (payer(&worker, &buffer[0]) || payer(&worker, &buffer[1]))
		fail("another task's buffer");
	/* it is asked once */
	changes(DD, &buffer[0]);
	ends(&worker, &buffer[0], true);
	enters(&aild, "xfs_buf_free", &buffer[0], NULL);
	enters(&worker, "xfs_error_get_cfg", NULL, NULL);
	if (payer(&worker, &buffer[0]) != IOB_CAUSE_NONE)
		fail("a buffer that is freed has an act again");
}

/* Wherever an act is noted for something else, its cause has just been used. */
static void in_use(void)
{
	begin();
	acts_for = TAR;
	enters(&program, "xfs_trans_log_inode", transaction, inode);
	acts_for = IOB_CAUSE_NONE;
	memset(nr_touched, 0, sizeof(nr_touched));
	enters(&worker, "xfs_trans_log_inode", transaction, inode);
	if (!nr_touched[TAR])
		fail("a worker changes an inode for others");
	memset(nr_touched, 0, sizeof(nr_touched));
	enters(&aild, "xfs_iflush_cluster", &buffer[0], NULL);
	enters(&aild, "xfs_iflush_fork", inode, NULL);
	if (payer(&aild, &buffer[0]) % ARRAY_SIZE(nr_touched) != TAR || !nr_touched[TAR])
		fail("an inode is copied into its buffer");
	memset(nr_touched, 0, sizeof(nr_touched));
	ends(&worker, &buffer[0], true);
	if (!nr_touched[TAR])
		fail("a write fails");
}

/* @task logs an inode in a transaction for @act, or for none that is known.  Return: whose it is. */
static u64 logs_inode(struct task_struct *task, u64 act)
{
	acts_for = act;
	enters(task, "xfs_trans_log_inode", transaction, inode);
	enters(task, "xfs_trans_free", transaction, NULL);
	acts_for = IOB_CAUSE_NONE;
	return iob_assoc_get(&xfs_assoc_inode, inode, 0);
}

/*
 * tar has changed an inode.  What a worker changes it leaves to tar, and so does another kernel
 * thread that acts for somebody; but nfsd, which changes it for its clients, pays itself.
 */
static void inodes(void)
{
	static struct task_struct nfsd = { .flags = PF_KTHREAD };
	static struct task_struct kswapd = { .flags = PF_KTHREAD | PF_KSWAPD };

	begin();
	if (logs_inode(&program, TAR) != TAR)
		fail("not tar's");
	if (logs_inode(&worker, IOB_CAUSE_NONE) != (TAR | IOB_CAUSE_INHERITED))
		fail("not tar's after a worker");
	if (logs_inode(&kswapd, IOB_CAUSE_NONE) != (TAR | IOB_CAUSE_INHERITED))
		fail("kswapd takes the inode");
	if (logs_inode(&worker, DD | IOB_CAUSE_INHERITED) != (TAR | IOB_CAUSE_INHERITED))
		fail("not tar's after a worker that acts for dd");
	if (logs_inode(&nfsd, DD | IOB_CAUSE_INHERITED) != (TAR | IOB_CAUSE_INHERITED))
		fail("not tar's after a thread that acts for dd");
	if (logs_inode(&nfsd, NFSD) != NFSD)
		fail("a thread that acts for itself does not pay");
	if (logs_inode(&program, TAR) != TAR || logs_inode(&nfsd, IOB_CAUSE_NONE))
		fail("a thread of which nothing is known leaves it to tar");
}

static void commits(u64 act, const void *item)
{
	acts_for = act;
	enters(&program, "xlog_cil_commit", &journal, transaction);
	enters(&program, "xfs_qm_dquot_logitem_committing", item, NULL);
	enters(&program, "xfs_trans_free", transaction, NULL);
	acts_for = IOB_CAUSE_NONE;
}

/* The log's thread copies a dquot into a buffer, which it queues; or it fails, and queues none. */
static void pushes(const void *item, const void *bp, bool fails)
{
	enters(&aild, "xfs_qm_dquot_logitem_push", item, NULL);
	called_from = PUSH + 0x80;
	if (!fails)
		enters(&aild, "xfs_buf_delwri_queue", bp, NULL);
	called_from = 0;
}

/* Who changed a dquot pays for its buffer, and for no other. */
static void dquots(void)
{
	begin();
	xfs_dquot_push_found(PUSH);
	commits(TAR, &dquot[0]);
	commits(DD, &dquot[1]);
	commits(DD, &dquot[0]);
	pushes(&dquot[0], &buffer[0], false);
	if (payer(&aild, &buffer[0]) != DD)
		fail("%llu pays, not who changed it last", payer(&aild, &buffer[0]));
	if (!nr_touched[DD])
		fail("the cause may be reclaimed");
	ends(&worker, &buffer[0], false);
	if (payer(&aild, &buffer[0]) != IOB_CAUSE_NONE)
		fail("a buffer that was written has an act");
	/* its buffer is locked: the thread goes on with a buffer that has changed */
	pushes(&dquot[1], &buffer[0], true);
	called_from = PUSH - 0x80;
	enters(&aild, "xfs_buf_delwri_queue", &buffer[1], NULL);
	if (payer(&aild, &buffer[1]) != IOB_CAUSE_NONE)
		fail("another buffer's act is a dquot's");
	/* nobody is known who has changed it, or the one now at its address, since */
	commits(IOB_CAUSE_NONE, &dquot[1]);
	pushes(&dquot[1], &buffer[1], false);
	if (payer(&aild, &buffer[1]) != IOB_CAUSE_NONE)
		fail("who changed a dquot before pays");
	xfs_dquot_push_found(0);
}

/* A transaction of @act with @nr items goes to the checkpoint @seq. */
static void goes_to(u64 seq, u64 act, unsigned int nr)
{
	acts_for = act;
	enters(&program, "xlog_cil_commit", &journal, transaction);
	while (nr--)
		enters(&program, nr % 2 ? "xfs_inode_item_committing" : "xfs_buf_item_committing",
		       inode, (const void *)seq);
	acts_for = IOB_CAUSE_NONE;
}

static void part_is(const char *what, u32 seq, u64 act, u32 weight, unsigned int calls)
{
	if (part.key != &journal || part.seq != seq || part.act != act || part.weight != weight)
		fail("%s: act %llu takes part in %u with %u, not %llu in %u with %u", what,
		     part.act, part.seq, part.weight, act, seq, weight);
	if (part.calls != calls)
		fail("%s: the lock of the log is taken %u times, not %u", what, part.calls, calls);
	part = (struct part){ };
}

/*
 * Each item of a transaction adds one to its act's part of the checkpoint.  But the lock that all
 * CPUs share is taken once for the first item, before the checkpoint may be written, and once for
 * the rest.
 */
static void items(void)
{
	begin();
	/* (it is seen that transactions are freed) */
	goes_to(5, DD, 1);
	enters(&program, "xfs_trans_free", transaction, NULL);
	part_is("the first", 5, DD, 1, 1);
	goes_to(6, TAR, 1);
	enters(&program, "xfs_trans_free", transaction, NULL);
	part_is("one item", 6, TAR, 1, 1);
	goes_to(7, TAR, 5);
	if (part.act != TAR || !part.weight)
		fail("the checkpoint may be written without a participant");
	enters(&program, "xfs_trans_free", transaction, NULL);
	part_is("five items", 7, TAR, 5, 2);
	enters(&program, "xfs_trans_free", transaction, NULL);
	if (part.calls)
		fail("a transaction that is cancelled takes part");
	/* a transaction goes on in another one, perhaps in the next checkpoint */
	goes_to(7, DD, 4);
	enters(&program, "xfs_trans_free", transaction, NULL);
	part_is("the first of two", 7, DD, 4, 2);
	goes_to(8, DD, 3);
	enters(&program, "xfs_trans_free", transaction, NULL);
	part_is("the second of two", 8, DD, 3, 2);
	goes_to(8, IOB_CAUSE_NONE, 3);
	enters(&program, "xfs_trans_free", transaction, NULL);
	if (part.calls)
		fail("nobody takes part");
}

/* No item is lost if it is not seen that a transaction is freed: never, or once. */
static void free_unseen(void)
{
	begin();
	xfs_sees_free = false;
	goes_to(7, TAR, 5);
	part_is("never", 7, TAR, 5, 5);
	/* that of another does not tell */
	enters(&program, "xfs_trans_free", &transaction[1], NULL);
	goes_to(7, TAR, 5);
	part_is("another one's", 7, TAR, 5, 5);
	enters(&program, "xfs_trans_free", transaction, NULL);
	if (part.calls)
		fail("an item is counted twice");
	goes_to(8, TAR, 5);
	part_is("it is not freed yet", 8, TAR, 1, 1);
	goes_to(9, DD, 0);
	part_is("the next is added", 8, TAR, 4, 1);
	enters(&program, "xfs_trans_free", transaction, NULL);
	if (part.calls)
		fail("an item is counted twice, in the next");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(written), TEST(failed), TEST(changed), TEST(others), TEST(in_use),
		TEST(inodes), TEST(dquots), TEST(items), TEST(free_unseen), TEST(direct),
	};

	return run_tests("xfs", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * For whom a worker ends a direct write: for who pays for its bio.  A write that others end, or
 * that has failed, leaves its note, which is not believed of the next write at its address.
 */
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "test.h"

/* the real ones are not read */
#define _LINUX_FS_H
#define IOB_BLAME_ASSOCIATION_H
#define IOB_BLAME_BEHALF_H
#define IOB_BLAME_BIO_KIND_H
#define IOB_BLAME_PROVIDER_H
#define IOB_COMPAT_IOMAP_H
#define IOB_CORE_CAUSE_H
#define IOB_CORE_DISK_H
#define IOB_CORE_TASK_H
#define IOB_HOOKS_ENTRY_H
#define IOB_STACK_STACK_H

/* the newest kernel's */
#define IOB_HAVE_IOMAP_READ_ENDIO

/* --- the kernel */

struct inode {
	bool unwatched;
};

struct file {
	struct inode *inode;
};

struct kiocb {
	struct file *ki_filp;
	void (*ki_complete)(struct kiocb *iocb, long ret);
};

struct iob_bio_kind {
	const char *name;
};

struct bio {
	const struct iob_bio_kind *kind;
};

struct pt_regs {
	unsigned long arg[1];
};

#define IS_BUILTIN(config)			0
#define regs_get_kernel_argument(regs, nr)	((regs)->arg[nr])

struct iob_frame {
	unsigned long ip;
};

#define is_sync_kiocb(iocb)	(!(iocb)->ki_complete)
#define file_inode(f)		((f)->inode)

static struct task_struct program, worker = { .flags = PF_WQ_WORKER };
struct task_struct *current;
static bool in_interrupt_now;

#define in_task()		(!in_interrupt_now)

/* --- core/task, core/cause, core/disk, stack */

#define IOB_CAUSE_NONE		0ULL
#define IOB_CAUSE_LOST		2ULL
#define IOB_CAUSE_INHERITED	(1ULL << 32)
#define KTHREAD_CAUSE		50ULL
#define IOB_CAUSE_TAG		(0xffffffULL << 40)
#define GONE_CAUSE		60ULL

struct iob_cause {
	bool kthread;
};

static const struct iob_cause a_program, a_kthread = { .kthread = true };

static u64 iob_cause_tagged(u64 ref, u32 hash)
{
	return (ref & ~IOB_CAUSE_TAG) | ((u64)hash << 40 & IOB_CAUSE_TAG);
}

static bool iob_cause_is_about(u64 ref, u32 hash)
{
	return ref <= IOB_CAUSE_LOST || ref == iob_cause_tagged(ref, hash);
}

static const struct iob_cause *iob_cause_of(u64 cause)
{
	if ((u32)cause == GONE_CAUSE)
		return NULL;
	return (u32)cause == KTHREAD_CAUSE ? &a_kthread : &a_program;
}

struct iob_task {
	unsigned long direct;
	u64 part[4];
};

struct iob_task_part {
	const char *name;
	size_t size;
};

struct iob_stack {
	unsigned long ip;
};

static struct iob_task writer;
static unsigned long stack_now;		/* the task is in the call that returns there */
static unsigned int nr_touched;
static bool session_is_new;		/* what is kept of the task is older */

#define iob_task_part_of(t, p)		((void *)(t)->part)
#define iob_task_peek(task)		((void)(task), &writer)
#define iob_task_is_of_session(t)	((void)(t), !session_is_new)
#define iob_cause_number(cause)		((u32)(cause))
#define iob_cause_touch_nr(nr)		((void)(nr), (void)nr_touched++)
#define iob_disk_watches(i)		(!(i)->unwatched)
#define iob_stack_from(s, at, regs)	((void)(at), (void)((s)->ip = stack_now))
#define iob_stack_get(s, regs)		((void)(regs), (void)((s)->ip = stack_now))
#define iob_stack_has(s, ret)		((s)->ip == (ret))

/* --- blame */

struct iob_assoc_kind {
	const char *name;
	u32 life;
};

static const struct iob_bio_kind iob_bio_direct = { "direct" };

#define iob_bio_kind_of(bio, whole)	((void)(*(whole) = (bio)), (bio)->kind)

static struct {
	const void *object;
	u64 sub, act;
} notes[8];

static unsigned int nr_taken;		/* a note was looked for, and taken away if it was there */

static u64 iob_assoc_take(const struct iob_assoc_kind *kind, const void *object, u64 sub)
{
	unsigned int i;
	u64 act;

	(void)kind;
	nr_taken++;
	for (i = 0; i < ARRAY_SIZE(notes); i++) {
		if (notes[i].object != object || notes[i].sub != sub)
			continue;
		act = notes[i].act;
		notes[i].object = NULL;
		return act;
	}
	return IOB_CAUSE_NONE;
}

#define iob_assoc_forget(kind, object, sub)	((void)iob_assoc_take(kind, object, sub))

static void iob_assoc_set(const struct iob_assoc_kind *kind, const void *object, u64 sub, u64 act)
{
	unsigned int i;

	iob_assoc_take(kind, object, sub);
	for (i = 0; notes[i].object; i++)
		;
	notes[i].object = object;
	notes[i].sub = sub;
	notes[i].act = act;
}

static u64 acts_for;			/* the worker, in end_io */
static unsigned int nr_ended;		/* by workers */

static void iob_behalf_surely(u64 ref, struct pt_regs *regs)
{
	(void)regs;
	acts_for = ref;
	nr_ended++;
}

#include "blame/async.c"

typedef void (*iob_entry_fn)(struct pt_regs *regs);

struct iob_provider {
	const struct iob_hook_list *hooks;
};

#define IOB_PROVIDER(name)	static const struct iob_provider iob_provider_##name

#include "fs/exfat.c"
#include "fs/ntfs.c"

/* --- what tasks do */

enum { FIO = 10, DD };

#define HERE	0x1000UL	/* where the call that writes returns to */

static struct inode file[2];
static struct file open_file[2] = { { &file[0] }, { &file[1] } };

static void is_complete(struct kiocb *iocb, long ret)
{
	(void)iocb;
	(void)ret;
}

static struct kiocb iocb = { .ki_filp = &open_file[0], .ki_complete = is_complete };

static void begin(void)
{
	memset(notes, 0, sizeof(notes));
	memset(&writer, 0, sizeof(writer));
	memset(file, 0, sizeof(file));
	iocb.ki_filp = &open_file[0];
	iocb.ki_complete = is_complete;
	in_interrupt_now = false;
	nr_ended = 0;
	nr_taken = 0;
	acts_for = 99;
}

/* A write begins, of which @likely will pay. */
static void writes(u64 likely)
{
	current = &program;
	writer.direct = HERE;
	stack_now = HERE;
	iob_async_begin(&writer, &iocb, iocb.ki_filp->inode, likely);
}

static void bio(const struct iob_bio_kind *kind, u64 cause)
{
	const struct bio b = { kind };
	struct iob_frame at = { HERE };

	iob_async_bio(&b, cause, &at, NULL);
}

static unsigned int nr_notes(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(notes); i++)
		n += notes[i].object != NULL;
	return n;
}

static void ends(const char *what, struct task_struct *task, u64 cause)
{
	struct pt_regs regs = { 0 };

	current = task;
	nr_taken = 0;
	iob_async_end(&iocb, &regs);
	if (task == &worker && (nr_ended != 1 || acts_for != cause))
		fail("%s: the worker acts for %llu", what, acts_for);
	if (task != &worker && nr_ended)
		fail("%s: a task acts for another", what);
	if (task == &worker && nr_notes())
		fail("%s: a note is left", what);
	/* there is nothing to change: that nobody needs the note is worth a look-up for each write */
	if (task != &worker && nr_taken)
		fail("%s: a note is looked for", what);
}

/* Who pays for the bio is noted, whether the fast path takes it or not. */
static void found(void)
{
	begin();
	writes(IOB_CAUSE_NONE);
	bio(&iob_bio_direct, FIO);
	ends("the slow path", &worker, FIO);
	begin();
	writes(FIO);
	ends("the fast path", &worker, FIO);
	begin();
	writes(DD);
	bio(&iob_bio_direct, FIO);
	ends("the fast path refused it", &worker, FIO);
	if (!nr_touched)
		fail("a cause that is noted may be reclaimed");
}

/* What else is written meanwhile tells nothing. */
static void other_bios(void)
{
	static const struct iob_bio_kind other = { "buffer" };

	begin();
	writes(IOB_CAUSE_NONE);
	bio(&iob_bio_direct, FIO);
	bio(&other, DD);
	bio(NULL, DD);
	stack_now = HERE + 1;
	bio(&iob_bio_direct, DD);
	stack_now = HERE;
	in_interrupt_now = true;
	bio(&iob_bio_direct, DD);
	in_interrupt_now = false;
	session_is_new = true;
	bio(&iob_bio_direct, DD);
	session_is_new = false;
	ends("other bios", &worker, FIO);
	begin();
	writes(IOB_CAUSE_NONE);
	bio(&iob_bio_direct, FIO);
	/* a write that its task waits for, from the same place */
	iob_async_none(&writer);
	bio(&iob_bio_direct, DD);
	ends("a synchronous write later", &worker, FIO);
}

/* A write fails, or its bio is nobody's; another kiocb is at the address. */
static void address_again(void)
{
	begin();
	writes(FIO);
	writes(IOB_CAUSE_NONE);
	ends("the bio was not seen", &worker, IOB_CAUSE_NONE);
	begin();
	writes(FIO);
	bio(&iob_bio_direct, IOB_CAUSE_LOST);
	ends("nobody is known", &worker, IOB_CAUSE_NONE);
	begin();
	writes(FIO);
	iob_async_forget(&iocb);
	ends("without memory", &worker, IOB_CAUSE_NONE);
	/* of another file: the entry is of no use, and gives way in time */
	begin();
	writes(FIO);
	iocb.ki_filp = &open_file[1];
	current = &worker;
	iob_async_end(&iocb, NULL);
	if (acts_for != IOB_CAUSE_NONE)
		fail("of another file: the worker acts for %llu", acts_for);
}

/*
 * Most writes are ended in an interrupt, or by their task.  Their notes stay, and no later write at
 * the address is taken for theirs, whoever ends it and whatever it is of.
 */
static void left_behind(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin();
		writes(FIO);
		ends("it changes nothing", &program, 0);
		iocb.ki_filp = &open_file[i];
		writes(DD);
		ends("the next one, noted at once", &worker, DD);
		begin();
		writes(FIO);
		ends("it changes nothing", &program, 0);
		iocb.ki_filp = &open_file[i];
		writes(IOB_CAUSE_NONE);
		bio(&iob_bio_direct, DD);
		ends("the next one, found by its bio", &worker, DD);
		begin();
		writes(FIO);
		ends("it changes nothing", &program, 0);
		iocb.ki_filp = &open_file[i];
		writes(IOB_CAUSE_NONE);
		ends("the next one, of which no bio was seen", &worker, IOB_CAUSE_NONE);
		begin();
		writes(FIO);
		ends("it changes nothing", &program, 0);
		iocb.ki_filp = &open_file[i];
		iob_async_forget(&iocb);
		ends("the next one, without memory", &worker, IOB_CAUSE_NONE);
	}
	/* a write for which its worker waits, and one that is not noted when it begins */
	begin();
	writes(FIO);
	ends("it changes nothing", &program, 0);
	iocb.ki_complete = NULL;
	current = &worker;
	iob_async_end(&iocb, NULL);
	iocb.ki_complete = is_complete;
	if (nr_ended != 1 || acts_for != IOB_CAUSE_NONE)
		fail("a worker that waits for its write acts for %llu", acts_for);
	iob_async_end_other(NULL);
	if (nr_ended != 2 || acts_for != IOB_CAUSE_NONE)
		fail("of a write that was not noted the worker acts for %llu", acts_for);
	current = &program;
	iob_async_end_other(NULL);
	if (nr_ended != 2)
		fail("a task acts for another");
}

/* A kiocb has one note, however many files it writes; one that is left is of use briefly. */
static void room(void)
{
	unsigned int i;

	begin();
	for (i = 0; i < 10; i++) {
		iocb.ki_filp = &open_file[i % 2];
		writes(i % 3 ? FIO : DD);
		ends("it changes nothing", &program, 0);
	}
	if (nr_notes() != 1)
		fail("%u notes are left of one kiocb", nr_notes());
	if (iob_assoc_kiocb.life > 2 * 60 * HZ)
		fail("they are in the way for longer than two minutes");
}

/* Only a worker acts for others, and only for writes that it may end. */
static void ended_by(void)
{
	begin();
	writes(FIO);
	ends("a task ends its write", &program, 0);
	begin();
	iocb.ki_complete = NULL;
	current = &worker;
	iob_async_end(&iocb, NULL);
	/* it must be said: iomap_dio_complete() may have ended another write before */
	if (nr_ended != 1 || acts_for != IOB_CAUSE_NONE)
		fail("a worker that waits for its write acts for %llu", acts_for);
	begin();
	writes(FIO);
	file[0].unwatched = true;
	current = &worker;
	iob_async_end(&iocb, NULL);
	if (acts_for != IOB_CAUSE_NONE)
		fail("on another disk the worker acts for %llu", acts_for);
}

/* A worker's own write is for somebody who is not known; a kernel thread's, or an inherited one, not. */
static void begun_by(void)
{
	begin();
	writes(IOB_CAUSE_NONE);
	current = &worker;
	bio(&iob_bio_direct, KTHREAD_CAUSE);
	ends("a worker's own", &worker, IOB_CAUSE_NONE);
	begin();
	writes(IOB_CAUSE_NONE);
	bio(&iob_bio_direct, KTHREAD_CAUSE);
	ends("a kernel thread's", &worker, KTHREAD_CAUSE);
	begin();
	writes(IOB_CAUSE_NONE);
	current = &worker;
	bio(&iob_bio_direct, KTHREAD_CAUSE | IOB_CAUSE_INHERITED);
	ends("another worker's", &worker, KTHREAD_CAUSE | IOB_CAUSE_INHERITED);
	begin();
	writes(IOB_CAUSE_NONE);
	bio(&iob_bio_direct, GONE_CAUSE);
	ends("one that is gone", &worker, IOB_CAUSE_NONE);
}

/* The function by which @module ends a direct write, as a hook of that kind; or NULL. */
static const struct iob_hook *hook_of(const struct iob_provider *p, enum iob_hook_kind kind,
				      const char *module)
{
	const struct iob_hook *found = NULL, *h;

	for (h = p->hooks->hook; h < p->hooks->hook + p->hooks->nr; h++) {
		if (h->kind == kind && h->module && !strcmp(h->module, module))
			found = h;
	}
	return found;
}

/* File systems of which a worker ends direct writes, too, one after the other by the same call. */
static void of_others(void)
{
	static const struct {
		const char *module;
		const struct iob_provider *provider;
	} others[] = { { "exfat", &iob_provider_exfat }, { "ntfs", &iob_provider_ntfs } };
	struct pt_regs regs = { { (unsigned long)&iocb } };
	const struct iob_hook *at, *end;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		at = hook_of(others[i].provider, IOB_HOOK_FUNCTION, others[i].module);
		end = hook_of(others[i].provider, IOB_HOOK_ADDRESS, others[i].module);
		if (!at || !end) {
			fail("%s has no such hook", others[i].module);
			continue;
		}
		/* else its writes are not noted */
		if (end->bio_kind != &iob_async_end_io || strcmp(at->name, end->name))
			fail("%s: the hook of %s is another one", others[i].module, end->name);
		begin();
		writes(FIO);
		current = &worker;
		at->entered(&regs);
		if (nr_ended != 1 || acts_for != FIO || nr_notes())
			fail("%s: the worker acts for %llu", at->name, acts_for);
		/* the next one was under way before: it is not the last one's */
		at->entered(&regs);
		if (nr_ended != 2 || acts_for != IOB_CAUSE_NONE)
			fail("%s: the worker goes on for %llu", at->name, acts_for);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(found), TEST(other_bios), TEST(address_again), TEST(left_behind), TEST(room),
		TEST(ended_by), TEST(begun_by), TEST(of_others),
	};

	return run_tests("async", tests, ARRAY_SIZE(tests));
}

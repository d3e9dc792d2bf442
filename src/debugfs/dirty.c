// SPDX-License-Identifier: GPL-2.0
/*
 * `dirty`: the pages that are to be written now, then what was cancelled
 *
 *	dirty=2048 writeback=0 oldest=81234567890 how=exact int=14 dev=0xfe00000 ino=0x10
 *	  gen=0xa90ff0aa role=thread id=812 tgid=812 cgroup=77 comm=dd
 *	cancelled=32 int=14 role=thread id=812 tgid=812 cgroup=77 comm=dd
 *
 * (the first two lines are one).  A line is about the pages in 1,024 frames of memory that one
 * cause dirtied on one file: who wants sums adds up.  Pages whose dirtier is not known have how=-.
 * oldest= is CLOCK_MONOTONIC in ns, 0 if it is not known.  A name's spaces are escaped, too.
 *
 * A read looks at memory as it is then, part by part: a large file is no picture of one
 * moment.  Empty while ioblame is disabled: nobody notes then who dirties a page.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>

#include <compat/rcu.h>

#include "blame/dirtier.h"
#include "blame/dirty_walk.h"
#include "core/cause.h"
#include "io/session.h"
#include "dirty.h"
#include "reader.h"
#include "text.h"

enum {
	/* records up to here are parts of memory, those behind are causes */
	FIRST_CAUSE = 1 << 30,
	/* parts in one turn, between two looks for a signal: 262,144 page frames */
	MOST_PARTS = 256,
	/* names and numbers at their longest take less */
	LINE_SIZE = 320,
};

/* What lines say of a role.  Inside iob_read_lock(). */
static void add_role_words(struct iob_text *t, u64 id)
{
	const struct iob_role *role = iob_role_id(id);
	char name[IOB_TEXT_NAME_SIZE];

	if (!role)
		role = iob_role_id(IOB_ROLE_LOST);
	iob_text_escape(name, sizeof(name), role->comm, true);
	iob_text_add(t, " role=%s id=%llu tgid=%u cgroup=%llu comm=%s\n",
		     iob_text_role_kinds[role->kind], role->key, role->tgid,
		     iob_role_in_cgroup(role), name);
}

/* Inside iob_read_lock(). */
static void add_row(struct iob_text *t, const struct iob_dirty_row *row)
{
	const struct iob_cause *cause = iob_cause_of(row->ref);
	bool none = row->ref == IOB_CAUSE_NONE;

	iob_text_add(t, "dirty=%u writeback=%u oldest=%llu how=%s int=%u", row->dirty,
		     row->writeback, row->oldest_ns,
		     none ? "-" : iob_text_how(iob_cause_how(row->ref, cause)),
		     cause ? cause->intent : IOB_INTENT_LOST);
	iob_text_add(t, " dev=0x%x ino=0x%llx gen=0x%x", row->file.dev, row->file.ino,
		     row->file.gen);
	add_role_words(t, cause ? cause->role : IOB_ROLE_LOST);
}

/* The rows of one part. */
static void add_part(struct iob_text *t, unsigned long part, struct iob_dirty_row *row)
{
	unsigned int i, nr = iob_dirty_walk(part, row);

	for (i = 0; i < nr; i++) {
		iob_read_lock();
		add_row(t, &row[i]);
		iob_read_unlock();
	}
}

/* Some parts from *@nr on, until one has pages to be written.  Return: false at the end. */
static bool emit_parts(struct iob_text *t, u32 *nr)
{
	unsigned long end = min_t(unsigned long, iob_dirty_walk_end(), FIRST_CAUSE);
	struct iob_dirty_row *row;
	unsigned int left = MOST_PARTS;

	if (*nr >= end)
		return false;
	/* behind the longest text, see dirty_size() */
	row = (void *)(t->buf + IOB_PART_FRAMES * LINE_SIZE);
	for (;; ++*nr) {
		add_part(t, *nr, row);
		if (t->len || !--left || *nr + 1 >= end || signal_pending(current))
			return true;
		cond_resched();
	}
}

/* Some causes from *@nr on, until one has cancelled writes.  Return: false at the end. */
static bool emit_causes(struct iob_text *t, u32 *nr)
{
	const struct iob_cause *cause;
	unsigned int left = 4096;
	u64 pages;
	bool more;
	u32 n = *nr - FIRST_CAUSE;

	do {
		iob_read_lock();
		cause = iob_cause_next(&n);
		pages = cause ? atomic64_read(&cause->cancelled) : 0;
		if (pages) {
			iob_text_add(t, "cancelled=%llu int=%u", pages, cause->intent);
			add_role_words(t, cause->role);
		}
		more = cause;
		iob_read_unlock();
		*nr = FIRST_CAUSE + n++;
	} while (more && !pages && --left);
	return more;
}

static bool dirty_emit(struct iob_text *t, u32 *nr, u32 arg, size_t room)
{
	if (!iob_session_enabled())
		return false;
	if (*nr < FIRST_CAUSE && emit_parts(t, nr))
		return true;
	*nr = max_t(u32, *nr, FIRST_CAUSE);
	return emit_causes(t, nr);
}

static size_t dirty_size(void)
{
	return IOB_PART_FRAMES * (LINE_SIZE + sizeof(struct iob_dirty_row));
}

static u32 dirty_end(void)
{
	return FIRST_CAUSE + iob_causes.max;
}

static const struct iob_reader_ops dirty_ops = {
	.size = dirty_size,
	.emit = dirty_emit,
	.end = dirty_end,
};

static int dirty_open(struct inode *inode, struct file *file)
{
	return iob_reader_open(file, &dirty_ops);
}

const struct file_operations iob_dirty_fops = IOB_READER_FOPS(dirty_open, iob_reader_release);

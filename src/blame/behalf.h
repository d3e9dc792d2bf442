/* SPDX-License-Identifier: GPL-2.0 */
/*
 * behalf - on whose behalf a task changes metadata
 *
 * Example: the flusher enters do_writepages() for a file that dd (cause 7) dirtied.  The
 * file system allocates blocks there and changes a bitmap.  Until do_writepages() returns
 * the flusher acts on behalf of cause 7: the bitmap is charged to dd, as inherited.
 */
#ifndef IOB_BLAME_BEHALF_H
#define IOB_BLAME_BEHALF_H

#include <linux/fs.h>

#include "core/cause.h"
#include "core/metadata.h"
#include "core/task.h"
#include "share.h"
#include "stack/call.h"

struct iob_assoc_kind;
struct iob_stack;
struct pt_regs;

#define IOB_MAX_BEHALFS	4
#define IOB_HOST_BITS	24

/* One reason to act on another's behalf.  It ends with a call, or when it is closed. */
struct iob_behalf {
	struct iob_call call;	/* active until it returns; unless: */
	bool open : 1;		/* active until iob_behalf_inode(NULL) */
	bool parent : 1;		/* by place in a file: struct iob_parent_io */
	bool sure : 1;		/* no act that was noted before is a better guess */
	bool common : 1;		/* for the participants of a transaction */
	bool ends : 1;		/* the transaction ends with its next change of metadata */
	u32 host : IOB_HOST_BITS;	/* do_writepages(): a hash of the inode's address, else 0 */
	u32 tid;		/* the transaction, once it is known, else 0 */
	u64 ref;		/* for this cause; IOB_CAUSE_NONE: not known */
};

/*
 * A disk's content is a file.  The task reads or writes that file to carry out a request
 * of the disk, the parent.
 *
 * Example: a request of 8 KiB is written at offset 1 MiB of the file.  @pos is 1 MiB, and
 * byte 4096 of @origin says who pays for the file's page at 1 MiB + 4096.
 */
struct iob_parent_io {
	struct iob_call call;	/* under way until it returns */
	u64 pos;		/* where in the file the request begins */
	struct iob_origin origin;	/* which acts pay for its bytes */
};

extern struct iob_task_part iob_behalf_part;
extern struct iob_task_part iob_parent_io_part;

/* Any context that may look at @t. */
static inline struct iob_parent_io *iob_parent_io_of(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_parent_io_part);
}

void iob_behalf_see_writepages(bool on);
void iob_behalf_pages(struct inode *inode, unsigned long index, unsigned long last,
		      bool dirty, struct pt_regs *regs);
void iob_behalf_for(u64 ref, struct pt_regs *regs);
void iob_behalf_surely(u64 ref, struct pt_regs *regs);
void iob_behalf_parent(u64 pos, struct pt_regs *regs);
void iob_behalf_parent_end(struct iob_task *t);
void iob_behalf_common(bool ends, struct pt_regs *regs);
void iob_behalf_ends(void);
void iob_behalf_none(void);
void iob_behalf_inode(struct inode *inode);

bool iob_behalf_writes(const struct iob_task *t, const struct iob_stack *stack,
		       const struct inode *inode);
struct iob_behalf *iob_behalf_find_active(struct iob_task *t, const struct iob_stack *stack);
u64 iob_behalf_find_cause(struct iob_task *t, struct iob_behalf *b,
			  const struct inode *inode);
u64 iob_behalf_parent_cause(struct iob_task *t, u64 pos);
const void *iob_behalf_common_key(const struct iob_task *t);

u64 iob_behalf_current(struct pt_regs *regs);
void iob_behalf_join(const struct super_block *sb, struct pt_regs *regs);
void iob_behalf_join_once(const struct super_block *sb, const struct iob_assoc_kind *kind,
			  const void *object, u32 hash, struct pt_regs *regs);
bool iob_behalf_is_known(struct pt_regs *regs);
bool iob_behalf_is_common(struct pt_regs *regs);

/**
 * iob_behalf_active - the reason for which a task acts on another's behalf now
 * @t:     its context
 * @stack: its trace
 *
 * Inside iob_read_lock().  Return: the innermost active one that knows for whom, or NULL.
 */
static inline struct iob_behalf *iob_behalf_active(struct iob_task *t,
						   const struct iob_stack *stack)
{
	/* most tasks never act on another's behalf */
	return t->acted_on_behalf ? iob_behalf_find_active(t, stack) : NULL;
}

/**
 * iob_behalf_cause - on behalf of which cause a task changes or reads a file
 * @t:     its context
 * @b:     as iob_behalf_active() said
 * @inode: the file, if it is its pages that are changed or read, else NULL
 *
 * Inside iob_read_lock().  Return: an inherited reference without a tag; IOB_CAUSE_NONE if
 * the task acts for itself or no cause is known.
 */
static inline u64 iob_behalf_cause(struct iob_task *t, struct iob_behalf *b,
				   const struct inode *inode)
{
	if (!b && !(inode && iob_is_metadata(inode)))
		return IOB_CAUSE_NONE;
	return iob_behalf_find_cause(t, b, inode);
}

#endif

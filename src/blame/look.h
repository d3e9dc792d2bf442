/* SPDX-License-Identifier: GPL-2.0 */
/*
 * look - one bio while its origin is looked for, and the submitter as the last resort
 */
#ifndef IOB_BLAME_LOOK_H
#define IOB_BLAME_LOOK_H

#include <linux/bio.h>

#include <compat/blkdev.h>
#include <compat/folio.h>

#include "bio_kind.h"
#include "core/cause.h"
#include "core/disk.h"
#include "core/task.h"
#include "provider.h"
#include "share.h"
#include "stack/slot.h"

/* How many causes and roles dirtied the pages that were compressed together. */
enum iob_hands {
	IOB_ONE_CAUSE,
	IOB_ONE_ROLE,		/* by several causes */
	IOB_SEVERAL_ROLES,
};

struct iob_look {
	struct iob_origin *o;
	struct bio *bio;
	enum iob_op op;
	const struct iob_frame *at;	/* where a tracepoint's probe is, or NULL */
	struct pt_regs *regs;	/* in a kprobe's handler, else NULL */
	struct iob_task *task;	/* NULL in an interrupt */
	const struct iob_bio_kind *kind;	/* or NULL */
	const struct bio *whole; /* the bio that it is a piece of, or itself */
	bool late;		/* the submitter is long gone */
	bool for_other;		/* the submitter acts on behalf of a known cause */
	bool not_own;		/* .. or of an unknown one */
	bool bounces;		/* some pages may not be the files' own */
	const struct inode *meta_host;	/* whose pages of metadata it carries, or NULL */
	const struct iob_file *file;	/* the file, if its pages do not tell it, or NULL */
	u32 modifier;

	u64 submitter;		/* its cause, IOB_CAUSE_NONE until it is asked for */
	struct iob_file submitter_file;	/* on this file */
	const struct inode *submitter_host;	/* which is that of this inode */

	struct iob_cluster cluster;	/* the last one */
	enum iob_hands hands;	/* by which it was dirtied */

	u32 last_entry;		/* of the page before, 0 if it was not believed */
	const struct inode *last_host;	/* the last file whose hash was worked out, */
	struct iob_file last_file;	/* that file */
	u32 last_hash;			/* and its hash */
};

/* What a bio without a file is charged on: its block device. */
static __always_inline void iob_look_device(const struct bio *bio, struct iob_file *file)
{
	file->ino = 0;
	file->gen = 0;
	file->dev = iob_bio_devt(bio);
}

void iob_look_stack(const struct iob_look *l, struct iob_stack *stack);
bool iob_look_in_direct(const struct iob_look *l);
struct inode *iob_look_host(const struct iob_look *l, struct iob_folio *f);
u64 iob_look_submitter(struct iob_look *l, const struct inode *host, struct iob_file *file);
void iob_look_add_submitter(struct iob_look *l, const struct inode *host, u32 bytes);
void iob_look_add_share(struct iob_look *l, const struct inode *host,
			const struct iob_share *share, bool shared);

#endif

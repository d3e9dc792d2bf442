// SPDX-License-Identifier: GPL-2.0
/*
 * What many file systems share: direct IO, iomap, page faults, buffers.
 *
 * Context: the entry of functions that run in the task's own context, preemption off.
 */
#include <linux/blkdev.h>
#include <linux/fs.h>
#include <linux/iomap.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/uio.h>

#include <compat/folio.h>
#include <compat/iomap.h>

#include "blame/async.h"
#include "blame/behalf.h"
#include "blame/bio_kind.h"
#include "blame/direct.h"
#include "blame/dirtied_by.h"
#include "blame/dirty_range.h"
#include "blame/freed_extent.h"
#include "blame/provider.h"
#include "blame/transaction.h"
#include "core/disk.h"
#include "core/layout.h"
#include "core/task.h"
#include "hooks/hook.h"
#include "io/fast.h"

/* Whether a worker may end the write, by a function that is hooked. */
static bool direct_is_async(struct kiocb *iocb, const struct iomap_dio_ops *ops)
{
	return !is_sync_kiocb(iocb) && ops && ops->end_io &&
	       iob_bio_kind_by((unsigned long)ops->end_io) == &iob_async_end_io;
}

/* A write begins.  @t: its task, NULL if its file is not watched, or without memory. */
static void direct_write_begin(struct iob_task *t, struct kiocb *iocb,
			       const struct iomap_dio_ops *ops)
{
	const struct inode *inode = file_inode(iocb->ki_filp);
	bool async = direct_is_async(iocb, ops);

	if (t && async) {
		iob_fast_async(t, iocb, inode);
		return;
	}
	if (async)
		iob_async_forget(iocb);
	if (!t)
		t = iob_task_peek(current);
	if (t)
		iob_async_none(t);
}

/* (iocb, iter, ops, dio_ops, ...): a write makes no page dirty */
static void iomap_direct_entered(struct pt_regs *regs)
{
	struct kiocb *iocb = iob_arg_ptr(regs, 0);
	struct iov_iter *iter = iob_arg_ptr(regs, 1);
	struct inode *inode = file_inode(iocb->ki_filp);
	struct iob_task *t = iob_direct_begin(inode, regs);

	if (iov_iter_rw(iter) != WRITE)
		return;
	direct_write_begin(t, iocb, iob_arg_ptr(regs, 3));
	if (iob_disk_watches(inode))
		iob_behalf_join(inode->i_sb, regs);
}

/* (iocb, inode, ...) */
static void blockdev_direct_entered(struct pt_regs *regs)
{
	struct iob_task *t = iob_direct_begin(iob_arg_ptr(regs, 1), regs);

	/* no function that is hooked ends it */
	if (t)
		iob_async_none(t);
}

#ifdef IOB_HAVE_FOLIO
/* (vmf, ...): before the file system marks anything dirty */
static void mkwrite_entered(struct pt_regs *regs)
{
	iob_dirty_mkwrite(iob_arg_ptr(regs, 0), regs);
}
#endif

#ifdef IOB_IOMAP_WHOLE_FOLIOS
/* (iter, pos, len, copied, folio): a folio of one page has its own event */
static __always_inline bool iomap_folio_is_small(struct pt_regs *regs)
{
	return !folio_test_large(iob_arg_ptr(regs, 4));
}

/* Called for each page that is written. */
IOB_OWN_OPS(iomap_write_ops, iomap_folio_is_small);

/* (iter, pos, len, copied, folio): before the folio is marked dirty */
static void iomap_write_entered(struct pt_regs *regs)
{
	struct folio *folio = iob_arg_ptr(regs, 4);
	loff_t pos = iob_arg(regs, 1);

	if (!iomap_folio_is_small(regs) && pos >= folio_pos(folio))
		iob_dirty_whole(folio, pos - folio_pos(folio), iob_arg(regs, 3), regs);
}
#endif

#ifdef IOB_HAVE_IOMAP_DIRTY
static const struct iob_layout_member iomap_members[] = {
	{ .name = "state", .offset = offsetof(struct iob_iomap_folio_state, state) },
};

/*
 * Proved each time, unless BTF has it: a block that is written is uptodate, and nothing is said
 * of blocks that the folio does not have.
 */
static struct iob_layout iomap_layout = {
	.type = "iomap_folio_state", IOB_LAYOUT_OF(iomap_members),
	.cost = "the first dirtier of a page of a large folio (iomap): the last one pays",
};

/*
 * The bits of a folio's blocks, the second half of which says what is dirty; NULL: unknown.  The
 * block at @off is uptodate, if @uptodate, or may be.
 */
static const void *iomap_state_of(struct folio *folio, const void *ifs, size_t off, bool uptodate)
{
	const struct inode *inode;
	const void *state;
	bool right;

	if (!ifs || iob_layout_is_bad(&iomap_layout))
		return NULL;
	state = iob_layout_at(&iomap_layout, 0, ifs);
	if (iob_layout_is_sure(&iomap_layout))
		return state;
	inode = iob_folio_host(folio);
	if (!inode)
		return NULL;
	right = iob_iomap_is_state(state, inode, folio, off);
	if (right || uptodate)
		iob_layout_tell(&iomap_layout, right);
	return right ? state : NULL;
}

/* (folio, ifs, off, len): before the folio is marked dirty */
static void iomap_dirty_entered(struct pt_regs *regs)
{
	struct folio *folio = iob_arg_ptr(regs, 0);
	size_t off = iob_arg(regs, 2);

	/* one page has its own event */
	if (!folio_test_large(folio))
		return;
	iob_dirty_range(folio, iomap_state_of(folio, iob_arg_ptr(regs, 1), off, true), off,
			iob_arg(regs, 3), regs);
}

/*
 * Where a compiler has put ifs_set_range_dirty() into its callers: (iter, pos, len, copied, folio),
 * and since 6.16 (iter, len, copied, folio).  What was copied is less than any address.  A folio
 * that is not uptodate refuses less than was to be copied.
 */
static void iomap_end_entered(struct pt_regs *regs)
{
	const struct iomap_iter *iter = iob_arg_ptr(regs, 0);
	const struct iomap *map = iomap_iter_srcmap(iter);
	bool has_pos = iob_arg(regs, 3) < PAGE_OFFSET, uptodate;
	size_t len = iob_arg(regs, has_pos ? 2 : 1), copied = iob_arg(regs, has_pos ? 3 : 2), off;
	struct folio *folio = iob_arg_ptr(regs, has_pos ? 4 : 3);

	/* buffers have an event of their own */
	if (!folio_test_large(folio) || map->type == IOMAP_INLINE ||
	    map->flags & IOMAP_F_BUFFER_HEAD)
		return;
	uptodate = folio_test_uptodate(folio);
	/* without a state all of a dirty folio is dirty already */
	if ((copied < len && !uptodate) ||
	    (!folio_get_private(folio) && folio_test_dirty(folio)))
		return;
	off = offset_in_folio(folio, has_pos ? (loff_t)iob_arg(regs, 1) : iter->pos);
	iob_dirty_range(folio, iomap_state_of(folio, folio_get_private(folio), off, uptodate),
			off, copied, regs);
}

/* (mapping, folio): the same.  All of the folio becomes dirty, if any of it was clean. */
static void iomap_all_entered(struct pt_regs *regs)
{
	struct folio *folio = iob_arg_ptr(regs, 1);
	const void *state;

	if (!folio_test_large(folio))
		return;
	state = iomap_state_of(folio, folio_get_private(folio), 0, folio_test_uptodate(folio));
	/* else the page that is stored into is known by the fault */
	if (state || !folio_test_dirty(folio))
		iob_dirty_range(folio, state, 0, folio_size(folio), regs);
}
#endif

/* (sb): it is about to be freed, and writes nothing any more */
static void super_end_entered(struct pt_regs *regs)
{
	iob_transaction_log_end(iob_arg_ptr(regs, 0));
}

/* (dev): a disk is about to be freed, and what was freed on it with it */
static void disk_end_entered(struct pt_regs *regs)
{
	struct device *dev = iob_arg_ptr(regs, 0);

	iob_freed_extent_end(dev_to_disk(dev));
}

#define DIRECT_BEGINS(func, entry)					\
	IOB_HOOK_FUNC(func, entry, "the file of a direct IO")
#define DIRECT_LOST	"direct writes whose buffer is a mapped file may be " \
			"charged to the buffer's dirtier"
#define DIRECT_END(func)						\
	IOB_HOOK_END(func, &iob_bio_direct, DIRECT_LOST)
/* of two functions, of which a kernel has one or both: then a failure at one is not seen */
#define DIRECT_END_OR(func, other)	{				\
	.name = func, .instead = other,					\
	.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,		\
	.bio_kind = &iob_bio_direct, .impact = DIRECT_LOST,		\
}

static const struct iob_hook generic_table[] = {
	DIRECT_BEGINS("__iomap_dio_rw", iomap_direct_entered),
	DIRECT_BEGINS("__blockdev_direct_IO", blockdev_direct_entered),
#ifdef IOB_HAVE_FOLIO
	{
		.name = "do_page_mkwrite", .instead = "iomap_page_mkwrite",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = mkwrite_entered,
		.impact = "which act stored into which page of a large folio",
	},
	/* what that calls, of file systems with large folios: each has a row of its own */
	IOB_HOOK_SPARE("iomap_page_mkwrite", "do_page_mkwrite", mkwrite_entered,
		       "which act stored into which page of a large folio"),
	IOB_HOOK_ADDR("handle_mm_fault", iob_dirtied_by_fault_found,
		      "which act stored into which page of a large folio"),
#endif
#ifdef IOB_IOMAP_WHOLE_FOLIOS
	{
		.name = "iomap_write_end",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = iomap_write_entered, .own_ops = &iomap_write_ops,
		.impact = "the dirtier of each page of a large folio (iomap)",
	},
#endif
#ifdef IOB_HAVE_IOMAP_DIRTY
	{
		.name = "ifs_set_range_dirty", .instead = "iomap_write_end",
		.called_in = "iomap_set_range_dirty|iomap_write_end|iomap_file_buffered_write",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = iomap_dirty_entered,
		.impact = "the dirtier of each page of a large folio (iomap)",
	},
	{
		.name = "iomap_write_end", .spare_for = "ifs_set_range_dirty",
		.called_in = "iomap_write_iter|iomap_file_buffered_write",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = iomap_end_entered,
		.impact = "the dirtier of each page of a large folio (iomap)",
	},
	IOB_HOOK_SPARE("iomap_dirty_folio", "ifs_set_range_dirty", iomap_all_entered,
		       "the dirtier of each page of a large folio (iomap)"),
#endif
#ifdef CONFIG_BLK_INLINE_ENCRYPTION_FALLBACK
	IOB_HOOK_END("blk_crypto_fallback_encrypt_endio", &iob_bio_ciphertext,
		     "encrypted writes (inlinecrypt) count twice"),
#endif
	IOB_HOOK_END("end_bio_bh_io_sync|bh_end_write", &iob_bio_buffer,
		     "the dirtiers of data that ext4 writes from its journal"),
	IOB_HOOK_FUNC("security_sb_free", super_end_entered,
		      "first metadata of a new btrfs or f2fs may be charged to the old one's"),
	IOB_HOOK_FUNC("disk_release", disk_end_entered,
		      "discards of a new disk may be charged to who freed blocks of the old one"),
	DIRECT_END("iomap_dio_bio_end_io"),
	DIRECT_END("dio_bio_end_io"),
	DIRECT_END("dio_bio_end_aio"),
	DIRECT_END("blkdev_bio_end_io"),
	DIRECT_END_OR("blkdev_bio_end_io_async", "blkdev_bio_end_io_simple"),
	DIRECT_END_OR("blkdev_bio_end_io_simple", "blkdev_bio_end_io_async"),
	DIRECT_END("submit_bio_wait_endio|bio_wait_end_io"),
};

static IOB_HOOK_LIST(generic_hooks, generic_table);

IOB_PROVIDER(generic) = {
	.hooks = &generic_hooks,
#ifdef IOB_HAVE_IOMAP_DIRTY
	.layout = { &iomap_layout },
#endif
};

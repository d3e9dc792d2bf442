// SPDX-License-Identifier: GPL-2.0
/*
 * btrfs: its metadata are pages of inode 1, and the end of a transaction changes and writes
 * them for all participants.  If another task changes such a page, the page's entry in the
 * dirtier table names the act.  Compressed extents are in btrfs_compressed.c.
 *
 * btrfs discards addresses of its own, at the end of a commit or in a worker.
 *
 * Context: the entry of functions that run in tasks, preemption off.
 */
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/pagemap.h>

#include <compat/btrfs.h>
#include <compat/folio.h>
#include <compat/inode.h>

#include "blame/async.h"
#include "blame/behalf.h"
#include "blame/bio_kind.h"
#include "blame/cached_page.h"
#include "blame/direct.h"
#include "blame/dirty_range.h"
#include "blame/freed_extent.h"
#include "blame/provider.h"
#include "blame/transaction.h"
#include "btrfs_compressed.h"
#include "core/disk.h"
#include "core/layout.h"
#include "core/mark.h"
#include "core/task.h"
#include "hooks/hook.h"
#include "stack/call.h"

#define BTRFS_METADATA_INO	1	/* BTRFS_BTREE_INODE_OBJECTID */

static const struct iob_layout_member trans_members[] = {
	{ .name = "fs_info", .offset = IOB_BTRFS_FS_INFO, .size = sizeof(void *) },
};

/* Proved each time by the list that follows. */
static struct iob_layout trans_layout = {
	.type = "btrfs_trans_handle", IOB_LAYOUT_IN("btrfs", CONFIG_BTRFS_FS),
	IOB_LAYOUT_OF(trans_members), .cost = "which act freed what btrfs discards",
};

static const struct iob_layout_member ref_members[] = {
	[IOB_BTRFS_REF_TYPE] = { .name = "type" },
	[IOB_BTRFS_REF_ACTION] = { .name = "action" },
	[IOB_BTRFS_REF_START] = { .name = "bytenr", .size = sizeof(u64) },
	[IOB_BTRFS_REF_BYTES] = { .name = "num_bytes|len", .size = sizeof(u64) },
};

/* Its begin is guessed where BTF does not have it. */
static struct iob_layout ref_layout = {
	.type = "btrfs_ref", IOB_LAYOUT_IN("btrfs", CONFIG_BTRFS_FS),
	IOB_LAYOUT_OF(ref_members), .cost = "which act freed what btrfs discards",
};

/* What the task may be about to change.  Compared, not followed. */
struct btrfs_change {
	const struct inode *inode;
	const struct super_block *sb;	/* its super block, or NULL: nothing */
	u32 hash;			/* of the file: another one may get the address */
};

/*
 * An inode, with its file and a role that has changed it -> in which transaction.  One is over long
 * before that life; but so the entries take no place of what does not last.
 */
static struct iob_assoc_kind btrfs_assoc_changed = {
	.name = "changed_inode", .life = 6 * 60 * HZ,
};

static struct iob_task_part btrfs_change_part = {
	.name = "btrfs inode",
	.size = sizeof(struct btrfs_change),
};

/* What the end of a transaction changes is for all participants. */
static void btrfs_commit_entered(struct pt_regs *regs)
{
	iob_behalf_none();
	iob_behalf_common(false, regs);
}

static void btrfs_delayed_refs_entered(struct pt_regs *regs)
{
	iob_behalf_common(false, regs);
}

/* From here on others take part in the next transaction. */
static void btrfs_last_commit_entered(struct pt_regs *regs)
{
	iob_behalf_common(true, regs);
}

/* A task that syncs a file writes the superblock for itself. */
static void btrfs_sync_log_entered(struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();

	if (t && !iob_transaction_writes(t)->always)
		iob_transaction_begin_write(t, NULL, 0, 0);
}

/* The task will change this inode, unless it is refused: on a read-only subvolume, say. */
static void btrfs_inode_may_change(struct inode *inode)
{
	struct iob_task *t = iob_task_get();
	struct btrfs_change *c;

	if (!t)
		return;
	c = iob_task_part_of(t, &btrfs_change_part);
	c->inode = inode;
	c->sb = iob_disk_watches(inode) ? inode->i_sb : NULL;
	c->hash = c->sb ? iob_inode_hash(inode) : 0;
}

/*
 * Called by the functions of the two probes below: the task has changed an inode in memory.  A
 * worker, or the end of the transaction, copies it into a page: once, however often it has been
 * changed in one transaction.
 */
static void btrfs_dirty_inode_entered(struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();
	struct btrfs_change *c = t ? iob_task_part_of(t, &btrfs_change_part) : NULL;
	const struct super_block *sb = c ? c->sb : NULL;

	if (!sb)
		return;
	c->sb = NULL;
	iob_behalf_join_once(sb, &btrfs_assoc_changed, c->inode, c->hash, regs);
}

/* (inode, ...) */
static void btrfs_times_entered(struct pt_regs *regs)
{
	btrfs_inode_may_change(iob_arg_ptr(regs, 0));
}

/* ([ids of the mount,] dentry, ...) */
static void btrfs_setattr_entered(struct pt_regs *regs)
{
	const struct dentry *dentry = iob_arg_ptr(regs, IOB_SETATTR_DENTRY);

	btrfs_inode_may_change(d_inode(dentry));
}

#ifdef IOB_HAVE_IOMAP_DIRTY
/* (fs_info, folio, pos, len): of these blocks, those in the folio are about to be marked dirty */
static void btrfs_dirty_entered(struct pt_regs *regs)
{
	struct folio *folio = iob_arg_ptr(regs, 1);
	u64 start = iob_arg(regs, 2), end = start + (u32)iob_arg(regs, 3), pos = folio_pos(folio);

	start = max(start, pos);
	end = min(end, pos + folio_size(folio));
	if (start < end)
		iob_dirty_range(folio, NULL, start - pos, end - start, regs);
}
#endif

/* (inode, page or folio, ...): by the flusher */
static void btrfs_delalloc_entered(struct pt_regs *regs)
{
	const struct inode *inode = iob_folio_host(iob_arg_ptr(regs, 1));

	if (inode)
		iob_btrfs_learn_inode(iob_arg_ptr(regs, 0), inode);
}

/* (inode, start, end, ...): its pages are let go, to be written */
static void btrfs_extent_entered(struct pt_regs *regs)
{
	if (iob_btrfs_is_writer(iob_call_ret(regs)))
		iob_btrfs_extent_begins(iob_arg_ptr(regs, 0), iob_arg(regs, 1),
					iob_arg(regs, 2));
}

#ifdef IOB_BTRFS_ENCODED
/* (iocb, ...): a write of data that is compressed already makes no page dirty */
static void btrfs_encoded_entered(struct pt_regs *regs)
{
	const struct kiocb *iocb = iob_arg_ptr(regs, 0);
	struct inode *inode = file_inode(iocb->ki_filp);
	struct iob_task *t = iob_direct_begin(inode, regs);

	if (!t)
		return;
	iob_async_none(t);
	iob_behalf_join(inode->i_sb, regs);
}
#endif

#ifdef IOB_BTRFS_LATER
/* (btrfs_bio, ...) */
static void btrfs_submit_entered(struct pt_regs *regs)
{
	iob_btrfs_submits(iob_arg_ptr(regs, 0));
}
#endif

/* (rac) */
static void btrfs_readahead_entered(struct pt_regs *regs)
{
	const struct readahead_control *rac = iob_arg_ptr(regs, 0);

	iob_btrfs_reads(rac->mapping->host);
}

/* (file, page or folio): that is locked */
static void btrfs_read_folio_entered(struct pt_regs *regs)
{
	iob_btrfs_reads(iob_folio_host(iob_arg_ptr(regs, 1)));
}

/* Of the file that was just asked for; only btrfs calls it. */
static void btrfs_read_compressed_entered(struct pt_regs *regs)
{
	iob_btrfs_reads_compressed(iob_call_ret(regs));
}

#ifdef IOB_BTRFS_REDIRTY
static void btrfs_redirty_found(unsigned long func)
{
	iob_mark_set(func, IOB_MARK_REDIRTY_FS);
}
#endif

static const void *btrfs_of_trans(const void *trans)
{
	const void *const *at = iob_layout_at(&trans_layout, 0, trans);
	const void *fs_info;

	if (iob_layout_is_bad(&trans_layout))
		return NULL;
	if (iob_layout_is_sure(&trans_layout))
		return iob_peek(&fs_info, at) ? fs_info : NULL;
	fs_info = iob_btrfs_of_trans(trans, READ_ONCE(trans_layout.at[0]));
	iob_layout_tell(&trans_layout, fs_info);
	return fs_info;
}

/* Whether a reference to data is dropped. */
static bool btrfs_drops(const void *ref, u64 extent[2])
{
	enum iob_btrfs_dropped what;

	if (iob_layout_is_bad(&ref_layout))
		return false;
	if (iob_layout_is_sure(&ref_layout))
		return iob_btrfs_drops_at(ref, ref_layout.at, extent);
	what = iob_btrfs_drops((const char *)ref + ref_layout.at[0], extent);
	iob_layout_tell(&ref_layout, what != IOB_BTRFS_NO_REF);
	return what == IOB_BTRFS_DROPPED;
}

/*
 * (trans, ref, ...): a reference to an extent of data is added, or dropped: perhaps the last one.
 * Compilers put btrfs_free_extent(), which calls it, into the function that drops those of
 * snapshots, and keep it for others.
 */
static void btrfs_drop_entered(struct pt_regs *regs)
{
	const void *fs_info;
	u64 extent[2];

	if (!btrfs_drops(iob_arg_ptr(regs, 1), extent))
		return;
	fs_info = btrfs_of_trans(iob_arg_ptr(regs, 0));
	if (!fs_info)
		return;
	/* what a commit frees it frees for all participants */
	iob_freed_extent_set(fs_info, extent[0], extent[0] + extent[1],
			     iob_behalf_is_common(regs) ? IOB_CAUSE_NONE :
							  iob_behalf_current(regs));
}

/* (fs_info, first, last, whether it is free now): by a transaction's end */
static void btrfs_unpin_entered(struct pt_regs *regs)
{
	if (!(iob_arg(regs, 3) & 1))
		return;
	iob_freed_extent_share(iob_arg_ptr(regs, 0), iob_arg(regs, 1),
			       iob_arg(regs, 2) + 1, regs);
}

/* (fs_info): nothing is written any more, or it was never mounted */
static void btrfs_end_entered(struct pt_regs *regs)
{
	iob_freed_extent_end(iob_arg_ptr(regs, 0));
	iob_transaction_log_end(iob_arg_ptr(regs, 0));
}

/* (fs_info, start, bytes, ...): addresses of btrfs' own */
static void btrfs_discard_entered(struct pt_regs *regs)
{
	struct iob_call call = iob_call_at(regs);

	iob_freed_extent_discard(iob_arg_ptr(regs, 0), iob_arg(regs, 1), iob_arg(regs, 2),
				 &call, regs);
}

/* The superblock serves the transaction whose end the task is at. */
static bool btrfs_super_is_log(const struct iob_task *t)
{
	const void *key = iob_transaction_writes(t)->key;

	return key && key == iob_behalf_common_key(t);
}

static const struct iob_bio_kind btrfs_bio_super = {
	.name = "btrfs superblock",
	.is_log = btrfs_super_is_log,
};

#ifdef IOB_HAVE_FOLIO
/* (vmf): where a compiler has put do_page_mkwrite(), which calls it, into its callers */
static void btrfs_mkwrite_entered(struct pt_regs *regs)
{
	iob_dirty_mkwrite(iob_arg_ptr(regs, 0), regs);
}
#endif

#define BTRFS(func, probe, what)					\
	IOB_HOOK_FUNC_IN("btrfs", CONFIG_BTRFS_FS, func, probe, what)
#define BTRFS_PAGES	"the dirtier of each page of a large folio (btrfs)"
#define BTRFS_FOUND(func, told, what)					\
	IOB_HOOK_ADDR_IN("btrfs", CONFIG_BTRFS_FS, func, told, what)

static const struct iob_hook btrfs_table[] = {
	BTRFS("btrfs_commit_transaction", btrfs_commit_entered,
	      "the participants of a transaction of btrfs"),
	BTRFS("btrfs_run_delayed_refs", btrfs_delayed_refs_entered,
	      "the participants of a transaction of btrfs"),
	BTRFS("btrfs_sync_log", btrfs_sync_log_entered,
	      "the participants of a transaction of btrfs"),
	BTRFS("commit_cowonly_roots", btrfs_last_commit_entered,
	      "the participants of a transaction of btrfs"),
	BTRFS("btrfs_update_time", btrfs_times_entered,
	      "the participants of a transaction of btrfs"),
	BTRFS("btrfs_setattr", btrfs_setattr_entered,
	      "the participants of a transaction of btrfs"),
	BTRFS("btrfs_dirty_inode", btrfs_dirty_inode_entered,
	      "the participants of a transaction of btrfs"),
#ifdef IOB_BTRFS_ENCODED
	BTRFS("btrfs_do_encoded_write", btrfs_encoded_entered,
	      "the writer and the file of extents that are written compressed (btrfs receive)"),
#endif
	BTRFS("btrfs_run_delalloc_range", btrfs_delalloc_entered,
	      "the dirtiers of extents that btrfs compresses"),
	BTRFS("extent_clear_unlock_delalloc", btrfs_extent_entered,
	      "the dirtiers of extents that btrfs compresses"),
	BTRFS("btrfs_readahead", btrfs_readahead_entered,
	      "the file of a compressed extent that is read"),
	BTRFS("btrfs_read_folio|btrfs_readpage", btrfs_read_folio_entered,
	      "the file of a compressed extent that is read"),
	BTRFS("btrfs_submit_compressed_read", btrfs_read_compressed_entered,
	      "the file of a compressed extent that is read"),
#ifdef IOB_BTRFS_LATER
	{
		.name = "btrfs_submit_bbio", .instead = "btrfs_submit_bio",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = btrfs_submit_entered, IOB_IN_MODULE("btrfs", CONFIG_BTRFS_FS),
		.impact = "the dirtiers of extents that btrfs compresses and checksums",
	},
#ifdef IOB_BTRFS_SUBMIT_BIO
	{
		/* up to 6.11; later ones have another one of that name, which this does not call */
		.name = "btrfs_submit_bio", .spare_for = "btrfs_submit_bbio",
		.called_in = "btrfs_submit_compressed_write",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = btrfs_submit_entered, IOB_IN_MODULE("btrfs", CONFIG_BTRFS_FS),
		.impact = "the dirtiers of extents that btrfs compresses and checksums",
	},
#endif
	BTRFS_FOUND("btrfs_work_helper", iob_btrfs_worker_found,
		    "the dirtiers of extents that btrfs compresses and checksums"),
#endif
#ifdef IOB_BTRFS_REDIRTY
	BTRFS_FOUND("compress_file_range", btrfs_redirty_found,
		    "the dirtiers of pages that btrfs did not compress"),
#endif
	/* (the compiler mostly makes the first a part of the second) */
	BTRFS_FOUND("submit_one_async_extent|submit_compressed_extents",
		    iob_btrfs_writer_found, "the dirtiers of extents that btrfs compresses"),
	IOB_HOOK_END_IN("btrfs", CONFIG_BTRFS_FS, "btrfs_end_super_write", &btrfs_bio_super,
			"which IO is btrfs' superblock"),
#ifdef IOB_HAVE_IOMAP_DIRTY
	{
		.name = "btrfs_subpage_set_dirty", .instead = "btrfs_folio_clamp_set_dirty",
		.called_in = "btrfs_folio_clamp_set_dirty",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = btrfs_dirty_entered, IOB_IN_MODULE("btrfs", CONFIG_BTRFS_FS),
		.impact = BTRFS_PAGES,
	},
	/* what calls that, for small folios too */
	IOB_HOOK_SPARE_IN("btrfs", CONFIG_BTRFS_FS, "btrfs_folio_set_dirty",
			  "btrfs_subpage_set_dirty", btrfs_dirty_entered, BTRFS_PAGES),
	IOB_HOOK_SPARE_IN("btrfs", CONFIG_BTRFS_FS, "btrfs_folio_clamp_set_dirty",
			  "btrfs_subpage_set_dirty", btrfs_dirty_entered, BTRFS_PAGES),
#endif
#ifdef IOB_HAVE_FOLIO
	IOB_HOOK_SPARE_IN("btrfs", CONFIG_BTRFS_FS, "btrfs_page_mkwrite", "do_page_mkwrite",
			  btrfs_mkwrite_entered,
			  "which act stored into which page of a large folio"),
#endif
	BTRFS("btrfs_add_delayed_data_ref", btrfs_drop_entered,
	      "which act freed what btrfs discards"),
	BTRFS("unpin_extent_range", btrfs_unpin_entered, "which act freed what btrfs discards"),
	BTRFS("btrfs_discard_extent", btrfs_discard_entered, "which act freed what btrfs discards"),
	BTRFS("btrfs_free_fs_info", btrfs_end_entered,
	      "what a new btrfs discards may be charged to who freed it in an old one"),
};

static IOB_HOOK_LIST(btrfs_hooks, btrfs_table);

IOB_PROVIDER(btrfs) = {
	.hooks = &btrfs_hooks,
	.part = { &iob_btrfs_part, &btrfs_change_part },
	.assoc = { &iob_btrfs_assoc_extent, &btrfs_assoc_changed },
	.layout = { &trans_layout, &ref_layout, &iob_btrfs_inode_layout,
#ifdef IOB_BTRFS_LATER
		    &iob_btrfs_bio_layout,
#endif
	},
	.magic = BTRFS_SUPER_MAGIC,
	.last_metadata_ino = BTRFS_METADATA_INO,
	.extent_any = iob_btrfs_extent_any,
	.extent = iob_btrfs_extent,
	.stop = iob_btrfs_extents_stop,
};

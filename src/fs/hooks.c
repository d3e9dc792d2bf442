// SPDX-License-Identifier: GPL-2.0
/*
 * File systems: whose file a direct IO is, which pages of a large folio a write
 * dirties, and for whom metadata changes when data was written or a transaction
 * of btrfs or f2fs ends.
 *
 * Context: the entry of functions that run in the task's own context,
 * preemption off.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>

#include <compat/btrfs.h>
#include <compat/folio.h>
#include <compat/iomap.h>
#include <compat/unwind.h>

#include "btrfs_compressed.h"
#include "blame/dirty.h"
#include "core/disk.h"
#include "core/intent.h"
#include "core/task.h"
#include "hooks/table.h"

/*
 * What comes between here and the bios may be long, but it is this task's, and
 * a bio belongs to it only if its stack goes through the same call.
 */
static void direct_begins(struct inode *inode, struct pt_regs *regs)
{
	struct iob_task *t;

	t = iob_disk_watches(inode) ? iob_task_get() : NULL;
	if (t) {
		iob_file_of(inode, &t->file);
		t->direct = iob_caller_of(regs);
	}
}

/* (iocb, iter, ...) */
static void iomap_direct(struct pt_regs *regs)
{
	struct kiocb *iocb = (void *)regs_get_kernel_argument(regs, 0);

	direct_begins(file_inode(iocb->ki_filp), regs);
}

/* (iocb, inode, ...) */
static void legacy_direct(struct pt_regs *regs)
{
	direct_begins((void *)regs_get_kernel_argument(regs, 1), regs);
}

#ifdef IOB_HAVE_FOLIO
/* (vmf, ...): before the file system marks anything dirty */
static void mapped_store(struct pt_regs *regs)
{
	struct vm_fault *vmf = (void *)regs_get_kernel_argument(regs, 0);

	if (vmf->page)
		iob_dirty_mapped(vmf->page, regs);
}
#endif

#ifdef IOB_IOMAP_WHOLE_FOLIOS
/* (iter, pos, len, copied, folio): one page has its own event if it was clean */
static __always_inline bool is_small(struct pt_regs *regs)
{
	return !folio_test_large((void *)regs_get_kernel_argument(regs, 4));
}

/* Called for each page that is written. */
IOB_OWN_OPS(iomap_alone, is_small);

/* (iter, pos, len, copied, folio): before the folio is marked dirty */
static void iomap_written(struct pt_regs *regs)
{
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 4);
	loff_t pos = regs_get_kernel_argument(regs, 1);

	if (!is_small(regs) && pos >= folio_pos(folio))
		iob_dirty_again(folio, pos - folio_pos(folio),
				regs_get_kernel_argument(regs, 3), regs);
}
#endif

#ifdef IOB_HAVE_BH_FOLIO
/* (folio, ifs, off, len): before the folio is marked dirty */
static void iomap_dirty(struct pt_regs *regs)
{
	iob_dirty_range((void *)regs_get_kernel_argument(regs, 0),
			(void *)regs_get_kernel_argument(regs, 1),
			regs_get_kernel_argument(regs, 2),
			regs_get_kernel_argument(regs, 3), regs);
}

/* (inode, folio, pos, len, ...): before the folio is marked dirty */
static void btrfs_dirty(struct pt_regs *regs)
{
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 1);
	loff_t pos = regs_get_kernel_argument(regs, 2);

	if (pos >= folio_pos(folio))
		iob_dirty_range(folio, NULL, pos - folio_pos(folio),
				regs_get_kernel_argument(regs, 3), regs);
}
#endif

/* (handle, inode, offset, bytes): a worker, when data has been written */
static void ext4_written(struct pt_regs *regs)
{
	loff_t pos = regs_get_kernel_argument(regs, 2);
	struct iob_call call = iob_call_at(regs);

	/* who writes directly does it for himself */
	if (!(current->flags & PF_KTHREAD))
		return;
	iob_behalf_pages((void *)regs_get_kernel_argument(regs, 1),
			pos >> PAGE_SHIFT,
			(pos + regs_get_kernel_argument(regs, 3)) >> PAGE_SHIFT,
			false, &call);
}

static void common(bool last, struct pt_regs *regs)
{
	struct iob_call call = iob_call_at(regs);

	iob_behalf_common(last, &call);
}

/* Whatever the transaction's end changes, it is for all who took part. */
static void begin_commit(struct pt_regs *regs)
{
	iob_behalf_nothing();
	common(false, regs);
}

static void commit(struct pt_regs *regs)
{
	common(false, regs);
}

/* ... and nobody can join it any more */
static void last_commit(struct pt_regs *regs)
{
	common(true, regs);
}

#ifdef IOB_BTRFS_REDIRTY
static void found_redirty(unsigned long func)
{
	iob_intent_mark(func, IOB_MARK_REDIRTY_FS);
}
#endif

/* (inode, page or folio, ...): by the flusher */
static void btrfs_delalloc(struct pt_regs *regs)
{
	const struct inode *inode =
		iob_folio_host((void *)regs_get_kernel_argument(regs, 1));

	if (inode)
		iob_compressed_learn((void *)regs_get_kernel_argument(regs, 0),
				     inode);
}

/* (inode, start, end, ...): its pages are let go, to be written */
static void btrfs_extent(struct pt_regs *regs)
{
	if (iob_compressed_writer(iob_caller_of(regs)))
		iob_compressed_extent((void *)regs_get_kernel_argument(regs, 0),
				      regs_get_kernel_argument(regs, 1),
				      regs_get_kernel_argument(regs, 2));
}

#ifdef IOB_BTRFS_LATER
/* (btrfs_bio, ...) */
static void btrfs_submits(struct pt_regs *regs)
{
	iob_compressed_submit((void *)regs_get_kernel_argument(regs, 0));
}
#endif

/* What is compressed is read into pages of nobody. */
static void btrfs_reads(struct inode *inode)
{
	struct iob_task *t;

	t = inode && iob_disk_watches(inode) ? iob_task_get() : NULL;
	if (t)
		iob_file_of(inode, &t->compressed.file);
}

/* (rac) */
static void btrfs_reads_ahead(struct pt_regs *regs)
{
	const struct readahead_control *rac =
		(void *)regs_get_kernel_argument(regs, 0);

	btrfs_reads(rac->mapping->host);
}

/* (file, page or folio): that is locked */
static void btrfs_reads_page(struct pt_regs *regs)
{
	btrfs_reads(iob_folio_host((void *)regs_get_kernel_argument(regs, 1)));
}

/* Of the file that was just asked for; the caller is btrfs alone. */
static void btrfs_reads_compressed(struct pt_regs *regs)
{
	struct iob_task *t = iob_task_get();

	if (t && t->compressed.file.dev) {
		t->file = t->compressed.file;
		t->direct = iob_caller_of(regs);
	}
}

/* Whoever syncs a file writes the superblock for himself. */
static void sync_log(struct pt_regs *regs)
{
	struct iob_task *t;

	t = iob_task_get();
	if (t && !t->writes.always)
		t->writes.key = NULL;
}

/* f2fs: it begins and ends here */
static void checkpoint(struct pt_regs *regs)
{
	iob_behalf_nothing();
	common(true, regs);
}

#define COMMIT(func, probe, mod) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = probe, .module = mod,	\
	.impact = "who took part in a transaction of " mod,		\
}

#define DIRECT_BEGINS(func, entry) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = entry,			\
	.impact = "the file of a direct IO",				\
}

#define BTRFS(func, probe, what) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = probe, .module = "btrfs",	\
	.impact = what,							\
}

static const struct iob_hook hooks[] = {
	DIRECT_BEGINS("__iomap_dio_rw", iomap_direct),
	DIRECT_BEGINS("__blockdev_direct_IO", legacy_direct),
	COMMIT("btrfs_commit_transaction", begin_commit, "btrfs"),
	COMMIT("btrfs_run_delayed_refs", commit, "btrfs"),
	COMMIT("btrfs_sync_log", sync_log, "btrfs"),
	COMMIT("commit_cowonly_roots", last_commit, "btrfs"),
	COMMIT("f2fs_write_checkpoint", checkpoint, "f2fs"),
	BTRFS("btrfs_run_delalloc_range", btrfs_delalloc,
	      "whose compressed extents btrfs writes"),
	BTRFS("extent_clear_unlock_delalloc", btrfs_extent,
	      "whose compressed extents btrfs writes"),
	BTRFS("btrfs_readahead", btrfs_reads_ahead,
	      "the file of a compressed extent that is read"),
	BTRFS("btrfs_read_folio|btrfs_readpage", btrfs_reads_page,
	      "the file of a compressed extent that is read"),
	BTRFS("btrfs_submit_compressed_read", btrfs_reads_compressed,
	      "the file of a compressed extent that is read"),
#ifdef IOB_BTRFS_LATER
	BTRFS("btrfs_submit_bbio", btrfs_submits,
	      "whose compressed extents btrfs writes after checksums"),
	{
		.name = "btrfs_work_helper",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.found = iob_compressed_worker_found, .module = "btrfs",
		.impact = "whose compressed extents btrfs writes after checksums",
	},
#endif
#ifdef IOB_BTRFS_REDIRTY
	{
		.name = "compress_file_range",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.found = found_redirty, .module = "btrfs",
		.impact = "who dirtied pages that btrfs did not compress",
	},
#endif
	{
		/* (the first is most often a part of the second) */
		.name = "submit_one_async_extent|submit_compressed_extents",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.found = iob_compressed_found, .module = "btrfs",
		.impact = "whose compressed extents btrfs writes",
	}, {
		.name = "btrfs_end_super_write", .kind = IOB_HOOK_ADDRESS,
		.phase = IOB_HOOK_LOADED, .end = IOB_BIO_BTRFS_SUPER,
		.module = "btrfs",
		.impact = "which IO is btrfs' superblock",
	}, {
		.name = "ext4_convert_unwritten_extents",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = ext4_written, .module = "ext4",
		.impact = "for whom ext4 marks extents as written",
	},
#ifdef IOB_HAVE_FOLIO
	{
		.name = "do_page_mkwrite",
		.kind = IOB_HOOK_FUNCTION,
		.phase = IOB_HOOK_ENABLED, .entered = mapped_store,
		.impact = "who stored into which page of a large folio",
	}, {
		.name = "handle_mm_fault",
		.kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED,
		.found = iob_dirty_fault_found,
		.impact = "who stored into which page of a large folio",
	},
#endif
#ifdef IOB_IOMAP_WHOLE_FOLIOS
	{
		.name = "iomap_write_end", .kind = IOB_HOOK_FUNCTION,
		.phase = IOB_HOOK_ENABLED, .entered = iomap_written,
		.own_ops = &iomap_alone,
		.impact = "who dirtied which page of a large folio (iomap)",
	},
#endif
#ifdef IOB_HAVE_BH_FOLIO
	{
		.name = "ifs_set_range_dirty", .kind = IOB_HOOK_FUNCTION,
		.phase = IOB_HOOK_ENABLED, .entered = iomap_dirty,
		.impact = "who dirtied which page of a large folio (iomap)",
	}, {
		.name = "btrfs_dirty_folio", .kind = IOB_HOOK_FUNCTION,
		.phase = IOB_HOOK_ENABLED, .entered = btrfs_dirty,
		.module = "btrfs",
		.impact = "who dirtied which page of a large folio (btrfs)",
	},
#endif
};

IOB_HOOK_LIST(iob_fs_hooks, hooks);

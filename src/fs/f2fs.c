// SPDX-License-Identifier: GPL-2.0
/*
 * f2fs: its metadata are pages of inodes 1 and 2, which a checkpoint changes and writes for
 * all participants.  Its bios carry pages of several files.
 *
 * It compresses a cluster of a file's pages into pages that have the file's mapping, but
 * are not in its cache.  The file's pages are under writeback meanwhile.
 *
 * Context: the entry of functions that run in tasks, preemption off; the questions of
 * struct iob_provider in any probe.
 */
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/magic.h>

#include <compat/f2fs.h>
#include <compat/folio.h>
#include <compat/peek.h>

#include "blame/behalf.h"
#include "blame/bio_kind.h"
#include "blame/freed_extent.h"
#include "blame/provider.h"
#include "core/layout.h"
#include "core/mark.h"
#include "free_blocks.h"
#include "hooks/hook.h"

#define F2FS_METADATA_INO	2	/* the node inode is 1, the meta inode 2 */

static const struct iob_layout_member cluster_members[] = {
	[IOB_F2FS_MAGIC] = IOB_LAYOUT_MEMBER("magic", struct iob_f2fs_cluster, magic),
	[IOB_F2FS_INODE] = IOB_LAYOUT_MEMBER("inode", struct iob_f2fs_cluster, inode),
	[IOB_F2FS_NR] = IOB_LAYOUT_MEMBER("nr_rpages|nr_cpages", struct iob_f2fs_cluster, nr),
};

/* Proved each time by its magic number and its inode. */
static struct iob_layout cluster_layout = {
	.type = "compress_io_ctx", IOB_LAYOUT_IN("f2fs", CONFIG_F2FS_FS),
	IOB_LAYOUT_OF(cluster_members), .cost = "the dirtiers of pages that f2fs compresses",
};

static const struct iob_layout_member sbi_members[] = {
	{ .name = "sb", .size = sizeof(struct super_block *) },
};

/* Proved each time by the super block's magic number. */
static struct iob_layout sbi_layout = {
	.type = "f2fs_sb_info", IOB_LAYOUT_IN("f2fs", CONFIG_F2FS_FS),
	IOB_LAYOUT_OF(sbi_members), .cost = "which act freed what f2fs discards",
};

/* A checkpoint begins.  It writes directories and copies inodes, while others still take part. */
static void f2fs_checkpoint_entered(struct pt_regs *regs)
{
	iob_behalf_none();
	iob_behalf_common(false, regs);
}

/* The checkpoint has locked out all others. */
static void f2fs_locked_entered(struct pt_regs *regs)
{
	iob_behalf_ends();
}

/* The super block of f2fs' private struct of it; NULL if it is none. */
static struct super_block *f2fs_sb_of(const void *sbi)
{
	struct super_block *sb;
	unsigned long magic;
	bool right;

	if (iob_layout_is_bad(&sbi_layout))
		return NULL;
	right = iob_peek(&sb, (struct super_block *const *)iob_layout_at(&sbi_layout, 0, sbi)) &&
		iob_peek(&magic, &sb->s_magic) && magic == F2FS_SUPER_MAGIC;
	iob_layout_tell(&sbi_layout, right);
	return right ? sb : NULL;
}

/* (sbi, block[, count]) */
static void f2fs_free_entered(struct pt_regs *regs)
{
	struct super_block *sb = f2fs_sb_of(iob_arg_ptr(regs, 0));
	u32 block = iob_arg(regs, 1);

	/* the last two numbers are no blocks: not written yet, or compressed */
	if (!sb || !sb->s_root || block >= (u32)-2)
		return;
	iob_free_blocks(sb, d_inode(sb->s_root), block, iob_f2fs_freed(regs), regs);
}

/* (sbi[, ...]): at an unmount the task discards what is left, whoever freed it */
static void f2fs_rest_entered(struct pt_regs *regs)
{
	struct iob_call call = iob_call_at(regs);

	iob_freed_extent_discard_rest(&call);
}

/* The garbage collector, which writeback calls if there is no room. */
static void f2fs_gc_found(unsigned long func)
{
	iob_mark_set(func, IOB_MARK_MOVE_FS);
}

static bool f2fs_mixes_files(const struct super_block *sb)
{
	return sb->s_magic == F2FS_SUPER_MAGIC;
}

/*
 * What f2fs keeps beside a page of a cluster of the file @host.  Return: false if @from, the
 * page's private word, is something else: flags, which are no address, or unknown.
 */
static bool f2fs_cluster_notes(const void *from, const struct inode *host,
			       struct iob_f2fs_cluster *notes)
{
	bool right;

	if (iob_layout_is_bad(&cluster_layout) || !iob_f2fs_is_pointer(from))
		return false;
	right = iob_f2fs_cluster_read(from, cluster_layout.at, notes) &&
		notes->magic == IOB_F2FS_CLUSTER_MAGIC && notes->inode == host &&
		is_power_of_2(notes->nr) && notes->nr <= IOB_F2FS_CLUSTER_MAX;
	iob_layout_tell(&cluster_layout, right);
	return right;
}

/*
 * Whether a page was compressed from pages of a file.  Nothing is known of the page, and
 * what it points to may be anything: nothing is followed before it is known to be memory,
 * and nothing is believed unless the flags, the file and what f2fs keeps beside it agree.
 */
static bool f2fs_cluster(struct page *page, struct iob_cluster *c)
{
	struct iob_folio *f = iob_folio_of(page);
	struct iob_f2fs_cluster notes;
	struct inode *host;
	unsigned long index;

	if (PageCompound(page) || !iob_folio_locked(f) || iob_folio_writeback(f) ||
	    !iob_folio_has_private(f))
		return false;
	host = iob_folio_host(f);
	if (!host || !S_ISREG(READ_ONCE(host->i_mode)) || !f2fs_mixes_files(host->i_sb))
		return false;
	if (!f2fs_cluster_notes((const void *)page_private(page), host, &notes))
		return false;
	index = READ_ONCE(f->index);
	c->host = host;
	c->nr = notes.nr;
	c->first = round_down(index, notes.nr);
	/* the cluster's first block only says that it is a cluster */
	c->nth = index - c->first - 1;
	return true;
}

static const struct iob_hook f2fs_table[] = {
	IOB_HOOK_FUNC_IN("f2fs", CONFIG_F2FS_FS, "f2fs_write_checkpoint",
			 f2fs_checkpoint_entered, "the participants of a transaction of f2fs"),
	IOB_HOOK_FUNC_IN("f2fs", CONFIG_F2FS_FS, "f2fs_flush_nat_entries",
			 f2fs_locked_entered, "the participants of a transaction of f2fs"),
	IOB_HOOK_FUNC_IN("f2fs", CONFIG_F2FS_FS, "f2fs_invalidate_blocks",
			 f2fs_free_entered, "which act freed what f2fs discards"),
	IOB_HOOK_FUNC_IN("f2fs", CONFIG_F2FS_FS, "f2fs_issue_discard_timeout",
			 f2fs_rest_entered, "who freed what f2fs discards at an unmount"),
#ifndef IOB_HAVE_FOLIO
	/* (later f2fs has iomap's) */
	IOB_HOOK_END_IN("f2fs", CONFIG_F2FS_FS, "f2fs_dio_end_io", &iob_bio_direct,
			"that direct writes from a mapped file are not the file's dirtier's"),
#endif
	IOB_HOOK_ADDR_IN("f2fs", CONFIG_F2FS_FS, "f2fs_gc", f2fs_gc_found,
			 "whose writeback made f2fs move another's data"),
};

static IOB_HOOK_LIST(f2fs_hooks, f2fs_table);

IOB_PROVIDER(f2fs) = {
	.hooks = &f2fs_hooks,
	.layout = { &cluster_layout, &sbi_layout },
	.magic = F2FS_SUPER_MAGIC,
	.last_metadata_ino = F2FS_METADATA_INO,
	.mixes_files = f2fs_mixes_files,
	.cluster = f2fs_cluster,
};

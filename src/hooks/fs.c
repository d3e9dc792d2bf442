// SPDX-License-Identifier: GPL-2.0
/*
 * File systems: whose file a direct IO is, and which pages of a large folio a
 * write dirties.
 *
 * Context: kprobe handlers at the entry of functions that run in the task's
 * own context; preemption is off in them.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include <compat/iomap.h>
#include <compat/rcu.h>

#include "../blame/dirty.h"
#include "../blame/disk.h"
#include "../blame/intent.h"
#include "../blame/task.h"
#include "table.h"

/*
 * What comes between here and the bios may be long, but it is this task's, and
 * a bio belongs to it only if its stack goes through the same function.
 */
static void direct_begins(struct inode *inode)
{
	struct iob_task *t;

	iob_read_lock();
	t = iob_disk_watches(inode) ? iob_task_get() : NULL;
	if (t) {
		iob_file_of(inode, &t->file);
		t->direct = true;
	}
	iob_read_unlock();
}

/* (iocb, iter, ...) */
static int iomap_direct(struct kprobe *kp, struct pt_regs *regs)
{
	struct kiocb *iocb = (void *)regs_get_kernel_argument(regs, 0);

	direct_begins(file_inode(iocb->ki_filp));
	return 0;
}

/* (iocb, inode, ...) */
static int legacy_direct(struct kprobe *kp, struct pt_regs *regs)
{
	direct_begins((void *)regs_get_kernel_argument(regs, 1));
	return 0;
}

#ifdef IOB_HAVE_FOLIO
/* (vmf, ...): before the file system marks anything dirty */
static int mapped_store(struct kprobe *kp, struct pt_regs *regs)
{
	struct vm_fault *vmf = (void *)regs_get_kernel_argument(regs, 0);

	iob_read_lock();
	if (vmf->page)
		iob_dirty_mapped(vmf->page, regs);
	iob_read_unlock();
	return 0;
}
#endif

#ifdef IOB_IOMAP_WHOLE_FOLIOS
/* (iter, pos, len, copied, folio): before the folio is marked dirty */
static int iomap_written(struct kprobe *kp, struct pt_regs *regs)
{
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 4);
	loff_t pos = regs_get_kernel_argument(regs, 1);

	iob_read_lock();
	if (pos >= folio_pos(folio))
		iob_dirty_again(folio, pos - folio_pos(folio),
				regs_get_kernel_argument(regs, 3), regs);
	iob_read_unlock();
	return 0;
}
#endif

#ifdef IOB_HAVE_BH_FOLIO
/* (folio, ifs, off, len): before the folio is marked dirty */
static int iomap_dirty(struct kprobe *kp, struct pt_regs *regs)
{
	iob_read_lock();
	iob_dirty_range((void *)regs_get_kernel_argument(regs, 0),
			(void *)regs_get_kernel_argument(regs, 1),
			regs_get_kernel_argument(regs, 2),
			regs_get_kernel_argument(regs, 3), regs);
	iob_read_unlock();
	return 0;
}

/* (inode, folio, pos, len, ...): before the folio is marked dirty */
static int btrfs_dirty(struct kprobe *kp, struct pt_regs *regs)
{
	struct folio *folio = (void *)regs_get_kernel_argument(regs, 1);
	loff_t pos = regs_get_kernel_argument(regs, 2);

	iob_read_lock();
	if (pos >= folio_pos(folio))
		iob_dirty_range(folio, NULL, pos - folio_pos(folio),
				regs_get_kernel_argument(regs, 3), regs);
	iob_read_unlock();
	return 0;
}
#endif

static void found_direct(unsigned long func)
{
	iob_intent_mark(func, IOB_INTENT_DIRECT);
}

#define DIRECT_BEGINS(func, entry) {					\
	.name = func, .kind = IOB_HOOK_KPROBE,				\
	.phase = IOB_HOOK_ENABLED, .handler = entry,			\
	.lost = "the file of a direct IO",				\
}

#define DIRECT_MARK(func) {						\
	.name = func, .kind = IOB_HOOK_ADDRESS,				\
	.phase = IOB_HOOK_LOADED, .found = found_direct,		\
	.lost = "the file of a direct IO",				\
}

static const struct iob_hook hooks[] = {
	DIRECT_BEGINS("__iomap_dio_rw", iomap_direct),
	DIRECT_MARK("__iomap_dio_rw"),
	DIRECT_BEGINS("__blockdev_direct_IO", legacy_direct),
	DIRECT_MARK("__blockdev_direct_IO"),
#ifdef IOB_HAVE_FOLIO
	{
		.name = "do_page_mkwrite|iomap_page_mkwrite",
		.kind = IOB_HOOK_KPROBE,
		.phase = IOB_HOOK_ENABLED, .handler = mapped_store,
		.lost = "who stored into which page of a large folio",
	},
#endif
#ifdef IOB_IOMAP_WHOLE_FOLIOS
	{
		.name = "iomap_write_end", .kind = IOB_HOOK_KPROBE,
		.phase = IOB_HOOK_ENABLED, .handler = iomap_written,
		.lost = "who dirtied which page of a large folio (iomap)",
	},
#endif
#ifdef IOB_HAVE_BH_FOLIO
	{
		.name = "ifs_set_range_dirty", .kind = IOB_HOOK_KPROBE,
		.phase = IOB_HOOK_ENABLED, .handler = iomap_dirty,
		.lost = "who dirtied which page of a large folio (iomap)",
	}, {
		.name = "btrfs_dirty_folio", .kind = IOB_HOOK_KPROBE,
		.phase = IOB_HOOK_ENABLED, .handler = btrfs_dirty,
		.module = "btrfs",
		.lost = "who dirtied which page of a large folio (btrfs)",
	},
#endif
};

IOB_HOOK_LIST(iob_fs_hooks, hooks);

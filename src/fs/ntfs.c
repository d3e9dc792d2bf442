// SPDX-License-Identifier: GPL-2.0
/*
 * ntfs: a worker may make a file longer when what was written asynchronously and directly is on the
 * disk.  Mostly the task has done so when it began to write.  The generic hooks do for all else.
 *
 * Context: the entry of a function that runs in tasks and in interrupts, preemption off.
 */
#include <compat/iomap.h>

#include "async_end.h"
#include "blame/async.h"
#include "blame/provider.h"
#include "hooks/hook.h"

#ifdef IOB_HAVE_IOMAP_READ_ENDIO
#define NTFS_ASYNC	"who wrote directly, where a worker changes the file for that (ntfs)"
#endif

static const struct iob_hook ntfs_table[] = {
#ifdef IOB_HAVE_IOMAP_READ_ENDIO
	IOB_HOOK_FUNC_IN("ntfs", CONFIG_NTFS_FS, "ntfs_file_write_dio_end_io",
			 iob_async_end_entered, NTFS_ASYNC),
	IOB_HOOK_END_IN("ntfs", CONFIG_NTFS_FS, "ntfs_file_write_dio_end_io", &iob_async_end_io,
			NTFS_ASYNC),
#endif
};

static IOB_HOOK_LIST(ntfs_hooks, ntfs_table);

IOB_PROVIDER(ntfs) = {
	.hooks = &ntfs_hooks,
};

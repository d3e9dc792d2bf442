// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>

#include "association.h"
#include "async.h"
#include "behalf.h"
#include "bio_kind.h"
#include "blame.h"
#include "dirtied_by.h"
#include "dirty.h"
#include "dirty_fast.h"
#include "freed_extent.h"
#include "plane.h"
#include "times.h"
#include "transaction.h"

static struct iob_task_part *const blame_parts[] = {
	&iob_behalf_part,
	&iob_parent_io_part,
	&iob_transaction_part,
	&iob_discard_call_part,
	&iob_dirtied_by_part,
	&iob_dirty_part,
	&iob_times_part,
	&iob_async_part,
};

static struct iob_assoc_kind *const blame_kinds[] = {
	&iob_assoc_inode,
	&iob_assoc_times,
	&iob_assoc_logged,
	&iob_assoc_log_block,
	&iob_assoc_kiocb,
};

static const struct {
	int (*init)(void);	/* 0 or -ENOMEM */
	void (*exit)(void);
} blame_memory[] = {
	{ .init = iob_planes_init, .exit = iob_planes_exit },
	{ .init = iob_assoc_pool_init, .exit = iob_assoc_pool_exit },
	{ .init = iob_transactions_init, .exit = iob_transactions_exit },
	{ .init = iob_freed_extents_init, .exit = iob_freed_extents_exit },
};

static void blame_memory_exit(unsigned int nr)
{
	while (nr--)
		blame_memory[nr].exit();
}

static int blame_memory_init(void)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(blame_memory); i++) {
		err = blame_memory[i].init();
		if (err) {
			blame_memory_exit(i);
			return err;
		}
	}
	return 0;
}

/*
 * Module load, before any context of a task is made.  Return: 0 or a negative errno;
 * iob_blame_exit() undoes it.
 */
int iob_blame_init(void)
{
	unsigned int i;
	int err;

	iob_bio_kinds_init();
	err = iob_dirty_fast_init();
	for (i = 0; i < ARRAY_SIZE(blame_parts) && !err; i++)
		err = iob_task_part_add(blame_parts[i]);
	for (i = 0; i < ARRAY_SIZE(blame_kinds) && !err; i++)
		err = iob_assoc_kind_add(blame_kinds[i]);
	return err ?: blame_memory_init();
}

/* Module unload: no session is there. */
void iob_blame_exit(void)
{
	blame_memory_exit(ARRAY_SIZE(blame_memory));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * ioblame - who caused this IO
 *
 * A task dirties a page; much later a flusher writes it.  ioblame notes which task, how and
 * on what file at the moment of dirtying, keeps that under the page frame's number, and
 * charges the IO to it when a bio carries the page to a disk.
 *
 *   hooks -> dirtier (pfn -> act) -> origin (bio -> acts) -> the bio's context
 *         -> on completion: counters, iolog -> debugfs
 */
#define pr_fmt(fmt) "ioblame: " fmt

#include <linux/module.h>

#include "debugfs/debugfs.h"
#include "hooks/table.h"
#include "io/session.h"
#include "registry.h"

static const struct iob_session_ops session_ops = {
	.check = iob_hooks_check,
	.attach = iob_hooks_attach,
	.detach = iob_hooks_detach,
	.renew = iob_hooks_renew,
};

static int __init iob_init(void)
{
	int err;

	err = iob_registry_init();
	if (err)
		return err;
	err = iob_session_init(&session_ops);
	if (err)
		return err;
	err = iob_hooks_init();
	if (err)
		goto session;
	err = iob_files_init(iob_hooks_show);
	if (err)
		goto hooks;
	return 0;
hooks:
	iob_hooks_exit();
session:
	iob_session_exit();
	return err;
}

static void __exit iob_exit(void)
{
	iob_files_exit();
	iob_session_switch(false);
	iob_hooks_exit();
	iob_session_exit();
}

module_init(iob_init);
module_exit(iob_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The ioblame developers");
MODULE_DESCRIPTION("Who caused this IO: charges delayed IO to its originator");
MODULE_VERSION(IOB_VERSION);

// SPDX-License-Identifier: GPL-2.0
/*
 * All that is known of a file system or driver NAME is in src/fs/NAME.c or
 * src/stacked/NAME.c, which has IOB_PROVIDER(NAME).  To add one, write that file, put what
 * it knows of private structs into include/compat/NAME.h, add the object to Kbuild, and the
 * name here.
 *
 * Hooks are attached in this order and detached in the opposite one.  The block layer
 * comes last: IO is followed only when all that it can be charged to is noted.
 */
#include <linux/kernel.h>

#include "blame/provider.h"
#include "registry.h"

#define IOB_PROVIDERS(X)		\
	/* src/hooks */			\
	X(sched)			\
	X(writeback)			\
	/* src/fs */			\
	X(generic)			\
	X(ext4)				\
	X(jbd2)				\
	X(xfs)				\
	X(btrfs)			\
	X(f2fs)				\
	X(fscrypt)			\
	X(exfat)			\
	X(ntfs)				\
	/* src/stacked */		\
	X(dm)				\
	X(raid5)			\
	X(loop)				\
	/* src/hooks */			\
	X(block)

#define IOB_PROVIDER_NAME(name)		iob_provider_##name,
#define IOB_PROVIDER_ENTRY(name)	&iob_provider_##name,

/* (the last name only ends the list of declarations; no such object exists) */
extern const struct iob_provider IOB_PROVIDERS(IOB_PROVIDER_NAME) iob_provider_end;

static const struct iob_provider *const registered[] = {
	IOB_PROVIDERS(IOB_PROVIDER_ENTRY)
};

/* Module load, before any context of a task is made.  Return: 0 or a negative errno. */
int iob_registry_init(void)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(registered) && !err; i++)
		err = iob_provider_add(registered[i]);
	return err;
}

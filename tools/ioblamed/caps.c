// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "caps.h"

/* Whether the process has what it takes to find the names of files. */
bool caps_can_find_files(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct has[2];

	return !syscall(SYS_capget, &head, has) && has[0].effective & 1U << CAP_DAC_READ_SEARCH;
}

/**
 * caps_keep - drop all capabilities but one or none, for good
 * @caps: what is kept, if the process has it
 *
 * Return: 0 or -errno.
 */
int caps_keep(enum caps caps)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct has[2], set[2] = { 0 };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	if (syscall(SYS_capget, &head, has))
		return -errno;
	if (caps == CAPS_FIND_FILES) {
		set[0].permitted = has[0].permitted & 1U << CAP_DAC_READ_SEARCH;
		set[0].effective = set[0].permitted;
	}
	/* a service may not even call it */
	if (!((has[0].permitted & ~set[0].permitted) | has[1].permitted))
		return 0;
	head.pid = 0;
	return syscall(SYS_capset, &head, set) ? -errno : 0;
}

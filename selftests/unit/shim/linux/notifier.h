/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_NOTIFIER_H
#define SHIM_LINUX_NOTIFIER_H

enum { NOTIFY_DONE, NOTIFY_OK };

struct notifier_block {
	int (*notifier_call)(struct notifier_block *nb, unsigned long event, void *data);
};

#endif

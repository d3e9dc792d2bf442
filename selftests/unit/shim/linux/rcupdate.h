/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_RCUPDATE_H
#define SHIM_LINUX_RCUPDATE_H

struct rcu_head {
	void *word[2];
};

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* Nothing of it is needed. */
#ifndef SHIM_LINUX_CGROUP_H
#define SHIM_LINUX_CGROUP_H

#endif

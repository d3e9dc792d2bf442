/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_PTRACE_H
#define SHIM_LINUX_PTRACE_H

#include <linux/types.h>

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_BUILD_BUG_H
#define SHIM_LINUX_BUILD_BUG_H

#include <linux/kernel.h>

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The test has the table of pids. */
#ifndef SHIM_LINUX_PID_H
#define SHIM_LINUX_PID_H

#include <linux/sched.h>

#endif

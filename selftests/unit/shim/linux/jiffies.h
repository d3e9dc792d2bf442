/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_JIFFIES_H
#define SHIM_LINUX_JIFFIES_H

#define HZ	250

extern unsigned long jiffies;

#endif

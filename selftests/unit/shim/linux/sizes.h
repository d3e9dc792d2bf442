/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_SIZES_H
#define SHIM_LINUX_SIZES_H

#define SZ_1M	0x00100000
#define SZ_1G	0x40000000

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* For sizes that do not overflow. */
#ifndef SHIM_LINUX_OVERFLOW_H
#define SHIM_LINUX_OVERFLOW_H

#define struct_size(p, member, n)	(sizeof(*(p)) + sizeof((p)->member[0]) * (n))

#endif

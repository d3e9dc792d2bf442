/* SPDX-License-Identifier: GPL-2.0 */
/* Nothing of it is needed. */
#ifndef SHIM_LINUX_UIDGID_H
#define SHIM_LINUX_UIDGID_H

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * registry - the file systems, drivers and parts of the kernel that ioblame knows
 */
#ifndef IOB_REGISTRY_H
#define IOB_REGISTRY_H

int iob_registry_init(void);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/* The nodes of a test are in shim_nodes[]. */
#ifndef SHIM_LINUX_NODEMASK_H
#define SHIM_LINUX_NODEMASK_H

#include <linux/mmzone.h>

#define SHIM_NODES			2

extern struct pglist_data shim_nodes[SHIM_NODES];

#define NODE_DATA(nid)			(&shim_nodes[nid])
#define for_each_online_node(nid)	for ((nid) = 0; (nid) < SHIM_NODES; (nid)++)

#endif

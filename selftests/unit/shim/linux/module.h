/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MODULE_H
#define SHIM_LINUX_MODULE_H

#define THIS_MODULE	NULL

void __module_get(void *module);

#endif

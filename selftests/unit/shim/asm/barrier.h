/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_ASM_BARRIER_H
#define SHIM_ASM_BARRIER_H

#include <linux/compiler.h>

#endif

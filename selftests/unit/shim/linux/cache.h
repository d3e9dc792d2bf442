/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_CACHE_H
#define SHIM_LINUX_CACHE_H

#define __read_mostly
#define ____cacheline_aligned_in_smp	__attribute__((aligned(64)))

#endif

/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SHIM_LINUX_MM_H
#define SHIM_LINUX_MM_H

#define GFP_KERNEL	0
#define PAGE_SHIFT	12
#define PAGE_SIZE	4096UL

/* 4 GiB */
#define totalram_pages()	(1UL << 20)

#endif

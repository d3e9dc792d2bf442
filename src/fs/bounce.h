/* SPDX-License-Identifier: GPL-2.0 */
/*
 * standin - a page that is written in place of a file's -> the file's
 */
#ifndef IOB_FS_BOUNCE_H
#define IOB_FS_BOUNCE_H

#include <linux/types.h>

struct inode;
struct page;

/* pages of a file, compressed together by f2fs */
struct iob_cluster {
	struct inode *host;	/* NULL: none */
	unsigned long first;	/* the first one's index in the file */
	unsigned int nr;	/* how many, a power of 2 */
	unsigned int share;	/* this is that page of what they became */
};

struct page *iob_bounce_for(struct page *page);
bool iob_bounce_cluster(struct page *page, struct iob_cluster *c);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * look_pages - the origin of a write from the page cache, page by page
 */
#ifndef IOB_BLAME_LOOK_PAGES_H
#define IOB_BLAME_LOOK_PAGES_H

struct inode;
struct iob_look;
struct page;

void iob_look_at_pages(struct iob_look *l);
struct inode *iob_look_bounce_host(const struct iob_look *l, struct page *page);

#endif

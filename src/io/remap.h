/* SPDX-License-Identifier: GPL-2.0 */
/*
 * remap - a driver sends a bio on to a disk below as it is
 */
#ifndef IOB_IO_REMAP_H
#define IOB_IO_REMAP_H

#include <linux/bio.h>

void iob_bio_remap(struct bio *bio, dev_t disk, u64 sector);

#endif

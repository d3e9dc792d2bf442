/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stripe - for whom raid456 reads and writes blocks of its own
 */
#ifndef IOB_STACKED_RAID5_H
#define IOB_STACKED_RAID5_H

#include "blame/origin.h"

void iob_raid5_join(const void *stripe, const struct bio *bio,
		     unsigned int disk, bool write);
bool iob_raid5_find(struct iob_origin *o, const struct bio *bio);

#endif

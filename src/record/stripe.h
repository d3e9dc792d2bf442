/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stripe - for whom raid456 reads and writes blocks of its own
 */
#ifndef IOB_RECORD_STRIPE_H
#define IOB_RECORD_STRIPE_H

#include "../blame/origin.h"

void iob_stripe_join(const void *stripe, const struct bio *bio,
		     unsigned int disk, bool write);
bool iob_stripe_find(struct iob_origin *o, const struct bio *bio);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * upper - the flight on an upper disk that a bio is made from
 */
#ifndef IOB_RECORD_UPPER_H
#define IOB_RECORD_UPPER_H

#include "flight.h"

int iob_uppers_start(void);
void iob_uppers_stop(void);
void iob_upper_begin(struct iob_flight *f);
void iob_upper_end(struct iob_flight *f);
const struct bio *iob_upper_whole(const struct bio *bio, u64 *shift);
bool iob_upper_find(struct iob_origin *o, const struct bio *bio);

#endif

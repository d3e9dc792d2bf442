/* SPDX-License-Identifier: GPL-2.0 */
/*
 * copy - what device mapper's dm_io() and kcopyd read and write for others
 */
#ifndef IOB_STACKED_DM_H
#define IOB_STACKED_DM_H

#include <compat/dm.h>

#include "blame/origin.h"
#include "core/task.h"

struct iob_parent_ops;

void iob_dm_begin(const struct dm_io_region *from, unsigned int nr,
		    const struct dm_io_region *to, unsigned long fn,
		    const void *context);
void iob_dm_io(const struct dm_io_request *rq, unsigned int nr,
		 const struct dm_io_region *where, const struct iob_call *call);
bool iob_dm_discards(struct iob_origin *o, const struct bio *bio,
		       const struct bio *parent);
bool iob_dm_find(struct iob_origin *o, const struct bio *bio);

extern const struct iob_parent_ops iob_dm_parent_ops;

#endif

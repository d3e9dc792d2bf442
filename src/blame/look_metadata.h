/* SPDX-License-Identifier: GPL-2.0 */
/*
 * look_metadata - the origin of bios whose pages belong to no file
 *
 * Metadata, logs, extents that were compressed, and discards.
 */
#ifndef IOB_BLAME_LOOK_METADATA_H
#define IOB_BLAME_LOOK_METADATA_H

#include <linux/types.h>

struct iob_look;

bool iob_look_at_metadata(struct iob_look *l);
bool iob_look_at_extent(struct iob_look *l);
bool iob_look_at_discard(struct iob_look *l);

#endif

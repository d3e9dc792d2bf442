/* SPDX-License-Identifier: GPL-2.0 */
/*
 * place - memory that belongs to the addresses of bios
 *
 * The places (io/place_map) of a session.  The first bio in a region takes spare places for
 * it; a worker sees to it that there are spare ones, up to a limit, and takes back places of
 * regions without bios when the limit is reached.  The notes of a bio without a place lie
 * elsewhere.
 *
 * Example: 4,096 reads of libaio are under way.  Their bios are 256 bytes apart, so they lie
 * in 1,024 regions, which have 1 MiB of places.
 */
#ifndef IOB_IO_PLACE_H
#define IOB_IO_PLACE_H

#include <linux/atomic.h>
#include <linux/bio.h>
#include <linux/compiler.h>

#include "place_map.h"

/* What the user of places knows of one, which is zeroed at first. */
struct iob_place_ops {
	bool (*idle)(const struct iob_place *place);	/* free, and not used for a while */
};

extern struct iob_place_map *iob_place_map;	/* RCU; there during a session */

int iob_places_start(const struct iob_place_ops *ops);
void iob_places_stop(void (*put)(struct iob_place *place));
struct iob_place *iob_place_add(const void *address);
u32 iob_places_each(void (*each)(struct iob_place *place));
size_t iob_places_memory(void);

/*
 * Take a free place.  Only the owner of the memory at @owner does: two bios do not overlap, so
 * a place is asked for by one at a time.  (That holds for bios that are not smaller than a
 * place.)  The other end is a store-release of NULL to .owner; whatever gives the memory to
 * the next bio comes after that.  Any context but NMI, inside iob_read_lock().
 */
static __always_inline bool iob_place_claim(const void **owner, const void *bio)
{
	if (READ_ONCE(*owner))
		return false;
	if (sizeof(struct bio) < IOB_PLACE_SIZE)
		return !cmpxchg(owner, NULL, bio);
	/* the worker closes places, but looks again after a grace period */
	WRITE_ONCE(*owner, bio);
	return true;
}

#endif

// SPDX-License-Identifier: GPL-2.0
/*
 * Device mapper: the targets that make no plain clones.
 *
 * dm-crypt writes from pages of its own; its struct names the bio whose ciphertext that is.
 *
 * Some targets give a bio, or memory, to dm_io(), which submits new bios before it returns:
 * in that call these are charged to the acts that pay for the bio.  Or a target has kcopyd
 * copy or zero a whole chunk, of which a waiting bio is going to write a part (dm-snapshot,
 * dm-thin): the copy is charged to the acts that pay for that bio.  The target's context
 * says which bio waits; it is noted for the place, until kcopyd's worker calls dm_io() for
 * the place.  Discards that dm-thin passes down are new bios, too, and end with one that
 * names the parent.
 *
 * Example: dd (act 7) writes 4 KiB to the origin of a snapshot with chunks of 16 KiB.
 * kcopyd reads and writes 16 KiB first: both are charged to act 7, as inherited.
 *
 * A note is valid only while the waiting bio has its context.
 *
 * Multipath makes requests of requests.  io/request follows them; this file only sees when
 * such a request is thrown away.
 *
 * Context: dm_io and dm_kcopyd_copy in workers and in the task that gives the upper disk
 * its IO, where they may sleep; blk_rq_unprep_clone in the task that runs multipath's queue
 * or ends its requests, interrupts may be off; preemption is off in the hooks.
 */
#include <linux/blkdev.h>

#include <compat/compiler.h>
#include <compat/dm.h>

#include "blame/association.h"
#include "blame/bio_kind.h"
#include "blame/provider.h"
#include "core/layout.h"
#include "core/task.h"
#include "hooks/hook.h"
#include "io/bio_ctx.h"
#include "io/parent.h"
#include "io/request.h"
#include "stack/call.h"
#include "stack/stack.h"

/*
 * What is read of these is proved each time: it must be the address of a bio, and one that is
 * under way.
 */
static const struct iob_layout_member crypt_members[] = {
	IOB_LAYOUT_MEMBER("base_bio", struct iob_dm_crypt_io, base),
};

static struct iob_layout crypt_layout = {
	.type = "dm_crypt_io", IOB_LAYOUT_IN("dm_crypt", CONFIG_DM_CRYPT),
	IOB_LAYOUT_OF(crypt_members), .cost = "which acts pay when dm-crypt writes",
};

enum {
	PENDING_ORIGIN,
	PENDING_SNAPSHOT,
};

static const struct iob_layout_member pending_members[] = {
	[PENDING_ORIGIN] = IOB_LAYOUT_MEMBER("origin_bios", struct iob_dm_pending, origin_bios),
	[PENDING_SNAPSHOT] = IOB_LAYOUT_MEMBER("snapshot_bios", struct iob_dm_pending,
					       snapshot_bios),
};

static struct iob_layout pending_layout = {
	.type = "dm_snap_pending_exception", IOB_LAYOUT_IN("dm_snapshot", CONFIG_DM_SNAPSHOT),
	IOB_LAYOUT_OF(pending_members), .cost = "which acts pay when dm-snapshot copies",
};

enum {
	MAPPING_CELL,
	MAPPING_BIO,
};

static const struct iob_layout_member mapping_members[] = {
	[MAPPING_CELL] = IOB_LAYOUT_MEMBER("cell", struct iob_dm_mapping, cell),
	[MAPPING_BIO] = IOB_LAYOUT_MEMBER("bio", struct iob_dm_mapping, bio),
};

static struct iob_layout mapping_layout = {
	.type = "dm_thin_new_mapping",
	IOB_LAYOUT_IN("dm_thin_pool", CONFIG_DM_THIN_PROVISIONING),
	IOB_LAYOUT_OF(mapping_members), .cost = "which acts pay when dm-thin copies and discards",
};

static const struct iob_layout_member cell_members[] = {
	IOB_LAYOUT_MEMBER("holder", struct iob_dm_cell, holder),
};

static struct iob_layout cell_layout = {
	.type = "dm_bio_prison_cell",
	IOB_LAYOUT_IN("dm_thin_pool", CONFIG_DM_THIN_PROVISIONING),
	IOB_LAYOUT_OF(cell_members), .cost = "which acts pay when dm-thin copies",
};

/* What a task is doing in device mapper. */
struct dm_state {
	struct iob_call call;	/* until it returns, dm_io() submits bios */
	const struct dm_io_region *where;	/* to these places, */
	u32 nr;			/* so many, */
	u32 bytes;		/* so many bytes in each, */
	struct iob_origin origin;	/* for which these acts pay */
};

static void dm_state_free(void *part)
{
	struct dm_state *d = part;

	iob_origin_free(&d->origin);
}

static struct iob_task_part dm_part = {
	.name = "dm",
	.size = sizeof(struct dm_state),
	.free = dm_state_free,
};

/* Values are no acts: the lowest bit of the sub number says which of the enum they are. */
static struct iob_assoc_kind dm_assoc_copy = { .name = "dm_copy" };

enum {
	WAITING_BIO,		/* the bio that has the context */
	WAITING_SECTOR,		/* and which of its sectors waits */
};

/* kcopyd copies in pieces of so many sectors unless told otherwise */
#define PIECE		1024
/* 1 GiB: no target has larger chunks */
#define MAX_PIECES	2048

/* Note which bio waits for a copy from or to a region; none if @whole is NULL. */
static void dm_note_copy(const struct dm_io_region *r, const struct bio *whole, u64 sector)
{
	u64 nr = DIV_ROUND_UP_ULL(r->count, PIECE), i;

	if (whole && nr > MAX_PIECES)
		iob_assoc_count_evicted(&dm_assoc_copy);
	for (i = 0; i < nr && i < MAX_PIECES; i++) {
		u64 sub = (r->sector + i * PIECE) << 1;

		if (!whole) {
			iob_assoc_forget(&dm_assoc_copy, r->bdev, sub + WAITING_BIO);
			continue;
		}
		iob_assoc_set(&dm_assoc_copy, r->bdev, sub + WAITING_BIO,
			      (unsigned long)whole);
		iob_assoc_set(&dm_assoc_copy, r->bdev, sub + WAITING_SECTOR, sector);
	}
}

/* The bio of the ciphertext: a private struct has that of the plaintext. */
static noinline_for_stack bool dm_crypt_parent(struct iob_origin *o, const struct bio *bio,
					       const struct bio *whole)
{
	struct bio base IOB_UNINIT;
	const struct bio *at;

	if (iob_layout_is_bad(&crypt_layout))
		return false;
	if (!iob_dm_bio(whole->bi_private, crypt_layout.at[0], &at) || !at ||
	    !iob_peek(&base, at)) {
		iob_layout_tell(&crypt_layout, false);
		return false;
	}
	if (!iob_parent_clone(o, bio, &base))
		return false;
	iob_layout_tell(&crypt_layout, true);
	return true;
}

static const struct iob_bio_kind dm_bio_crypt = {
	.name = "dm-crypt",
	.find_parent = dm_crypt_parent,
};

/* The discard that dm-thin passes down, for the bio that discards above. */
static bool dm_thin_discard_parent(struct iob_origin *o, const struct bio *bio,
				   const struct bio *whole)
{
	const struct bio *top, *by;
	u64 shift;
	u32 got;

	if (iob_layout_is_bad(&mapping_layout))
		return false;
	if (!iob_dm_bio(whole->bi_private, mapping_layout.at[MAPPING_BIO], &by) || !by) {
		iob_layout_tell(&mapping_layout, false);
		return false;
	}
	top = iob_parent_whole(by, &shift);
	if (top)
		iob_layout_tell(&mapping_layout, true);
	if (!top || bio->bi_iter.bi_size < SECTOR_SIZE)
		return false;
	iob_origin_begin(o);
	got = iob_bio_ctx_slice(o, top, by->bi_iter.bi_sector + shift, SECTOR_SIZE);
	if (got)
		iob_origin_stretch(o, bio->bi_iter.bi_size - got);
	else
		iob_origin_free(o);
	return got;
}

static const struct iob_bio_kind dm_bio_thin_discard = {
	.name = "dm-thin discard",
	.find_parent = dm_thin_discard_parent,
};

/* These end no bios, but copies; they are told by the function that is called then. */
static const struct iob_bio_kind dm_copy_snapshot = { .name = "dm-snapshot copy" };
static const struct iob_bio_kind dm_copy_thin = { .name = "dm-thin copy" };
static const struct iob_bio_kind dm_copy_mirror = { .name = "dm-mirror write" };

/* The bio that waits for dm-snapshot; NULL: none.  @there: false if that cannot be read. */
static const struct bio *dm_snapshot_bio(const void *pending, bool *there)
{
	const struct bio *bio = NULL;

	*there = iob_dm_first_bio(pending, pending_layout.at[PENDING_ORIGIN], &bio);
	if (*there && !bio)
		*there = iob_dm_first_bio(pending, pending_layout.at[PENDING_SNAPSHOT], &bio);
	return *there ? bio : NULL;
}

/* The same of dm-thin, which copies only for a bio that waits. */
static const struct bio *dm_thin_bio(const void *mapping, bool *there)
{
	const struct bio *bio = NULL;
	const void *cell;

	*there = iob_dm_pointer(mapping, mapping_layout.at[MAPPING_CELL], &cell) &&
		 iob_dm_bio(cell, cell_layout.at[0], &bio) && bio;
	return *there ? bio : NULL;
}

/*
 * The bio for which a target wants a copy, and that is a part of @whole; NULL: none, or it is
 * not known.
 */
static const struct bio *dm_waiting_bio(unsigned long fn, const void *context,
					const struct bio **whole, u64 *shift)
{
	const struct iob_bio_kind *kind = iob_bio_kind_by(fn);
	struct iob_layout *by, *second = NULL;
	const struct bio *bio = NULL;
	bool there = false;

	if (kind == &dm_copy_snapshot) {
		by = &pending_layout;
	} else if (kind == &dm_copy_thin) {
		by = &mapping_layout;
		second = &cell_layout;
	} else {
		return NULL;
	}
	if (iob_layout_is_bad(by) || (second && iob_layout_is_bad(second)))
		return NULL;
	bio = second ? dm_thin_bio(context, &there) : dm_snapshot_bio(context, &there);
	*whole = bio ? iob_parent_whole(bio, shift) : NULL;
	if (*whole || !there) {
		iob_layout_tell(by, there);
		if (second)
			iob_layout_tell(second, there);
	}
	return *whole ? bio : NULL;
}

/* (client, from or NULL for zeroes, nr, to, flags, fn, context) */
static void dm_copy_entered(struct pt_regs *regs)
{
	const struct dm_io_region *from = iob_arg_ptr(regs, 1), *to = iob_arg_ptr(regs, 3);
	unsigned int i, nr = (u32)iob_arg(regs, 2);
	const struct bio *bio, *whole = NULL;
	u64 shift = 0, sector = 0;

	bio = dm_waiting_bio(iob_arg(regs, 5), iob_seventh_argument(regs), &whole, &shift);
	if (bio)
		sector = bio->bi_iter.bi_sector + shift;
	if (from)
		dm_note_copy(from, whole, sector);
	for (i = 0; i < nr; i++)
		dm_note_copy(&to[i], whole, sector);
}

/* What is noted for a region, once. */
static u64 dm_noted(const struct dm_io_region *r, unsigned int what)
{
	return iob_assoc_take(&dm_assoc_copy, r->bdev, (r->sector << 1) + what);
}

/* The acts that pay for the waiting bio pay for all of the copy.  Return: its bytes. */
static u32 dm_add_waiting(struct iob_origin *o, const struct dm_io_region *r)
{
	const struct bio *bio = (void *)(unsigned long)dm_noted(r, WAITING_BIO);
	u32 got;

	if (!bio)
		return 0;
	got = iob_bio_ctx_slice(o, bio, dm_noted(r, WAITING_SECTOR), SECTOR_SIZE);
	if (!got)
		return 0;
	iob_origin_inherit(o);
	iob_origin_stretch(o, (r->count << SECTOR_SHIFT) - got);
	return r->count << SECTOR_SHIFT;
}

/* The acts that pay for a bio that a target has.  Return: its bytes. */
static u32 dm_add_bio(struct iob_origin *o, const struct bio *bio)
{
	u64 shift;
	const struct bio *whole = iob_parent_whole(bio, &shift);

	return whole ? iob_bio_ctx_slice(o, whole, bio->bi_iter.bi_sector + shift,
					 bio->bi_iter.bi_size) : 0;
}

/* The bio whose bytes, sector by sector, a request to dm_io() is about; or NULL. */
static const struct bio *dm_bio_of(const struct dm_io_request *rq)
{
	if (rq->mem.type == DM_IO_BIO)
		return rq->mem.ptr.bio;
	/* a discard of dm-mirror's has no memory */
	if (iob_bio_kind_by((unsigned long)rq->notify.fn) == &dm_copy_mirror)
		return rq->notify.context;
	return NULL;
}

/* (request, nr, where, ...): all that is submitted is submitted before it returns */
static void dm_io_entered(struct pt_regs *regs)
{
	const struct dm_io_request *rq = iob_arg_ptr(regs, 0);
	const struct dm_io_region *where = iob_arg_ptr(regs, 2);
	struct iob_task *t = iob_task_get();
	u32 nr = (u32)iob_arg(regs, 1);
	const struct bio *bio;
	struct dm_state *d;

	if (!t)
		return;
	d = iob_task_part_of(t, &dm_part);
	d->call.ret = 0;
	if (!nr || !where->count || !READ_ONCE(iob_has_parents))
		return;
	iob_origin_free(&d->origin);
	iob_origin_begin(&d->origin);
	bio = dm_bio_of(rq);
	d->bytes = bio ? dm_add_bio(&d->origin, bio) :
			 dm_add_waiting(&d->origin, where);
	if (!d->bytes)
		return;
	d->where = where;
	d->nr = nr;
	d->call = iob_call_at(regs);
}

/* Where in a region a bio is, in bytes; false if it is not in it. */
static bool dm_region_has(const struct dm_io_region *r, const struct bio *bio, u64 *pos)
{
	u64 sector = bio->bi_iter.bi_sector - r->sector - get_start_sect(r->bdev);

	*pos = sector << SECTOR_SHIFT;
	return r->bdev->bd_disk == iob_bio_disk(bio) && sector < r->count;
}

/* Whether dm_io() has not returned; the regions are there as long as that. */
static noinline_for_stack bool dm_is_calling(struct dm_state *d)
{
	struct iob_stack stack IOB_UNINIT;

	/* (the call was in another session) */
	if (!d->call.ret)
		return false;
	iob_stack_get(&stack, NULL);
	if (iob_stack_has(&stack, d->call.ret))
		return true;
	d->call.ret = 0;
	return false;
}

/* struct iob_parent_ops.find: the bios that dm_io() submits */
static bool dm_find_parent(struct iob_origin *o, const struct bio *bio)
{
	struct iob_task *t = in_task() ? iob_task_peek(current) : NULL;
	u32 size = bio->bi_iter.bi_size;
	struct dm_state *d;
	unsigned int i;
	u64 pos;

	if (!t || !size)
		return false;
	d = iob_task_part_of(t, &dm_part);
	/* (iob_task_get() renews what is left of an earlier session) */
	if (!d->call.ret || !iob_task_get() || !dm_is_calling(d))
		return false;
	for (i = 0; i < d->nr; i++) {
		if (!dm_region_has(&d->where[i], bio, &pos) ||
		    pos + size > d->bytes)
			continue;
		if (iob_origin_slice(o, &d->origin, pos, size))
			return true;
		iob_origin_free(o);
	}
	return false;
}

/* (clone): the bios of a request that was made from another one are thrown away */
static void dm_unprep_entered(struct pt_regs *regs)
{
	iob_rq_unmap(iob_arg_ptr(regs, 0));
}

static const struct iob_parent_ops dm_parent_ops = {
	.find = dm_find_parent,
};

static int dm_init(void)
{
	return iob_parent_ops_add(&dm_parent_ops);
}

/*
 * The functions that are told when a copy is done.  Other modules have such names, too, so the
 * module is named.  @twin has a function of the same name: both may be built in.
 */
#define DM_END(mod, config, twin, func, ended)	{				\
	.name = mod ":" func, .kind = IOB_HOOK_ADDRESS, .phase = IOB_HOOK_LOADED, \
	.bio_kind = ended, IOB_IN_MODULE(mod, config),				\
	.sole = !IS_BUILTIN(twin), .impact = "which acts pay when " mod " copies", \
}

static const struct iob_hook dm_table[] = {
	IOB_HOOK_END_IN("dm_crypt", CONFIG_DM_CRYPT, "crypt_endio", &dm_bio_crypt,
			"which acts pay when dm-crypt writes"),
	IOB_HOOK_FUNC("blk_rq_unprep_clone", dm_unprep_entered,
		      "that requests of multipath's were refused: they count as lost"),
	DM_END("dm_snapshot", CONFIG_DM_SNAPSHOT, CONFIG_DM_VDO, "copy_callback",
	       &dm_copy_snapshot),
	DM_END("dm_thin_pool", CONFIG_DM_THIN_PROVISIONING, CONFIG_DM_CACHE, "copy_complete",
	       &dm_copy_thin),
	DM_END("dm_thin_pool", CONFIG_DM_THIN_PROVISIONING, 0, "passdown_endio",
	       &dm_bio_thin_discard),
	DM_END("dm_mirror", CONFIG_DM_MIRROR, 0, "write_callback", &dm_copy_mirror),
	IOB_HOOK_FUNC_IN("dm_mod", CONFIG_BLK_DEV_DM, "dm_kcopyd_copy", dm_copy_entered,
			 "which acts pay when device mapper copies"),
	IOB_HOOK_FUNC_IN("dm_mod", CONFIG_BLK_DEV_DM, "dm_io", dm_io_entered,
			 "which acts pay when device mapper copies and mirrors"),
};

static IOB_HOOK_LIST(dm_hooks, dm_table);

IOB_PROVIDER(dm) = {
	.hooks = &dm_hooks,
	.part = { &dm_part },
	.layout = { &crypt_layout, &pending_layout, &mapping_layout, &cell_layout },
	.assoc = { &dm_assoc_copy },
	.init = dm_init,
};

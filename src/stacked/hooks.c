// SPDX-License-Identifier: GPL-2.0
/*
 * Disks that are made of others, or of files, and do not just pass bios on:
 * raid456, some targets of device mapper, and loop.
 *
 * Context: the entry of functions, preemption off.  join_stripe runs in whoever
 * gives the upper disk its IO, interrupts maybe off, change_loop in who does an ioctl of
 * a loop device, add_swap in who calls swapon
 * (and in others) under swap_lock; unmap in whoever runs multipath's queue or ends its
 * requests, interrupts maybe off; dm_io and dm_kcopyd_copy in workers and in whoever
 * gives the upper disk its IO, where they may sleep; the others in the loop device's
 * worker.
 */
#include <linux/bio.h>

#include <compat/loop.h>

#include "dm.h"
#include "io/parent.h"
#include "io/request.h"
#include "loop.h"
#include "raid5.h"
#include "hooks/table.h"

/* (stripe, bio, disk, whether it is a write, ...) */
static void join_stripe(struct pt_regs *regs)
{
	iob_raid5_join((void *)regs_get_kernel_argument(regs, 0),
			(void *)regs_get_kernel_argument(regs, 1),
			regs_get_kernel_argument(regs, 2),
			(int)regs_get_kernel_argument(regs, 3));
}

/* (clone) */
static void unmap(struct pt_regs *regs)
{
	iob_rq_unmap((void *)regs_get_kernel_argument(regs, 0));
}

/* (rq, nr, where, ...) */
static void does_dm_io(struct pt_regs *regs)
{
	struct iob_call call = iob_call_at(regs);

	iob_dm_io((void *)regs_get_kernel_argument(regs, 0),
		    (u32)regs_get_kernel_argument(regs, 1),
		    (void *)regs_get_kernel_argument(regs, 2), &call);
}

/* (client, from, nr, to, flags, fn, context) */
static void copies(struct pt_regs *regs)
{
	iob_dm_begin((void *)regs_get_kernel_argument(regs, 1),
		       (u32)regs_get_kernel_argument(regs, 2),
		       (void *)regs_get_kernel_argument(regs, 3),
		       regs_get_kernel_argument(regs, 5),
		       iob_stack_argument(regs, 0));
}

#ifdef IOB_LOOP_LIST
/* (loop, rq, ...); the compiler may pass the loop as two of its members */
static void free_loop(struct pt_regs *regs)
{
	struct iob_call call;

	if (!READ_ONCE(iob_parent_workers))
		return;
	call = iob_call_at(regs);
	iob_loop_discard((void *)regs_get_kernel_argument(regs, 1),
			 (void *)regs_get_kernel_argument(regs, 2), &call);
}
#else
static void work_loop(struct pt_regs *regs)
{
	struct iob_call call = iob_call_at(regs);

	iob_loop_work(iob_loop_rq(regs), &call);
}
#endif

static noinline void request_loop(struct pt_regs *regs)
{
	struct iob_call call = iob_call_at(regs);

	iob_loop_begin(blk_mq_rq_from_pdu((void *)
					  regs_get_kernel_argument(regs, 1)),
		       regs_get_kernel_argument(regs, 2), &call);
}

/* What is called by anybody, or for loop devices that nobody follows. */
static __always_inline bool is_nobodys(struct pt_regs *regs)
{
	return !READ_ONCE(iob_parent_workers) || !(current->flags & PF_KTHREAD);
}

IOB_OWN_OPS(requests_alone, is_nobodys);

/* (..., loop_cmd, pos, ...): the command is behind its request */
static void rw_loop(struct pt_regs *regs)
{
	if (!is_nobodys(regs))
		request_loop(regs);
}

static noinline void segment_loop(struct pt_regs *regs)
{
	const struct file *file = (void *)regs_get_kernel_argument(regs, 0);
	const loff_t *pos = (void *)regs_get_kernel_argument(regs, 2);
	struct iob_call call;

	if (!pos)
		return;
	if (!iob_loop_file_file_reaches(file)) {
		iob_loop_leave();
		return;
	}
	call = iob_call_at(regs);
	iob_loop_segment(file, (void *)regs_get_kernel_argument(regs, 1), *pos,
			 &call);
}

/* Called for each segment. */
IOB_OWN_OPS(reads_alone, is_nobodys);
IOB_OWN_OPS(writes_alone, is_nobodys);

/* (file, iter, pos, ...): of any file, by anybody */
static void iter_loop(struct pt_regs *regs)
{
	if (!is_nobodys(regs))
		segment_loop(regs);
}

/* (device, mode, command, ...): of some device, whatever the command */
static void change_loop(struct pt_regs *regs)
{
	iob_loop_file_ioctl();
}

static void add_swap(struct pt_regs *regs)
{
	iob_loop_file_swapon();
}

#define LOOP(func, probe, ops) {					\
	.name = func, .kind = IOB_HOOK_FUNCTION,				\
	.phase = IOB_HOOK_ENABLED, .entered = probe, .module = "loop",	\
	.own_ops = ops,							\
	.impact = "for whom a loop device reads and writes its file",	\
}

#define STRIPE_END(func) {						\
	.name = func, .kind = IOB_HOOK_ADDRESS,				\
	.phase = IOB_HOOK_LOADED, .end = IOB_BIO_STRIPE,		\
	.module = "raid456",						\
	.impact = "for whom raid456 reads and writes",			\
}

/* who is told when kcopyd or dm_io() is done: names that others have, too */
#define COPY_END(mod, func, what) {					\
	.name = mod ":" func, .kind = IOB_HOOK_ADDRESS,			\
	.phase = IOB_HOOK_LOADED, .end = what, .module = mod,		\
	.impact = "for whom " mod " copies",				\
}

static const struct iob_hook hooks[] = {
	{
		.name = "_enable_swap_info|add_to_avail_list",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = add_swap, .attached = iob_loop_file_sees_swapon,
		.impact = "nothing, but loop devices on a tmpfs cost more",
	}, {
		.name = "lo_ioctl",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = change_loop, .attached = iob_loop_file_sees_ioctl,
		.module = "loop",
		.impact = "nothing, but loop devices that nobody follows cost more",
	}, {
		.name = "__add_stripe_bio|add_stripe_bio",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = join_stripe, .module = "raid456",
		.impact = "for whom raid456 writes parity",
	},
	{
		.name = "blk_rq_unprep_clone",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = unmap,
		.impact = "that requests of multipath's were refused: they count as lost",
	},
	COPY_END("dm_snapshot", "copy_callback", IOB_BIO_DM_SNAP),
	COPY_END("dm_thin_pool", "copy_complete", IOB_BIO_DM_THIN),
	COPY_END("dm_thin_pool", "passdown_endio", IOB_BIO_THIN_DISCARD),
	COPY_END("dm_mirror", "write_callback", IOB_BIO_DM_MIRROR),
	{
		.name = "dm_kcopyd_copy",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = copies, .module = "dm_mod",
		.impact = "for whom device mapper copies",
	}, {
		.name = "dm_io",
		.kind = IOB_HOOK_FUNCTION, .phase = IOB_HOOK_ENABLED,
		.entered = does_dm_io, .module = "dm_mod",
		.impact = "for whom device mapper copies and mirrors",
	},
	STRIPE_END("raid5_end_write_request"),
	STRIPE_END("raid5_end_read_request"),
#ifdef IOB_LOOP_LIST
	LOOP("lo_fallocate|lo_fallocate.isra.0", free_loop, NULL),
#else
	LOOP(IOB_LOOP_WORK, work_loop, NULL),
#endif
	LOOP("lo_rw_aio|lo_rw_aio.isra.0", rw_loop, &requests_alone),
	LOOP("vfs_iter_write", iter_loop, &writes_alone),
	LOOP("vfs_iter_read", iter_loop, &reads_alone),
};

IOB_HOOK_LIST(iob_stacked_hooks, hooks);

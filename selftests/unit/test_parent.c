// SPDX-License-Identifier: GPL-2.0
/*
 * Which bio of a disk above a discard is made from, where the driver tells it only by a chain.
 */
#include <errno.h>

#include <linux/compiler.h>
#include <linux/kernel.h>

#include "test.h"

/* the real ones are not read */
#define SHIM_LINUX_SCHED_H
#define IOB_COMPAT_FILE_DISK_H
#define IOB_BLAME_BIO_KIND_H
#define IOB_IO_BIO_CTX_H

#define MKDEV(major, minor)	((dev_t)(major) << 20 | (minor))
#define SECTOR_SHIFT		9
#define PF_KTHREAD		0x00200000
#define REQ_OP_WRITE		1
#define REQ_OP_DISCARD		3
#define __read_mostly
#define WARN_ON(c)		(c)

/* --- the kernel's */

struct file;

struct gendisk {
	int major, first_minor;
};

struct bio_vec {
	u32 bv_len;
};

struct bio {
	struct {
		u64 bi_sector;
		u32 bi_size, bi_idx;
	} bi_iter;
	struct bio_vec *bi_io_vec;
	void *bi_private;
	const struct gendisk *disk;
	int op;
	bool chained;		/* to .bi_private */
};

struct task_struct {
	unsigned int flags;
	void *bio_list;
};

/* a driver is given a bio */
static struct task_struct task = { .bio_list = &task }, *current = &task;

#define bio_op(bio)			((bio)->op)
#define bio_has_data(bio)		((bio)->op == REQ_OP_WRITE)
#define bio_end_sector(bio)		((bio)->bi_iter.bi_sector + \
					 ((bio)->bi_iter.bi_size >> SECTOR_SHIFT))

/* --- compat/blkdev, blame/bio_kind, blame/share: a share is a part of the context above */

#define iob_bio_disk(bio)		((bio)->disk)
#define iob_bio_disk_sector(bio)	((bio)->bi_iter.bi_sector)
#define iob_bio_vec_done(bio)		((void)(bio), 0)
#define iob_disk_bio_based(gd)		((void)(gd), true)
#define iob_disk_is_file(gd)		((void)(gd), false)
#define iob_disk_maps_requests(gd)	((void)(gd), false)
#define iob_devs_beside(gd)		((void)(gd), false)
#define iob_bio_chained(bio)		((bio)->chained)

struct iob_origin {
	unsigned int nr, room;
	const struct bio *of;
	u32 pos, bytes;
};

struct iob_bio_kind {
	bool (*find_parent)(struct iob_origin *o, const struct bio *bio, const struct bio *whole);
};

static const struct iob_bio_kind *iob_bio_kind_of(const struct bio *bio, const struct bio **whole)
{
	while (bio->chained)
		bio = bio->bi_private;
	*whole = bio;
	return NULL;
}

#define iob_origin_begin(o)		((void)((o)->nr = 0))
#define iob_origin_free(o)		iob_origin_begin(o)
#define iob_origin_stretch(o, n)	((void)((o)->bytes += (n)))
#define iob_origin_slice(o, from, at, n) \
	(*(o) = (struct iob_origin){ .nr = 1, .of = (from)->of, .pos = (at), .bytes = (n) }, true)

/* --- io/bio_ctx: one bucket */

struct hlist_bl_node {
	struct iob_hashed_ctx *next;
};

struct hlist_bl_head {
	struct iob_hashed_ctx *first;
};

struct iob_hashed_ctx {
	struct {
		const struct bio *bio;
		u64 sector;
		u32 size;
		struct iob_origin origin;
	} f;
	struct hlist_bl_node vec_hash;
	const struct gendisk *gd;
	const struct bio_vec *vec;
	dev_t dev;
	u32 idx, done;
};

static struct hlist_bl_head bucket;
static bool iob_has_parents = true;

#define hlist_bl_empty(b)		(!(b)->first)
#define hlist_bl_for_each_entry(t, node, b, member) \
	for ((void)(node), (t) = (b)->first; (t); (t) = (t)->member.next)
#define iob_bio_ctx_vec_bucket(vec)	((void)(vec), &bucket)
#define iob_bio_ctx_dev_bucket(dev)	((void)(dev), &bucket)
#define iob_bio_ctxs_lock(b)		((void)(b), 0)
#define iob_bio_ctxs_unlock(b, flags)	((void)(b), (void)(flags))
#define iob_bio_ctx_bio(bio)		((void)(bio), (const struct bio *)NULL)

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "io/parent.c"
#pragma GCC diagnostic pop

static const struct gendisk sda = { 8, 0 }, sdb = { 8, 16 }, dm0 = { 253, 0 };

/* 1 MiB of dm-0 from sector 2048 on is discarded */
static struct bio above = {
	.bi_iter = { 2048, 1 << 20, 0 }, .disk = &dm0, .op = REQ_OP_DISCARD,
};
static struct iob_hashed_ctx of_above = {
	.f = { &above, 2048, 1 << 20, { .of = &above } }, .gd = &dm0, .dev = MKDEV(253, 0),
};

/* Who pays for @bio is @bytes of the context above, from @pos on; 0: nobody is known. */
static void pays(const char *what, const struct bio *bio, u32 pos, u32 bytes)
{
	struct iob_origin o = { .room = 1 };
	bool found;

	bucket.first = &of_above;
	found = iob_parent_find(&o, bio);
	if (found != !!bytes || (found && (o.of != &above || o.pos != pos || o.bytes != bytes)))
		fail("%s: %s, %u bytes at %u", what, found ? "found" : "not found", o.bytes, o.pos);
	if (!found && o.nr)
		fail("%s: something is left", what);
}

/* As md_submit_discard_bio() makes them, of a bio or of the front of it. */
static void chained(void)
{
	struct bio clone = above, front = above, bio;

	bio = (struct bio){
		.bi_iter = { 9000, 1 << 19, 0 }, .disk = &sda, .op = REQ_OP_DISCARD,
		.chained = true, .bi_private = &clone,
	};
	pays("a disk's part", &bio, 0, 1 << 19);
	/* the clone is the rest of it, and the front is chained to that */
	clone.bi_iter.bi_sector += 1024;
	clone.bi_iter.bi_size -= 1024 << SECTOR_SHIFT;
	pays("the rest's", &bio, 1024 << SECTOR_SHIFT, 1 << 19);
	front.bi_iter.bi_size = 1024 << SECTOR_SHIFT;
	front.chained = true;
	front.bi_private = &clone;
	bio.bi_private = &front;
	pays("the front's", &bio, 0, 1 << 19);
}

/* What is chained to something else, or to nothing. */
static void others(void)
{
	struct bio clone = above, next, bio = {
		.bi_iter = { 2048, 1 << 19, 0 }, .disk = &sda, .op = REQ_OP_DISCARD,
		.bi_private = &clone,
	};

	pays("not chained", &bio, 0, 0);
	bio.chained = true;
	/* a long discard: the next bio of the same disk, which is chained to nothing yet */
	next = (struct bio){ .bi_iter = { 3072, 1 << 19, 0 }, .disk = &sda, .op = REQ_OP_DISCARD };
	bio.bi_private = &next;
	pays("the same disk", &bio, 0, 0);
	next.disk = NULL;
	pays("no disk yet", &bio, 0, 0);
	next.disk = &sdb;
	pays("a disk without contexts", &bio, 0, 0);
	bio.bi_private = &clone;
	/* as a file system chains what it discards on several disks */
	task.bio_list = NULL;
	pays("no driver", &bio, 0, 0);
	task.bio_list = &task;
	clone.op = REQ_OP_WRITE;
	pays("a write", &bio, 0, 0);
	clone.op = REQ_OP_DISCARD;
	clone.bi_iter.bi_sector = 8192;
	pays("a place beside", &bio, 0, 0);
	clone.bi_iter.bi_sector = 2048;
	bio.bi_iter.bi_size = 0;
	pays("a flush", &bio, 0, 0);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(chained), TEST(others),
	};

	return run_tests("parent", tests, ARRAY_SIZE(tests));
}

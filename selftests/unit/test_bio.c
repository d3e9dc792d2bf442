// SPDX-License-Identifier: GPL-2.0
/*
 * When a bio ends, and what it follows then: on 5.10 chained bios end with their parent, unless that
 * was given up before it was queued.
 */
#include "fake_bio.h"

#include "io/bio_end.c"
#include "io/bio.c"

#define BYTES	4096

static struct gendisk *new_disk(bool bio_based, u64 capacity)
{
	struct gendisk *gd = calloc(1, sizeof(*gd));

	gd->bio_based = bio_based;
	gd->capacity = capacity;
	gd->queue = &gd->own;
	return gd;
}

static void bio_begin(struct bio *bio, struct gendisk *disk, struct bio *parent)
{
	memset(bio, 0, sizeof(*bio));
	bio->bi_iter.bi_size = BYTES;
	bio->disk = disk;
	bio->chained = parent;
	bio->bi_private = parent;
	if (parent)
		parent->is_parent = true;
}

static void begin(void)
{
	nr_stale = 0;
	nr_submitters = 0;
	nr_done = 0;
	done_bytes = 0;
	done_capacity = 0;
}

static void ended(const char *what, unsigned int nr, u64 capacity, unsigned int stale)
{
	if (nr_done != nr || done_bytes != (u64)nr * BYTES || done_capacity != capacity)
		fail("%s: %u IOs of %llu bytes, disks of %llu", what, nr_done, done_bytes,
		     done_capacity);
	if (nr_stale != stale)
		fail("%s: %u are stale, not %u", what, nr_stale, stale);
}

static void nothing_left(void)
{
	if (iob_bio_ctx_table.first)
		fail("a context is left");
	while (iob_bio_ctx_table.first)
		iob_bio_ctx_finish(&iob_bio_ctx_table.first->f);
}

/* xfs writes a large ioend: each bio but the last is chained to the next. */
static void chained(void)
{
	struct gendisk *dm = new_disk(true, 1000);
	struct bio bio[4];
	int i;

	begin();
	for (i = 0; i < 4; i++)
		memset(&bio[i], 0, sizeof(bio[i]));
	for (i = 0; i < 4; i++) {
		bool is_parent = i;

		bio_begin(&bio[i], dm, i < 3 ? &bio[i + 1] : NULL);
		bio[i].is_parent = is_parent;
		iob_bio_queue(&bio[i], 0, 0, 0);
	}
	iob_bio_done(&bio[3], dm->queue);
	ended("chained", 4, 4000, 0);
	nothing_left();
	free(dm);
}

/* The parent is given up, and the disk removed; then a bio is at the parent's address. */
static void given_up(void)
{
	int with_child, by_bio;

	for (with_child = 0; with_child < 2; with_child++) {
		for (by_bio = 0; by_bio < 2; by_bio++) {
			struct gendisk *dm = new_disk(true, 1000), *next = new_disk(by_bio, 30);
			struct bio child, parent = { }, later;

			begin();
			bio_begin(&child, dm, &parent);
			iob_bio_queue(&child, 0, 0, 0);
			free(dm);
			bio_begin(&parent, next, NULL);
			if (with_child) {
				bio_begin(&later, next, &parent);
				iob_bio_queue(&later, 0, 0, 0);
			}
			iob_bio_queue(&parent, 0, 0, 0);
			iob_bio_done(&parent, next->queue);
			if (!with_child)
				ended("alone", 1, 30, 1);
			else if (by_bio)
				/* nothing tells the child of the earlier bio from this one's */
				ended("with a child of its own", 3, 1060, 0);
			else
				/* its child has requests, which end it */
				ended("with a child that has requests", 2, 1030, 0);
			if (with_child && !by_bio)
				iob_bio_ctx_finish(iob_bio_ctx_find(&later));
			nothing_left();
			free(next);
		}
	}
}

/* Of a bio on a disk with requests, bytes that went to a lower disk as a piece are not its own. */
static void pieces(void)
{
	int bio_based;

	for (bio_based = 0; bio_based < 2; bio_based++) {
		struct gendisk *gd = new_disk(bio_based, 7);
		struct bio bio;

		begin();
		bio_begin(&bio, gd, NULL);
		iob_bio_queue(&bio, 0, 0, 0);
		atomic_set(&iob_bio_ctx_find(&bio)->left, BYTES / 2);
		iob_bio_done(&bio, gd->queue);
		if (done_bytes != (bio_based ? BYTES : BYTES / 2))
			fail("%llu bytes are done, %d", done_bytes, bio_based);
		nothing_left();
		free(gd);
	}
}

/*
 * A disk has several paths.  Its bio comes back from one of them and waits for another; the first
 * path is removed meanwhile, and then no path is left: the disk ends the bio itself.
 */
static void path_gone(void)
{
	int bio_based;

	for (bio_based = 0; bio_based < 2; bio_based++) {
		struct gendisk *head = new_disk(true, 1000), *path = new_disk(bio_based, 30);
		struct iob_bio_ctx *whole, *piece;
		struct bio bio;

		begin();
		bio_begin(&bio, head, NULL);
		iob_bio_queue(&bio, 0, 0, 0);
		whole = iob_bio_ctx_find(&bio);
		iob_hashed_ctx(whole)->passed = true;
		bio.disk = path;
		piece = iob_bio_ctx_make(&bio, path, &watched, 0, false);
		piece->origin.nr = 1;
		piece->origin.one.bytes = BYTES;
		iob_bio_ctx_begin(piece);
		bio.disk = head;
		free(path);
		bio.bi_status = 5;
		iob_bio_done(&bio, head->queue);
		ended("a bio without a path", 1, 30, 0);
		iob_bio_ctx_finish(whole);
		nothing_left();
		free(head);
	}
}

/* Who pays for a write is told once, whether it is held back or not. */
static void told(void)
{
	static const struct {
		int op;
		bool claimed;
		unsigned int nr;
	} cases[] = { { IOB_OP_WRITE, false, 1 }, { IOB_OP_WRITE, true, 1 }, { 0, false, 0 } };
	struct gendisk *gd = new_disk(false, 7);
	unsigned int i;
	struct bio bio;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		nr_told = 0;
		op_now = cases[i].op;
		bio_begin(&bio, gd, NULL);
		if (cases[i].claimed)
			iob_bio_claim(&bio, NULL);
		iob_bio_queue(&bio, 0, 0, 0);
		if (nr_told != cases[i].nr)
			fail("case %u: it is told of %u writes", i, nr_told);
		iob_bio_ctx_finish(iob_bio_ctx_find(&bio));
		nothing_left();
	}
	op_now = 0;
	free(gd);
}

/* A driver sends a discard to a partition of the disk below. */
static void partition(void)
{
	static const u64 begins[] = { 0, 2048 };
	unsigned int i;

	iob_has_parents = true;
	parent_known = true;
	for (i = 0; i < ARRAY_SIZE(begins); i++) {
		struct gendisk *gd = new_disk(false, 7);
		struct bio bio;

		begin();
		bio_begin(&bio, gd, NULL);
		bio.bi_iter.bi_sector = 8;
		bio.partition = begins[i];
		/* dm tells, and then, for a partition, the kernel */
		iob_bio_clone(&bio, 1, 8);
		bio.bi_iter.bi_sector += begins[i];
		bio.partition = 0;
		if (begins[i])
			iob_bio_clone(&bio, 2, 8);
		iob_bio_queue(&bio, 0, 0, 0);
		if (nr_submitters)
			fail("the submitter pays on a partition at %llu", begins[i]);
		iob_bio_done(&bio, gd->queue);
		ended("a discard", 1, 7, 0);
		nothing_left();
		free(gd);
	}
	iob_has_parents = false;
	parent_known = false;
}

/* A bio waits before the kernel knows where its partition begins, and once more after that. */
static void waits_on_partition(void)
{
	struct gendisk *gd = new_disk(false, 7);
	struct bio bio;

	begin();
	bio_begin(&bio, gd, NULL);
	bio.bi_iter.bi_sector = 8;
	bio.partition = 2048;
	iob_bio_claim(&bio, NULL);
	bio.bi_iter.bi_sector += 2048;
	bio.partition = 0;
	iob_bio_claim(&bio, NULL);
	if (nr_submitters != 1)
		fail("who pays is asked for %u times", nr_submitters);
	/* (of a worker) */
	iob_bio_queue(&bio, 0, 0, 0);
	if (nr_submitters != 1)
		fail("who queues it pays");
	iob_bio_done(&bio, gd->queue);
	ended("a bio that waited on a partition", 1, 7, 0);
	nothing_left();
	free(gd);
}

/* A bio waits for a cgroup's limit; its queueing is not seen, as the session ends. */
static void not_queued(void)
{
	struct gendisk *gd = new_disk(false, 7);
	struct bio bio;

	begin();
	bio_begin(&bio, gd, NULL);
	bio.bi_private = gd;
	iob_bio_claim(&bio, NULL);
	iob_bio_done(&bio, gd->queue);
	ended("a bio that waited", 1, 7, 0);
	if (done_issue_at)
		fail("its address is taken for a time: %llx", (unsigned long long)done_issue_at);
	nothing_left();
	free(gd);
}

/*
 * A bio with ciphertext is in the place of the file's bio; the device takes half of it at once.  The
 * rest is queued, or waits for a cgroup's limit.
 */
static void ciphertext(void)
{
	int waits;

	for (waits = 0; waits < 2; waits++) {
		struct gendisk *gd = new_disk(false, 7);
		struct bio file, cipher, front;
		struct iob_bio_ctx *f;

		begin();
		bio_begin(&file, gd, NULL);
		iob_bio_queue(&file, 0, 0, 0);
		bio_begin(&cipher, gd, NULL);
		cipher.ciphertext = true;
		cipher.bi_private = &file;
		bio_begin(&front, gd, &cipher);
		front.bi_iter.bi_size = BYTES / 2;
		cipher.bi_iter.bi_sector = BYTES / 2 >> 9;
		cipher.bi_iter.bi_size = BYTES / 2;
		iob_bio_split(&front);
		if (waits)
			iob_bio_claim(&cipher, NULL);
		iob_bio_queue(&cipher, 0, 0, 0);
		if (nr_submitters != 1 || iob_bio_ctx_find(&cipher))
			fail("the rest counts for itself, %d", waits);
		f = iob_bio_ctx_find(&front);
		if (!f || f->size != BYTES / 2 ||
		    atomic_read(&iob_bio_ctx_find(&file)->left) != BYTES / 2)
			fail("the front is not split off, %d", waits);
		if (f)
			iob_bio_ctx_finish(f);
		if (iob_bio_ctx_find(&cipher))
			iob_bio_ctx_finish(iob_bio_ctx_find(&cipher));
		/* ciphertext of a bio that was not queued is like any other */
		iob_bio_ctx_finish(iob_bio_ctx_find(&file));
		iob_bio_queue(&cipher, 0, 0, 0);
		if (nr_submitters != 2 || !iob_bio_ctx_find(&cipher))
			fail("a bio that stands for no other has no context, %d", waits);
		iob_bio_done(&cipher, gd->queue);
		nothing_left();
		free(gd);
	}
}

/* A driver sends a bio on as it is, and nobody tells; the disk below takes thirds of it. */
static void sent_on(void)
{
	struct gendisk *upper = new_disk(true, 1000), *lower = new_disk(false, 7);
	struct iob_bio_ctx *f, *whole;
	struct bio bio, front[2];
	int i;

	begin();
	bio_begin(&bio, upper, NULL);
	bio.bi_iter.bi_sector = 100;
	bio.bi_iter.bi_size = 3 * BYTES;
	iob_bio_queue(&bio, 0, 0, 0);
	whole = iob_bio_ctx_find(&bio);
	bio.disk = lower;
	bio.bi_iter.bi_sector += 16;
	for (i = 0; i < 2; i++) {
		bio_begin(&front[i], lower, &bio);
		front[i].bi_iter.bi_sector = bio.bi_iter.bi_sector;
		bio.bi_iter.bi_sector += BYTES >> SECTOR_SHIFT;
		bio.bi_iter.bi_size -= BYTES;
		/* the kernel sets this where it announces the bio */
		bio.announced = false;
		iob_bio_split(&front[i]);
		if (iob_bio_ctx_find(&front[i]))
			fail("a bio that was not announced has a context");
		bio.announced = true;
		iob_bio_split(&front[i]);
		f = iob_bio_ctx_find(&front[i]);
		if (!f) {
			fail("front %d has no context", i);
			continue;
		}
		if (f->sector != 100 + (u64)i * BYTES / 512 || f->size != BYTES ||
		    iob_bio_ctx_disk(f) != upper)
			fail("front %d is %u bytes at %llu", i, f->size, (u64)f->sector);
		iob_bio_ctx_finish(f);
	}
	if (atomic_read(&whole->left) != BYTES)
		fail("%u bytes are left", atomic_read(&whole->left));
	iob_bio_ctx_finish(whole);
	/* more than there was */
	bio.disk = upper;
	bio.bi_iter.bi_size = 2 * BYTES;
	iob_bio_queue(&bio, 0, 0, 0);
	bio.disk = lower;
	iob_bio_split(&front[0]);
	if (iob_bio_ctx_find(&front[0]))
		fail("a front that is no part of the bio has a context");
	iob_bio_ctx_finish(iob_bio_ctx_find(&bio));
	nothing_left();
	free(upper);
	free(lower);
}

/* A bio's end was not seen, and another one is at its address. */
static void end_unseen(void)
{
	struct gendisk *gd = new_disk(false, 7);
	struct iob_bio_ctx *f[2];
	struct bio bio;
	int i;

	begin();
	bio_begin(&bio, gd, NULL);
	for (i = 0; i < 2; i++) {
		f[i] = iob_bio_ctx_make(&bio, gd, &watched, 0, false);
		f[i]->origin.nr = 1;
		f[i]->origin.one.bytes = BYTES;
		iob_bio_ctx_begin(f[i]);
		if (iob_bio_ctx_find(&bio) != f[i])
			fail("%d: another context is found", i);
	}
	iob_bio_done(&bio, gd->queue);
	ended("the later bio", 1, 7, 1);
	nothing_left();
	free(gd);
}

/* A bio that may not wait is sent back: it is counted, and is no IO. */
static void sent_back(void)
{
	struct gendisk *gd = new_disk(false, 7);
	struct bio bio;
	int may_wait;

	for (may_wait = 0; may_wait < 2; may_wait++) {
		begin();
		nr_refused = 0;
		bio_begin(&bio, gd, NULL);
		iob_bio_queue(&bio, 0, 0, 0);
		iob_bio_ctx_find(&bio)->first.opf = may_wait ? 0 : REQ_NOWAIT;
		bio.bi_status = EAGAIN;
		iob_bio_done(&bio, gd->queue);
		ended("a bio that was sent back", may_wait, may_wait ? 7 : 0, 0);
		if (nr_refused != !may_wait)
			fail("%u are refused", nr_refused);
		nothing_left();
	}
	free(gd);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(chained), TEST(given_up), TEST(pieces), TEST(path_gone),
		TEST(told), TEST(partition), TEST(waits_on_partition), TEST(not_queued),
		TEST(ciphertext), TEST(sent_on), TEST(end_unseen), TEST(sent_back),
	};

	return run_tests("bio", tests, ARRAY_SIZE(tests));
}

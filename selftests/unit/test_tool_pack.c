// SPDX-License-Identifier: GPL-2.0
/*
 * What is read of a compressed file is what was written, or nothing: whatever bit is another one,
 * and wherever the file ends.
 */
#include <fcntl.h>
#include <unistd.h>

#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "pack.h"
#include "test.h"

#ifdef HAVE_ZSTD
#define ALL	(2 * PACK_FRAME + PACK_FRAME / 2)

static unsigned char truth[ALL + PACK_FRAME], image[2 * ALL], now[ALL + PACK_FRAME + 1];
static size_t length;

/* Words of some thousand kinds, as names and records are */
static void make_truth(void)
{
	size_t i;

	for (i = 0; i < sizeof(truth); i += 4)
		*(u32 *)(truth + i) = rnd(4) ? rnd(5000) : i;
}

/* Write @len bytes, @part at a time, and flush after each. */
static void make_image(size_t len, size_t part)
{
	FILE *to = fmemopen(image, sizeof(image), "w");
	struct pack *pack;
	size_t at, n;

	setvbuf(to, NULL, _IONBF, 0);
	pack = pack_writer(to);
	for (at = 0; at < len; at += n) {
		n = part < len - at ? part : len - at;
		if (fwrite(truth + at, n, 1, pack_file(pack)) != 1 || !pack_flush(pack))
			fail("cannot write");
	}
	if (!pack_end(pack, NULL))
		fail("cannot end");
	length = ftell(to);
	fclose(to);
}

struct got {
	size_t len;
	bool damaged, early;
};

static struct got read_image(size_t frame)
{
	FILE *from = fmemopen(image, length, "r");
	struct pack *pack = pack_reader(from, frame);
	struct got got = { fread(now, 1, sizeof(now), pack_file(pack)) };

	got.damaged = pack_damaged(pack);
	got.early = pack_ends_early(pack);
	pack_end(pack, NULL);
	fclose(from);
	if (memcmp(now, truth, got.len < sizeof(truth) ? got.len : sizeof(truth)))
		fail("what is read was not written");
	return got;
}

/* Frames that are full, or just not, or have one byte more; and of none at all. */
static void whole(void)
{
	static const size_t lengths[] = { 0, 1, PACK_FRAME - 1, PACK_FRAME, PACK_FRAME + 1, 2 * PACK_FRAME, ALL };
	size_t i, part;
	struct got got;

	make_truth();
	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		for (part = 65536; part <= 16 << 20; part <<= 8) {
			make_image(lengths[i], part);
			got = read_image(PACK_FRAME);
			if (got.len != lengths[i] || got.damaged || got.early)
				fail("%zu bytes of %zu, damaged %d, early %d", got.len, lengths[i],
				     got.damaged, got.early);
		}
	}
}

/* A bit is another one: no byte of its frame is given, and all of those before. */
static void one_bit(void)
{
	unsigned int round, later = 0, bit;
	struct got got;
	size_t at;

	note("seed %llu", seed());
	make_truth();
	make_image(ALL, 100000);
	for (round = 0; round < 20; round++) {
		at = rnd(length);
		bit = 1 << rnd(8);
		image[at] ^= bit;
		got = read_image(PACK_FRAME);
		if (got.len % PACK_FRAME && got.len != ALL)
			fail("%zu bytes, a part of a frame", got.len);
		if (got.len != ALL && !got.damaged && !got.early)
			fail("%zu bytes of %u, and nothing is said", got.len, ALL);
		later += got.len > 0 && got.len < ALL;
		image[at] ^= bit;
	}
	if (!later)
		fail("no frame before the damage is given");
}

/* Cut: all that was flushed before is given, and it is no damage. */
static void cut(void)
{
	size_t whole_length, before = 0;
	struct got got;

	make_truth();
	make_image(PACK_FRAME + PACK_FRAME / 2, 100000);
	whole_length = length;
	for (length = 0; length < whole_length; length += 1 + rnd(whole_length / 6)) {
		got = read_image(PACK_FRAME);
		if (got.damaged || got.len < before)
			fail("cut at %zu: %zu bytes, damaged %d", length, got.len, got.damaged);
		if (got.len && got.len + 500000 < (PACK_FRAME + PACK_FRAME / 2) * length / whole_length)
			fail("cut at %zu of %zu: only %zu bytes", length, whole_length, got.len);
		if (!got.early && got.len != PACK_FRAME)
			fail("cut at %zu: it does not end early", length);
		before = got.len;
	}
	if (before <= PACK_FRAME)
		fail("nothing of the last frame");
}

/* One frame of all, as earlier versions wrote it, and something behind it */
static void long_frame(void)
{
	struct got got;
	size_t first;

	make_truth();
	first = ZSTD_compress(image, sizeof(image), truth, ALL, 3);
	length = first + ZSTD_compress(image + first, sizeof(image) - first, truth + ALL, PACK_FRAME, 3);
	got = read_image(0);
	if (got.len != sizeof(truth) || got.damaged || got.early)
		fail("%zu bytes", got.len);
	/* a frame of the longest that is waited for, and one byte more */
	for (first = PACK_FRAME; first < PACK_FRAME + 3; first++) {
		length = ZSTD_compress(image, sizeof(image), truth, first, 3);
		length += ZSTD_compress(image + length, sizeof(image) - length, truth + first, 1000, 3);
		got = read_image(0);
		if (got.len != first + 1000 || got.damaged || got.early)
			fail("%zu bytes of %zu", got.len, first + 1000);
	}
}

/* A pipe: what was flushed is given, although no frame has ended. */
static void pipe_at_once(void)
{
	struct pack *in, *out;
	FILE *from, *to;
	int fd[2], i;

	if (pipe(fd))
		abort();
	make_truth();
	to = fdopen(fd[1], "w");
	from = fdopen(fd[0], "r");
	/* (else fread() waits for more, and it is one process here) */
	fcntl(fd[0], F_SETFL, O_NONBLOCK);
	out = pack_writer(to);
	in = pack_reader(from, PACK_FRAME);
	setvbuf(pack_file(in), NULL, _IONBF, 0);
	for (i = 0; i < 3; i++) {
		fwrite(truth + 1000 * i, 1000, 1, pack_file(out));
		pack_flush(out);
		if (fread(now, 1, 1000, pack_file(in)) != 1000 || memcmp(now, truth + 1000 * i, 1000))
			fail("part %d is not given", i);
	}
	pack_end(out, NULL);
	pack_end(in, NULL);
	fclose(to);
	fclose(from);
}
#endif

int main(void)
{
	static const struct test tests[] = {
#ifdef HAVE_ZSTD
		TEST(whole), TEST(one_bit), TEST(cut), TEST(long_frame), TEST(pipe_at_once),
#endif
	};

	return run_tests("tool_pack", tests, ARRAY_SIZE(tests));
}

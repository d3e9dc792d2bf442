// SPDX-License-Identifier: GPL-2.0
/* Records out of a stream that arrives in pieces, or is damaged. */
#include "rec.h"
#include "stream.h"
#include "test.h"

static struct iob_iolog_bin_record sample(u64 nr)
{
	struct iob_iolog_bin_record rec;

	memset(&rec, 0, sizeof(rec));
	rec.len = sizeof(rec);
	rec.ver = IOB_IOLOG_BIN_VER;
	rec.op = 'W';
	rec.sector = nr;
	return rec;
}

static void feed(struct stream *s, const void *data, size_t len)
{
	memcpy(stream_room(s, len), data, len);
	stream_added(s, len);
}

static void in_pieces(void)
{
	static unsigned char data[200 * sizeof(struct iob_iolog_bin_record)];
	unsigned int round;

	note("seed %llu", seed());
	for (round = 0; round < 200; round++) {
		struct stream s = { 0 };
		struct iob_iolog_bin_record rec;
		size_t off = 0, n;
		u64 next = 0;

		for (n = 0; n < 200; n++) {
			rec = sample(n);
			memcpy(data + n * sizeof(rec), &rec, sizeof(rec));
		}
		while (off < sizeof(data)) {
			n = 1 + rnd(700);
			if (n > sizeof(data) - off)
				n = sizeof(data) - off;
			feed(&s, data + off, n);
			off += n;
			while (stream_next(&s, &rec)) {
				if (rec.sector != next++)
					fail("record %llu is %llu", next - 1, (u64)rec.sector);
			}
		}
		if (next != 200 || s.unknown || s.broken)
			fail("%llu records", next);
		stream_free(&s);
	}
}

static void other_versions(void)
{
	struct iob_iolog_bin_record rec = sample(1);
	struct stream s = { 0 };
	unsigned char longer[sizeof(rec) + 24] = { 0 };

	/* a version to come, of any length */
	rec.ver = 2;
	rec.len = 20;
	feed(&s, &rec, 20);
	/* version 1 with something behind it */
	rec = sample(7);
	rec.len = sizeof(longer);
	memcpy(longer, &rec, sizeof(rec));
	feed(&s, longer, sizeof(longer));
	rec = sample(8);
	feed(&s, &rec, sizeof(rec));
	if (!stream_next(&s, &rec) || rec.sector != 7 || !stream_next(&s, &rec) ||
	    rec.sector != 8 || stream_next(&s, &rec) || s.unknown != 1)
		fail("sector %llu, unknown %llu", (u64)rec.sector, (u64)s.unknown);
	stream_free(&s);
}

static void nonsense(void)
{
	static const u16 lengths[] = { 0, 1, 3, 159 };
	struct iob_iolog_bin_record rec;
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		struct stream s = { 0 };

		rec = sample(1);
		rec.len = lengths[i];
		feed(&s, &rec, sizeof(rec));
		if (stream_next(&s, &rec) || s.broken != 1)
			fail("length %u is taken", lengths[i]);
		/* what comes later is read again */
		rec = sample(2);
		feed(&s, &rec, sizeof(rec));
		if (!stream_next(&s, &rec) || rec.sector != 2)
			fail("nothing after length %u", lengths[i]);
		stream_free(&s);
	}
	/* anything at all: no sanitizer complains, and it ends */
	for (n = 0; n < 2000; n++) {
		struct stream s = { 0 };
		unsigned char junk[400];

		for (i = 0; i < sizeof(junk); i++)
			junk[i] = rnd(4) ? 0 : rnd64();
		feed(&s, junk, rnd(sizeof(junk)));
		while (stream_next(&s, &rec))
			;
		stream_free(&s);
	}
}

static void times(void)
{
	struct iob_iolog_bin_record rec = sample(0);

	rec.queue_ns = 100;
	rec.issue_ns = 130;
	rec.complete_ns = 200;
	rec.dirty_ns = 50;
	if (rec_wait_ns(&rec) != 30 || rec_io_ns(&rec) != 70 ||
	    rec_total_ns(&rec) != 100 || rec_age_ns(&rec) != 150)
		fail("times");
	/* nobody has seen the issue */
	rec.issue_ns = 0;
	if (rec_has_wait(&rec) || rec_has_io(&rec) || rec_wait_ns(&rec) || rec_io_ns(&rec) ||
	    rec_total_ns(&rec) != 100)
		fail("an issue that is not known");
	/* a flush is not issued */
	rec.op = 'F';
	if (!rec_has_wait(&rec) || !rec_has_io(&rec) || rec_wait_ns(&rec) || rec_io_ns(&rec) != 100)
		fail("a flush");
	rec.op = 'W';
	/* a device without requests */
	rec.hwq = 0xffff;
	if (rec_wait_ns(&rec) != 0 || rec_io_ns(&rec) != 100 || !rec_has_wait(&rec) ||
	    !rec_has_io(&rec))
		fail("without issue");
	rec.queue_ns = 0;
	if (rec_has_wait(&rec) || rec_has_io(&rec))
		fail("nothing is known");
	rec.issue_ns = 130;
	if (rec_has_wait(&rec) || !rec_has_io(&rec) || rec_io_ns(&rec) != 70)
		fail("the issue alone is known");
	rec.queue_ns = 100;
	/* never a huge number from a clock that went back */
	rec.complete_ns = 90;
	rec.dirty_ns = 0;
	if (rec_io_ns(&rec) || rec_total_ns(&rec) || rec_age_ns(&rec))
		fail("backwards");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(in_pieces), TEST(other_versions), TEST(nonsense), TEST(times),
	};

	return run_tests("tool_rec", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/* The reel against a list: it has the latest chunks, whole and in their order. */
#include "reel.h"
#include "test.h"

enum {
	RECORD = 160,
};

static unsigned char bytes[256 << 10];

/* Whole records, numbered from @first on. */
static size_t fill(unsigned int first, unsigned int nr)
{
	uint16_t len = RECORD;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		memset(bytes + i * RECORD, first + i, RECORD);
		memcpy(bytes + i * RECORD, &len, sizeof(len));
		memcpy(bytes + i * RECORD + 4, &(unsigned int){ first + i }, sizeof(first));
	}
	return (size_t)nr * RECORD;
}

static unsigned int number_at(const struct reel_chunk *c, size_t at)
{
	unsigned int nr;

	memcpy(&nr, c->bytes + at + 4, sizeof(nr));
	return nr;
}

/* The numbers follow each other up to @last.  Return: how many there are. */
static unsigned int check(struct reel *r, unsigned int last)
{
	unsigned int nr = 0, next = 0;
	struct reel_chunk c;
	size_t at;

	for (; reel_peek(r, &c); reel_pop(r)) {
		if (!c.len || c.len % RECORD)
			fail("a chunk has %zu bytes", c.len);
		for (at = 0; at < c.len; at += RECORD, nr++) {
			if (nr && number_at(&c, at) != next)
				fail("%u follows %u", number_at(&c, at), next - 1);
			next = number_at(&c, at) + 1;
			if (c.bytes[at + RECORD - 1] != (unsigned char)(next - 1))
				fail("record %u is damaged", next - 1);
		}
	}
	if (nr && next != last)
		fail("it ends with %u, not %u", next, last);
	return nr;
}

/* Chunks of any size, with readers at any time. */
static void wraps(void)
{
	unsigned int turn, i, nr, next, had, kept = 0;
	size_t len, added;
	struct reel r;

	for (turn = 0; turn < 200; turn++) {
		if (!reel_begin(&r, REEL_LEAST + rnd(100000))) {
			fail("no memory");
			return;
		}
		next = 0;
		added = 0;
		for (i = 0; i < 1 + rnd(300); i++) {
			nr = 1 + rnd(rnd(10) ? 40 : sizeof(bytes) / RECORD - 1);
			len = fill(next, nr);
			reel_add(&r, i, bytes, len);
			next += nr;
			added += len;
			if (r.head - r.tail > r.size)
				fail("it has more than its size");
		}
		had = check(&r, next);
		if ((uint64_t)had * RECORD + r.dropped != added)
			fail("%u records and %llu bytes dropped, of %zu", had, (u64)r.dropped,
			     added);
		/* less than half is lost to the ends */
		if (r.dropped && (size_t)had * RECORD < r.size / 2)
			fail("%u records in %zu bytes", had, r.size);
		kept += had;
		reel_end(&r);
	}
	note("%u records kept, seed %llu", kept, seed());
}

/* Something is read while more is added: a moment across the end of the memory. */
static void across(void)
{
	unsigned int next = 0, want = 0, i;
	struct reel_chunk c;
	struct reel r;
	size_t at;

	reel_begin(&r, REEL_LEAST);
	for (i = 0; i < 5000; i++) {
		unsigned int nr = 1 + rnd(30);

		reel_add(&r, i, bytes, fill(next, nr));
		next += nr;
		while (rnd(4) && reel_peek(&r, &c)) {
			for (at = 0; at < c.len; at += RECORD, want++) {
				if (number_at(&c, at) < want)
					fail("%u comes twice", number_at(&c, at));
				want = number_at(&c, at);
			}
			reel_pop(&r);
		}
	}
	check(&r, next);
	reel_clear(&r);
	if (reel_peek(&r, &c))
		fail("it is cleared, and has something");
	reel_add(&r, 1, bytes, fill(7, 3));
	if (check(&r, 10) != 3)
		fail("what comes after is not kept");
	reel_end(&r);
}

/* Bytes that are no records, and a reel that keeps nothing. */
static void no_records(void)
{
	struct reel none = { 0 }, r;
	struct reel_chunk c;

	reel_add(&none, 1, bytes, fill(0, 5));
	if (reel_peek(&none, &c))
		fail("a reel without memory keeps something");
	reel_begin(&r, REEL_LEAST);
	memset(bytes, 0, sizeof(bytes));
	reel_add(&r, 1, bytes, sizeof(bytes));
	memset(bytes, 0xff, sizeof(bytes));
	reel_add(&r, 1, bytes, sizeof(bytes));
	if (reel_peek(&r, &c) || r.dropped != 2 * sizeof(bytes))
		fail("bytes that are no records are kept, or not counted");
	reel_add(&r, 1, bytes, 0);
	if (reel_peek(&r, &c))
		fail("nothing is kept");
	reel_end(&r);
}

int main(void)
{
	static const struct test tests[] = { TEST(wraps), TEST(across), TEST(no_records) };

	return run_tests("daemon_reel", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/* What `trace` is made of: pages of the kernel's trace buffer, block events, records by place. */
#include "blkevent.h"
#include "origins.h"
#include "rec.h"
#include "ring.h"
#include "test.h"

/* As events/header_page of a kernel with pages of 4096 bytes */
static const char header[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char format[] =
	"name: block_rq_issue\nID: 1187\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n"
	"\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:char rwbs[8];\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc char[] cmd;\toffset:56;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"%d,%d %s %u (%s) field:dev_t dev;\"\n";

static unsigned char page[4096];
static size_t used;

static void put_word(uint32_t word)
{
	memcpy(page + used, &word, 4);
	used += 4;
}

static void begin_page(uint64_t ns)
{
	memset(page, 0, sizeof(page));
	memcpy(page, &ns, 8);
	used = 16;
}

static void end_page(uint64_t flags)
{
	uint64_t commit = (used - 16) | flags;

	memcpy(page + 8, &commit, 8);
}

static uint64_t seen[16];
static uint32_t first[16];
static size_t bytes[16];
static unsigned int nr_seen;

static void see(uint64_t ns, const unsigned char *data, size_t len, void *arg)
{
	(void)arg;
	if (nr_seen == 16)
		return;
	seen[nr_seen] = ns;
	bytes[nr_seen] = len;
	memcpy(&first[nr_seen++], data, 4);
}

/* All that a page may have: small and large events, padding, times. */
static void pages(void)
{
	static const uint64_t ns[] = { 1005, 1012, 1012 + (3ULL << 27) + 1, 0x5555 };
	struct ring_format f;
	unsigned int i;

	if (!ring_parse_format(&f, header) || f.page != 4096 || f.data != 16 || f.commit != 8)
		fail("the head of a page");
	begin_page(1000);
	put_word(5 << 5 | 2);		/* 8 bytes */
	put_word(111);
	put_word(0);
	put_word(4 << 5 | 29);		/* discarded: 4 bytes behind its length */
	put_word(4);
	put_word(3 << 5 | 0);		/* its length follows, and counts itself */
	put_word(12);
	put_word(222);
	put_word(0);
	put_word(1 << 5 | 30);		/* 3 << 27 | 1 later */
	put_word(3);
	put_word(0 << 5 | 1);
	put_word(333);
	put_word((0x5555 & 0x7ffffff) << 5 | 31);	/* a time */
	put_word(0);
	put_word(0 << 5 | 1);
	put_word(444);
	put_word(29);			/* nothing more */
	put_word(0);
	end_page(1ULL << 31);		/* events were missed before */
	nr_seen = 0;
	if (!ring_each(&f, page, sizeof(page), see, NULL) || nr_seen != 4)
		fail("%u events of a page", nr_seen);
	for (i = 0; i < 4; i++) {
		if (seen[i] != ns[i] || first[i] != (i + 1) * 111)
			fail("event %u is %u at %llu", i, first[i], (unsigned long long)seen[i]);
	}
	if (bytes[0] != 8 || bytes[1] != 8 || bytes[2] != 4)
		fail("bytes of events");
}

/* Damaged pages end, and nothing beyond them is read. */
static void damaged_pages(void)
{
	unsigned char *copy;
	struct ring_format f;
	size_t len, i;
	int n;

	ring_parse_format(&f, header);
	for (n = 0; n < 20000; n++) {
		len = rnd(sizeof(page));
		copy = malloc(len ? len : 1);
		for (i = 0; i < len; i++)
			copy[i] = rnd(4) ? rnd(256) : 0;
		if (len > 16 && rnd(2)) {
			copy[8] = len - 16;
			copy[9] = (len - 16) >> 8;
			copy[10] = 0;
		}
		nr_seen = 0;
		ring_each(&f, copy, len, see, NULL);
		free(copy);
	}
	if (ring_parse_format(&f, "") || ring_parse_format(&f, "\tfield: u64 timestamp;\n"))
		fail("an empty header");
}

static void decodes(void)
{
	struct blkevent_format f[NR_BLKEVENTS] = { 0 };
	unsigned char data[60] = { 0xa3, 0x04 };	/* 1187 */
	uint64_t sector = 4000000000ULL;
	struct blkevent e;
	size_t len;

	if (!blkevent_parse_format(&f[EV_block_rq_issue], format))
		fail("the format");
	memcpy(data + 4, &(uint32_t){ 77 }, 4);
	memcpy(data + 8, &(uint32_t){ 8 << 20 | 1 }, 4);
	memcpy(data + 16, &sector, 8);
	memcpy(data + 24, &(uint32_t){ 16 }, 4);
	memcpy(data + 32, "WFSM\0xx", 8);
	memcpy(data + 40, "0123456789abcdef", 16);
	if (!blkevent_decode(&e, f, data, sizeof(data)) || e.kind != EV_block_rq_issue ||
	    e.pid != 77 || e.dev != (8 << 20 | 1) || e.sector != sector || e.sectors != 16 ||
	    strcmp(e.rwbs, "WFSM") || memcmp(e.comm, "0123456789abcdef", 16) || e.other_dev)
		fail("an event is decoded wrongly");
	/* cut anywhere: what is not there is 0 */
	for (len = 0; len < sizeof(data); len++) {
		unsigned char *copy = malloc(len ? len : 1);

		memcpy(copy, data, len);
		blkevent_decode(&e, f, copy, len);
		free(copy);
	}
	data[0] = 0;
	if (blkevent_decode(&e, f, data, sizeof(data)))
		fail("an event of another number");
	if (blkevent_parse_format(&f[0], "name: x\nformat:\n"))
		fail("a format without number");
}

static void acts(void)
{
	static const struct {
		const char *acts, *rwbs;
		int kind;
		bool in;
	} cases[] = {
		{ "issue", "W", EV_block_rq_issue, true },
		{ "issue", "W", EV_block_rq_insert, false },
		{ "D,C", "R", EV_block_bio_complete, true },
		{ "complete,complete", "R", EV_block_rq_complete, true },
		{ "merge", "R", EV_block_bio_frontmerge, true },
		{ "read", "RA", EV_block_rq_issue, true },
		{ "write", "RA", EV_block_rq_issue, false },
		{ "ahead", "RA", EV_block_rq_issue, true },
		{ "flush", "FF", EV_block_rq_issue, true },
		{ "flush", "FWFS", EV_block_rq_issue, true },
		{ "flush", "WFS", EV_block_rq_issue, false },
		{ "fua", "WFS", EV_block_rq_issue, true },
		{ "fua", "FWS", EV_block_rq_issue, false },
		{ "write", "FWS", EV_block_rq_issue, true },
		{ "discard", "DS", EV_block_rq_issue, true },
		{ "sync,meta", "WM", EV_block_rq_issue, true },
		{ "queue,read", "R", EV_block_rq_issue, true },
		{ "read", "", EV_block_plug, false },
	};
	uint32_t bits;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct blkevent e = { .kind = cases[i].kind };

		bits = 0;
		strcpy(e.rwbs, cases[i].rwbs);
		if (!blkevent_parse_acts(cases[i].acts, &bits))
			fail("'%s' is refused", cases[i].acts);
		if (blkevent_is_in(&e, bits) != cases[i].in)
			fail("%s of '%s'", cases[i].acts, cases[i].rwbs);
	}
	bits = 0;
	if (blkevent_parse_acts("nosuch", &bits) || blkevent_parse_acts("", &bits) ||
	    blkevent_parse_acts("issue,,read", &bits))
		fail("unknown words");
}

static void add(struct origins *o, uint64_t sector, uint32_t len, uint64_t from, uint64_t to,
		int id)
{
	struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .disk = 8 << 20, .sector = sector, .bytes = len, .queue_ns = from,
		.complete_ns = to, .id = id, .sub_pid = id,
	};

	origins_add(o, &rec);
}

static int who(const struct origins *o, uint64_t sector, uint64_t sectors, uint64_t ns,
	       uint64_t slack, unsigned int *others)
{
	struct origins_query q = {
		.disk = 8 << 20, .sector = sector, .sectors = sectors, .ns = ns, .slack_ns = slack,
	};
	struct origins_found found;

	origins_find(o, &q, &found);
	if (others)
		*others = found.others;
	return found.rec ? found.rec->id : 0;
}

static void finds(void)
{
	struct origins o = { 0 };
	unsigned int others;
	uint64_t i;

	add(&o, 0, 4096, 10, 20, 1);
	add(&o, 0, 4096, 30, 40, 2);
	add(&o, 8, 4096, 30, 40, 3);
	/* across two places, and over very many */
	add(&o, 2040, 8192, 30, 40, 4);
	add(&o, 1 << 20, 1U << 31, 30, 40, 5);
	add(&o, 0, 0, 50, 60, 6);
	if (who(&o, 4, 1, 15, 0, NULL) != 1 || who(&o, 4, 1, 33, 0, NULL) != 2)
		fail("by time");
	if (who(&o, 4, 1, 25, 0, NULL) || who(&o, 4, 1, 27, 5, NULL) != 2 ||
	    who(&o, 4, 1, 23, 5, NULL) != 1)
		fail("beside the time");
	if (who(&o, 0, 16, 35, 0, &others) != 2 || others != 1)
		fail("of two originators");
	if (who(&o, 2050, 1, 35, 0, NULL) != 4 || who(&o, 2047, 4, 35, 0, &others) != 4 || others)
		fail("across two places");
	if (who(&o, (1 << 20) + 3000000, 8, 35, 0, NULL) != 5)
		fail("a large one");
	if (who(&o, 0, 0, 55, 0, NULL) != 6 || who(&o, 4, 1, 55, 0, NULL))
		fail("a flush");
	/* many, most of which are forgotten */
	for (i = 0; i < 10000; i++)
		add(&o, i * 8, 4096, 1000 + i, 1001 + i, 7 + i);
	origins_forget(&o, 10000);
	if (o.nr != 1001 || who(&o, 9500 * 8, 8, 10500, 0, NULL) != 7 + 9500 ||
	    who(&o, 4, 1, 15, 0, NULL))
		fail("after forgetting, of %zu", o.nr);
	origins_clear(&o);
}

/*
 * Many IOs of one sector: IO i takes 5 ns from 10 * i on, and each 100th one (from 1000 to 5000) is
 * slow: it is complete behind 500 others. Its record, of another CPU, may yet come before theirs.
 */
static void finds_slow_ones(void)
{
	struct origins o = { 0 };
	uint64_t i, slow;

	for (i = 0; i < 3000; i++) {
		if (i % 100)
			add(&o, 8, 4096, 10 * i, 10 * i + 5, i + 1);
		/* of every second slow one the record comes 20 IOs behind its beginning */
		slow = i % 100 ? i - 20 : i - 500;
		if (i >= 500 && slow % 100 == 0 && slow % 200 == (i % 100 ? 0 : 100))
			add(&o, 8, 4096, 10 * slow, 10 * slow + 5005, slow + 1);
	}
	for (i = 600; i < 2400; i++) {
		/* the newest of those in whose time it falls */
		if (who(&o, 8, 8, 10 * i + 3, 0, NULL) != (int)i + 1)
			fail("IO %llu is found as %d", (unsigned long long)i,
			     who(&o, 8, 8, 10 * i + 3, 0, NULL));
		slow = i / 100 * 100;
		if (who(&o, 8, 8, 10 * i + 7, 0, NULL) != (int)slow + 1)
			fail("the slow IO %llu is found at %llu as %d", (unsigned long long)slow,
			     (unsigned long long)i, who(&o, 8, 8, 10 * i + 7, 0, NULL));
	}
	origins_clear(&o);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(pages), TEST(damaged_pages), TEST(decodes), TEST(acts), TEST(finds),
		TEST(finds_slow_ones),
	};

	return run_tests("tool_trace", tests, ARRAY_SIZE(tests));
}

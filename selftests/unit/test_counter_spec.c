// SPDX-License-Identifier: GPL-2.0
/* "DIR FIELD B0 .. B8": what is taken, what is not, and the slots. */
#include "io/counter_spec.h"
#include "test.h"

#define MAX_U64	"18446744073709551615"

/* What is written, and what it reads back as (NULL: the same). */
static const struct {
	const char *text, *back;
} good[] = {
	/* the examples of the 2011 document */
	{ "RA offset 0 8192 16384 24576 32768 40960 49152 57344 0" },
	{ "RA offset 0 4096 8192 12288 16384 20480 24576 28672 32768" },
	{ "RA offset 32768 36864 40960 45056 49152 53248 57344 61440 0" },
	{ "RAW io_time 10000 25000 50000 100000 500000 1000000 2500000 "
	  "\t\t\t\t\t\t\t5000000 0",
	  "RAW io_time 10000 25000 50000 100000 500000 1000000 2500000 "
	  "5000000 0" },
	{ "", "--- disabled" },
	{ "\n", "--- disabled" },

	{ " \t\r\n\v\f", "--- disabled" },
	{ "--- disabled" },
	{ "\t---  disabled\n", "--- disabled" },
	{ "R size 1 2 3 4 5 6 7 8 9" },
	{ "A wait_time 1 2 3 4 5 6 7 8 9" },
	{ "W seek_dist 1 2 3 4 5 6 7 8 9" },
	{ "D age 1 2 3 4 5 6 7 8 9" },
	{ "F total_time 1 2 3 4 5 6 7 8 9" },
	{ "RAWDF size 1 2 3 4 5 6 7 8 9" },
	{ "FDWAR size 1 2 3 4 5 6 7 8 9", "RAWDF size 1 2 3 4 5 6 7 8 9" },
	{ "RRWWR size 1 2 3 4 5 6 7 8 9", "RW size 1 2 3 4 5 6 7 8 9" },
	{ "\n R\tsize 1 2 3 4 5 6 7 8 9 \r\n", "R size 1 2 3 4 5 6 7 8 9" },
	{ "R size 0x1 0X2 3 4 5 6 7 8 0xfF", "R size 1 2 3 4 5 6 7 8 255" },
	/* equal boundaries, B8 equal or without limit */
	{ "R size 5 5 5 5 5 5 5 5 5" },
	{ "R size 0 0 0 0 0 0 0 0 0" },
	{ "R size 5 5 5 5 5 5 5 5 0" },
	{ "R size 5 5 5 5 5 5 5 5 0x0", "R size 5 5 5 5 5 5 5 5 0" },
	{ "R size 0 0 0 0 0 0 0 0 1" },
	{ "R size 0 1 2 3 4 5 6 7 7" },
	{ "R size 0 1 2 3 4 5 6 " MAX_U64 " " MAX_U64 },
	{ "RAWDF total_time " MAX_U64 " " MAX_U64 " " MAX_U64 " " MAX_U64 " "
	  MAX_U64 " " MAX_U64 " " MAX_U64 " " MAX_U64 " " MAX_U64 },
};

static const char * const bad[] = {
	"0", "R", "R size", "size 1 2 3 4 5 6 7 8 9", "none", "-", "---",
	"--- disabled x", "--- disable", "---disabled", "--- size",
	/* DIR */
	"r size 1 2 3 4 5 6 7 8 9",
	"X size 1 2 3 4 5 6 7 8 9",
	"RX size 1 2 3 4 5 6 7 8 9",
	"R,W size 1 2 3 4 5 6 7 8 9",
	"R W size 1 2 3 4 5 6 7 8 9",
	"- size 1 2 3 4 5 6 7 8 9",
	"--- size 1 2 3 4 5 6 7 8 9",
	/* FIELD */
	"R Size 1 2 3 4 5 6 7 8 9",
	"R sizes 1 2 3 4 5 6 7 8 9",
	"R siz 1 2 3 4 5 6 7 8 9",
	"R 1 2 3 4 5 6 7 8 9",
	/* how many */
	"R size 1 2 3 4 5 6 7 8",
	"R size 1 2 3 4 5 6 7 0",
	"R size 1 2 3 4 5 6 7 8 9 10",
	"R size 1 2 3 4 5 6 7 8 0 0",
	"R size 1 2 3 4 5 6 7 8 9 x",
	"R size 1 2 3 4 5 6 7 8 9 R size 1 2 3 4 5 6 7 8 9",
	/* order: each in its turn, and 0 is special for B8 alone */
	"R size 2 1 3 4 5 6 7 8 9",
	"R size 1 3 2 4 5 6 7 8 9",
	"R size 1 2 4 3 5 6 7 8 9",
	"R size 1 2 3 5 4 6 7 8 9",
	"R size 1 2 3 4 6 5 7 8 9",
	"R size 1 2 3 4 5 7 6 8 9",
	"R size 1 2 3 4 5 6 8 7 9",
	"R size 1 2 3 4 5 6 7 9 8",
	"R size 1 2 3 4 5 6 7 0 0",
	"R size 1 2 3 4 5 6 7 0 9",
	"R size 1 0 3 4 5 6 7 8 9",
	/* numbers */
	"R size -1 2 3 4 5 6 7 8 9",
	"R size +1 2 3 4 5 6 7 8 9",
	"R size 1 2 3 4 5 6 7 8 18446744073709551616",
	"R size 1 2 3 4 5 6 7 8 0x10000000000000000",
	"R size 1 2 3 4 5 6 7 8 99999999999999999999999",
	"R size 1,2,3,4,5,6,7,8,9",
	"R size 1 2 3 4 5 6 7 8 9k",
	"R size 1 2 3 4 5 6 7 8 0x",
	"R size 1 2 3 4 5 6 7 8 09",
	"R size 1 2 3 4 5 6 7 8 010",
	"R size 1 2 3 4 5 6 7 8 00",
	"R size 1 2 3 4 5 6 7 8 9.0",
	"R size a 2 3 4 5 6 7 8 9",
	"R size 1 2 3 4 5 6 7 8 9\xa0",
};

/* Each documented rule once more, naively. */
static int naive_slot(const struct iob_counter_spec *s, u64 value)
{
	int i;

	if (value < s->bound[0] || (s->bound[8] != 0 && value >= s->bound[8]))
		return -1;
	for (i = 0; i < 7; i++) {
		if (value >= s->bound[i] && value < s->bound[i + 1])
			return i;
	}
	return 7;
}

static void check_back(const char *text, const char *back)
{
	struct iob_counter_spec s, again;
	char buf[IOB_COUNTER_SPEC_SIZE];
	int len;

	memset(&s, 0xaa, sizeof(s));
	memset(&again, 0xaa, sizeof(again));
	if (iob_counter_spec_parse(text, &s)) {
		fail("'%s' refused", text);
		return;
	}
	len = iob_counter_spec_format(&s, buf, sizeof(buf));
	if (len != (int)strlen(buf) || strcmp(buf, back))
		fail("'%s' reads '%s'", text, buf);
	if (iob_counter_spec_parse(buf, &again))
		fail("'%s' refused after '%s'", buf, text);
	if (again.dirs != s.dirs || again.field != s.field ||
	    memcmp(again.bound, s.bound, sizeof(s.bound)))
		fail("'%s' is not '%s'", buf, text);
}

static void taken(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++)
		check_back(good[i].text,
			   good[i].back ? good[i].back : good[i].text);
}

static void refused(void)
{
	struct iob_counter_spec s, before;
	size_t i;
	int ret;

	memset(&before, 0x5a, sizeof(before));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		s = before;
		ret = iob_counter_spec_parse(bad[i], &s);
		if (ret != -EINVAL)
			fail("'%s' returns %d", bad[i], ret);
		if (memcmp(&s, &before, sizeof(s)))
			fail("'%s' left its mark", bad[i]);
	}
}

static void members(void)
{
	struct iob_counter_spec s;
	u64 i;

	if (iob_counter_spec_parse("WA io_time 1 2 3 4 5 6 7 8 9", &s) ||
	    s.dirs != (IOB_DIR_A | IOB_DIR_W) || s.field != IOB_FIELD_IO_TIME)
		fail("dirs %d field %d", s.dirs, s.field);
	for (i = 0; i < 9; i++) {
		if (s.bound[i] != i + 1)
			fail("bound %llu is %llu", i, s.bound[i]);
	}
	if (iob_counter_spec_parse("", &s) || s.dirs)
		fail("not disabled");
	if (iob_counter_spec_parse("D age 1 1 1 1 1 1 1 1 0", &s) ||
	    s.dirs != IOB_DIR_D)
		fail("dirs %d", s.dirs);
	if (iob_counter_spec_parse("F age 1 1 1 1 1 1 1 1 0", &s) ||
	    s.dirs != IOB_DIR_F)
		fail("dirs %d", s.dirs);
	if (iob_counter_spec_parse("R age 1 1 1 1 1 1 1 1 0", &s) ||
	    s.dirs != IOB_DIR_R)
		fail("dirs %d", s.dirs);
}

/* A buffer of any size is filled, ended and not overrun. */
static void small_buffers(void)
{
	struct iob_counter_spec s;
	char whole[IOB_COUNTER_SPEC_SIZE];
	size_t i, size, len, want;
	char *buf;
	int got;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (iob_counter_spec_parse(good[i].text, &s))
			continue;
		len = iob_counter_spec_format(&s, whole, sizeof(whole));
		if (len + 1 >= sizeof(whole))
			fail("%zu bytes are not enough", sizeof(whole));
		for (size = 0; size <= len + 2; size++) {
			buf = malloc(size ? size : 1);
			want = size > len ? len : size ? size - 1 : 0;
			got = iob_counter_spec_format(&s, buf, size);
			if (got != (int)want ||
			    (size && (memcmp(buf, whole, want) || buf[want])))
				fail("'%s' in %zu bytes: %d", whole, size, got);
			free(buf);
		}
	}
}

/* The slot by the simple form; as iob_counter_slot() where a value is too large for it. */
static int simple_slot(const struct iob_counter_spec *s, u64 value)
{
	struct iob_simple_counter p;

	memset(&p, 0xee, sizeof(p));
	if (value >= IOB_SIMPLE_VALUES)
		return iob_counter_slot(s, value);
	if (!iob_simple_counter_make(s, 40, &p) || !iob_simple_counter_counts(&p, value))
		return -1;
	if (p.size != (s->field == IOB_FIELD_SIZE))
		fail("the simple form is another counter");
	return iob_simple_counter_slot(&p, value) / sizeof(u32) - 40;
}

static void check_slot(const struct iob_counter_spec *s, u64 value, int want)
{
	char buf[IOB_COUNTER_SPEC_SIZE];
	int got = iob_counter_slot(s, value), simple = simple_slot(s, value);

	if (simple != want) {
		iob_counter_spec_format(s, buf, sizeof(buf));
		fail("'%s': %llu in slot %d of the simple form, not %d", buf, value, simple, want);
	}
	if (got == want)
		return;
	iob_counter_spec_format(s, buf, sizeof(buf));
	fail("'%s': %llu in slot %d, not %d", buf, value, got, want);
}

static void slots(void)
{
	static const struct {
		const char *text;
		u64 value;
		int slot;
	} cases[] = {
		/* nine boundaries, eight slots: from B2 on is slot 2 */
		{ "R size 10 20 30 40 50 60 70 80 90", 0, -1 },
		{ "R size 10 20 30 40 50 60 70 80 90", 9, -1 },
		{ "R size 10 20 30 40 50 60 70 80 90", 10, 0 },
		{ "R size 10 20 30 40 50 60 70 80 90", 19, 0 },
		{ "R size 10 20 30 40 50 60 70 80 90", 20, 1 },
		{ "R size 10 20 30 40 50 60 70 80 90", 30, 2 },
		{ "R size 10 20 30 40 50 60 70 80 90", 39, 2 },
		{ "R size 10 20 30 40 50 60 70 80 90", 40, 3 },
		{ "R size 10 20 30 40 50 60 70 80 90", 50, 4 },
		{ "R size 10 20 30 40 50 60 70 80 90", 60, 5 },
		{ "R size 10 20 30 40 50 60 70 80 90", 70, 6 },
		{ "R size 10 20 30 40 50 60 70 80 90", 80, 7 },
		{ "R size 10 20 30 40 50 60 70 80 90", 89, 7 },
		{ "R size 10 20 30 40 50 60 70 80 90", 90, -1 },
		{ "R size 10 20 30 40 50 60 70 80 90", U64_MAX, -1 },
		/* no upper limit */
		{ "R size 10 20 30 40 50 60 70 80 0", 80, 7 },
		{ "R size 10 20 30 40 50 60 70 80 0", U64_MAX, 7 },
		{ "R size 0 0 0 0 0 0 0 0 0", 0, 7 },
		{ "R size 0 0 0 0 0 0 0 0 0", U64_MAX, 7 },
		/* equal boundaries: the slots between them stay empty */
		{ "R size 1 1 1 5 5 5 5 9 9", 0, -1 },
		{ "R size 1 1 1 5 5 5 5 9 9", 1, 2 },
		{ "R size 1 1 1 5 5 5 5 9 9", 4, 2 },
		{ "R size 1 1 1 5 5 5 5 9 9", 5, 6 },
		{ "R size 1 1 1 5 5 5 5 9 9", 8, 6 },
		{ "R size 1 1 1 5 5 5 5 9 9", 9, -1 },
		{ "R size 5 5 5 5 5 5 5 5 5", 4, -1 },
		{ "R size 5 5 5 5 5 5 5 5 5", 5, -1 },
		{ "R size 5 5 5 5 5 5 5 5 5", 6, -1 },
		{ "R size 5 5 5 5 5 5 5 5 0", 4, -1 },
		{ "R size 5 5 5 5 5 5 5 5 0", 5, 7 },
		/* the document's, last of a disk */
		{ good[0].text, 65535, 7 },
		{ good[0].text, 57343, 6 },
		{ good[1].text, 32767, 7 },
		{ good[1].text, 32768, -1 },
		{ good[2].text, 32767, -1 },
		{ good[2].text, 32768, 0 },
	};
	struct iob_counter_spec s;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (iob_counter_spec_parse(cases[i].text, &s))
			fail("'%s' refused", cases[i].text);
		check_slot(&s, cases[i].value, cases[i].slot);
	}
}

/* Everything taken, at and beside each boundary. */
static void slot_edges(void)
{
	struct iob_counter_spec s;
	size_t i, b;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (iob_counter_spec_parse(good[i].text, &s) || !s.dirs)
			continue;
		for (b = 0; b < ARRAY_SIZE(s.bound); b++) {
			u64 v = s.bound[b];

			check_slot(&s, v, naive_slot(&s, v));
			check_slot(&s, v - 1, naive_slot(&s, v - 1));
			check_slot(&s, v + 1, naive_slot(&s, v + 1));
		}
	}
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

static void random_specs(void)
{
	struct iob_counter_spec s;
	char buf[IOB_COUNTER_SPEC_SIZE];
	unsigned int i, b;

	note("seed %llu, 100000 specifications", seed());
	for (i = 0; i < 100000; i++) {
		memset(&s, 0, sizeof(s));
		s.dirs = 1 + rnd(31);
		s.field = rnd(IOB_NR_FIELDS);
		for (b = 0; b < 9; b++)
			s.bound[b] = rnd(2) ? rnd(16) : rnd_value();
		qsort(s.bound, 9, sizeof(u64), by_value);
		if (!rnd(3))
			s.bound[8] = 0;
		iob_counter_spec_format(&s, buf, sizeof(buf));
		check_back(buf, buf);
		for (b = 0; b < 9; b++) {
			u64 v = s.bound[b] + rnd(3) - 1;

			check_slot(&s, v, naive_slot(&s, v));
			v = rnd_value();
			check_slot(&s, v, naive_slot(&s, v));
		}
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(taken),
		TEST(refused),
		TEST(members),
		TEST(small_buffers),
		TEST(slots),
		TEST(slot_edges),
		TEST(random_specs),
	};

	return run_tests("counter_spec", tests, ARRAY_SIZE(tests));
}

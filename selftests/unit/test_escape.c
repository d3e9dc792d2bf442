// SPDX-License-Identifier: GPL-2.0
/* A name that a user chose is one harmless word of UTF-8, and can be told from it. */
#include "debugfs/escape.h"
#include "test.h"

#define NAME	16
#define SHOWN	(4 * NAME + 1)

static void expect(const char *name, bool spaces, const char *wanted)
{
	char to[SHOWN];
	size_t len = iob_escape(to, sizeof(to), name, strlen(name), spaces);

	if (len != strlen(to) || strcmp(to, wanted))
		fail("%s: %s", wanted, to);
}

static void examples(void)
{
	expect("", false, "");
	expect("dd", true, "dd");
	expect("a b\n", true, "a\\040b\\012");
	expect("a b\n", false, "a b\\012");
	expect("a\\b\x1b[31m\x7f", false, "a\\134b\\033[31m\\177");
	/* U+009B begins a command to the terminal, U+00E4 is a letter */
	expect("\xc2\x9b" "31m", false, "\\302\\23331m");
	expect("\xc2\x80\xc2\x9f", false, "\\302\\200\\302\\237");
	expect("\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7", true,
	       "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7");
	/* U+00A0 and U+2003 are blanks */
	expect("x\xc2\xa0y", true, "x\\302\\240y");
	expect("x\xe2\x80\x83y", true, "x\\342\\200\\203y");
	expect("x\xe2\x80\x83y", false, "x\xe2\x80\x83y");
	/* a heart, and the character that says that it is red */
	expect("\xe2\x9d\xa4\xef\xb8\x8f", false, "\xe2\x9d\xa4\\357\\270\\217");
	/* turns the line around, isolates, ends a line, has no width, is a tag */
	expect("\xe2\x80\xae" "gpj", false, "\\342\\200\\256gpj");
	expect("\xe2\x81\xa6\xd8\x9c", false, "\\342\\201\\246\\330\\234");
	expect("\xe2\x80\xa8\xe2\x80\x8b", false, "\\342\\200\\250\\342\\200\\213");
	expect("\xef\xbb\xbf\xf3\xa0\x81\xa1", false,
	       "\\357\\273\\277\\363\\240\\201\\241");
	/* no UTF-8: lone bytes, cut, too long, a surrogate, too large */
	expect("\x9b" "31m\xff\xfe", false, "\\23331m\\377\\376");
	expect("a\xe2\x82", false, "a\\342\\202");
	expect("\xc0\x80\xe0\x82\x9b", false, "\\300\\200\\340\\202\\233");
	expect("\xed\xa0\x80", false, "\\355\\240\\200");
	expect("\xf4\x90\x80\x80\xf5", false, "\\364\\220\\200\\200\\365");
}

static size_t put_utf8(char *to, u32 code)
{
	if (code < 0x80) {
		to[0] = code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = 0xc0 | code >> 6;
		to[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	if (code < 0x10000) {
		to[0] = 0xe0 | code >> 12;
		to[1] = 0x80 | (code >> 6 & 0x3f);
		to[2] = 0x80 | (code & 0x3f);
		return 3;
	}
	to[0] = 0xf0 | code >> 18;
	to[1] = 0x80 | (code >> 12 & 0x3f);
	to[2] = 0x80 | (code >> 6 & 0x3f);
	to[3] = 0x80 | (code & 0x3f);
	return 4;
}

static void each_is(const u32 (*range)[2], size_t nr, bool spaces, bool wanted)
{
	char name[4], to[SHOWN];
	size_t i, len;
	bool shown;
	u32 code;

	for (i = 0; i < nr; i++) {
		for (code = range[i][0]; code <= range[i][1]; code++) {
			len = put_utf8(name, code);
			iob_escape(to, sizeof(to), name, len, spaces);
			shown = to[0] != '\\';
			if (shown != wanted)
				fail("U+%04X is %s", code, shown ? "shown" : "escaped");
		}
	}
}

/* All that Python's str.split() parts words at, and what Unicode says is not to be seen */
static void blanks_and_unseen(void)
{
	static const u32 blanks[][2] = {
		{ ' ', ' ' }, { 0xa0, 0xa0 }, { 0x1680, 0x1680 }, { 0x2000, 0x200a },
		{ 0x202f, 0x202f }, { 0x205f, 0x205f }, { 0x3000, 0x3000 },
	};
	static const u32 line_ends[][2] = {
		{ 0x09, 0x0d }, { 0x1c, 0x1f }, { 0x85, 0x85 }, { 0x2028, 0x2029 },
	};
	static const u32 unseen[][2] = {
		{ 0xad, 0xad }, { 0x34f, 0x34f }, { 0x61c, 0x61c }, { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f }, { 0x202a, 0x202e },
		{ 0x2060, 0x206f }, { 0x2800, 0x2800 }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },
		{ 0xfeff, 0xfeff }, { 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};
	static const u32 letters[][2] = {
		{ '!', '[' }, { ']', '~' }, { 0xa1, 0xac }, { 0xae, 0x34e }, { 0x350, 0x61b },
		{ 0x2010, 0x2027 }, { 0x3001, 0x3163 }, { 0x4e00, 0x9fff }, { 0xac00, 0xd7a3 },
		{ 0xff01, 0xff9f }, { 0xfffc, 0xfffd }, { 0x1f300, 0x1faff },
	};

	each_is(blanks, ARRAY_SIZE(blanks), true, false);
	each_is(blanks, ARRAY_SIZE(blanks), false, true);
	each_is(line_ends, ARRAY_SIZE(line_ends), true, false);
	each_is(line_ends, ARRAY_SIZE(line_ends), false, false);
	each_is(unseen, ARRAY_SIZE(unseen), true, false);
	each_is(unseen, ARRAY_SIZE(unseen), false, false);
	each_is(letters, ARRAY_SIZE(letters), true, true);
}

/* What @to means; -1 if a byte of it is not allowed. */
static int unescape(const char *to, char *name, bool spaces)
{
	int len = 0;

	for (; *to; len++) {
		unsigned char c = *to++;

		if (c < ' ' || c == 0x7f || (c == ' ' && spaces) || len == NAME)
			return -1;
		/* as two bytes: neither is shown without its first one, see examples() */
		if (c == 0xc2 && (unsigned char)*to < 0xa0)
			return -1;
		if (c == '\\') {
			c = (to[0] - '0') << 6 | (to[1] - '0') << 3 | (to[2] - '0');
			to += 3;
		}
		name[len] = c;
	}
	return len;
}

/* Any bytes come back, mostly of those that matter. */
static void random_names(void)
{
	static const unsigned char likely_bytes[] = {
		'a', ' ', '\\', '\n', 0x7f, 0x80, 0x9b, 0xa0, 0xbf, 0xc2, 0xc3, 0xe0, 0xe2,
		0xed, 0xef, 0xf0, 0xf4, 0xff,
	};
	unsigned int i, k;

	for (i = 0; i < 200000; i++) {
		char name[NAME + 1] = "", back[NAME + 1] = "", to[SHOWN];
		bool spaces = i & 1;
		size_t len;

		for (k = 0; k < NAME; k++)
			name[k] = rnd64() % 4 ? likely_bytes[rnd64() % sizeof(likely_bytes)] :
						rnd64() & 0xff;
		len = iob_escape(to, sizeof(to), name, NAME, spaces);
		if (len != strlen(to))
			fail("a length of %zu, not %zu", strlen(to), len);
		if (unescape(to, back, spaces) < 0 || strcmp(back, name))
			fail("%s", to);
	}
}

/* What does not fit is cut between characters, and no byte is written behind the end. */
static void is_cut(void)
{
	static const char name[] = "a\n\xc3\xa4\xc2\x9b";
	static const size_t wanted[] = { 0, 1, 1, 1, 1, 5, 5, 7, 7, 7, 7, 7, 7, 7, 7, 15 };
	size_t size, len;
	char to[32];

	for (size = 1; size <= ARRAY_SIZE(wanted); size++) {
		memset(to, 'x', sizeof(to));
		len = iob_escape(to, size, name, sizeof(name) - 1, false);
		if (len != wanted[size - 1] || to[len] || to[size] != 'x')
			fail("%zu bytes of %zu", len, size);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(examples),
		TEST(blanks_and_unseen),
		TEST(random_names),
		TEST(is_cut),
	};

	return run_tests("escape", tests, ARRAY_SIZE(tests));
}

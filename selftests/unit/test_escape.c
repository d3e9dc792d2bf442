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
	/* U+009B begins a command to the terminal, U+00A0 is a blank, U+00E4 a letter */
	expect("\xc2\x9b" "31m", false, "\\302\\23331m");
	expect("\xc2\x80\xc2\x9f", false, "\\302\\200\\302\\237");
	expect("\xc2\xa0\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7", true,
	       "\xc2\xa0\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xa7");
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
		TEST(random_names),
		TEST(is_cut),
	};

	return run_tests("escape", tests, ARRAY_SIZE(tests));
}

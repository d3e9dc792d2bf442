// SPDX-License-Identifier: GPL-2.0
/* Escaped names, and numbers as text. */
#include "debugfs/escape.h"
#include "escape.h"
#include "test.h"
#include "text.h"

static void escape_is(const char *from, size_t len, const char *want)
{
	char *copy = malloc(len ? len : 1), *got;

	/* exactly as long: a sanitizer sees one byte more */
	memcpy(copy, from, len);
	got = escape_dup(copy, len);
	if (strcmp(got, want))
		fail("'%s' instead of '%s'", got, want);
	free(got);
	free(copy);
}

static void escapes(void)
{
	static const struct {
		const char *from, *want;
	} cases[] = {
		{ "", "" },
		{ "dd", "dd" },
		{ "a b", "a b" },
		{ "\x1b[31mred", "\\033[31mred" },
		{ "a\nb\tc\r", "a\\012b\\011c\\015" },
		{ "back\\slash", "back\\134slash" },
		{ "\x7f", "\\177" },
		{ "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f" },
		{ "\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80" },
		/* not UTF-8: cut, alone, too long, a surrogate, beyond the end */
		{ "\xc3", "\\303" },
		{ "\xe2\x82", "\\342\\202" },
		{ "\x80z", "\\200z" },
		{ "\xff\xfe", "\\377\\376" },
		{ "\xc0\xaf", "\\300\\257" },
		{ "\xe0\x80\xaf", "\\340\\200\\257" },
		{ "\xed\xa0\x80", "\\355\\240\\200" },
		{ "\xf4\x90\x80\x80", "\\364\\220\\200\\200" },
		{ "\xc3(", "\\303(" },
		/* C1 controls, text that runs the other way, no width, BOM */
		{ "\xc2\x9b" "2J", "\\302\\2332J" },
		{ "\xe2\x80\xae" "gpj", "\\342\\200\\256gpj" },
		{ "\xe2\x81\xa6", "\\342\\201\\246" },
		{ "a\xe2\x80\x8b" "b", "a\\342\\200\\213b" },
		{ "\xef\xbb\xbf", "\\357\\273\\277" },
		{ "\xe2\x80\xa8", "\\342\\200\\250" },
		/* a blank letter, and what makes the heart before it red */
		{ "a\xe3\x85\xa4", "a\\343\\205\\244" },
		{ "\xe2\x9d\xa4\xef\xb8\x8f", "\xe2\x9d\xa4\\357\\270\\217" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		escape_is(cases[i].from, strlen(cases[i].from), cases[i].want);
	/* a NUL ends it */
	escape_is("ab\0cd", 5, "ab");
	/* 16 bytes of a task's name need no NUL */
	escape_is("0123456789abcdef", 16, "0123456789abcdef");
}

/* Escaped text is harmless, and no escape is cut. */
static void random_bytes(void)
{
	unsigned int n, i;

	note("seed %llu", seed());
	for (n = 0; n < 50000; n++) {
		size_t len = rnd(20), size = 1 + rnd(90), out;
		char from[20], to[90];

		for (i = 0; i < len; i++)
			from[i] = rnd(3) ? rnd(256) : 0x80 + rnd(0x80);
		memset(to, 'X', sizeof(to));
		out = escape_text(to, size, from, len);
		if (out >= size || to[out] || strlen(to) != out) {
			fail("length %zu in %zu", out, size);
			continue;
		}
		for (i = 0; i < out; i++) {
			unsigned char c = to[i];

			if (c < ' ' || c == 0x7f || c == 0xff || c == 0xc0)
				fail("byte %02x comes through", c);
		}
	}
}

/* The command and the module escape the same: all that two to four bytes can be. */
static void as_the_module(void)
{
	char name[4], tool[17], module[17];
	unsigned int code, len, i;

	for (code = 1; code < 0x200000; code++) {
		len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
		for (i = len - 1; i; i--)
			name[i] = 0x80 | (code >> 6 * (len - 1 - i) & 0x3f);
		name[0] = len == 1 ? code : (0xf00 >> len & 0xff) | code >> 6 * (len - 1);
		escape_text(tool, sizeof(tool), name, len);
		iob_escape(module, sizeof(module), name, len, false);
		if (strcmp(tool, module))
			fail("U+%04X is %s, in the module %s", code, tool, module);
	}
}

/* No part of a character is left, wherever the text is cut. */
static void cuts(void)
{
	static const char text[] = "a\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80z";
	static const size_t whole[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11 };
	char copy[sizeof(text)];
	size_t n;

	for (n = 0; n < sizeof(text); n++) {
		memcpy(copy, text, n);
		copy[n] = '\0';
		if (strlen(escape_cut(copy)) != whole[n])
			fail("%zu bytes become %zu", n, strlen(copy));
	}
}

static void bytes(void)
{
	static const struct {
		u64 n;
		const char *want;
	} cases[] = {
		{ 0, "0" }, { 512, "512" }, { 999, "999" }, { 1024, "1.0K" },
		{ 4096, "4.0K" }, { 10240, "10K" }, { 1048576, "1.0M" },
		{ 1023 * 1024, "1.0M" }, { 3ULL << 30, "3.0G" },
		{ U64_MAX, "16E" },
	};
	char to[TEXT_NUMBER];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (strcmp(text_bytes(to, cases[i].n), cases[i].want))
			fail("%llu is %s", cases[i].n, to);
	}
}

static void nsecs(void)
{
	static const struct {
		u64 n;
		const char *want;
	} cases[] = {
		{ 0, "0ns" }, { 999, "999ns" }, { 1000, "1us" },
		{ 85000, "85us" }, { 1234567, "1.2ms" }, { 340000000, "340ms" },
		{ 2500000000ULL, "2.5s" }, { 3600000000000ULL, "3600s" },
		{ 999600000, "1.0s" },
	};
	char to[TEXT_NUMBER];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (strcmp(text_nsecs(to, cases[i].n), cases[i].want))
			fail("%llu is %s", cases[i].n, to);
	}
}

static void times(void)
{
	static const struct {
		const char *s;
		bool good;
		u64 ns;
	} cases[] = {
		{ "10", true, 10000000000ULL }, { "0.5", true, 500000000 },
		{ ".5", true, 500000000 }, { "500ms", true, 500000000 },
		{ "20us", true, 20000 }, { "1.5ms", true, 1500000 },
		{ "2m", true, 120000000000ULL }, { "1h", true, 3600000000000ULL },
		{ "0", true, 0 }, { "", false, 0 }, { "-1", false, 0 },
		{ "+1", false, 0 }, { "1e3", false, 0 }, { "0x10", false, 0 },
		{ "inf", false, 0 }, { "nan", false, 0 }, { "1 s", false, 0 },
		{ "1sec", false, 0 }, { "1.2.3", false, 0 }, { ".", false, 0 },
		{ "ms", false, 0 }, { "99999999999999999999", false, 0 },
		{ "10000000000h", false, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 got = 4711;
		uint64_t ns = 4711;
		bool good = text_parse_nsecs(cases[i].s, 1000000000, &ns);

		got = ns;
		if (good != cases[i].good || (good && got != cases[i].ns))
			fail("'%s' is %d %llu", cases[i].s, good, got);
	}
}

static bool count_word(const char *word, void *arg)
{
	++*(int *)arg;
	return strcmp(word, "bad");
}

static void lists(void)
{
	static const struct {
		const char *s;
		bool good;
		int words;
	} cases[] = {
		{ "a", true, 1 }, { "a,b,c", true, 3 }, { "", false, 0 },
		{ "a,", false, 1 }, { ",a", false, 0 }, { "a,,b", false, 1 },
		{ "a,bad,c", false, 2 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		int words = 0;
		bool good = text_parse_list(cases[i].s, count_word, &words);

		if (good != cases[i].good || words != cases[i].words)
			fail("'%s' is %d, %d words", cases[i].s, good, words);
	}
}

/* Cut in front: the tail remains, of whole characters, and is marked. */
static void tails(void)
{
	char from[64], *text, *again;
	size_t most, len, i;
	unsigned int n;

	for (n = 0; n < 20000; n++) {
		for (i = 0; i < sizeof(from); i++)
			from[i] = rnd(3) ? (char)(1 + rnd(255)) : "\xe2\x82\xac\\"[rnd(4)];
		text = escape_dup(from, rnd(sizeof(from)));
		again = strdup(text);
		len = strlen(text);
		most = 3 + rnd(80);
		escape_tail(text, most);
		if (len <= most ? strcmp(text, again) : strlen(text) > most ||
		    strlen(text) + 3 < most || strncmp(text, "...", 3) ||
		    strcmp(text + 3, again + len - strlen(text + 3)))
			fail("'%s' to %zu became '%s'", again, most, text);
		/* an escape that was cut would begin with a digit, a character with its middle */
		if (len > most && len >= strlen(text) && (text[3] & 0xc0) == 0x80)
			fail("cut in a character: '%s'", text);
		for (i = 0; len > most && i < 3; i++) {
			const char *at = again + len - strlen(text + 3);

			if (at - again > (long)i && at[-1 - (long)i] == '\\')
				fail("cut in an escape: '%s'", text);
		}
		free(text);
		free(again);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(escapes), TEST(random_bytes), TEST(as_the_module), TEST(cuts), TEST(bytes),
		TEST(nsecs), TEST(times), TEST(lists), TEST(tails),
	};

	return run_tests("tool_text", tests, ARRAY_SIZE(tests));
}

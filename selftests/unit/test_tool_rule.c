// SPDX-License-Identifier: GPL-2.0
/* What is a rule and what is none, what it is about, and what is compared. */
#include "rule.h"
#include "test.h"

#define MS	1000000ULL

enum {
	READ = 1 << 0, AHEAD = 1 << 1, WRITE = 1 << 2, DISCARD = 1 << 3, FLUSH = 1 << 4,
};

static void taken(void)
{
	static const struct {
		const char *text;
		struct rule rule;
	} cases[] = {
		{ "p99 > 50ms", { "p99", RULE_P99, 50 * MS } },
		{ "p99>50ms", { "p99", RULE_P99, 50 * MS } },
		{ "\t p99  >\t1.5s ", { "p99", RULE_P99, 1500 * MS } },
		{ "mean > 200us", { "mean", RULE_MEAN, 200000 } },
		{ "util > 90%", { "util", RULE_UTIL, 9000 } },
		{ "util > 99.5%", { "util", RULE_UTIL, 9950 } },
		{ "util > 0%", { "util", RULE_UTIL, 0 } },
		{ "errors > 0", { "errors", RULE_ERRORS, 0 } },
		{ "bytes/s > 200M", { "bytes", RULE_BYTES, 200 << 20 } },
		{ "bytes/s > 1T", { "bytes", RULE_BYTES, 1ULL << 40 } },
		{ "bytes/s > 512", { "bytes", RULE_BYTES, 512 } },
		{ "ios/s > 5k", { "ios", RULE_IOS, 5000 } },
		{ "ios/s > 2M", { "ios", RULE_IOS, 2000000 } },
		{ "slow-db_1: p99 > 1s", { "slow-db_1", RULE_P99, 1000 * MS } },
		{ "x:p99 > 1s", { "x", RULE_P99, 1000 * MS } },
		{ "read p99 > 1s", { "p99", RULE_P99, 1000 * MS, READ } },
		{ "read|readahead|flush errors > 3",
		  { "errors", RULE_ERRORS, 3, READ | AHEAD | FLUSH } },
		{ "discard|write ios/s > 1", { "ios", RULE_IOS, 1, WRITE | DISCARD } },
		{ "util > 50% on sd*", { "util", RULE_UTIL, 5000, 0, 0, "sd*" } },
		{ "util > 50% on /dev/sda", { "util", RULE_UTIL, 5000, 0, 0, "sda" } },
		{ "errors > 0 of unit db.service",
		  { "errors", RULE_ERRORS, 0, 0, RULE_OF_UNIT, "", "db.service" } },
		{ "errors > 0 of program 'my sql>d'",
		  { "errors", RULE_ERRORS, 0, 0, RULE_OF_PROGRAM, "", "my sql>d" } },
		{ "errors > 0 of program \"it's\" on dm-0",
		  { "errors", RULE_ERRORS, 0, 0, RULE_OF_PROGRAM, "dm-0", "it's" } },
		{ "a: write mean > 3ms on nvme0n1 of user post*",
		  { "a", RULE_MEAN, 3 * MS, WRITE, RULE_OF_USER, "nvme0n1", "post*" } },
		{ "on: errors > 0 on on of user of",
		  { "on", RULE_ERRORS, 0, 0, RULE_OF_USER, "on", "of" } },
	};
	const char *wrong;
	struct rule got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&got, 0xff, sizeof(got));
		wrong = rule_parse(&got, cases[i].text);
		if (wrong)
			fail("'%s' is refused: %s", cases[i].text, wrong);
		else if (memcmp(&got, &cases[i].rule, sizeof(got)))
			fail("'%s' is taken for another rule", cases[i].text);
	}
}

/* Each with a word of what is said about it */
static void refused(void)
{
	static const struct {
		const char *text, *said;
	} cases[] = {
		{ "", "empty" }, { "  ", "empty" }, { "p99", ">" }, { "p99 50ms", ">" },
		{ "p99 < 50ms", ">" }, { "p99 >", "value" }, { "p99 >> 5ms", "time" },
		{ "p99 >= 5ms", "time" }, { "p99 > 50", "time" }, { "p99 > ms", "time" },
		{ "p99 > -5ms", "time" }, { "p99 > 50 ms", "time" },
		{ "p99 > 50ms 'x", "quote" }, { "p98 > 50ms", "compared" },
		{ "P99 > 50ms", "compared" }, { "p99 > 1e9s", "time" },
		{ "p99 > 99999999999999999999h", "time" },
		{ "read > 5", "compared" }, { "read", "compared" }, { "read| p99 > 5ms", "compared" },
		{ "read,write p99 > 5ms", "compared" }, { "reads p99 > 5ms", "compared" },
		{ "util > 90", "time" }, { "util > 100%", "100" }, { "util > 101%", "100" },
		{ "util > %", "100" }, { "util > 9.%", "100" }, { "util > 9.55%", "100" },
		{ "util > -1%", "100" }, { "util > 90%%", "100" }, { "util > 99999999999%", "100" },
		{ "read util > 90%", "disk" }, { "util > 90% of unit x", "disk" },
		{ "errors > x", "number" }, { "errors > 1.5", "number" },
		{ "errors > 99999999999999999999", "number" },
		{ "errors > 18446744073709551615k", "number" }, { "ios/s > 5K", "number" },
		{ "ios/s > k", "number" }, { "bytes/s > 5k", "bytes" }, { "bytes/s > 5MB", "bytes" },
		{ "bytes/s > 18446744073709551615T", "bytes" },
		{ "p99 > 5ms on", "disk" }, { "p99 > 5ms on a on b", "may follow" },
		{ "p99 > 5ms on /dev/", "disk" }, { "p99 > 5ms on ''", "disk" },
		{ "p99 > 5ms on aaaaaaaaaaaaaaaaaaaaaaaa", "disk" },
		{ "p99 > 5ms of", "follows" }, { "p99 > 5ms of disk x", "neither" },
		{ "p99 > 5ms of unit", "pattern" }, { "p99 > 5ms of unit a of user b", "may follow" },
		{ "p99 > 5ms and errors > 0", "may follow" }, { ": p99 > 5ms", "name" },
		{ "-a: p99 > 5ms", "name" }, { "a/b: p99 > 5ms", "name" }, { "..: p99 > 5ms", "name" },
		{ "a.b: p99 > 5ms", "name" }, { "\xc3\xa4: p99 > 5ms", "name" },
		{ "aaaaaaaaaaaaaaaaaaaaaaaa: p99 > 5ms", "name" }, { "a: b: p99 > 5ms", "compared" },
		{ "p99 > 5ms\n", "control" }, { "p99 > 5ms of unit a\x1b[0m", "control" },
		{ "p99 > 5ms of unit \x7f", "control" },
	};
	char text[RULE_TEXT + 2];
	const char *wrong;
	struct rule rule;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		wrong = rule_parse(&rule, cases[i].text);
		if (!wrong)
			fail("'%s' is taken", cases[i].text);
		else if (!strstr(wrong, cases[i].said))
			fail("'%s': \"%s\"", cases[i].text, wrong);
	}
	memset(text, ' ', sizeof(text));
	memcpy(text, "p99 > 5ms", 9);
	text[RULE_TEXT] = '\0';
	if (!rule_parse(&rule, text))
		fail("a rule of %d bytes is taken", RULE_TEXT);
	text[RULE_TEXT - 1] = '\0';
	if (rule_parse(&rule, text))
		fail("a rule of %d bytes is refused", RULE_TEXT - 1);
}

static void wants(void)
{
	static const struct usage_key key = {
		.unit = "db.service", .program = "my sqld", .user = "mysql", .disk = "sda", .op = 2,
	};
	/* names are escaped text, and so are patterns: a backslash stands for itself */
	static const struct usage_key escaped = {
		.unit = "a\\134x2db.service", .program = "caf\\351", .user = "ev\\151l",
		.disk = "cciss\\041c0d0", .op = 2,
	};
	/* a user's name is compared as it is, too */
	static const struct usage_key corporate = {
		.unit = "a\\134b", .program = "a\\134b", .user = "CORP\\134ann", .disk = "sda",
	};
	static const struct {
		const char *text;
		bool wanted;
		const struct usage_key *of;	/* NULL: @key */
	} cases[] = {
		{ "errors > 0", true }, { "write errors > 0", true }, { "read errors > 0", false },
		{ "read|write errors > 0", true }, { "errors > 0 on sda", true },
		{ "errors > 0 on sd", false }, { "errors > 0 on sd?", true },
		{ "errors > 0 of unit db*", true }, { "errors > 0 of unit web*", false },
		{ "errors > 0 of program 'my sqld'", true }, { "errors > 0 of program mysqld", false },
		{ "errors > 0 of user mysql", true }, { "errors > 0 of user db.service", false },
		{ "write errors > 0 on sdb of user mysql", false },
		{ "errors > 0 of program caf\\351", true, &escaped },
		{ "errors > 0 of program caf\\35?", true, &escaped },
		{ "errors > 0 of program 'my\\ sqld'", false },
		{ "errors > 0 of unit a\\134x2d*", true, &escaped },
		{ "errors > 0 of user ev\\151l", true, &escaped },
		{ "errors > 0 on cciss\\041*", true, &escaped },
		{ "errors > 0 on s\\da", false },
		{ "errors > 0 of user CORP\\ann", true, &corporate },
		{ "errors > 0 of user CORP\\a*", true, &corporate },
		{ "errors > 0 of user *\\an[mn]", true, &corporate },
		{ "errors > 0 of user CORP\\134ann", true, &corporate },
		{ "errors > 0 of user CORP\\bob", false, &corporate },
		{ "errors > 0 of user ann", false, &corporate },
		{ "errors > 0 of unit a\\b", false, &corporate },
		{ "errors > 0 of program a\\b", false, &corporate },
	};
	const struct usage_key *of;
	struct rule rule;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		of = cases[i].of ? cases[i].of : &key;
		if (rule_parse(&rule, cases[i].text))
			fail("'%s' is refused", cases[i].text);
		else if (rule_wants(&rule, of) != cases[i].wanted)
			fail("'%s' is %sabout it", cases[i].text, cases[i].wanted ? "not " : "");
	}
}

static void values(void)
{
	uint64_t lat[USAGE_SLOTS] = { [7] = 980, [16] = 20 };
	struct rule_sums s = {
		.ios = 1000, .bytes = 5 << 20, .ns = 3000 * MS, .errors = 7, .busy_ms = 9700,
		.span_ns = 10000000000, .lat = lat,
	};
	static const struct {
		enum rule_what what;
		uint64_t value;
		const char *text;
	} cases[] = {
		{ RULE_P99, 65536000, "66ms" }, { RULE_MEAN, 3 * MS, "3.0ms" },
		{ RULE_UTIL, 9700, "97 %" }, { RULE_ERRORS, 7, "7" },
		{ RULE_BYTES, 1 << 19, "512K/s" }, { RULE_IOS, 100, "100/s" },
	};
	char text[RULE_VALUE];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (rule_value(cases[i].what, &s) != cases[i].value)
			fail("%s is %llu", rule_whats[cases[i].what],
			     (unsigned long long)rule_value(cases[i].what, &s));
		if (strcmp(rule_text(cases[i].what, cases[i].value, text), cases[i].text))
			fail("%s is '%s'", rule_whats[cases[i].what], text);
	}
	s.busy_ms = 10100;
	if (rule_value(RULE_UTIL, &s) != RULE_FULL)
		fail("a disk is busy for more than all the time");
	/* what cannot be: nothing is divided by nothing */
	memset(&s, 0, sizeof(s));
	memset(lat, 0, sizeof(lat));
	s.lat = lat;
	for (i = 0; i < NR_RULE_WHATS; i++) {
		if (rule_value(i, &s))
			fail("%s of nothing is %llu", rule_whats[i],
			     (unsigned long long)rule_value(i, &s));
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(taken), TEST(refused), TEST(wants), TEST(values),
	};

	return run_tests("tool_rule", tests, ARRAY_SIZE(tests));
}

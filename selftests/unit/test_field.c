// SPDX-License-Identifier: GPL-2.0
/* Names of fields and numbers as text. */
#include "io/field.h"
#include "test.h"

/* As documented; here once more, so that renaming one is noticed. */
static const char * const documented[] = {
	"offset", "size", "wait_time", "io_time", "seek_dist",
	"age", "total_time",
};

static void names(void)
{
	int i, got;

	if (ARRAY_SIZE(documented) != IOB_NR_FIELDS)
		fail("%d fields", IOB_NR_FIELDS);
	for (i = 0; i < IOB_NR_FIELDS; i++) {
		const char *name = iob_field_name(i);

		if (strcmp(name, documented[i]))
			fail("field %d is %s, not %s", i, name, documented[i]);
		got = iob_field_parse(name, strlen(name));
		if (got != i)
			fail("%s is %d, not %d", name, got, i);
	}
	if (strcmp(iob_field_name(IOB_NR_FIELDS), "?") ||
	    strcmp(iob_field_name(-1), "?"))
		fail("what is no field has a name");
}

static void no_names(void)
{
	static const char * const bad[] = {
		"", "o", "offse", "offsets", "OFFSET", "Size", " size", "size ",
		"io time", "io-time", "iotime", "total", "ages", "?", "0",
	};
	size_t i;
	int got;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		got = iob_field_parse(bad[i], strlen(bad[i]));
		if (got != -EINVAL)
			fail("'%s' is %d", bad[i], got);
	}
	/* the length counts, not a NUL or what follows */
	if (iob_field_parse("sizeable", 4) != IOB_FIELD_SIZE)
		fail("length not respected");
	if (iob_field_parse("size\0x", 6) != -EINVAL)
		fail("NUL ended the name");
}

/* Parse a copy of exactly this size: a sanitizer reports a read beyond it. */
static int value_of(const char *s, size_t len, u64 *value)
{
	char *copy = malloc(len ? len : 1);
	int ret;

	memcpy(copy, s, len);
	ret = iob_field_parse_value(copy, len, value);
	free(copy);
	return ret;
}

static void values(void)
{
	static const struct {
		const char *s;
		int ret;
		u64 value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "00", 0, 0 },
		{ "7", 0, 7 },
		{ "131072", 0, 131072 },
		{ "010", 0, 8 },
		{ "0x10", 0, 16 },
		{ "0XfF", 0, 255 },
		{ "0x00000000000000000001", 0, 1 },
		{ "18446744073709551615", 0, U64_MAX },
		{ "0xffffffffffffffff", 0, U64_MAX },
		{ "01777777777777777777777", 0, U64_MAX },
		{ "18446744073709551616", -ERANGE, 0 },
		{ "18446744073709551620", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "0x10000000000000000", -ERANGE, 0 },
		{ "02000000000000000000000", -ERANGE, 0 },
		{ "18446744073709551616x", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "0x", -EINVAL, 0 },
		{ "x", -EINVAL, 0 },
		{ "08", -EINVAL, 0 },
		{ "0b1", -EINVAL, 0 },
		{ "1a", -EINVAL, 0 },
		{ "10ms", -EINVAL, 0 },
		{ "0xg", -EINVAL, 0 },
		{ "0x1g", -EINVAL, 0 },
		{ "1_0", -EINVAL, 0 },
		{ "-1", -EINVAL, 0 },
		{ "+1", -EINVAL, 0 },
		{ " 1", -EINVAL, 0 },
		{ "1 ", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
		{ "1e3", -EINVAL, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		u64 value = 4711;
		int ret = value_of(cases[i].s, strlen(cases[i].s), &value);

		if (ret != cases[i].ret)
			fail("'%s' returns %d", cases[i].s, ret);
		else if (value != (ret ? 4711 : cases[i].value))
			fail("'%s' is %llu", cases[i].s, value);
	}
}

static void random_values(void)
{
	static const char * const forms[] = { "%llu", "0x%llx", "0%llo" };
	unsigned int i;

	note("seed %llu", seed());
	for (i = 0; i < 100000; i++) {
		u64 want = rnd_value(), got = ~want;
		char s[32];
		int len = snprintf(s, sizeof(s), "%llu", want);

		if (want)
			len = snprintf(s, sizeof(s), forms[rnd(3)], want);
		if (value_of(s, len, &got) || got != want)
			fail("%s is %llu", s, got);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(names),
		TEST(no_names),
		TEST(values),
		TEST(random_values),
	};

	return run_tests("field", tests, ARRAY_SIZE(tests));
}

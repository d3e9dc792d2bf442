// SPDX-License-Identifier: GPL-2.0
/*
 * A name is found in a list wherever it stands, and as a whole only.
 */
#include "core/name_list.h"
#include "test.h"

static const struct {
	const char *names, *name;
	bool listed;
} cases[] = {
	{ "a", "a", true },
	{ "a|bc|d", "a", true },
	{ "a|bc|d", "bc", true },
	{ "a|bc|d", "d", true },
	{ "||d", "d", true },
	{ NULL, "a", false },
	{ "", "a", false },
	{ "ab|c", "a", false },
	{ "ab|c", "b", false },
	{ "a||c", "", false },
	{ "a|c|", "", false },
};

static void listed(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (iob_name_listed(cases[i].names, cases[i].name) != cases[i].listed)
			fail("\"%s\" of \"%s\"", cases[i].name, cases[i].names ?: "(none)");
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(listed),
	};

	return run_tests("name_list", tests, ARRAY_SIZE(tests));
}

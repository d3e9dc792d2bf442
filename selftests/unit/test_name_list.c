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

/* Of two that exist the first serves: so their places are compared. */
static void placed(void)
{
	const char *names = "ab|a|b";

	if (iob_name_place(names, "a") != names + 3 || iob_name_place(names, "b") != names + 5)
		fail("a is at %td, b at %td", iob_name_place(names, "a") - names,
		     iob_name_place(names, "b") - names);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(listed), TEST(placed),
	};

	return run_tests("name_list", tests, ARRAY_SIZE(tests));
}

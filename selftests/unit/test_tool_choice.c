// SPDX-License-Identifier: GPL-2.0
/* The lists of words. */
#include "choice.h"
#include "test.h"

static const struct list {
	const char *const *words;
	int nr;
} lists[] = {
	{ choice_pivots, NR_PIVOTS },
	{ choice_sorts, NR_SORTS },
	{ choice_weights, NR_WEIGHTS },
	{ choice_fields, NR_FIELDS },
	{ choice_commands, NR_COMMANDS },
};

static void finds(void)
{
	char text[CHOICE_LIST];
	size_t i;
	int k;

	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		for (k = 0; k < lists[i].nr; k++) {
			if (choice_find(lists[i].words[k], lists[i].words, lists[i].nr) != k)
				fail("%s is not found", lists[i].words[k]);
		}
		if (choice_find("nonsense", lists[i].words, lists[i].nr) != -1)
			fail("nonsense is found");
		choice_list(text, lists[i].words, lists[i].nr);
		if (!strstr(text, lists[i].words[lists[i].nr - 1]))
			fail("'%s' is cut", text);
	}
	choice_list(text, choice_weights, NR_WEIGHTS);
	if (strcmp(text, "bytes, ios, time"))
		fail("the list is '%s'", text);
}

/* What may follow a word of `config`. */
static void follows(void)
{
	const char *const *words;
	int nr;

	words = choice_config_after("role", &nr);
	if (nr != 3 || choice_find("process", words, nr) < 0)
		fail("config set role has %d words", nr);
	if (choice_config_after("max_roles", &nr) || nr)
		fail("max_roles has words");
}

int main(void)
{
	static const struct test tests[] = { TEST(finds), TEST(follows) };

	return run_tests("tool_choice", tests, ARRAY_SIZE(tests));
}

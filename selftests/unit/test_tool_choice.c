// SPDX-License-Identifier: GPL-2.0
/* The lists of words, which the completion file has to repeat. */
#include "choice.h"
#include "test.h"

static char completion[1 << 14];

static const struct list {
	const char *const *words;
	int nr;
	const char *option;	/* the case in the completion file */
} lists[] = {
	{ choice_pivots, NR_PIVOTS, "\t--by)" },
	{ choice_sorts, NR_SORTS, "\t-s | --sort)" },
	{ choice_weights, NR_WEIGHTS, "\t--weight)" },
	{ choice_fields, NR_FIELDS, "\thist) words=" },
	{ choice_commands, NR_COMMANDS, "\tlocal commands=" },
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

static void completes(void)
{
	FILE *f = fopen(COMPLETION, "r");
	size_t i;

	if (!f || !fread(completion, 1, sizeof(completion) - 1, f)) {
		fail("cannot read %s", COMPLETION);
		return;
	}
	fclose(f);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		char want[256] = "'";
		const char *at = strstr(completion, lists[i].option), *end;
		int k;

		for (k = 0; k < lists[i].nr; k++)
			sprintf(want + strlen(want), "%s%s", k ? " " : "", lists[i].words[k]);
		end = at ? strchr(at, '\n') : NULL;
		at = at ? strstr(at, want) : NULL;
		if (!at || at > end)
			fail("the completion of%s is not %s'", lists[i].option, want);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(finds), TEST(completes) };

	return run_tests("tool_choice", tests, ARRAY_SIZE(tests));
}

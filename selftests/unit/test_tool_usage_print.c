// SPDX-License-Identifier: GPL-2.0
/* Rows of usages: which are asked for, and that each stack has its text, however many there are. */
#include "cell.h"
#include "out.h"
#include "table.h"
#include "test.h"
#include "usage_print.h"
#include "work.h"

enum { COLUMNS = 18 };

static const struct col *columns;
static unsigned int nr_rows, nr_texts;

struct table *table_new(enum format format, const char *type, const struct col *cols,
			unsigned int nr)
{
	(void)format;
	(void)type;
	columns = cols;
	if (nr != COLUMNS)
		fail("%u columns", nr);
	return NULL;
}

static const struct cell *cell_of(const struct cell *cells, const char *key)
{
	unsigned int i;

	for (i = 0; i < COLUMNS && strcmp(columns[i].key, key); i++)
		;
	return &cells[i];
}

/* A stack has as many IOs as its function is called; the first row has none. */
void table_row(struct table *t, const struct cell *cells)
{
	const struct cell *text = cell_of(cells, "folded");
	char name[32];

	(void)t;
	sprintf(name, "f%llu", (u64)cell_of(cells, "ios")->n);
	if (text->known && strcmp(text->text, name))
		fail("%s is in the place of %s", text->text, name);
	nr_texts += text->known;
	nr_rows++;
}

void table_end(struct table *t)
{
	(void)t;
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

static void print_stacks(unsigned int stacks)
{
	const struct opts o = { .format = FORMAT_JSON };
	struct usage_list rows = { 0 };
	struct usage u = { .key = { .disk = "sda" } };
	unsigned int i;
	char name[32];

	for (i = 0; i <= stacks; i++) {
		u.key.stack = i;
		u.ios = i;
		usage_add(&rows, &u);
		sprintf(name, "f%u", i);
		usage_add_stack(&rows, i, name);
	}
	nr_rows = 0;
	nr_texts = 0;
	usage_print(&o, &rows, BY_STACK);
	if (nr_rows != stacks + 1 || nr_texts != stacks)
		fail("%u rows, and %u texts of %u stacks", nr_rows, nr_texts, stacks);
	usage_clear(&rows);
}

static void many_stacks(void)
{
	work_is_linear("stacks", print_stacks);
}

/* Names are escaped text, and so are words: a backslash stands for itself. */
static void words_match(void)
{
	static const struct usage_key key = {
		.program = "a\\134b", .user = "ann", .file = "/caf\\351.db",
	};
	static const struct {
		const char *comm, *file;
		bool wanted;
	} cases[] = {
		{ NULL, NULL, true }, { "a*", "/caf*", true }, { "b*", "/caf*", false },
		{ "a*", "/b*", false }, { NULL, "/caf\\351.db", true },
		{ NULL, "/caf351.db", false }, { NULL, "/caf\\35[01].*", true },
		{ "a\\134b", NULL, true }, { "a\\b", NULL, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct opts o = {
			.comm = { cases[i].comm }, .nr_comms = !!cases[i].comm,
			.file = { cases[i].file }, .nr_files = !!cases[i].file,
		};

		if (usage_wanted(&o, &key) != cases[i].wanted)
			fail("case %u is %swanted", i, cases[i].wanted ? "not " : "");
	}
}

/* A user is known by his name as it is, as it is shown, and by his number. */
static void users_match(void)
{
	static const struct {
		const char *word, *user;
		bool is;
	} cases[] = {
		{ "ann", "ann", true }, { "an", "ann", false }, { "an*", "ann", false },
		{ "1001", "ann", true }, { "1002", "ann", false },
		{ "CORP\\ann", "CORP\\134ann", true }, { "CORP\\134ann", "CORP\\134ann", true },
		{ "CORP\\2001", "CORP\\1342001", true }, { "CORP\\bob", "CORP\\134ann", false },
		{ "ann", "CORP\\134ann", false }, { "CORP\\ann", "CORPann", false },
		{ "ann", "", false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct usage_key key = {
			.program = "", .user = cases[i].user, .file = "", .uid = 1001,
		};
		const struct opts o = { .user = { "bob", cases[i].word }, .nr_users = 2 };

		if (usage_wanted(&o, &key) != cases[i].is)
			fail("-u %s is %s%s", cases[i].word, cases[i].is ? "not " : "",
			     cases[i].user);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(many_stacks), TEST(words_match), TEST(users_match),
	};

	return run_tests("tool_usage_print", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/* Rows of usages: each stack has its text, however many there are. */
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

int main(void)
{
	static const struct test tests[] = {
		TEST(many_stacks),
	};

	return run_tests("tool_usage_print", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/* Tables that fit: cells of text, widths of columns, and lines. */
#include <ctype.h>
#include <locale.h>
#include <stdlib.h>

#include "cell.h"
#include "grid.h"
#include "layout.h"
#include "test.h"
#include "width.h"

static void counts_cells(void)
{
	static const struct {
		const char *text;
		unsigned int cells;
	} texts[] = {
		{ "", 0 }, { "abc", 3 }, { "ä", 1 }, { "写真", 4 }, { "a\xcc\x88", 1 }, { "…", 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (width_of(texts[i].text) != texts[i].cells)
			fail("'%s' has %u cells", texts[i].text, width_of(texts[i].text));
	}
}

static void cuts(void)
{
	static const struct {
		const char *text;
		unsigned int width;
		bool left;
		const char *want;
	} cases[] = {
		{ "abcdef", 6, false, "abcdef" }, { "abcdef", 5, false, "abcd…" },
		{ "abcdef", 5, true, "…cdef" }, { "abcdef", 1, false, "…" },
		{ "abcdef", 0, false, "" }, { "写真写真", 5, false, "写真…" },
		{ "写真写真", 4, false, "写…" }, { "写真写真", 4, true, "…真" },
		{ "写真", 1, true, "…" },
	};
	char got[64], text[64];
	unsigned int i, w, n;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		width_cut(got, sizeof(got), cases[i].text, cases[i].width, cases[i].left);
		if (strcmp(got, cases[i].want))
			fail("'%s' in %u cells is '%s'", cases[i].text, cases[i].width, got);
	}
	/* whatever the bytes, it fits the cells and the room */
	for (i = 0; i < 20000; i++) {
		n = rnd(40);
		text[n] = '\0';
		while (n--)
			text[n] = 1 + rnd(255);
		w = rnd(30);
		if (width_cut(got, sizeof(got), text, w, rnd(2)) > w || width_of(got) > w)
			fail("%u cells in %u", width_of(got), w);
	}
}

/* Whatever the columns, what is shown fits, unless it is a single one, and nothing is wasted. */
static void fits(void)
{
	struct layout cols[12];
	unsigned int i, k, nr, width, sum, shown, cut;

	for (i = 0; i < 50000; i++) {
		nr = 1 + rnd(12);
		width = 1 + rnd(120);
		for (k = 0; k < nr; k++) {
			cols[k] = (struct layout){
				.need = 1 + rnd(30), .rank = rnd(5) * 10, .shown = true,
			};
			cols[k].least = 1 + rnd(cols[k].need);
		}
		layout_fit(cols, nr, width);
		for (k = 0, sum = 0, shown = 0, cut = 0; k < nr; k++) {
			if (!cols[k].shown)
				continue;
			sum += cols[k].width + (shown++ > 0);
			cut += cols[k].width < cols[k].need;
			if (cols[k].width > cols[k].need ||
			    (shown > 1 && cols[k].width < cols[k].least))
				fail("a width of %u, need %u", cols[k].width, cols[k].need);
		}
		if (!shown || sum > width || (cut && sum < width))
			fail("%u columns in %u of %u cells, %u cut", shown, sum, width, cut);
	}
}

/* What has the lowest ranks stays. */
static void ranks(void)
{
	struct layout cols[] = {
		{ .need = 10, .least = 10, .rank = 1, .shown = true },
		{ .need = 10, .least = 10, .rank = 30, .shown = true },
		{ .need = 10, .least = 10, .rank = 20, .shown = true },
		{ .need = 10, .least = 10, .rank = 30, .shown = true },
	};

	layout_fit(cols, 4, 42);
	if (!cols[0].shown || cols[1].shown || !cols[2].shown || cols[3].shown)
		fail("equal ranks do not go together");
	cols[1].shown = true;
	layout_fit(cols, 4, 15);
	if (!cols[0].shown || cols[1].shown || cols[2].shown)
		fail("the lowest rank does not stay");
}

static void add_piece(const char *text, enum mark mark, void *arg)
{
	(void)mark;
	strcat(arg, text);
}

static const struct col columns[] = {
	{ "PID", "pid", COL_COUNT, COL_DROP(20), 0 },
	{ "NAME", "name", COL_TEXT, COL_CUT | COL_DROP(1), 0 },
	{ "ERR", "errors", COL_COUNT, COL_IF_NOT_0 | COL_DROP(10), 0 },
	{ "AGE", "age", COL_COUNT, COL_ONLY_DATA, 0 },
	{ "FILE", "file", COL_TEXT, COL_CUT | COL_PATH | COL_DROP(5), 0 },
};

/* The lines of a grid of two rows, with a bar after each. */
static const char *lines_of(const char *spec, unsigned int width, unsigned int errors)
{
	static char text[1024];
	struct cell cells[] = {
		CELL_N(7), CELL_TEXT("a-long-name"), CELL_N(0), CELL_N(9),
		CELL_TEXT("/srv/folder/of/some/depth/file"),
	};
	struct grid g;
	long i;

	text[0] = '\0';
	grid_begin(&g, columns, ARRAY_SIZE(columns), spec);
	grid_row(&g, cells);
	cells[0] = CELL_N(1234);
	cells[2] = CELL_N(errors);
	cells[4] = CELL_TEXT("-");
	grid_row(&g, cells);
	grid_fit(&g, width);
	for (i = -1; i < 2; i++) {
		grid_line(&g, i, add_piece, text);
		strcat(text, "|");
	}
	grid_end(&g);
	return text;
}

static void draws(void)
{
	static const struct {
		const char *spec;
		unsigned int width, errors;
		const char *want;
	} cases[] = {
		{ NULL, 0, 0, " PID NAME        FILE|   7 a-long-name /srv/folder/of/some/depth/file|"
			      "1234 a-long-name -|" },
		{ NULL, 0, 5, " PID NAME        ERR FILE|   7 a-long-name   0 "
			      "/srv/folder/of/some/depth/file|1234 a-long-name   5 -|" },
		{ NULL, 40, 0, " PID NAME        FILE|   7 a-long-name …der/of/some/depth/file|"
			       "1234 a-long-name -|" },
		{ NULL, 29, 0, "NAME     FILE|a-long-… …/of/some/depth/file|a-long-… -|" },
		{ NULL, 6, 0, "NAME|a-lon…|a-lon…|" },
		{ "file,Pid", 0, 0, "FILE                            PID|"
				    "/srv/folder/of/some/depth/file    7|"
				    "-                              1234|" },
		{ "errors", 0, 0, "ERR|  0|  0|" },
		{ "+age", 0, 0, " PID NAME        FILE                           AGE|"
				"   7 a-long-name /srv/folder/of/some/depth/file   9|"
				"1234 a-long-name -                                9|" },
	};
	const char *got;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		got = lines_of(cases[i].spec, cases[i].width, cases[i].errors);
		if (strcmp(got, cases[i].want))
			fail("in %u cells '%s' are not '%s'", cases[i].width, got, cases[i].want);
	}
}

static void knows(void)
{
	static const char * const good[] = { NULL, "PID", "pid,name", "+age", "ERR,err" };
	static const char * const bad[] = { "", "+", "nosuch", "pid,", "pid,,name", "+pid;name" };
	char why[2560];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (grid_unknown(columns, ARRAY_SIZE(columns), good[i], why, sizeof(why)))
			fail("%s: %s", good[i], why);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (!grid_unknown(columns, ARRAY_SIZE(columns), bad[i], why, sizeof(why)) ||
		    !strstr(why, "choose of PID, NAME, ERR, AGE, FILE"))
			fail("'%s' is taken: %s", bad[i], why);
	}
}

/* from the leak sanitizer, whose headers gcc may lack */
void __lsan_disable(void);
void __lsan_enable(void);

/* As the C library's, whose place the sanitizer takes with one that knows ASCII alone */
int strncasecmp(const char *a, const char *b, size_t n)
{
	int diff = 0;

	for (; n && !diff; a++, b++, n--) {
		diff = tolower((unsigned char)*a) - tolower((unsigned char)*b);
		if (!*a)
			break;
	}
	return diff;
}

/* In Turkish, the small letter of I is no i. */
static void turkish(void)
{
	static const struct col written = { "WRITTEN", "written_bytes", COL_BYTES, 0, 0 };
	static char folder[] = "/tmp/locale.XXXXXX";
	char command[160], why[2560];
	bool there;

	if (!mkdtemp(folder))
		fail("no folder");
	snprintf(command, sizeof(command),
		 "localedef -i tr_TR -f UTF-8 --no-archive %s/tr_TR.UTF-8 >/dev/null 2>&1", folder);
	if (system(command) < 0)
		fail("no shell");
	/* (glibc forgets a copy of the path each time) */
	__lsan_disable();
	setenv("LOCPATH", folder, 1);
	there = setlocale(LC_CTYPE, "tr_TR.UTF-8");
	unsetenv("LOCPATH");
	__lsan_enable();
	if (!there)
		note("there is no such locale");
	else if (tolower('I') == 'i')
		fail("the locale has the letters of others");
	if (grid_unknown(&written, 1, "written,WRITTEN,Written_Bytes", why, sizeof(why)))
		fail("in Turkish, %s", why);
	setlocale(LC_ALL, "C.UTF-8");
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		fail("%s", command);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(counts_cells), TEST(cuts), TEST(fits), TEST(ranks), TEST(draws), TEST(knows),
		TEST(turkish),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return run_tests("tool_grid", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/* `ioblame when` names the command that shows more of its last moment, and of nothing beside it. */
#include <stdarg.h>
#include <time.h>

#include "cmd.h"
#include "fake_table.h"
#include "kept.h"
#include "out.h"
#include "points.h"
#include "since.h"
#include "test.h"

#define SECOND	1000000000LL
#define BEGIN	(1795600800LL * SECOND)
#define MINUTE	(60 * SECOND)

enum { SPANS = 6 };

/* Minutes follow each other, and begin at fractions of a second. */
static int64_t ends[SPANS + 1];
static size_t first, last;	/* of the minutes in which IO failed */
static char printed[4096];

int points_read(struct points *to, const struct opts *o)
{
	static struct when_point point[SPANS];
	size_t i;

	(void)o;
	memset(to, 0, sizeof(*to));
	for (i = 0; i < SPANS; i++)
		point[i] = (struct when_point){
			.from_ns = ends[i], .until_ns = ends[i + 1], .disk = "sda", .level = 1,
			.ios = 5, .bytes = 4096, .errors = i >= first && i <= last,
		};
	to->point = point;
	to->nr = SPANS;
	return EXIT_OK;
}

void points_free(struct points *points)
{
	(void)points;
}

void kept_read(struct kept *k, const struct opts *o)
{
	(void)k;
	(void)o;
}

const char *kept_of(const struct kept *k, const char *disk, int64_t from_ns, int64_t until_ns,
		    char *to, size_t size)
{
	(void)k;
	(void)disk;
	(void)from_ns;
	(void)until_ns;
	(void)to;
	(void)size;
	return NULL;
}

void kept_print(const struct kept *k, const struct opts *o)
{
	(void)k;
	(void)o;
}

void kept_free(struct kept *k)
{
	(void)k;
}

void table_row(struct table *t, const struct cell *cells)
{
	(void)t;
	(void)cells;
}

void table_end(struct table *t)
{
	(void)t;
}

void out_puts(const char *text)
{
	strncat(printed, text, sizeof(printed) - strlen(printed) - 1);
}

void out_printf(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(printed + strlen(printed), sizeof(printed) - strlen(printed), fmt, args);
	va_end(args);
}

/* The moment behind a word of what was printed */
static int64_t moment_behind(const char *word)
{
	char text[64] = "";
	const char *at = strstr(printed, word);
	int64_t ns = -1;

	if (!at || sscanf(at + strlen(word), " %63s", text) != 1 || !since_parse(text, 0, &ns))
		fail("%s '%s': %s", word, text, printed);
	return ns;
}

/* Which minutes the command takes, whole, if nothing shorter is kept */
static void touched(void)
{
	const struct opts o = { .command = CMD_WHEN };
	int64_t since, until;
	size_t i, nr = 0;

	*printed = '\0';
	if (cmd_when(&o))
		fail("it fails");
	since = moment_behind("--since");
	until = moment_behind("--until");
	for (i = 0; i < SPANS; i++) {
		if (ends[i + 1] <= since || ends[i] >= until)
			continue;
		nr++;
		if (i < first || i > last)
			fail("minute %zu is taken, beside %zu to %zu: %s", i, first, last, printed);
	}
	if (nr != last - first + 1)
		fail("%zu minutes are taken, not %zu: %s", nr, last - first + 1, printed);
}

static void alone(void)
{
	size_t i, k;

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	for (k = 0; k < 2000; k++) {
		/* on the second, 0.3 s behind it, and anywhere */
		ends[0] = BEGIN + (k ? k == 1 ? 300000000 : rnd64() % SECOND : 0);
		for (i = 0; i < SPANS; i++)
			ends[i + 1] = ends[i] + MINUTE + (k > 1 ? rnd64() % SECOND : 0);
		first = rnd(SPANS);
		last = first + rnd(SPANS - first);
		touched();
	}
	unsetenv("TZ");
	tzset();
}

int main(void)
{
	static const struct test tests[] = { TEST(alone) };

	return run_tests("tool_show_more", tests, ARRAY_SIZE(tests));
}

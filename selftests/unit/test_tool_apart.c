// SPDX-License-Identifier: GPL-2.0
/*
 * How far apart the passes of `ioblame sums` are, however rarely it prints, and that what it prints
 * is all that they had.  The clock, the session and the sums are fakes.
 */
#include "fake_dir.h"
#include "fake_run.h"
#include "test.h"

#include "cmd_sums.c"

#define SECOND	1000000000ULL

static u64 now, last_pass, most_apart;
static u64 passes, prints, printed;

uint64_t clock_ns(void)
{
	return now;
}

int stop_wait(int fd, uint64_t timeout_ns)
{
	(void)fd;
	now += timeout_ns;
	return 0;
}

int sums_open(struct sums *s)
{
	s->on = true;
	last_pass = now;
	return 0;
}

/* One IO has ended since the last pass. */
int sums_gather(struct sums *s, struct usage_list *all)
{
	const struct usage u = { .key = { .disk = "sda", .program = "dd" }, .ios = 1 };

	(void)s;
	if (now - last_pass > most_apart)
		most_apart = now - last_pass;
	last_pass = now;
	passes++;
	usage_add(all, &u);
	return 0;
}

void sums_close(struct sums *s)
{
	(void)s;
}

void usage_print(const struct opts *o, const struct usage_list *rows, enum pivot by)
{
	size_t i;

	(void)o;
	(void)by;
	for (i = 0; i < rows->nr; i++)
		printed += rows->list[i].ios;
	prints++;
}

bool usage_wanted(const struct opts *o, const struct usage_key *key)
{
	(void)o;
	(void)key;
	return true;
}

int session_lock(void)
{
	return 0;
}

int restore_set_sums(void)
{
	return 0;
}

void source_head_now(struct store_head *head)
{
	(void)head;
}

const struct device *device_beside(const struct device *a, unsigned int nr_a,
				   const struct device *b, unsigned int nr_b)
{
	(void)a;
	(void)nr_a;
	(void)b;
	(void)nr_b;
	return NULL;
}

void run_time(const struct run *run, uint64_t ns, char *to, unsigned int size)
{
	(void)run;
	(void)ns;
	(void)size;
	*to = '\0';
}

void out_puts(const char *text)
{
	(void)text;
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

static const struct apart {
	u64 interval, lasts, prints, passes;	/* seconds; passes at least */
} cases[] = {
	{ 0, 30, 1, 1 }, { 0, 4 * 3600, 1, 4 * 60 }, { 3600, 2 * 3600, 3, 2 * 60 },
	/* where it prints often, no pass is beside those */
	{ 1, 10, 11, 0 },
};

static void apart(void)
{
	const struct apart *c;

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		const struct opts o = {
			.duration_ns = c->lasts * SECOND, .interval_ns = c->interval * SECOND,
			.format = FORMAT_JSON,
		};

		most_apart = passes = prints = printed = 0;
		if (cmd_sums(&o))
			fail("it fails");
		if (prints != c->prints || printed != passes)
			fail("%llu s: it prints %llu times, %llu IOs of %llu", c->lasts, prints,
			     printed, passes);
		if (c->passes ? passes < c->passes : passes > prints)
			fail("%llu s: %llu passes", c->lasts, passes);
		if (most_apart > SUMS_APART_NS + SECOND)
			fail("%llu s: passes are %llu s apart", c->lasts, most_apart / SECOND);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(apart) };

	return run_tests("tool_apart", tests, ARRAY_SIZE(tests));
}

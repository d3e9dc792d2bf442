// SPDX-License-Identifier: GPL-2.0
/* What a view does around its records.  The source, the session and the names are fakes. */
#include "child.h"
/* this one looks what is before it */
#define child_kill	kill_nobody
#include "fake_run.h"
#undef child_kill
#include "test.h"

#include "view.c"

enum {
	BATCHES = 50,
	RECORDS = 2,		/* in each */
};

static u64 now;
static unsigned int fills, given, records, tidied, filled, looked;

uint64_t clock_ns(void)
{
	return now;
}

bool source_fill(struct source *s, bool last)
{
	(void)s;
	given = 0;
	return !last && fills++ < BATCHES;
}

void source_look_for_cpus(struct source *s)
{
	(void)s;
	looked++;
}

bool source_next(struct source *s, struct iob_iolog_bin_record *rec)
{
	(void)s;
	memset(rec, 0, sizeof(*rec));
	rec->complete_ns = now;
	return fills <= BATCHES && given++ < RECORDS;
}

bool source_is_live(const struct source *s)
{
	return s->kind == SOURCE_BINARY;
}

uint64_t source_tick(const struct source *s, uint64_t tick, uint64_t most)
{
	(void)s;
	(void)tick;
	return most;
}

int stop_wait(int fd, uint64_t timeout_ns)
{
	(void)fd;
	now += timeout_ns;
	return 0;
}

void name_tidy(void)
{
	tidied++;
}

static void count_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	(void)rec;
	records++;
}

/* Names that the view uses here are still there. */
static void end_of_batch(struct run *run)
{
	(void)run;
	filled++;
	if (tidied >= filled)
		fail("names are dropped before the view has used them");
}

static void run_view(const struct view *view, enum source_kind kind)
{
	const struct opts o = { .direct = true };
	struct run run = { .opts = &o, .source = { .kind = kind } };

	now = 1000000000;
	fills = 0;
	records = 0;
	tidied = 0;
	filled = 0;
	looked = 0;
	go_through(&run, view);
	if (records != BATCHES * RECORDS)
		fail("%u records", records);
}

/* A view without an end of its batches needs no memory for each name of a month either. */
static void tidy(void)
{
	static const enum source_kind kinds[] = { SOURCE_BINARY, SOURCE_RECORDING };
	const struct view plain = { .record = count_record };
	const struct view with_end = { .record = count_record, .filled = end_of_batch };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		run_view(&plain, kinds[i]);
		if (tidied < BATCHES)
			fail("kind %d: names are tidied %u times in %u batches", kinds[i], tidied,
			     BATCHES);
		run_view(&with_end, kinds[i]);
		if (filled < BATCHES || tidied < filled)
			fail("kind %d: %u ends of batches, names are tidied %u times", kinds[i],
			     filled, tidied);
	}
}

/* A CPU that comes while the view runs is read, too; a recording has none. */
static void cpus(void)
{
	const struct view plain = { .record = count_record };

	run_view(&plain, SOURCE_BINARY);
	if (looked < BATCHES)
		fail("it looked %u times for CPUs in %u batches", looked, BATCHES);
	run_view(&plain, SOURCE_RECORDING);
	if (looked)
		fail("a replay looks for CPUs");
}

static bool has_terminal;
static unsigned int pictures, ended;

static int take_terminal(struct run *run)
{
	(void)run;
	has_terminal = true;
	return EXIT_OK;
}

static void draw(struct run *run, uint64_t from_ns, uint64_t to_ns, bool last)
{
	(void)run;
	(void)from_ns;
	(void)to_ns;
	if (!last && !has_terminal)
		fail("it draws when the terminal is left");
	pictures += !last;
}

static void leave(struct run *run)
{
	(void)run;
	has_terminal = false;
	ended++;
}

/* It may print, and so may all that comes behind it. */
void child_kill(bool asked, bool sync)
{
	(void)asked;
	(void)sync;
	if (has_terminal)
		fail("the terminal is in use when messages come");
}

static void end_after(enum source_kind kind, unsigned int count)
{
	const struct view view = {
		.begin = take_terminal, .record = count_record, .interval = draw, .ending = leave,
	};
	const struct opts o = { .direct = true, .interval_ns = 1000000000, .count = count };
	struct run run = { .opts = &o, .source = { .kind = kind } };

	now = 1000000000;
	fills = 0;
	pictures = 0;
	ended = 0;
	go_through(&run, &view);
	if (ended != 1)
		fail("kind %d, %u pictures: the terminal is left %u times", kind, count, ended);
	if (kind == SOURCE_BINARY && count && pictures != count)
		fail("%u pictures, not %u", pictures, count);
}

/* However a view ends, it leaves its terminal first: also behind its last picture. */
static void terminal(void)
{
	static const enum source_kind kinds[] = { SOURCE_BINARY, SOURCE_RECORDING };
	unsigned int count;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		for (count = 0; count < 3; count++)
			end_after(kinds[i], count);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(tidy), TEST(cpus), TEST(terminal),
	};

	return run_tests("tool_view", tests, ARRAY_SIZE(tests));
}

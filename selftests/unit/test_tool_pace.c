// SPDX-License-Identifier: GPL-2.0
/*
 * A recording that passes as time does: each record is shown once, in the picture of its time,
 * whatever keys are pressed.  Time stands still here but for the waits of the view.
 */
#include "clock.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "pace.h"
#include "run.h"
#include "source.h"
#include "stop.h"
#include "test.h"
#include "view.h"

#define MS	1000000ULL

enum {
	RECORDS = 5000,
	CHUNK = 64,
};

static uint64_t at[RECORDS], wall;
static unsigned int next, filled, opened;
static const char *keys;
static bool is_bad;		/* the recording is damaged, and has no end */

uint64_t clock_ns(void)
{
	return wall;
}

bool stop_asked(void)
{
	return false;
}

void name_tidy(void) {}

int source_open_file(struct source *s, const char *path)
{
	(void)path;
	memset(s, 0, sizeof(*s));
	s->head.start_ns = at[0] - 100 * MS;
	next = 0;
	filled = 0;
	opened++;
	return EXIT_OK;
}

void source_close(struct source *s)
{
	(void)s;
}

bool source_fill(struct source *s, bool last)
{
	(void)last;
	if (filled == RECORDS) {
		/* what was lost stands at the end */
		s->recording.has_status = !is_bad;
		s->recording.torn = is_bad;
		s->recording.damaged = is_bad;
		s->recording.after.ios = 77;
		return false;
	}
	filled += RECORDS - filled < CHUNK ? RECORDS - filled : CHUNK;
	return true;
}

bool source_next(struct source *s, struct iob_iolog_bin_record *rec)
{
	(void)s;
	if (next == filled)
		return false;
	memset(rec, 0, sizeof(*rec));
	rec->complete_ns = at[next];
	rec->bytes = next++;
	return true;
}

/* The picture that is being made, and all that were shown */
static uint64_t first, last;
static unsigned int passed, pictures, shown_records, jumps;

void view_pass(struct run *run, const struct view *view, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	(void)view;
	if (!passed)
		first = rec->complete_ns;
	if (passed && rec->complete_ns < last)
		fail("not in order");
	last = rec->complete_ns;
	passed++;
}

static unsigned int between(uint64_t from, uint64_t to)
{
	unsigned int i, n = 0;

	for (i = 0; i < RECORDS; i++)
		n += at[i] > from && at[i] <= to;
	return n;
}

static uint64_t shown_to;

static void show_picture(struct run *run, uint64_t from_ns, uint64_t to_ns, bool end)
{
	(void)run;
	if (end)
		fail("the last picture is not the recording's");
	if (passed != between(from_ns, to_ns) || (passed && (first <= from_ns || last > to_ns)))
		fail("picture %u: %u records, not %u", pictures, passed, between(from_ns, to_ns));
	shown_records += passed;
	passed = 0;
	shown_to = to_ns;
	pictures++;
}

static void jump(struct run *run)
{
	(void)run;
	passed = 0;
	jumps++;
}

/* One key every 100 ms; '_' is none, and at the end comes q */
static void press_key(struct run *run, uint64_t timeout_ns)
{
	static unsigned int waits;

	wall += timeout_ns;
	if (waits++ % 2)
		return;
	if (!*keys)
		run->quit = true;
	else if (*keys != '_' && !pace_key(&run->pace, *keys))
		fail("key %c", *keys);
	if (*keys)
		keys++;
}

static struct run run;
static struct opts opts = { .input = "recording" };

static void replay(const char *pressed)
{
	static const struct view view = {
		.interval = show_picture, .wait = press_key, .jumped = jump,
		.interval_ns = 1000 * MS,
	};

	memset(&run, 0, sizeof(run));
	run.opts = &opts;
	passed = pictures = shown_records = jumps = opened = 0;
	keys = pressed;
	source_open_file(&run.source, opts.input);
	if (!pace_measure(&run.pace, &run))
		fail("not measured");
	pace_records(&run.pace, &run, &view);
}

static void make_records(uint64_t step)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++)
		at[i] = (i ? at[i - 1] : 5000 * MS) + rnd(2 * step);
}

static const char *repeat(char key, unsigned int n)
{
	static char text[4096];

	memset(text, key, n);
	text[n] = '\0';
	return text;
}

static void passes(void)
{
	note("seed %llu", seed());
	make_records(2 * MS);
	/* ten seconds, of which the last are nothing more */
	replay(repeat('_', 150));
	if (shown_records != RECORDS || pictures < 9 || pictures > 12 || opened != 2 || jumps)
		fail("%u records, %u pictures, opened %u times", shown_records, pictures, opened);
	if (run.pace.end_ns != at[RECORDS - 1] || shown_to != run.pace.end_ns)
		fail("the end");
	if (!run.source.recording.has_status || run.source.recording.after.ios != 77)
		fail("what was lost is forgotten");
}

static void follows_keys(void)
{
	static const char all[] = " +-,.<>0_____";
	char pressed[200];
	unsigned int round, i;

	note("seed %llu", seed());
	for (round = 0; round < 300; round++) {
		make_records(1 + rnd(20 * MS));
		for (i = 0; i < sizeof(pressed) - 1; i++)
			pressed[i] = all[rnd(sizeof(all) - 1)];
		pressed[i] = '\0';
		replay(pressed);
	}
}

static void is_where_it_was_told(void)
{
	char text[PACE_TEXT];
	uint64_t tenth;

	make_records(20 * MS);
	replay(" ");
	pace_text(&run.pace, text);
	if (!strstr(text, " x1 PAUSED") || strncmp(text, "0:00.", 5))
		fail("%s", text);
	tenth = (run.pace.end_ns - run.pace.begin_ns) / 10;
	replay(" 0>>>_");
	if (run.pace.at_ns != run.pace.begin_ns + 3 * tenth || shown_to != run.pace.at_ns)
		fail("not at three tenths");
	replay(" 0>>>,_");
	if (run.pace.at_ns != run.pace.begin_ns + 3 * tenth - 1000 * MS || jumps != 5)
		fail("not a second before it");
	replay(" >>0_");
	if (run.pace.at_ns != run.pace.begin_ns)
		fail("not at the beginning");
	replay(" <,>>>>>>>>>>>>._");
	pace_text(&run.pace, text);
	if (run.pace.at_ns != run.pace.end_ns || !strstr(text, "PAUSED"))
		fail("not at the end: %s", text);
	/* three seconds at eight times the speed */
	replay("+++______________________________");
	if (run.pace.at_ns < run.pace.begin_ns + 20000 * MS ||
	    run.pace.at_ns > run.pace.begin_ns + 28000 * MS)
		fail("x8: %llu ms", (u64)(run.pace.at_ns - run.pace.begin_ns) / MS);
	replay("--____________________");
	if (run.pace.at_ns > run.pace.begin_ns + 1000 * MS || run.pace.at_ns == run.pace.begin_ns)
		fail("x1/4: %llu ms", (u64)(run.pace.at_ns - run.pace.begin_ns) / MS);
	replay(repeat('+', 50));
	if (run.pace.speed != PACE_SPEED_MOST)
		fail("speed %d", run.pace.speed);
	if (pace_key(&run.pace, 'q'))
		fail("q is the view's");
}

/* Nothing recorded, or all at one moment */
static void is_short(void)
{
	unsigned int i;

	for (i = 0; i < RECORDS; i++)
		at[i] = 1000 * MS;
	replay("<>,.0+-_ ______________");
	if (!pictures)
		fail("no picture");
}

/* -d and COUNT end it by itself, -d at a time of the recording; keys that seek do not count. */
static void ends(void)
{
	static const struct {
		u64 duration_ms, count;
		const char *keys;
		u64 at_ms;		/* where it is when it ends */
		unsigned int pictures;
		bool cut;
	} rows[] = {
		{ 2500, 0, "", 2500, 3, true },
		{ 0, 3, "", 3000, 3, true },
		{ 2500, 2, "", 2000, 2, true },
		{ 2500, 3, "", 2500, 3, true },
		{ 2500, 9, "", 2500, 3, true },
		/* twice as fast, from the first picture on */
		{ 0, 2, "+", 3950, 2, true },
		/* not while it is paused, though it is sought there; and not behind it */
		{ 2500, 0, " >>>>>>>>>>>>______________ ", 2500, 0, true },
		{ 2500, 2, ">>>>>>>>>>>>", 2500, 1, true },
		/* of all of the recording, and what it does not have */
		{ 60000, 0, "", 0, 0, false },
		{ 0, 1000, "", 0, 0, false },
	};
	char pressed[400];
	unsigned int k;
	u64 end, all;

	make_records(2 * MS);
	all = at[RECORDS - 1] - at[0] + 100 * MS;
	for (k = 0; k < ARRAY_SIZE(rows); k++) {
		opts.duration_ns = rows[k].duration_ms * MS;
		opts.count = rows[k].count;
		strcpy(pressed, rows[k].keys);
		strcat(pressed, repeat('_', 300));
		replay(pressed);
		end = rows[k].at_ms ? rows[k].at_ms * MS : all;
		if (!*keys)
			fail("%u: it does not end", k);
		if (run.pace.at_ns < run.pace.begin_ns + end ||
		    run.pace.at_ns > run.pace.begin_ns + end + (rows[k].duration_ms ? 0 : 200 * MS))
			fail("%u: it ends at %llu ms", k,
			     (u64)(run.pace.at_ns - run.pace.begin_ns) / MS);
		if (rows[k].pictures && pictures - jumps > rows[k].pictures)
			fail("%u: %u pictures", k, pictures - jumps);
		if (run.cut != rows[k].cut)
			fail("%u: it says that the time is%s cut", k, run.cut ? "" : " not");
	}
	memset(&opts, 0, sizeof(opts));
	opts.input = "recording";
}

/* A view that ends before the recording does says, too, what is wrong with that. */
static void is_damaged(void)
{
	is_bad = true;
	opts.count = 1;
	make_records(2 * MS);
	replay(repeat('_', 150));
	if (!run.cut || pictures != 1)
		fail("%u pictures", pictures);
	if (!run.source.recording.torn || !run.source.recording.damaged)
		fail("torn %d, damaged %d", run.source.recording.torn,
		     run.source.recording.damaged);
	is_bad = false;
	opts.count = 0;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(passes), TEST(follows_keys), TEST(is_where_it_was_told), TEST(is_short),
		TEST(ends), TEST(is_damaged),
	};

	return run_tests("tool_pace", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What the keys of the live view do to its sums, and when there is one.  There is no terminal: its
 * pictures are counted.
 */
#include "fake_names.h"
#include "fake_one_name.h"
#include "intent.h"
#include "test.h"

#include "live.c"

/* top, where both are terminals */
static int is_terminal(int fd)
{
	(void)fd;
	return 1;
}

#define HAVE_CURSES
#define isatty	is_terminal
#include "cmd_top.c"
#undef isatty

#define SECOND	1000000000ULL

enum {
	PER_SECOND = 100,	/* IOs of 1 MiB */
};

void live_draw(struct live_state *state)
{
	(void)state;
}

bool pace_key(struct pace *p, int key)
{
	(void)p;
	(void)key;
	return false;
}

bool rows_unknown(const char *list, char *to, size_t size)
{
	(void)list;
	(void)to;
	(void)size;
	return false;
}

void run_lost(const struct run *run, char *to, unsigned int size)
{
	(void)run;
	(void)size;
	*to = '\0';
}

int stop_wait(int fd, uint64_t timeout_ns)
{
	(void)fd;
	(void)timeout_ns;
	return 0;
}

uint64_t clock_ns(void)
{
	return 0;
}

static const struct view *viewed;

int view_run(const struct opts *o, const struct view *view)
{
	(void)o;
	viewed = view;
	return 0;
}

struct agg summed;

int sum_begin(struct run *r)
{
	(void)r;
	return 0;
}

void sum_record(struct run *r, const struct iob_iolog_bin_record *rec)
{
	(void)r;
	(void)rec;
}

void sum_filled(struct run *r)
{
	(void)r;
}

void sum_print_folded(const struct run *r)
{
	(void)r;
}

int sum_end(struct run *r)
{
	(void)r;
	return 0;
}

int history_top(const struct opts *o)
{
	(void)o;
	return 0;
}

bool rows_know(const char *spec)
{
	(void)spec;
	return true;
}

void rows_print(const struct run *r, const struct agg *agg, enum pivot by, unsigned int most,
		const struct rows_look *look)
{
	(void)r;
	(void)agg;
	(void)by;
	(void)most;
	(void)look;
}

void run_time(const struct run *r, uint64_t ns, char *to, unsigned int size)
{
	(void)r;
	(void)ns;
	(void)size;
	*to = '\0';
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

void name_note_at_most(unsigned int per_second)
{
	(void)per_second;
}

static struct opts opts;
static struct run run = { .opts = &opts };

static void begin(void)
{
	memset(&v, 0, sizeof(v));
	v.run = &run;
	agg_init(&v.agg, FIELD_TOTAL, v.by);
	agg_init(&v.shown, FIELD_TOTAL, v.by);
	agg_init(&v.all, FIELD_TOTAL, v.by);
}

/* The IOs of a second, from number @i until @end */
static void add_ios(u64 second, unsigned int i, unsigned int end)
{
	struct iob_iolog_bin_record rec = {
		.op = 'W', .bytes = 1 << 20, .tgid = 5, .pid = 5, .id = 5, .comm = "dd",
	};

	for (; i < end; i++) {
		rec.complete_ns = second * SECOND + i * SECOND / PER_SECOND;
		add_record(&run, &rec);
	}
}

/* The seconds from @from until @to pass, each with as many IOs. */
static void pass(u64 from, u64 to)
{
	for (; from < to; from++) {
		add_ios(from, 0, PER_SECOND);
		show_interval(&run, from * SECOND, (from + 1) * SECOND, false);
	}
}

/* The picture has the IO of @seconds, and says that it is of as many. */
static void expect_picture(const char *when, u64 seconds)
{
	u64 ios = 0;
	size_t i;

	for (i = 0; i < v.nr; i++)
		ios += v.rows[i].all_ios;
	if (ios != seconds * PER_SECOND || v.to_ns - v.since_ns != seconds * SECOND)
		fail("%s: %llu IOs in %llu ns, not in %llu s", when, ios,
		     (u64)(v.to_ns - v.since_ns), seconds);
}

/* The picture behind a pause has all IO of it, and its rates are those of the whole time. */
static void pause_is_as_long(void)
{
	begin();
	pass(0, 3);
	expect_picture("before a pause", 1);
	handle_key(&run, ' ');
	pass(3, 63);
	expect_picture("in a pause", 1);
	handle_key(&run, ' ');
	pass(63, 64);
	expect_picture("behind a pause", 61);
	pass(64, 65);
	expect_picture("a second later", 1);
	/* one that is over before the interval is keeps nothing back */
	handle_key(&run, ' ');
	handle_key(&run, ' ');
	pass(65, 66);
	expect_picture("behind a short pause", 1);
	end_live(&run);
}

/* It has all IO of the pause, too, where sums began and ended in it. */
static void pause_keeps(void)
{
	begin();
	pass(0, 3);
	handle_key(&run, ' ');
	pass(3, 20);
	handle_key(&run, 'a');
	pass(20, 25);
	handle_key(&run, 'a');
	pass(25, 30);
	handle_key(&run, ' ');
	pass(30, 31);
	expect_picture("behind a pause in which sums were dropped", 28);
	end_live(&run);
}

/* The interval in which sums end is a whole one. */
static void sums_end(void)
{
	begin();
	pass(0, 3);
	handle_key(&run, 'a');
	pass(3, 8);
	add_ios(8, 0, PER_SECOND / 2);
	handle_key(&run, 'a');
	expect_picture("when sums end", 1);
	add_ios(8, PER_SECOND / 2, PER_SECOND);
	show_interval(&run, 8 * SECOND, 9 * SECOND, false);
	expect_picture("of the interval in which sums ended", 1);
	/* and those that begin next have nothing of the last ones */
	handle_key(&run, 'a');
	pass(9, 11);
	expect_picture("of the next sums", 2);
	end_live(&run);
}

/* Keys that draw the picture anew, one after the other */
static void expect_picture_of_keys(const char *when, u64 seconds)
{
	static const char keys[] = "fsdcpssss";
	const char *k;

	expect_picture(when, seconds);
	for (k = keys; *k; k++) {
		handle_key(&run, *k);
		expect_picture(when, seconds);
	}
}

/* Sums since a time stand still in a pause, whatever keys are pressed, and then have all of it. */
static void pause_accumulates(void)
{
	begin();
	pass(0, 3);
	handle_key(&run, 'a');
	expect_picture("before the first interval that is summed up", 0);
	pass(3, 8);
	expect_picture_of_keys("since then", 5);
	handle_key(&run, ' ');
	expect_picture_of_keys("at the pause", 5);
	pass(8, 38);
	expect_picture_of_keys("in a pause", 5);
	handle_key(&run, ' ');
	expect_picture_of_keys("when it goes on", 5);
	pass(38, 40);
	expect_picture_of_keys("behind a pause", 37);
	/* the last interval is still there */
	handle_key(&run, 'a');
	expect_picture_of_keys("of one interval", 1);
	pass(40, 41);
	expect_picture_of_keys("of the next one", 1);
	end_live(&run);
}

/* On a terminal without a live view: what shows the same is named. */
static void no_view(void)
{
	static const char *const files[][2] = {
		{ NULL, "try: ioblame top --batch\n" },
		{ "/a/r.rec", "try: ioblame replay /a/r.rec report\n" },
		{ "$(touch run)", "try: ioblame replay FILE report\n" },
	};
	char said[256] = "";
	FILE *usual = stderr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		memset(&v, 0, sizeof(v));
		opts.input = files[i][0];
		stderr = fmemopen(said, sizeof(said), "w");
		if (begin_live(&run) != EXIT_FAILED)
			fail("there is a live view");
		fclose(stderr);
		stderr = usual;
		end_live(&run);
		if (!strstr(said, files[i][1]))
			fail("of %s: %s", files[i][0] ? files[i][0] : "the machine", said);
	}
	opts.input = NULL;
}

/* The terminal is left when the records end, not with a last interval that there may not be. */
static void terminal(void)
{
	begin();
	viewed = NULL;
	live_top(&opts);
	v.on = true;
	if (viewed->ending)
		viewed->ending(&run);
	if (v.on)
		fail("the terminal is in use when messages come");
	end_live(&run);
}

/* What a command prints does not mix with a picture. */
static void with_command(void)
{
	static char *command[] = { "make", NULL };
	struct opts o = { .format = FORMAT_TABLE };

	if (!top_is_live(&o))
		fail("there is no live view on a terminal");
	o.run = command;
	if (top_is_live(&o))
		fail("there is a live view with a command");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(pause_is_as_long), TEST(pause_keeps), TEST(pause_accumulates), TEST(sums_end),
		TEST(no_view), TEST(terminal), TEST(with_command),
	};

	return run_tests("tool_live", tests, ARRAY_SIZE(tests));
}

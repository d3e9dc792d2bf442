// SPDX-License-Identifier: GPL-2.0
/*
 * How far apart the passes of `ioblame sums` are, however rarely it prints, that what it prints is
 * all that they had, and that it ends when somebody else switches ioblame off.  The clock, the
 * session and the sums are fakes.
 */
#include "fake_dir.h"
#include "fake_msg.h"
#include "fake_run.h"
#include "test.h"

static int begin_session(struct session *s, const struct device *want, unsigned int nr,
			 const char *const *counters);
static void end_session(struct session *s);
static void print_end(const struct run *run);

#define session_begin	begin_session
#define session_off	end_session
#define run_print_end	print_end
#include "cmd_sums.c"
#undef session_begin
#undef session_off
#undef run_print_end

#define SECOND	1000000000ULL

static u64 now, last_pass, most_apart;
static u64 passes, prints, printed;
static u64 ended_at;		/* when it switched off */
static bool complete, idle;	/* it says so */

/* What others do */
static struct others {
	u64 off_at, on_at;	/* 0: they do not */
	bool on_behind_us;	/* another session begins when ours has ended */
} others;

static bool own;		/* it is this command that switches ioblame on */

static bool is_on(void)
{
	if (own && ended_at)
		return others.on_behind_us;
	return !others.off_at || now < others.off_at || (others.on_at && now >= others.on_at);
}

static u64 number(void)
{
	return 7 + ((others.on_at && now >= others.on_at) || (ended_at && others.on_behind_us));
}

static int begin_session(struct session *s, const struct device *want, unsigned int nr,
			 const char *const *counters)
{
	(void)want;
	(void)nr;
	(void)counters;
	s->own = own;
	return 0;
}

static void end_session(struct session *s)
{
	(void)s;
	if (!ended_at)
		ended_at = now;
}

static void print_end(const struct run *run)
{
	complete = !run->ended_by_others;
}

bool status_now(struct status *st)
{
	memset(st, 0, sizeof(*st));
	st->enabled = is_on();
	st->session = number();
	return true;
}

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
	s->session = number();
	last_pass = now;
	return 0;
}

/* One IO has ended since the last pass, if ioblame was on for more than a second of that time. */
int sums_gather(struct sums *s, struct usage_list *all)
{
	const struct usage u = { .key = { .disk = "sda", .program = "dd" }, .ios = 1 };

	if (now - last_pass > most_apart)
		most_apart = now - last_pass;
	s->on = is_on();
	s->session = number();
	if (!others.off_at || last_pass + SECOND < others.off_at || s->on)
		usage_add(all, &u);
	last_pass = now;
	passes++;
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
	idle |= !strncmp(fmt, "No IO", 5);
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

		most_apart = passes = prints = printed = ended_at = 0;
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

/* It lasts for 100 s, if nobody ends it. */
static const struct ends {
	bool own;
	u64 interval;
	struct others others;	/* in seconds */
	u64 ends;		/* within the interval, or the minute, in which it is found */
	int ret;
} ends[] = {
	{ true, 10, { }, 100, EXIT_OK }, { false, 10, { }, 100, EXIT_OK },
	{ true, 10, { 35 }, 40, EXIT_FAILED }, { false, 10, { 35 }, 40, EXIT_FAILED },
	{ true, 10, { 30 }, 30, EXIT_FAILED }, { false, 10, { 30 }, 30, EXIT_FAILED },
	/* off just behind a pass: nobody knows whether there was IO */
	{ true, 10, { 32 }, 40, EXIT_FAILED }, { false, 10, { 32 }, 40, EXIT_FAILED },
	/* on again before it looks */
	{ true, 10, { 35, 38 }, 40, EXIT_FAILED }, { false, 10, { 35, 38 }, 40, EXIT_FAILED },
	/* it prints once */
	{ true, 0, { 35 }, 60, EXIT_FAILED }, { false, 0, { 35 }, 60, EXIT_FAILED },
	{ true, 0, { 65 }, 100, EXIT_FAILED }, { false, 0, { 65 }, 100, EXIT_FAILED },
	{ true, 0, { 65, 70 }, 100, EXIT_FAILED }, { false, 0, { 65, 70 }, 100, EXIT_FAILED },
	{ true, 0, { }, 100, EXIT_OK },
	/* what comes behind the end of our own session ends nothing */
	{ true, 10, { .on_behind_us = true }, 100, EXIT_OK },
	{ true, 0, { .on_behind_us = true }, 100, EXIT_OK },
};

static void switched_off(void)
{
	const struct ends *e;

	for (e = ends; e < ends + ARRAY_SIZE(ends); e++) {
		const struct opts o = {
			.duration_ns = 100 * SECOND, .interval_ns = e->interval * SECOND,
			.format = FORMAT_TABLE,
		};
		int ret, nr = e - ends;

		now = last_pass = SECOND;
		others = e->others;
		others.off_at *= SECOND;
		others.on_at *= SECOND;
		own = e->own;
		ended_at = 0;
		idle = complete = false;
		*said = '\0';
		ret = cmd_sums(&o);
		if (ret != e->ret || complete != !e->ret)
			fail("case %d: status %d, %scomplete", nr, ret, complete ? "" : "not ");
		if (!strcmp(said, "ioblame was switched off by somebody else") != !!e->ret)
			fail("case %d: it says %s", nr, said);
		if (ended_at < e->ends * SECOND || ended_at > (e->ends + 2) * SECOND)
			fail("case %d: it ends at %llu s", nr, ended_at / SECOND);
		if (idle)
			fail("case %d: it says that there was no IO", nr);
	}
	memset(&others, 0, sizeof(others));
	own = false;
}

int main(void)
{
	static const struct test tests[] = { TEST(apart), TEST(switched_off) };

	return run_tests("tool_apart", tests, ARRAY_SIZE(tests));
}

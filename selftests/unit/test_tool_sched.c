// SPDX-License-Identifier: GPL-2.0
/* What sched counts of the IO that the options choose.  The events, the names and tables are fakes. */
#include "fake_device_has.h"
#include "fake_names.h"
#include "fake_one_name.h"
#include "fake_table.h"
#include "name.h"
#include "test.h"

#include "cmd_sched.c"

#define MS	1000000ULL

static struct opts opts = { .format = FORMAT_JSON };
static struct run run = { .opts = &opts };
static const struct view *seen;

int events_begin(struct events *ev, uint32_t kinds, const struct device *device, unsigned int nr)
{
	(void)ev;
	(void)kinds;
	(void)device;
	(void)nr;
	return 0;
}

void events_record(struct events *ev, const struct iob_iolog_bin_record *rec)
{
	(void)ev;
	(void)rec;
}

void events_fill(struct events *ev)
{
	(void)ev;
}

void events_release(struct events *ev, bool all, events_fn one, void *arg)
{
	(void)ev;
	(void)all;
	(void)one;
	(void)arg;
}

uint32_t events_disk(struct events *ev, uint32_t dev)
{
	(void)ev;
	return dev;
}

void events_end(struct events *ev)
{
	(void)ev;
}

bool blkevent_has_place(const struct blkevent *e)
{
	(void)e;
	return true;
}

void tracefs_stop(struct tracefs *t)
{
	(void)t;
}

uint64_t tracefs_lost(const struct tracefs *t)
{
	(void)t;
	return 0;
}

char *name_ask(const struct name_key *key)
{
	(void)key;
	return NULL;
}

void run_time(const struct run *r, uint64_t ns, char *to, unsigned int size)
{
	(void)r;
	snprintf(to, size, "%llu", (u64)ns);
}

uint64_t run_wall_ns(const struct run *r, uint64_t ns)
{
	(void)r;
	return ns;
}

/* As run.c has it */
bool run_took(struct run *r)
{
	bool took = r->records != r->asked;

	r->asked = r->records;
	return took;
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

void out_puts(const char *text)
{
	(void)text;
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

int view_run(const struct opts *o, const struct view *view)
{
	(void)o;
	seen = view;
	return 0;
}

/* As view.c passes it on; its events are an insertion and an issue. */
static void pass(const struct iob_iolog_bin_record *rec)
{
	struct blkevent e = { .kind = EV_block_rq_insert, .sector = rec->sector, .sectors = 8 };
	const struct origins_found found = { .rec = rec };

	run.records += filter_takes(&run.filter, rec);
	seen->record(&run, rec);
	e.ns = rec->complete_ns - 5 * MS;
	take_event(&e, &found, &run);
	e.kind = EV_block_rq_issue;
	e.ns += 2 * MS;
	take_event(&e, &found, &run);
}

/* Ten IOs that waited for 4 ms, and were complete 3 ms later; of @unknown it is not known. */
static void pass_some(unsigned int unknown)
{
	struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .pid = 7, .tgid = 7, .id = 7, .comm = "dd",
	};
	unsigned int i;

	filter_begin(&run.filter, &opts);
	for (i = 0; i < 10; i++) {
		rec.sector = 8 * i;
		rec.complete_ns = (100 + i) * MS;
		rec.issue_ns = rec.complete_ns - 3 * MS;
		rec.queue_ns = i < unknown ? 0 : rec.issue_ns - 4 * MS;
		pass(&rec);
	}
}

static void expect_times(const char *what, const struct times *t, u64 nr, u64 ns)
{
	if (t->nr != nr || t->sum != nr * ns)
		fail("%s: %llu times of %llu ns", what, (u64)t->nr, (u64)t->sum);
}

/* The end says how many IOs the options had to choose from: each once. */
static void counted_once(void)
{
	static const char *const rw[] = { "", "R" };
	const struct sched_sum *sum;
	unsigned int i;
	size_t k;

	for (i = 0; i < ARRAY_SIZE(rw); i++) {
		strcpy(opts.rw, rw[i]);
		pass_some(0);
		if (run.filter.wants.all != 10 || run.filter.wants.passed != (i ? 0 : 10))
			fail("%llu of %llu IOs passed", (u64)run.filter.wants.passed,
			     (u64)run.filter.wants.all);
		if (sums.nr != (i ? 0 : 1))
			fail("%zu sums", sums.nr);
		map_for_each(&sums, k, sum) {
			expect_times("waited", &sum->wait, 10, 4 * MS);
			expect_times("inserted", &sum->inserted, 10, 2 * MS);
		}
		print_sums(&run, 0, 1);
		memset(&run.filter, 0, sizeof(run.filter));
	}
	*opts.rw = '\0';
}

/* Of IO that was under way before, it is not known how long it waited. */
static void not_timed(void)
{
	const struct sched_sum *sum;
	size_t k;

	pass_some(4);
	map_for_each(&sums, k, sum) {
		expect_times("waited", &sum->wait, 6, 4 * MS);
		expect_times("inserted", &sum->inserted, 10, 2 * MS);
	}
	end_sched(&run);
}

int main(void)
{
	static const struct test tests[] = { TEST(counted_once), TEST(not_timed) };

	cmd_sched(&opts);
	return run_tests("tool_sched", tests, ARRAY_SIZE(tests));
}

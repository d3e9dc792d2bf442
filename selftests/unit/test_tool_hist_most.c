// SPDX-License-Identifier: GPL-2.0
/* How many histograms `ioblame hist` prints of those that there are.  What prints is a fake. */
#include "counts.h"
#include "fake_acts.h"
#include "fake_names.h"
#include "history.h"
#include "intent.h"
#include "test.h"

#include "cmd_hist.c"

enum {
	PROCESSES = 25,
};

struct agg summed;
static unsigned int nr_bars, nr_sums, nr_more;

void hist_print(const struct run *run, const struct hist *h, __uint128_t sum, const char *by,
		const char *name, uint64_t to_ns)
{
	(void)run;
	(void)h;
	(void)sum;
	(void)by;
	(void)name;
	(void)to_ns;
	nr_bars++;
}

struct table *hist_new_sums(const struct run *run)
{
	return (struct table *)run;
}

void hist_add_sums(const struct run *run, struct table *t, const struct hist *h, __uint128_t sum,
		   const char *by, const char *name, uint64_t to_ns)
{
	(void)run;
	(void)t;
	(void)h;
	(void)sum;
	(void)by;
	(void)name;
	(void)to_ns;
	nr_sums++;
}

void table_end(struct table *t)
{
	(void)t;
}

/* "... and N more" */
void out_printf(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	nr_more = va_arg(args, size_t);
	va_end(args);
}

const char *label_row(const struct atom *a, enum pivot by, char *to, unsigned int size)
{
	(void)a;
	(void)by;
	(void)size;
	*to = '\0';
	return to;
}

void run_time(const struct run *run, uint64_t ns, char *to, unsigned int size)
{
	(void)run;
	(void)ns;
	(void)size;
	*to = '\0';
}

bool run_took(struct run *run)
{
	(void)run;
	return true;
}

int sum_begin(struct run *run)
{
	agg_init(&summed, run->opts->field, run->opts->by);
	return 0;
}

void sum_record(struct run *run, const struct iob_iolog_bin_record *rec)
{
	(void)run;
	agg_add(&summed, rec);
}

void sum_filled(struct run *run)
{
	(void)run;
}

int sum_end(struct run *run)
{
	(void)run;
	agg_free(&summed);
	return 0;
}

int history_hist(const struct opts *o)
{
	(void)o;
	return 1;
}

int counts_run(const struct opts *o)
{
	(void)o;
	return 1;
}

/* Each process has written once. */
int view_run(const struct opts *o, const struct view *view)
{
	struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .bytes = 512, .queue_ns = 3000, .complete_ns = 5000,
	};
	static struct run run;

	run.opts = o;
	view->begin(&run);
	for (rec.tgid = 1; rec.tgid <= PROCESSES; rec.tgid++) {
		rec.id = rec.tgid;
		view->record(&run, &rec);
	}
	view->interval(&run, 1, 1000000001, true);
	return view->end(&run);
}

/* A table is cut without -r, and says so; what programs read is not. */
static void cut(void)
{
	static const struct {
		enum format format;
		unsigned int rows, shown, more;
	} cuts[] = {
		{ FORMAT_TABLE, 0, 20, 5 }, { FORMAT_JSON, 0, 25, 0 }, { FORMAT_CSV, 0, 25, 0 },
		{ FORMAT_TABLE, 22, 22, 3 }, { FORMAT_JSON, 22, 22, 0 }, { FORMAT_CSV, 22, 22, 0 },
		{ FORMAT_TABLE, 30, 25, 0 }, { FORMAT_JSON, 30, 25, 0 },
	};
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(cuts); i++) {
		const struct opts o = {
			.by = BY_PROCESS, .given_by = true, .format = cuts[i / 2].format,
			.rows = cuts[i / 2].rows, .percentiles = i & 1,
		};

		nr_bars = nr_sums = nr_more = 0;
		if (cmd_hist(&o))
			fail("case %u: it fails", i);
		if ((o.percentiles ? nr_sums : nr_bars) != cuts[i / 2].shown ||
		    nr_more != cuts[i / 2].more)
			fail("case %u: %u with bars, %u with sums, and %u more", i, nr_bars,
			     nr_sums, nr_more);
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(cut) };

	return run_tests("tool_hist_most", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agg.h"
#include "along.h"
#include "bars.h"
#include "child.h"
#include "choice.h"
#include "clock.h"
#include "count_seen.h"
#include "counts.h"
#include "device.h"
#include "dir.h"
#include "filter.h"
#include "group.h"
#include "hist.h"
#include "hist_print.h"
#include "intent.h"
#include "label.h"
#include "map.h"
#include "msg.h"
#include "name.h"
#include "opts.h"
#include "out.h"
#include "rec.h"
#include "run.h"
#include "session.h"
#include "source.h"
#include "status.h"
#include "stop.h"
#include "textlog.h"

#define MS	1000000ULL
/* Readings are so far apart: within it no slot of an act gets 2^31 IOs */
#define APART_NS	120000000000ULL

enum {
	COUNTERS = COUNT_SEEN_COUNTERS,
	SLOTS = COUNT_SEEN_SLOTS,
	/* histograms that are kept */
	SUMS_MOST = 65536,
	/*
	 * of a block, which is a line of the act and one of each counter: less than the shortest
	 * one has, so no read has parts of two
	 */
	PART = 256,
	BLOCK_BYTES = 4096,
};

/* The histogram of a row */
struct sum {
	struct atom_key key;
	struct atom label;
	struct hist hist;
	uint64_t n;
};

static struct map sums = { .key_len = sizeof(struct atom_key) };
static uint64_t others;
static struct count_seen seen;
static int pipe_fd = -1;	/* counters_pipe, from the first reading on */
static bool wrong;		/* some of it was not understood */

/* "W size 0 1 2 4 ..., 128": eight slots from slot @nr * 8 of bars.h on */
static void print_spec(char *to, size_t size, unsigned int nr, const struct opts *o)
{
	size_t n = snprintf(to, size, "%s %s", *o->rw ? o->rw : rec_op_letters,
			    choice_fields[o->field]);
	unsigned int i;

	for (i = 0; i <= IOB_HIST_SLOTS; i++)
		n += snprintf(to + n, size - n, " %llu", nr == COUNTERS - 1 && i == IOB_HIST_SLOTS ?
			      0ULL : (unsigned long long)bars_low(nr * IOB_HIST_SLOTS + i));
}

static void add_count(struct sum *sum, enum field field, unsigned int slot, uint32_t n)
{
	/* within the slot, also where struct hist has other limits */
	uint64_t value = bars_low(slot) + bars_low(slot) / 2;

	if (bars_is_time(field))
		value = bars_low(slot) * 1500;
	sum->hist.n[bars_slot_of(field, value)] += n;
	sum->n += n;
}

static struct sum *find_sum(const struct iob_iolog_bin_record *rec, const struct opts *o)
{
	struct atom_key whole, key = { 0 };
	struct sum *sum;

	agg_key(&whole, rec, o->by);
	if (o->given_by) {
		key = whole;
		group_narrow(o->by, &key);
	}
	sum = map_get(&sums, &key);
	if (sum || sums.nr >= SUMS_MOST)
		return sum;
	sum = must(calloc(1, sizeof(*sum)));
	sum->key = key;
	sum->label.key = whole;
	sum->label.why = "-";
	map_put(&sums, sum);
	return sum;
}

/* The counts of an act, a line for each counter. */
static void add_counts(struct run *run, struct iob_iolog_bin_record *rec, const uint32_t *n)
{
	struct sum *sum;
	uint64_t all = 0;
	unsigned int i;

	for (i = 0; i < SLOTS; i++)
		all += n[i];
	/* the act did other IO */
	if (!all)
		return;
	along_add_role(rec);
	/* the operation is not known */
	rec->op = *run->opts->rw ? *run->opts->rw : OP_WRITE;
	if (!filter_takes(&run->filter, rec))
		return;
	run->ios += all;
	sum = find_sum(rec, run->opts);
	if (!sum)
		others += all;
	for (i = 0; sum && i < SLOTS; i++)
		if (n[i])
			add_count(sum, run->opts->field, i, n[i]);
}

/* A line of eight numbers.  Return: false if it is none. */
static bool parse_slots(const char *line, uint32_t *n)
{
	unsigned int i;
	char *end;

	for (i = 0; i < IOB_HIST_SLOTS; i++, line = end) {
		n[i] = strtoul(line, &end, 10);
		if (end == line)
			return false;
	}
	return !*line;
}

/* A block of counters_pipe.  Return: false if it was not understood. */
static bool parse_block(struct run *run, uint32_t act, char *text)
{
	struct iob_iolog_bin_record rec;
	char *first, *line, *rest;
	uint32_t n[SLOTS];
	unsigned int i;

	first = strtok_r(text, "\n", &rest);
	if (!first || !textlog_act(&rec, first, strlen(first)))
		return false;
	for (i = 0; i < SLOTS; i += IOB_HIST_SLOTS) {
		line = strtok_r(NULL, "\n", &rest);
		if (!line || !parse_slots(line, &n[i]))
			return false;
	}
	count_seen_add(&seen, act, first, n);
	add_counts(run, &rec, n);
	return !*rest;
}

static bool is_block(const char *text)
{
	unsigned int lines = 0;

	while ((text = strchr(text, '\n')) && *text++)
		lines++;
	return lines > COUNTERS;
}

/*
 * The next block, which is of the act with number *@act: that is the position, as long as the block
 * was not read to its end.  Return: its length; 0 at the end; -1 after an error.
 */
static ssize_t read_block(char *buf, uint32_t *act)
{
	ssize_t n, len = 0;

	do {
		n = read(pipe_fd, buf + len, PART);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n || len ? -1 : 0;
		if (!len)
			*act = lseek(pipe_fd, 0, SEEK_CUR);
		len += n;
		buf[len] = '\0';
	} while (n < 0 || (!is_block(buf) && len < BLOCK_BYTES - PART));
	return len;
}

/*
 * Add what all acts have counted since the pass before.  @last: also once a signal has ended the
 * command, as the counts are what it prints.
 */
static void read_acts(struct run *run, bool last)
{
	static char buf[BLOCK_BYTES];
	uint32_t act;
	ssize_t n = -1;

	if (lseek(pipe_fd, 0, SEEK_SET))
		return;
	intent_load(run->source.intents);
	count_seen_begin(&seen);
	while ((last || !stop_asked()) && (n = read_block(buf, &act)) > 0)
		wrong |= !parse_block(run, act, buf);
	/* those that were not read are not gone */
	if (!n)
		count_seen_end(&seen);
}

static void open_pipe(void)
{
	if (pipe_fd < 0)
		pipe_fd = dir_open("counters_pipe", O_RDONLY);
}

static void close_pipe(void)
{
	if (pipe_fd >= 0)
		close(pipe_fd);
	pipe_fd = -1;
	count_seen_clear(&seen);
}

/* What is read of the counters, once ioblame is off and before they are put back */
struct reading {
	struct run *run;
	int ret;
};

/* Read all acts.  .ret is EXIT_OK then, or the exit status after printing the error. */
static void read_counters(void *arg)
{
	struct reading *r = arg;

	open_pipe();
	if (pipe_fd < 0 && errno == EBUSY)
		msg("counters_pipe is in use, and has one reader");
	else if (pipe_fd < 0)
		dir_refused(errno, "counters_pipe");
	r->ret = pipe_fd < 0 ? EXIT_FAILED : EXIT_OK;
	r->run->now_ns = clock_ns();
	if (pipe_fd >= 0)
		read_acts(r->run, true);
	/* no file of the module may be open when what was set is restored */
	close_pipe();
	if (wrong)
		msg("some of counters_pipe was not understood");
}

static int compare_sums(const void *va, const void *vb)
{
	const struct sum *a = *(struct sum **)va, *b = *(struct sum **)vb;

	if (a->n != b->n)
		return a->n < b->n ? 1 : -1;
	return memcmp(&a->key, &b->key, sizeof(a->key));
}

static void print_sums(struct run *run)
{
	const struct opts *o = run->opts;
	struct sum **list = must(malloc((sums.nr + 1) * sizeof(*list))), *sum;
	size_t i, nr = 0, most = hist_most(o);
	char name[4096];

	map_for_each(&sums, i, sum)
		list[nr++] = sum;
	qsort(list, nr, sizeof(*list), compare_sums);
	for (i = 0; i < nr && (i < most || !o->given_by); i++)
		hist_print(run, &list[i]->hist, 0, o->given_by ? choice_pivots[o->by] : NULL,
			   o->given_by ? label_row(&list[i]->label, o->by, name, sizeof(name)) :
			   NULL, run->now_ns);
	if (!nr && !o->given_by)
		hist_print(run, &(const struct hist){ { 0 } }, 0, NULL, NULL, run->now_ns);
	if (i < nr && o->format == FORMAT_TABLE)
		out_printf("\n... and %zu more (--rows)\n", nr - i);
	if (others)
		msg("%llu IOs had no room", (unsigned long long)others);
	free(list);
}

/* Where somebody else has the file open, the next reading has all that is new. */
static void read_meanwhile(struct run *run)
{
	open_pipe();
	if (pipe_fd >= 0)
		read_acts(run, false);
}

static int wait_for_end(struct run *run)
{
	const struct opts *o = run->opts;
	uint64_t now = clock_ns(), end = o->duration_ns ? now + o->duration_ns : UINT64_MAX;
	uint64_t next = now + APART_NS;

	if (o->run && !child_start(o->run))
		return EXIT_FAILED;
	while (!stop_asked() && !child_ended(o->sync) && (now = clock_ns()) < end) {
		if (now >= next) {
			read_meanwhile(run);
			next = now + APART_NS;
			continue;
		}
		stop_wait(-1, end - now < 100 * MS ? end - now : 100 * MS);
	}
	child_kill(stop_asked(), o->sync);
	if (o->sync && !stop_asked())
		sync();
	return EXIT_OK;
}

/* Whether somebody else has switched ioblame off, and maybe on again: counts may be of either. */
static bool is_other_session(const struct run *run)
{
	struct status st;

	return status_now(&st) && (!st.enabled || st.session != run->session.before.session);
}

static int count(struct run *run)
{
	struct reading reading = { .run = run, .ret = EXIT_FAILED };
	int ret = source_open_idle(&run->source);

	if (ret)
		return ret;
	session_ready();
	run_print_head(run);
	ret = wait_for_end(run);
	if (ret)
		return ret;
	run->ended_by_others = is_other_session(run);
	session_off_reading(&run->session, read_counters, &reading);
	if (reading.ret)
		return reading.ret;
	print_sums(run);
	run_print_end(run);
	out_flush();
	return out_failed() ? EXIT_FAILED : EXIT_OK;
}

static bool in_use(void)
{
	char *word = dir_read_word("enable");
	bool on = word && *word == '1';

	free(word);
	if (on)
		msg("ioblame is in use, and --counters sets counters of its own: end that first, or leave out --counters");
	return on;
}

static int begin(struct run *run, char (*spec)[256])
{
	const char *specs[COUNTERS + 1] = { NULL };
	const struct opts *o = run->opts;
	unsigned int i;
	int ret;

	for (i = 0; i < COUNTERS; i++) {
		print_spec(spec[i], sizeof(spec[i]), i, o);
		specs[i] = spec[i];
	}
	for (i = 0; i < o->nr_devices; i++) {
		if (!device_require(o->device[i], &run->device[run->nr_devices++]))
			return EXIT_FAILED;
	}
	ret = dir_find();
	if (!ret && in_use())
		ret = EXIT_FAILED;
	if (!ret && o->sync)
		sync();
	if (!ret)
		ret = session_begin(&run->session, run->device, run->nr_devices, specs);
	if (!ret && !run->session.own)
		ret = EXIT_FAILED;
	if (!ret)
		session_status(&run->session);
	return ret;
}

/* hist --counters.  Return: the exit status. */
int counts_run(const struct opts *o)
{
	struct run run = { .opts = o };
	char spec[COUNTERS][256];
	int ret;

	filter_begin(&run.filter, o);
	ret = begin(&run, spec);
	if (!ret)
		ret = count(&run);
	filter_end(&run.filter);
	if (!ret && o->run)
		ret = child_status();
	source_close(&run.source);
	close_pipe();
	session_end(&run.session);
	map_clear(&sums, free);
	if (!ret && run.ended_by_others) {
		msg("ioblame was switched off by somebody else");
		return EXIT_FAILED;
	}
	return ret;
}

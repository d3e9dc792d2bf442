/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What test_daemon_query.c tests of the time of day, which it can set: it has the log, the daemon
 * and those who ask.
 */
#ifndef UNIT_QUERY_CLOCK_H
#define UNIT_QUERY_CLOCK_H

#include <sys/syscall.h>

/* How far the time of day was set */
static int64_t set_ns;

int clock_gettime(clockid_t id, struct timespec *ts)
{
	int ret = syscall(SYS_clock_gettime, id, ts);

	if (id == CLOCK_REALTIME) {
		ts->tv_sec += set_ns / 1000000000;
		ts->tv_nsec += set_ns % 1000000000;
		ts->tv_sec += ts->tv_nsec / 1000000000;
		ts->tv_nsec %= 1000000000;
	}
	return ret;
}

/* The offset to the time of day after a record that completes at @ns. */
static int64_t offset_after(struct source *s, uint64_t ns)
{
	struct iob_iolog_bin_record rec = one_record(ANN, 11);

	rec.complete_ns = ns;
	if (write(cpu_fd[0], &rec, sizeof(rec)) != sizeof(rec) || !source_fill(s, false) ||
	    !source_next(s, &rec))
		fail("the record is not read");
	return source_wall_ns(s, ns);
}

static bool is_near(int64_t a, int64_t b)
{
	return a - b < 100000000 && b - a < 100000000;
}

/* The clock is set by an hour, or the machine sleeps for one: times of day go on from there. */
static void clock_is_set(void)
{
	static const int64_t hour_ns = 3600000000000LL;
	int64_t first_ns, next_ns;
	struct source s;

	if (!begin_daemon() || source_open_log(&s)) {
		fail("the log is not open");
		return;
	}
	first_ns = offset_after(&s, 1000);
	/* what a second is not worth */
	set_ns = 500000000;
	if (offset_after(&s, 2000) != first_ns)
		fail("it follows each tick");
	set_ns = hour_ns;
	next_ns = offset_after(&s, 3000);
	if (!is_near(next_ns - first_ns, hour_ns))
		fail("an hour later, it is %lld ns later", (s64)(next_ns - first_ns));
	if (source_wall_ns(&s, 500) != first_ns || source_wall_ns(&s, 2000) != first_ns)
		fail("the hour before has moved");
	set_ns = 0;
	if (!is_near(offset_after(&s, 4000), first_ns) || source_wall_ns(&s, 3000) != next_ns)
		fail("it does not go back");
	source_close(&s);
	end_daemon();
}

/* Chunks up to the second record: between them is a head that has the new offset alone. */
static void note_heads(int ready)
{
	FILE *f = ask_as(0, 0, "records\n");
	char order[16] = "", *data, *at = order;
	struct store_chunk c;
	long long first = 0, wall = 0;

	if (store_open(f) != STORE_CHUNK)
		_exit(101);
	while (at < order + 4 && store_read(f, &c, &data) == STORE_CHUNK) {
		if (c.type != STORE_HEAD && c.type != STORE_RECORDS)
			continue;
		*at = c.type == STORE_HEAD ? 'h' : 'r';
		if (c.type == STORE_HEAD) {
			first = wall;
			wall = strtoll(strstr(data, "wall_ns ") + 8, NULL, 10);
		}
		if (c.type == STORE_HEAD && at > order && strncmp(data, "wall_ns ", 8))
			_exit(102);
		if (write(ready, "", 1) != 1)
			_exit(103);
		at++;
	}
	if (strcmp(order, "hrhr"))
		fprintf(stderr, "the order is %s\n", order);
	_exit(strcmp(order, "hrhr") ? 104 : !is_near(wall - first, 3600000000000LL) ? 105 : 0);
}

/* Who is sent records is told, too. */
static void clock_is_told(void)
{
	static const char *const who[] = { "it" };
	int ready[2];
	pid_t pid;

	if (!can_be_others())
		return;
	if (!begin_daemon() || pipe2(ready, O_NONBLOCK)) {
		fail("no daemon");
		return;
	}
	pid = fork();
	if (!pid)
		note_heads(ready[1]);
	run_until(ready[0], 1);
	log_record(0, ANN, 11);
	run_until(ready[0], 1);
	set_ns = 3600000000000LL;
	log_record(0, ANN, 12);
	run_until_exit(&pid, 1, who);
	set_ns = 0;
	close(ready[0]);
	close(ready[1]);
	end_daemon();
}

#endif

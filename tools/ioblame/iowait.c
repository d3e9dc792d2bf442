// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "file.h"
#include "iowait.h"
#include "map.h"
#include "msg.h"

enum {
	/* fields of /proc/PID/stat behind the name, from 3 on */
	FIELD_BEGAN = 22,
	FIELD_DELAY = 42,
	/* tasks that are looked at */
	TASKS_MOST = 1 << 20,
};

/* What a thread, or all threads of a process, have waited */
struct waited {
	struct waited_key {
		uint32_t id, thread;
	} key;
	/* of a thread: */
	uint64_t began;			/* in ticks since boot */
	uint64_t sum;			/* the kernel's, in ticks */
	uint64_t seen_ns;		/* before that was read */
	uint64_t since_ns;		/* the wait that ends next begins after that */
	bool wrong;			/* its sum cannot be true */

	uint64_t ticks;			/* in the interval */
	bool unknown;			/* of a process: one of its threads is wrong or unknown */
};

static struct map before = { .key_len = sizeof(struct waited_key) };
static struct map now = { .key_len = sizeof(struct waited_key) };
/* of CLOCK_BOOTTIME, as what the kernel says of when a task began */
static uint64_t begin_ns, before_ns, now_ns;
static unsigned int nr_wrong;
static bool keep_first;

static uint64_t tick_ns(void)
{
	return 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

/* A number of /proc/PID/stat.  The name, in brackets, can hold anything. */
static uint64_t stat_field(const char *text, unsigned int nr)
{
	const char *at = strrchr(text, ')');
	unsigned int i;

	for (i = 2; at && i < nr; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

/* Return: the entry of a task in this look, made if there is none; NULL if there are too many. */
static struct waited *waited_of(uint32_t id, bool thread)
{
	struct waited_key key = { .id = id, .thread = thread };
	struct waited *w = map_get(&now, &key);

	if (w || now.nr >= TASKS_MOST)
		return w;
	w = must(calloc(1, sizeof(*w)));
	w->key = key;
	map_put(&now, w);
	return w;
}

/*
 * A thread's sum grew by @grown ticks since the last look.  From 6.12 on the kernel's sum can be
 * wrong: where a task's dequeuing was delayed, the scheduler puts it to sleep later, and notes the
 * time with the task that leaves the CPU then.  When the former wakes up, its wait is counted from
 * an earlier one on, or from boot.
 *
 * Return: false if no wait can have been so long.
 */
static bool growth_is_possible(const struct waited *w, uint64_t grown)
{
	/* each sum is cut to a tick, and two clocks differ by a little */
	return grown <= (clock_boot_ns() - w->since_ns) / tick_ns() * 101 / 100 + 2;
}

/*
 * What a thread waited since the last look, in which it is @old, or NULL.  A wait counts when it
 * ends, and can be longer than the interval; only the interval's part of it is shown.
 */
static void add_growth(struct waited *w, const struct waited *old)
{
	uint64_t from_ns = keep_first ? begin_ns : before_ns, grown, most;

	grown = old ? (w->sum > old->sum ? w->sum - old->sum : 0) : w->sum;
	w->since_ns = old ? old->since_ns : w->began * tick_ns();
	/* this is the first look, or the last one has missed it; when it began is cut to a tick */
	if (!before_ns || (!old && w->since_ns + tick_ns() <= before_ns)) {
		w->unknown = true;
		return;
	}
	if (!growth_is_possible(w, grown)) {
		w->wrong = true;
		nr_wrong++;
	}
	/* a wait has ended since then */
	if (grown && old)
		w->since_ns = old->seen_ns;
	if (keep_first && old) {
		grown += old->ticks;
		w->wrong |= old->wrong;
	}
	most = (now_ns - from_ns) / tick_ns();
	w->ticks = grown < most ? grown : most;
}

static void add_thread(uint32_t pid, uint32_t tid, const char *text, uint64_t seen_ns)
{
	struct waited *thread = waited_of(tid, true), *process = waited_of(pid, false);
	const char *name_end = strrchr(text, ')');
	const struct waited *old;

	if (!thread || !process)
		return;
	thread->began = stat_field(text, FIELD_BEGAN);
	thread->sum = stat_field(text, FIELD_DELAY);
	thread->seen_ns = seen_ns;
	old = map_get(&before, &thread->key);
	/* the number may have been another task's */
	add_growth(thread, old && old->began == thread->began ? old : NULL);
	/* what runs does not wait */
	if (name_end && !strncmp(name_end, ") R", 3) && thread->since_ns < seen_ns)
		thread->since_ns = seen_ns;
	process->ticks += thread->ticks;
	process->unknown |= thread->unknown || thread->wrong;
}

static void scan_process(const char *pid)
{
	char folder[64], path[128], *text;
	uint64_t seen_ns;
	struct dirent *e;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%.16s/task", pid);
	dir = opendir(folder);
	while (dir && (e = readdir(dir)) != NULL) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%.16s/stat", folder, e->d_name);
		seen_ns = clock_boot_ns();
		text = file_read(path);
		if (!text)
			continue;
		add_thread(strtoul(pid, NULL, 10), strtoul(e->d_name, NULL, 10), text, seen_ns);
		free(text);
	}
	if (dir)
		closedir(dir);
}

static void scan(void)
{
	struct dirent *e;
	DIR *proc = opendir("/proc");

	now_ns = clock_boot_ns();
	while (proc && (e = readdir(proc)) != NULL) {
		if (*e->d_name >= '1' && *e->d_name <= '9')
			scan_process(e->d_name);
	}
	if (proc)
		closedir(proc);
}

static void move_to_before(void)
{
	map_clear(&before, free);
	before = now;
	before_ns = now_ns;
	memset(&now, 0, sizeof(now));
	now.key_len = sizeof(struct waited_key);
}

/* Tell who must do what, if the kernel does not count. */
static void check_accounting(void)
{
	char *setting = file_read("/proc/sys/kernel/task_delayacct");
	char *line = file_read("/proc/cmdline");

	if (setting && *setting == '0')
		msg("the kernel does not count how long tasks wait; sysctl kernel.task_delayacct=1 counts it of tasks that begin from then on");
	else if (!setting && line && strstr(line, "nodelayacct"))
		msg("the kernel does not count how long tasks wait: it was booted with nodelayacct");
	free(setting);
	free(line);
}

/* Begin; with @accumulate, all shares are those since now. */
void iowait_begin(bool accumulate)
{
	keep_first = accumulate;
	before_ns = 0;
	nr_wrong = 0;
	check_accounting();
	scan();
	begin_ns = now_ns;
}

/* An interval ends. */
void iowait_turn(void)
{
	move_to_before();
	scan();
}

/**
 * iowait_share - how much of the last interval a task waited for IO
 * @id:	     its number
 * @thread:  a thread, else all threads of a process
 * @percent: the result, of the time of all threads 100 each
 *
 * Return: false if it is not known.
 */
bool iowait_share(uint32_t id, bool thread, double *percent)
{
	struct waited_key key = { .id = id, .thread = thread };
	const struct waited *w = map_get(&now, &key);
	uint64_t from_ns = keep_first ? begin_ns : before_ns;

	if (!w || w->unknown || w->wrong || now_ns <= from_ns)
		return false;
	*percent = 100 * (double)(w->ticks * tick_ns()) / (double)(now_ns - from_ns);
	return true;
}

/* The end; say why shares were not shown. */
void iowait_end(void)
{
	if (nr_wrong)
		msg("the kernel counted %u wait%s that cannot have been so long, as it can from 6.12 on: no IOWAIT was shown of whoever had %s",
		    nr_wrong, nr_wrong == 1 ? "" : "s", nr_wrong == 1 ? "it" : "them");
	map_clear(&before, free);
	map_clear(&now, free);
}

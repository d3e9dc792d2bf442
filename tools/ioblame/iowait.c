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
	uint64_t began;			/* in ticks since boot */
	uint64_t ticks;
};

static struct map before = { .key_len = sizeof(struct waited_key) };
static struct map now = { .key_len = sizeof(struct waited_key) };
static uint64_t before_ns, now_ns;
static bool keep_first;

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

static void add_task(uint32_t id, bool thread, const char *text)
{
	struct waited_key key = { .id = id, .thread = thread };
	struct waited *w = map_get(&now, &key);

	if (!w && now.nr >= TASKS_MOST)
		return;
	if (!w) {
		w = must(calloc(1, sizeof(*w)));
		w->key = key;
		w->began = stat_field(text, FIELD_BEGAN);
		map_put(&now, w);
	}
	w->ticks += stat_field(text, FIELD_DELAY);
}

static void scan_process(const char *pid)
{
	char folder[64], path[128], *text;
	struct dirent *e;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%.16s/task", pid);
	dir = opendir(folder);
	while (dir && (e = readdir(dir)) != NULL) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%.16s/stat", folder, e->d_name);
		text = file_read(path);
		if (!text)
			continue;
		add_task(strtoul(pid, NULL, 10), false, text);
		add_task(strtoul(e->d_name, NULL, 10), true, text);
		free(text);
	}
	if (dir)
		closedir(dir);
}

static void scan(void)
{
	struct dirent *e;
	DIR *proc = opendir("/proc");

	now_ns = clock_ns();
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
	check_accounting();
	scan();
	move_to_before();
}

/* An interval ends. */
void iowait_turn(void)
{
	if (now.nr && !keep_first)
		move_to_before();
	map_clear(&now, free);
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
	const struct waited *w = map_get(&now, &key), *old = map_get(&before, &key);
	double secs = (double)(now_ns - before_ns) / 1e9;
	uint64_t ticks;

	if (!w || now_ns <= before_ns)
		return false;
	ticks = w->ticks;
	/* the number may have been another task's; threads that ended took theirs along */
	if (old && old->began == w->began)
		ticks = ticks > old->ticks ? ticks - old->ticks : 0;
	*percent = 100 * (double)ticks / (double)sysconf(_SC_CLK_TCK) / secs;
	return true;
}

void iowait_end(void)
{
	map_clear(&before, free);
	map_clear(&now, free);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * IO at a given rate by many processes on many files, and what a process that
 * looks on costs meanwhile.
 *
 *	benchpace DIR PROCESSES FILES RATE WARM SECONDS PID
 *
 * Each process has FILES files of its own in DIR and reads and writes 4 KiB of them
 * past the page cache, a few IOs every 10 ms, or of many processes one now and then;
 * together they do RATE IOs in a second.  PACE_CGROUP=FOLDER in the environment gives
 * each a cgroup of its own there, as a unit has one.  After WARM seconds SECONDS are
 * measured, and one line is printed:
 *
 *	IOS TICKS IDLE RUN HWM_KIB IO_BYTES
 *
 * IOs done, what the time stamp counter moved, how much of that the CPU idled, and
 * of process PID (0: of none) the nanoseconds that it ran, its most memory so far,
 * and what it read and wrote itself.  In the bench's guest a tick, a nanosecond
 * and an instruction are one.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "count.h"

#define BLOCK		4096
#define BLOCKS		8UL
#define MOST_FILES	256
#define STEP_NS		10000000UL

static char *buf;
static unsigned long processes, files, rate;
static unsigned long every = 1;	/* in each step, or in each second one, ... */
static uint64_t *done;		/* IOs of each, shared */

static void sleep_until(uint64_t when)
{
	struct timespec ts = { .tv_sec = when / 1000000000, .tv_nsec = when % 1000000000 };

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
		;
}

/* The number behind a word in a file of a process; the word may be "" */
static uint64_t of_process(unsigned long pid, const char *file, const char *word)
{
	char path[64], line[256];
	uint64_t n = 0;
	FILE *f;

	if (!pid)
		return 0;
	snprintf(path, sizeof(path), "/proc/%lu/%s", pid, file);
	f = fopen(path, "r");
	if (!f)
		err(1, "%s", path);
	while (fgets(line, sizeof(line), f)) {
		if (strncmp(line, word, strlen(word)))
			continue;
		n = strtoull(line + strlen(word), NULL, 10);
		break;
	}
	fclose(f);
	return n;
}

static int open_file(unsigned long nr, unsigned long i, int flags)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "file-%lu-%lu", nr, i);
	fd = open(name, O_RDWR | O_CREAT | flags, 0600);
	if (fd < 0)
		err(1, "%s", name);
	return fd;
}

static void enter_cgroup(unsigned long nr)
{
	const char *folder = getenv("PACE_CGROUP");
	char path[256];
	FILE *f;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/pace-%lu.service", folder, nr);
	if (mkdir(path, 0755) && errno != EEXIST)
		err(1, "%s", path);
	strcat(path, "/cgroup.procs");
	f = fopen(path, "w");
	if (!f || fputs("0", f) < 0 || fclose(f))
		err(1, "%s", path);
}

static void work(unsigned long nr, uint64_t begin)
{
	unsigned long i, step, each = rate * every / (1000000000 / STEP_NS) / processes;
	char name[32];
	int fd[MOST_FILES];
	uint64_t next = begin + nr * STEP_NS / processes;

	snprintf(name, sizeof(name), "pace-%lu", nr);
	prctl(PR_SET_NAME, name);
	enter_cgroup(nr);
	for (i = 0; i < files; i++)
		fd[i] = open_file(nr, i, O_DIRECT);
	for (step = nr;; step++, next += STEP_NS) {
		if (step % every)
			continue;
		sleep_until(next);
		for (i = 0; i < each; i++) {
			uint64_t n = done[nr * 8];
			off_t at = n / files % BLOCKS * BLOCK;
			int to = fd[n % files];

			if ((n / files / BLOCKS % 2 ? pread(to, buf, BLOCK, at) :
			     pwrite(to, buf, BLOCK, at)) != BLOCK)
				err(1, "IO");
			done[nr * 8]++;
		}
	}
}

static void make_files(void)
{
	unsigned long nr, i;
	int fd;

	for (nr = 0; nr < processes; nr++) {
		for (i = 0; i < files; i++) {
			fd = open_file(nr, i, 0);
			if (pwrite(fd, buf, BLOCKS * BLOCK, 0) != BLOCKS * BLOCK)
				err(1, "write");
			close(fd);
		}
	}
	sync();
}

static uint64_t all_done(void)
{
	uint64_t sum = 0;
	unsigned long i;

	for (i = 0; i < processes; i++)
		sum += done[i * 8];
	return sum;
}

int main(int argc, char **argv)
{
	unsigned long warm, seconds, pid, steps, i;
	uint64_t begin, ios, tick, idle, run, io;
	pid_t *child;

	if (argc != 8 || chdir(argv[1]))
		errx(2, "usage: see the head of benchpace.c");
	processes = number(argv[2]);
	files = number(argv[3]);
	rate = number(argv[4]);
	warm = number(argv[5]);
	seconds = number(argv[6]);
	pid = number(argv[7]);
	steps = processes * (1000000000 / STEP_NS);
	if (rate && rate < steps)
		every = steps / rate;
	if (!processes || !files || files > MOST_FILES || !rate || rate * every % steps)
		errx(2, "RATE must be a multiple of 100 PROCESSES, or divide it; FILES at most %d",
		     MOST_FILES);
	buf = aligned_alloc(BLOCK, BLOCKS * BLOCK);
	done = mmap(NULL, processes * 64, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	child = calloc(processes, sizeof(*child));
	if (!buf || done == MAP_FAILED || !child)
		err(1, "memory");
	memset(buf, 0x5a, BLOCKS * BLOCK);
	make_files();
	begin = now_ns() + 1000000000;
	for (i = 0; i < processes; i++) {
		child[i] = fork();
		if (child[i] < 0)
			err(1, "fork");
		if (!child[i])
			work(i, begin);
	}
	sleep_until(begin + warm * 1000000000);
	run = of_process(pid, "schedstat", "");
	io = of_process(pid, "io", "read_bytes:") + of_process(pid, "io", "write_bytes:");
	idle = idled();
	ios = all_done();
	tick = ticks();
	sleep_until(begin + (warm + seconds) * 1000000000);
	tick = ticks() - tick;
	ios = all_done() - ios;
	idle = idled() - idle;
	run = of_process(pid, "schedstat", "") - run;
	io = of_process(pid, "io", "read_bytes:") + of_process(pid, "io", "write_bytes:") - io;
	printf("%lu %lu %lu %lu %lu %lu\n", ios, tick, idle, run,
	       of_process(pid, "status", "VmHWM:"), io);
	for (i = 0; i < processes; i++) {
		kill(child[i], SIGKILL);
		if (waitpid(child[i], NULL, 0) != child[i])
			err(1, "a process ended by itself");
	}
	return 0;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The bench's workloads, and what they cost.
 *
 * In the bench's guest the time stamp counter counts instructions, so a
 * workload reads it before and after, and what lies between is exact. Each
 * does some passes that do not count, then PASSES that do, and prints a line
 * for each part of a pass:
 *
 *	PART UNITS TICKS IDLE
 *
 * with how many units (IOs, pages, files) there were, what the counter moved,
 * and how much of that the CPU idled (waiting for a timer), which is no cost.
 * Around a part stand marks for the profiler (../counter.c). Usage:
 *
 *	benchwork read FILE psync|uring DEPTH COUNT PASSES
 *	benchwork rewrite FILE PAGES DEPTH COUNT PASSES	direct writes by io_uring to what is there
 *	benchwork write FILE PAGES PASSES		4 KiB each, then syncfs
 *	benchwork seq FILE MIB PASSES			1 MiB each, then syncfs
 *	benchwork files DIR COUNT BYTES PASSES		create with so many, delete
 *	benchwork ssd FILE RW COUNT PASSES		as fio's ssd-test does, below
 *	benchwork pipe FILE UNITS			read all of it, once
 *	benchwork scale ROLES INTENTS ACTS COUNT PASSES
 *							see ../modules/iob_stacks.c
 *	benchwork rate FILE SECONDS			wall-clock; direct reads
 *	benchwork hold FILE				until SIGTERM; how long each takes
 *	benchwork grace COUNT				grace periods of RCU
 *
 * The last two print the number, the median and the longest, in ns.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "count.h"

#define QUEUE_DEPTH	32
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "../../truth/prog/aio.h"
#include "../../truth/prog/uring.h"
#pragma GCC diagnostic pop

#define BLOCK	4096
#define MIB	(1UL << 20)

static char *buf;
static uint64_t seed;

/* Always the same numbers: a pass is like any other */
static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static struct {
	uint64_t ticks, idle;
} part;

/* The second still differs from the third: pages come from elsewhere */
#define WARM_UP	2

static bool counts;	/* not while warming up */

static void part_begin(void)
{
	part.idle = idled();
	if (counts)
		mark_begin();
	part.ticks = ticks();
}

static void part_end(const char *name, uint64_t units)
{
	uint64_t now = ticks();

	if (!counts)
		return;
	mark_end();
	printf("%s %lu %lu %lu\n", name, units, now - part.ticks,
	       idled() - part.idle);
	fflush(stdout);
}

static void put(const char *dir, const char *file, const char *text)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", dir, file);
	f = fopen(name, "w");
	if (!f || fputs(text, f) < 0 || fclose(f))
		err(1, "%s: %s", name, text);
}

/* What RCU and workers have put off is done meanwhile */
static void next_second(void)
{
	struct timespec when;

	clock_gettime(CLOCK_MONOTONIC, &when);
	when.tv_sec++;
	when.tv_nsec = 0;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL))
		;
}

/*
 * What a page costs depends on where all that ran before left the free ones: in the
 * CPU's lists or in blocks that must be split, side by side, so that a bio takes
 * many as one, or not.  So before a part that takes pages the zone of the page
 * cache is put in order: used pages go to its end, and taking a block of it out,
 * which BENCH_BLOCK is, empties the CPU's lists.  Where no block can be taken out,
 * as on arm64, it is `none`.  Without BENCH_BLOCK nothing is done.  The part begins
 * with a second, so that ticks come at the same places.
 */
static void settle(void)
{
	const char *block = getenv("BENCH_BLOCK");

	if (!block)
		return;
	next_second();
	put("/proc/sys/vm", "compact_memory", "1");
	if (strcmp(block, "none")) {
		put(block, "state", "offline");
		put(block, "state", "online_movable");
	}
	next_second();
}

static void passes(unsigned long n, void (*pass)(void))
{
	unsigned long i;

	for (i = 0; i < WARM_UP + n; i++) {
		counts = i >= WARM_UP;
		seed = 88172645463325252ULL;
		pass();
	}
}

static int open_or_die(const char *path, int flags)
{
	int fd = open(path, flags, 0600);

	if (fd < 0)
		err(1, "%s", path);
	return fd;
}

/* What a pass works on */
static int fd;
static const char *path;
static uint64_t size, count;
static unsigned int depth;
static struct uring ring;

static uint64_t device_size(int file)
{
	off_t end = lseek(file, 0, SEEK_END);

	if (end < BLOCK)
		errx(1, "%s: no size", path);
	return end;
}

static void read_psync(void)
{
	uint64_t i;

	part_begin();
	for (i = 0; i < count; i++) {
		if (pread(fd, buf, BLOCK, next_random() % (size / BLOCK) * BLOCK) != BLOCK)
			err(1, "%s: read", path);
	}
	part_end("read", count);
}

/* DEPTH of them are handed over by one system call and taken back together */
static void pass_uring(uint8_t opcode, const char *part)
{
	unsigned int n, tail, head;
	struct io_uring_sqe *sqe;
	uint64_t i;

	part_begin();
	for (i = 0; i < count; i += depth) {
		tail = *ring.sq_tail;
		for (n = 0; n < depth; n++, tail++) {
			sqe = &ring.sqes[tail & *ring.sq_mask];
			memset(sqe, 0, sizeof(*sqe));
			sqe->opcode = opcode;
			sqe->flags = IOSQE_FIXED_FILE;
			sqe->addr = (uintptr_t)(buf + n * BLOCK);
			sqe->len = BLOCK;
			sqe->off = next_random() % (size / BLOCK) * BLOCK;
			ring.sq_array[tail & *ring.sq_mask] = tail & *ring.sq_mask;
		}
		__atomic_store_n(ring.sq_tail, tail, __ATOMIC_RELEASE);
		if (uring_enter(&ring, depth, depth))
			err(1, "io_uring_enter");
		head = *ring.cq_head;
		for (n = 0; n < depth; n++, head++) {
			if (ring.cqes[head & *ring.cq_mask].res != BLOCK)
				errx(1, "%s: io_uring %s: %d", path, part,
				     ring.cqes[head & *ring.cq_mask].res);
		}
		__atomic_store_n(ring.cq_head, head, __ATOMIC_RELEASE);
	}
	part_end(part, count);
}

static void read_uring(void)
{
	pass_uring(IORING_OP_READ, "read");
}

static void rewrite_uring(void)
{
	pass_uring(IORING_OP_WRITE, "write");
}

static void take_depth(const char *how_deep, const char *how_many)
{
	depth = number(how_deep);
	count = number(how_many);
	if (!depth || depth > QUEUE_DEPTH || count % depth)
		errx(2, "DEPTH: 1 to %d, and COUNT a multiple", QUEUE_DEPTH);
}

static void work_read(char **arg)
{
	path = arg[0];
	take_depth(arg[2], arg[3]);
	fd = open_or_die(path, O_RDONLY | O_DIRECT);
	size = device_size(fd);
	if (strcmp(arg[1], "psync") == 0) {
		passes(number(arg[4]), read_psync);
	} else {
		if (uring_open(&ring, 0, fd))
			errx(1, "no io_uring");
		passes(number(arg[4]), read_uring);
	}
}

static void work_rewrite(char **arg)
{
	uint64_t i, pages = number(arg[1]);

	path = arg[0];
	take_depth(arg[2], arg[3]);
	unlink(path);
	fd = open_or_die(path, O_RDWR | O_CREAT | O_EXCL | O_DIRECT);
	for (i = 0; i < pages; i++) {
		if (pwrite(fd, buf, BLOCK, i * BLOCK) != BLOCK)
			err(1, "%s: write", path);
	}
	if (syncfs(fd))
		err(1, "%s: syncfs", path);
	size = pages * BLOCK;
	if (uring_open(&ring, 0, fd))
		errx(1, "no io_uring");
	passes(number(arg[4]), rewrite_uring);
}

/* A new file each time: blocks are found for it, as for most that is written */
static void write_pass(size_t piece, const char *write_part,
		       const char *sync_part, uint64_t units)
{
	uint64_t i;

	unlink(path);
	fd = open_or_die(path, O_RDWR | O_CREAT | O_EXCL);
	if (syncfs(fd))
		err(1, "%s: syncfs", path);
	settle();
	part_begin();
	for (i = 0; i < count; i++) {
		if (pwrite(fd, buf, piece, i * piece) != (ssize_t)piece)
			err(1, "%s: write", path);
	}
	part_end(write_part, units);
	part_begin();
	if (syncfs(fd))
		err(1, "%s: syncfs", path);
	part_end(sync_part, units);
}

static void write_pages(void)
{
	write_pass(BLOCK, "dirty", "writeback", count);
	close(fd);
}

static void work_write(char **arg)
{
	path = arg[0];
	count = number(arg[1]);
	passes(number(arg[2]), write_pages);
}

static void seq_pass(void)
{
	uint64_t i;

	write_pass(MIB, "seqwrite", "seqsync", count * (MIB / BLOCK));
	if (posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED))
		errx(1, "%s: fadvise", path);
	settle();
	part_begin();
	for (i = 0; i < count; i++) {
		if (pread(fd, buf, MIB, i * MIB) != MIB)
			err(1, "%s: read", path);
	}
	part_end("seqread", count * (MIB / BLOCK));
	close(fd);
}

static void work_seq(char **arg)
{
	path = arg[0];
	count = number(arg[1]);
	passes(number(arg[2]), seq_pass);
}

static uint64_t bytes;	/* in each file */

static void files_pass(void)
{
	char name[32];
	uint64_t i;
	int dir = open_or_die(path, O_RDONLY | O_DIRECTORY);

	if (syncfs(dir))
		err(1, "%s: syncfs", path);
	settle();
	part_begin();
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "file%lu", i);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
		if (fd < 0)
			err(1, "%s/%s", path, name);
		if (bytes && write(fd, buf, bytes) != (ssize_t)bytes)
			err(1, "%s/%s: write", path, name);
		close(fd);
	}
	if (syncfs(dir))
		err(1, "%s: syncfs", path);
	part_end("create", count);
	part_begin();
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "file%lu", i);
		if (unlinkat(dir, name, 0))
			err(1, "%s/%s", path, name);
	}
	if (syncfs(dir))
		err(1, "%s: syncfs", path);
	part_end("delete", count);
	close(dir);
}

static void work_files(char **arg)
{
	path = arg[0];
	count = number(arg[1]);
	bytes = number(arg[2]);
	if (bytes > MIB)
		errx(1, "%s: no more than a MiB", arg[2]);
	if (mkdir(path, 0700) && errno != EEXIST)
		err(1, "%s", path);
	passes(number(arg[3]), files_pass);
}

/*
 * One job of fio's examples/ssd-test.fio: Linux AIO, direct, 4 KiB, four at a
 * time. fio itself spends more to start than such a job, and never the same.
 */
#define SSD_DEPTH	4

static const char *rw;

static void ssd_pass(void)
{
	bool random = !strncmp(rw, "rand", 4);
	int op = strstr(rw, "write") ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD;
	uint64_t i, block;
	struct aio aio;

	if (aio_open(&aio))
		errx(1, "no AIO");
	settle();
	part_begin();
	for (i = 0; i < count; i++) {
		block = random ? next_random() : i;
		if (aio.inflight == SSD_DEPTH && aio_reap(&aio))
			errx(1, "%s: %s failed", path, rw);
		if (aio_add(&aio, op, fd, buf, BLOCK, block % (size / BLOCK) * BLOCK))
			errx(1, "%s: %s failed", path, rw);
	}
	if (aio_drain(&aio))
		errx(1, "%s: %s failed", path, rw);
	part_end(rw, count);
	syscall(__NR_io_destroy, aio.ctx);
}

static void work_ssd(char **arg)
{
	path = arg[0];
	rw = arg[1];
	count = number(arg[2]);
	fd = open_or_die(path, O_RDWR | O_DIRECT);
	size = device_size(fd);
	passes(number(arg[3]), ssd_pass);
}

static void pipe_pass(void)
{
	uint64_t bytes = 0;
	ssize_t n;

	fd = open_or_die(path, O_RDONLY);
	part_begin();
	while ((n = read(fd, buf, MIB)) > 0)
		bytes += n;
	part_end("pipe", count);
	if (n < 0)
		err(1, "%s", path);
	if (counts)
		fprintf(stderr, "%s: %lu bytes\n", path, bytes);
	close(fd);
}

/* Only the first reading has the acts: nothing warms up for it */
static void work_pipe(char **arg)
{
	path = arg[0];
	count = number(arg[1]);
	counts = true;
	pipe_pass();
}

static unsigned long roles, intents, acts;

/*
 * One read for each act, again and again: act N is role N / per_role with one
 * of the intents. The role changes only as often as there are roles, so that
 * what changing it costs hardly shows.
 */
static void scale_pass(void)
{
	unsigned long per_role = acts / roles, role, i;
	uint64_t done = 0;
	char text[16];
	int who = open_or_die("/sys/kernel/debug/ioblame/role_id", O_WRONLY);
	int ctl = open_or_die("/sys/kernel/debug/iob_stacks/read", O_WRONLY);

	part_begin();
	while (done < count) {
		for (role = 0; role < roles && done < count; role++) {
			if (write(who, text, snprintf(text, sizeof(text), "%lu", role + 1)) < 0)
				err(1, "role_id");
			for (i = 0; i < per_role && done < count; i++, done++) {
				uint32_t stack = (role * per_role + i) % intents;

				if (write(ctl, &stack, sizeof(stack)) < 0)
					err(1, "iob_stacks");
			}
		}
	}
	part_end("scale", count);
	if (write(who, "0", 1) < 0)
		err(1, "role_id");
	close(who);
	close(ctl);
}

static void work_scale(char **arg)
{
	roles = number(arg[0]);
	intents = number(arg[1]);
	acts = number(arg[2]);
	count = number(arg[3]);
	if (!roles || !intents || acts < roles)
		errx(2, "at least one act for each role");
	passes(number(arg[4]), scale_pass);
}

static void work_rate(char **arg)
{
	double seconds = number(arg[1]), took;
	uint64_t begin;
	int i;

	path = arg[0];
	fd = open_or_die(path, O_RDONLY | O_DIRECT);
	size = device_size(fd);
	seed = 88172645463325252ULL + getpid();
	begin = now_ns();
	do {
		for (i = 0; i < 100; i++, count++) {
			if (pread(fd, buf, BLOCK, next_random() % (size / BLOCK) * BLOCK) != BLOCK)
				err(1, "%s: read", path);
		}
		took = (now_ns() - begin) / 1e9;
	} while (took < seconds);
	printf("%.1f\n", count / took);
}

/* So many lengths are kept: at a read each ms more than an hour */
#define LENGTHS	(4UL << 20)

static int shorter(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void print_lengths(uint64_t *ns, size_t nr)
{
	if (!nr)
		errx(1, "nothing was measured");
	qsort(ns, nr, sizeof(*ns), shorter);
	printf("%zu %lu %lu\n", nr, ns[nr / 2], ns[nr - 1]);
}

static uint64_t *lengths_begin(void)
{
	uint64_t *ns = malloc(LENGTHS * sizeof(*ns));

	if (!ns)
		err(1, "memory");
	return ns;
}

static volatile sig_atomic_t over;

static void end_it(int sig)
{
	(void)sig;
	over = 1;
}

static void work_hold(char **arg)
{
	uint64_t *ns = lengths_begin(), begin;
	size_t nr = 0;

	path = arg[0];
	fd = open_or_die(path, O_RDONLY | O_DIRECT);
	size = device_size(fd);
	seed = 88172645463325252ULL + getpid();
	signal(SIGTERM, end_it);
	while (!over && nr < LENGTHS) {
		begin = now_ns();
		if (pread(fd, buf, BLOCK, next_random() % (size / BLOCK) * BLOCK) != BLOCK)
			err(1, "%s: read", path);
		ns[nr++] = now_ns() - begin;
	}
	print_lengths(ns, nr);
}

static void work_grace(char **arg)
{
	uint64_t *ns = lengths_begin(), begin;
	size_t nr = number(arg[0]), i;
	int ctl = open_or_die("/sys/kernel/debug/iob_stacks/grace", O_WRONLY);

	for (i = 0; i < nr && i < LENGTHS; i++) {
		begin = now_ns();
		if (write(ctl, "1", 1) != 1)
			err(1, "grace");
		ns[i] = now_ns() - begin;
	}
	print_lengths(ns, i);
}

static const struct {
	const char *name;
	int args;
	void (*work)(char **arg);
} works[] = {
	{ "read", 5, work_read },
	{ "rewrite", 5, work_rewrite },
	{ "write", 3, work_write },
	{ "seq", 3, work_seq },
	{ "files", 4, work_files },
	{ "ssd", 4, work_ssd },
	{ "pipe", 2, work_pipe },
	{ "scale", 5, work_scale },
	{ "rate", 2, work_rate },
	{ "hold", 1, work_hold },
	{ "grace", 1, work_grace },
};

int main(int argc, char **argv)
{
	size_t i;

	buf = aligned_alloc(BLOCK, MIB);
	if (!buf)
		err(1, "memory");
	memset(buf, 0x5a, MIB);
	for (i = 0; argc > 1 && i < sizeof(works) / sizeof(works[0]); i++) {
		if (strcmp(argv[1], works[i].name))
			continue;
		if (argc != works[i].args + 2)
			break;
		works[i].work(argv + 2);
		return 0;
	}
	errx(2, "usage: see the head of benchwork.c");
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Direct reads of many tasks, each with a CPU, a disk and a queue of its own:
 *
 *	benchmany DEPTH COUNT DEVICE...
 *
 * One task for each device, the Nth on CPU N, keeps DEPTH reads of 4 KiB under way (pread
 * if it is 1 and DEPTH is written "psync"; else Linux AIO).  When all have warmed up, COUNT
 * are submitted and reaped by each between a pair of marks for QEMU's plugins (../qemu.h),
 * with as many under way before as after.  Prints the sum of COUNT.
 *
 * The bench's guest has one thread for all CPUs, and a task that executes PAUSE passes it on
 * to the next CPU.  So the CPUs take turns at each system call, as if they ran at once.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "count.h"

#define QUEUE_DEPTH	4096
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include "../../truth/prog/aio.h"
#pragma GCC diagnostic pop

#define BLOCK	4096

/* How many tasks have come to each meeting */
static unsigned int *arrived;

static unsigned int tasks, depth, count;
static bool psync;
static char *buf;
static uint64_t seed, blocks;

static void pause_cpu(void)
{
#ifdef __aarch64__
	asm volatile("yield" ::: "memory");
#else
	asm volatile("pause" ::: "memory");
#endif
}

/* Wait for all tasks */
static void meet(unsigned int place)
{
	__atomic_add_fetch(&arrived[place], 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&arrived[place], __ATOMIC_SEQ_CST) < tasks)
		pause_cpu();
}

static uint64_t next_offset(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % blocks * BLOCK;
}

static void submit(struct aio *a, int fd, unsigned int n)
{
	static struct iocb cb[QUEUE_DEPTH], *cbs[QUEUE_DEPTH];
	unsigned int i, done = 0;
	int ret;

	for (i = 0; i < n; i++) {
		cb[i] = (struct iocb){
			.aio_lio_opcode = IOCB_CMD_PREAD,
			.aio_fildes = fd,
			.aio_buf = (uintptr_t)buf,
			.aio_nbytes = BLOCK,
			.aio_offset = next_offset(),
		};
		cbs[i] = &cb[i];
	}
	while (done < n) {
		ret = syscall(__NR_io_submit, a->ctx, n - done, cbs + done);
		if (ret <= 0)
			err(1, "io_submit");
		done += ret;
	}
	a->inflight += n;
}

static unsigned int reap(struct aio *a, unsigned int most)
{
	static struct io_event ev[QUEUE_DEPTH];
	int n, i;

	do {
		n = syscall(__NR_io_getevents, a->ctx, 1, most, ev, NULL);
	} while (n < 0 && errno == EINTR);
	for (i = 0; i < n; i++) {
		if (ev[i].res != BLOCK)
			errx(1, "read: %lld", (long long)ev[i].res);
	}
	if (n <= 0)
		err(1, "io_getevents");
	a->inflight -= n;
	return n;
}

/* As many are under way after it as before */
static void work(struct aio *a, int fd, unsigned int nr)
{
	unsigned int i;

	if (psync) {
		for (i = 0; i < nr; i++) {
			if (pread(fd, buf, BLOCK, next_offset()) != BLOCK)
				err(1, "pread");
			pause_cpu();
		}
		return;
	}
	for (i = 0; i < nr; i++) {
		reap(a, 1);
		pause_cpu();
		submit(a, fd, 1);
		pause_cpu();
	}
}

static void pin(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		err(1, "CPU %u", cpu);
}

static void task(unsigned int nr, const char *path)
{
	struct aio a;
	int fd;

	pin(nr);
	fd = open(path, O_RDONLY | O_DIRECT);
	if (fd < 0)
		err(1, "%s", path);
	blocks = lseek(fd, 0, SEEK_END) / BLOCK;
	seed = 88172645463325252ULL + nr;
	buf = aligned_alloc(BLOCK, BLOCK);
	memset(buf, 0, BLOCK);
	if (!psync) {
		memset(&a, 0, sizeof(a));
		if (syscall(__NR_io_setup, depth, &a.ctx))
			err(1, "io_setup");
		submit(&a, fd, depth);
	}
	/* until the memory of the reads comes round again */
	work(&a, fd, 8 * depth + 100);
	meet(0);
	/* the first task's mark is that of all */
	if (nr == 0)
		mark_begin();
	meet(1);
	work(&a, fd, count);
	meet(2);
	if (nr == 0)
		mark_end();
	meet(3);
	while (!psync && a.inflight)
		reap(&a, a.inflight);
	_exit(0);
}

int main(int argc, char **argv)
{
	unsigned int i;
	int status;

	if (argc < 4)
		errx(2, "usage: see the head of benchmany.c");
	psync = !strcmp(argv[1], "psync");
	depth = psync ? 1 : number(argv[1]);
	count = number(argv[2]);
	tasks = argc - 3;
	if (!depth || depth > QUEUE_DEPTH)
		errx(2, "DEPTH: 1 to %d", QUEUE_DEPTH);
	arrived = mmap(NULL, BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (arrived == MAP_FAILED)
		err(1, "memory");
	mark_arm();
	pause_cpu();
	for (i = 0; i < tasks; i++) {
		switch (fork()) {
		case -1:
			err(1, "fork");
		case 0:
			task(i, argv[3 + i]);
		}
	}
	while (wait(&status) > 0) {
		if (status)
			errx(1, "a task failed");
	}
	printf("%u\n", tasks * count);
	return 0;
}

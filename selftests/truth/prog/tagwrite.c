// SPDX-License-Identifier: GPL-2.0
/*
 * Write or read a file in one of many ways, each sector tagged with the writer.
 *
 *	tagwrite -m MANIFEST [-o OFFSET] [-d MAJ:MIN] [-t] KIND PATH [BYTES]
 *	tagwrite -l
 *
 * PATH is a file that no task has written to yet, or a block device, of which
 * the part from OFFSET on is used. -t does it all in a thread other than the
 * first. -d names the file's device, where its mount shows another (overlayfs).
 * -l lists the kinds: name, W or R, "raw" if it works on a block device,
 * and the bytes of the file that it takes when BYTES is not given.
 *
 * MANIFEST gets a line for each job done (W, R), and one for a kind that this
 * kernel or file system does not offer (S, exit status 77). It must not lie on
 * a disk under test. A file written is never written twice, except for what
 * a kind's preparation puts there without tags.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "ways.h"

#define KB		1024u
#define MB		(1024u * 1024u)
#define DIRECT		O_DIRECT
#define STEP		(16 * KB)

static const struct kind kinds[] = {
	/* the page cache, by system calls */
	{ .name = "buffered", .xfer = by_position, .chunk = 64 * KB },
	{ .name = "pwrite", .xfer = by_offset, .chunk = 8 * KB,
	  .pattern = SCATTERED },
	{ .name = "append", .xfer = by_append, .oflags = O_APPEND,
	  .pattern = RECORDS, .bytes = 256 * KB, .files_only = true },
	{ .name = "small", .xfer = by_offset, .chunk = 512, .bytes = 128 * KB },
	{ .name = "large", .xfer = by_offset, .chunk = MB, .bytes = 4 * MB },
	{ .name = "vector", .xfer = by_vector, .chunk = MB, .bytes = 2 * MB },
	{ .name = "holes", .xfer = by_offset, .chunk = 16 * KB,
	  .pattern = HOLES },
	{ .name = "fallocate", .xfer = by_offset, .chunk = 64 * KB,
	  .prepare = allocate, .files_only = true },
	{ .name = "extend", .xfer = by_offset, .chunk = 32 * KB,
	  .prepare = extend, .finish = extend_again, .pattern = SCATTERED,
	  .files_only = true },
	{ .name = "osync", .xfer = by_offset, .chunk = 16 * KB,
	  .oflags = O_SYNC, .bytes = 256 * KB },
	{ .name = "fsync", .xfer = by_fsync, .chunk = 32 * KB },
	{ .name = "exit", .xfer = by_position, .chunk = 64 * KB,
	  .finish = leave_early },
	{ .name = "dontcache", .xfer = by_vector, .chunk = 128 * KB,
	  .flags = RWF_DONTCACHE },
	{ .name = "oddname", .xfer = by_offset, .chunk = 64 * KB },
	{ .name = "newline", .xfer = by_offset, .chunk = 64 * KB },
	/* the page cache, by other ways in */
	{ .name = "mmap", .xfer = by_mapping, .chunk = 16 * KB,
	  .prepare = open_mapping },
	{ .name = "mmap_msync", .xfer = by_mapping, .chunk = 4 * KB,
	  .prepare = open_mapping, .finish = sync_mapping,
	  .pattern = SCATTERED },
	{ .name = "mmap_read", .xfer = by_read_into_mapping, .chunk = 64 * KB,
	  .prepare = open_mapping, .memfd = true },
	{ .name = "splice", .xfer = by_splice, .chunk = 128 * KB,
	  .prepare = open_pipe, .memfd = true },
	{ .name = "vmsplice", .xfer = by_vmsplice, .chunk = 128 * KB,
	  .prepare = open_pipe },
	{ .name = "sendfile", .xfer = by_sendfile, .chunk = 128 * KB,
	  .memfd = true },
	{ .name = "aio_buffered", .xfer = by_aio, .chunk = 32 * KB,
	  .prepare = open_aio, .finish = close_aio },
	{ .name = "uring_buffered", .xfer = by_uring, .chunk = 32 * KB,
	  .prepare = open_uring, .finish = close_uring },
	{ .name = "uring_wq_buffered", .xfer = by_uring, .chunk = 32 * KB,
	  .prepare = open_uring, .finish = close_uring, .flags = IOSQE_ASYNC },
	/* past the page cache */
	{ .name = "direct", .xfer = by_offset, .chunk = 64 * KB,
	  .oflags = DIRECT },
	{ .name = "direct_sizes", .xfer = by_offset, .pattern = SIZES,
	  .oflags = DIRECT, .bytes = 6 * MB },
	{ .name = "direct_512", .xfer = by_offset, .chunk = 512,
	  .oflags = DIRECT, .bytes = 64 * KB },
	{ .name = "direct_vector", .xfer = by_vector, .chunk = MB,
	  .oflags = DIRECT, .bytes = 2 * MB },
	{ .name = "direct_dsync", .xfer = by_offset, .chunk = 16 * KB,
	  .oflags = DIRECT | O_DSYNC, .bytes = 256 * KB },
	{ .name = "direct_map", .xfer = by_offset, .chunk = 64 * KB,
	  .oflags = DIRECT, .memfd = true },
	{ .name = "aio", .xfer = by_aio, .chunk = 64 * KB, .oflags = DIRECT,
	  .prepare = open_aio, .finish = close_aio },
	{ .name = "uring", .xfer = by_uring, .chunk = 64 * KB,
	  .oflags = DIRECT, .prepare = open_uring, .finish = close_uring },
	{ .name = "uring_wq", .xfer = by_uring, .chunk = 64 * KB,
	  .oflags = DIRECT, .prepare = open_uring, .finish = close_uring,
	  .flags = IOSQE_ASYNC },
	{ .name = "uring_sqpoll", .xfer = by_uring, .chunk = 64 * KB,
	  .oflags = DIRECT, .prepare = open_uring, .finish = close_uring,
	  .setup = IORING_SETUP_SQPOLL },
	/* several hands */
	{ .name = "fork", .xfer = by_position, .chunk = 64 * KB,
	  .cast = CHILDREN, .bytes = 512 * KB },
	{ .name = "threads", .xfer = by_offset, .chunk = 64 * KB,
	  .cast = THREADS, .bytes = 512 * KB },
	{ .name = "exec_in_thread", .xfer = by_offset, .chunk = 64 * KB,
	  .cast = EXEC_IN_THREAD, .bytes = 512 * KB },
	{ .name = "shared", .xfer = by_offset,
	  .cast = PAGE_BY_PAGE, .bytes = 512 * KB },
	{ .name = "shared_large", .xfer = by_offset,
	  .cast = PAGE_BY_PAGE, .bytes = 512 * KB, .reread = true },
	{ .name = "shared_mmap", .xfer = by_mapping,
	  .prepare = open_mapping, .cast = PAGE_BY_PAGE, .bytes = 512 * KB,
	  .look = true },
	{ .name = "shared_mmap_large", .xfer = by_mapping,
	  .prepare = open_mapping, .cast = PAGE_BY_PAGE, .bytes = 512 * KB,
	  .look = true, .reread = true },
	{ .name = "shared_flush", .xfer = by_offset,
	  .cast = PAGE_BY_PAGE, .bytes = 512 * KB, .reread = true,
	  .flush = true },
	{ .name = "shared_mmap_flush", .xfer = by_mapping,
	  .prepare = open_mapping, .cast = PAGE_BY_PAGE, .bytes = 512 * KB,
	  .look = true, .reread = true, .flush = true },
	{ .name = "shared_mmap_blind", .xfer = by_mapping,
	  .prepare = open_mapping, .cast = PAGE_BY_PAGE, .bytes = 512 * KB },
	{ .name = "shared_direct", .xfer = by_offset,
	  .oflags = DIRECT, .cast = PAGE_BY_PAGE, .bytes = 256 * KB },
	{ .name = "rewrite", .xfer = by_offset, .chunk = 8 * KB,
	  .pattern = SCATTERED, .cast = OVER_CLEAN },
	{ .name = "direct_over", .xfer = by_offset, .chunk = 64 * KB,
	  .oflags = DIRECT, .cast = OVER_DIRTY },
	/* readers */
	{ .name = "rd_buffered", .xfer = by_position, .chunk = 64 * KB,
	  .read = true },
	{ .name = "rd_random", .xfer = by_offset, .chunk = 4 * KB,
	  .pattern = SCATTERED, .read = true },
	{ .name = "rd_readahead", .xfer = by_readahead, .chunk = 256 * KB,
	  .read = true },
	{ .name = "rd_mmap", .xfer = by_mapping, .chunk = 16 * KB,
	  .prepare = open_mapping, .read = true },
	{ .name = "rd_direct", .xfer = by_offset, .chunk = 64 * KB,
	  .oflags = DIRECT, .read = true },
	{ .name = "rd_aio", .xfer = by_aio, .chunk = 64 * KB,
	  .oflags = DIRECT, .prepare = open_aio, .finish = close_aio,
	  .read = true },
	{ .name = "rd_uring", .xfer = by_uring, .chunk = 64 * KB,
	  .oflags = DIRECT, .prepare = open_uring, .finish = close_uring,
	  .read = true },
	{ .name = "rd_uring_wq", .xfer = by_uring, .chunk = 64 * KB,
	  .prepare = open_uring, .finish = close_uring, .flags = IOSQE_ASYNC,
	  .read = true },
};

#define NR_KINDS	(sizeof(kinds) / sizeof(*kinds))
#define DEFAULT_BYTES	MB

static const struct kind *find_kind(const char *name)
{
	for (size_t i = 0; i < NR_KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

static void list_kinds(void)
{
	for (size_t i = 0; i < NR_KINDS; i++) {
		const struct kind *k = &kinds[i];
		uint32_t bytes = k->bytes ? k->bytes : DEFAULT_BYTES;

		if (k->cast == CHILDREN || k->cast == THREADS)
			bytes *= CAST_SIZE;
		if (k->cast == PAGE_BY_PAGE || k->cast == EXEC_IN_THREAD ||
		    k->pattern == HOLES)
			bytes *= 2;
		printf("%s %c %s %u\n", k->name, k->read ? 'R' : 'W',
		       k->files_only ? "-" : "raw", bytes);
	}
}

/* Wait for the turn, and hand it on; alone once the other one has ended */
static void await_turn(struct job *j)
{
	char c;

	if (j->parts && read(j->turn_in, &c, 1) < 0)
		job_end(j, "turn", -errno);
}

static void pass_turn(struct job *j)
{
	if (j->parts && write(j->turn_out, "", 1) < 0 && errno != EPIPE)
		job_end(j, "turn", -errno);
}

/* Everything one writer or reader does, in the thread that is to be charged */
static void job_run(struct job *j)
{
	int err = 0;

	job_open(j);
	job_plan(j);
	job_alloc(j);
	if (!j->kind->read)
		job_tag(j);
	if (j->kind->pattern == SCATTERED)
		job_mix(j);
	if (j->kind->prepare)
		err = j->kind->prepare(j);
	if (err)
		job_end(j, "prepare", err);
	for (int n = 0; n < j->nr_pieces && !err; n++) {
		await_turn(j);
		err = j->kind->xfer(j, &j->pieces[n]);
		if (j->kind->flush && n % 8 == 5)
			sync_file_range(j->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
		pass_turn(j);
	}
	if (err)
		job_end(j, "transfer", err);
	if (j->kind->finish)
		err = j->kind->finish(j);
	if (err)
		job_end(j, "finish", err);
	if (j->kind->read)
		manifest_read(j);
	else
		manifest_write(j);
	close(j->fd);
}

static void *job_thread(void *job)
{
	job_run(job);
	return NULL;
}

/* The n-th of several that do the same beside each other */
static void job_nth(struct job *j, int n)
{
	struct stat st;

	if (stat(j->path, &st) == 0 && S_ISBLK(st.st_mode))
		j->base += n * j->bytes;
	else
		snprintf(j->path + strlen(j->path),
			 sizeof(j->path) - strlen(j->path), ".%d", n);
}

static int wait_for(pid_t *pids, int nr)
{
	int status, ret = 0;

	for (int n = 0; n < nr; n++) {
		if (waitpid(pids[n], &status, 0) < 0 || !WIFEXITED(status))
			ret = 1;
		else if (WEXITSTATUS(status))
			ret = WEXITSTATUS(status);
	}
	return ret;
}

static int run_children(const struct job *j)
{
	pid_t pids[CAST_SIZE];

	for (int n = 0; n < CAST_SIZE; n++) {
		struct job mine = *j;

		job_nth(&mine, n);
		pids[n] = fork();
		if (!pids[n]) {
			job_run(&mine);
			_exit(0);
		}
	}
	return wait_for(pids, CAST_SIZE);
}

static int run_threads(const struct job *j)
{
	static struct job jobs[CAST_SIZE];
	pthread_t ids[CAST_SIZE];

	for (int n = 0; n < CAST_SIZE; n++) {
		jobs[n] = *j;
		job_nth(&jobs[n], n);
		if (pthread_create(&ids[n], NULL, job_thread, &jobs[n]))
			return 1;
	}
	for (int n = 0; n < CAST_SIZE; n++)
		pthread_join(ids[n], NULL);
	return 0;
}

/*
 * Fill what is to be written with untagged data; not synced, it is still dirty
 * when the tags come. One large write leaves large folios on newer kernels; with
 * reread they come back in as such on all, where the file system has them:
 * readahead makes them larger with each round, so read in small steps.
 */
static void fill_with_noise(struct job *j, size_t len, bool sync)
{
	void *noise = malloc(len);
	ssize_t n;

	if (!noise)
		job_end(j, "malloc", -ENOMEM);
	tag_noise(noise, len, getpid());
	j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (j->fd < 0 || pwrite(j->fd, noise, len, j->base) != (ssize_t)len ||
	    (sync && fsync(j->fd) < 0))
		job_end(j, "fill", -errno);
	if (j->kind->reread) {
		posix_fadvise(j->fd, j->base, len, POSIX_FADV_DONTNEED);
		for (size_t pos = 0; pos < len; pos += STEP) {
			n = len - pos < STEP ? len - pos : STEP;
			if (pread(j->fd, noise, n, j->base + pos) != n)
				job_end(j, "reread", -errno);
		}
	}
}

/* Let another process fill it, which exits before the tags come */
static int prefill(struct job *j, size_t len, bool sync)
{
	pid_t pid = fork();

	if (!pid) {
		fill_with_noise(j, len, sync);
		_exit(0);
	}
	return wait_for(&pid, 1);
}

/*
 * The pages that two processes share are synced first, so that each is clean when
 * one of the two dirties it. Then the process that dirties a page is the one that
 * tags it, also where a file system fills holes with zeros.
 */
static int run_shared(struct job *j)
{
	int turn[2][2], ret;
	pid_t pids[2];

	ret = prefill(j, 2 * j->bytes, true);
	if (ret)
		return ret;
	if (pipe(turn[0]) < 0 || pipe(turn[1]) < 0)
		job_end(j, "pipe", -errno);
	for (int n = 0; n < 2; n++) {
		struct job mine = *j;

		mine.part = n;
		mine.parts = 2;
		mine.turn_in = turn[n][0];
		mine.turn_out = turn[!n][1];
		pids[n] = fork();
		if (!pids[n]) {
			close(turn[n][1]);
			close(turn[!n][0]);
			job_run(&mine);
			_exit(0);
		}
	}
	if (write(turn[0][1], "", 1) < 0)
		job_end(j, "turn", -errno);
	for (int n = 0; n < 4; n++)
		close(turn[n / 2][n % 2]);
	return wait_for(pids, 2);
}

/*
 * Dirty a file in a thread that then executes: the survivor of an exec takes
 * the first thread's id, and no task has the id that dirtied the pages any more.
 */
static void *write_and_exec(void *job)
{
	struct job *j = job, next = *j;
	char off[32], bytes[32], dev[32];

	job_run(j);
	job_nth(&next, 1);
	snprintf(off, sizeof(off), "%llu", (unsigned long long)next.base);
	snprintf(bytes, sizeof(bytes), "%zu", j->bytes);
	snprintf(dev, sizeof(dev), "%u:%u", j->dev >> 20, j->dev & 0xfffff);
	execl("/proc/self/exe", "tagwrite", "-m", j->manifest, "-o", off, "-d",
	      dev, "buffered", next.path, bytes, NULL);
	job_end(j, "exec", -errno);
	return NULL;
}

static int run_in_thread(struct job *j, void *(*body)(void *))
{
	pthread_t id;

	if (pthread_create(&id, NULL, body, j))
		return 1;
	pthread_join(id, NULL);
	return 0;
}

static int run(struct job *j, bool in_thread)
{
	int ret;

	switch (j->kind->cast) {
	case CHILDREN:
		return run_children(j);
	case THREADS:
		return run_threads(j);
	case PAGE_BY_PAGE:
		return run_shared(j);
	case EXEC_IN_THREAD:
		return run_in_thread(j, write_and_exec);
	case OVER_CLEAN:
	case OVER_DIRTY:
		ret = prefill(j, j->bytes, j->kind->cast == OVER_CLEAN);
		if (ret)
			return ret;
		break;
	case ALONE:
		break;
	}
	if (in_thread)
		return run_in_thread(j, job_thread);
	job_run(j);
	return 0;
}

static int usage(void)
{
	fputs("usage: tagwrite -m MANIFEST [-o OFFSET] [-d MAJ:MIN] [-t] KIND PATH [BYTES]\n"
	      "       tagwrite -l\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static struct job j;
	unsigned int major, minor;
	bool in_thread = false;
	int opt;

	tag_init();
	signal(SIGPIPE, SIG_IGN);
	while ((opt = getopt(argc, argv, "m:o:d:tl")) != -1) {
		switch (opt) {
		case 'm':
			j.manifest = optarg;
			break;
		case 'o':
			j.base = strtoull(optarg, NULL, 0);
			break;
		case 'd':
			if (sscanf(optarg, "%u:%u", &major, &minor) != 2)
				return usage();
			j.dev = major << 20 | minor;
			break;
		case 't':
			in_thread = true;
			break;
		case 'l':
			list_kinds();
			return 0;
		default:
			return usage();
		}
	}
	if (!j.manifest || argc - optind < 2 || argc - optind > 3)
		return usage();
	j.kind = find_kind(argv[optind]);
	if (!j.kind) {
		fprintf(stderr, "tagwrite: no kind %s\n", argv[optind]);
		return 2;
	}
	snprintf(j.path, sizeof(j.path), "%s", argv[optind + 1]);
	if (argc - optind == 3)
		j.bytes = strtoull(argv[optind + 2], NULL, 0);
	else if (!j.kind->read)
		j.bytes = j.kind->bytes ? j.kind->bytes : DEFAULT_BYTES;
	if (j.bytes % TAG_SECTOR)
		return usage();
	/* names that a careless reader of iolog takes for its end */
	if (!strcmp(j.kind->name, "oddname"))
		prctl(PR_SET_NAME, "a) dev=0x1 (b");
	if (!strcmp(j.kind->name, "newline"))
		prctl(PR_SET_NAME, "a\nF 0 @ 0 b");
	return run(&j, in_thread);
}

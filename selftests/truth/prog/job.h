/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job: one thread's work on one file, in one way, with one manifest line.
 *
 * The data of a job lies ready in memory, tagged, before its first transfer;
 * pieces say which part of it goes where and in which order.
 */
#ifndef TRUTH_JOB_H
#define TRUTH_JOB_H

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "aio.h"
#include "tag.h"
#include "uring.h"

#define BLOCK		4096u
#define EXIT_SKIP	77

struct job;

struct piece {
	uint64_t off;		/* in the file */
	size_t pos;		/* in the job's data */
	size_t len;
};

/* The order and places of the pieces */
enum pattern {
	SEQUENTIAL,
	SCATTERED,		/* every piece once, in a mixed order */
	HOLES,			/* every other piece-sized part of the file */
	SIZES,			/* one after the other, of growing sizes */
	RECORDS,		/* one after the other, of 512 to 7680 bytes */
};

/* Which tasks do it */
enum cast {
	ALONE,			/* the process itself */
	CHILDREN,		/* CAST_SIZE processes, a file each */
	THREADS,		/* CAST_SIZE threads, a file each */
	PAGE_BY_PAGE,		/* two processes, in turn, pages of one file */
	EXEC_IN_THREAD,		/* a second thread writes, then executes */
	OVER_CLEAN,			/* over what another process has synced */
	OVER_DIRTY,			/* over what another process has dirtied */
};

#define CAST_SIZE	3

struct kind {
	const char *name;
	int (*xfer)(struct job *j, const struct piece *p);
	int (*prepare)(struct job *j);	/* after open; or NULL */
	int (*finish)(struct job *j);	/* after the last transfer; or NULL */
	int oflags;
	enum pattern pattern;
	enum cast cast;
	uint32_t chunk;			/* bytes of a piece; 0: a page */
	uint32_t bytes;			/* of a job, unless told otherwise */
	unsigned int setup;		/* uring: IORING_SETUP_* */
	unsigned int flags;		/* uring: IOSQE_*; pwritev2: RWF_* */
	bool read;
	bool files_only;		/* not for raw block devices */
	bool reread;			/* shared: read into the cache at first */
	bool look;			/* mapped: read each page before */
	bool flush;			/* shared: begin to write now and then */
	bool memfd;			/* the data lies in a file in memory */
};

struct job {
	const struct kind *kind;
	const char *manifest;
	char path[PATH_MAX];
	uint64_t base;			/* of our part of the device, or 0 */
	size_t bytes;
	int part, parts;		/* pages part, part + parts.. are ours */
	int turn_in, turn_out;		/* pipes, if the turn is to be kept */

	int fd;
	bool bdev;
	uint64_t id, ino;
	uint32_t dev;			/* as the kernel packs it */
	uint8_t *data;
	int memfd;			/* holds the data, if the kind needs it */
	uint8_t *map;			/* of the whole file, if it needs that */
	size_t map_len;
	struct piece *pieces;
	int nr_pieces;
	struct uring uring;
	struct aio aio;
	int pipe[2];
};

static uint32_t my_tid(void)
{
	return syscall(SYS_gettid);
}

static void manifest_line(const struct job *j, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* One line is one write(2), so that concurrent writers do not mix */
static void manifest_line(const struct job *j, const char *fmt, ...)
{
	char line[2 * PATH_MAX];
	va_list ap;
	int fd, len;

	va_start(ap, fmt);
	len = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fd = open(j->manifest, O_WRONLY | O_CREAT | O_APPEND, 0644);
	if (fd < 0 || write(fd, line, len) != len) {
		perror(j->manifest);
		_exit(1);
	}
	close(fd);
}

/*
 * The end of a job that failed at WHAT with -errno. What this kernel or file
 * system does not offer is no failure of the test; it is said in the manifest.
 */
static void job_end(const struct job *j, const char *what, int err)
{
	switch (-err) {
	case ENOSYS:
	case EOPNOTSUPP:
	case EPERM:
	case EXDEV:
		manifest_line(j, "S kind=%s reason=%s: %s\n", j->kind->name,
			      what, strerror(-err));
		_exit(EXIT_SKIP);
	}
	fprintf(stderr, "tagwrite %s %s: %s: %s\n", j->kind->name, j->path,
		what, strerror(-err));
	_exit(1);
}

/*
 * The device of the superblock that FD is on. st_dev is not it on btrfs, where
 * each subvolume shows a number of its own; a mount shows the superblock's.
 */
static uint32_t mount_dev(int fd, dev_t fallback)
{
	unsigned int id, want = 0, major, minor;
	char name[64], line[2 * PATH_MAX];
	uint32_t dev = major(fallback) << 20 | minor(fallback);
	FILE *f;

	snprintf(name, sizeof(name), "/proc/self/fdinfo/%d", fd);
	f = fopen(name, "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "mnt_id: %u", &id) == 1)
			want = id;
	if (f)
		fclose(f);
	f = fopen("/proc/self/mountinfo", "r");
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%u %*u %u:%u", &id, &major, &minor) == 3 &&
		    id == want)
			dev = major << 20 | minor;
	if (f)
		fclose(f);
	return dev;
}

/* Open the file, learn what it is called in iolog */
static void job_open(struct job *j)
{
	int flags = j->kind->read ? O_RDONLY : O_RDWR | O_CREAT;
	struct stat st;

	if (stat(j->path, &st) == 0 && S_ISBLK(st.st_mode))
		flags &= ~O_CREAT;
	j->fd = open(j->path, flags | O_CLOEXEC | j->kind->oflags, 0644);
	if (j->fd < 0 && errno == EINVAL && j->kind->oflags & O_DIRECT)
		job_end(j, "open with O_DIRECT", -EOPNOTSUPP);
	if (j->fd < 0)
		job_end(j, "open", -errno);
	if (fstat(j->fd, &st) < 0)
		job_end(j, "fstat", -errno);
	j->bdev = S_ISBLK(st.st_mode);
	j->ino = j->bdev ? 0 : st.st_ino;
	if (j->bdev)
		j->dev = major(st.st_rdev) << 20 | minor(st.st_rdev);
	else if (!j->dev)
		j->dev = mount_dev(j->fd, st.st_dev);
	if (!j->bytes)
		j->bytes = j->kind->read && !j->bdev ? (size_t)st.st_size :
			   j->kind->bytes;
	if (getrandom(&j->id, sizeof(j->id), 0) != sizeof(j->id))
		job_end(j, "getrandom", -EIO);
}

/* The kernel's: one page has one writer */
static uint32_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static size_t piece_len(const struct job *j, int nr, size_t left)
{
	static const uint16_t blocks[] = {
		1, 2, 3, 5, 16, 31, 33, 63, 65, 127, 128, 129, 256, 257, 320,
	};
	size_t len = j->kind->chunk ? j->kind->chunk : page_size();

	if (j->kind->pattern == SIZES)
		len = BLOCK * blocks[nr % (sizeof(blocks) / sizeof(*blocks))];
	if (j->kind->pattern == RECORDS)
		len = TAG_SECTOR * (1 + nr * 4 % 15);
	return len < left ? len : left;
}

/* Cut the data into pieces and say where each goes */
static void job_plan(struct job *j)
{
	size_t pos = 0;
	int n = 0;

	j->pieces = calloc(j->bytes / TAG_SECTOR + 1, sizeof(*j->pieces));
	if (!j->pieces)
		job_end(j, "calloc", -ENOMEM);
	for (; pos < j->bytes; n++) {
		struct piece *p = &j->pieces[n];

		p->pos = pos;
		p->len = piece_len(j, n, j->bytes - pos);
		p->off = pos;
		if (j->kind->pattern == HOLES)
			p->off = 2 * pos;
		if (j->parts)
			p->off = pos * j->parts + j->part * p->len;
		p->off += j->base;
		pos += p->len;
	}
	j->nr_pieces = n;
}

/* Swap pieces about: each is still written once */
static void job_mix(struct job *j)
{
	uint64_t x = j->id | 1;

	for (int n = j->nr_pieces - 1; n > 0; n--) {
		struct piece *a = &j->pieces[n], *b, tmp;

		x = x * 6364136223846793005ull + 1442695040888963407ull;
		b = &j->pieces[(x >> 33) % (n + 1)];
		tmp = *a;
		*a = *b;
		*b = tmp;
	}
}

/* Memory for the data: a memfd's if the kind transfers from a file */
static void job_alloc(struct job *j)
{
	size_t len = (j->bytes + BLOCK - 1) & ~(size_t)(BLOCK - 1);
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;

	j->memfd = -1;
	if (j->kind->memfd) {
		j->memfd = syscall(__NR_memfd_create, "tags", 1 /* CLOEXEC */);
		if (j->memfd < 0 || ftruncate(j->memfd, len) < 0)
			job_end(j, "memfd_create", -errno);
		flags = MAP_SHARED;
	}
	j->data = mmap(NULL, len + !len, PROT_READ | PROT_WRITE, flags,
		       j->memfd, 0);
	if (j->data == MAP_FAILED)
		job_end(j, "mmap", -errno);
}

static void job_tag(struct job *j)
{
	uint64_t seq = 0;

	for (int n = 0; n < j->nr_pieces; n++) {
		const struct piece *p = &j->pieces[n];

		for (size_t at = 0; at < p->len; at += TAG_SECTOR) {
			struct tag *t = (void *)(j->data + p->pos + at);

			t->tgid = getpid();
			t->tid = my_tid();
			memset(t->kind, 0, sizeof(t->kind));
			strncpy(t->kind, j->kind->name, sizeof(t->kind) - 1);
			t->job = j->id;
			t->ino = j->ino;
			t->off = p->off + at;
			t->seq = seq++;
			tag_seal(t);
		}
	}
}

static void manifest_write(const struct job *j)
{
	manifest_line(j,
		      "W kind=%s job=0x%llx tgid=%u tid=%u ino=%llu dev=0x%x off=%llu bytes=%zu path=%s\n",
		      j->kind->name, (unsigned long long)j->id, getpid(),
		      my_tid(), (unsigned long long)j->ino, j->dev,
		      (unsigned long long)j->base, j->bytes, j->path);
}

/* A reader's line ends in the jobs whose sectors it saw: id:sectors,.. */
static void manifest_read(const struct job *j)
{
	struct { uint64_t id; unsigned int sectors; } seen[64];
	char text[2048] = "";
	int nr = 0, len = 0;

	for (size_t pos = 0; pos + TAG_SECTOR <= j->bytes; pos += TAG_SECTOR) {
		const struct tag *t = (void *)(j->data + pos);
		int n = 0;

		if (!tag_valid(t))
			continue;
		while (n < nr && seen[n].id != t->job)
			n++;
		if (n == 64)
			break;
		if (n == nr) {
			seen[nr].id = t->job;
			seen[nr++].sectors = 0;
		}
		seen[n].sectors++;
	}
	for (int n = 0; n < nr; n++)
		len += snprintf(text + len, sizeof(text) - len, "%s0x%llx:%u",
				n ? "," : "", (unsigned long long)seen[n].id,
				seen[n].sectors);
	manifest_line(j,
		      "R kind=%s tgid=%u tid=%u ino=%llu dev=0x%x off=%llu bytes=%zu jobs=%s path=%s\n",
		      j->kind->name, getpid(), my_tid(),
		      (unsigned long long)j->ino, j->dev,
		      (unsigned long long)j->base, j->bytes, text, j->path);
}

#endif

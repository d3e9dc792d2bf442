// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of all files in ways that programs rarely use.  Nothing may block: files are opened
 * with O_NONBLOCK.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/uio.h>
#include <unistd.h>

#include "fuzz.h"

#define MAX_FILES	1024
#define AT_MOST		(128 << 10)

static char *files[MAX_FILES];
static unsigned int nr_files;
static char buffer[AT_MOST];
static int null;

static void add_folder(const char *folder, int depth)
{
	struct dirent *e;
	char *path;
	DIR *d = opendir(folder);

	if (!d)
		err(2, "%s", folder);
	while ((e = readdir(d)) && nr_files < MAX_FILES) {
		if (e->d_name[0] == '.' || asprintf(&path, "%s/%s", folder, e->d_name) < 0)
			continue;
		if (e->d_type == DT_DIR && depth)
			add_folder(path, depth - 1);
		else if (e->d_type == DT_REG)
			files[nr_files++] = path;
	}
	closedir(d);
}

void reads_begin(void)
{
	unsigned int nr;

	null = open("/dev/null", O_WRONLY);
	add_folder(iob, 1);
	add_folder("/sys/module/ioblame/parameters", 0);
	for (nr = 0; nr < 4 && nr_files + 2 < MAX_FILES; nr++) {
		/* these come and go */
		if (asprintf(&files[nr_files++], "%s/counters/%u", iob, nr) < 0 ||
		    asprintf(&files[nr_files++], "%s/counters/%u_filter", iob, nr) < 0 ||
		    asprintf(&files[nr_files++], "%s/iolog_bin%u", iob, nr & 1) < 0)
			err(2, "memory");
	}
}

static void note(const char *path, const char *what, long n)
{
	static const int errors[] = {
		EAGAIN, EINVAL, EFAULT, ESPIPE, ENOTTY, ENODEV, EACCES, EIO, ENOMEM, EBADF,
		EOVERFLOW, EOPNOTSUPP, ENOENT, EBUSY, EPERM, EFBIG, ENXIO,
	};
	struct target t = { .path = path };
	unsigned int i;

	tally.reads++;
	if (n >= 0)
		return;
	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (errno == errors[i])
			return;
	}
	complain(&t, what, "", 0, "%s", strerror(errno));
}

static void read_pieces(struct rng *r, const char *path, int fd)
{
	size_t piece = 1 + (rng_next(r) & 0xffff) % (1 + rng_below(r, 20000));
	long n, all = 0;
	int i;

	for (i = 0; i < 40 && all < AT_MOST; i++) {
		n = read(fd, buffer, piece);
		note(path, "read", n);
		if (n <= 0)
			break;
		all += n;
	}
}

static void read_there(struct rng *r, const char *path, int fd)
{
	off_t at = rng_next(r) >> rng_below(r, 64);

	if (rng_one_in(r, 4))
		at = -(off_t)rng_below(r, 10);
	note(path, "pread", pread(fd, buffer, rng_below(r, 9000), at));
	note(path, "lseek", lseek(fd, at, rng_below(r, 6)));
	note(path, "read after lseek", read(fd, buffer, rng_below(r, 9000)));
}

static void read_fault(struct rng *r, const char *path, int fd)
{
	size_t good = rng_below(r, 64);
	char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return;
	mprotect(map + 4096, 4096, PROT_NONE);
	note(path, "read into no memory", read(fd, map + 4096 - good, 4096));
	munmap(map, 8192);
}

static void read_vector(struct rng *r, const char *path, int fd)
{
	struct iovec iov[4];
	int i;

	for (i = 0; i < 4; i++)
		iov[i] = (struct iovec){ buffer + i * 4096, rng_below(r, 300) };
	note(path, "readv", readv(fd, iov, 4));
}

static void read_splice(struct rng *r, const char *path, int fd)
{
	int ends[2];

	if (rng_one_in(r, 2)) {
		note(path, "sendfile", sendfile(null, fd, NULL, 1 + rng_below(r, 8192)));
		return;
	}
	if (pipe2(ends, O_NONBLOCK))
		return;
	note(path, "splice", splice(fd, NULL, ends[1], NULL, 1 + rng_below(r, 8192),
				    SPLICE_F_NONBLOCK));
	close(ends[0]);
	close(ends[1]);
}

static void ask(struct rng *r, const char *path, int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN | POLLOUT | POLLPRI };
	void *map;

	switch (rng_below(r, 5)) {
	case 0:
		note(path, "poll", poll(&p, 1, 0));
		break;
	case 1:
		note(path, "ioctl", ioctl(fd, (unsigned long)(uint32_t)rng_next(r), buffer));
		break;
	case 2:
		map = mmap(NULL, 4096, PROT_READ | (rng_one_in(r, 2) ? PROT_WRITE : 0),
			   rng_one_in(r, 2) ? MAP_SHARED : MAP_PRIVATE, fd, 0);
		note(path, "mmap", map == MAP_FAILED ? -1 : 0);
		if (map != MAP_FAILED)
			munmap(map, 4096);
		break;
	case 3:
		note(path, "fsync", fsync(fd));
		break;
	default:
		note(path, "fallocate", fallocate(fd, 0, 0, 4096));
		break;
	}
}

void reads_some(struct rng *r)
{
	const char *path = files[rng_below(r, nr_files)];
	int fd = open(path, O_RDONLY | O_NONBLOCK), i;

	note(path, "open", fd);
	if (fd < 0)
		return;
	for (i = 1 + rng_below(r, 2); i; i--) {
		switch (rng_below(r, 7)) {
		case 0:
		case 1:
			read_pieces(r, path, fd);
			break;
		case 2:
			read_there(r, path, fd);
			break;
		case 3:
			read_fault(r, path, fd);
			break;
		case 4:
			read_vector(r, path, fd);
			break;
		case 5:
			read_splice(r, path, fd);
			break;
		default:
			ask(r, path, fd);
			break;
		}
	}
	close(fd);
}

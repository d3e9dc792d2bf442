// SPDX-License-Identifier: GPL-2.0
/*
 * open_by_handle_at() opens a file by its numbers, and /proc/self/fd has its path.
 * No folder is searched.
 *
 * path_close() closes the mount points: an open one cannot be unmounted.  What is known of the
 * mounts stays: a host with thousands of containers has tens of thousands of them, and as many
 * cgroups that are asked for one by one.
 */
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "clock.h"
#include "map.h"
#include "msg.h"
#include "path.h"

#define MOUNTINFO	"/proc/self/mountinfo"

enum {
	MOUNTS = 16,			/* open at once */
	FID_INO32_GEN = 1,
	FID_XFS_INO64_GEN = 0x81,
	FID_BTRFS = 0x4d,
	FID_KERNFS = 0xfe,
	FID_BYTES = 32,
};

struct handle {
	unsigned int bytes;
	int type;
	unsigned char fid[FID_BYTES];
};

static struct mount {
	uint32_t dev;
	int fd;
	char type[16];
	char path[PATH_MAX];
	uint64_t subvol;		/* of btrfs */
} mounts[MOUNTS];
static unsigned int nr_mounts;

/* The mount of a file system: of its root if there is one, else of a part. */
struct mounted {
	uint32_t dev;
	bool whole;
	struct libmnt_fs *fs;
};

static struct libmnt_table *table;
static uint64_t table_ns;
static struct map mounted = { .key_len = sizeof(uint32_t) };
static struct libmnt_fs *cgroup2;	/* the first one */
static int watched = -1;		/* tells if there are other mounts now */
static bool table_old;			/* there are */

static uint32_t kernel_dev(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

/* Of the mounts of a whole file system the first one counts, of its parts the last. */
static void add_mounted(struct libmnt_fs *fs)
{
	const char *root = mnt_fs_get_root(fs), *type = mnt_fs_get_fstype(fs);
	uint32_t dev = kernel_dev(mnt_fs_get_devno(fs));
	struct mounted *m = map_get(&mounted, &dev);

	if (!cgroup2 && type && !strcmp(type, "cgroup2"))
		cgroup2 = fs;
	if (m && m->whole)
		return;
	if (!m) {
		m = must(calloc(1, sizeof(*m)));
		m->dev = dev;
		map_put(&mounted, m);
	}
	m->fs = fs;
	m->whole = root && !strcmp(root, "/");
}

static void read_table(void)
{
	struct libmnt_iter *iter = mnt_new_iter(MNT_ITER_FORWARD);
	struct libmnt_fs *fs;

	map_clear(&mounted, free);
	cgroup2 = NULL;
	mnt_unref_table(table);
	table = mnt_new_table_from_file(MOUNTINFO);
	while (table && iter && mnt_table_next_fs(table, iter, &fs) == 0)
		add_mounted(fs);
	mnt_free_iter(iter);
}

/* Whether mounts came or went since this was asked; where the kernel cannot tell, they may have. */
static bool mounts_changed(void)
{
	struct pollfd p = { .events = POLLPRI };

	if (watched < 0)
		watched = open(MOUNTINFO, O_RDONLY | O_CLOEXEC);
	p.fd = watched;
	return watched < 0 || poll(&p, 1, 0) < 0 || p.revents & (POLLPRI | POLLERR | POLLNVAL);
}

/*
 * Read the mounts if they have changed, once a second at most: where containers come and go they
 * always have.  What changes while they are read is noticed the next time.
 */
static void update_table(void)
{
	uint64_t now = clock_ns();

	table_old |= mounts_changed();
	if (table && (!table_old || now - table_ns < 1000000000))
		return;
	table_ns = now;
	table_old = false;
	read_table();
}

/* The next call may free it. */
static struct libmnt_fs *find_mounted_fs(uint32_t dev)
{
	struct mounted *m;

	update_table();
	m = map_get(&mounted, &dev);
	return m ? m->fs : NULL;
}

static struct mount *open_mount(uint32_t dev)
{
	struct libmnt_fs *fs;
	struct mount *m;
	const char *type;
	char *value;
	size_t len;
	unsigned int i;

	for (i = 0; i < nr_mounts; i++) {
		if (mounts[i].dev == dev)
			return mounts[i].fd >= 0 ? &mounts[i] : NULL;
	}
	if (nr_mounts == MOUNTS)
		path_close();
	m = &mounts[nr_mounts++];
	memset(m, 0, sizeof(*m));
	m->dev = dev;
	m->fd = -1;
	fs = find_mounted_fs(dev);
	if (!fs)
		return NULL;
	type = mnt_fs_get_fstype(fs);
	snprintf(m->type, sizeof(m->type), "%s", type ? type : "");
	snprintf(m->path, sizeof(m->path), "%s", mnt_fs_get_target(fs));
	if (mnt_fs_get_option(fs, "subvolid", &value, &len) == 0)
		m->subvol = strtoull(value, NULL, 10);
	m->fd = open(m->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return m->fd >= 0 ? m : NULL;
}

/* Close the mount points. */
void path_close(void)
{
	unsigned int i;

	for (i = 0; i < nr_mounts; i++) {
		if (mounts[i].fd >= 0)
			close(mounts[i].fd);
	}
	nr_mounts = 0;
}

/* The path of a handle's file, or NULL. */
static char *path_of_handle(int mount_fd, const struct handle *handle)
{
	char link[64], path[PATH_MAX];
	struct stat there, named;
	ssize_t n = -1;
	bool same;
	int fd;

	fd = open_by_handle_at(mount_fd, (struct file_handle *)handle, O_PATH | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	same = n > 0 && !fstat(fd, &there);
	close(fd);
	if (!same)
		return NULL;
	path[n] = '\0';
	/* without a dentry the kernel may return the path of another file */
	if (!lstat(path, &named))
		return named.st_ino == there.st_ino && named.st_dev == there.st_dev ?
		       strdup(path) : NULL;
	return there.st_nlink ? NULL : strdup(path);
}

static void put_handle(struct handle *h, const void *value, size_t len)
{
	memcpy(h->fid + h->bytes, value, len);
	h->bytes += len;
}

static char *try_btrfs(const struct mount *m, uint64_t ino, uint32_t gen, uint64_t subvol)
{
	struct handle h = { .type = FID_BTRFS };

	put_handle(&h, &ino, sizeof(ino));
	put_handle(&h, &subvol, sizeof(subvol));
	put_handle(&h, &gen, sizeof(gen));
	return path_of_handle(m->fd, &h);
}

/* The path of a file, allocated, or NULL. */
char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	struct mount *m = open_mount(dev);
	struct handle h = { .type = FID_INO32_GEN };
	uint32_t ino32 = ino;
	char *path;

	if (!m)
		return NULL;
	if (!strcmp(m->type, "btrfs")) {
		path = try_btrfs(m, ino, gen, m->subvol ? m->subvol : 5);
		return path || m->subvol == 5 ? path : try_btrfs(m, ino, gen, 5);
	}
	if (ino >> 32) {
		h.type = FID_XFS_INO64_GEN;
		put_handle(&h, &ino, sizeof(ino));
	} else {
		put_handle(&h, &ino32, sizeof(ino32));
	}
	put_handle(&h, &gen, sizeof(gen));
	return path_of_handle(m->fd, &h);
}

/* The mount point of a device, allocated, or NULL. */
char *path_of_mount(uint32_t dev)
{
	struct libmnt_fs *fs = find_mounted_fs(dev);

	return fs ? strdup(mnt_fs_get_target(fs)) : NULL;
}

/* The path of a cgroup below the mount point of cgroup2, allocated, or NULL. */
char *path_of_cgroup(uint64_t id)
{
	struct handle h = { .type = FID_KERNFS };
	const char *top;
	struct mount *m;
	char *path;
	size_t n;

	update_table();
	if (!cgroup2)
		return NULL;
	m = open_mount(kernel_dev(mnt_fs_get_devno(cgroup2)));
	if (!m)
		return NULL;
	put_handle(&h, &id, sizeof(id));
	path = path_of_handle(m->fd, &h);
	top = m->path;
	n = strlen(top);
	if (!path || strncmp(path, top, n))
		return path;
	if (!path[n])
		strcpy(path, "/");
	else
		memmove(path, path + n, strlen(path + n) + 1);
	return path;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The module shows its files in debugfs and in a file system of its own (OWN).  debugfs is
 * used where it lets root in.  Else the other is mounted, and stays so.
 */
#include <errno.h>
#include <fcntl.h>
#include <libmount/libmount.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dir.h"
#include "file.h"
#include "msg.h"
#include "served.h"

#define OWN "/sys/fs/ioblame"
#define OWN_MAGIC	0x696f626c

static char debugfs[256], top[300];

/* The mount point of debugfs, "" if there is none. */
const char *dir_debugfs(void)
{
	struct libmnt_table *table;
	struct libmnt_fs *fs = NULL;
	struct libmnt_iter *iter;
	const char *type, *root;

	if (*debugfs)
		return debugfs;
	table = mnt_new_table_from_file("/proc/self/mountinfo");
	iter = mnt_new_iter(MNT_ITER_FORWARD);
	while (table && iter && mnt_table_next_fs(table, iter, &fs) == 0) {
		type = mnt_fs_get_fstype(fs);
		root = mnt_fs_get_root(fs);
		if (!type || strcmp(type, "debugfs") || !root || strcmp(root, "/"))
			continue;
		snprintf(debugfs, sizeof(debugfs), "%s", mnt_fs_get_target(fs));
		break;
	}
	mnt_free_iter(iter);
	mnt_unref_table(table);
	return debugfs;
}

const char *dir_path(void)
{
	return top;
}

/* What of a file's path is its name in the module's folder, NULL if it is no file of the module. */
const char *dir_name_in(const char *path)
{
	char folder[300];
	size_t n;

	/* of all open files of a machine; without debugfs each would have the mounts read */
	if (!strstr(path, "/ioblame/"))
		return NULL;
	snprintf(folder, sizeof(folder), "%s/ioblame", dir_debugfs());
	n = strlen(folder);
	if (!strncmp(path, folder, n) && path[n] == '/')
		return path + n + 1;
	n = strlen(OWN);
	return !strncmp(path, OWN, n) && path[n] == '/' ? path + n + 1 : NULL;
}

/*
 * Whether a file, or what a link of /proc leads to, is in a file system in which the module has its
 * files.  Nobody but root mounts these.
 */
bool dir_is_module_file(const char *path)
{
	struct statfs fs;

	return !statfs(path, &fs) && (fs.f_type == DEBUGFS_MAGIC || fs.f_type == OWN_MAGIC);
}

/* How much root may not do. */
enum lockdown dir_lockdown(void)
{
	char *text = file_read("/sys/kernel/security/lockdown");
	enum lockdown level = LOCKDOWN_NONE;

	if (text && strstr(text, "[integrity]"))
		level = LOCKDOWN_INTEGRITY;
	else if (text && !strstr(text, "[none]"))
		level = LOCKDOWN_CONFIDENTIALITY;
	free(text);
	return level;
}

static int refuse_user(void)
{
	if (access(SERVED_SOCKET, W_OK))
		msg("only root can use ioblame: sudo ioblame");
	else
		msg("only root can do this; ioblamed shows you your own IO: ioblame top, ioblame report --since 1h");
	return EXIT_REFUSED;
}

/* True if ioblame is installed for the running kernel, so that modprobe finds it. */
bool dir_installed(void)
{
	struct utsname name;
	char path[512], *text;
	bool has;

	if (uname(&name))
		return false;
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", name.release);
	text = file_read(path);
	has = text && strstr(text, "/ioblame.ko");
	free(text);
	return has;
}

/* True if ftrace is switched off: no function can be watched. */
bool dir_ftrace_off(void)
{
	char *text = file_read("/proc/sys/kernel/ftrace_enabled");
	bool off = text && *text == '0';

	free(text);
	return off;
}

/* Print why a file of the module cannot be opened.  Return: the exit status. */
int dir_refused(int err, const char *name)
{
	if (err == ENOENT || err == ENODEV || err == ENXIO) {
		msg("the module was unloaded: modprobe ioblame");
		return EXIT_MISSING;
	}
	if ((err == EPERM || err == EACCES) && geteuid() != 0)
		return refuse_user();
	if (err == EPERM || err == EACCES) {
		msg("the kernel refuses %s%s; see: ioblame doctor", name,
		    dir_lockdown() ? " because it is locked down" : "");
		return EXIT_REFUSED;
	}
	if (err == EBUSY && dir_ftrace_off()) {
		msg("ftrace is switched off: sysctl kernel.ftrace_enabled=1");
		return EXIT_FAILED;
	}
	msg("%s/%s: %s; see: ioblame doctor", top, name, strerror(err));
	return EXIT_FAILED;
}

/* Find the module's own file system; mount it if it is not.  Return: as dir_find(). */
static int find_own(void)
{
	int err;

	snprintf(top, sizeof(top), OWN);
	if (access(OWN "/enable", F_OK) == 0)
		return EXIT_OK;
	if (mount("ioblame", OWN, "ioblame", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0)
		return EXIT_OK;
	err = errno;
	if (!*debugfs && (err == ENODEV || err == ENOENT)) {
		msg("debugfs is not mounted: mount -t debugfs debugfs /sys/kernel/debug");
		return EXIT_FAILED;
	}
	return dir_refused(err, "to mount its files");
}

/*
 * True if debugfs lets root in.  Only an open tells: without securityfs it cannot be seen that the
 * kernel is locked down.  Where it is seen, none is tried, as the kernel would log it.
 */
static bool debugfs_serves(void)
{
	char path[512];
	int fd;

	if (!*debugfs || dir_lockdown())
		return false;
	snprintf(path, sizeof(path), "%s/enable", top);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/**
 * dir_find - find the module's folder
 *
 * Return: EXIT_OK, or the exit status after printing the error.
 */
int dir_find(void)
{
	if (geteuid() != 0)
		return refuse_user();
	if (access("/sys/module/ioblame", F_OK)) {
		if (dir_installed())
			msg("the module is not loaded: modprobe ioblame");
		else
			msg("the module is not loaded, and not installed for this kernel: %s; modprobe ioblame",
			    GET);
		return EXIT_MISSING;
	}
	snprintf(top, sizeof(top), "%s/ioblame", dir_debugfs());
	if (debugfs_serves())
		return EXIT_OK;
	return find_own();
}

/* Open a file of the module. */
int dir_open(const char *name, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return open(path, flags | O_CLOEXEC);
}

/* Read a file of the module.  Return: its text, allocated; NULL with errno. */
char *dir_read(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return file_read(path);
}

/* The same, for a file that may not answer: see file_read_timed(). */
char *dir_read_timed(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return file_read_timed(path, 1 << 20, FILE_LEFT_MOST);
}

/* As dir_read(), without the last newline. */
char *dir_read_word(const char *name)
{
	char *text = dir_read(name);
	size_t n = text ? strlen(text) : 0;

	if (n && text[n - 1] == '\n')
		text[n - 1] = '\0';
	return text;
}

/* Write a file of the module with one write(2).  Return: 0 or -errno. */
int dir_write(const char *name, const char *text, int flags)
{
	int fd = dir_open(name, O_WRONLY | flags), err = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	do {
		n = write(fd, text, strlen(text));
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		err = -errno;
	close(fd);
	return err;
}

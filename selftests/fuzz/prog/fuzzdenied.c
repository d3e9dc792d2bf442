// SPDX-License-Identifier: GPL-2.0
/*
 * A user who may not: each attempt to write must be refused, and nothing changes.
 *
 *	fuzzdenied --seed N --devices vda --count N
 *
 * Three users try: nobody; nobody as root of a user namespace of its own, with all
 * capabilities there; and the same in a mount namespace of its own. Each has what root may
 * have left open for it: the folder, and files that are open for reading or by O_PATH. Then all
 * files must read as before.  IOB is as for fuzzwrite.
 *
 * iob-libs: -std=gnu11 -Isrc -Iselftests/unit/shim selftests/fuzz/[a-z]*.c
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../fuzz.h"

#define NOBODY		65534
#define NR_OPENED	64

bool loose, partial;
uint64_t case_nr, case_seed;

enum user { PLAIN, NAMESPACE, MOUNTS, NR_USERS };

static const char *const users[NR_USERS] = {
	"nobody", "root of a user namespace", "the same with mounts of its own",
};

static int folder;
static unsigned long refused;

static void attempt(const struct target *t, const char *what, const struct text *x, long n)
{
	/* EBADF: open, but not for writing */
	if (n < 0 && (errno == EACCES || errno == EPERM || errno == EBADF)) {
		refused++;
		return;
	}
	complain(t, what, x->data, x->len, "%s", n < 0 ? strerror(errno) : "works");
}

static long open_write(int at, const char *path, int flags, const struct text *x)
{
	int fd = openat(at, path, flags);
	long n;

	if (fd < 0)
		return -1;
	n = write(fd, x->data, x->len);
	close(fd);
	/* that it could be opened is wrong already */
	return n < 0 ? 0 : n;
}

static void try_name(struct rng *r, const struct target *t, const struct text *x)
{
	static const int flags[] = {
		O_WRONLY, O_RDWR, O_RDONLY, O_WRONLY | O_TRUNC, O_RDWR | O_APPEND
	};
	const char *name = t->path + strlen(iob) + 1;
	int flag = flags[rng_below(r, 5)];

	if (strncmp(t->path, iob, strlen(iob)))
		name = NULL;
	attempt(t, "open", x, open_write(AT_FDCWD, t->path, flag, x));
	if (name)
		attempt(t, "openat", x, open_write(folder, name, flag, x));
	switch (rng_below(r, 6)) {
	case 0:
		attempt(t, "chmod", x, chmod(t->path, 0666));
		break;
	case 1:
		attempt(t, "chown", x, chown(t->path, getuid(), getgid()));
		break;
	case 2:
		attempt(t, "truncate", x, truncate(t->path, 0));
		break;
	case 3:
		attempt(t, "unlink", x, unlink(t->path));
		break;
	case 4:
		attempt(t, "fchmodat", x,
			name ? fchmodat(folder, name, 0666, 0) : chmod(iob, 0777));
		break;
	default:
		attempt(t, "mkdirat", x, mkdirat(folder, "x", 0777));
		break;
	}
}

/* By files that root has opened: for reading (@fd), and only as a place (@place) */
static void try_open_files(const struct target *t, const struct text *x, int fd, int place)
{
	char path[64];

	attempt(t, "a file open for reading", x, write(fd, x->data, x->len));
	attempt(t, "an O_PATH file", x, write(place, x->data, x->len));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	attempt(t, "an O_PATH file, opened", x, open_write(AT_FDCWD, path, O_WRONLY, x));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	attempt(t, "a file open for reading, opened", x, open_write(AT_FDCWD, path, O_RDWR, x));
}

static void put_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		err(2, "%s", path);
	close(fd);
}

static void become(enum user user)
{
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		err(2, "setuid");
	/* else the files of /proc/self stay root's */
	if (prctl(PR_SET_DUMPABLE, 1))
		err(2, "prctl");
	if (user == PLAIN)
		return;
	if (unshare(CLONE_NEWUSER))
		err(2, "unshare");
	put_file("/proc/self/setgroups", "deny");
	put_file("/proc/self/uid_map", "0 65534 1");
	put_file("/proc/self/gid_map", "0 65534 1");
	if (user == MOUNTS && unshare(CLONE_NEWNS))
		err(2, "unshare");
}

/* What root has opened */
static struct {
	const struct target *t;
	int fd, place;
} opened[NR_OPENED];

static void open_some(struct rng *r)
{
	int i;

	for (i = 0; i < NR_OPENED; i++) {
		const struct target *t = model_pick(r, NULL);

		opened[i].t = t;
		opened[i].fd = open(t->path, O_RDONLY | O_NONBLOCK);
		opened[i].place = open(t->path, O_PATH);
	}
	folder = open(iob, O_RDONLY | O_DIRECTORY);
}

/* A mount of his own would have files that are his. */
static void try_mounts(struct text *x)
{
	static const struct target types[] = { { .path = "debugfs" }, { .path = "ioblame" } };
	unsigned int i;

	x->len = 0;
	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		attempt(&types[i], "mount", x, mount("d", "/mnt", types[i].path, 0, NULL));
}

/* In a process of its own.  Its exit status is 0 if all was refused. */
static int run_user(enum user user, unsigned long tries, struct text *x)
{
	struct rng r = { .state = case_seed + user };
	int i;

	open_some(&r);
	become(user);
	try_mounts(x);
	for (case_nr = 0; case_nr < tries && !tally.wrong; case_nr++) {
		i = rng_below(&r, NR_OPENED);
		text_make(&r, opened[i].t, x);
		if (opened[i].place < 0)
			continue;
		try_name(&r, opened[i].t, x);
		if (opened[i].fd >= 0)
			try_open_files(opened[i].t, x, opened[i].fd, opened[i].place);
	}
	printf("%s, %s: %lu attempts refused, %lu wrong\n", users[user], iob, refused,
	       tally.wrong);
	fflush(stdout);
	return tally.wrong || !refused;
}

/* All that can be written, as text */
static void read_all(char *to, size_t size)
{
	char shown[SHOWN_MAX];
	struct target *t;
	unsigned int nr;
	size_t len = 0;

	for (nr = 0; (t = model_nth(nr)); nr++) {
		if (model_read(t, shown, sizeof(shown)) >= 0)
			len += snprintf(to + len, size - len, "%s: %s\n", t->path, shown);
		if (len >= size)
			errx(2, "too much");
	}
}

static void usage(void)
{
	errx(2, "see the head of fuzzdenied.c");
}

enum { SEED, COUNT, DEVICES, NR_OPTIONS };

static const struct option options[] = {
	[SEED]	  = { "seed", 1, NULL, 0 },
	[COUNT]	  = { "count", 1, NULL, 0 },
	[DEVICES] = { "devices", 1, NULL, 0 },
	[NR_OPTIONS] = { NULL, 0, NULL, 0 },
};

int main(int argc, char **argv)
{
	char *given[NR_OPTIONS] = { [SEED] = "0", [COUNT] = "1000" };
	static char before[1 << 20], after[1 << 20];
	struct text x = { .data = malloc(TEXT_MAX) };
	int o, at, user, status, wrong = 0;
	unsigned long count;
	pid_t pid;

	while ((o = getopt_long(argc, argv, "", options, &at)) != -1) {
		if (o)
			usage();
		given[at] = optarg;
	}
	if (!given[DEVICES] || !x.data || optind < argc)
		usage();
	case_seed = strtoull(given[SEED], NULL, 0);
	count = strtoull(given[COUNT], NULL, 0);
	model_begin(given[DEVICES]);
	read_all(before, sizeof(before));
	for (user = 0; user < NR_USERS; user++) {
		pid = fork();
		if (!pid)
			_exit(run_user(user, count, &x));
		if (waitpid(pid, &status, 0) != pid || status)
			wrong = 1;
		read_all(after, sizeof(after));
		if (strcmp(before, after)) {
			printf("fail: %s has changed something\n%s---\n%s", users[user], before,
			       after);
			return 1;
		}
	}
	return wrong;
}

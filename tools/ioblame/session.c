// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device.h"
#include "dir.h"
#include "escape.h"
#include "file.h"
#include "msg.h"
#include "session.h"
#include "status.h"

enum {
	COUNTERS_MAX = 256,
};

/* What was there before, while there is something to put back. */
static struct {
	bool on;			/* `enable` is ours */
	bool devs_changed, counters_changed;
	char *devs;			/* lines "MAJ:MIN NAME" */
	unsigned int nr_counters;
	char *counter[COUNTERS_MAX], *filter[COUNTERS_MAX];
} saved;

/*
 * Held from looking whether somebody uses it until our own log is open: of two who
 * begin at once, one switches on, and the other reads what the first leaves.
 */
static int lock_fd = -1;

static int keeper_fd = -1;
static pid_t keeper, owner;

/* The devices of a text of `devs`, each written for itself: one may be gone. */
static void put_devs_back(void)
{
	char *line, *rest, *number;
	bool first = true;

	for (line = strtok_r(saved.devs, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		number = strndup(line, strcspn(line, " "));
		if (number && !dir_write("devs", number, first ? O_TRUNC : 0))
			first = false;
		free(number);
	}
	/* none, or none that is still there: opening and closing clears it */
	if (first)
		close(dir_open("devs", O_WRONLY | O_TRUNC));
}

static void put_counters_back(void)
{
	char name[64], text[16];
	unsigned int i;

	snprintf(text, sizeof(text), "%u", saved.nr_counters);
	dir_write("nr_counters", text, 0);
	for (i = 0; i < saved.nr_counters; i++) {
		snprintf(name, sizeof(name), "counters/%u", i);
		if (saved.counter[i])
			dir_write(name, saved.counter[i], 0);
		snprintf(name, sizeof(name), "counters/%u_filter", i);
		if (saved.filter[i] && strcmp(saved.filter[i], "0"))
			dir_write(name, saved.filter[i], 0);
	}
}

static void put_back(void)
{
	if (saved.on)
		dir_write("enable", "0", 0);
	saved.on = false;
	if (saved.counters_changed)
		put_counters_back();
	saved.counters_changed = false;
	if (saved.devs_changed)
		put_devs_back();
	saved.devs_changed = false;
}

static void close_from(int first)
{
	struct dirent *e;
	DIR *dir = opendir("/proc/self/fd");
	int fd;

	while (dir && (e = readdir(dir)) != NULL) {
		fd = atoi(e->d_name);
		if (fd >= first && fd != dirfd(dir) && fd != keeper_fd)
			close(fd);
	}
	if (dir)
		closedir(dir);
}

/*
 * The process that waits for our end.  It gets a byte when everything was put
 * back; if the pipe ends without one, it does so itself.
 */
static void keeper_start(void)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	int fd[2], null;
	char byte;
	size_t i;

	if (pipe2(fd, O_CLOEXEC))
		return;
	keeper = fork();
	if (keeper) {
		close(fd[0]);
		keeper_fd = fd[1];
		return;
	}
	owner = 0;
	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	prctl(PR_SET_NAME, "ioblame-keeper");
	setsid();
	if (chdir("/"))
		_exit(1);
	keeper_fd = fd[0];
	null = open("/dev/null", O_RDWR);
	for (i = 0; i < 3; i++)
		dup2(null, i);
	close_from(3);
	if (read(keeper_fd, &byte, 1) != 1)
		put_back();
	_exit(0);
}

static void keeper_end(void)
{
	if (keeper_fd < 0)
		return;
	if (write(keeper_fd, "", 1) != 1)
		kill(keeper, SIGKILL);
	close(keeper_fd);
	keeper_fd = -1;
	if (keeper > 0)
		while (waitpid(keeper, NULL, 0) < 0 && errno == EINTR)
			;
}

static void at_exit(void)
{
	if (owner != getpid())
		return;
	put_back();
	keeper_end();
}

/* Who else has files of the module's open, and which */
struct users {
	int pid;			/* one of them; 0: nobody */
	char comm[ESCAPE_SIZE(16)];
	char file[64];
	bool bin, text;			/* one reads this log */
};

/* What a process has open of ours.  Return: whether it has anything. */
static bool uses(const char *pid, struct users *u)
{
	char folder[64], link[512], to[512];
	size_t n = strlen(dir_path());
	struct dirent *e;
	bool found = false;
	ssize_t len;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%.16s/fd", pid);
	dir = opendir(folder);
	while (dir && (e = readdir(dir)) != NULL) {
		snprintf(link, sizeof(link), "%s/%.32s", folder, e->d_name);
		len = readlink(link, to, sizeof(to) - 1);
		if (len <= 0)
			continue;
		to[len] = '\0';
		if (strncmp(to, dir_path(), n) || to[n] != '/')
			continue;
		u->bin |= !strncmp(to + n, "/iolog_bin", 10);
		u->text |= !strcmp(to + n, "/iolog");
		snprintf(u->file, sizeof(u->file), "%.60s", to + n + 1);
		found = true;
	}
	if (dir)
		closedir(dir);
	return found;
}

static void find_users(struct users *u)
{
	char path[64], *text;
	struct dirent *e;
	DIR *proc = opendir("/proc");
	int pid;

	memset(u, 0, sizeof(*u));
	while (proc && (e = readdir(proc)) != NULL) {
		pid = atoi(e->d_name);
		if (pid <= 0 || pid == getpid() || !uses(e->d_name, u))
			continue;
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		text = file_read(path);
		if (text) {
			text[strcspn(text, "\n")] = '\0';
			escape_text(u->comm, sizeof(u->comm), text, strlen(text));
			u->pid = pid;
		}
		free(text);
	}
	if (proc)
		closedir(proc);
}

/* The counters as they are, to be put back. */
static void save_counters(void)
{
	char name[64], *text = dir_read_word("nr_counters");
	unsigned int i;

	saved.nr_counters = text ? strtoul(text, NULL, 10) : 0;
	free(text);
	if (saved.nr_counters > COUNTERS_MAX)
		saved.nr_counters = COUNTERS_MAX;
	for (i = 0; i < saved.nr_counters; i++) {
		snprintf(name, sizeof(name), "counters/%u", i);
		saved.counter[i] = dir_read_word(name);
		snprintf(name, sizeof(name), "counters/%u_filter", i);
		saved.filter[i] = dir_read_word(name);
	}
}

/* Age of pages is noted only while a counter names it.  Return: an errno. */
static int want_ages(void)
{
	int err;

	saved.counters_changed = true;
	err = dir_write("nr_counters", "1", 0);
	if (!err)
		err = dir_write("counters/0", "W age 0 1 2 3 4 5 6 7 0", 0);
	return -err;
}

static int switch_on(struct session *s, bool ages)
{
	unsigned int i;
	int err = 0;

	saved.devs = dir_read("devs");
	if (!saved.devs)
		return dir_refused(errno, "devs");
	if (ages)
		save_counters();
	owner = getpid();
	atexit(at_exit);
	/* the keeper puts everything back, however far we came */
	saved.on = true;
	saved.devs_changed = true;
	saved.counters_changed = ages;
	keeper_start();
	saved.on = false;
	saved.devs_changed = false;
	saved.counters_changed = false;
	if (ages)
		err = want_ages();
	for (i = 0; i < s->nr_devices && !err; i++) {
		saved.devs_changed = true;
		err = -dir_write("devs", s->device[i].number, i ? 0 : O_TRUNC);
	}
	if (err)
		return dir_refused(err, ages ? "nr_counters" : "devs");
	err = -dir_write("enable", "1", 0);
	if (err)
		return dir_refused(err, "enable");
	saved.on = true;
	s->own = true;
	return EXIT_OK;
}

/* The devices of the session that runs. */
static void read_devices(struct session *s)
{
	char *text = dir_read("devs"), *line, *rest = NULL;

	s->nr_devices = 0;
	for (line = text ? strtok_r(text, "\n", &rest) : NULL; line;
	     line = strtok_r(NULL, "\n", &rest)) {
		line[strcspn(line, " ")] = '\0';
		if (s->nr_devices < DEVICES_MAX &&
		    device_lookup(line, &s->device[s->nr_devices]))
			s->nr_devices++;
	}
	free(text);
}

static int read_along(struct session *s, const struct device *want, unsigned int nr)
{
	struct users u;
	unsigned int i, k;

	find_users(&u);
	if (u.bin && u.text) {
		msg("both logs are in use, one by %s (pid %d), and what one reader takes no other gets; end it first",
		    u.comm, u.pid);
		return EXIT_FAILED;
	}
	s->text = u.bin;
	read_devices(s);
	if (u.pid)
		msg("ioblame is in use by %s (pid %d, which reads %s); reading along%s", u.comm,
		    u.pid, u.file, s->text ? " by the text log" : "");
	else
		msg("ioblame was switched on already, and nobody reads it; reading along");
	for (i = 0; i < nr; i++) {
		for (k = 0; k < s->nr_devices; k++) {
			if (s->device[k].disk == want[i].disk)
				break;
		}
		if (k < s->nr_devices)
			continue;
		msg("%s is not among what is watched; add it: echo %s >> %s/devs",
		    want[i].name, want[i].number, dir_path());
		return EXIT_FAILED;
	}
	return EXIT_OK;
}

/* What to watch: what was asked for, else what is set, else all disks. */
static bool choose_devices(struct session *s, const struct device *want, unsigned int nr)
{
	if (nr) {
		memcpy(s->device, want, nr * sizeof(*want));
		s->nr_devices = nr;
		return true;
	}
	read_devices(s);
	if (!s->nr_devices)
		s->nr_devices = device_all(s->device, DEVICES_MAX);
	if (!s->nr_devices)
		msg("there is no disk to watch; name one: -D DEVICE");
	return s->nr_devices;
}

/**
 * session_begin - switch on, or read along
 * @s:    gets what runs
 * @want: the devices asked for
 * @nr:   how many; 0: those that are set, or all disks
 * @ages: whether to note when pages become dirty
 *
 * Others who begin wait until session_ready().
 * Return: EXIT_OK, or the exit status, and why was said.
 */
int session_begin(struct session *s, const struct device *want, unsigned int nr, bool ages)
{
	char c = '0';
	int ret;

	memset(s, 0, sizeof(*s));
	ret = dir_find();
	if (ret)
		return ret;
	lock_fd = dir_open("enable", O_RDWR);
	if (lock_fd < 0)
		return dir_refused(errno, "enable");
	flock(lock_fd, LOCK_EX);
	if (read(lock_fd, &c, 1) != 1)
		c = '0';
	if (c == '1')
		ret = read_along(s, want, nr);
	else
		ret = choose_devices(s, want, nr) ? switch_on(s, ages) : EXIT_FAILED;
	return ret;
}

/* What we read is open: the next who begins finds that. */
void session_ready(void)
{
	if (lock_fd < 0)
		return;
	/* the keeper may not have closed its own yet */
	flock(lock_fd, LOCK_UN);
	close(lock_fd);
	lock_fd = -1;
}

/* From where what happens in the session is counted. */
void session_status(struct session *s)
{
	s->status_text = dir_read("status");
	if (s->status_text)
		status_parse(&s->before, s->status_text);
	/* a session of our own counts from 0, whatever came so far */
	if (s->own) {
		s->before.ios = 0;
		memset(s->before.bytes, 0, sizeof(s->before.bytes));
		s->before.nr_losses = 0;
	}
}

/* No more records: what is left can still be read. */
void session_off(struct session *s)
{
	if (!s->own || !saved.on)
		return;
	dir_write("enable", "0", 0);
	saved.on = false;
}

/* Everything as it was.  No file of the module's is open. */
void session_end(struct session *s)
{
	put_back();
	keeper_end();
	session_ready();
	free(s->status_text);
	s->status_text = NULL;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The settings of the module are put back whatever happens, and before anybody else can take them
 * for what was.  The module is a few words here, which the keeper shares.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dir.h"
#include "lock.h"
#include "msg.h"
#include "restore.h"
#include "test.h"
#include "trace_instance.h"
#include "users.h"

/* A command notes the settings once; here each test does */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* Shared with the keeper */
static struct module {
	char enable[8], devs[16384], nr_counters[8], counter[64], filter[64], sums[8];
	unsigned int session, devs_writes;
	unsigned int read_s;		/* how long another process reads sums */
	unsigned int slept_s, looks;	/* that its keeper waits, and looks for readers */
	bool lock_free_meanwhile;	/* it was off and unlocked, and not all was back */
	bool was_read;
	pid_t removed_of;		/* whose instances of tracefs the keeper has removed */
} *m;

static const struct module at_first = {
	.enable = "0", .devs = "8:0 sda\n", .nr_counters = "1", .counter = "R size 0 1 0",
	.filter = "0", .sums = "0",
};

static const char *gone;	/* this disk is not there any more */

static char *word_of(const char *name)
{
	return !strcmp(name, "enable") ? m->enable : !strcmp(name, "devs") ? m->devs :
	       !strcmp(name, "nr_counters") ? m->nr_counters :
	       !strcmp(name, "counters/0") ? m->counter :
	       !strcmp(name, "counters/0_filter") ? m->filter :
	       !strcmp(name, "sums") ? m->sums : NULL;
}

char *dir_read(const char *name)
{
	char *text = NULL;

	if (strcmp(name, "status"))
		return word_of(name) ? strdup(word_of(name)) : NULL;
	if (asprintf(&text, "enabled %s\nsession %u\n", m->enable, m->session) < 0)
		abort();
	return text;
}

char *dir_read_word(const char *name)
{
	return dir_read(name);
}

/* All words or none. */
static int write_devs(const char *text, int flags)
{
	char words[4096 + 1], lines[8192] = "", *word, *rest = NULL;

	m->devs_writes++;
	if (strlen(text) >= sizeof(words))
		return -E2BIG;
	strcpy(words, text);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (gone && !strcmp(word, gone))
			return -ENODEV;
		strcat(lines, word);
		strcat(lines, strcmp(word, "8:0") ? " sdb\n" : " sda\n");
	}
	if (flags & O_TRUNC)
		*m->devs = '\0';
	strcat(m->devs, lines);
	return 0;
}

int dir_write(const char *name, const char *text, int flags)
{
	char *word = word_of(name);

	if (!strcmp(name, "enable") && *text == '1' && *m->enable == '0')
		m->session++;
	if (!strcmp(name, "devs"))
		return write_devs(text, flags);
	if (word)
		strcpy(word, text);
	return 0;
}

int dir_open(const char *name, int flags)
{
	if (!strcmp(name, "devs") && flags & O_TRUNC)
		*m->devs = '\0';
	return open("/dev/null", flags & ~O_TRUNC);
}

int dir_refused(int err, const char *name)
{
	fail("%s: %s", name, strerror(err));
	return EXIT_FAILED;
}

static unsigned int depth;

int lock_take(bool (*give_up)(void))
{
	(void)give_up;
	depth++;
	return 0;
}

static bool is_as_at_first(void)
{
	return !strcmp(m->devs, at_first.devs) && !strcmp(m->counter, at_first.counter) &&
	       !strcmp(m->nr_counters, at_first.nr_counters) && *m->enable == '0';
}

void lock_drop(void)
{
	if (!--depth && *m->enable == '0' && !is_as_at_first())
		m->lock_free_meanwhile = true;
}

void lock_inherit(void)
{
	depth = 0;
}

int lock_file(void)
{
	return -1;
}

void lock_close(void) {}

void users_find(struct users *u)
{
	memset(u, 0, sizeof(*u));
	m->looks++;
	u->sums = m->slept_s < m->read_s;
}

/* (the keeper's) */
unsigned int sleep(unsigned int seconds)
{
	m->slept_s += seconds;
	return 0;
}

void trace_instance_remove_of(pid_t pid)
{
	m->removed_of = pid;
}

static bool instance_left;

bool trace_instance_is_left(void)
{
	return instance_left;
}

static void start(void)
{
	static const char *const specs[] = { "W age 0 1 0", NULL };
	static const struct device sdb = { .number = "8:16" };

	*m = at_first;
	if (restore_begin(true) || restore_set_counters(specs) ||
	    restore_set_devices(&sdb, 1) || restore_switch_on())
		fail("it does not begin");
	if (*m->enable != '1' || strcmp(m->devs, "8:16 sdb\n") || strcmp(m->counter, specs[0]))
		fail("enable %s, devs %s, counter %s", m->enable, m->devs, m->counter);
}

static void expect_first(const char *when)
{
	if (!is_as_at_first())
		fail("%s: enable %s, devs %s, %s counters, %s", when, m->enable, m->devs,
		     m->nr_counters, m->counter);
	if (m->lock_free_meanwhile)
		fail("%s: another command could take what is ours for what was", when);
}

static void read_counters(void *arg)
{
	m->was_read = arg == m && *m->enable == '0' && !strcmp(m->counter, "W age 0 1 0") &&
		       depth;
}

/* Between the end of the session and that of the command, a pager may wait for hours. */
static void with_the_switch(void)
{
	start();
	restore_switch_off(NULL, NULL);
	expect_first("off");
	/* what somebody else sets now stays */
	strcpy(m->devs, "8:32 sdb\n");
	restore_end();
	if (strcmp(m->devs, "8:32 sdb\n"))
		fail("devs are %s in the end", m->devs);
}

static void counters_are_read_before(void)
{
	start();
	restore_switch_off(read_counters, m);
	if (!m->was_read)
		fail("the counters were not read between");
	expect_first("counters");
	restore_end();
	expect_first("counters, end");
}

static void without_the_switch(void)
{
	start();
	restore_end();
	expect_first("end");
}

/* Somebody else has ended the session and begun one: that one keeps its settings. */
static void taken_over(void)
{
	msg_quiet(true);
	start();
	m->session++;
	restore_switch_off(NULL, NULL);
	restore_end();
	if (*m->enable != '1' || strcmp(m->devs, "8:16 sdb\n"))
		fail("the other's session: enable %s, devs %s", m->enable, m->devs);
	msg_quiet(false);
}

/* Whether this process is a child of ours. */
static bool is_child(int pid)
{
	char path[64], text[256] = "";
	int parent = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "r");
	if (f && fgets(text, sizeof(text), f) && strrchr(text, ')'))
		parent = atoi(strrchr(text, ')') + 3);
	if (f)
		fclose(f);
	return parent == getpid();
}

/* Others see whose settings a keeper has. */
static void shows_session(void)
{
	unsigned int shown = 0;
	char want[64], to[64];
	ssize_t len;
	glob_t all;
	size_t i;

	start();
	snprintf(want, sizeof(want), "/memfd:" KEEPER_SESSION "%u ", m->session);
	if (glob("/proc/[0-9]*/fd/*", GLOB_NOSORT, NULL, &all))
		fail("no files");
	for (i = 0; i < all.gl_pathc; i++) {
		len = readlink(all.gl_pathv[i], to, sizeof(to) - 1);
		to[len < 0 ? 0 : len] = '\0';
		shown += !strncmp(to, want, strlen(want)) &&
			 is_child(atoi(all.gl_pathv[i] + strlen("/proc/")));
	}
	globfree(&all);
	if (shown != 1)
		fail("%u files say which session it is", shown);
	restore_end();
}

static void killed(void)
{
	unsigned int i;
	pid_t pid = fork();

	if (!pid) {
		start();
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	for (i = 0; i < 1000 && !is_as_at_first(); i++)
		usleep(10000);
	expect_first("killed");
}

/* Killed when its session was over and all was back, as while a pager waits. */
static void killed_later(void)
{
	pid_t pid = fork();

	if (!pid) {
		start();
		restore_switch_off(NULL, NULL);
		/* what somebody else sets now stays */
		strcpy(m->devs, "8:32 sdb\n");
		strcpy(m->counter, "R size 0 7 0");
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	/* (a keeper needs some milliseconds) */
	usleep(500000);
	if (strcmp(m->devs, "8:32 sdb\n") || strcmp(m->counter, "R size 0 7 0"))
		fail("devs are %s, counter %s in the end", m->devs, m->counter);
}

/* Wait until the keeper of a command that is gone has removed its instances. */
static void expect_removed(pid_t pid)
{
	unsigned int i;

	waitpid(pid, NULL, 0);
	for (i = 0; i < 1000 && !m->removed_of; i++)
		usleep(10000);
	if (m->removed_of != pid)
		fail("instances of %d are removed, not those of %d", m->removed_of, pid);
}

/* It has changed nothing, and nothing is restored. */
static void killed_reading_along(void)
{
	pid_t pid;

	*m = at_first;
	strcpy(m->enable, "1");
	strcpy(m->devs, "8:32 sdb\n");
	pid = fork();
	if (!pid) {
		/* (twice: of two instances) */
		_exit(restore_instances() || restore_instances());
	}
	expect_removed(pid);
	if (*m->enable != '1' || strcmp(m->devs, "8:32 sdb\n"))
		fail("the other's session: enable %s, devs %s", m->enable, m->devs);
}

/* What the command has open is closed in the keeper at once: it would be in the way of unloads. */
static void closes_files(void)
{
	int status = 0;
	pid_t pid;

	*m = at_first;
	pid = fork();
	if (!pid) {
		int fd[2];
		char byte;

		if (pipe2(fd, O_NONBLOCK) || restore_instances())
			_exit(1);
		close(fd[1]);
		_exit(read(fd[0], &byte, 1) ? 2 : 0);
	}
	waitpid(pid, &status, 0);
	if (status)
		fail("status %#x: the keeper has files of its command", status);
	expect_removed(pid);
}

/* The command has restored the settings, and ends by an error with an instance in place. */
static void with_an_instance(void)
{
	pid_t pid = fork();

	if (!pid) {
		start();
		instance_left = true;
		restore_end();
		/* what somebody else sets now stays */
		strcpy(m->devs, "8:32 sdb\n");
		_exit(0);
	}
	expect_removed(pid);
	if (strcmp(m->devs, "8:32 sdb\n"))
		fail("devs are %s in the end", m->devs);
}

/*
 * ioblamed reads sums for a day, and `ioblame sums` from before it ends: the keeper goes on, looks
 * a few times at once and then about once a minute, and acts have no sums within an eighth of its
 * wait.
 */
static void sums_are_read(void)
{
	static const unsigned int reads[] = { 0, 1, 9, 60, 3600, 86400 };
	unsigned int i, k, late;
	pid_t pid;

	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		*m = at_first;
		m->read_s = reads[i];
		pid = fork();
		if (!pid) {
			if (restore_set_sums() || *m->sums != '1')
				_exit(1);
			restore_end();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		for (k = 0; k < 3000 && *m->sums == '1'; k++)
			usleep(10000);
		late = m->slept_s - reads[i];
		if (*m->sums != '0' || late > 1 + reads[i] / 8 || late > 60)
			fail("sums are %s, %u s after %u s", m->sums, late, reads[i]);
		if (m->looks > 2 + reads[i] || m->looks > 100 + reads[i] / 60)
			fail("%u looks in %u s", m->looks, reads[i]);
		note("%u looks in %u s", m->looks, reads[i]);
	}
}

/*
 * Each write makes the module open devices and wait: hundreds are set and put back by a few, and one
 * that is gone takes no other along.
 */
static void many_devices(void)
{
	static struct device device[1000];
	char before[sizeof(m->devs)] = "", after[sizeof(m->devs)] = "";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(device); i++) {
		sprintf(device[i].number, "8:%u", i);
		sprintf(before + strlen(before), "8:%u sd%c\n", i, i ? 'b' : 'a');
		if (i != 7)
			sprintf(after + strlen(after), "8:%u sd%c\n", i, i ? 'b' : 'a');
	}
	*m = at_first;
	strcpy(m->devs, before);
	if (restore_begin(false) || restore_set_devices(device, ARRAY_SIZE(device)))
		fail("it does not begin");
	if (strcmp(m->devs, before) || m->devs_writes > 3)
		fail("%u writes of %zu devices", m->devs_writes, ARRAY_SIZE(device));
	m->devs_writes = 0;
	gone = "8:7";
	restore_end();
	if (strcmp(m->devs, after))
		fail("others than the one that is gone are missing");
	if (m->devs_writes > 25)
		fail("%u writes put them back", m->devs_writes);
	/* who is to be watched must be */
	if (restore_begin(false) || restore_set_devices(device, 9) != ENODEV)
		fail("a device that is gone is watched");
	restore_end();
	gone = "8:0";
	*m = at_first;
	if (restore_begin(false) || restore_set_devices(&device[1], 1))
		fail("it does not begin again");
	restore_end();
	gone = NULL;
	if (*m->devs)
		fail("devs are %s", m->devs);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(with_the_switch), TEST(counters_are_read_before), TEST(without_the_switch),
		TEST(taken_over), TEST(shows_session), TEST(killed),
		TEST(killed_later), TEST(closes_files), TEST(killed_reading_along), TEST(with_an_instance),
		TEST(sums_are_read), TEST(many_devices),
	};

	m = mmap(NULL, sizeof(*m), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (m == MAP_FAILED)
		return FAILED;
	return run_tests("tool_restore", tests, ARRAY_SIZE(tests));
}

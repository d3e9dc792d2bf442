// SPDX-License-Identifier: GPL-2.0
/* Who may have an answer about the past: a few at a time, and the last place is root's. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "answer.h"
#include "query.h"
#include "test.h"

enum {
	ANN = 61001,
};

static char recent[] = "/tmp/iob-past-XXXXXX";
static sd_event *event;
static pid_t started[8];
static unsigned int nr_started;

bool answer_parse(const char *words, struct answer_question *q)
{
	(void)q;
	return *words;
}

/* A process that answers until it is killed. */
pid_t answer_start(const struct answer_question *q, const struct viewer_right *right,
		   const char *file, const char *recent, int fd)
{
	pid_t pid = fork();

	(void)q;
	(void)right;
	(void)file;
	(void)recent;
	(void)fd;
	if (!pid) {
		pause();
		_exit(0);
	}
	started[nr_started++] = pid;
	return pid;
}

void query_done(struct asker *a)
{
	a->all_put = true;
}

static bool is_answered(uid_t uid, bool all)
{
	struct asker a = { .right = { .uid = uid, .all = all } };
	char words[] = "1 2 0";
	const char *wrong;

	/* what the verb asks for its loop */
	if (sd_event_add_defer(event, &a.source, NULL, NULL) < 0)
		fail("no loop");
	wrong = query_past.begin(&a, words);
	sd_event_source_disable_unref(a.source);
	if (!wrong == !a.all_put)
		fail("refused or answered: %s", wrong);
	return !wrong;
}

static void end_one(unsigned int i)
{
	kill(started[i], SIGKILL);
	sd_event_run(event, 5000000);
}

static bool begin_loop(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (sd_event_new(&event) < 0) {
		fail("no loop");
		return false;
	}
	return true;
}

static void end_loop(void)
{
	while (nr_started)
		end_one(--nr_started);
	event = sd_event_unref(event);
}

static void places(void)
{
	if (!begin_loop())
		return;
	query_past_of("/file", recent);
	if (!is_answered(ANN, false) || is_answered(ANN, false))
		fail("one user has not one answer");
	if (!is_answered(ANN + 1, false) || !is_answered(ANN + 2, false))
		fail("three users are not answered");
	if (is_answered(ANN + 3, false))
		fail("the last place is everybody's");
	if (!is_answered(0, true) || is_answered(0, true))
		fail("root has not the last place");
	end_one(0);
	if (!is_answered(ANN + 3, false))
		fail("no place is free again");
	end_one(1);
	end_one(2);
	if (!is_answered(ANN + 4, true) || is_answered(ANN + 4, true) || !is_answered(0, true))
		fail("a member, or root twice");
	end_loop();
}

static void set_log(off_t size)
{
	char path[96];

	snprintf(path, sizeof(path), "%s-wal", recent);
	if (truncate(path, size))
		fail("%s: %s", path, strerror(errno));
}

/* Always somebody reads: who cannot read the database himself makes it no longer. */
static void long_log(void)
{
	char path[96];
	FILE *f;

	if (!begin_loop())
		return;
	query_past_of("/file", recent);
	snprintf(path, sizeof(path), "%s-wal", recent);
	f = fopen(path, "w");
	if (!f || fclose(f))
		fail("%s: %s", path, strerror(errno));
	set_log(4 << 20);
	if (!is_answered(ANN, false))
		fail("a log of 4 MiB holds up");
	set_log((4 << 20) + 1);
	if (is_answered(ANN + 1, false))
		fail("the log grows for anybody");
	if (!is_answered(ANN + 2, true))
		fail("a member is not answered");
	set_log(1 << 20);
	if (!is_answered(ANN + 1, false))
		fail("the log is short again");
	end_loop();
	unlink(path);
}

int main(void)
{
	static const struct test tests[] = { TEST(places), TEST(long_log) };

	int fd = mkstemp(recent), ret;

	if (fd < 0)
		return 1;
	close(fd);
	ret = run_tests("daemon_past", tests, ARRAY_SIZE(tests));
	unlink(recent);
	return ret;
}

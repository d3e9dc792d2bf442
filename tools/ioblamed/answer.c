// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "answer.h"
#include "feed.h"
#include "msg.h"
#include "past.h"

enum {
	ANSWER_SECONDS = 120,	/* at most, and for each write that its reader waits with */
	READER_SECONDS = 10,
};

/* The answer as it is written */
struct answer {
	struct past past;
	struct viewer_right right;
	struct usage_list span;		/* its times, and the stacks that were told */
	int64_t id;			/* of the span */
	int db;
	bool begun;
};

/* "FROM_NS UNTIL_NS LEVEL".  Return: false if it is no question. */
bool answer_parse(const char *words, struct answer_question *q)
{
	long long from, until;
	int end = 0;

	if (sscanf(words, "%19lld %19lld %1d%n", &from, &until, &q->level, &end) != 3 ||
	    words[end] || from < 0 || until <= from || q->level < PAST_INTERVAL ||
	    q->level > PAST_HOUR)
		return false;
	q->from_ns = from;
	q->until_ns = until;
	return true;
}

/**
 * answer_start - start a process that answers
 * @q:	    the question
 * @right:  of who asks
 * @file:   the databases
 * @recent: likewise
 * @fd:	    where the answer goes; the process has its own copy
 *
 * Return: its pid, or -errno.
 */
pid_t answer_start(const struct answer_question *q, const struct viewer_right *right,
		   const char *file, const char *recent, int fd)
{
	char question[64], who[16];
	char *argv[7] = {
		"ioblamed", "--answer", question, who, (char *)file, (char *)recent, NULL,
	};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	pid_t pid;
	int err;

	snprintf(question, sizeof(question), "%lld %lld %d", (long long)q->from_ns,
		 (long long)q->until_ns, q->level);
	snprintf(who, sizeof(who), right->all ? "all" : "%u", right->uid);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd, STDOUT_FILENO);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK);
	err = posix_spawn(&pid, "/proc/self/exe", &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return err ? -err : pid;
}

static void end_span(struct answer *a)
{
	if (a->begun)
		feed_put_interval(stdout, &a->span, 0);
	a->begun = false;
}

/*
 * A hash as a number that JSON has; 0, for no stack, stays.
 * The text is told before the first usage that has it.
 */
static uint64_t tell_stack(struct answer *a, uint64_t hash)
{
	uint64_t nr = hash >> 1 | !!hash;
	size_t told = a->span.nr_stacks;
	char *text;

	usage_add_stack(&a->span, nr, "");
	if (a->span.nr_stacks == told)
		return nr;
	text = past_stack(&a->past, hash);
	printf("stack %llu %s\n", (unsigned long long)nr, text ? text : "?");
	free(text);
	return nr;
}

static bool put_usage(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct answer *a = arg;
	struct usage u = *usage;

	if (a->begun && (a->id != span->id || a->db != span->db))
		end_span(a);
	a->begun = true;
	a->id = span->id;
	a->db = span->db;
	a->span.from_ns = span->from_ns;
	a->span.until_ns = span->until_ns;
	if (!viewer_may_see(&a->right, &u.key))
		return !ferror(stdout);
	u.key.stack = tell_stack(a, u.key.stack);
	feed_put_stack(stdout, &u);
	return !ferror(stdout);
}

/* A reader that does not read is not waited for. */
static void set_patience(void)
{
	const struct timeval most = { .tv_sec = READER_SECONDS };

	setsockopt(STDOUT_FILENO, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) & ~O_NONBLOCK);
	alarm(ANSWER_SECONDS);
}

/* The process: answer, and end.  Return: the exit status. */
int answer_main(char **words, int nr)
{
	struct answer a = { 0 };
	struct answer_question q;
	int ret;

	if (nr != 4 || !answer_parse(words[0], &q))
		return EXIT_USAGE;
	set_patience();
	a.right.all = !strcmp(words[1], "all");
	a.right.uid = a.right.all ? 0 : strtoul(words[1], NULL, 10);
	ret = past_open(&a.past, words[2], words[3]);
	if (ret) {
		printf("error nothing can be read of the past; see: systemctl status ioblamed\n");
		return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
	}
	a.past.finest = q.level;
	ret = past_each(&a.past, q.from_ns, q.until_ns, put_usage, &a);
	end_span(&a);
	if (!ret)
		printf("end %llu %d\n", (unsigned long long)a.past.lost_ios, a.past.widened);
	past_close(&a.past);
	usage_clear(&a.span);
	return fflush(stdout) ? EXIT_FAILED : ret;
}

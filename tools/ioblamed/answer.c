// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
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
	MOST_BYTES = 1 << 30,	/* of an answer */
	PART = 65536,		/* of it, for each write */
};

/* The answer as it is collected */
struct answer {
	FILE *to;
	struct past past;
	struct viewer_right right;
	struct usage_list span;		/* its times, and the stacks that were told */
	int64_t id;			/* of the span */
	int db;
	int level;			/* that was told last; 0 need not be */
	bool begun;
};

static bool is_blank(char c)
{
	return isspace((unsigned char)c);
}

/* "FROM_NS UNTIL_NS LEVEL".  Return: false if it is no question. */
bool answer_parse(const char *words, struct answer_question *q)
{
	long long from, until;
	int behind[3];

	/* behind a longer number is a digit: its rest would be the next one */
	if (sscanf(words, "%19lld%n %19lld%n %1d%n", &from, &behind[0], &until, &behind[1],
		   &q->level, &behind[2]) != 3 ||
	    !is_blank(words[behind[0]]) || !is_blank(words[behind[1]]) || words[behind[2]] ||
	    from < 0 || until <= from || q->level < PAST_INTERVAL ||
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
		feed_put_interval(a->to, &a->span, 0);
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
	fprintf(a->to, "stack %llu %s\n", (unsigned long long)nr, text ? text : "?");
	free(text);
	return nr;
}

/* False if nobody waits for more of it, or there is no room. */
static bool is_wanted(const struct answer *a)
{
	struct pollfd asker = { .fd = STDOUT_FILENO };

	return !ferror(a->to) && ftello(a->to) < MOST_BYTES &&
	       (poll(&asker, 1, 0) <= 0 || !(asker.revents & (POLLHUP | POLLERR)));
}

/* The texts of what he may not see are not even read. */
static bool wants_user(uint32_t uid, const void *right)
{
	return viewer_may_see_user(right, uid);
}

static bool put_usage(const struct usage *usage, const struct past_span *span, void *arg)
{
	struct answer *a = arg;
	struct usage u = *usage;

	if (a->begun && (a->id != span->id || a->db != span->db)) {
		end_span(a);
		if (!is_wanted(a))
			return false;
	}
	if (a->level != span->level)
		fprintf(a->to, "level %d\n", span->level);
	a->level = span->level;
	a->begun = true;
	a->id = span->id;
	a->db = span->db;
	a->span.from_ns = span->from_ns;
	a->span.until_ns = span->until_ns;
	if (!viewer_may_see(&a->right, &u.key))
		return true;
	u.key.stack = tell_stack(a, u.key.stack);
	feed_put_stack(a->to, &u);
	return !ferror(a->to);
}

/* A reader that does not read is not waited for. */
static void set_patience(void)
{
	const struct timeval most = { .tv_sec = READER_SECONDS };

	setsockopt(STDOUT_FILENO, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
	fcntl(STDOUT_FILENO, F_SETFL, fcntl(STDOUT_FILENO, F_GETFL) & ~O_NONBLOCK);
	alarm(ANSWER_SECONDS);
}

/* A file without a name, on a disk if it can be: /tmp is often memory. */
static FILE *open_collected(void)
{
	int fd = open("/var/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? tmpfile() : fdopen(fd, "w+");
}

/*
 * Who asks may read slowly, and while the databases are read they can only grow: so all of the
 * answer is collected first, and they are closed before any of it is written.
 * Return: an exit status; *@why is then NULL, or why there is no answer.
 */
static int collect_answer(struct answer *a, const struct answer_question *q, char **words,
			  const char **why)
{
	int ret = past_open(&a->past, words[2], words[3]);

	*why = NULL;
	if (ret) {
		*why = "nothing can be read of the past; see: systemctl status ioblamed";
		return ret;
	}
	a->past.finest = q->level;
	a->past.wants_user = wants_user;
	a->past.wants_arg = &a->right;
	ret = past_each(&a->past, q->from_ns, q->until_ns, put_usage, a);
	end_span(a);
	/* an answer without its last line is not whole */
	if (!ret)
		fprintf(a->to, "end %llu %d %lld\n", (unsigned long long)a->past.lost_ios,
			a->past.widened, (long long)a->past.recorded_ns);
	past_close(&a->past);
	usage_clear(&a->span);
	if (fflush(a->to) || ferror(a->to))
		*why = "there is no room in /var/tmp for the answer; ask for less time";
	else if (ftello(a->to) >= MOST_BYTES)
		*why = "the answer is larger than 1 GiB; ask for less time";
	return ret;
}

static bool write_all(const char *s, size_t len)
{
	ssize_t n;

	for (; len; s += n, len -= n) {
		n = write(STDOUT_FILENO, s, len);
		if (n <= 0)
			return false;
	}
	return true;
}

/* Return: false if it does not take it. */
static bool send_answer(FILE *f)
{
	static char part[PART];
	size_t n;

	rewind(f);
	while ((n = fread(part, 1, sizeof(part), f))) {
		if (!write_all(part, n))
			return false;
	}
	return !ferror(f);
}

/* The process: answer, and end.  Return: the exit status. */
int answer_main(char **words, int nr)
{
	struct answer a = { 0 };
	struct answer_question q;
	const char *why;
	bool sent;
	int ret;

	if (nr != 4 || !answer_parse(words[0], &q))
		return EXIT_USAGE;
	set_patience();
	a.right.all = !strcmp(words[1], "all");
	a.right.uid = a.right.all ? 0 : strtoul(words[1], NULL, 10);
	a.to = open_collected();
	if (!a.to) {
		printf("error the answer has no place: %s\n", strerror(errno));
		return fflush(stdout) ? EXIT_FAILED : EXIT_OK;
	}
	ret = collect_answer(&a, &q, words, &why);
	if (why) {
		printf("error %s\n", why);
		sent = !fflush(stdout);
		ret = EXIT_OK;
	} else {
		sent = send_answer(a.to);
	}
	fclose(a.to);
	return sent ? ret : EXIT_FAILED;
}

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "caps.h"
#include "clock.h"
#include "escape.h"
#include "msg.h"
#include "name.h"
#include "namer.h"

enum {
	/* an answer takes longer only where a file system hangs */
	NAMER_SECONDS = 2,
	/* then nothing is asked for this time: viewers wait for the loop */
	NAMER_REST = 10,
	/* of which so much is waited in all, for many answers that are slow */
	NAMER_BUDGET = 5,
	/* and so much for those that seldom are, whatever the others took */
	NAMER_OTHERS_BUDGET = 2,
	/* and so much for users, who may be somewhere in the network */
	NAMER_USERS_BUDGET = 1,
	/* and when one takes too long, so will the next: all others wait with them */
	NAMER_USERS_REST = 300,
};

static const uint64_t second_ns = 1000000000;

struct question {
	uint64_t nr;
	struct name_key key;
};

struct answer {
	uint64_t nr;
	char text[ESCAPE_SIZE(PATH_MAX)];
};

static int to_namer = -1;
static pid_t child;
static uint64_t connected_ns, rests_until_ns, users_rest_until_ns;
static bool is_behind;		/* it has not answered yet what was given up */
static int why_not;		/* connected, as an errno; 0: it was, or was not tried */

/* In the namer: answer until the other end is closed. */
static void answer_all(int fd)
{
	static struct answer a;
	struct question q;
	size_t len;
	char *text;

	while (recv(fd, &q, sizeof(q), 0) == sizeof(q)) {
		text = name_ask(&q.key);
		a.nr = q.nr;
		len = text ? strlen(text) : 0;
		if (len >= sizeof(a.text))
			len = 0;
		memcpy(a.text, text ? text : "", len);
		a.text[len] = '\0';
		free(text);
		/* mount points that are open could not be unmounted */
		name_done();
		if (send(fd, &a, sizeof(a.nr) + len + 1, MSG_NOSIGNAL) < 0)
			break;
	}
}

/**
 * namer_serve - answer who connects to the socket that systemd has opened
 *
 * Return: the exit status, when nobody is connected: systemd starts it again for the next one.
 */
int namer_serve(void)
{
	int err = -caps_keep(CAPS_FIND_FILES), fd;

	if (err || sd_listen_fds(1) != 1) {
		msg("--namer is for ioblamed-namer.service%s%s", err ? ": " : "",
		    err ? strerror(err) : "");
		return EXIT_FAILED;
	}
	fd = accept4(SD_LISTEN_FDS_START, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		answer_all(fd);
	return EXIT_OK;
}

static void set_patience(int fd)
{
	const struct timeval most = { .tv_sec = NAMER_SECONDS };

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof(most));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof(most));
}

/* Say once that files have no names, until they have. */
static void say_connected(bool connected, int err)
{
	static bool said;

	if (!connected && !said)
		msg("the names of files are not found, as nobody answers at " NAMER_SOCKET
		    ": %s; see: systemctl status ioblamed-namer.socket", strerror(err));
	else if (connected && said)
		msg("the names of files are found again");
	said = !connected;
}

/* Connect to the service, at most once a second.  Return: false if it is not there. */
static bool connect_to_service(void)
{
	const struct sockaddr_un to = { .sun_family = AF_UNIX, .sun_path = NAMER_SOCKET };
	uint64_t now = clock_ns();
	int fd;

	why_not = 0;
	if (connected_ns && now - connected_ns < second_ns)
		return false;
	connected_ns = now;
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		why_not = errno;
		return false;
	}
	set_patience(fd);
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to))) {
		why_not = errno;
		close(fd);
		return false;
	}
	to_namer = fd;
	return true;
}

/* The same, and say if files have no names now. */
static bool connect_again(void)
{
	bool connected = connect_to_service();

	if (connected || why_not)
		say_connected(connected, why_not);
	return connected;
}

static void disconnect(void)
{
	is_behind = false;
	if (to_namer >= 0)
		close(to_namer);
	to_namer = -1;
}

/* Ask the namer.  Answers to questions that were given up are skipped. */
static char *ask_connected(const struct name_key *key, bool *asked)
{
	static struct answer a;
	static uint64_t nr;
	struct question q = { .nr = ++nr, .key = *key };
	ssize_t n;

	if (to_namer < 0 && !connect_again())
		return NULL;
	n = send(to_namer, &q, sizeof(q), MSG_NOSIGNAL);
	*asked = n > 0;
	while (n > 0) {
		n = recv(to_namer, &a, sizeof(a), 0);
		if (n < 0 && errno == EINTR)
			n = 1;
		else if (n < (ssize_t)sizeof(a.nr) + 1 || a.nr == nr)
			break;
	}
	if (n < 0 && errno == EAGAIN) {
		rests_until_ns = clock_ns() + NAMER_REST * second_ns;
		is_behind = true;
	} else if (n <= 0) {
		disconnect();
	} else {
		is_behind = false;
	}
	return n > (ssize_t)sizeof(a.nr) + 1 ? strdup(a.text) : NULL;
}

/* What is waited for together, and for how many seconds in a while */
enum namer_class { NAMER_SLOW, NAMER_OTHERS, NAMER_USERS, NAMER_CLASSES };

static const unsigned int namer_budget[NAMER_CLASSES] = {
	NAMER_BUDGET, NAMER_OTHERS_BUDGET, NAMER_USERS_BUDGET,
};

/*
 * Slow is what may wait for a disk, a lock or the network, and for many.  The names of units,
 * disks, mounts and users are few and mostly take microseconds; the past would keep their numbers
 * for ever.
 */
static enum namer_class class_of(uint32_t kind)
{
	if (kind == NAME_UID)
		return NAMER_USERS;
	return kind == NAME_FILE || kind == NAME_COMMAND || kind == NAME_USER ? NAMER_SLOW :
	       NAMER_OTHERS;
}

static bool is_of_users(uint32_t kind)
{
	return kind == NAME_UID || kind == NAME_USER;
}

/*
 * The same, unless it takes too long: one answer, or all of a while together.  A pass may have tens
 * of thousands of questions, and what was not @asked is asked again soon.
 */
static char *ask_namer(const struct name_key *key, bool *asked)
{
	static uint64_t began_ns, waited_ns[NAMER_CLASSES];	/* the while */
	enum namer_class class = class_of(key->kind);
	uint64_t now = clock_ns();
	bool was_behind;
	char *text;

	*asked = false;
	if (now < rests_until_ns || (is_of_users(key->kind) && now < users_rest_until_ns))
		return NULL;
	if (now - began_ns >= NAMER_REST * second_ns) {
		began_ns = now;
		memset(waited_ns, 0, sizeof(waited_ns));
	}
	if (waited_ns[class] >= namer_budget[class] * second_ns)
		return NULL;
	was_behind = is_behind;
	text = ask_connected(key, asked);
	waited_ns[class] += clock_ns() - now;
	/* (else it may be a file that it still looks for) */
	if (is_of_users(key->kind) && now < rests_until_ns && !was_behind)
		users_rest_until_ns = now + NAMER_USERS_REST * second_ns;
	return text;
}

/**
 * namer_start - find the namer's service or start a child, and let it look up all names
 *
 * Before the daemon drops its capabilities.
 * Return: 0 or -errno.
 */
int namer_start(void)
{
	int fd[2];

	name_ask_by(ask_namer);
	if (connect_to_service())
		return 0;
	/* in its service it has no right to do it itself: it goes on trying */
	if (!caps_can_find_files()) {
		say_connected(false, why_not);
		return 0;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd))
		return -errno;
	set_patience(fd[0]);
	child = fork();
	if (child < 0)
		return -errno;
	if (!child) {
		close(fd[0]);
		prctl(PR_SET_NAME, "ioblamed-namer");
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!caps_keep(CAPS_FIND_FILES))
			answer_all(fd[1]);
		_exit(0);
	}
	close(fd[1]);
	to_namer = fd[0];
	return 0;
}

void namer_stop(void)
{
	disconnect();
	if (child <= 0)
		return;
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
}

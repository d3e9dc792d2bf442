// SPDX-License-Identifier: GPL-2.0
/*
 * What is sent to who is connected: all of it in order, in the pieces that the kernel takes, without
 * waiting; and who is gone is told from who is slow.
 */
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test.h"

static ssize_t send_or_fake(int fd, const void *buf, size_t len, int flags);
#define send	send_or_fake
#include "../../tools/ioblamed/peer.c"
#undef send

/* What the calls of send(2) return, as bytes or -errno, up to a 0; NULL: the kernel sends */
static const int *returns;
static char taken[64];
static size_t nr_taken;

static ssize_t send_or_fake(int fd, const void *buf, size_t len, int flags)
{
	if (flags != (MSG_NOSIGNAL | MSG_DONTWAIT))
		fail("flags are %#x", flags);
	if (!returns)
		return send(fd, buf, len, flags);
	if (!*returns) {
		fail("one call more of send(), for %zu bytes", len);
		errno = EPIPE;
		return -1;
	}
	if (*returns < 0) {
		errno = -*returns++;
		return -1;
	}
	len = len < (size_t)*returns ? len : (size_t)*returns;
	returns++;
	memcpy(taken + nr_taken, buf, len);
	nr_taken += len;
	return len;
}

static void pieces(void)
{
	static const char text[] = "who caused this IO";
	static const struct {
		size_t from, to;	/* of the text */
		int returns[8];
		bool there;
	} cases[] = {
		{ 0, 18, { 18 }, true },
		{ 4, 18, { 14 }, true },
		{ 0, 18, { 7, 7, 4 }, true },
		{ 0, 7, { 7, -EAGAIN }, true },
		{ 0, 0, { -EAGAIN }, true },
		{ 0, 18, { -EINTR, 10, -EINTR, -EINTR, 8 }, true },
		{ 3, 10, { -EINTR, 7, -EAGAIN }, true },
		{ 0, 0, { -EPIPE }, false },
		{ 0, 5, { 5, -ECONNRESET }, false },
		{ 0, 5, { 5, -ENOBUFS }, false },
		{ 18, 18, { 0 }, true },
	};
	unsigned int i;
	size_t at;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		at = cases[i].from;
		nr_taken = 0;
		returns = cases[i].returns;
		/* of a send before: it means nothing */
		errno = EPIPE;
		if (peer_send(-1, text, &at, strlen(text)) != cases[i].there)
			fail("case %u: the peer is %sthere", i, cases[i].there ? "not " : "");
		if (at != cases[i].to || *returns || nr_taken != at - cases[i].from ||
		    memcmp(taken, text + cases[i].from, nr_taken))
			fail("case %u: %zu are sent, from %zu to %zu", i, nr_taken, cases[i].from,
			     at);
	}
	returns = NULL;
}

/* One that reads a bit now and then gets all; then it goes. */
static void slow_peer(void)
{
	static char text[1 << 20], got[1 << 20];
	size_t at = 0, nr = 0, turns = 0;
	int fd[2], i;
	ssize_t n;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fd)) {
		fail("no sockets");
		return;
	}
	for (i = 0; i < (int)sizeof(text); i++)
		text[i] = rnd(256);
	while (nr < sizeof(text)) {
		if (!peer_send(fd[0], text, &at, sizeof(text)) || at < nr)
			fail("the peer is gone at %zu", at);
		n = recv(fd[1], got + nr, 1 + rnd(100000), MSG_DONTWAIT);
		if (n <= 0 || at < nr + n) {
			fail("%zd come behind %zu of %zu", n, nr, at);
			break;
		}
		nr += n;
		turns++;
	}
	if (at != sizeof(text) || memcmp(text, got, sizeof(got)))
		fail("other bytes come");
	note("%zu turns", turns);
	close(fd[1]);
	at = 0;
	if (peer_send(fd[0], text, &at, sizeof(text)) || at)
		fail("one that is gone is there");
	close(fd[0]);
}

static void drop(int fd)
{
	close(fd);
}

static int listen_at(struct peer_listener *l, struct sd_event *event, const char *path)
{
	*l = PEER_NO_LISTENER;
	return peer_listen(l, event, path, drop);
}

/* A socket that somebody serves stays his; one that is left by who was killed does not. */
static void two_listeners(void)
{
	char folder[] = "/tmp/iob-peer-XXXXXX";
	struct peer_listener first, second;
	struct sd_event *event = NULL;
	char path[64], file[64], longest[200];

	if (!mkdtemp(folder) || sd_event_new(&event) < 0) {
		fail("no folder, or no loop");
		return;
	}
	snprintf(path, sizeof(path), "%s/socket", folder);
	if (listen_at(&first, event, path))
		fail("nobody is there, and it does not listen");
	if (listen_at(&second, event, path) != -EADDRINUSE)
		fail("a socket that is served is taken");
	peer_stop(&second);
	if (access(path, F_OK))
		fail("who made no socket removes it");
	/* the first is killed */
	first.own = NULL;
	peer_stop(&first);
	if (access(path, F_OK) || listen_at(&first, event, path))
		fail("a socket that nobody serves is in the way");
	/* somebody puts another one there */
	unlink(path);
	if (listen_at(&second, event, path))
		fail("it does not listen where there is none");
	peer_stop(&first);
	if (access(path, F_OK))
		fail("another's socket is removed");
	peer_stop(&second);
	if (!access(path, F_OK))
		fail("its own stays");
	snprintf(file, sizeof(file), "%s/file", folder);
	close(creat(file, 0600));
	if (listen_at(&first, event, file) != -EEXIST || access(file, F_OK))
		fail("a plain file is removed");
	peer_stop(&first);
	memset(longest, 'x', sizeof(longest));
	longest[0] = '/';
	longest[sizeof(longest) - 1] = '\0';
	if (listen_at(&first, event, longest) != -ENAMETOOLONG)
		fail("a path that no socket can have is cut");
	peer_stop(&first);
	unlink(file);
	rmdir(folder);
	sd_event_unref(event);
}

/* Whose socket it is hears nothing of who looks: systemd starts a service for a connection. */
static void leave_alone(struct sd_event *event, const char *path, int type, bool listens)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
	struct pollfd heard = { .fd = fd, .events = POLLIN };
	struct peer_listener l;

	strcpy(at.sun_path, path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) || (listens && listen(fd, 8))) {
		fail("no socket of type %d", type);
	} else {
		if (listen_at(&l, event, path) != -EADDRINUSE)
			fail("a socket of type %d that does %slisten is taken", type,
			     listens ? "" : "not ");
		if (access(path, F_OK))
			fail("the socket of type %d is removed", type);
		if (listens && poll(&heard, 1, 0))
			fail("who listens hears of a look, type %d", type);
		peer_stop(&l);
	}
	if (fd >= 0)
		close(fd);
	unlink(path);
}

static void others_sockets(void)
{
	char folder[] = "/tmp/iob-peer-XXXXXX";
	struct sd_event *event = NULL;
	char path[64];

	if (!mkdtemp(folder) || sd_event_new(&event) < 0) {
		fail("no folder, or no loop");
		return;
	}
	snprintf(path, sizeof(path), "%s/socket", folder);
	leave_alone(event, path, SOCK_STREAM, true);
	/* it is about to listen */
	leave_alone(event, path, SOCK_STREAM, false);
	leave_alone(event, path, SOCK_SEQPACKET, true);
	leave_alone(event, path, SOCK_DGRAM, false);
	rmdir(folder);
	sd_event_unref(event);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(pieces), TEST(slow_peer), TEST(two_listeners), TEST(others_sockets),
	};

	return run_tests("daemon_peer", tests, ARRAY_SIZE(tests));
}

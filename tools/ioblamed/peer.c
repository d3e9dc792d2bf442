// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <time.h>
#include <unistd.h>

#include "msg.h"
#include "peer.h"

/* How long nobody is let in where there is no room for one more */
#define REST_US	1000000

static gid_t group_id = (gid_t)-1;
static bool resting;		/* it was said that nobody can be let in */

/* The number of a group; (gid_t)-1: there is no such group. */
gid_t peer_find_group(const char *name)
{
	struct group *group = getgrnam(name);

	return group ? group->gr_gid : (gid_t)-1;
}

/* Members of this group see all; one that does not exist has none. */
void peer_group(const char *name)
{
	group_id = *name ? peer_find_group(name) : (gid_t)-1;
}

/* Whether the peer is in the group, by its own groups at the time of its connect(). */
static bool is_member(int fd, gid_t gid)
{
	gid_t groups[1024];
	socklen_t size = sizeof(groups);
	unsigned int i;

	if (group_id == (gid_t)-1)
		return false;
	if (gid == group_id)
		return true;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERGROUPS, groups, &size))
		return false;
	for (i = 0; i < size / sizeof(gid_t); i++) {
		if (groups[i] == group_id)
			return true;
	}
	return false;
}

/* What who is connected may see.  Return: false if the kernel does not say who it is. */
bool peer_right(int fd, struct viewer_right *right)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) || size != sizeof(peer))
		return false;
	right->uid = peer.uid;
	right->all = !peer.uid || is_member(fd, peer.gid);
	return true;
}

/**
 * peer_send - send what can be sent without waiting
 * @fd:  the peer's socket
 * @buf: what is sent
 * @at:  from there on; it moves behind what was sent
 * @len: up to there
 *
 * Return: false if nothing more can be sent: the peer is gone.
 */
bool peer_send(int fd, const char *buf, size_t *at, size_t len)
{
	ssize_t n = 0;

	while (*at < len) {
		n = send(fd, buf + *at, len - *at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		*at += n;
	}
	return n >= 0 || errno == EAGAIN;
}

/* The socket with this path that systemd has opened, or -1. */
static int passed_socket(const char *path)
{
	int fd, nr = sd_listen_fds(0);

	for (fd = SD_LISTEN_FDS_START; fd < SD_LISTEN_FDS_START + nr; fd++) {
		if (sd_is_socket_unix(fd, SOCK_STREAM, 1, path, 0) > 0)
			return fd;
	}
	return -1;
}

/*
 * A socket is in the way of another one, also when who served it was killed.  One that somebody
 * has open stays, and so does what is no socket.  A datagram socket cannot connect to a stream, but
 * the error says whether one is there: EPROTOTYPE, also if it does not listen yet; ECONNREFUSED if
 * nobody has it.  A stream that connected would make systemd start the service of the socket.
 * Return: 0 or -errno, -EADDRINUSE if somebody has it.
 */
static int remove_stale(const struct sockaddr_un *at)
{
	struct stat st;
	int fd, err;

	if (lstat(at->sun_path, &st))
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	err = connect(fd, (const struct sockaddr *)at, sizeof(*at)) ? errno : 0;
	close(fd);
	if (err != ECONNREFUSED && err != ENOENT)
		return -EADDRINUSE;
	return unlink(at->sun_path) && errno != ENOENT ? -errno : 0;
}

/* Note which socket is our own: somebody else may put his there. */
static int note_own(struct peer_listener *l, const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return -1;
	l->own = path;
	l->dev = st.st_dev;
	l->ino = st.st_ino;
	return 0;
}

/* Make a socket.  Return: 0 or -errno. */
static int own_socket(struct peer_listener *l, const char *path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int err;

	if (strlen(path) >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	strcpy(to.sun_path, path);
	mkdir("/run/ioblame", 0755);
	err = remove_stale(&to);
	if (err)
		return err;
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (l->fd < 0)
		return -errno;
	if (bind(l->fd, (struct sockaddr *)&to, sizeof(to)) || note_own(l, path) ||
	    chmod(path, 0666) || listen(l->fd, 64)) {
		err = -errno;
		close(l->fd);
		l->fd = -1;
		return err;
	}
	return 0;
}

static int on_rested(sd_event_source *s, uint64_t now_us, void *arg)
{
	struct peer_listener *l = arg;

	(void)s;
	(void)now_us;
	return sd_event_source_set_enabled(l->source, SD_EVENT_ON);
}

/* Who waits is there still: without a rest, the loop would do nothing but find him. */
static void begin_rest(struct peer_listener *l, int err)
{
	if (!resting)
		msg("nobody more can connect: %s; it is tried again each second", strerror(err));
	resting = true;
	if (sd_event_source_set_time_relative(l->rest, REST_US) >= 0 &&
	    sd_event_source_set_enabled(l->rest, SD_EVENT_ONESHOT) >= 0)
		sd_event_source_set_enabled(l->source, SD_EVENT_OFF);
}

static int on_connect(sd_event_source *s, int fd, uint32_t events, void *arg)
{
	struct peer_listener *l = arg;
	int new = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	(void)s;
	(void)events;
	if (new >= 0) {
		resting = false;
		l->add(new);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		begin_rest(l, errno);
	}
	return 0;
}

/**
 * peer_listen - let anyone connect to a socket
 * @l:     stays where it is until peer_stop()
 * @event: the loop
 * @path:  where the socket is, as long as that; systemd may have opened it
 * @add:   gets the descriptor of each who connects, and closes it
 *
 * Return: 0 or -errno, -EADDRINUSE if somebody else serves it; peer_stop() is due in any case.
 */
int peer_listen(struct peer_listener *l, struct sd_event *event, const char *path,
		void (*add)(int fd))
{
	int ret = 0;

	l->add = add;
	l->own = NULL;
	l->fd = passed_socket(path);
	if (l->fd < 0)
		ret = own_socket(l, path);
	if (ret)
		return ret;
	/* now, as a timer may take a file */
	ret = sd_event_add_time_relative(event, &l->rest, CLOCK_MONOTONIC, REST_US, 0, on_rested,
					 l);
	if (ret >= 0)
		ret = sd_event_source_set_enabled(l->rest, SD_EVENT_OFF);
	if (ret >= 0)
		ret = sd_event_add_io(event, &l->source, l->fd, EPOLLIN, on_connect, l);
	return ret < 0 ? ret : 0;
}

/* Whether the socket at the path is the one that was made. */
static bool is_own(const struct peer_listener *l)
{
	struct stat st;

	return l->own && !lstat(l->own, &st) && st.st_dev == l->dev && st.st_ino == l->ino;
}

/* Nobody else can connect. */
void peer_stop(struct peer_listener *l)
{
	l->rest = sd_event_source_disable_unref(l->rest);
	l->source = sd_event_source_disable_unref(l->source);
	/* (as long as it is open, its number is that of no other one) */
	if (is_own(l))
		unlink(l->own);
	if (l->fd >= 0)
		close(l->fd);
	*l = PEER_NO_LISTENER;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Each viewer is sent what he may see and no more: processes of several users connect to the
 * socket, and read it to its end.
 */
#include <grp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <systemd/sd-event.h>
#include <unistd.h>

#include "feed.h"
#include "test.h"
#include "viewers.h"

enum {
	ANN = 61001, BOB = 61002, NOBODY_KNOWN = 61003,
	LOOPS = 40,
};

/* The group of the test: one that each system has, and no viewer's but the member's */
#define GROUP	"daemon"

static char path[64];

/* from the address sanitizer, whose headers gcc may lack */
size_t __sanitizer_get_current_allocated_bytes(void);

static struct usage_list one_interval(void)
{
	static const struct {
		uint32_t uid;
		const char *file;
	} did[] = {
		{ ANN, "/home/ann" }, { ANN, "/srv/ann\"\\" }, { BOB, "/home/bob" }, { 0, "/root" },
		{ UINT32_MAX, "/gone" },
	};
	struct usage_list list = { .from_ns = 1, .until_ns = 2 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(did); i++) {
		struct usage u = { .key = {
			.unit = "a", .program = "b", .user = "c", .file = did[i].file,
			.disk = "sda", .why = "d", .uid = did[i].uid, .op = 2,
		}, .ios = 1, .lat = { [3] = 1 } };

		usage_add(&list, &u);
	}
	return list;
}

/* In a process of the user: count the usages of both intervals.  Exits with the number. */
static void watch_as(uid_t uid, gid_t group)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), intervals = 0, got = 0;
	struct feed feed = { 0 };
	char *line = NULL;
	size_t size = 0, i;
	ssize_t n;
	FILE *f;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (setgroups(!!group, &group) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid) ||
	    connect(fd, (struct sockaddr *)&to, sizeof(to)))
		_exit(100);
	f = fdopen(fd, "r");
	while ((n = getline(&line, &size, f)) > 0) {
		switch (feed_line(&feed, line, n - 1)) {
		case FEED_WRONG:
			_exit(101);
		case FEED_INTERVAL:
			intervals++;
			got += feed.usage.nr;
			for (i = 0; i < feed.usage.nr; i++) {
				if (uid && !group && feed.usage.list[i].key.uid != uid)
					_exit(102);
			}
			break;
		default:
			break;
		}
	}
	_exit(intervals == 2 ? got : 103);
}

static void several_users(void)
{
	static const struct {
		const char *who;
		uid_t uid;
		bool member;
		int sees;		/* in each interval */
	} viewers[] = {
		{ "root", 0, false, 5 }, { "ann", ANN, false, 2 }, { "bob", BOB, false, 1 },
		{ "a user without IO", NOBODY_KNOWN, false, 0 }, { "a member", BOB, true, 5 },
		{ "ann again", ANN, false, 2 },
	};
	struct group *group = getgrnam(GROUP);
	pid_t pid[ARRAY_SIZE(viewers)];
	sd_event *event = NULL;
	struct usage_list list;
	unsigned int i;
	int status;

	if (geteuid() || !group) {
		note("only root can be several users: not tested");
		return;
	}
	snprintf(path, sizeof(path), "/tmp/iob-viewers-%d", getpid());
	peer_group(GROUP);
	if (sd_event_new(&event) < 0 || viewers_begin(event, path)) {
		fail("no socket");
		return;
	}
	list = one_interval();
	viewers_usage(&list);
	for (i = 0; i < ARRAY_SIZE(viewers); i++) {
		pid[i] = fork();
		if (!pid[i])
			watch_as(viewers[i].uid, viewers[i].member ? group->gr_gid : 0);
	}
	/* all have connected within these turns, and have the interval before at once */
	for (i = 0; i < LOOPS; i++)
		sd_event_run(event, 100000);
	viewers_usage(&list);
	for (i = 0; i < 3; i++)
		sd_event_run(event, 10000);
	viewers_end();
	for (i = 0; i < ARRAY_SIZE(viewers); i++) {
		waitpid(pid[i], &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 2 * viewers[i].sees)
			fail("%s: status %#x, not %d usages", viewers[i].who, status,
			     2 * viewers[i].sees);
	}
	if (!access(path, F_OK))
		fail("the socket stays");
	usage_clear(&list);
	sd_event_unref(event);
}

/* Viewers of one user who do not read, and long names: what waits for them is bounded. */
static void slow_viewers(void)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	struct usage_list list = { .from_ns = 1, .until_ns = 2 };
	size_t before = __sanitizer_get_current_allocated_bytes(), bytes;
	sd_event *event = NULL;
	char file[1024];
	unsigned int i;
	int fd[12];

	snprintf(path, sizeof(path), "/tmp/iob-viewers-%d", getpid());
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (sd_event_new(&event) < 0 || viewers_begin(event, path)) {
		fail("no socket");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(fd[i], (struct sockaddr *)&to, sizeof(to)))
			fail("no connection");
		sd_event_run(event, 100000);
	}
	memset(file, 'f', sizeof(file));
	for (i = 0; i < 5000; i++) {
		struct usage u = { .key = { .unit = "a", .program = "b", .user = "c", .file = file,
					    .disk = "sda", .why = "", .uid = getuid() }, .ios = 1 };

		sprintf(file + 1000, "%u", i);
		usage_add(&list, &u);
	}
	viewers_usage(&list);
	bytes = __sanitizer_get_current_allocated_bytes() - before;
	/* what waits, and two lists */
	if (bytes > (24 + 16) << 20)
		fail("%zu bytes", bytes);
	note("%zu KiB", bytes >> 10);
	viewers_end();
	usage_clear(&list);
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	sd_event_unref(event);
}

/* What a viewer that reads all was told of one interval */
struct told {
	u64 ios, lost, missed;
};

static void watch_one(int to_parent)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	struct feed feed = { 0 };
	struct told told = { 0 };
	enum feed_got got;
	char *line = NULL;
	size_t size = 0, i;
	ssize_t n;
	FILE *f;

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		_exit(100);
	f = fdopen(fd, "r");
	do {
		n = getline(&line, &size, f);
		got = n > 0 ? feed_line(&feed, line, n - 1) : FEED_WRONG;
	} while (got == FEED_MORE);
	if (got != FEED_INTERVAL)
		_exit(101);
	for (i = 0; i < feed.usage.nr; i++)
		told.ios += feed.usage.list[i].ios;
	told.lost = feed.usage.lost_ios;
	told.missed = feed.missed;
	_exit(write(to_parent, &told, sizeof(told)) == sizeof(told) ? 0 : 102);
}

/* Of an interval that is larger than what may wait, the rest is told as IOs that are in no usage. */
static void large_interval(void)
{
	enum { USAGES = 65536, LOST = 3 };
	struct usage_list list = { .from_ns = 1, .until_ns = 2, .lost_ios = LOST };
	struct told told = { 0 };
	sd_event *event = NULL;
	char file[256];
	unsigned int i;
	int pair[2], status = -1;
	pid_t pid;

	snprintf(path, sizeof(path), "/tmp/iob-viewers-%d", getpid());
	if (sd_event_new(&event) < 0 || viewers_begin(event, path) || pipe(pair)) {
		fail("no socket");
		return;
	}
	memset(file, 'f', sizeof(file));
	for (i = 0; i < USAGES; i++) {
		struct usage u = { .key = { .unit = "a", .program = "b", .user = "c", .file = file,
					    .disk = "sda", .why = "", .uid = getuid() }, .ios = 1 };

		sprintf(file + 190, "%010u", i);
		usage_add(&list, &u);
	}
	viewers_usage(&list);
	pid = fork();
	if (!pid)
		watch_one(pair[1]);
	for (i = 0; i < 1000 && !waitpid(pid, &status, WNOHANG); i++)
		sd_event_run(event, 100000);
	if (status || read(pair[0], &told, sizeof(told)) != sizeof(told))
		fail("the viewer ended with %#x", status);
	if (told.ios + told.lost != USAGES + LOST || told.missed)
		fail("%llu IOs, %llu in no usage, %llu intervals were missed", told.ios, told.lost,
		     told.missed);
	if (told.lost == LOST)
		fail("all of it had room");
	note("%llu IOs, %llu in no usage", told.ios, told.lost);
	viewers_end();
	usage_clear(&list);
	close(pair[0]);
	close(pair[1]);
	sd_event_unref(event);
}

/* A connection of a user, and a turn of the loop. */
static int connect_as(sd_event *event, uid_t uid)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (setgroups(0, NULL) || seteuid(uid) || connect(fd, (struct sockaddr *)&to, sizeof(to)))
		fail("no connection: %s", strerror(errno));
	if (seteuid(0))
		fail("not root again");
	sd_event_run(event, 100000);
	return fd;
}

/* Viewers of several users can come.  Return: false if not, and why is said. */
static bool begin_for_users(sd_event **event)
{
	if (geteuid()) {
		note("only root can be several users: not tested");
		return false;
	}
	snprintf(path, sizeof(path), "/tmp/iob-viewers-%d", getpid());
	if (sd_event_new(event) >= 0 && !viewers_begin(*event, path))
		return true;
	fail("no socket");
	return false;
}

/* Whoever has many user ids takes no place of root's. */
static void many_users(void)
{
	struct usage_list list = one_interval();
	sd_event *event = NULL;
	int fd[256], i, root;
	char byte;

	if (!begin_for_users(&event))
		return;
	for (i = 0; i < 256; i++)
		fd[i] = connect_as(event, ANN + i / 16);
	root = connect_as(event, 0);
	viewers_usage(&list);
	if (recv(root, &byte, 1, MSG_DONTWAIT) != 1)
		fail("root may not look");
	if (recv(fd[0], &byte, 1, MSG_DONTWAIT) != 1 || recv(fd[255], &byte, 1, MSG_DONTWAIT))
		fail("the last places are everybody's");
	viewers_end();
	usage_clear(&list);
	close(root);
	for (i = 0; i < 256; i++)
		close(fd[i]);
	sd_event_unref(event);
}

/* One user takes sixteen places and no more. */
static void one_user(void)
{
	struct usage_list list = one_interval();
	sd_event *event = NULL;
	int fd[17], i, other;
	char byte;

	if (!begin_for_users(&event))
		return;
	for (i = 0; i < 17; i++)
		fd[i] = connect_as(event, ANN);
	other = connect_as(event, BOB);
	viewers_usage(&list);
	if (recv(fd[15], &byte, 1, MSG_DONTWAIT) != 1 || recv(fd[16], &byte, 1, MSG_DONTWAIT))
		fail("one user has not 16 places");
	if (recv(other, &byte, 1, MSG_DONTWAIT) != 1)
		fail("another user may not look");
	viewers_end();
	usage_clear(&list);
	close(other);
	for (i = 0; i < 17; i++)
		close(fd[i]);
	sd_event_unref(event);
}

enum {
	SLOW_USERS = 12, VIEWERS_EACH = 16, OF_EACH = 500,
	SLOW_VIEWERS = SLOW_USERS * VIEWERS_EACH,
};

/* An interval of each of the slow users: half a MiB is his. */
static struct usage_list interval_of_slow(void)
{
	struct usage_list list = { .from_ns = 1, .until_ns = 2 };
	char file[1024];
	unsigned int i;

	memset(file, 'f', sizeof(file));
	for (i = 0; i < SLOW_USERS * OF_EACH; i++) {
		struct usage u = { .key = { .unit = "a", .program = "b", .user = "c", .file = file,
					    .disk = "sda", .why = "", .uid = ANN + i / OF_EACH },
				   .ios = 1 };

		sprintf(file + 1000, "%04u", i);
		usage_add(&list, &u);
	}
	return list;
}

static bool is_served(int fd)
{
	char byte;

	return recv(fd, &byte, 1, MSG_DONTWAIT) == 1;
}

/*
 * Users who do not read, none of whom is slow by himself: what waits for all is bounded, and root
 * and the group, who are served last here, have room.
 */
static void slow_users(void)
{
	size_t begun = __sanitizer_get_current_allocated_bytes(), listed, waits;
	struct usage_list list = interval_of_slow();
	struct group *group = getgrnam(GROUP);
	int fd[SLOW_VIEWERS], i, root, member = -1;
	unsigned int served = 0;
	sd_event *event = NULL;

	listed = __sanitizer_get_current_allocated_bytes() - begun;
	if (!begin_for_users(&event)) {
		usage_clear(&list);
		return;
	}
	root = connect_as(event, 0);
	if (group && !setegid(group->gr_gid)) {
		peer_group(GROUP);
		member = connect_as(event, ANN + SLOW_USERS);
		if (setegid(0))
			fail("not root's group again");
	}
	for (i = 0; i < SLOW_VIEWERS; i++)
		fd[i] = connect_as(event, ANN + i / VIEWERS_EACH);
	viewers_usage(&list);
	/* what waits, and two lists */
	waits = __sanitizer_get_current_allocated_bytes() - begun - 2 * listed;
	if (!is_served(root))
		fail("root is not served");
	if (member >= 0 && !is_served(member))
		fail("a member is not served");
	for (i = 0; i < SLOW_VIEWERS; i++)
		served += is_served(fd[i]);
	/* root and a member are sent what all users are */
	waits = waits * served / (served + SLOW_USERS * (1 + (member >= 0)));
	if (waits < 48 << 20 || waits > 56 << 20 || served == SLOW_VIEWERS)
		fail("%zu KiB wait for all users", waits >> 10);
	note("%zu KiB, %u of %u are served", waits >> 10, served, SLOW_VIEWERS);
	viewers_end();
	usage_clear(&list);
	close(root);
	close(member);
	for (i = 0; i < SLOW_VIEWERS; i++)
		close(fd[i]);
	sd_event_unref(event);
}

/* Without a file for one more the loop rests, and lets him in a second later. */
static void no_files(void)
{
	struct usage_list list = one_interval();
	struct rlimit before, none;
	sd_event *event = NULL;
	unsigned int i, turns = 0;
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	char byte;
	int fd;

	snprintf(path, sizeof(path), "/tmp/iob-viewers-%d", getpid());
	if (sd_event_new(&event) < 0 || viewers_begin(event, path)) {
		fail("no socket");
		return;
	}
	viewers_usage(&list);
	getrlimit(RLIMIT_NOFILE, &before);
	none = before;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* (fewer than are open: the next has no number, nor has a timer of the loop) */
	none.rlim_cur = 3;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s", path);
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) || setrlimit(RLIMIT_NOFILE, &none))
		fail("%s", strerror(errno));
	for (i = 0; i < 8; i++)
		turns += sd_event_run(event, 50000) > 0;
	if (turns > 2)
		fail("the loop has %u turns while there is no room", turns);
	setrlimit(RLIMIT_NOFILE, &before);
	for (i = 0; i < 30 && recv(fd, &byte, 1, MSG_DONTWAIT) != 1; i++)
		sd_event_run(event, 100000);
	if (i == 30)
		fail("he is not let in later");
	viewers_end();
	usage_clear(&list);
	close(fd);
	sd_event_unref(event);
}

static void rights(void)
{
	static const uint32_t uids[] = { 0, 1, ANN, BOB, UINT32_MAX - 1, UINT32_MAX };
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(uids); i++) {
		for (k = 0; k < ARRAY_SIZE(uids); k++) {
			const struct viewer_right own = { .uid = uids[i] };
			const struct viewer_right all = { .all = true, .uid = uids[i] };
			const struct usage_key key = { .uid = uids[k] };
			bool is_own = i == k && uids[k] != UINT32_MAX;

			if (viewer_may_see(&own, &key) != is_own || !viewer_may_see(&all, &key))
				fail("user %u and what %u did", uids[i], uids[k]);
		}
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(rights), TEST(several_users),
					     TEST(slow_viewers), TEST(large_interval),
					     TEST(many_users), TEST(one_user), TEST(slow_users),
					     TEST(no_files) };

	return run_tests("daemon_viewers", tests, ARRAY_SIZE(tests));
}

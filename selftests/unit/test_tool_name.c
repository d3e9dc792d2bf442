// SPDX-License-Identifier: GPL-2.0
/* Names are looked up at the right time, and their memory is bounded. */
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "container.h"
#include "msg.h"
#include "name.h"
#include "path.h"
#include "test.h"

/* from the address sanitizer, whose headers gcc may lack */
size_t __sanitizer_get_current_allocated_bytes(void);

static u64 now = 1000000000ULL, asked;
static bool gone, hostile;

uint64_t clock_ns(void)
{
	return now;
}

/* 3.8 KB of bytes of which each becomes four */
static char *hostile_path(uint64_t ino)
{
	char *text = malloc(3801);

	memset(text, 1, 3800);
	sprintf(text + 3780, "/%llu", (u64)ino);
	return text;
}

char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	char text[128];

	(void)gen;
	asked++;
	if (gone)
		return NULL;
	if (hostile)
		return hostile_path(ino);
	snprintf(text, sizeof(text), "/a/folder/of/some/depth/%u/file-%llu", dev, (u64)ino);
	return strdup(text);
}

char *path_of_mount(uint32_t dev)
{
	(void)dev;
	return NULL;
}

/* A disk of sysfs, in place of the C library's */
ssize_t readlink(const char *path, char *to, size_t size)
{
	static const char link[] = "../../devices/virtual/block/etherd!e0.0";

	if (strcmp(path, "/sys/dev/block/152:0") || size < sizeof(link))
		return -1;
	memcpy(to, link, sizeof(link) - 1);
	return sizeof(link) - 1;
}

/* no container has a name here */
char *container_name(const struct container *c)
{
	(void)c;
	return NULL;
}

char *path_of_cgroup(uint64_t id)
{
	char text[64];

	snprintf(text, sizeof(text), "/system.slice/unit-%llu", (u64)id);
	return strdup(text);
}

void path_close(void) {}

/* Who knows the users, in place of the C library.  The process that asks sees this, too. */
static struct directory {
	char user_of_number[16];	/* empty: he has none */
	unsigned int users_asked;
	int why_no_user;
	bool hangs;
	pid_t reader;		/* who is not to ask */
} *directory;

struct passwd *getpwuid(uid_t uid)
{
	static struct passwd found;

	directory->users_asked++;
	if (getpid() == directory->reader) {
		fail("who reads the log asks for user %u himself", uid);
		return NULL;
	}
	while (directory->hangs)
		pause();
	errno = directory->why_no_user;
	found.pw_name = directory->user_of_number;
	return uid - 1001 < 2 && *found.pw_name ? &found : NULL;
}

/* The users of this machine, in place of /etc/passwd */
struct passwd *fgetpwent(FILE *f)
{
	static struct passwd users[] = {
		{ .pw_name = "+", .pw_uid = 1001 }, { .pw_name = "carol", .pw_uid = 1100 },
	};
	static unsigned int nr;

	(void)f;
	if (nr < ARRAY_SIZE(users))
		return &users[nr++];
	nr = 0;
	return NULL;
}

/*
 * An answer that is to come does, however busy the machine of the test is.  One that is not is
 * given up when who asks waits for it.
 */
int poll(struct pollfd *fds, nfds_t nr, int ms)
{
	const struct timespec most = { .tv_sec = 60 };
	static unsigned int before;

	(void)ms;
	if (!directory->hangs) {
		int ret = ppoll(fds, nr, &most, NULL);

		before = directory->users_asked;
		return ret;
	}
	while (__atomic_load_n(&directory->users_asked, __ATOMIC_RELAXED) == before)
		sched_yield();
	before = directory->users_asked;
	return 0;
}

static void expect_user(const char *want, unsigned int asked_before)
{
	if (strcmp(name_uid(1001), want))
		fail("user 1001 is %s, not %s", name_uid(1001), want);
	if (directory->users_asked != asked_before)
		fail("users are asked for %u times, not %u, for %s", directory->users_asked,
		     asked_before, want);
}

/* A user's number becomes another one's; until a service comes that knows him, he has none. */
static void users(void)
{
	static const u64 second = 1000000000;
	char number[16];

	expect_user("1001", 1);
	strcpy(directory->user_of_number, "bob");
	now += 299 * second;
	expect_user("1001", 1);
	now += 2 * second;
	expect_user("bob", 2);
	now += 250 * second;
	strcpy(directory->user_of_number, "al\nice");
	expect_user("bob", 2);
	now += 51 * second;
	expect_user("al\\012ice", 3);
	/* who knows the users cannot be asked: the name of before stays */
	*directory->user_of_number = '\0';
	directory->why_no_user = ECONNREFUSED;
	now += 301 * second;
	expect_user("al\\012ice", 4);
	/* of a process the number is known all the same */
	snprintf(number, sizeof(number), "%u", getuid());
	if (strcmp(name_user(getpid(), "tool"), number))
		fail("the test's user is %s, not %s", name_user(getpid(), "tool"), number);
	directory->why_no_user = ENOENT;
	now += 301 * second;
	expect_user("1001", 6);
	/* one that nobody knows is not asked for each time, either */
	now += 250 * second;
	expect_user("1001", 6);
	directory->why_no_user = 0;
}

/* So many processes of one user begin.  He has this name. */
static void begin_processes(unsigned int nr, const char *want)
{
	char comm[16];

	while (nr--) {
		snprintf(comm, sizeof(comm), "tool-%u", nr);
		if (strcmp(name_user(getpid(), comm), want))
			fail("%s is of user %s", comm, name_user(getpid(), comm));
	}
}

static void expect_asked(unsigned int want)
{
	if (directory->users_asked != want)
		fail("users are asked for %u times, not %u", directory->users_asked, want);
}

static void expect_name(u32 uid, const char *want)
{
	if (strcmp(name_uid(uid), want))
		fail("user %u is %s, not %s", uid, name_uid(uid), want);
}

/* Who knows the users hangs: the log is read on, and users of this machine have their names. */
static void hung_users(void)
{
	static const u64 second = 1000000000;
	unsigned int before = directory->users_asked;
	char number[16];
	u32 uid;

	now += 301 * second;
	strcpy(directory->user_of_number, "bob");
	expect_user("bob", before + 1);
	directory->hangs = true;
	msg_quiet(true);
	snprintf(number, sizeof(number), "%u", getuid());
	begin_processes(100, number);
	expect_asked(before + 2);
	/* he keeps his number for as long as he would his name */
	now += 299 * second;
	begin_processes(100, number);
	expect_asked(before + 2);
	/* and one who has a name his name */
	now += 10 * second;
	expect_user("bob", before + 3);
	begin_processes(100, number);
	expect_asked(before + 4);
	/* of many in a minute three are waited for */
	for (uid = 2000; uid < 2100; uid++) {
		snprintf(number, sizeof(number), "%u", uid);
		expect_name(uid, number);
	}
	expect_name(1002, "1002");
	expect_name(1100, "carol");
	expect_asked(before + 5);
	directory->hangs = false;
	now += 60 * second;
	expect_name(2000, "2000");
	expect_asked(before + 5);
	/* who was not asked for is when the minute is over */
	expect_name(1002, "bob");
	expect_asked(before + 6);
	msg_quiet(false);
	*directory->user_of_number = '\0';
	now += 301 * second;
}

/* Many files and cgroups, with and without a path */
static void bounded(void)
{
	size_t most = 0, bytes;
	u64 i;

	for (i = 0; i < 400000; i++, now += 1000000) {
		gone = i % 3 == 0;
		if (i % 2)
			name_note_file(1, 100 + i, 1);
		else
			name_file(1, 100 + i, 1);
		name_cgroup(1 + i / 4);
		if (i % 1000)
			continue;
		name_tidy();
		bytes = __sanitizer_get_current_allocated_bytes();
		if (bytes > most)
			most = bytes;
	}
	note("%zu KiB", most >> 10);
	if (most > 16 << 20)
		fail("%zu bytes", most);
	gone = false;
}

/* A name that is used all the time is kept. */
static void kept(void)
{
	u64 i;

	name_file(2, 100, 1);
	for (i = 0; i < 100000; i++, now += 1000) {
		name_note_file(3, 100 + i, 1);
		name_note_file(2, 100, 1);
		name_tidy();
	}
	gone = true;
	if (strcmp(name_file(2, 100, 1), "/a/folder/of/some/depth/2/file-100"))
		fail("it is %s", name_file(2, 100, 1));
	gone = false;
}

static void when(void)
{
	u64 before = asked;
	unsigned int i;

	/* noted once, however often it comes */
	for (i = 0; i < 100; i++, now += 1000000000)
		name_note_file(4, 100, 1);
	if (asked != before + 1)
		fail("asked %llu times in advance", asked - before);
	/* shown: now and then */
	for (i = 0; i < 100; i++, now += 100000000)
		name_file(4, 100, 1);
	if (asked < before + 2 || asked > before + 4)
		fail("asked %llu times when shown", asked - before);
	/* no more than so many in a second, but what is shown always */
	name_note_at_most(10);
	before = asked;
	for (i = 0; i < 2000; i++, now += 1000000)
		name_note_file(5, 100 + i, 1);
	if (asked < before + 20 || asked > before + 30)
		fail("asked %llu times in two seconds", asked - before);
	if (strcmp(name_file(5, 100 + 1999, 1), "/a/folder/of/some/depth/5/file-2099"))
		fail("what is shown is not asked for");
	name_note_at_most(0);
}

/* Paths as long as can be, of files of one interval: memory is bounded, losses are counted. */
static void hostile_names(void)
{
	size_t before = __sanitizer_get_current_allocated_bytes(), most = 0, bytes;
	u64 i, lost = name_no_room(), named = 0;
	const char *text;

	hostile = true;
	name_bound(1024, 4 << 20);
	text = name_file(6, 100, 1);
	if (strlen(text) > 1024 || strlen(text) < 1020 || strncmp(text, "...\\001", 7) ||
	    !strstr(text, "/100"))
		fail("%zu bytes: %.20s", strlen(text), text);
	for (i = 0; i < 30000; i++, now += 1000) {
		named += *name_file(6, 101 + i, 1) == '.';
		/* files leave room for what there is little of */
		strcpy(directory->user_of_number, i == 9990 ? "bob" : "");
		if (i == 9990 && strcmp(name_uid(1002), "bob"))
			fail("user 1002 is %s", name_uid(1002));
		if (i % 10000 == 9999) {
			bytes = __sanitizer_get_current_allocated_bytes() - before;
			most = bytes > most ? bytes : most;
			name_tidy();
		}
	}
	if (most > 10 << 20)
		fail("%zu bytes", most);
	if (named + name_no_room() - lost != i)
		fail("%llu names, and %llu had no room", named, name_no_room() - lost);
	/* each interval has room for some */
	if (named < 5000)
		fail("%llu names", named);
	note("%zu KiB, %llu of %llu have a name", most >> 10, named, i);
	hostile = false;
	name_bound(0, 64 << 20);
}

/* A recording has a name again and again: it takes room once. */
static void repeated(void)
{
	struct name_key key = { .kind = NAME_DISK, .dev = 7 << 20 };
	static char text[60001];
	u64 before = name_no_room();
	u32 i;

	memset(text, 'a', sizeof(text) - 1);
	name_offline();
	for (i = 0; i < 6000; i++)
		name_put(&key, text);
	/* a longer one and a shorter one, too */
	name_put(&key, "short");
	key.dev++;
	name_put(&key, "new");
	if (name_no_room() != before)
		fail("%llu of %u had no room", name_no_room() - before, i);
	if (strcmp(name_disk(7 << 20), "short") || strcmp(name_disk(key.dev), "new"))
		fail("they are %s and %s", name_disk(7 << 20), name_disk(key.dev));
}

/* A forged recording has very many and very long names: some have no room, and are counted. */
static void forged(void)
{
	struct name_key key = { .kind = 0, .dev = 1 << 20 };
	static char text[60001];
	u64 before = name_no_room();
	size_t bytes;
	u32 i;

	memset(text, 'a', sizeof(text) - 1);
	name_offline();
	for (i = 0; i < 20000; i++, key.dev++)
		name_put(&key, text);
	if (name_no_room() == before)
		fail("20,000 names of 60,000 bytes have room");
	bytes = __sanitizer_get_current_allocated_bytes();
	if (bytes > (1ULL << 30) + (16 << 20))
		fail("%zu bytes", bytes);
	key.dev = 1 << 20;
	if (strlen(name_disk(key.dev)) != sizeof(text) - 1)
		fail("the first one is %zu bytes long", strlen(name_disk(key.dev)));
	note("%llu of %u had no room", (u64)name_no_room() - before, i);
}

/* A disk has the name that the kernel has for it. */
static void disks(void)
{
	if (strcmp(name_disk(152 << 20), "etherd/e0.0"))
		fail("%s", name_disk(152 << 20));
	if (strcmp(name_disk(152 << 20 | 16), "152:16"))
		fail("%s", name_disk(152 << 20 | 16));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(disks), TEST(users), TEST(hung_users), TEST(when), TEST(kept), TEST(bounded),
		TEST(hostile_names), TEST(repeated), TEST(forged),
	};

	directory = mmap(NULL, sizeof(*directory), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (directory == MAP_FAILED)
		abort();
	directory->reader = getpid();
	return run_tests("tool_name", tests, ARRAY_SIZE(tests));
}

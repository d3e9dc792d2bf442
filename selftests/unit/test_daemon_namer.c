// SPDX-License-Identifier: GPL-2.0
/*
 * How long the daemon waits for the names of files where the namer is slow, and what it costs other
 * names.  The namer is a child, as where the daemon was started by hand; the time that its answers
 * take is told by a clock of the test.
 */
#include <sys/socket.h>

#include "ask.h"
#include "caps.h"
#include "container.h"
#include "fake_msg.h"
#include "name.h"
#include "namer.h"
#include "path.h"
#include "test.h"
#include "user.h"

/* nobody is there */
#undef NAMER_SOCKET
#define NAMER_SOCKET	"no/namer"

static ssize_t send_or_note(int fd, const void *buf, size_t len, int flags);
static ssize_t recv_or_time(int fd, void *buf, size_t len, int flags);
#define send	send_or_note
#define recv	recv_or_time
#include "../../tools/ioblamed/namer.c"
#undef send
#undef recv

#define MS		1000000ULL
#define SECONDS(n)	((n) * 1000 * MS)

enum {
	FILES = 65000,		/* whose names a pass asks for */
	SOME_FILES = 2000,	/* of so many units, one behind the other */
	UNITS = 40,
};

static u64 now = SECONDS(100);
static u64 takes_ns;		/* an answer, of files and of what has no time of its own */
static u64 unit_takes_ns;
static bool found[FILES];	/* they take no time a second time, in some tests */
static bool remembers;
static bool hangs;		/* no answer comes in time */
static unsigned int nr_asked;	/* of the namer */
static struct name_key question;

static ssize_t send_or_note(int fd, const void *buf, size_t len, int flags)
{
	if (fd == to_namer)
		question = ((const struct question *)buf)->key;
	return send(fd, buf, len, flags);
}

static u64 time_of_answer(void)
{
	bool again;

	if (question.kind != NAME_FILE)
		return unit_takes_ns;
	again = found[question.nr];
	found[question.nr] = remembers;
	return again ? 0 : takes_ns;
}

/* What waits for an answer.  (In the namer, too, which has no use for the time.) */
static ssize_t recv_or_time(int fd, void *buf, size_t len, int flags)
{
	ssize_t n = recv(fd, buf, len, flags);

	if (fd != to_namer)
		return n;
	nr_asked++;
	now += time_of_answer();
	if (!hangs)
		return n;
	now += SECONDS(NAMER_SECONDS);
	errno = EAGAIN;
	return -1;
}

uint64_t clock_ns(void)
{
	return now;
}

bool caps_can_find_files(void)
{
	return true;
}

int caps_keep(enum caps caps)
{
	(void)caps;
	return 0;
}

/* In the namer, up to path_close(). */
char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	char text[32];

	(void)dev;
	(void)gen;
	snprintf(text, sizeof(text), "/file%llu", (u64)ino);
	return strdup(text);
}

char *path_of_mount(uint32_t dev)
{
	(void)dev;
	return strdup("/mnt");
}

char *path_of_cgroup(uint64_t id)
{
	char text[64];

	snprintf(text, sizeof(text), "/system.slice/unit%llu.service", (u64)id);
	return strdup(text);
}

char *container_name(const struct container *c)
{
	(void)c;
	return NULL;
}

uint32_t user_of_process(uint32_t tgid)
{
	(void)tgid;
	return 0;
}

char *user_name(uint32_t uid)
{
	(void)uid;
	return strdup("root");
}

char *user_name_in_time(uint32_t uid, bool *asked)
{
	(void)uid;
	(void)asked;
	abort();
}

ssize_t ask_cmdline(uint32_t pid, char *to)
{
	(void)pid;
	(void)to;
	return -1;
}

void path_close(void)
{
}

/* It says if it asks. */
static char *ask(const struct name_key *key)
{
	unsigned int before = nr_asked;
	bool asked = false;
	char *text = ask_namer(key, &asked);

	if (asked != (nr_asked > before))
		fail("it is said that %llu was %sasked for", (u64)key->nr, asked ? "" : "not ");
	return text;
}

/* Ask for the name of each file.  Return: how many have one. */
static unsigned int ask_all(void)
{
	struct name_key key = { .kind = NAME_FILE };
	unsigned int named = 0;
	char want[32], *text;
	u32 i;

	nr_asked = 0;
	for (i = 0; i < FILES; i++) {
		key.nr = i;
		text = ask(&key);
		snprintf(want, sizeof(want), "/file%u", i);
		if (text && strcmp(text, want))
			fail("file %u is %s", i, text);
		named += !!text;
		free(text);
	}
	return named;
}

/* A new while, in which all that was waited before is forgotten. */
static void rest(void)
{
	now += SECONDS(NAMER_REST);
	hangs = false;
	takes_ns = 0;
	unit_takes_ns = 0;
}

/* So few answers take so long; the others are asked for later, and the loop goes on. */
static void slow_answers(void)
{
	static const struct {
		u64 takes_ms;
		unsigned int named;
	} cases[] = {
		{ 0, FILES }, { 1, 5000 }, { 10, 500 }, { 300, 17 }, { 1900, 3 }, { 0, FILES },
	};
	unsigned int named;
	u64 began;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		rest();
		takes_ns = cases[i].takes_ms * MS;
		began = now;
		named = ask_all();
		if (named != cases[i].named || nr_asked != named)
			fail("%u of %u files have names where each takes %llu ms, %u are asked",
			     named, FILES, cases[i].takes_ms, nr_asked);
		if (now - began >= SECONDS(NAMER_BUDGET + NAMER_SECONDS))
			fail("a pass waits for %llu ms", (now - began) / MS);
	}
}

/* Passes one behind the other: half of the time is left for all else that the daemon does. */
static void whiles(void)
{
	u64 began, waited = 0, before;
	unsigned int named = 0;
	int i;

	rest();
	takes_ns = 10 * MS;
	began = now;
	for (i = 0; i < 100; i++) {
		before = now;
		named += ask_all();
		waited += now - before;
		now += SECONDS(1);
	}
	if (waited * 2 > now - began + SECONDS(NAMER_REST) || waited * 4 < now - began)
		fail("%llu ms of %llu are waited", waited / MS, (now - began) / MS);
	if (named != waited / takes_ns)
		fail("%u names in %llu ms", named, waited / MS);
	note("%llu ms of %llu are waited", waited / MS, (now - began) / MS);
}

/* One that takes too long begins a rest, of which each while has one. */
static void hung_answer(void)
{
	u64 began;

	rest();
	hangs = true;
	began = now;
	if (ask_all() || nr_asked != 1 || now - began != SECONDS(NAMER_SECONDS))
		fail("%u are asked for %llu ms", nr_asked, (now - began) / MS);
	now += SECONDS(NAMER_REST) - 1;
	if (ask_all() || nr_asked)
		fail("%u are asked in the rest", nr_asked);
	rest();
	if (ask_all() != FILES)
		fail("%u of %u files are asked for after the rest", nr_asked, FILES);
}

/* Of each kind, when files have used up their time. */
static void others(void)
{
	static const struct {
		enum name_kind kind;
		const char *want;
	} cases[] = {
		{ NAME_FILE, NULL }, { NAME_USER, NULL }, { NAME_COMMAND, NULL },
		{ NAME_MOUNT, "/mnt" }, { NAME_CGROUP, "/system.slice/unit7.service" },
	};
	struct name_key key = { .nr = 7 };
	u64 began;
	char *text;
	size_t i;

	rest();
	takes_ns = 10 * MS;
	ask_all();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		key.kind = cases[i].kind;
		text = ask(&key);
		if (!text != !cases[i].want || (text && strcmp(text, cases[i].want)))
			fail("a name of kind %d is %s", key.kind, text);
		free(text);
	}
	/* they do not take for ever, either, and leave files their time */
	rest();
	key.kind = NAME_CGROUP;
	unit_takes_ns = 10 * MS;
	began = now;
	for (i = 0; i < FILES; i++)
		free(ask(&key));
	if (now - began != SECONDS(NAMER_OTHERS_BUDGET))
		fail("names of units take %llu ms", (now - began) / MS);
	if (ask_all() != FILES)
		fail("%u of %u files are asked for behind units", nr_asked, FILES);
}

/* Users have a time of their own, whatever files and units take, and leave them theirs. */
static void users(void)
{
	struct name_key key = { .kind = NAME_CGROUP };
	u64 began;
	char *text;
	int i;

	rest();
	takes_ns = 10 * MS;
	unit_takes_ns = 10 * MS;
	ask_all();
	for (i = 0; i < FILES; i++)
		free(ask(&key));
	key.kind = NAME_UID;
	text = ask(&key);
	if (!text || strcmp(text, "root"))
		fail("a user is %s", text);
	free(text);
	rest();
	unit_takes_ns = 10 * MS;
	began = now;
	for (i = 0; i < FILES; i++)
		free(ask(&key));
	if (now - began != SECONDS(NAMER_USERS_BUDGET))
		fail("names of users take %llu ms", (now - began) / MS);
	key.kind = NAME_CGROUP;
	text = ask(&key);
	if (!text || ask_all() != FILES)
		fail("%u of %u files are asked for behind users", nr_asked, FILES);
	free(text);
}

/* Where the directory of users hangs, the others wait for one of them, and then for none. */
static void hung_users(void)
{
	static const enum name_kind kinds[] = { NAME_UID, NAME_USER };
	const struct name_key file = { .kind = NAME_FILE };
	struct name_key key = { };
	u64 began;
	char *text;
	size_t i;

	for (i = 0; i < 2; i++) {
		rest();
		key.kind = kinds[i];
		hangs = true;
		began = now;
		free(ask(&key));
		if (now - began != SECONDS(NAMER_SECONDS))
			fail("a user is waited for %llu ms", (now - began) / MS);
		hangs = false;
		while (now + SECONDS(NAMER_REST) < began + SECONDS(NAMER_USERS_REST)) {
			rest();
			key.kind = kinds[!i];
			text = ask(&key);
			if (text)
				fail("another one is asked for after %llu s", (now - began) / SECONDS(1));
		}
		text = ask(&file);
		if (!text)
			fail("no file is asked for");
		free(text);
		rest();
		text = ask(&key);
		if (!text)
			fail("no user is asked for again");
		free(text);
	}
}

/* A file is what takes long, and the namer still looks for it when it is asked for a user. */
static void hung_file(void)
{
	struct name_key key = { .kind = NAME_FILE };
	char *text;

	rest();
	hangs = true;
	free(ask(&key));
	key.kind = NAME_UID;
	rest();
	hangs = true;
	free(ask(&key));
	rest();
	text = ask(&key);
	if (!text)
		fail("no user is asked for after a file that took long");
	free(text);
}

/* How many of some files, and of the units that they are of, have their names in this pass. */
static void show_all(unsigned int *files, unsigned int *units)
{
	u64 i;

	*files = 0;
	*units = 0;
	nr_asked = 0;
	name_tidy();
	for (i = 0; i < SOME_FILES; i++) {
		*units += *name_unit(1000 + i / (SOME_FILES / UNITS)) == 'u';
		*files += *name_file(8 << 20, 100 + i, 1) == '/';
	}
}

/* Passes as the daemon's, where a file is slow to find the first time. */
static void passes(void)
{
	/* in 5 seconds 500 are found, and some of before are looked up again behind 30 */
	static const unsigned int want[] = { 500, 1000, 1500, 2000, 2000 };
	unsigned int files, units;
	size_t i;
	u64 began;

	rest();
	takes_ns = 10 * MS;
	remembers = true;
	name_stale_after(SECONDS(30));
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		began = now;
		show_all(&files, &units);
		if (files != want[i] || units != SOME_FILES)
			fail("pass %zu names %u files and the units of %u", i, files, units);
		now = began + SECONDS(NAMER_REST);
	}
	/* what nobody was asked for in a rest is not asked for at each IO, but soon */
	now += SECONDS(30);
	hangs = true;
	show_all(&files, &units);
	hangs = false;
	if (nr_asked != 1)
		fail("%u are asked when the namer hangs", nr_asked);
	now += SECONDS(NAMER_REST);
	show_all(&files, &units);
	/* but for the one that was asked for in vain */
	if (nr_asked != SOME_FILES + UNITS - 1)
		fail("%u are asked for behind a rest", nr_asked);
	remembers = false;
}

int main(void)
{
	static const struct test tests[] = {
		TEST(slow_answers), TEST(whiles), TEST(hung_answer), TEST(others), TEST(users),
		TEST(hung_users), TEST(hung_file), TEST(passes),
	};
	int ret;

	if (namer_start())
		abort();
	ret = run_tests("daemon_namer", tests, ARRAY_SIZE(tests));
	namer_stop();
	return ret;
}

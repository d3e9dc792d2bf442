// SPDX-License-Identifier: GPL-2.0
/*
 * How long the daemon waits for the names of files where the namer is slow.  The namer is a child,
 * as where the daemon was started by hand; the time that its answers take is told by a clock of the
 * test.
 */
#include <sys/socket.h>

#include "caps.h"
#include "fake_msg.h"
#include "name.h"
#include "namer.h"
#include "test.h"

/* nobody is there */
#undef NAMER_SOCKET
#define NAMER_SOCKET	"no/namer"

static ssize_t recv_or_time(int fd, void *buf, size_t len, int flags);
#define recv	recv_or_time
#include "../../tools/ioblamed/namer.c"
#undef recv

#define MS		1000000ULL
#define SECONDS(n)	((n) * 1000 * MS)

enum {
	FILES = 65000,		/* whose names a pass asks for */
};

static u64 now = SECONDS(100);
static u64 takes_ns;		/* an answer */
static bool hangs;		/* no answer comes in time */
static unsigned int nr_asked;	/* of the namer */
static char *(*ask)(const struct name_key *key);

/* What waits for an answer.  (In the namer, too, which has no use for the time.) */
static ssize_t recv_or_time(int fd, void *buf, size_t len, int flags)
{
	ssize_t n = recv(fd, buf, len, flags);

	if (fd != to_namer)
		return n;
	nr_asked++;
	now += takes_ns;
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

void name_ask_by(char *(*by)(const struct name_key *key))
{
	ask = by;
}

void name_done(void)
{
}

/* In the namer. */
char *name_ask(const struct name_key *key)
{
	char text[32];

	snprintf(text, sizeof(text), "/file%llu", (u64)key->nr);
	return strdup(text);
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
}

/* So few answers take so long; the others are asked for later, and the watchdog is fed. */
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

int main(void)
{
	static const struct test tests[] = {
		TEST(slow_answers), TEST(whiles), TEST(hung_answer),
	};
	int ret;

	if (namer_start() || !ask)
		abort();
	ret = run_tests("daemon_namer", tests, ARRAY_SIZE(tests));
	namer_stop();
	return ret;
}

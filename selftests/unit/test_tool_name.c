// SPDX-License-Identifier: GPL-2.0
/* Names are looked up at the right time, and their memory is bounded. */
#include "clock.h"
#include "container.h"
#include "name.h"
#include "path.h"
#include "test.h"

/* from the address sanitizer, whose headers gcc may lack */
size_t __sanitizer_get_current_allocated_bytes(void);

static u64 now = 1000000000ULL, asked;
static bool gone;

uint64_t clock_ns(void)
{
	return now;
}

char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	char text[128];

	(void)gen;
	asked++;
	if (gone)
		return NULL;
	snprintf(text, sizeof(text), "/a/folder/of/some/depth/%u/file-%llu", dev, (u64)ino);
	return strdup(text);
}

char *path_of_mount(uint32_t dev)
{
	(void)dev;
	return NULL;
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

/* A forged recording has very many and very long names: some have no room, and are counted. */
static void forged(void)
{
	struct name_key key = { .kind = 0, .dev = 1 << 20 };
	static char text[60001];
	size_t bytes;
	u32 i;

	memset(text, 'a', sizeof(text) - 1);
	name_offline();
	for (i = 0; i < 20000; i++, key.dev++)
		name_put(&key, text);
	if (!name_no_room())
		fail("20,000 names of 60,000 bytes have room");
	bytes = __sanitizer_get_current_allocated_bytes();
	if (bytes > (1ULL << 30) + (16 << 20))
		fail("%zu bytes", bytes);
	key.dev = 1 << 20;
	if (strlen(name_disk(key.dev)) != sizeof(text) - 1)
		fail("the first one is %zu bytes long", strlen(name_disk(key.dev)));
	note("%llu of %u had no room", (u64)name_no_room(), i);
}

int main(void)
{
	static const struct test tests[] = { TEST(when), TEST(kept), TEST(bounded), TEST(forged) };

	return run_tests("tool_name", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Records of the text log get process and cgroup of the file `roles`, however many tasks there are,
 * and reading that file takes a small part of the time.  Clock, signals and `roles` are fakes.
 */
#include <sys/mman.h>

#include "fake_dir.h"
#include "fake_msg.h"
#include "test.h"

#include "along.c"

enum {
	READ_NS = 20000000,	/* what a reading of `roles` takes */
	FIRST_PID = 1000,
	/* more than may be read in a test: it is wrong then */
	READINGS_MOST = 20,
};

static u64 now = 1000000000000ULL, readings;
static unsigned int nr_roles;
static u64 cgroup_of_first;	/* 0: it was not moved */
static int log_fd;
static bool stopped;

/* A task each, of which the first was moved; some have exited */
char *dir_read(const char *name)
{
	unsigned int i;
	size_t len;
	char *text;
	FILE *f;

	now += READ_NS;
	if (strcmp(name, "roles") || ++readings > READINGS_MOST)
		return NULL;
	f = open_memstream(&text, &len);
	fputs("id pid tgid comm cgroup state\n0 - - lost - -\n-7 - - - 4026 alive\n", f);
	for (i = 0; i < nr_roles; i++) {
		fprintf(f, "%u %u %u task %u %s\n", FIRST_PID + i, FIRST_PID + i, FIRST_PID + i / 4,
			7 + i, i % 3 == 1 ? "exited" : i || !cgroup_of_first ? "alive" : "past");
		if (!i && cgroup_of_first)
			fprintf(f, "%u %u %u task %llu alive\n", FIRST_PID, FIRST_PID, FIRST_PID,
				cgroup_of_first);
	}
	fclose(f);
	return text;
}

int dir_open(const char *name, int flags)
{
	(void)name;
	(void)flags;
	return dup(log_fd);
}

uint64_t clock_ns(void)
{
	return now;
}

bool stop_asked(void)
{
	return stopped;
}

bool device_lookup(const char *word, struct device *d)
{
	(void)word;
	(void)d;
	return false;
}

static struct iob_iolog_bin_record record_of(unsigned int pid)
{
	struct iob_iolog_bin_record rec = { .role_kind = ROLE_THREAD, .pid = pid, .comm = "task" };

	now += 1000;
	along_add_role(&rec);
	return rec;
}

static bool is_right(unsigned int i)
{
	struct iob_iolog_bin_record rec = record_of(FIRST_PID + i);

	return rec.tgid == FIRST_PID + i / 4 && rec.cgroup == 7 + i;
}

/* Nothing is remembered, and nothing was read. */
static void begin(unsigned int roles)
{
	now += 1000000000000ULL;
	nr_roles = roles;
	cgroup_of_first = 0;
	readings = 0;
	stopped = false;
}

/* As many as max_roles allows after loading are known, and the file is not read for each. */
static void many_roles(void)
{
	static const unsigned int nr[] = { 3, 16383, 16384, 16385, 65536 };
	unsigned int i, k, wrong;

	for (k = 0; k < ARRAY_SIZE(nr); k++) {
		begin(nr[k]);
		for (i = wrong = 0; i < 2 * nr[k] && readings <= READINGS_MOST; i++)
			wrong += !is_right(i % nr[k]);
		if (wrong || readings != 1)
			fail("%u roles: %u are wrong, and the file is read %llu times", nr[k], wrong,
			     readings);
	}
}

/* Each IO is of another task that is gone: the file is read for one part in 50 of the time. */
static void gone(void)
{
	unsigned int i;
	u64 from;

	begin(10);
	from = now;
	for (i = 0; i < 600000; i++) {
		record_of(10000000 + i);
		now += 10000;
	}
	if (readings * READ_NS > (now - from) / ROLES_PART + ROLES_ADVANCE_NS + 2 * READ_NS)
		fail("%llu ms of %llu ms", readings * READ_NS / 1000000, (now - from) / 1000000);
	if (roles.map.nr > ROLES_MAX)
		fail("%zu are remembered", roles.map.nr);
	note("%llu of %llu ms", readings * READ_NS / 1000000, (now - from) / 1000000);
}

/* A task that begins is known at once; one that was moved or came again, after some time. */
static void changes(void)
{
	begin(10);
	if (!is_right(9) || is_right(10) || is_right(11))
		fail("they are not there yet");
	nr_roles = 12;
	cgroup_of_first = 3;
	if (!is_right(9) || readings != 3)
		fail("the file is read %llu times", readings);
	nr_roles = 13;
	if (!is_right(12) || readings != 4)
		fail("a new task is not known");
	now += ROLES_NS + (ROLES_PART + 1) * (u64)READ_NS;
	if (!is_right(10) || !is_right(11) || record_of(FIRST_PID).cgroup != 3 || readings != 5)
		fail("it is not read anew: %llu", readings);
}

/* A read of the log has an end, and a signal ends it sooner. */
static void ends(void)
{
	static char lines[READ_BYTES];
	struct stream to = { 0 };
	struct along a;
	uint64_t got = 0;
	unsigned int i;

	begin(10);
	memset(lines, '\n', sizeof(lines));
	log_fd = memfd_create("log", 0);
	if (along_open(&a))
		fail("no log");
	for (i = 0; i < 40; i++) {
		if (write(log_fd, lines, sizeof(lines)) != (ssize_t)sizeof(lines))
			fail("no room");
	}
	lseek(log_fd, 0, SEEK_SET);
	if (!along_read(&a, &to, &got) || got != READ_MOST)
		fail("%llu bytes at once", (unsigned long long)got);
	stopped = true;
	got = 0;
	if (!along_read(&a, &to, &got) || got != READ_BYTES)
		fail("%llu bytes after a signal", (unsigned long long)got);
	along_close(&a);
	stream_free(&to);
	close(log_fd);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(many_roles), TEST(gone), TEST(changes), TEST(ends),
	};
	int ret = run_tests("tool_along", tests, ARRAY_SIZE(tests));

	map_clear(&roles.map, free);
	return ret;
}

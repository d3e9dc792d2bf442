// SPDX-License-Identifier: GPL-2.0
/*
 * How much of an interval tasks waited for IO, from sums as the kernel tells them: real threads of
 * this process, whose numbers in /proc and whose time the test makes up.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "fake_msg.h"
#include "file.h"
#include "iowait.h"
#include "test.h"

static uint64_t wall_ns;
static pid_t other;
/* the sums of the first thread and of the other, in ticks; when the other began, and its state */
static unsigned long first_sum, other_sum, other_began;
static char other_state;
static bool other_unseen;

uint64_t clock_boot_ns(void)
{
	return wall_ns;
}

/* /proc/PID/task/TID/stat of this process: a hostile name, and what follows it, from field 3 on. */
char *file_read(const char *path)
{
	unsigned int tid = 0, nr;
	unsigned long value;
	char text[1024], prefix[64];
	size_t len;

	snprintf(prefix, sizeof(prefix), "/proc/%d/task/", getpid());
	if (strncmp(path, prefix, strlen(prefix)) || sscanf(path + strlen(prefix), "%u", &tid) != 1)
		return NULL;
	if (other_unseen && tid == (unsigned int)other)
		return NULL;
	len = (size_t)snprintf(text, sizeof(text), "%u (a) R 7 (b) %c", tid,
			       tid == (unsigned int)other ? other_state : 'S');
	for (nr = 4; nr <= 52; nr++) {
		value = 7;
		if (nr == 22)
			value = tid == (unsigned int)other ? other_began : 100;
		if (nr == 42)
			value = tid == (unsigned int)other ? other_sum : first_sum;
		len += (size_t)snprintf(text + len, sizeof(text) - len, " %lu", value);
	}
	return strdup(text);
}

static pthread_barrier_t barrier;

static void *be_other(void *arg)
{
	(void)arg;
	other = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* Begin with two threads, of which the kernel has sums already. */
static pthread_t begin(bool accumulate)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, be_other, NULL))
		abort();
	pthread_barrier_wait(&barrier);
	/* a tick is 10 ms: 100,000 of them, of which the other thread has lived 10,000 */
	wall_ns = 1000000000000ULL;
	first_sum = 5000;
	other_sum = 300;
	other_began = 90000;
	other_state = 'S';
	other_unseen = false;
	*said = '\0';
	iowait_begin(accumulate);
	return thread;
}

static void end(pthread_t thread)
{
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	iowait_end();
}

/* An interval of @ms ends, in which the sums grew by so much. */
static void turn(unsigned int ms, unsigned long of_first, unsigned long of_other)
{
	wall_ns += ms * 1000000ULL;
	first_sum += of_first;
	other_sum += of_other;
	iowait_turn();
}

/* The share is @want percent, rounded; -1 is unknown. */
static void expect(pid_t id, bool thread, long want)
{
	double percent;
	long share = iowait_share((uint32_t)id, thread, &percent) ? (long)(percent + 0.5) : -1;

	if (share != want)
		fail("%s %d: %ld, not %ld", thread ? "thread" : "process", id, share, want);
}

/* The last message begins with @want; there is none if that is empty. */
static void expect_said(const char *want)
{
	if (strncmp(said, want, strlen(want)) || !*said != !*want)
		fail("it says \"%s\", not \"%s\"", said, want);
}

static void shares_are_of_an_interval(void)
{
	pthread_t thread = begin(false);

	turn(2000, 100, 50);
	expect(getpid(), true, 50);
	expect(other, true, 25);
	expect(getpid(), false, 75);
	turn(1000, 0, 100);
	expect(getpid(), true, 0);
	expect(other, true, 100);
	expect(getpid(), false, 100);
	expect(1, false, -1);
	end(thread);
	expect_said("");
}

static void shares_are_of_all_time(void)
{
	pthread_t thread = begin(true);

	turn(2000, 100, 50);
	turn(2000, 0, 150);
	expect(getpid(), true, 25);
	expect(other, true, 50);
	expect(getpid(), false, 75);
	end(thread);
	expect_said("");
}

/* A wait counts when it ends: a long one is the whole of that interval, and no more. */
static void a_wait_is_longer_than_an_interval(void)
{
	pthread_t thread = begin(false);

	turn(1000, 10, 0);
	turn(1000, 0, 0);
	turn(1000, 0, 0);
	turn(1000, 350, 0);
	expect(getpid(), true, 100);
	expect(getpid(), false, 100);
	turn(1000, 10, 0);
	expect(getpid(), true, 10);
	end(thread);
	expect_said("");
}

static void what_cannot_be_is_unknown(void)
{
	pthread_t thread = begin(false);

	turn(1000, 10, 10);
	turn(1000, 10, 10);
	/* it has ended a wait within the last interval, two seconds ago at most */
	turn(1000, 10, 220);
	expect(other, true, -1);
	expect(getpid(), false, -1);
	expect(getpid(), true, 10);
	turn(1000, 10, 10);
	expect(other, true, 10);
	expect(getpid(), false, 20);
	end(thread);
	expect_said("the kernel counted 1 wait that ");
}

/* The first wait of a task that was there can have begun with the task, and not before. */
static void the_first_wait(void)
{
	pthread_t thread = begin(false);

	turn(1000, 0, 9000);
	expect(other, true, 100);
	end(thread);
	expect_said("");
	thread = begin(false);
	turn(1000, 0, 20000);
	expect(other, true, -1);
	end(thread);
	expect_said("the kernel counted 1 wait that ");
}

/* A task that runs at a look does not wait then. */
static void what_runs_does_not_wait(void)
{
	pthread_t thread = begin(false);

	other_state = 'R';
	turn(1000, 0, 0);
	other_state = 'S';
	turn(1000, 0, 150);
	expect(other, true, -1);
	turn(1000, 0, 0);
	turn(1000, 0, 150);
	expect(other, true, 100);
	end(thread);
}

/* A look that misses a task: its sum is not of the interval. */
static void a_task_is_missed(void)
{
	pthread_t thread = begin(false);

	other_unseen = true;
	turn(1000, 0, 0);
	other_unseen = false;
	turn(1000, 0, 0);
	expect(other, true, -1);
	expect(getpid(), false, -1);
	turn(1000, 0, 50);
	expect(other, true, 50);
	end(thread);
	expect_said("");
}

/* What is shown since the beginning cannot be told any more. */
static void what_cannot_be_stays_unknown_of_all_time(void)
{
	pthread_t thread = begin(true);

	turn(1000, 10, 10);
	turn(1000, 10, 10);
	turn(1000, 10, 100000);
	turn(1000, 10, 10);
	expect(other, true, -1);
	expect(getpid(), false, -1);
	expect(getpid(), true, 10);
	end(thread);
}

/* The number is another task's now, which waited as long as it may have lived. */
static void a_number_is_used_again(void)
{
	pthread_t thread = begin(false);

	turn(1000, 0, 10);
	other_began = 100110;
	other_sum = 0;
	turn(1000, 0, 60);
	expect(other, true, 60);
	other_began = 100250;
	other_sum = 0;
	wall_ns += 5000000;
	turn(1000, 0, 74500);
	expect(other, true, -1);
	/* within the tick in which the last look was */
	other_began = 100300;
	other_sum = 0;
	turn(1000, 0, 10);
	expect(other, true, 10);
	end(thread);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(shares_are_of_an_interval),
		TEST(shares_are_of_all_time),
		TEST(a_wait_is_longer_than_an_interval),
		TEST(what_cannot_be_is_unknown),
		TEST(the_first_wait),
		TEST(what_runs_does_not_wait),
		TEST(a_task_is_missed),
		TEST(what_cannot_be_stays_unknown_of_all_time),
		TEST(a_number_is_used_again),
	};

	return run_tests("tool_iowait", tests, ARRAY_SIZE(tests));
}

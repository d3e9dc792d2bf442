// SPDX-License-Identifier: GPL-2.0
/*
 * Sums that several threads add to, while passes look at what has changed.
 *
 * Threads count IOs as probes do, inside read sections; a reader's pass begins a generation, waits
 * for the sections that run, and takes what has changed.  What it has taken must be all at the
 * end, though it looks at nothing that says it has not changed.
 */
#include <pthread.h>
#include <sched.h>

#include "core/sum.h"
#include "test.h"

enum {
	NR_SUMS	   = 8,
	NR_THREADS = 4,
	NR_IOS	   = 60000,	/* of each thread */
};

static struct iob_sum sums[NR_SUMS];
static unsigned long sections[NR_THREADS];	/* odd: the thread is inside one */
static unsigned int running;			/* threads */
static bool hasty;	/* planted: a change is noted before it is made, and no pass waits */

/* Each slot begins where it says, and the last one has all that is longer. */
static void slots(void)
{
	struct iob_sum_values v;
	struct iob_sum s;
	unsigned int i;

	iob_sum_init(&s, NULL, 0);
	for (i = 0; i < 31; i++) {
		if (iob_sum_slot(1U << i) != i + 1 || iob_sum_slot((1U << i) - 1) != i)
			fail("slot of 2^%u us", i);
		iob_sum_io(&s, 0, 0, 1U << i);
	}
	iob_sum_io(&s, 0, 0, 0);
	iob_sum_read(&s, &v);
	for (i = 0; i < IOB_SUM_SLOTS - 1; i++) {
		if (v.lat[i] != 1)
			fail("slot %u has %u", i, v.lat[i]);
	}
	if (v.lat[i] != 32 - i || v.ios != 32)
		fail("the last slot has %u of %llu", v.lat[i], v.ios);
}

/* Values of any size are put together without loss, and ids never come again. */
static void numbers(void)
{
	struct iob_sum_values a = { .ios = 3 }, v;
	struct iob_sum s, other;
	u64 bytes = 0, ns = 0;
	u32 n, size;

	iob_sum_init(&other, NULL, 0);
	iob_sum_init(&s, NULL, iob_sum_key(IOB_NR_HOWS, 3));
	if (s.id <= other.id || iob_sum_op(&s) != IOB_NR_HOWS || iob_sum_how(&s) != 3)
		fail("id %llu after %llu, key %#x", s.id, other.id, s.key);
	if (!iob_sum_empty(&s))
		fail("a new sum is not empty");
	for (n = 0; n < 100000; n++) {
		size = rnd64() >> (32 + rnd(32));
		bytes += size;
		ns += n;
		iob_sum_io(&s, size, n, rnd64() >> 33);
	}
	iob_sum_part(&s, 77);
	iob_sum_error(&s);
	iob_sum_read(&s, &v);
	iob_sum_add(&s, &v);
	iob_sum_add(&s, &a);
	iob_sum_read(&s, &v);
	if (v.ios != 200003 || v.bytes != 2 * (bytes + 77) || v.ns != 2 * ns || v.errors != 2)
		fail("%llu IOs, %llu bytes, %llu ns, %llu errors", v.ios, v.bytes, v.ns, v.errors);
}

static void *count(void *arg)
{
	unsigned long *section = arg;
	unsigned int n;

	for (n = 0; n < NR_IOS; n++) {
		struct iob_sum *s = &sums[(n * 7 + (section - sections)) % NR_SUMS];

		__atomic_add_fetch(section, 1, __ATOMIC_SEQ_CST);
		if (hasty) {
			iob_sum_changed(s);
			if (n > NR_IOS - 64)
				sched_yield();
			atomic64_inc(&s->ios);
			atomic64_add(512, &s->bytes);
		} else {
			iob_sum_io(s, 512, 1000, n % 100);
		}
		__atomic_add_fetch(section, 1, __ATOMIC_SEQ_CST);
	}
	__atomic_sub_fetch(&running, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* What synchronize_rcu() does. */
static void wait_for_sections(void)
{
	unsigned long was;
	int i;

	for (i = 0; i < NR_THREADS; i++) {
		was = __atomic_load_n(&sections[i], __ATOMIC_SEQ_CST);
		while (was % 2 && __atomic_load_n(&sections[i], __ATOMIC_SEQ_CST) == was)
			sched_yield();
	}
}

/* Take what has changed since generation @from.  Return: the generation that it began. */
static u32 pass(u32 from, u64 *taken)
{
	u32 now = iob_sum_generation + 1;
	int i;

	__atomic_store_n(&iob_sum_generation, now, __ATOMIC_SEQ_CST);
	if (!hasty)
		wait_for_sections();
	for (i = 0; i < NR_SUMS; i++) {
		if ((s32)(READ_ONCE(sums[i].generation) - from) >= 0)
			taken[i] = atomic64_read(&sums[i].bytes);
	}
	return now;
}

/* Return: the bytes that passes have not taken. */
static u64 count_and_pass(unsigned int *passes)
{
	pthread_t threads[NR_THREADS];
	u64 taken[NR_SUMS] = { 0 }, all = 0;
	u32 from = 0;
	int i;

	iob_sum_generation = UINT32_MAX - 100;	/* it wraps around */
	from = iob_sum_generation;
	for (i = 0; i < NR_SUMS; i++)
		iob_sum_init(&sums[i], NULL, 0);
	running = NR_THREADS;
	for (i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, count, &sections[i]);
	for (*passes = 0; __atomic_load_n(&running, __ATOMIC_SEQ_CST); ++*passes)
		from = pass(from, taken);
	for (i = 0; i < NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	pass(from, taken);
	for (i = 0; i < NR_SUMS; i++)
		all += taken[i];
	return (u64)NR_THREADS * NR_IOS * 512 - all;
}

static void passes(void)
{
	unsigned int nr;
	u64 missed = count_and_pass(&nr);

	if (missed)
		fail("%llu bytes are in no pass", missed);
	note("%u of them", nr);
}

/* The same test finds a reader that does not wait. */
static void planted(void)
{
	unsigned int nr, i;
	u64 missed = 0;

	hasty = true;
	for (i = 0; i < 50 && !missed; i++)
		missed = count_and_pass(&nr);
	hasty = false;
	if (!missed)
		fail("nothing is missed in %u runs", i);
	note("%llu bytes missed in run %u", missed, i);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(slots), TEST(numbers), TEST(passes), TEST(planted),
	};

	return run_tests("sum", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Rings against a count, one of them with a writer in another thread; many rings merged by
 * time against a sorted list.
 */
#include <pthread.h>

#include "io/log_merge.h"
#include "io/log_ring.h"
#include "test.h"

#define MANY	200000

static struct iob_log_ring *ring_of(u32 nr)
{
	struct iob_log_ring *ring;

	ring = aligned_alloc(64, (sizeof(*ring) + nr * sizeof(ring->rec[0]) + 63) / 64 * 64);
	memset(ring, 0, sizeof(*ring));
	iob_log_ring_reset(ring, nr);
	return ring;
}

static struct iob_iolog_bin_record rec_of(u64 nr)
{
	struct iob_iolog_bin_record rec;

	memset(&rec, (int)nr, sizeof(rec));
	rec.complete_ns = nr;
	rec.sector = ~nr;
	return rec;
}

static bool is_rec_of(const struct iob_iolog_bin_record *rec, u64 nr)
{
	return rec->complete_ns == nr && rec->sector == ~nr;
}

/* Puts, looks and takes in any order: nr - 1 fit, and come out as they went in. */
static void ring(void)
{
	for (int turn = 0; turn < 50; turn++) {
		u32 nr = 2 + rnd(20);
		struct iob_log_ring *r = ring_of(nr);
		u64 put = 0, taken = 0, seen = 0;

		for (int i = 0; i < 5000; i++) {
			struct iob_iolog_bin_record rec = rec_of(put);
			const struct iob_iolog_bin_record *got;

			switch (rnd(3)) {
			case 0:
				if (iob_log_ring_put(r, &rec) != (put - taken < nr - 1))
					fail("%u places, %llu taken of %llu", nr, taken, put);
				else
					put += put - taken < nr - 1;
				break;
			case 1:
				got = iob_log_ring_look(r);
				seen = put;
				if (!got != (taken == put))
					fail("a look of %llu to %llu", taken, put);
				break;
			default:
				got = iob_log_ring_first(r);
				if (!got != (taken == seen) || (got && !is_rec_of(got, taken)))
					fail("not %llu of %llu", taken, seen);
				if (!got)
					break;
				/* one, or several that lie together */
				if (rnd(2)) {
					taken++;
					got = iob_log_ring_next(r);
				} else {
					u32 run = iob_log_ring_run(r), n = 1 + rnd(run);

					if (run > seen - taken || !is_rec_of(got + run - 1, taken + run - 1))
						fail("%u together of %llu to %llu", run, taken, seen);
					taken += n;
					got = iob_log_ring_skip(r, n);
				}
				if (!got != (taken == seen))
					fail("behind %llu of %llu", taken, seen);
			}
			if (iob_log_ring_has(r) != (taken != put))
				fail("%llu to %llu", taken, put);
		}
		free(r);
	}
}

static void *write_many(void *arg)
{
	struct iob_log_ring *r = arg;

	for (u64 nr = 0; nr < MANY;) {
		struct iob_iolog_bin_record rec = rec_of(nr);

		nr += iob_log_ring_put(r, &rec);
	}
	return NULL;
}

/* A writer and a reader at once. */
static void threads(void)
{
	struct iob_log_ring *r = ring_of(7);
	const struct iob_iolog_bin_record *got;
	pthread_t writer;

	if (pthread_create(&writer, NULL, write_many, r))
		abort();
	for (u64 nr = 0; nr < MANY;) {
		for (got = iob_log_ring_look(r); got; got = iob_log_ring_next(r)) {
			if (!is_rec_of(got, nr))
				fail("%llu is %llu", nr, got->complete_ns);
			nr++;
		}
	}
	pthread_join(writer, NULL);
	free(r);
}

/* Rings of ascending times: merged they are in order, and none is missing. */
static void merge(void)
{
	u32 longest = 0;

	for (int turn = 0; turn < 300; turn++) {
		u32 cpus = 1 + rnd(turn < 290 ? 20 : 600), cpu;
		struct iob_log_merge *m = malloc(sizeof(*m) + cpus * sizeof(m->head[0]));
		u32 *left = malloc(cpus * sizeof(*left));
		u64 *at = malloc(cpus * sizeof(*at));
		u64 last = 0, sum = 0, got = 0;

		m->nr = 0;
		for (cpu = 0; cpu < cpus; cpu++) {
			left[cpu] = rnd(50);
			at[cpu] = rnd(1000);
			sum += left[cpu];
			if (left[cpu])
				iob_log_merge_add(m, cpu, at[cpu]);
		}
		while (m->nr) {
			cpu = m->head[0].cpu;
			if (m->head[0].at < last || m->head[0].at != at[cpu] || !left[cpu])
				fail("%llu of CPU %u after %llu", m->head[0].at, cpu, last);
			last = m->head[0].at;
			at[cpu] += rnd(100);
			got++;
			if (--left[cpu])
				iob_log_merge_renew(m, at[cpu]);
			else
				iob_log_merge_drop(m);
		}
		if (got != sum)
			fail("%llu records of %llu", got, sum);
		longest = max(longest, cpus);
		free(m);
		free(left);
		free(at);
	}
	note("up to %u CPUs", longest);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(ring), TEST(threads), TEST(merge),
	};

	return run_tests("log", tests, ARRAY_SIZE(tests));
}

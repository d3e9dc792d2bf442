// SPDX-License-Identifier: GPL-2.0
/* What is new in sums against plain totals, and rows against the usages that they are of. */
#include "rec.h"
#include "sum_seen.h"
#include "test.h"
#include "usage.h"
#include "usage_by.h"

enum {
	SUMS = 64,
	PASSES = 400,
	GOING = 4000,	/* that come and go in a pass */
};

static void add_ios(struct iob_sum_bin_record *r)
{
	u32 n = 1 + rnd(5), i;

	for (i = 0; i < n; i++)
		r->lat[rnd(IOB_SUM_SLOTS)]++;
	r->ios += n;
	r->bytes += n * 4096;
	r->total_ns += rnd(1 << 30);
	r->errors += rnd(2);
}

/* One pass: some sums have more, some go, some come.  Return: how many records there were. */
static u32 pass(struct sum_seen *seen, struct iob_sum_bin_record *now, struct usage *all,
		struct usage *told, u64 *last_id)
{
	struct iob_sum_bin_record old;
	struct usage delta;
	u32 i, k, nr = 0;

	sum_seen_begin(seen);
	for (i = 0; i < SUMS; i++) {
		if (rnd(3))
			continue;
		old = now[i];
		add_ios(&now[i]);
		now[i].flags = rnd(8) ? 0 : IOB_SUM_GONE;
		all->ios += now[i].ios - old.ios;
		all->bytes += now[i].bytes - old.bytes;
		all->ns += now[i].total_ns - old.total_ns;
		all->errors += now[i].errors - old.errors;
		for (k = 0; k < IOB_SUM_SLOTS; k++)
			all->lat[k] += now[i].lat[k] - old.lat[k];
		if (!sum_seen_add(seen, &now[i], &delta))
			fail("nothing is new in a sum with more IOs");
		usage_merge(told, &delta);
		if (sum_seen_add(seen, &now[i], &delta) || delta.ios || delta.lat[0])
			fail("a record is new for the second time");
		nr++;
		if (now[i].flags & IOB_SUM_GONE) {
			memset(&now[i], 0, sizeof(now[i]));
			now[i].id = ++*last_id;
			/* slots count modulo 2^32 */
			now[i].lat[3] = 0;
		}
	}
	sum_seen_end(seen);
	return nr;
}

static void deltas(void)
{
	struct sum_seen seen = { 0 };
	struct iob_sum_bin_record now[SUMS] = { 0 };
	struct usage all = { 0 }, told = { 0 };
	u64 last_id = SUMS;
	u32 i, nr = 0;

	for (i = 0; i < SUMS; i++)
		now[i].id = i + 1;
	for (i = 0; i < PASSES; i++) {
		nr += pass(&seen, now, &all, &told, &last_id);
		if (seen.sums.nr > SUMS)
			fail("%zu sums are kept of %u that are there", seen.sums.nr, SUMS);
	}
	if (memcmp(&all, &told, sizeof(all)))
		fail("%llu IOs are told of %llu", (u64)told.ios, (u64)all.ios);
	note("%u records, %llu IOs", nr, (u64)all.ios);
	sum_seen_clear(&seen);
}

/* What the module has: each pass many sums come, and go; of the half it does not tell. */
static void unseen(void)
{
	struct sum_seen seen = { 0 };
	struct iob_sum_bin_record now[SUMS] = { 0 }, other;
	u64 id = SUMS, ios = 0, told = 0;
	struct usage delta = { 0 };
	u32 i, k, full = 0;
	size_t most = 0;

	for (i = 0; i < SUMS; i++)
		now[i].id = i + 1;
	for (i = 0; i < 60; i++) {
		sum_seen_begin(&seen);
		for (k = 0; k < SUMS; k++) {
			add_ios(&now[k]);
			sum_seen_add(&seen, &now[k], &delta);
			told += delta.ios;
		}
		for (k = 0; k < GOING; k++) {
			other = (struct iob_sum_bin_record){
				.id = ++id, .ios = 3, .flags = k % 2 ? IOB_SUM_GONE : 0,
			};
			sum_seen_add(&seen, &other, &delta);
			told += delta.ios;
			ios += other.ios;
		}
		sum_seen_end(&seen);
		if (sum_seen_is_stale(&seen)) {
			full++;
			sum_seen_begin(&seen);
			for (k = 0; k < SUMS; k++)
				sum_seen_mark(&seen, &now[k]);
			/* one that was never seen is not known by that */
			sum_seen_mark(&seen, &(struct iob_sum_bin_record){ .id = id + 1 });
			sum_seen_forget_older(&seen);
			if (seen.sums.nr != SUMS)
				fail("%zu sums are kept of %u that are there", seen.sums.nr, SUMS);
		}
		if (seen.sums.nr > most)
			most = seen.sums.nr;
	}
	for (k = 0; k < SUMS; k++)
		ios += now[k].ios;
	if (told != ios)
		fail("%llu IOs are told of %llu", told, ios);
	if (most > SUM_SEEN_SPARE + 2 * SUMS + GOING || !full || full > 10)
		fail("%zu sums are known, after %u passes of all", most, full);
	note("%zu sums at most, %u passes of all", most, full);
	sum_seen_clear(&seen);
}

/* A slot that goes round is no loss, and another session's sums are forgotten. */
static void ends(void)
{
	struct sum_seen seen = { 0 };
	struct iob_sum_bin_record r = { .id = 7, .ios = 5, .lat = { U32_MAX } };
	struct usage delta = { .key.unit = "kept" };

	sum_seen_begin(&seen);
	sum_seen_add(&seen, &r, &delta);
	sum_seen_end(&seen);
	r.ios++;
	r.lat[0]++;
	sum_seen_begin(&seen);
	if (!sum_seen_add(&seen, &r, &delta) || delta.ios != 1 || delta.lat[0] != 1)
		fail("a slot went round");
	if (strcmp(delta.key.unit, "kept"))
		fail("the key is lost");
	sum_seen_end(&seen);
	sum_seen_begin(&seen);
	r.id = 8;
	sum_seen_add(&seen, &r, &delta);
	if (delta.ios != 6)
		fail("a new sum is new as a whole");
	sum_seen_end(&seen);
	sum_seen_forget_older(&seen);
	if (seen.sums.nr != 1)
		fail("%zu sums are left of another session", seen.sums.nr);
	sum_seen_clear(&seen);
	sum_seen_begin(&seen);
	if (!sum_seen_add(&seen, &r, &delta) || delta.ios != 6)
		fail("something is left after all was forgotten");
	sum_seen_clear(&seen);
}

static const char *const words[] = { "", "a", "b" };

/* Whatever rows stand for, they have all IO once, and no two are the same. */
static void rows(void)
{
	struct usage_list list = { .from_ns = 5, .until_ns = 9 }, by = { 0 };
	u64 ios = 0, got;
	size_t i;
	int pivot;

	for (i = 0; i < 3000; i++) {
		struct usage u = { .key = {
			.unit = words[rnd(3)], .program = words[rnd(3)], .user = words[rnd(2)],
			.file = words[rnd(3)], .disk = words[1 + rnd(2)], .why = words[rnd(3)],
			.stack = rnd(3), .uid = rnd(2), .op = rnd(4), .how = rnd(3),
		}, .ios = 1 + rnd(4), .bytes = rnd(1 << 20), .ns = rnd(1 << 20) };

		u.lat[rnd(USAGE_SLOTS)] = u.ios;
		ios += u.ios;
		usage_add(&list, &u);
	}
	usage_add_stack(&list, 1, "x;y");
	for (pivot = 0; pivot < USAGE_PIVOTS; pivot++) {
		usage_by(&by, &list, pivot);
		if (by.from_ns != 5 || by.until_ns != 9 || !by.nr_stacks == (pivot == BY_STACK))
			fail("rows by %s are of another time, or have other stacks",
			     choice_pivots[pivot]);
		usage_sort(&by, rnd(NR_SORTS));
		for (got = 0, i = 0; i < by.nr; i++) {
			got += by.list[i].ios;
			if (i && !usage_compare(&by.list[i].key, &by.list[i - 1].key))
				fail("two rows by %s are the same", choice_pivots[pivot]);
			if (by.list[i].key.how || (pivot != BY_FILE && *by.list[i].key.file))
				fail("a row by %s stands for more", choice_pivots[pivot]);
		}
		if (got != ios)
			fail("rows by %s have %llu IOs of %llu", choice_pivots[pivot], got, ios);
	}
	usage_by(&by, &list, BY_OP);
	if (by.nr != 4)
		fail("%zu rows of 4 operations", by.nr);
	usage_sort(&by, SORT_WRITTEN);
	if (rec_op_letters[by.list[0].key.op] != OP_WRITE)
		fail("writes are not first by written bytes");
	usage_clear(&by);
	usage_clear(&list);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(deltas), TEST(unseen), TEST(ends), TEST(rows),
	};

	return run_tests("tool_sums", tests, ARRAY_SIZE(tests));
}

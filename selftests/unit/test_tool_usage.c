// SPDX-License-Identifier: GPL-2.0
/* Lists of usages against plain sums, and the ends of the slots. */
#include "test.h"
#include "usage.h"
#include "work.h"

static void slots(void)
{
	unsigned int i;

	for (i = 0; i < USAGE_SLOTS; i++) {
		if (usage_slot(usage_slot_low(i)) != i)
			fail("the low end of slot %u is in %u", i, usage_slot(usage_slot_low(i)));
		if (i && usage_slot(usage_slot_low(i) - 1) != i - 1)
			fail("below slot %u is %u", i, usage_slot(usage_slot_low(i) - 1));
	}
	if (usage_slot(0) || usage_slot(999) || usage_slot(70000) != 7)
		fail("short times");
	if (usage_slot(U64_MAX) != USAGE_SLOTS - 1)
		fail("the longest time");
}

static void percentiles(void)
{
	uint64_t lat[USAGE_SLOTS] = { 0 };

	if (usage_percentile(lat, 0.99))
		fail("nothing has a percentile");
	lat[7] = 99;
	lat[20] = 1;
	if (usage_percentile(lat, 0.5) != 128000)
		fail("median %llu", (u64)usage_percentile(lat, 0.5));
	if (usage_percentile(lat, 0.99) != usage_slot_low(21))
		fail("p99 %llu", (u64)usage_percentile(lat, 0.99));
	lat[20] = U32_MAX;
	lat[USAGE_SLOTS - 1] = U32_MAX;
	if (usage_percentile(lat, 1) != usage_slot_low(USAGE_SLOTS - 1))
		fail("the largest is not in the last slot");
}

static const char *const words[] = { "", "a", "b", "a.service", "/var/log/x\\012y" };

static struct usage random_usage(void)
{
	struct usage u = { .key = {
		.unit = words[rnd(5)], .program = words[rnd(5)], .user = words[rnd(2)],
		.file = words[rnd(5)], .disk = words[rnd(2)], .why = words[rnd(2)],
		.stack = rnd(2), .uid = rnd(2), .op = rnd(2), .how = rnd(2),
	} };

	u.ios = 1 + rnd(9);
	u.bytes = rnd(1 << 20);
	u.ns = rnd(1 << 30);
	u.errors = rnd(2);
	u.lat[rnd(USAGE_SLOTS)] = u.ios;
	return u;
}

/* Each usage is found again, in one list and in two that are added. */
static void lists(void)
{
	struct usage_list one = { 0 }, two = { 0 };
	u64 ios = 0, bytes = 0, got = 0, got_bytes = 0;
	unsigned int i, k;

	note("seed %llu", seed());
	for (i = 0; i < 3000; i++) {
		struct usage u = random_usage();

		memset((char *)&u.key + 62, rnd(256), 2);	/* padding means nothing */
		ios += u.ios;
		bytes += u.bytes;
		usage_add(i % 2 ? &one : &two, &u);
	}
	one.from_ns = 50;
	one.until_ns = 60;
	two.from_ns = 40;
	two.until_ns = 50;
	two.lost_ios = 3;
	usage_add_list(&one, &two);
	usage_clear(&two);
	if (one.from_ns != 40 || one.until_ns != 60 || one.lost_ios != 3)
		fail("the time or the losses of two lists");
	for (i = 0; i < one.nr; i++) {
		u64 lat = 0;

		got += one.list[i].ios;
		got_bytes += one.list[i].bytes;
		for (k = 0; k < USAGE_SLOTS; k++)
			lat += one.list[i].lat[k];
		if (lat != one.list[i].ios)
			fail("%llu of %llu IOs are in the histogram", lat, (u64)one.list[i].ios);
		for (k = 0; k < i; k++) {
			if (!usage_compare(&one.list[i].key, &one.list[k].key))
				fail("two usages have one key");
		}
	}
	if (got != ios || got_bytes != bytes)
		fail("%llu IOs of %llu bytes, not %llu of %llu", got, got_bytes, ios, bytes);
	usage_clear(&one);
	usage_clear(&one);
}

/* The list has its own texts; those of one key are the same pointers. */
static void texts(void)
{
	struct usage_list list = { 0 };
	char unit[] = "x.service";
	struct usage u = { .key = { unit, "p", NULL, NULL, "sda", "data", 0, 0, 1, 0 } };

	u.ios = 1;
	usage_add(&list, &u);
	unit[0] = 'y';
	usage_add(&list, &u);
	if (list.nr != 2 || strcmp(list.list[0].key.unit, "x.service"))
		fail("the text is the caller's");
	if (strcmp(list.list[1].key.user, "") || list.list[0].key.disk != list.list[1].key.disk)
		fail("the texts are not kept once");
	usage_add_stack(&list, 0, "none");
	usage_add_stack(&list, 7, "a;b");
	usage_add_stack(&list, 7, "c");
	if (list.nr_stacks != 1 || strcmp(list.stack[0].text, "a;b"))
		fail("stacks");
	usage_clear(&list);
}

static void order(void)
{
	unsigned int i;

	for (i = 0; i < 2000; i++) {
		struct usage a = random_usage(), b = random_usage(), c = random_usage();

		if (usage_compare(&a.key, &a.key))
			fail("a key differs from itself");
		if ((usage_compare(&a.key, &b.key) > 0) != (usage_compare(&b.key, &a.key) < 0))
			fail("the order depends on the side");
		if (usage_compare(&a.key, &b.key) <= 0 && usage_compare(&b.key, &c.key) <= 0 &&
		    usage_compare(&a.key, &c.key) > 0)
			fail("the order goes round");
	}
}

/* A day of a fast disk: a slot holds more than 2^32, and a percentile stays where it is. */
static void limits(void)
{
	struct usage a = { .lat = { [7] = 3000000000, [14] = 25000000 } }, b = a;

	usage_merge(&a, &b);
	if (a.lat[7] != 6000000000ULL || a.lat[14] != 50000000)
		fail("slots %llu and %llu", (u64)a.lat[7], (u64)a.lat[14]);
	if (usage_percentile(a.lat, 0.99) != usage_slot_low(8))
		fail("p99 %llu", (u64)usage_percentile(a.lat, 0.99));
	if (!usage_hash("") || usage_hash("a") == usage_hash("b"))
		fail("hash");
}

/* Long names of files: the list's texts are bounded, and its sums are complete. */
static void within(void)
{
	struct usage_list list = { 0 };
	static char name[1024];
	u64 ios = 0, lost = 0, others = 0;
	unsigned int i;
	size_t k;

	memset(name, 'n', sizeof(name) - 1);
	for (i = 0; i < 2000; i++) {
		struct usage u = { .key = { .unit = "a", .file = i % 10 ? name : "" }, .ios = 1 };

		sprintf(name + 1000, "%u", i);
		u.key.stack = i % 10 == 1;
		lost += !usage_add_within(&list, &u, 1 << 20);
	}
	for (k = 0; k < list.nr; k++) {
		ios += list.list[k].ios;
		others += strcmp(list.list[k].key.file, USAGE_OTHERS) ? 0 : list.list[k].ios;
	}
	if (list.text_bytes > (1 << 20) + 4096)
		fail("%zu bytes", list.text_bytes);
	if (ios != 2000 || !lost || others != lost)
		fail("%llu IOs, %llu of others, and %llu were said", ios, others, lost);
	usage_clear(&list);
	if (list.text_bytes)
		fail("an empty list has texts");
}

/* Each disk once, with all of its time, in the order in which they came. */
static void busy_disks(void)
{
	struct usage_list list = { 0 }, all = { 0 };
	u64 ms[300] = { 0 };
	char name[16];
	unsigned int i, d, k;

	note("seed %llu", seed());
	for (i = 0; i < 3000; i++) {
		d = i < 300 ? i : rnd(300);
		k = rnd(1000);
		sprintf(name, "sd%u", d);
		ms[d] += k;
		usage_add_busy(&list, name, k);
	}
	usage_add_busy(&all, "sd7", 5);
	ms[7] += 5;
	usage_add_list(&all, &list);
	usage_clear(&list);
	if (all.nr_busy != 300 || strcmp(all.busy[0].disk, "sd7"))
		fail("%zu disks, of which %s is the first", all.nr_busy, all.busy[0].disk);
	for (i = 0; i < all.nr_busy && i < 300; i++) {
		d = strtoul(all.busy[i].disk + 2, NULL, 10);
		if (all.busy[i].ms != ms[d])
			fail("sd%u has %llu ms, not %llu", d, (u64)all.busy[i].ms, ms[d]);
		if (i && d != i - (i <= 7))
			fail("sd%u is at %u", d, i);
	}
	usage_clear(&all);
	if (all.nr_busy || all.busy_places.nr)
		fail("an empty list has busy disks");
}

static void add_busy_disks(unsigned int disks)
{
	struct usage_list list = { 0 };
	unsigned int i;
	char name[16];

	for (i = 0; i < 2 * disks; i++) {
		sprintf(name, "sd%04u", i % disks);
		usage_add_busy(&list, name, 1);
	}
	usage_clear(&list);
}

static void many_busy(void)
{
	work_is_linear("busy disks", add_busy_disks);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(slots), TEST(percentiles), TEST(lists), TEST(texts), TEST(order),
		TEST(limits), TEST(within), TEST(busy_disks), TEST(many_busy),
	};

	return run_tests("tool_usage", tests, ARRAY_SIZE(tests));
}

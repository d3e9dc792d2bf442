// SPDX-License-Identifier: GPL-2.0
/* Points against plain sums of a past that this test has itself. */
#include "fake_history.h"
#include "history.h"
#include "points.h"
#include "test.h"
#include "work.h"

enum {
	SPANS = 6,
	USAGES = 12000,
	BUSY = 6000,
	RULES = 5,
};

/* The past: of span i, usage[] up to end[i], and busy[] up to busy_end[i] */
static struct usage usage[USAGES];
static struct usage_busy busy[BUSY];
static size_t end[SPANS], busy_end[SPANS];
static unsigned int nr_spans;

static struct opts opts;
static struct points points;

int history_open(struct past *past, const struct opts *o)
{
	(void)o;
	memset(past, 0, sizeof(*past));
	return 0;
}

bool history_wants(const struct opts *o, const struct usage_key *key)
{
	(void)o;
	return strcmp(key->unit, "unwanted") != 0;
}

/* The last of three is an hour. */
static struct past_span span_of(unsigned int i)
{
	return (struct past_span){
		.id = i + 1, .level = i % 3 == 2 ? PAST_HOUR : PAST_MINUTE,
		.from_ns = i * 60000000000LL, .until_ns = (i + 1) * 60000000000LL,
	};
}

int past_each(struct past *past, int64_t from_ns, int64_t until_ns, past_fn one, void *arg)
{
	struct past_span span;
	size_t u = 0, b = 0;
	unsigned int i;

	(void)from_ns;
	(void)until_ns;
	for (i = 0; i < nr_spans; i++) {
		span = span_of(i);
		for (; b < busy_end[i]; b++)
			past->busy(&span, busy[b].disk, busy[b].ms, arg);
		for (; u < end[i]; u++)
			one(&usage[u], &span, arg);
	}
	return 0;
}

void past_close(struct past *past)
{
	(void)past;
}

/* What a program has of a disk, by which it is named: of a what, or of a rule */
static uint64_t share(const struct usage *u, int what, const struct rule *rule)
{
	if (rule)
		return rule->what == RULE_ERRORS ? u->errors : rule->what == RULE_BYTES ? u->bytes :
		       rule->what == RULE_IOS ? u->ios : u->ns;
	return what == WHEN_ERRORS ? u->errors : what == WHEN_BUSY ? u->bytes : u->ns;
}

/* Whether it counts for a disk, and of one program if that is not NULL. */
static bool is_of(const struct usage *u, const char *disk, const struct rule *rule,
		  const char *program)
{
	return history_wants(&opts, &u->key) && !strcmp(u->key.disk, disk) &&
	       (!rule || rule_wants(rule, &u->key)) &&
	       (!program || !strcmp(u->key.program, program));
}

static struct usage sum(size_t from, size_t to, const char *disk, const struct rule *rule,
			const char *program)
{
	struct usage all = { 0 };

	for (; from < to; from++) {
		if (is_of(&usage[from], disk, rule, program))
			usage_merge(&all, &usage[from]);
	}
	return all;
}

/* The program that has most; of those that have as much, the one that came first. */
static const char *who_of(size_t from, size_t to, const char *disk, int what,
			  const struct rule *rule)
{
	const char *who = NULL;
	uint64_t most = 0, n;
	struct usage all;
	size_t i;

	for (i = from; i < to; i++) {
		if (!is_of(&usage[i], disk, rule, NULL))
			continue;
		all = sum(from, to, disk, rule, usage[i].key.program);
		n = share(&all, what, rule);
		if (n > most) {
			most = n;
			who = usage[i].key.program;
		}
	}
	return who;
}

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static uint64_t busy_of(unsigned int span, const char *disk)
{
	size_t i;
	uint64_t ms = 0;

	for (i = span ? busy_end[span - 1] : 0; i < busy_end[span]; i++)
		ms += strcmp(busy[i].disk, disk) ? 0 : busy[i].ms;
	return ms;
}

/* What failed of each program, in the order in which they came. */
static void check_failures(const struct when_failures *f, size_t from, size_t to,
			   const char *disk, const struct rule *rule)
{
	size_t i, k, nr = 0;
	struct usage all;

	for (i = from; i < to; i++) {
		if (!is_of(&usage[i], disk, rule, NULL))
			continue;
		for (k = from; k < i; k++) {
			if (is_of(&usage[k], disk, rule, usage[i].key.program))
				break;
		}
		all = sum(from, to, disk, rule, usage[i].key.program);
		if (k < i || !all.errors || (rule && rule->what != RULE_ERRORS))
			continue;
		if (nr >= f->nr || strcmp(f->list[nr].program, usage[i].key.program) ||
		    f->list[nr].errors != all.errors)
			fail("what failed of %s on %s", usage[i].key.program, disk);
		nr++;
	}
	if (nr != f->nr)
		fail("%zu programs failed, not %zu", f->nr, nr);
}

static void check_rules(const struct when_point *p, size_t from, size_t to, uint64_t ms)
{
	const struct rule *rule;
	struct usage all;
	uint64_t value;
	size_t i;

	for (i = 0; i < RULES; i++) {
		rule = &points.rules[i];
		all = sum(from, to, p->disk, rule, NULL);
		value = rule_value(rule->what, &(struct rule_sums){
			.ios = all.ios, .bytes = all.bytes, .ns = all.ns, .errors = all.errors,
			.busy_ms = ms, .span_ns = p->until_ns - p->from_ns, .lat = all.lat,
		});
		if (p->ruled[i].value != (rule_wants_disk(rule, p->disk) ? value : 0))
			fail("rule %zu of %s has another value", i, p->disk);
		if (!is_same(p->ruled[i].who, who_of(from, to, p->disk, 0, rule)))
			fail("rule %zu of %s names %s", i, p->disk, p->ruled[i].who);
		check_failures(&p->ruled[i].failures, from, to, p->disk, rule);
	}
}

static void check_point(const struct when_point *p, unsigned int span, const char *disk)
{
	size_t from = span ? end[span - 1] : 0, to = end[span];
	struct usage all = sum(from, to, disk, NULL, NULL);
	uint64_t ms = busy_of(span, disk), used = ms * 10000 / 60000;
	struct past_span s = span_of(span);
	int what;

	if (strcmp(p->disk, disk))
		fail("the point is of %s, not of %s", p->disk, disk);
	if (p->from_ns != s.from_ns || p->until_ns != s.until_ns || p->level != s.level)
		fail("a point of another time");
	if (p->ios != all.ios || p->bytes != all.bytes || p->errors != all.errors ||
	    p->p99_ns != usage_percentile(all.lat, 0.99))
		fail("%s in span %u did something else", disk, span);
	if (p->used != (used < 10000 ? used : 10000) ||
	    p->used_known != (busy_end[span] > (span ? busy_end[span - 1] : 0)))
		fail("%s in span %u was used %llu", disk, span, (u64)p->used);
	for (what = 0; what < NR_WHEN; what++) {
		if (!is_same(p->who[what], who_of(from, to, disk, what, NULL)))
			fail("%s in span %u by %s", disk, span, p->who[what]);
	}
	check_failures(&p->failures, from, to, disk, NULL);
	check_rules(p, from, to, ms);
}

/* Each disk of a span once: those that did something, and then those that were busy alone. */
static void check_points(void)
{
	const struct when_point *p = points.point, *first;
	size_t u = 0, b = 0;
	unsigned int i;
	const char *disk;

	for (i = 0; i < nr_spans; i++) {
		for (first = p; u < end[i] || b < busy_end[i];) {
			const struct when_point *seen = first;

			if (u < end[i] && !history_wants(&opts, &usage[u].key)) {
				u++;
				continue;
			}
			disk = u < end[i] ? usage[u++].key.disk : busy[b++].disk;
			while (seen < p && strcmp(seen->disk, disk))
				seen++;
			if (seen < p)
				continue;
			if (p == points.point + points.nr) {
				fail("%s has no point in span %u", disk, i);
				return;
			}
			check_point(p++, i, disk);
		}
	}
	if (p != points.point + points.nr)
		fail("%zu points, not %zu", points.nr, (size_t)(p - points.point));
	for (i = 1; i < points.nr; i++) {
		for (p = points.point; p < points.point + i; p++) {
			if (p->disk != points.point[i].disk &&
			    !strcmp(p->disk, points.point[i].disk))
				fail("two texts of %s", p->disk);
		}
	}
}

static struct usage random_usage(const char *const *disks, unsigned int nr)
{
	static const char *const programs[] = { "cat", "dd", "tar", "" };
	static const char *const units[] = { "a.service", "b.service", "unwanted" };
	struct usage u = { .key = {
		.unit = units[rnd(20) ? rnd(2) : 2], .program = programs[rnd(4)], .user = "root",
		.file = "/a", .disk = disks[rnd(nr)], .why = "data", .uid = 0, .op = rnd(5),
	} };

	/* programs often have as much */
	u.ios = 1 + rnd(2);
	u.bytes = rnd(3) * 4096;
	u.ns = rnd(3) * 1000000;
	u.errors = !rnd(3);
	u.lat[rnd(USAGE_SLOTS)] = u.ios;
	return u;
}

static void fill_random(void)
{
	static const char *const disks[] = { "sda", "sdb", "sdc", "md/0", "", "nvme0n1", "dm-3" };
	size_t u = 0, b = 0, until;
	unsigned int i;

	nr_spans = SPANS;
	for (i = 0; i < SPANS; i++) {
		until = u + (rnd(4) ? rnd(60) : 0);
		for (; u < until; u++)
			usage[u] = random_usage(disks, 7 - rnd(3));
		until = b + (rnd(3) ? rnd(9) : 0);
		for (; b < until; b++)
			busy[b] = (struct usage_busy){ disks[rnd(7)], rnd(40000) };
		end[i] = u;
		busy_end[i] = b;
	}
}

static void oracle(void)
{
	static const char *const rules[RULES] = {
		"util > 50%", "errors > 1 on sd*", "read p99 > 1ms of unit a*", "bytes/s > 10",
		"write|flush ios/s > 1 of program cat",
	};
	unsigned int round, nr = 0;
	size_t i;

	memset(&opts, 0, sizeof(opts));
	opts.nr_rules = RULES;
	for (i = 0; i < RULES; i++)
		opts.rule[i] = rules[i];
	for (round = 0; round < 10; round++) {
		fill_random();
		if (points_read(&points, &opts))
			fail("it cannot be read");
		check_points();
		nr += points.nr;
		points_free(&points);
	}
	if (nr < 100)
		fail("only %u points", nr);
	note("seed %llu, %u points", seed(), nr);
}

/* Two programs of each disk, in each of two spans, and all disks are busy. */
static void read_disks(unsigned int disks)
{
	static char name[1000][8];
	unsigned int i;

	nr_spans = 2;
	for (i = 0; i < nr_spans * disks * 2; i++) {
		sprintf(name[i % disks], "sd%04u", i % disks);
		usage[i] = (struct usage){ .key = {
			.unit = "a", .program = i / disks % 2 ? "dd" : "tar", .user = "",
			.file = "", .disk = name[i % disks], .why = "",
		}, .ios = 1, .bytes = 4096, .ns = 1000, .errors = 1, .lat = { [7] = 1 } };
	}
	for (i = 0; i < nr_spans * disks; i++)
		busy[i] = (struct usage_busy){ name[i % disks], 1000 };
	for (i = 0; i < nr_spans; i++) {
		end[i] = (i + 1) * disks * 2;
		busy_end[i] = (i + 1) * disks;
	}
	if (points_read(&points, &opts) || points.nr != 2 * disks)
		fail("%u disks have %zu points", disks, points.nr);
	points_free(&points);
}

static void many_disks(void)
{
	memset(&opts, 0, sizeof(opts));
	opts.nr_rules = 2;
	opts.rule[0] = "p99 > 1ms";
	opts.rule[1] = "util > 50%";
	work_is_linear("points", read_disks);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(oracle), TEST(many_disks),
	};

	return run_tests("tool_points", tests, ARRAY_SIZE(tests));
}

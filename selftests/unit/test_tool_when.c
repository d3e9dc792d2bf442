// SPDX-License-Identifier: GPL-2.0
/* What stands out among points, and what does not. */
#include "test.h"
#include "when.h"
#include "work.h"

#define MINUTE	60000000000LL
#define MS	1000000ULL

static struct when_point point[20000];
static struct when_moment *moments;
static size_t nr;
static struct rule rule[2];
static struct when_ruled ruled[1000][2];
static size_t nr_rules;
static struct when_failed failed[40000];
static size_t nr_failed;

/* A night of minutes on two disks, about 2 ms and 1 MiB/s */
static void fill(size_t points)
{
	size_t i;

	nr = points;
	nr_rules = 0;
	memset(ruled, 0, sizeof(ruled));
	for (i = 0; i < nr; i++)
		point[i] = (struct when_point){
			.from_ns = i / 2 * MINUTE, .until_ns = (i / 2 + 1) * MINUTE,
			.disk = i % 2 ? "sda" : "sdb", .level = 1, .ios = 1000,
			.bytes = 60 << 20, .p99_ns = (1 + rnd(3)) * MS,
			.who = { "e", "s", "b", "u" }, .ruled = ruled[i],
		};
}

static size_t judge(void)
{
	free(moments);
	moments = NULL;
	return when_judge(point, nr, rule, nr_rules, &moments);
}

static void quiet(void)
{
	fill(400);
	if (judge())
		fail("something stands out of a quiet night");
	fill(0);
	if (judge() || moments)
		fail("something stands out of nothing");
}

static void slow(void)
{
	fill(400);
	point[101].p99_ns = 60 * MS;
	point[103].p99_ns = 90 * MS;
	point[103].who[WHEN_SLOW] = "tar";
	point[105].p99_ns = 70 * MS;
	point[301].p99_ns = 80 * MS;
	if (judge() != 2) {
		fail("not two moments");
		return;
	}
	if (moments[0].what != WHEN_SLOW || strcmp(moments[0].disk, "sda") ||
	    moments[0].from_ns != 50 * MINUTE || moments[0].until_ns != 53 * MINUTE ||
	    moments[0].value != 90 * MS || strcmp(moments[0].who, "tar") ||
	    moments[0].usual < MS || moments[0].usual > 3 * MS)
		fail("three minutes are not one moment");
	if (moments[1].from_ns != 150 * MINUTE || strcmp(moments[1].who, "s"))
		fail("the second moment is another one");
}

/* Four times the usual is not enough below 10 ms, nor of a few IOs. */
static void not_slow(void)
{
	fill(400);
	point[100].p99_ns = 9 * MS;
	point[200].p99_ns = 500 * MS;
	point[200].ios = WHEN_LEAST_IOS - 1;
	if (judge())
		fail("it is slow");
	/* too few to know what is usual */
	fill(2 * WHEN_LEAST_POINTS - 2);
	point[3].p99_ns = 500 * MS;
	if (judge())
		fail("nothing is usual, and something stands out");
	/* another kind of disk is not compared */
	fill(400);
	for (nr = 0; nr < 400; nr++) {
		if (nr % 2)
			point[nr].p99_ns = 50 * MS;
	}
	if (judge())
		fail("a disk that is always slow stands out");
	/* nor is an hour with minutes */
	fill(400);
	point[50].level = 2;
	point[50].p99_ns = 500 * MS;
	if (judge())
		fail("an hour is compared with minutes");
}

static void busy(void)
{
	fill(400);
	point[100].bytes = 60ULL * (9 << 20);
	point[102].bytes = 60ULL * (7 << 20);
	if (judge() != 1 || moments[0].what != WHEN_BUSY || moments[0].value != 9 << 20 ||
	    moments[0].usual != 1 << 20 || moments[0].from_ns != 50 * MINUTE)
		fail("nine times the usual bytes are no moment");
}

static void errors(void)
{
	fill(4);
	point[1].errors = 1;
	point[3].errors = 2;
	if (judge() != 1 || moments[0].what != WHEN_ERRORS || moments[0].value != 3 ||
	    moments[0].until_ns != 2 * MINUTE || strcmp(moments[0].who, "e"))
		fail("errors do not add up");
	fill(4);
	point[0].errors = 1;
	point[1].errors = 1;
	if (judge() != 2)
		fail("errors of two disks are one moment");
	free(moments);
	moments = NULL;
}

static void add_failed(struct when_failures *to, const char *program, u64 errors)
{
	if (!to->nr)
		to->list = &failed[nr_failed];
	failed[nr_failed++] = (struct when_failed){ program, errors };
	to->nr++;
}

/* Who failed most in all minutes, who need not be the one of any; of several, who came first. */
static void who_failed(void)
{
	static const struct {
		const char *programs[3];	/* an IO of each letter failed in this minute */
		const char *who[3], *most;
	} cases[] = {
		{ { "d", "tttt", "d" }, { "d", "t", "d" }, "t" },
		{ { "dddttt", "cccttc", "" }, { "d", "c" }, "t" },
		{ { "dt", "ct", "ccc" }, { "d", "c", "c" }, "c" },
		{ { "dtt", "d", "" }, { "t", "d" }, "d" },
	};
	static const char *const programs[] = { "d", "t", "c" };
	size_t i, k, n;
	const char *at;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		fill(6);
		nr_failed = 0;
		nr_rules = 1;
		rule_parse(&rule[0], "errors > 0");
		for (k = 0; k < 3; k++) {
			struct when_point *p = &point[2 * k + 1];

			p->errors = strlen(cases[i].programs[k]);
			p->who[WHEN_ERRORS] = cases[i].who[k];
			ruled[2 * k + 1][0] = (struct when_ruled){ p->errors, cases[i].who[k] };
			for (n = 0; n < ARRAY_SIZE(programs); n++) {
				u64 nr = 0;

				for (at = cases[i].programs[k]; *at; at++)
					nr += *at == *programs[n];
				if (nr)
					add_failed(&p->failures, programs[n], nr);
			}
			ruled[2 * k + 1][0].failures = p->failures;
		}
		if (judge() != 2 || strcmp(moments[0].who, cases[i].most) ||
		    strcmp(moments[1].who, cases[i].most))
			fail("case %zu: of %s", i, moments[0].who);
	}
	free(moments);
	moments = NULL;
}

/* Busy for 97 % of the time stands out where 12 % are usual, or nothing; not where 60 % are. */
static void used(void)
{
	size_t i;

	fill(400);
	for (i = 0; i < nr; i++) {
		point[i].used = i % 2 ? 1000 + rnd(400) : 6000;
		point[i].used_known = true;
	}
	point[100].used = 9700;
	point[101].used = 9700;
	point[201].used = 8900;
	if (judge() != 1 || moments[0].what != WHEN_USED || moments[0].value != 9700 ||
	    moments[0].usual < 1000 || moments[0].usual > 1400 || strcmp(moments[0].disk, "sda") ||
	    strcmp(moments[0].who, "u"))
		fail("97 %% of the time are no moment");
	for (i = 0; i < nr; i++)
		point[i].used = i == 100 ? 9100 : 0;
	if (judge() != 1 || moments[0].what != WHEN_USED || strcmp(moments[0].disk, "sdb"))
		fail("a disk that has nothing to do is not known as such");
	for (i = 0; i < nr; i++)
		point[i].used_known = false;
	if (judge())
		fail("what is not known stands out");
}

/* A rule is above its limit or not; rules do not mix, and their errors add up. */
static void rules(void)
{
	fill(400);
	nr_rules = 2;
	if (rule_parse(&rule[0], "a: p99 > 50ms") || rule_parse(&rule[1], "errors > 2"))
		fail("the rules are none");
	ruled[100][0] = (struct when_ruled){ 51 * MS, "x" };
	ruled[102][0] = (struct when_ruled){ 70 * MS, "y" };
	ruled[102][1] = (struct when_ruled){ 3, "z" };
	ruled[103][1] = (struct when_ruled){ 3, "z" };
	ruled[104][0] = (struct when_ruled){ 50 * MS, "x" };
	ruled[104][1] = (struct when_ruled){ 4, "z" };
	ruled[106][1] = (struct when_ruled){ 2, "z" };
	if (judge() != 3) {
		fail("there are not three moments");
		return;
	}
	if (moments[0].what != WHEN_RULE || moments[0].rule != &rule[0] ||
	    moments[0].from_ns != 50 * MINUTE || moments[0].until_ns != 52 * MINUTE ||
	    moments[0].value != 70 * MS || strcmp(moments[0].who, "y"))
		fail("two minutes above the limit are not one moment");
	if (moments[1].rule != &rule[1] || strcmp(moments[1].disk, "sdb") ||
	    moments[1].value != 7 || moments[1].until_ns != 53 * MINUTE)
		fail("errors of a rule do not add up");
	if (moments[2].rule != &rule[1] || strcmp(moments[2].disk, "sda") ||
	    moments[2].value != 3)
		fail("two disks are one moment");
	/* one rule in a minute, the other in the next */
	memset(ruled, 0, sizeof(ruled));
	ruled[200][0] = (struct when_ruled){ 51 * MS, "x" };
	ruled[202][1] = (struct when_ruled){ 3, "z" };
	if (judge() != 2)
		fail("two rules are one moment");
	free(moments);
	moments = NULL;
}

/* What is said of a point, word for word: how large it is, when it is known, what stands out. */
static u64 oracle_value(const struct when_point *p, int what)
{
	s64 ms = (p->until_ns - p->from_ns) / (s64)MS;

	if (what == WHEN_ERRORS)
		return p->errors;
	if (what == WHEN_SLOW)
		return p->ios < WHEN_LEAST_IOS ? 0 : p->p99_ns;
	if (what == WHEN_USED)
		return p->used;
	return ms ? p->bytes * 1000 / ms : 0;
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static u64 oracle_usual(size_t of, int what)
{
	u64 value[ARRAY_SIZE(ruled)];
	size_t i, n = 0;

	for (i = 0; i < nr; i++) {
		if (point[i].disk != point[of].disk || point[i].level != point[of].level)
			continue;
		if (what == WHEN_USED ? point[i].used_known : oracle_value(&point[i], what) != 0)
			value[n++] = oracle_value(&point[i], what);
	}
	if (what == WHEN_ERRORS || n < WHEN_LEAST_POINTS)
		return 0;
	qsort(value, n, sizeof(*value), compare);
	return value[n / 2] || what != WHEN_USED ? value[n / 2] : 1;
}

static bool oracle_stands_out(int what, u64 value, u64 usual)
{
	static const struct { u64 least, times; } is[] = {
		[WHEN_SLOW] = { 10 * MS, 4 }, [WHEN_BUSY] = { 1 << 20, 8 },
		[WHEN_USED] = { 9000, 2 },
	};

	if (what == WHEN_ERRORS)
		return value;
	return usual && value >= is[what].least && value >= is[what].times * usual;
}

static struct when_moment expected[20000];
static size_t nr_expected;

/* What failed of a program in a moment, once for each minute */
static struct {
	size_t moment;
	struct when_failed what;
} failures[40000];
static size_t nr_failures;

static void expect_failures(size_t moment, const struct when_failures *f)
{
	size_t i;

	for (i = 0; i < f->nr; i++) {
		failures[nr_failures].moment = moment;
		failures[nr_failures++].what = f->list[i];
	}
}

static u64 failed_of(size_t moment, const char *program)
{
	u64 errors = 0;
	size_t i;

	for (i = 0; i < nr_failures; i++) {
		if (failures[i].moment == moment && failures[i].what.program == program)
			errors += failures[i].what.errors;
	}
	return errors;
}

/* Of a moment in which IO failed: who has most in all of it; of several, who came first. */
static void expect_who(size_t moment)
{
	u64 most = 0, errors;
	size_t i;

	for (i = 0; i < nr_failures; i++) {
		errors = failures[i].moment == moment ?
			 failed_of(moment, failures[i].what.program) : 0;
		if (errors > most) {
			most = errors;
			expected[moment].who = failures[i].what.program;
		}
	}
}

static void expect(const struct when_moment *m, const struct when_failures *f)
{
	struct when_moment *b = NULL;
	size_t i;

	for (i = 0; i < nr_expected; i++) {
		if (expected[i].disk == m->disk && expected[i].what == m->what &&
		    expected[i].rule == m->rule)
			b = &expected[i];
	}
	if (!b || b->until_ns != m->from_ns) {
		expect_failures(nr_expected, f);
		expected[nr_expected++] = *m;
		return;
	}
	expect_failures(b - expected, f);
	b->until_ns = m->until_ns;
	if (m->what == WHEN_ERRORS || (m->rule && m->rule->what == RULE_ERRORS)) {
		b->value += m->value;
	} else if (m->value > b->value) {
		b->value = m->value;
		b->who = m->who;
	}
}

static void expect_all(void)
{
	static const struct when_failures none;
	struct when_moment m;
	size_t i, k;
	int what;

	nr_expected = 0;
	nr_failures = 0;
	for (i = 0; i < nr; i++) {
		m = (struct when_moment){ .from_ns = point[i].from_ns,
			.until_ns = point[i].until_ns, .disk = point[i].disk };
		for (what = 0; what < NR_WHEN; what++) {
			m.what = what;
			m.who = point[i].who[what];
			m.value = oracle_value(&point[i], what);
			m.usual = oracle_usual(i, what);
			if (oracle_stands_out(what, m.value, m.usual))
				expect(&m, what == WHEN_ERRORS ? &point[i].failures : &none);
		}
		m.what = WHEN_RULE;
		m.usual = 0;
		for (k = 0; k < nr_rules; k++) {
			m.rule = &rule[k];
			m.who = ruled[i][k].who;
			m.value = ruled[i][k].value;
			if (m.value > rule[k].limit)
				expect(&m, &ruled[i][k].failures);
		}
	}
	for (i = 0; i < nr_expected; i++)
		expect_who(i);
}

/* Who has most of them is the point's program, as points.c names it. */
static const char *fill_failures(struct when_failures *to)
{
	static const char *const who[] = { "a", "b", "c", "d" };
	const char *most = NULL;
	u64 n, errors = 0;
	size_t i;

	for (i = rnd(2); i < ARRAY_SIZE(who); i += 1 + rnd(2)) {
		n = 1 + rnd(3);
		add_failed(to, who[i], n);
		if (n > errors) {
			errors = n;
			most = who[i];
		}
	}
	return most;
}

/* Disks that begin and end at any time, of which any is missing now and then; ties are many. */
static void fill_random(void)
{
	static const char *const disks[] = { "sda", "sdb", "sdc", "sdd", "" };
	static const char *const who[] = { "a", "b", "c", NULL };
	s64 ns = 0;
	size_t i;
	int what;

	nr = 0;
	nr_failed = 0;
	nr_rules = 2;
	while (nr < 400) {
		struct when_point *p = &point[nr];

		if (!nr || !rnd(4))
			ns += (1 + !rnd(4)) * MINUTE;
		*p = (struct when_point){
			.from_ns = ns, .until_ns = ns + (rnd(20) ? MINUTE : 0),
			.disk = disks[rnd(5)], .level = 1 + !rnd(4), .ios = rnd(40),
			.bytes = (rnd(4) ? rnd(4) : 40ULL) * (60 << 20), .errors = rnd(8) / 6,
			.p99_ns = (rnd(4) ? rnd(4) : 20 + rnd(3)) * MS,
			.used = rnd(4) ? rnd(3) : 9000 + rnd(3), .used_known = rnd(10),
			.ruled = ruled[nr],
		};
		for (what = 0; what < NR_WHEN; what++)
			p->who[what] = who[rnd(4)];
		if (p->errors)
			p->who[WHEN_ERRORS] = fill_failures(&p->failures);
		for (i = 0; i < nr_rules; i++)
			ruled[nr][i] = (struct when_ruled){ rnd(6), who[rnd(4)] };
		ruled[nr][1].who = fill_failures(&ruled[nr][1].failures);
		nr++;
	}
}

static void compare_moments(size_t got, unsigned int *seen)
{
	const struct when_moment *m, *e;
	size_t i;

	if (got != nr_expected)
		fail("%zu moments, not %zu", got, nr_expected);
	for (i = 0; i < got && i < nr_expected; i++) {
		m = &moments[i];
		e = &expected[i];
		seen[m->what]++;
		if (m->from_ns != e->from_ns || m->until_ns != e->until_ns || m->disk != e->disk ||
		    m->who != e->who || m->what != e->what || m->rule != e->rule ||
		    m->value != e->value || m->usual != e->usual)
			fail("moment %zu of %s is another one (%d, %d)", i, m->disk, m->what,
			     e->what);
	}
}

/* Against all points for each point, and all moments for each moment. */
static void oracle(void)
{
	unsigned int seen[NR_WHEN + 1] = { 0 }, round;
	size_t i;

	if (rule_parse(&rule[0], "ios/s > 3") || rule_parse(&rule[1], "errors > 3"))
		fail("the rules are none");
	for (round = 0; round < 12; round++) {
		fill_random();
		expect_all();
		compare_moments(judge(), seen);
	}
	for (i = 0; i < ARRAY_SIZE(seen); i++) {
		if (seen[i] < 50)
			fail("only %u moments of %zu", seen[i], i);
	}
	note("seed %llu, %u %u %u %u %u moments", seed(), seen[0], seen[1], seen[2], seen[3],
	     seen[4]);
	free(moments);
	moments = NULL;
}

/* Each disk has errors in each second minute, and in one minute all of the rest. */
static void judge_disks(unsigned int disks)
{
	static char name[1000][8];
	const struct when_failures failures = { failed, 2 };
	size_t i;

	failed[0] = (struct when_failed){ "a", 1 };
	failed[1] = (struct when_failed){ "b", 1 };
	nr = disks * 20;
	nr_rules = 0;
	for (i = 0; i < nr; i++) {
		bool much = i / disks == 10;

		sprintf(name[i % disks], "sd%zu", i % disks);
		point[i] = (struct when_point){
			.from_ns = i / disks * MINUTE, .until_ns = (i / disks + 1) * MINUTE,
			.disk = name[i % disks], .ios = 100, .errors = i / disks % 2,
			.bytes = 60ULL << (much ? 30 : 20), .p99_ns = (much ? 500 : 1) * MS,
			.used = much ? 9999 : 100, .used_known = true,
		};
		if (point[i].errors)
			point[i].failures = failures;
	}
	if (judge() != disks * 13)
		fail("%u disks have other moments", disks);
	free(moments);
	moments = NULL;
}

static void many_disks(void)
{
	work_is_linear("points", judge_disks);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(quiet), TEST(slow), TEST(not_slow), TEST(busy), TEST(errors),
		TEST(who_failed), TEST(used), TEST(rules), TEST(oracle), TEST(many_disks),
	};

	return run_tests("tool_when", tests, ARRAY_SIZE(tests));
}

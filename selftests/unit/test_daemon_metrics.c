// SPDX-License-Identifier: GPL-2.0
/* Metrics are well formed, close, never fall, and never are more than the limit. */
#include "../../tools/ioblamed/metrics_sum.h"
#include "metrics_oracle.h"
#include "test.h"

#define STEP	10000000000LL

static char *written_for(struct metrics *m, bool open, enum metrics_reader reader)
{
	char *text;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	metrics_write(m, f, open, reader);
	fclose(f);
	return text;
}

static char *written(struct metrics *m, bool open)
{
	return written_for(m, open, METRICS_HTTP);
}

static struct metrics *new_metrics(unsigned int series, unsigned int units)
{
	struct metrics_conf conf;

	metrics_defaults(&conf);
	conf.max_series = series;
	conf.max_units = units;
	return metrics_new(&conf);
}

static struct usage one_usage(const char *unit, const char *disk, const char *why, u8 op, u64 bytes)
{
	struct usage u = {
		.key = { .unit = unit, .program = "p", .user = "", .file = "", .disk = disk,
			 .why = why, .uid = UINT32_MAX, .op = op },
		.ios = 1 + bytes / 65536, .bytes = bytes, .ns = 1000 + bytes,
	};

	u.lat[7] = u.ios;
	return u;
}

static void add(struct metrics *m, struct usage *list, size_t nr)
{
	struct usage_list usage = {
		.list = list, .nr = nr, .from_ns = (m->intervals + 1) * STEP,
		.until_ns = (m->intervals + 2) * STEP,
	};

	metrics_add(m, &usage);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Count samples; each line is well formed, and no series is there twice. */
static unsigned int samples(const char *text)
{
	char *copy = strdup(text), *rest = copy, *line, *seen[20000];
	unsigned int nr = 0, i;

	while ((line = strsep(&rest, "\n")) && rest) {
		if (!oracle_line(line))
			fail("not well formed: %s", line);
		if (*line == '#')
			continue;
		*strrchr(line, ' ') = '\0';
		if (nr < ARRAY_SIZE(seen))
			seen[nr++] = line;
	}
	qsort(seen, nr, sizeof(*seen), by_text);
	for (i = 1; i < nr; i++) {
		if (!strcmp(seen[i - 1], seen[i]))
			fail("twice: %s", seen[i]);
	}
	free(copy);
	return nr;
}

/* The sum of all samples whose line begins so */
static double sum_of_samples(const char *text, const char *begin)
{
	const char *line = text;
	double sum = 0;

	for (; *line; line = strchr(line, '\n') + 1) {
		if (!strncmp(line, begin, strlen(begin)))
			sum += atof(strstr(line, "} ") + 2);
	}
	return sum;
}

static void labels(void)
{
	static const struct { const char *from, *to; } cases[] = {
		{ "db.service", "db.service" }, { "a\"b", "a\\\"b" }, { "a\\b", "a\\\\b" },
		{ "a\nb", "a\\nb" }, { "\001\177", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xff", "\xef\xbf\xbd" }, { "\xc3\xa4", "\xc3\xa4" }, { "", "" },
		{ "\\012", "\\\\012" },
	};
	char to[METRICS_LABEL];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		metrics_label(to, sizeof(to), cases[i].from);
		if (strcmp(to, cases[i].to))
			fail("%s became %s", cases[i].from, to);
	}
	/* not between a backslash and what it escapes, and not in a character */
	if (metrics_label(to, 3, "a\"b") != 1 || metrics_label(to, 3, "a\xc3\xa4") != 1)
		fail("cut in a character: %s", to);
}

static void histogram(void)
{
	uint64_t slots[USAGE_SLOTS] = { [0] = 1, [5] = 2, [6] = 4, [26] = 8, [27] = 16 };
	struct metrics_text t = { .open = true };
	char *text;
	size_t len;

	t.f = open_memstream(&text, &len);
	metrics_histogram(&t, "h", "a=\"b\"", slots, 1500000000);
	fclose(t.f);
	if (!strstr(text, "h_bucket{a=\"b\",le=\"3.2e-05\"} 3\n") ||
	    !strstr(text, "h_bucket{a=\"b\",le=\"0.000128\"} 7\n") ||
	    !strstr(text, "h_bucket{a=\"b\",le=\"33.554432\"} 7\n") ||
	    !strstr(text, "h_bucket{a=\"b\",le=\"+Inf\"} 31\n") ||
	    !strstr(text, "h_sum{a=\"b\"} 1.500000000\n") ||
	    !strstr(text, "h_count{a=\"b\"} 31\n"))
		fail("%s", text);
	if (samples(text) != METRICS_HISTOGRAM_SERIES)
		fail("%u series", samples(text));
	free(text);
}

/* 0 at first, then what it is; each reader sees a 0 of its own. */
static void begins_at_zero(void)
{
	struct metrics *m = new_metrics(2000, 10);
	struct usage u = one_usage("a", "sda", "", 2, 4096);
	const char *line = "ioblame_io_bytes_total{unit=\"a\",device=\"sda\",operation=\"write\","
			   "reason=\"none\",certainty=\"exact\"} ";
	char *text;
	FILE *f = fopen("/dev/null", "w");

	add(m, &u, 1);
	metrics_write(m, f, false, METRICS_TEXTFILE);
	text = written(m, false);
	if (sum_of_samples(text, line) || !strstr(text, line))
		fail("not 0 at first");
	free(text);
	text = written(m, false);
	if (sum_of_samples(text, line) != 4096 ||
	    sum_of_samples(text, "ioblame_io_latency_seconds_count") != 1)
		fail("not 4096 then");
	free(text);
	fclose(f);
	metrics_free(m);
}

static char *written_file(struct metrics *m)
{
	return written_for(m, false, METRICS_TEXTFILE);
}

static void check_file(struct metrics *m, double bytes, double ios, const char *when)
{
	char *text = written_file(m);

	if (sum_of_samples(text, "ioblame_io_bytes_total{") != bytes ||
	    sum_of_samples(text, "ioblame_io_latency_seconds_count{") != ios)
		fail("%s: %.0f bytes in the text file, not %.0f", when,
		     sum_of_samples(text, "ioblame_io_bytes_total{"), bytes);
	free(text);
}

/* The text file has 0 for two minutes: whoever reads it each minute sees that. */
static void begins_at_zero_in_file(void)
{
	struct metrics *m = new_metrics(2000, 10);
	struct usage u = one_usage("a", "sda", "", 2, 4096);
	unsigned int i;

	for (i = 1; i <= 13; i++) {
		add(m, &u, 1);
		check_file(m, i == 13 ? 13 * 4096 : 0, i == 13 ? 13 : 0, "two minutes");
	}
	metrics_free(m);
	/* once it has its value it does not fall, wherever the clock is set */
	m = new_metrics(2000, 10);
	add(m, &u, 1);
	m->until_ns = 1000 * STEP;
	check_file(m, 0, 0, "at first");
	m->until_ns = 999 * STEP;
	check_file(m, 4096, 1, "the clock was set back");
	m->until_ns = 1001 * STEP;
	check_file(m, 4096, 1, "after that");
	metrics_free(m);
}

static void formats(void)
{
	struct metrics *m = new_metrics(2000, 10);
	struct usage u = one_usage("a", "sda", "fsync", 4, 0);
	char *text;

	add(m, &u, 1);
	metrics_status(m, "enabled 1\nsession 1\nloss x_y 3 (so)\nevent pages_cancelled 2 (p)\n",
		       4096);
	text = written(m, true);
	if (!strstr(text, "# TYPE ioblame_ios counter\n") ||
	    !strstr(text, "# UNIT ioblame_io_bytes bytes\n") ||
	    !strstr(text, "# TYPE ioblame_build info\n") ||
	    strcmp(text + strlen(text) - 6, "# EOF\n"))
		fail("not OpenMetrics");
	if (!strstr(text, "ioblame_cancelled_bytes_total 8192\n") ||
	    !strstr(text, "ioblame_losses_total{kind=\"x_y\"} 3\n") ||
	    !strstr(text, "ioblame_up 1\n"))
		fail("not what status says");
	if (strstr(text, "ioblame_io_bytes_total{"))
		fail("a flush has bytes");
	samples(text);
	free(text);
	metrics_status(m, NULL, 4096);
	text = written(m, false);
	if (!strstr(text, "# TYPE ioblame_ios_total counter\n") ||
	    !strstr(text, "ioblame_up 0\n") || strstr(text, "# EOF"))
		fail("not the text format");
	samples(text);
	free(text);
	metrics_free(m);
}

/* What is lost by the kinds a and b; @later: -1 if there is no b */
static void check_losses(struct metrics *m, double there, double later, const char *when)
{
	static const char a[] = "ioblame_losses_total{kind=\"a\"} ";
	static const char b[] = "ioblame_losses_total{kind=\"b\"} ";
	char *text = written(m, false);

	if (sum_of_samples(text, a) != there || sum_of_samples(text, b) != (later < 0 ? 0 : later) ||
	    !strstr(text, b) != (later < 0))
		fail("%s: %.0f and %.0f lost, not %.0f and %.0f", when, sum_of_samples(text, a),
		     sum_of_samples(text, b), there, later);
	free(text);
}

/* A kind that comes later is 0 first; one that is there in a session's first status is not. */
static void losses_begin_at_zero(void)
{
	static const char both[] = "enabled 1\nsession 1\nloss b 5 (so)\nloss a 4 (so)\n";
	struct metrics *m = new_metrics(2000, 10);
	unsigned int i;
	char *text;

	metrics_status(m, "enabled 1\nsession 1\nloss a 3 (so)\n", 4096);
	check_losses(m, 3, -1, "the first status");
	metrics_status(m, both, 4096);
	check_losses(m, 4, 0, "one comes later");
	metrics_status(m, both, 4096);
	check_losses(m, 4, 5, "it came later, the second time");
	for (i = 1; i <= 13; i++) {
		add(m, NULL, 0);
		text = written_file(m);
		if (sum_of_samples(text, "ioblame_losses_total{kind=\"b\"") != (i == 13 ? 5 : 0) ||
		    sum_of_samples(text, "ioblame_losses_total{kind=\"a\"") != 4)
			fail("not 0 in the text file for two minutes");
		free(text);
	}
	metrics_status(m, "enabled 1\nsession 2\nloss a 1 (so)\nloss b 2 (so)\n", 4096);
	check_losses(m, 1, 2, "another session");
	metrics_free(m);
}

/* Whatever comes: the limit holds, all is counted, and nothing is there twice. */
static void bounded(void)
{
	static char names[3000][24], disks[100][8], whys[80][8];
	static struct usage list[3000];
	unsigned int round, i, most = 0;

	note("seed %llu", seed());
	for (round = 0; round < 12; round++) {
		unsigned int limit = 400 + rnd(2000), units = 1 + rnd(3000), nr = 1 + rnd(3000);
		struct metrics *m = new_metrics(limit, rnd(200));
		double bytes = 0;
		char *text;

		for (i = 0; i < nr; i++) {
			unsigned int unit = rnd(units), disk = rnd(1 + round * 8);
			unsigned int why = rnd(1 + round * 7);

			sprintf(names[i], "\"\\\n%u", unit);
			sprintf(disks[disk], "sd%u", disk);
			sprintf(whys[why], "why%u", why);
			list[i] = one_usage(names[i], disks[disk], whys[why], rnd(5), rnd(1 << 20));
			list[i].key.how = rnd(IOB_NR_HOWS);
			if (list[i].key.op == 4)
				list[i].bytes = 0;
			bytes += list[i].bytes;
		}
		add(m, list, nr);
		free(written(m, true));
		text = written(m, true);
		if (sum_of_samples(text, "ioblame_io_bytes_total{") != bytes)
			fail("%.0f bytes of %.0f", sum_of_samples(text, "ioblame_io_bytes_total{"),
			     bytes);
		for (i = 0; i < 10; i++)
			add(m, list, nr);
		free(text);
		text = written(m, true);
		i = samples(text);
		if (i > limit || metrics_series(m) > limit)
			fail("%u series and %u of %u", i, metrics_series(m), limit);
		most = i > most ? i : most;
		free(text);
		metrics_free(m);
	}
	note("seed %llu, at most %u series", seed(), most);
}

/* The largest have names; one that was small and grows takes a place, and nobody's counter falls. */
static void largest(void)
{
	struct metrics *m = new_metrics(2000, 2);
	struct usage list[3] = {
		one_usage("large", "sda", "", 2, 4 << 20), one_usage("middle", "sda", "", 2, 2 << 20),
		one_usage("small", "sda", "", 2, 4096),
	};
	double other;
	char *text;

	add(m, list, 3);
	free(written(m, false));
	text = written(m, false);
	if (!strstr(text, "unit=\"large\"") || !strstr(text, "unit=\"middle\"") ||
	    strstr(text, "unit=\"small\""))
		fail("not the largest: %.300s", text);
	other = sum_of_samples(text, "ioblame_io_bytes_total{unit=\"other\"");
	if (other != 4096)
		fail("other has %.0f", other);
	free(text);
	list[2] = one_usage("small", "sda", "", 2, 64 << 20);
	add(m, list, 3);
	free(written(m, false));
	text = written(m, false);
	if (!strstr(text, "unit=\"small\"") || strstr(text, "unit=\"middle\""))
		fail("the grown one has no place");
	if (sum_of_samples(text, "ioblame_io_bytes_total{unit=\"small\"") != 64 << 20)
		fail("it does not begin at 0");
	if (sum_of_samples(text, "ioblame_io_bytes_total{unit=\"other\"") != other + (2 << 20))
		fail("other jumped");
	if (!strstr(text, "ioblame_exporter_units_replaced_total 1\n"))
		fail("not said");
	free(text);
	metrics_free(m);
}

/* An interval of @seconds */
static void pass(struct metrics *m, struct usage *list, size_t nr, int seconds)
{
	int64_t from = m->until_ns ?: 1764000000000000000LL;
	struct usage_list usage = {
		.list = list, .nr = nr, .from_ns = from, .until_ns = from + seconds * 1000000000LL,
	};

	metrics_add(m, &usage);
}

/* What "other" did stays for half a day, and what it does then begins at 0. */
static void idle_other(void)
{
	static const char begin[] = "ioblame_io_bytes_total{unit=\"other\"";
	struct metrics *m = new_metrics(2000, 1);
	struct usage list[2] = {
		one_usage("large", "sda", "", 2, 4 << 20), one_usage("small", "sda", "", 2, 4096),
	};
	unsigned int hour, series;
	char *text;

	pass(m, list, 1, 10);
	series = metrics_series(m);
	pass(m, list, 2, 10);
	free(written(m, false));
	for (hour = 1; hour <= 13; hour++) {
		pass(m, list, 1, 3600);
		text = written(m, false);
		if (hour < 12 && sum_of_samples(text, begin) != 4096)
			fail("other has %.0f after %u h", sum_of_samples(text, begin), hour);
		free(text);
		/* the clock is set back: that is not half a day */
		if (hour == 2)
			pass(m, list, 1, -30);
	}
	pass(m, list, 1, 10);
	if (metrics_series(m) != series)
		fail("%u series, and %u before", metrics_series(m), series);
	pass(m, list, 2, 10);
	text = written(m, false);
	if (sum_of_samples(text, begin) || !strstr(text, begin))
		fail("other does not begin at 0 again");
	free(text);
	metrics_free(m);
}

/* Twenty units on two disks; if @busy a backup reads 60 disks, too.  Return: how many usages. */
static unsigned int backup_usage(struct usage *list, bool busy)
{
	static const char *const why[] = { "readahead", "read", "metadata", "journal", "discard" };
	static char units[20][24], disks[60][8];
	unsigned int i, k, nr = 0;

	for (i = 0; i < 20 * 6; i++) {
		sprintf(units[i / 6], "svc%u.service", i / 6);
		list[nr++] = one_usage(units[i / 6], i & 1 ? "sda" : "sdb", why[i % 6 / 2],
				       i % 6 / 2 ? 2 : 0, 600 << 16);
	}
	for (i = 0; busy && i < ARRAY_SIZE(disks); i++) {
		sprintf(disks[i], "sd%u", i);
		for (k = 0; k < ARRAY_SIZE(why); k++) {
			const char *unit = k < 2 ? "backup.service" : "none";

			list[nr++] = one_usage(unit, disks[i], why[k], 0,
					       k < 2 ? 100 << 20 : 409600);
			list[nr++] = one_usage(unit, disks[i], why[k], 2, 40960);
		}
	}
	return nr;
}

/* After a busy half hour on many disks units have names again. */
static void after_backup(void)
{
	static struct usage list[20 * 6 + 60 * 10];
	struct metrics *m = new_metrics(2000, 40);
	unsigned int i, before;

	for (i = 0; i < 60; i++)
		pass(m, list, backup_usage(list, false), 60);
	before = m->named;
	for (i = 0; i < 30; i++)
		pass(m, list, backup_usage(list, true), 60);
	for (i = 0; i < 24 * 60; i++)
		pass(m, list, backup_usage(list, false), 60);
	if (before < 15 || m->named < 15)
		fail("%u units before, %u a day later", before, m->named);
	note("%u units before, %u a day later", before, m->named);
	metrics_free(m);
}

/* What the sums had before an interval */
static struct { struct metrics_sum_key key; uint64_t ios; } had[2000];
static unsigned int nr_had;

/* IOs that the sums have more than before: an interval's, if they close */
static uint64_t more_ios(const struct metrics *m)
{
	const struct metrics_sum *sum;
	uint64_t more = 0;
	unsigned int k;
	size_t i;

	map_for_each(&m->sums, i, sum) {
		for (k = 0; k < nr_had && memcmp(&had[k].key, &sum->key, sizeof(sum->key)); k++)
			;
		more += sum->ios - (k < nr_had && had[k].ios <= sum->ios ? had[k].ios : 0);
	}
	nr_had = 0;
	map_for_each(&m->sums, i, sum) {
		had[nr_had].key = sum->key;
		had[nr_had++].ios = sum->ios;
	}
	return more;
}

/* A minute in which @nr units do IO, each to a disk of its own, and more than in the one before */
static void disks_pass(struct metrics *m, unsigned int nr)
{
	static const uint8_t ops[] = { 0, 2, 4 };
	static char units[36][24], disks[36][8];
	static uint64_t ios;
	struct usage list[36 * 3];
	uint64_t all = 0;
	unsigned int i;

	ios++;
	for (i = 0; i < 3 * nr; i++) {
		sprintf(units[i / 3], "osd-%u.service", i / 3);
		sprintf(disks[i / 3], "sd%u", i / 3);
		list[i] = one_usage(units[i / 3], disks[i / 3], "direct", ops[i % 3],
				    ops[i % 3] == 4 ? 0 : (100 + i / 3) << 16);
		list[i].ios = 1000 + ios;
		all += list[i].ios;
	}
	pass(m, list, 3 * nr, 60);
	if (more_ios(m) != all)
		fail("the sums do not close");
	if (metrics_series(m) > m->conf.max_series)
		fail("%u series", metrics_series(m));
}

static bool other_has_devices(struct metrics *m)
{
	char *text = written(m, false);
	bool has = strstr(text, "{unit=\"other\",device=\"sd");

	if (samples(text) > m->conf.max_series)
		fail("%u series are written", samples(text));
	free(text);
	return has;
}

/* A storage server: units keep their names, as long as they alone do not exceed the limit. */
static void many_disks(void)
{
	struct metrics *m = new_metrics(2000, 40);
	unsigned int i, named, replaced;

	nr_had = 0;
	for (i = 0; i < 100; i++)
		disks_pass(m, 36);
	named = m->named;
	/* 31 times 56 series are below 2000 - 255 */
	if (named < 28 || named > 31 || other_has_devices(m))
		fail("%u units have names after 100 intervals", named);
	replaced = m->replaced;
	for (i = 0; i < 24 * 60; i++)
		disks_pass(m, 36);
	if (m->named != named || m->replaced != replaced || other_has_devices(m))
		fail("%u units have names after a day", m->named);
	/* a unit too many for MaxUnits=, for which there is room */
	m->conf.max_units = 6;
	m->limit = 6;
	for (i = 0; i < 2 * 60; i++)
		disks_pass(m, 7);
	if (m->named != 6 || !other_has_devices(m))
		fail("other has no devices again");
	note("%u of 36 units have names", named);
	metrics_free(m);
}

#define SMALL	10000

/* The bytes that are shown for units whose names begin so */
static double shown_bytes(struct metrics *m, const char *begin)
{
	char *text = written(m, false), line[80];
	double bytes;

	sprintf(line, "ioblame_io_bytes_total{unit=\"%s", begin);
	bytes = sum_of_samples(text, line);
	free(text);
	return bytes;
}

/*
 * An interval in which SMALL units write @bytes each, and in which db does, last and in three
 * parts.  @churn: the units are gone then, and the next interval has others.
 */
static void crowd_pass(struct metrics *m, u64 bytes, u64 db, bool churn)
{
	static struct usage list[SMALL + 3];
	static char units[SMALL][32];
	unsigned int i, nr = db ? SMALL + 3 : SMALL;

	for (i = 0; i < SMALL; i++) {
		sprintf(units[i], "pod%llu-%u.scope", churn ? m->intervals + 1ULL : 0, i);
		list[i] = one_usage(units[i], "sda", "", 2, bytes);
	}
	for (; i < nr; i++)
		list[i] = one_usage("db.service", "sda", i & 1 ? "journal" : "fsync", 2, db / 3);
	pass(m, list, nr, 10);
	if (m->units.nr - m->named > 2 * METRICS_MOST_UNITS)
		fail("%zu units without a name are known", m->units.nr - m->named);
}

/* How many intervals pass until db has a name; 0: 20 were not enough.  The sums close. */
static unsigned int until_named(struct metrics *m, u64 bytes, u64 db, bool churn)
{
	u64 all = SMALL * (1 + bytes / 65536) + 3 * (1 + db / 3 / 65536);
	unsigned int i;

	nr_had = 0;
	more_ios(m);
	for (i = 1; i <= 20; i++) {
		crowd_pass(m, bytes, db, churn);
		if (more_ios(m) != all)
			fail("the sums do not close");
		/* the first time a new series is 0 */
		shown_bytes(m, "");
		if (shown_bytes(m, "db.service"))
			return i;
	}
	return 0;
}

/*
 * Many more units than are known: the largest has a name, though it comes last: if it moves most
 * bytes; if it is as large as ten small ones, some of which have names, which takes some intervals;
 * and if all others are new each time.
 */
static void crowd(void)
{
	static const struct { u64 db; unsigned int before; bool churn; } cases[] = {
		{ 3 * SMALL * 65536ULL, 0, false }, { 3 * SMALL * 65536ULL, 20, false },
		{ 30 * 65536, 20, false }, { 30 * 65536, 20, true },
	};
	unsigned int i, k, named[ARRAY_SIZE(cases)];
	double before;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct metrics *m = new_metrics(2000, 10);

		for (k = 0; k < cases[i].before; k++)
			crowd_pass(m, 3 * 65536, 0, cases[i].churn);
		named[i] = until_named(m, 3 * 65536, cases[i].db, cases[i].churn);
		if (!named[i])
			fail("case %u: db has no name after 20 intervals", i);
		before = shown_bytes(m, "db.service");
		for (k = 0; k < 10; k++)
			crowd_pass(m, 3 * 65536, cases[i].db, cases[i].churn);
		if (shown_bytes(m, "db.service") != before + 10.0 * cases[i].db || m->named != 10)
			fail("case %u: db has lost its name", i);
		metrics_free(m);
	}
	note("a name after %u, %u, %u and %u intervals", named[0], named[1], named[2], named[3]);
}

/* As many names as there may be, and all taken: the largest takes one. */
static void crowd_with_names(void)
{
	struct metrics *m = new_metrics(METRICS_MOST_SERIES, METRICS_MOST_UNITS);
	unsigned int i;

	for (i = 0; i < 3; i++)
		crowd_pass(m, 65536, 0, false);
	if (m->named != METRICS_MOST_UNITS)
		fail("%u units have names", m->named);
	for (i = 0; i < 3; i++)
		crowd_pass(m, 65536, 3 * SMALL * 65536ULL, false);
	if (!metrics_unit(m, "db.service") || !metrics_unit(m, "db.service")->named)
		fail("db has no name");
	metrics_free(m);
}

static void wrong_usage(void)
{
	struct metrics *m = new_metrics(0, 0);
	struct usage u = one_usage("a", "sda", "", 9, 4096);
	char *text;

	add(m, &u, 1);
	text = written(m, false);
	if (!strstr(text, "ioblame_lost_ios_total 1\n") ||
	    !strstr(text, "ioblame_exporter_series_limit 400\n"))
		fail("%.400s", text);
	free(text);
	metrics_free(m);
}

static void past_lost(void)
{
	struct metrics_own own = { .lost_intervals = 3, .lost_sums = 5 };
	struct metrics *m = new_metrics(0, 0);
	char *text;

	metrics_own(m, &own);
	text = written(m, false);
	if (!strstr(text, "ioblame_exporter_past_lost_total{span=\"interval\"} 3\n") ||
	    !strstr(text, "ioblame_exporter_past_lost_total{span=\"minute or hour\"} 5\n"))
		fail("%s", strstr(text, "past_lost") ?: "it is not there");
	free(text);
	metrics_free(m);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(labels), TEST(histogram), TEST(begins_at_zero),
		TEST(begins_at_zero_in_file), TEST(formats), TEST(losses_begin_at_zero),
		TEST(bounded), TEST(largest), TEST(idle_other), TEST(after_backup),
		TEST(many_disks), TEST(crowd), TEST(crowd_with_names), TEST(wrong_usage), TEST(past_lost),
	};

	return run_tests("daemon_metrics", tests, ARRAY_SIZE(tests));
}

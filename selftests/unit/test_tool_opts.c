// SPDX-License-Identifier: GPL-2.0
/* The command line. */
#include <time.h>

#include "msg.h"
#include "opts.h"
#include "test.h"

static char *args[64], said[2048];

/* Parse the words of a line, with "ioblame" before them; what is wrong is in @said. */
static int parse(struct opts *o, const char *line)
{
	static char words[1024];
	FILE *usual = stderr;
	char *word, *rest;
	int n = 0, ret;

	snprintf(words, sizeof(words), "ioblame %s", line);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		args[n++] = word;
	args[n] = NULL;
	memset(said, 0, sizeof(said));
	stderr = fmemopen(said, sizeof(said), "w");
	ret = opts_parse(o, n, args);
	fclose(stderr);
	stderr = usual;
	return ret;
}

/* A report of times of the day so many seconds from now */
static const char *moments(int since, int until)
{
	static char line[64];
	time_t now = time(NULL), from = now + since, to = now + until;
	char a[16], b[16];

	strftime(a, sizeof(a), "%T", localtime(&from));
	strftime(b, sizeof(b), "%T", localtime(&to));
	snprintf(line, sizeof(line), "report --since %s --until %s", a, b);
	return line;
}

/* What config has is known without the module. */
static void config_words(void)
{
	static const struct {
		const char *line, *says;
	} rows[] = {
		{ "config nosuch", "config has no 'nosuch'; choose one of " },
		{ "config set", "config set needs a name and a value" },
		{ "config set role", "config set needs a name and a value" },
		{ "config set role process thread", "config set needs a name and a value" },
		{ "config set nosuch 1", "config set has no 'nosuch'; choose one of " },
		{ "config set role nosuch", "config role has no 'nosuch'; choose one of thread, " },
		{ "config devices nosuch sda", "config devices has no 'nosuch'; choose one of add, " },
		{ "config", "" }, { "config show", "" }, { "config set role process", "" },
		{ "config set nr_counters 2", "" }, { "config devices add sda", "" },
		{ "config counter 1 x", "" }, { "config enable", "" },
	};
	struct opts o;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ret = parse(&o, rows[i].line);
		if (ret != (*rows[i].says ? EXIT_USAGE : EXIT_OK) || !strstr(said, rows[i].says))
			fail("%s: %d, %s", rows[i].line, ret, said);
	}
}

static void good_ones(void)
{
	struct opts o;

	if (parse(&o, "") || o.command != CMD_TOP || o.format != FORMAT_TABLE)
		fail("nothing");
	if (parse(&o, "2 5") || o.command != CMD_TOP || o.interval_ns != 2000000000 || o.count != 5)
		fail("interval");
	if (parse(&o, "top -D sda 0.5 --by file -s p99") || o.nr_devices != 1 ||
	    strcmp(o.device[0], "sda") || o.interval_ns != 500000000 || o.count ||
	    o.by != BY_FILE || o.sort != SORT_P99)
		fail("top");
	if (parse(&o, "stat -s time") || o.sort != SORT_TIME || !o.given_sort)
		fail("stat");
	if (parse(&o, "snoop --min-lat 50 --errors --stacks --rw wr -p 1,22 -p 3") ||
	    o.min_lat_ns != 50000000 || !o.errors || !o.stacks || strcmp(o.rw, "WR") ||
	    o.nr_pids != 3 || o.pid[1] != 22 || o.pid[2] != 3)
		fail("snoop");
	if (parse(&o, "report -d 10 --json") || o.duration_ns != 10000000000ULL ||
	    o.format != FORMAT_JSON || o.run)
		fail("report");
	if (parse(&o, "report -r 3 -- dd -h --json") || !o.run || strcmp(o.run[0], "dd") ||
	    strcmp(o.run[1], "-h") || strcmp(o.run[2], "--json") || o.run[3] ||
	    o.rows != 3 || o.format != FORMAT_TABLE)
		fail("command");
	if (parse(&o, "hist size 1 2 --by process") || o.field != FIELD_SIZE || o.count != 2 ||
	    !o.given_by)
		fail("hist");
	if (parse(&o, "report --since @100 --until @200.5 --by why --past f") ||
	    o.since_ns != 100000000000LL || o.until_ns != 200500000000LL || o.nr_pasts != 1)
		fail("since");
	if (parse(&o, moments(-60, 120)) || o.until_ns - o.since_ns != 180000000000LL)
		fail("until a time that is to come: %lld ns", (s64)(o.until_ns - o.since_ns));
	if (!parse(&o, moments(-60, -60)))
		fail("no time at all");
	if (parse(&o, "top --since 1h 60 --by stack") || !o.since_ns || o.until_ns ||
	    o.interval_ns != 60000000000ULL)
		fail("top since");
	if (parse(&o, "files --since 1h 5 -p 1 --by thread --past f") || !o.since_ns ||
	    o.nr_pasts != 1 || o.nr_pids != 1 || parse(&o, "snoop --since 03:00 --until now -p 5"))
		fail("kept since");
	if (parse(&o, "wear -D sda --json") || parse(&o, "when --since yesterday -r 3") ||
	    parse(&o, "hist total_time --since 1h --by file") ||
	    parse(&o, "when --rule errors>0 --rule p99>5ms") || o.nr_rules != 2 ||
	    parse(&o, "stacks --since 1h --svg -o f"))
		fail("past");
	if (parse(&o, "report --since 1h -g a.service -g b* -g pod/name -g 012345678901") ||
	    parse(&o, "snoop --since 1h -g /a -g 4711"))
		fail("cgroups of the past");
	if (parse(&o, "stacks --svg -o f --weight time") || !o.svg || o.weight != WEIGHT_TIME ||
	    strcmp(o.output, "f"))
		fail("stacks");
	if (parse(&o, "stacks --json -r 5 -s ios") || parse(&o, "stacks --folded -o f") ||
	    !o.given_drawing || parse(&o, "snoop --since 1h -T") || !o.timestamp ||
	    parse(&o, "sums -T --sync") || parse(&o, "report --direct -T"))
		fail("what goes together");
	if (parse(&o, "record -o f -- sleep 1") || !o.run || strcmp(o.output, "f"))
		fail("record");
	if (parse(&o, "replay f") || o.command != CMD_REPORT || strcmp(o.input, "f"))
		fail("replay");
	if (parse(&o, "replay f hist age --by op") || o.command != CMD_HIST ||
	    o.field != FIELD_AGE || o.by != BY_OP || strcmp(o.input, "f"))
		fail("replay hist");
	if (parse(&o, "config set role process") || o.nr_args != 3 ||
	    strcmp(o.args[2], "process"))
		fail("config");
	if (parse(&o, "status --json") || o.command != CMD_STATUS || parse(&o, "doctor"))
		fail("status");
	if (parse(&o, "doctor --bundle") || !o.bundle || o.output || o.anonymous)
		fail("doctor --bundle");
	if (parse(&o, "doctor --bundle=f --anonymous --json") || !o.bundle || !o.anonymous ||
	    strcmp(o.output, "f"))
		fail("doctor --bundle=f");
}

static void bad_ones(void)
{
	static const char * const bad[] = {
		"nonsense", "--nonsense", "top --stacks", "snoop --output f", "stacks --columns f", "hist size -o f", "status -p 1",
		"report -d 0", "report -d x", "report -d", "top 0", "top x", "top 1 0",
		"top 1 x", "top 1 2 3", "top -1", "hist", "hist x", "hist size x",
		"record", "record -o", "replay", "replay -o", "replay f status",
		"replay f record", "replay f report -- x", "snoop --rw X", "snoop --rw",
		"snoop -p 0", "snoop -p x", "snoop -p 1,", "snoop -p -1", "top --by x",
		"top -s x", "top -r 0", "top -r x", "stacks --weight x", "report --",
		"status -- x", "status x", "doctor x", "doctor --bundle=",
		"doctor --anonymous", "status --bundle", "snoop --min-lat", "stacks -r 3",
		"snoop -p 99999999999", "top -D", "config --csv",
		"hist size --counters 5", "hist size --counters --by op", "hist size --counters -e",
		"hist size --counters -u x", "replay f hist size --counters", "replay f report -w",
		"report -w --html f", "snoop -w", "top --counters",
		"report --since", "report --since x", "report --since 25:00", "report --until 1h",
		"report --past f", "report --since 1h --until 2h", "report --since 1h -d 5",
		"report --since 1h 5", "top --since 1h 5 3", "report --since 1h --html f",
		"report --since 1h -- x", "report --since 1h --sync", "report --since 1h -p 1",
		"report --since 1h -w", "report --since 1h -S", "report --since 1h -o +IOS",
		"report --since 1h --by thread", "top --since 1h -a", "hist size --since 1h",
		"hist total_time --since 1h -e", "hist total_time --since 1h --counters",
		"replay f report --since 1h", "stat --since 1h", "sums --since 1h", "wear 5",
		"snoop --past f", "snoop --since 1h -d 5", "files --since 1h -- x",
		"flush --since 1h --past f --past g", "replay f snoop --since 1h",
		"wear --rw W", "when x", "when --past a --past b --past c", "when -- x",
		"stacks --json -o f", "stacks -o f --csv", "stacks --since 1h --json -o f",
		"stacks --svg --json", "stacks --csv --folded", "replay f stacks -o g --json",
		"stacks -T", "advise -T", "scsi -T", "nvme -T", "replay f advise -T", "wear -T",
		"report --since 1h -T", "top --since 1h -T", "hist total_time --since 1h -T",
		"report --since 1h --direct", "snoop --since 1h --direct",
		"replay f report --direct", "replay f report --sync", "replay f snoop --sync",
		"report --since 1h -g /system.slice", "top --since 1h -g /sys/fs/cgroup/a -g b",
		"hist total_time --since 1h -g 1", "stacks --since 1h -g /",
		"when --rule", "when --rule x", "when --rule util>100%", "wear --rule errors>0",
	};
	size_t i;
	struct opts o;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		int ret = parse(&o, bad[i]);

		if (ret != EXIT_USAGE)
			fail("'%s' gives %d", bad[i], ret);
	}
}

/* What is wrong is named, as it was typed, and what to type instead. */
static void names_what_is_wrong(void)
{
	static const char * const wrong[][2] = {
		/* clusters of iostat and biolatency */
		{ "stat -kx 1", "unknown option -k; try: ioblame stat --help" },
		{ "stat -xk 1", "unknown option -k; try: ioblame stat --help" },
		{ "stat -xdk 1", "--duration takes TIME" },
		{ "hist size -mT 1", "unknown option -m; try: ioblame hist --help" },
		{ "stat 1 -xkq -T", "unknown option -k; try: ioblame stat --help" },
		{ "stat -k", "unknown option -k; try: ioblame stat --help" },
		{ "-k", "unknown option -k; try: ioblame --help" },
		{ "top --nosuch", "unknown option --nosuch; try: ioblame top --help" },
		{ "top --json=3", "--json takes no value; try: ioblame top --help" },
		{ "top -b --js=3", "--json takes no value; try: ioblame top --help" },
		{ "stat --extended=3", "--extended takes no value; try: ioblame stat --help" },
		{ "--help=3", "--help takes no value; try: ioblame --help" },
		{ "stat -xD", "-xD needs a value; try: ioblame stat --help" },
		/* of a recording, the views are those of replay */
		{ "replay f trace", "replay has no view 'trace'; choose one of top, snoop, " },
		{ "replay f trace", "advise, export; try: ioblame replay --help" },
		{ "replay f snop", "replay has no view 'snop'; choose one of top, snoop, " },
		{ "replay f g", "replay has no view 'g'; choose one of top, snoop, " },
		{ "replay f 1x", "'1x' is not an interval in seconds; try: ioblame report --help" },
		/* stat has sums, and no percentiles */
		{ "stat -s p99 1", "--sort cannot be 'p99'; choose one of bytes, ios, read, written, time; try" },
		{ "replay f stat -s p99", "--sort cannot be 'p99'; choose one of bytes, ios, read, written, time; try" },
	};
	struct opts o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		if (parse(&o, wrong[i][0]) != EXIT_USAGE || !strstr(said, wrong[i][1]))
			fail("ioblame %s: %s", wrong[i][0], said);
	}
}

/* What the help has in two lines is one in a message; strtok_r() gives no empty word. */
static void one_line(void)
{
	char *words[] = { "ioblame", "snoop", "-g", "", NULL };
	FILE *usual = stderr;
	struct opts o;

	memset(said, 0, sizeof(said));
	stderr = fmemopen(said, sizeof(said), "w");
	if (opts_parse(&o, 4, words) != EXIT_USAGE)
		fail("a cgroup without a name is taken");
	fclose(stderr);
	stderr = usual;
	if (!strstr(said, "path, a part of its name, ") || strchr(said, '?'))
		fail("it says %s", said);
}

/* Two databases are taken, and it is said how many are, also of more than there is room for. */
static void too_many_pasts(void)
{
	char line[1024] = "report --since 1h";
	struct opts o;
	int i;

	for (i = 1; i <= OPTS_LIST + 1; i++) {
		strcat(line, " --past=f");
		if (i <= 2 && (parse(&o, line) || o.nr_pasts != (unsigned int)i))
			fail("%d are refused", i);
		if (i > 2 && (parse(&o, line) != EXIT_USAGE || !strstr(said, "twice at most")))
			fail("of %d it says %s", i, said);
	}
}

/* More values of one option than there is room for. */
static void too_many(void)
{
	static const char *const lists[] = { "-Dd", "-cc", "-uu", "-gg", "--file=f" };
	char line[1024] = "snoop -p 1";
	struct opts o;
	int i, k, n;

	for (i = 1; i < OPTS_LIST; i++)
		strcat(line, ",1");
	if (parse(&o, line))
		fail("%d pids are refused", OPTS_LIST);
	strcat(line, ",1");
	if (parse(&o, line) != EXIT_USAGE)
		fail("%d pids are taken", OPTS_LIST + 1);
	else if (!strstr(said, "32 at most"))
		fail("of %d pids it says %s", OPTS_LIST + 1, said);
	for (i = 0; i < (int)ARRAY_SIZE(lists); i++) {
		n = sprintf(line, "report");
		for (k = 0; k <= OPTS_LIST; k++)
			n += sprintf(line + n, " %s%d", lists[i], k);
		if (parse(&o, line) != EXIT_USAGE || !strstr(said, "32 at most"))
			fail("of too many %s it says %s", lists[i], said);
	}
	if (parse(&o, "report -r 100000") || parse(&o, "report -r 100001") != EXIT_USAGE ||
	    !strstr(said, "100000 at most"))
		fail("of too many rows it says %s", said);
}

/* A time that is longer than a number can say is as long as one can be. */
static void long_durations(void)
{
	static const struct {
		const char *line;
		uint64_t ns;
	} lines[] = {
		{ "record -o f 2 5", 10000000000ULL },
		{ "record -o f 1 18446744074", INT64_MAX },
		{ "record -o f 1 9223372037", INT64_MAX },
		{ "snoop 9000000000000000000ns", 9000000000000000000ULL },
		{ "snoop 0.01 18446744073709551615", INT64_MAX },
	};
	struct opts o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (parse(&o, lines[i].line) || o.duration_ns != lines[i].ns || o.interval_ns ||
		    o.count)
			fail("'%s' takes %llu ns", lines[i].line, (u64)o.duration_ns);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(good_ones), TEST(config_words), TEST(bad_ones), TEST(names_what_is_wrong),
		TEST(one_line), TEST(too_many), TEST(too_many_pasts), TEST(long_durations),
	};

	return run_tests("tool_opts", tests, ARRAY_SIZE(tests));
}

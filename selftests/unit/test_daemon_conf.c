// SPDX-License-Identifier: GPL-2.0
/* Each key is checked: a wrong line says so, and the value before stays. */
#include <sys/stat.h>
#include <unistd.h>

#include "conf.h"
#include "own_files.h"
#include "test.h"

#define SECOND	1000000000ULL

static unsigned int nr_wrong, last_line;
static char last_file[128], last_what[128];

static void note_wrong(const char *file, unsigned int line, const char *what)
{
	nr_wrong++;
	last_line = line;
	snprintf(last_file, sizeof(last_file), "%s", file);
	snprintf(last_what, sizeof(last_what), "%s", what);
}

static bool parse(struct conf *conf, const char *text)
{
	nr_wrong = 0;
	return conf_parse(conf, "test", text, note_wrong);
}

static void intervals(void)
{
	static const struct {
		const char *value;
		uint64_t seconds;	/* 0: wrong */
	} cases[] = {
		{ "1", 1 }, { "1s", 1 }, { "30sec", 30 }, { "5min", 300 }, { "1h", 3600 },
		{ "1min 30s", 90 }, { "1m30s", 90 }, { " 20s \t", 20 }, { "2000ms", 2 },
		{ "", 0 }, { "s", 0 }, { "10x", 0 }, { "-5", 0 }, { "10 s", 0 }, { "0", 0 },
		{ "999ms", 0 }, { "2h", 0 }, { "99999999999999999999s", 0 },
		{ "18446744073709551615w", 0 }, { "0x10", 0 }, { "10s;", 0 }, { "10s\a", 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct conf conf;
		char text[256];
		bool good;

		conf_defaults(&conf);
		snprintf(text, sizeof(text), "[Daemon]\nInterval=%s\n", cases[i].value);
		good = parse(&conf, text);
		if (good != !!cases[i].seconds || nr_wrong != !good)
			fail("'%s' is %s", cases[i].value, good ? "taken" : "refused");
		if (conf.daemon.interval_ns != (good ? cases[i].seconds : 10) * SECOND)
			fail("'%s' becomes %llu ns", cases[i].value,
			     (unsigned long long)conf.daemon.interval_ns);
	}
}

static void lines(void)
{
	static const struct {
		const char *text;
		unsigned int line;	/* of what is wrong; 0: nothing */
	} cases[] = {
		{ "", 0 }, { "\n\n", 0 }, { "# x\n; [y]\n", 0 }, { "[Daemon]", 0 },
		{ "[Daemon]\r\nInterval=5s\r\n", 0 }, { "  [Daemon]  \n Interval = 5s", 0 },
		{ "[daemon]\n", 1 }, { "[Daemon\n", 1 }, { "Interval=5s\n", 1 },
		{ "[Daemon]\nInterval\n", 2 }, { "[Daemon]\nintervaL=5s\n", 2 },
		{ "[Daemon]\n\n=5s\n", 3 }, { "[Daemon]\nInterval=5s=\n", 2 },
		{ "[Unit]\n", 1 }, { "[]\n", 1 }, { "[", 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct conf conf;

		conf_defaults(&conf);
		if (parse(&conf, cases[i].text) != !cases[i].line)
			fail("case %u is %s", i, cases[i].line ? "taken" : last_what);
		else if (cases[i].line && last_line != cases[i].line)
			fail("case %u: line %u is blamed", i, last_line);
	}
}

/* Each key of [Metrics]: what is right counts, and of what is wrong the default stays. */
static void metrics(void)
{
	static const struct {
		const char *line;
		bool good;
	} cases[] = {
		{ "Listen=127.0.0.1:1", true }, { "Listen=[::1]:65535", true }, { "Listen=", true },
		{ "Listen=0.0.0.0:9964", true }, { "Listen=localhost:9964", false },
		{ "Listen=127.0.0.1", false }, { "Listen=9964", false }, { "Listen=:9964", false },
		{ "Listen=127.0.0.1:", false }, { "Listen=127.0.0.1:65536", false },
		{ "Listen=127.0.0.1:-1", false }, { "Listen=127.0.0.1:+1", false },
		{ "Listen=::1:9964", false }, { "Listen=[::1]", false }, { "Listen=[]:1", false },
		{ "Listen=[:1", false }, { "Listen=[127.0.0.1:1", false },
		{ "WebConfigFile=/etc/web.yml", true }, { "WebConfigFile=", true },
		{ "WebConfigFile=web.yml", false },
		{ "TextFile=/var/lib/x.prom", true }, { "TextFile=", true },
		{ "TextFile=x.prom", false }, { "TextFile=/a\ab", false },
		{ "MaxSeries=400", true }, { "MaxSeries=1000000", true }, { "MaxSeries=399", false },
		{ "MaxSeries=1000001", false }, { "MaxSeries=", false }, { "MaxSeries=2K", false },
		{ "MaxUnits=1", true }, { "MaxUnits=4096", true }, { "MaxUnits=0", false },
		{ "MaxUnits=4097", false }, { "maxunits=1", false }, { "Interval=1s", false },
	};
	struct conf conf, defaults;
	char text[128];
	unsigned int i;

	conf_defaults(&defaults);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "[Metrics]\n%s\n", cases[i].line);
		conf_defaults(&conf);
		if (parse(&conf, text) != cases[i].good)
			fail("%s is %s", cases[i].line, cases[i].good ? "refused" : "taken");
		if (!cases[i].good && memcmp(&conf, &defaults, sizeof(conf)))
			fail("%s is refused, and changes something", cases[i].line);
	}
	if (!parse(&conf, "[Metrics]\nListen=[::1]:7\nWebConfigFile=/w\nTextFile=/t.prom\n"
			  "MaxSeries=500\nMaxUnits=5\n") ||
	    strcmp(conf.metrics.listen, "[::1]:7") || strcmp(conf.metrics.web_config, "/w") ||
	    strcmp(conf.metrics.textfile, "/t.prom") || conf.metrics.max_series != 500 ||
	    conf.metrics.max_units != 5)
		fail("a key is taken for another");
}

/* Names add up, of one line and of several; an empty value takes them back. */
static void disks(void)
{
	static const struct {
		const char *lines, *disks;
	} cases[] = {
		{ "", "" }, { "Disks=\n", "" }, { "Disks=sda\n", "sda " },
		{ "Disks= sda \t8:16 \n", "sda 8:16 " },
		{ "Disks=sda\nInterval=5s\nDisks=/dev/disk/by-id/x sdc\n", "sda /dev/disk/by-id/x sdc " },
		{ "Disks=sda\nDisks=\n", "" }, { "Disks=sda\nDisks=\nDisks=sdb\n", "sdb " },
		{ "Disks=sda\nDisks=sd\ab\n", "sda " },
	};
	char text[2 * CONF_WORDS];
	struct conf conf;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		conf_defaults(&conf);
		snprintf(text, sizeof(text), "[Daemon]\n%s", cases[i].lines);
		if (parse(&conf, text) != !strchr(text, '\a'))
			fail("case %u: %s", i, last_what);
		if (strcmp(conf.daemon.disks, cases[i].disks))
			fail("case %u: '%s'", i, conf.daemon.disks);
	}
	/* as many as there is room for: the last one does not count, and changes nothing */
	for (i = 0; i < 2; i++) {
		conf_defaults(&conf);
		snprintf(text, sizeof(text), "[Daemon]\nDisks=sda\nDisks=%0*d\n",
			 CONF_WORDS - 6 + i, 0);
		if (parse(&conf, text) == i || strlen(conf.daemon.disks) != (i ? 4 : CONF_WORDS - 1))
			fail("%u: %zu bytes of names", i, strlen(conf.daemon.disks));
	}
}

/* A wrong section takes the keys below it along, and no other. */
static void goes_on(void)
{
	struct conf conf;

	conf_defaults(&conf);
	if (parse(&conf, "[Wrong]\nInterval=5s\n[Daemon]\nInterval=6s\n") || nr_wrong != 2)
		fail("%u lines are wrong, not 2", nr_wrong);
	if (conf.daemon.interval_ns != 6 * SECOND)
		fail("the good line after wrong ones does not count");
}

static void recorder(void)
{
	static const struct {
		const char *line;
		bool good;
	} cases[] = {
		{ "File=/srv/past.db", true }, { "File=", true }, { "File=past.db", false },
		{ "Recent=/run/x", true }, { "Recent=x", false }, { "MaxSize=1M", true },
		{ "MaxSize=1024G", true }, { "MaxSize=1023K", false }, { "MaxSize=2T", false },
		{ "MaxSize=1MB", false }, { "Intervals=1min", true }, { "Intervals=2h", true },
		{ "Intervals=59s", false }, { "Intervals=3h", false }, { "Minutes=1h", true },
		{ "Minutes=366d", true }, { "Minutes=1min", false }, { "Minutes=367d", false },
		{ "Hours=30d", true }, { "Hours=23h", false }, { "Hours=4000d", false },
		{ "Days=3", false }, { "Interval=10s", false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct conf conf, before;
		char text[128];
		bool good;

		conf_defaults(&conf);
		conf_defaults(&before);
		snprintf(text, sizeof(text), "[Recorder]\n%s\n", cases[i].line);
		good = parse(&conf, text);
		if (good != cases[i].good)
			fail("'%s' is %s", cases[i].line, good ? "taken" : "refused");
		if (!good && memcmp(&conf, &before, sizeof(conf)))
			fail("'%s' is refused, and changes something", cases[i].line);
	}
}

/* The other keys of [Moments]. */
static void moments(void)
{
	static const struct {
		const char *line;
		bool good;
	} cases[] = {
		{ "Ring=0", true }, { "Ring=64M", true }, { "Ring=65M", false },
		{ "Ring=-1", false }, { "Before=0", true }, { "Before=1min", true },
		{ "Before=61s", false }, { "After=500ms", true }, { "After=1h", false },
		{ "Folder=/srv/m", true }, { "Folder=", true }, { "Folder=m", false },
		{ "MaxMoments=1", true }, { "MaxMoments=0", false }, { "MaxMoments=1K", false },
		{ "MomentsSize=1M", true }, { "MomentsSize=1023K", false },
		{ "MaxSize=1M", false },
	};
	struct conf conf, defaults;
	char text[128];
	unsigned int i;

	conf_defaults(&defaults);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(text, sizeof(text), "[Moments]\n%s\n", cases[i].line);
		conf_defaults(&conf);
		if (parse(&conf, text) != cases[i].good)
			fail("%s is %s", cases[i].line, cases[i].good ? "refused" : "taken");
		if (!cases[i].good && memcmp(&conf, &defaults, sizeof(conf)))
			fail("%s is refused, and changes something", cases[i].line);
	}
	if (!parse(&conf, "[Moments]\nRing=1M\nBefore=2s\nAfter=3s\nFolder=/f\nMaxMoments=4\n"
			  "MomentsSize=5M\n") ||
	    conf.moments.ring_bytes != 1 << 20 || conf.moments.before_ns != 2 * SECOND ||
	    conf.moments.after_ns != 3 * SECOND || strcmp(conf.moments.folder, "/f") ||
	    conf.moments.max_moments != 4 || conf.moments.max_bytes != 5 << 20)
		fail("a key is taken for another");
}

static gid_t find_group(const char *name)
{
	return !strcmp(name, "ioblame") ? 61 : !strcmp(name, "wheel") ? 10 : -1;
}

/* What is kept may be read by the group that is configured, and by no other. */
static void groups(void)
{
	static const struct {
		const char *text;
		gid_t group;
	} cases[] = {
		{ "", 61 }, { "[Viewers]\nGroup=wheel\n", 10 }, { "[Viewers]\nGroup=\n", 0 },
		{ "[Viewers]\nGroup=nobody-has-it\n", 0 },
	};
	struct conf conf;
	unsigned int i;
	gid_t group;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		conf_defaults(&conf);
		parse(&conf, cases[i].text);
		group = conf_group(&conf, find_group);
		if (group != cases[i].group)
			fail("case %u: %u", i, group);
	}
}

/* Rules add up; a wrong one says what is wrong with it, and an empty one takes them back. */
static void rules(void)
{
	char text[64 * (CONF_RULES + 1) + 16] = "[Moments]\n";
	struct conf conf;
	unsigned int i;

	conf_defaults(&conf);
	if (!parse(&conf, "[Moments]\nRule=p99 > 50ms\nRule = a: util > 90% on sda\n") ||
	    conf.moments.nr_rules != 2 || conf.moments.rule[0].what != RULE_P99 ||
	    strcmp(conf.moments.rule[1].name, "a"))
		fail("two rules are not taken: %s", last_what);
	if (parse(&conf, "[Moments]\nRule=p99 > 50\n") || !strstr(last_what, "50ms") ||
	    conf.moments.nr_rules != 2)
		fail("a wrong rule: %s", last_what);
	if (!parse(&conf, "[Moments]\nRule=\nRule=errors > 3\n") || conf.moments.nr_rules != 1 ||
	    conf.moments.rule[0].limit != 3)
		fail("an empty rule does not take back those before");
	for (i = 0; i <= CONF_RULES; i++)
		sprintf(text + strlen(text), "Rule=r%u: errors > %u\n", i, i);
	conf_defaults(&conf);
	if (parse(&conf, text) || nr_wrong != 1 || last_line != CONF_RULES + 2 ||
	    conf.moments.nr_rules != CONF_RULES)
		fail("there is room for %u rules, line %u is wrong", conf.moments.nr_rules,
		     last_line);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f))
		fail("%s: %s", path, strerror(errno));
}

/* Drop-ins go in the order of their names; what is no NAME.conf is none. */
static void drop_ins(void)
{
	char dir[] = "/tmp/iob-conf-XXXXXX", file[64], path[128], command[64];
	static const char *const names[] = { "20-b.conf", "10-a.conf", "30-c.conf~", ".40.conf" };
	struct conf conf;
	unsigned int i;

	if (!mkdtemp(dir)) {
		fail("mkdtemp: %s", strerror(errno));
		return;
	}
	nr_wrong = 0;
	snprintf(file, sizeof(file), "%s/c.conf", dir);
	if (!conf_load(&conf, file, note_wrong) || conf.daemon.interval_ns != 10 * SECOND)
		fail("no file is not the defaults");
	put(file, "[Daemon]\nInterval=11s\n");
	snprintf(path, sizeof(path), "%s.d", file);
	mkdir(path, 0700);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char text[64];

		snprintf(path, sizeof(path), "%s.d/%s", file, names[i]);
		snprintf(text, sizeof(text), "[Daemon]\nInterval=%us\n", 20 + i);
		put(path, text);
	}
	if (!conf_load(&conf, file, note_wrong) || conf.daemon.interval_ns != 20 * SECOND)
		fail("the drop-ins give %llu ns", (unsigned long long)conf.daemon.interval_ns);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		fail("%s", command);
}

/* A folder of drop-ins that cannot be read is no folder without drop-ins; its name is escaped. */
static void bad_folder(void)
{
	char dir[] = "/tmp/iob-conf-XXXXXX", file[64], path[128], command[64];
	struct conf conf;

	if (!mkdtemp(dir)) {
		fail("mkdtemp: %s", strerror(errno));
		return;
	}
	snprintf(file, sizeof(file), "%s/\a.conf", dir);
	snprintf(path, sizeof(path), "%s.d", file);
	put(file, "[Daemon]\nInterval=11s\n");
	put(path, "[Daemon]\nInterval=12s\n");
	nr_wrong = 0;
	last_line = 1;
	if (conf_load(&conf, file, note_wrong))
		fail("a folder that is none is good");
	snprintf(path, sizeof(path), "%s/\\007.conf.d", dir);
	if (nr_wrong != 1 || last_line || strcmp(last_what, strerror(ENOTDIR)) ||
	    strcmp(last_file, path))
		fail("%u are wrong, the last %s:%u: %s", nr_wrong, last_file, last_line, last_what);
	if (conf.daemon.interval_ns != 11 * SECOND)
		fail("what can be read does not count");
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	if (system(command))
		fail("%s", command);
}

/* What is in a folder already gets the group, too; what a link leads to does not. */
static void owned(void)
{
	char dir[] = "/tmp/iob-own-XXXXXX", other[] = "/tmp/iob-other-XXXXXX";
	char in[64], file[80], link[80];
	const char *folders[] = { dir, "/tmp/iob-own-nowhere", NULL };
	int fd = mkstemp(other);
	struct stat st;

	if (geteuid() || fd < 0 || !mkdtemp(dir)) {
		note("only root gives files to groups: not tested");
		return;
	}
	close(fd);
	snprintf(in, sizeof(in), "%s/moments", dir);
	snprintf(file, sizeof(file), "%s/past.db", in);
	snprintf(link, sizeof(link), "%s/link", dir);
	if (chmod(dir, 02750) || mkdir(in, 0750) || symlink(other, link))
		fail("%s: %s", dir, strerror(errno));
	put(file, "x");
	if (own_files(folders, 61001))
		fail("not all is given");
	if (stat(dir, &st) || st.st_gid != 61001 || (st.st_mode & 07777) != 02750)
		fail("the folder has group %u, mode %o", st.st_gid, st.st_mode);
	if (stat(file, &st) || st.st_gid != 61001 || lstat(link, &st) || st.st_gid != 61001)
		fail("a file has group %u", st.st_gid);
	if (stat(other, &st) || st.st_gid == 61001)
		fail("a link is followed");
	snprintf(link, sizeof(link), "rm -rf %s %s", dir, other);
	if (system(link))
		fail("%s", link);
}

/* Any bytes: nothing but a checked value comes out. */
static void random_text(void)
{
	static const char *const words[] = {
		"[Daemon]", "\n", "Interval", "=", "5s", " ", "min", "[", "]", "#", "\t", "9",
	};
	struct conf conf;
	char text[512];
	unsigned int i, n;

	for (i = 0; i < 20000; i++) {
		size_t len = 0;

		for (n = rnd(24); n; n--) {
			if (rnd(8))
				len += sprintf(text + len, "%s", words[rnd(ARRAY_SIZE(words))]);
			else
				text[len++] = 1 + rnd(255);
		}
		text[len] = '\0';
		conf_defaults(&conf);
		parse(&conf, text);
		if (conf.daemon.interval_ns < SECOND || conf.daemon.interval_ns > 3600 * SECOND)
			fail("an interval out of range is taken");
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(intervals), TEST(lines), TEST(disks), TEST(metrics), TEST(goes_on), TEST(drop_ins),
		TEST(bad_folder),
		TEST(random_text), TEST(recorder), TEST(moments),
		TEST(rules), TEST(groups), TEST(owned),
	};

	return run_tests("daemon_conf", tests, ARRAY_SIZE(tests));
}

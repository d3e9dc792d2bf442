// SPDX-License-Identifier: GPL-2.0
/* Lines of JSON become usage, interval by interval; a wrong line is said and does not count. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <unistd.h>

#include "feed.h"
#include "past.h"
#include "served.h"
#include "test.h"

static enum feed_got give(struct feed *feed, const char *line)
{
	return feed_line(feed, line, strlen(line));
}

static void values(void)
{
	struct feed feed = { 0 };
	const struct usage *u;

	if (give(&feed, "{\"unit\":\"db.service\",\"program\":\"mysqld\",\"user\":\"mysql\",\"uid\":110,"
		 "\"file\":\"/var/x\",\"disk\":\"sda\",\"why\":\"sync\",\"stack\":7,\"op\":\"flush\","
		 "\"how\":\"lost\",\"ios\":2,\"bytes\":8192,\"ns\":5,\"errors\":1,\"lat\":[0,2]}") !=
	    FEED_MORE)
		fail("a full line is wrong: %s", feed.wrong);
	if (give(&feed, "{}") != FEED_MORE)
		fail("an empty object is wrong: %s", feed.wrong);
	if (give(&feed, "{\"from_ns\":5,\"until_ns\":15,\"lost_ios\":3}") != FEED_INTERVAL)
		fail("the end of the interval is wrong: %s", feed.wrong);
	if (feed.usage.nr != 2 || feed.usage.from_ns != 5 || feed.usage.until_ns != 15 ||
	    feed.usage.lost_ios != 3) {
		fail("the interval has other values");
		return;
	}
	u = feed.usage.list;
	if (strcmp(u->key.unit, "db.service") || strcmp(u->key.program, "mysqld") ||
	    strcmp(u->key.user, "mysql") || strcmp(u->key.file, "/var/x") ||
	    strcmp(u->key.disk, "sda") || strcmp(u->key.why, "sync") || u->key.uid != 110 ||
	    u->key.stack != 7 || u->key.op != 4 || u->key.how != 3 || u->ios != 2 ||
	    u->bytes != 8192 || u->ns != 5 || u->errors != 1 || u->lat[1] != 2 || u->lat[2])
		fail("a value of the full line is another one");
	if (u[1].key.uid != UINT32_MAX || *u[1].key.file || u[1].ios)
		fail("the empty line has values");
	if (give(&feed, "") != FEED_MORE || feed.usage.nr != 2)
		fail("an empty line ends the life of an interval");
	give(&feed, "{\"ios\":1}");
	if (feed.usage.nr != 1 || feed.usage.lost_ios)
		fail("the next interval does not begin empty");
	feed_end(&feed);
}

/* What is printed is read as it was. */
static void round_trip(void)
{
	const struct usage u = { .key = {
		.unit = "a \"b\" \\012", .program = "p", .user = "", .file = "/\303\251", .disk = "sda",
		.why = "sync", .uid = 7, .op = 3, .how = 1,
	}, .ios = 1ULL << 40, .bytes = 5, .ns = 6, .errors = 7,
	.lat = { [7] = 1ULL << 39, [27] = 3 } };
	const struct usage_list list = { .from_ns = 3, .until_ns = 4, .lost_ios = 5 };
	char *text = NULL, *end;
	struct feed feed = { 0 };
	size_t len;
	FILE *f = open_memstream(&text, &len);
	const struct usage *got;

	feed_put(f, &u);
	feed_put_interval(f, &list, 6);
	fclose(f);
	end = strchr(text, '\n');
	if (feed_line(&feed, text, end - text) != FEED_MORE ||
	    feed_line(&feed, end + 1, text + len - end - 2) != FEED_INTERVAL) {
		fail("%s is wrong: %s", text, feed.wrong);
	} else {
		got = feed.usage.list;
		if (usage_compare(&got->key, &u.key) || got->ios != u.ios || got->bytes != u.bytes ||
		    got->ns != u.ns || got->errors != u.errors ||
		    memcmp(got->lat, u.lat, sizeof(u.lat)))
			fail("%s is read as another usage", text);
		if (feed.missed != 6 || feed.usage.lost_ios != 5 || feed.usage.until_ns != 4)
			fail("the interval is read as another one");
	}
	feed_end(&feed);
	free(text);
}

static void wrong_lines(void)
{
	static const char *const lines[] = {
		"x", "[]", "1", "null", "{", "{} {}", "{\"ios\":-1}", "{\"ios\":1.5}",
		"{\"ios\":\"1\"}", "{\"op\":\"writes\"}", "{\"how\":3}", "{\"uid\":4294967295}",
		"{\"lat\":1}", "{\"lat\":[9223372036854775808]}", "{\"lat\":[-1]}",
		"{\"unit\":1}", "{\"unit\":\"a\\u0007\"}",
		"{\"unit\":\"a\\u0000b\"}", "{\"nothing\":1}", "{\"busy_ms\":1}",
		"{\"disk\":\"a\",\"busy_ms\":-1}", "{\"disk\":\"a\",\"busy_ms\":\"1\"}",
		"{\"disk\":\"a\",\"busy_ms\":1,\"ios\":1}", "{\"disk\":\"\",\"busy_ms\":1}", "{\"until_ns\":5}",
		"{\"from_ns\":5,\"until_ns\":5}", "{\"from_ns\":1,\"until_ns\":5,\"x\":1}",
		"{\"lat\":[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}",
	};
	struct feed feed = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (give(&feed, lines[i]) != FEED_WRONG || !feed.wrong)
			fail("%s counts", lines[i]);
	}
	if (feed.usage.nr || feed.line != ARRAY_SIZE(lines))
		fail("%zu usages of %llu wrong lines", feed.usage.nr, (unsigned long long)feed.line);
	feed_end(&feed);
}

static void busy(void)
{
	struct feed feed = { 0 };

	if (give(&feed, "{\"disk\":\"sda\",\"busy_ms\":970}") != FEED_MORE ||
	    give(&feed, "{\"busy_ms\":5,\"disk\":\"sda\"}") != FEED_MORE ||
	    give(&feed, "{\"from_ns\":1,\"until_ns\":5}") != FEED_INTERVAL)
		fail("a line is refused: %s", feed.wrong);
	else if (feed.usage.nr || feed.usage.nr_busy != 1 || feed.usage.busy[0].ms != 975 ||
		 strcmp(feed.usage.busy[0].disk, "sda"))
		fail("sda was not busy for 975 ms");
	feed_end(&feed);
}

/* What is damaged does not crash, and leaks nothing: the sanitizers look. */
static void damaged(void)
{
	static const char good[] =
		"{\"unit\":\"a\",\"uid\":1,\"op\":\"read\",\"ios\":2,\"lat\":[1,2],\"until_ns\":9}";
	struct feed feed = { 0 };
	char line[sizeof(good)];
	unsigned int i;

	for (i = 0; i < 20000; i++) {
		memcpy(line, good, sizeof(good));
		line[rnd(sizeof(good) - 1)] = rnd(256);
		if (rnd(2))
			line[rnd(sizeof(good) - 1)] = rnd(256);
		feed_line(&feed, line, rnd(4) ? sizeof(good) - 1 : rnd(sizeof(good)));
		if (!rnd(50))
			give(&feed, "{\"from_ns\":1,\"until_ns\":2}");
	}
	feed_end(&feed);
}

/* The daemon's answer, whatever is asked */
static const char *answer;

int served_connect(struct served *s, const char *request)
{
	int pair[2];

	(void)request;
	if (pipe(pair) || write(pair[1], answer, strlen(answer)) != (ssize_t)strlen(answer))
		return EIO;
	close(pair[1]);
	s->fd = pair[0];
	return 0;
}

int past_each(struct past *past, int64_t from_ns, int64_t until_ns, past_fn one, void *arg)
{
	return past->other->each(past, from_ns, until_ns, one, arg);
}

void past_close(struct past *past)
{
	past->other->close(past);
}

static u32 levels;
static int64_t recorded;	/* how long the answer says that was */

static bool add_level(const struct usage *usage, const struct past_span *span, void *arg)
{
	*(u64 *)arg += usage->ios;
	levels = levels * 10 + span->level;
	return true;
}

static int read_answer(const char *text, u64 *ios)
{
	struct past past;
	int ret, saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	answer = text;
	*ios = 0;
	levels = 0;
	past_open_served(&past);
	dup2(null, STDERR_FILENO);
	ret = past_each(&past, 1, 2, add_level, ios);
	recorded = past.recorded_ns;
	dup2(saved, STDERR_FILENO);
	close(null);
	close(saved);
	past_close(&past);
	return ret;
}

#define INTERVAL "{\"from_ns\":5,\"until_ns\":15}\n"

/* Of an answer no line may be left out in silence, and each span has its level. */
static void answers(void)
{
	u64 ios;

	if (read_answer("{\"ios\":1}\n" INTERVAL "level 2\n{\"ios\":2}\n" INTERVAL
			"{\"ios\":4}\n" INTERVAL "level 1\n{\"ios\":8}\n" INTERVAL "end 0 0\n",
			&ios) || ios != 15)
		fail("%llu IOs", ios);
	if (levels != 221)
		fail("levels %u", levels);
	if (recorded)
		fail("an old ioblamed says that %lld ns are recorded", (s64)recorded);
	if (read_answer("{\"ios\":1}\n" INTERVAL "end 3 1 30\n", &ios) || recorded != 30)
		fail("%lld ns are recorded", (s64)recorded);
	if (!read_answer("{\"ios\":1}\n{\"ois\":1}\n" INTERVAL "end 0 0\n", &ios) || ios != 1)
		fail("a wrong line is not told of, %llu IOs", ios);
	if (!read_answer("{\"ios\":1}\n" INTERVAL, &ios))
		fail("an answer without an end is whole");
}

/* from the leak sanitizer, whose headers gcc may lack */
void __lsan_disable(void);
void __lsan_enable(void);

/* In ISO 8859-1, the second byte of U+00DC is a control character. */
static void other_locale(void)
{
	static char folder[] = "/tmp/locale.XXXXXX";
	struct feed feed = { 0 };
	char command[160];
	bool there;

	if (!mkdtemp(folder))
		fail("no folder");
	snprintf(command, sizeof(command),
		 "localedef -i de_DE -f ISO-8859-1 --no-archive %s/latin >/dev/null 2>&1", folder);
	if (system(command) < 0)
		fail("no shell");
	/* (glibc forgets a copy of the path each time) */
	__lsan_disable();
	setenv("LOCPATH", folder, 1);
	there = setlocale(LC_CTYPE, "latin");
	unsetenv("LOCPATH");
	__lsan_enable();
	if (!there)
		note("there is no such locale");
	else if (!iscntrl(0x9c))
		fail("the locale has other control characters");
	if (give(&feed, "{\"file\":\"/\303\234\"}") != FEED_MORE)
		fail("a name is wrong");
	if (give(&feed, "{\"file\":\"/\\u007f\"}") != FEED_WRONG ||
	    give(&feed, "{\"file\":\"/\\u0001\"}") != FEED_WRONG)
		fail("a control character is a name");
	setlocale(LC_CTYPE, "C");
	feed_end(&feed);
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		fail("%s", command);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(values), TEST(round_trip), TEST(wrong_lines), TEST(busy),
		TEST(damaged), TEST(answers), TEST(other_locale),
	};

	return run_tests("daemon_feed", tests, ARRAY_SIZE(tests));
}

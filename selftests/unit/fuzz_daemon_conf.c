// SPDX-License-Identifier: GPL-2.0
/*
 * Any text as a file of the configuration: a line counts or is said to be wrong, what it sets is
 * within its bounds, and a wrong one changes nothing: without all of these the values are the
 * same.  A ~ is a line end, as a seed has none.
 */
#include "../../tools/ioblamed/conf.h"
#include "fuzz.h"

#define MOST		1100	/* lines of an input, and one */
#define SECOND		1000000000ULL
#define DAY		(86400 * SECOND)

static bool wrong[MOST];
static unsigned int nr_wrong;

static void note_wrong(const char *file, unsigned int line, const char *what)
{
	REQUIRE(!strcmp(file, "fuzz") && what && *what);
	REQUIRE(line && line < MOST && !wrong[line]);
	wrong[line] = true;
	nr_wrong++;
}

static bool is_within(uint64_t value, uint64_t least, uint64_t most)
{
	return value >= least && value <= most;
}

static void check_text(const char *text, bool is_path)
{
	REQUIRE(strnlen(text, CONF_TEXT) < CONF_TEXT);
	REQUIRE(!is_path || !*text || *text == '/');
}

static void check_bounds(const struct conf *c)
{
	unsigned int i;

	REQUIRE(is_within(c->daemon.interval_ns, SECOND, 3600 * SECOND));
	REQUIRE(strnlen(c->daemon.disks, CONF_WORDS) < CONF_WORDS);
	REQUIRE(is_within(c->recorder.max_bytes, 1 << 20, 1ULL << 40));
	REQUIRE(is_within(c->recorder.intervals_ns, 60 * SECOND, 7200 * SECOND));
	REQUIRE(is_within(c->recorder.minutes_ns, 3600 * SECOND, 366 * DAY));
	REQUIRE(is_within(c->recorder.hours_ns, DAY, 3660 * DAY));
	REQUIRE(c->moments.ring_bytes <= 64 << 20);
	REQUIRE(c->moments.before_ns <= 60 * SECOND && c->moments.after_ns <= 60 * SECOND);
	REQUIRE(is_within(c->moments.max_moments, 1, 100000));
	REQUIRE(is_within(c->moments.max_bytes, 1 << 20, 1ULL << 40));
	REQUIRE(is_within(c->metrics.max_series, METRICS_LEAST_SERIES, METRICS_MOST_SERIES));
	REQUIRE(is_within(c->metrics.max_units, 1, METRICS_MOST_UNITS));
	REQUIRE(c->moments.nr_rules <= CONF_RULES);
	for (i = 0; i < c->moments.nr_rules; i++)
		REQUIRE(*c->moments.rule[i].name);
}

/* The texts of both, in the same order */
static void check_texts(const struct conf *c, const struct conf *other)
{
	const char *const texts[][2] = {
		{ c->viewers.socket, other->viewers.socket },
		{ c->viewers.query, other->viewers.query },
		{ c->recorder.file, other->recorder.file },
		{ c->recorder.recent, other->recorder.recent },
		{ c->moments.folder, other->moments.folder },
		{ c->metrics.web_config, other->metrics.web_config },
		{ c->metrics.textfile, other->metrics.textfile },
		/* no paths */
		{ c->viewers.group, other->viewers.group },
		{ c->metrics.listen, other->metrics.listen },
	};
	unsigned int i;

	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		check_text(texts[i][0], i < 7);
		REQUIRE(!strcmp(texts[i][0], texts[i][1]));
	}
}

static void check_same(const struct conf *c, const struct conf *other)
{
	unsigned int i;

	check_texts(c, other);
	REQUIRE(c->daemon.interval_ns == other->daemon.interval_ns);
	REQUIRE(!memcmp(&c->recorder.max_bytes, &other->recorder.max_bytes, 4 * 8));
	REQUIRE(!memcmp(&c->moments.ring_bytes, &other->moments.ring_bytes, 3 * 8));
	REQUIRE(c->moments.max_moments == other->moments.max_moments);
	REQUIRE(c->moments.max_bytes == other->moments.max_bytes);
	REQUIRE(c->metrics.max_series == other->metrics.max_series);
	REQUIRE(c->metrics.max_units == other->metrics.max_units);
	REQUIRE(c->moments.nr_rules == other->moments.nr_rules);
	for (i = 0; i < c->moments.nr_rules; i++) {
		REQUIRE(!strcmp(c->moments.rule[i].name, other->moments.rule[i].name));
		REQUIRE(c->moments.rule[i].limit == other->moments.rule[i].limit);
	}
}

/* Make comments of the lines that were wrong. */
static void drop_wrong(char *text)
{
	unsigned int nr;

	for (nr = 1; text; nr++) {
		if (nr < MOST && wrong[nr])
			*text = '#';
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct conf conf, again;
	char *text, *at;

	if (size > MOST - 2)
		return 0;
	text = fuzz_text(data, size);
	for (at = text; (at = strchr(at, '~'));)
		*at = '\n';
	memset(wrong, 0, sizeof(wrong));
	nr_wrong = 0;
	conf_defaults(&conf);
	REQUIRE(conf_parse(&conf, "fuzz", text, note_wrong) == !nr_wrong);
	check_bounds(&conf);
	drop_wrong(text);
	nr_wrong = 0;
	conf_defaults(&again);
	REQUIRE(conf_parse(&again, "fuzz", text, note_wrong) && !nr_wrong);
	check_same(&conf, &again);
	free(text);
	return 0;
}

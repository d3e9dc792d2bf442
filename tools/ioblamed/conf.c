// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "conf.h"
#include "escape.h"
#include "file.h"
#include "moment_file.h"
#include "msg.h"
#include "past.h"

enum conf_kind {
	KIND_SPAN,		/* uint64_t, nanoseconds: 10s, 5min, "1h 30min"; a bare number: s */
	KIND_SIZE,		/* uint64_t, bytes: 64K, 32M, 1G */
	KIND_COUNT,		/* uint64_t */
	KIND_BOOL,		/* bool: yes, no, true, false, on, off, 1, 0 */
	KIND_TEXT,		/* char [CONF_TEXT]: printable; empty: none */
	KIND_WORDS,		/* char [CONF_WORDS]: more of them; empty: none of those before */
	KIND_PATH,		/* char [CONF_TEXT]: absolute; empty: none */
	KIND_SOCKET,		/* char [CONF_TEXT]: ADDRESS:PORT, in digits; empty: none */
	KIND_RULE,		/* one more of struct conf_moments; empty: none of those before */
};

#define SECOND	1000000000ULL
#define MINUTE	(60 * SECOND)
#define HOUR	(60 * MINUTE)
#define DAY	(24 * HOUR)

/* The keys: where the value is, and the least and the largest number that it takes. */
static const struct conf_key {
	const char *section, *key;
	enum conf_kind kind;
	size_t offset;
	uint64_t least, most;
} keys[] = {
#define KEY(section, key, kind, member, least, most) \
	{ section, key, KIND_##kind, offsetof(struct conf, member), least, most }
	KEY("Daemon", "Interval", SPAN, daemon.interval_ns, SECOND, 3600 * SECOND),
	KEY("Daemon", "Disks", WORDS, daemon.disks, 0, 0),
	KEY("Viewers", "Socket", PATH, viewers.socket, 0, 0),
	KEY("Viewers", "Query", PATH, viewers.query, 0, 0),
	KEY("Viewers", "Group", TEXT, viewers.group, 0, 0),
	KEY("Recorder", "File", PATH, recorder.file, 0, 0),
	KEY("Recorder", "Recent", PATH, recorder.recent, 0, 0),
	KEY("Recorder", "MaxSize", SIZE, recorder.max_bytes, 1 << 20, 1ULL << 40),
	KEY("Recorder", "Intervals", SPAN, recorder.intervals_ns, MINUTE, 2 * HOUR),
	KEY("Recorder", "Minutes", SPAN, recorder.minutes_ns, HOUR, 366 * DAY),
	KEY("Recorder", "Hours", SPAN, recorder.hours_ns, DAY, 3660 * DAY),
	KEY("Moments", "Ring", SIZE, moments.ring_bytes, 0, 64 << 20),
	KEY("Moments", "Before", SPAN, moments.before_ns, 0, MINUTE),
	KEY("Moments", "After", SPAN, moments.after_ns, 0, MINUTE),
	KEY("Moments", "Folder", PATH, moments.folder, 0, 0),
	KEY("Moments", "MaxMoments", COUNT, moments.max_moments, 1, 100000),
	KEY("Moments", "MomentsSize", SIZE, moments.max_bytes, 1 << 20, 1ULL << 40),
	KEY("Moments", "Rule", RULE, moments, 0, 0),
	KEY("Metrics", "Listen", SOCKET, metrics.listen, 0, 0),
	KEY("Metrics", "WebConfigFile", PATH, metrics.web_config, 0, 0),
	KEY("Metrics", "TextFile", PATH, metrics.textfile, 0, 0),
	KEY("Metrics", "MaxSeries", COUNT, metrics.max_series, METRICS_LEAST_SERIES,
	    METRICS_MOST_SERIES),
	KEY("Metrics", "MaxUnits", COUNT, metrics.max_units, 1, METRICS_MOST_UNITS),
#undef KEY
};

/* What holds where no file says otherwise. */
void conf_defaults(struct conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->daemon.interval_ns = 10 * SECOND;
	strcpy(conf->viewers.socket, CONF_SOCKET);
	strcpy(conf->viewers.query, CONF_QUERY);
	strcpy(conf->viewers.group, "ioblame");
	strcpy(conf->recorder.file, PAST_FILE);
	strcpy(conf->recorder.recent, PAST_RECENT);
	conf->recorder.max_bytes = 256 << 20;
	conf->recorder.intervals_ns = HOUR;
	conf->recorder.minutes_ns = 2 * DAY;
	conf->recorder.hours_ns = 90 * DAY;
	conf->moments.ring_bytes = 8 << 20;
	conf->moments.before_ns = 5 * SECOND;
	conf->moments.after_ns = 5 * SECOND;
	strcpy(conf->moments.folder, MOMENT_FOLDER);
	conf->moments.max_moments = 100;
	conf->moments.max_bytes = 64 << 20;
	metrics_defaults(&conf->metrics);
}

static const struct conf_unit {
	const char *word;
	uint64_t value;
} spans[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", SECOND }, { "sec", SECOND },
	{ "min", 60 * SECOND }, { "m", 60 * SECOND }, { "h", 3600 * SECOND },
	{ "hour", 3600 * SECOND }, { "hours", 3600 * SECOND }, { "d", DAY }, { "day", DAY },
	{ "days", DAY }, { "w", 7 * DAY }, { "week", 7 * DAY }, { "weeks", 7 * DAY },
	{ "", SECOND }, { NULL, 0 },
}, sizes[] = {
	{ "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 }, { "T", 1ULL << 40 },
	{ "", 1 }, { NULL, 0 },
}, counts[] = {
	{ "", 1 }, { NULL, 0 },
};

/* Parse "N[UNIT]", or several of them, which add up. */
static bool parse_number(const char *s, const struct conf_unit *unit, uint64_t *to)
{
	uint64_t all = 0, nr;
	const struct conf_unit *u;
	size_t len;
	char *end;

	do {
		if (!isdigit((unsigned char)*s))
			return false;
		errno = 0;
		nr = strtoull(s, &end, 10);
		if (errno)
			return false;
		len = strspn(end, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		for (u = unit; u->word; u++) {
			if (strlen(u->word) == len && !strncmp(u->word, end, len))
				break;
		}
		if (!u->word || __builtin_mul_overflow(nr, u->value, &nr) ||
		    __builtin_add_overflow(all, nr, &all))
			return false;
		s = end + len;
		s += strspn(s, " \t");
	} while (*s && unit == spans);
	*to = all;
	return !*s;
}

static bool parse_bool(const char *s, bool *to)
{
	static const char *const words[] = {
		"no", "yes", "off", "on", "false", "true", "0", "1",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcasecmp(s, words[i])) {
			*to = i & 1;
			return true;
		}
	}
	return false;
}

static bool parse_text(const char *s, char *to)
{
	size_t i;

	for (i = 0; s[i]; i++) {
		if (iscntrl((unsigned char)s[i]))
			return false;
	}
	if (i >= CONF_TEXT)
		return false;
	memcpy(to, s, i + 1);
	return true;
}

/* As in systemd's files, an empty value takes back those before. */
static const char *add_words(const char *s, char *to)
{
	size_t at = strlen(to), n = 0, len;
	char more[CONF_WORDS];

	if (!*s)
		*to = '\0';
	for (; *s; s += len, s += strspn(s, " \t")) {
		len = strcspn(s, " \t");
		if (at + n + len + 2 > CONF_WORDS)
			return "there are too many names";
		memcpy(more + n, s, len);
		n += len;
		more[n++] = ' ';
	}
	more[n] = '\0';
	for (s = more; *s; s++) {
		if (iscntrl((unsigned char)*s))
			return "with control characters";
	}
	memcpy(to + (n ? at : 0), more, n + 1);
	return NULL;
}

/* The same of rules. */
static const char *add_rule(const char *s, struct conf_moments *to)
{
	const char *wrong;
	struct rule rule;

	if (!*s) {
		memset(to->rule, 0, sizeof(to->rule));
		to->nr_rules = 0;
		return NULL;
	}
	wrong = rule_parse(&rule, s);
	if (wrong)
		return wrong;
	if (to->nr_rules == CONF_RULES)
		return "there are too many rules";
	to->rule[to->nr_rules++] = rule;
	return NULL;
}

/* Return: what is wrong with the value, or NULL: it counts. */
static const char *set_value(struct conf *conf, const struct conf_key *key, const char *value)
{
	void *to = (char *)conf + key->offset;
	uint64_t nr = 0;
	bool good;

	switch (key->kind) {
	case KIND_BOOL:
		return parse_bool(value, to) ? NULL : "not yes or no";
	case KIND_TEXT:
		return parse_text(value, to) ? NULL : "too long, or with control characters";
	case KIND_WORDS:
		return add_words(value, to);
	case KIND_PATH:
		if (*value && *value != '/')
			return "not an absolute path";
		return parse_text(value, to) ? NULL : "too long, or with control characters";
	case KIND_SOCKET:
		if (*value && !metrics_address(value, &(struct sockaddr_storage){ 0 }))
			return "not ADDRESS:PORT or [ADDRESS]:PORT in digits, as 127.0.0.1:9964";
		return parse_text(value, to) ? NULL : "too long, or with control characters";
	case KIND_RULE:
		return add_rule(value, to);
	case KIND_SPAN:
		good = parse_number(value, spans, &nr);
		break;
	case KIND_SIZE:
		good = parse_number(value, sizes, &nr);
		break;
	default:
		good = parse_number(value, counts, &nr);
	}
	if (!good)
		return key->kind == KIND_SPAN ? "not a time, as 10s or 5min" :
		       key->kind == KIND_SIZE ? "not a size, as 64M or 1G" : "not a number";
	if (nr < key->least || (key->most && nr > key->most))
		return "out of range";
	memcpy(to, &nr, sizeof(nr));
	return NULL;
}

/* Cut blanks at both ends. */
static char *trim(char *s)
{
	size_t n;

	s += strspn(s, " \t\r");
	n = strlen(s);
	while (n && strchr(" \t\r", s[n - 1]))
		s[--n] = '\0';
	return s;
}

static bool is_section(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(keys[i].section, name))
			return true;
	}
	return false;
}

/* Take one line.  Return: what is wrong, or NULL. */
static const char *take_line(struct conf *conf, char *line, char *section, size_t size)
{
	char *equal, *key, *value;
	size_t n = strlen(line);
	unsigned int i;

	if (!n || *line == '#' || *line == ';')
		return NULL;
	if (*line == '[') {
		*section = '\0';
		if (line[n - 1] != ']')
			return "a section has no ]";
		line[n - 1] = '\0';
		if (!is_section(line + 1))
			return "no such section";
		snprintf(section, size, "%s", line + 1);
		return NULL;
	}
	equal = strchr(line, '=');
	if (!equal)
		return "neither [SECTION] nor KEY=VALUE";
	if (!*section)
		return "in no section that is known";
	*equal = '\0';
	key = trim(line);
	value = trim(equal + 1);
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(keys[i].section, section) && !strcmp(keys[i].key, key))
			return set_value(conf, &keys[i], value);
	}
	return "no such key in this section";
}

/**
 * conf_parse - take the lines of one file
 * @conf:  values that the text does not have stay
 * @file:  its name, for @wrong
 * @text:  its content
 * @wrong: called for each line that does not count
 *
 * Return: true if all lines count.
 */
bool conf_parse(struct conf *conf, const char *file, const char *text, conf_wrong_fn wrong)
{
	char *copy = must(strdup(text)), *line, *next, section[32] = "";
	unsigned int nr = 1;
	const char *what;
	bool good = true;

	for (line = copy; line; line = next, nr++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		what = take_line(conf, trim(line), section, sizeof(section));
		if (!what)
			continue;
		good = false;
		wrong(file, nr, what);
	}
	free(copy);
	return good;
}

/**
 * conf_group - the group of what is kept
 * @conf: the configuration
 * @find: the number of a group; (gid_t)-1: there is no such group
 *
 * Return: that of Group=; root's where it is empty or is no group: nobody else may read it then.
 */
gid_t conf_group(const struct conf *conf, gid_t (*find)(const char *name))
{
	gid_t group = *conf->viewers.group ? find(conf->viewers.group) : 0;

	return group == (gid_t)-1 ? 0 : group;
}

static int is_drop_in(const struct dirent *e)
{
	size_t n = strlen(e->d_name);

	return e->d_name[0] != '.' && n > 5 && !strcmp(e->d_name + n - 5, ".conf");
}

/* Return: false if the file has a wrong line or cannot be read; one that is not there is good. */
static bool load_file(struct conf *conf, const char *path, conf_wrong_fn wrong)
{
	char *text = file_read(path), *name;
	bool good;

	if (!text && errno == ENOENT)
		return true;
	name = must(escape_dup(path, strlen(path)));
	good = text && conf_parse(conf, name, text, wrong);
	if (!text)
		wrong(name, 0, strerror(errno));
	free(name);
	free(text);
	return good;
}

/*
 * The drop-ins of a folder, in the order of their names.  A folder that is not there has none.
 * Return: false if it cannot be read, or one of them is not good.
 */
static bool load_folder(struct conf *conf, const char *folder, conf_wrong_fn wrong)
{
	struct dirent **list = NULL;
	int nr, err, i;
	char file[CONF_TEXT + 256], *name;
	bool good = true;

	nr = scandir(folder, &list, is_drop_in, alphasort);
	err = nr < 0 ? errno : 0;
	if (err && err != ENOENT) {
		name = must(escape_dup(folder, strlen(folder)));
		wrong(name, 0, strerror(err));
		free(name);
		return false;
	}
	for (i = 0; i < nr; i++) {
		snprintf(file, sizeof(file), "%s/%s", folder, list[i]->d_name);
		good &= load_file(conf, file, wrong);
		free(list[i]);
	}
	free(list);
	return good;
}

/**
 * conf_load - defaults, the file, and its drop-ins PATH.d/NAME.conf in the order of their names
 * @conf:  all is set
 * @path:  the file
 * @wrong: called for each line that does not count, and with line 0 for a file or a folder
 *	   that cannot be read
 *
 * Return: true if all counts.
 */
bool conf_load(struct conf *conf, const char *path, conf_wrong_fn wrong)
{
	char folder[CONF_TEXT];
	bool good;

	conf_defaults(conf);
	good = load_file(conf, path, wrong);
	snprintf(folder, sizeof(folder), "%s.d", path);
	good &= load_folder(conf, folder, wrong);
	return good;
}

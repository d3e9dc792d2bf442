// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <string.h>

#include <linux/ioblame.h>

#include "feed.h"
#include "msg.h"

enum {
	/* usage of one interval: more than a host can have */
	FEED_MOST = 1 << 20,
	FEED_LINE = 64 << 10,
	FEED_DISKS = 4096,
};

static const char *const ops[] = {
#define X(constant, letter, word)	word,
	IOB_OPS(X)
#undef X
};

static const char *const hows[] = {
#define X(constant, word)	word,
	IOB_HOWS(X)
#undef X
};

/* The texts, where they go, and whether one of a list of words is meant. */
static const struct feed_text {
	const char *key;
	size_t offset;
} texts[] = {
#define TEXT(member) { #member, offsetof(struct usage_key, member) }
	TEXT(unit), TEXT(program), TEXT(user), TEXT(file), TEXT(disk), TEXT(why),
#undef TEXT
};

static const struct feed_number {
	const char *key;
	size_t offset;
} numbers[] = {
#define NUMBER(member) { #member, offsetof(struct usage, member) }
	NUMBER(ios), NUMBER(bytes), NUMBER(ns), NUMBER(errors),
	{ "stack", offsetof(struct usage, key.stack) },
#undef NUMBER
};

static bool get_number(struct json_object *value, int64_t least, int64_t most, int64_t *to)
{
	int64_t nr = json_object_get_int64(value);

	if (!json_object_is_type(value, json_type_int) || nr < least || nr > most)
		return false;
	*to = nr;
	return true;
}

static bool get_text(struct json_object *value, const char **to)
{
	const char *s = json_object_get_string(value);
	int i, len;

	if (!json_object_is_type(value, json_type_string))
		return false;
	len = json_object_get_string_len(value);
	for (i = 0; i < len; i++) {
		/* iscntrl() has parts of characters of UTF-8, in some locales */
		if ((unsigned char)s[i] < ' ' || s[i] == 0x7f)
			return false;
	}
	*to = s;
	return true;
}

static bool get_word(struct json_object *value, const char *const *words, unsigned int nr,
		     uint8_t *to)
{
	const char *s;
	unsigned int i;

	if (!get_text(value, &s))
		return false;
	for (i = 0; i < nr; i++) {
		if (!strcmp(words[i], s)) {
			*to = i;
			return true;
		}
	}
	return false;
}

static bool get_lat(struct json_object *value, uint64_t *lat)
{
	size_t i, nr;
	int64_t n;

	if (!json_object_is_type(value, json_type_array))
		return false;
	nr = json_object_array_length(value);
	if (nr > USAGE_SLOTS)
		return false;
	for (i = 0; i < nr; i++) {
		/* json-c has INT64_MAX for all that is larger */
		if (!get_number(json_object_array_get_idx(value, i), 0, INT64_MAX - 1, &n))
			return false;
		lat[i] = n;
	}
	return true;
}

/* Take one key of a usage.  Return: false if it is not known, or its value is wrong. */
static bool take_key(struct usage *u, const char *key, struct json_object *value)
{
	unsigned int i;
	int64_t n;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!strcmp(key, texts[i].key))
			return get_text(value, (const char **)((char *)&u->key + texts[i].offset));
	}
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (strcmp(key, numbers[i].key))
			continue;
		if (!get_number(value, 0, INT64_MAX, &n))
			return false;
		memcpy((char *)u + numbers[i].offset, &n, sizeof(n));
		return true;
	}
	if (!strcmp(key, "op"))
		return get_word(value, ops, ARRAY_SIZE(ops), &u->key.op);
	if (!strcmp(key, "how"))
		return get_word(value, hows, ARRAY_SIZE(hows), &u->key.how);
	if (!strcmp(key, "lat"))
		return get_lat(value, u->lat);
	if (strcmp(key, "uid") || !get_number(value, 0, UINT32_MAX - 1, &n))
		return false;
	u->key.uid = n;
	return true;
}

/* What no line says: a write, exact, by nobody who is known. */
static const struct usage nothing = {
	.key = {
		.unit = "", .program = "", .user = "", .file = "", .disk = "", .why = "",
		.uid = UINT32_MAX, .op = 2, .how = IOB_HOW_EXACT,
	},
};

static void begin_interval(struct feed *feed)
{
	usage_clear(&feed->usage);
	feed->closed = false;
}

static enum feed_got wrong(struct feed *feed, struct json_object *o, const char *what)
{
	json_object_put(o);
	feed->wrong = what;
	return FEED_WRONG;
}

static enum feed_got add_usage(struct feed *feed, struct json_object *o)
{
	struct usage u = nothing;

	json_object_object_foreach(o, key, value) {
		if (!take_key(&u, key, value))
			return wrong(feed, o, "a key that no usage has, or a value that it cannot have");
	}
	if (feed->usage.nr == FEED_MOST)
		return wrong(feed, o, "too many usages in one interval");
	usage_add(&feed->usage, &u);
	json_object_put(o);
	return FEED_MORE;
}

/* A line of a disk that was busy, which viewers are not sent. */
static enum feed_got add_busy(struct feed *feed, struct json_object *o)
{
	const char *disk = NULL;
	int64_t ms = -1;

	json_object_object_foreach(o, key, value) {
		if (!strcmp(key, "disk") ? !get_text(value, &disk) :
		    strcmp(key, "busy_ms") || !get_number(value, 0, INT32_MAX, &ms))
			return wrong(feed, o, "a disk that is busy has disk, and busy_ms, a number");
	}
	if (!disk || !*disk || feed->usage.nr_busy == FEED_DISKS)
		return wrong(feed, o, "busy_ms without a disk, or of too many");
	usage_add_busy(&feed->usage, disk, ms);
	json_object_put(o);
	return FEED_MORE;
}

static enum feed_got end_interval(struct feed *feed, struct json_object *o)
{
	int64_t from = -1, until = -1, lost = 0, missed = 0, *to;

	json_object_object_foreach(o, key, value) {
		to = !strcmp(key, "from_ns") ? &from : !strcmp(key, "until_ns") ? &until :
		     !strcmp(key, "lost_ios") ? &lost : !strcmp(key, "missed") ? &missed : NULL;
		if (!to || !get_number(value, 0, INT64_MAX, to))
			return wrong(feed, o, "an interval has from_ns, until_ns, lost_ios and missed, which are numbers");
	}
	if (from < 0 || until <= from)
		return wrong(feed, o, "until_ns of an interval is not after its from_ns");
	json_object_put(o);
	feed->usage.from_ns = from;
	feed->usage.until_ns = until;
	feed->usage.lost_ios = lost;
	feed->missed = missed;
	feed->closed = true;
	return FEED_INTERVAL;
}

/**
 * feed_line - take one line
 * @feed: zeroed before the first one
 * @line: without its newline; it needs no NUL
 * @len:  its bytes; an empty line counts as none
 *
 * Return: see enum feed_got.
 */
enum feed_got feed_line(struct feed *feed, const char *line, size_t len)
{
	struct json_tokener *tok;
	struct json_object *o = NULL;

	feed->line++;
	if (!len)
		return FEED_MORE;
	if (feed->closed)
		begin_interval(feed);
	if (len > FEED_LINE)
		return wrong(feed, NULL, "too long");
	tok = must(json_tokener_new());
	json_tokener_set_flags(tok, JSON_TOKENER_STRICT);
	o = json_tokener_parse_ex(tok, line, len);
	json_tokener_free(tok);
	if (!json_object_is_type(o, json_type_object))
		return wrong(feed, o, "not one object of JSON");
	if (json_object_object_get_ex(o, "until_ns", NULL))
		return end_interval(feed, o);
	return json_object_object_get_ex(o, "busy_ms", NULL) ? add_busy(feed, o) :
							       add_usage(feed, o);
}

/* Print a text as JSON.  It is escaped already: only what JSON itself needs. */
static void put_text(FILE *to, const char *key, const char *text)
{
	if (!*text)
		return;
	fprintf(to, ",\"%s\":\"", key);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc('\\', to);
		putc(*text, to);
	}
	putc('"', to);
}

static void put_number(FILE *to, const char *key, uint64_t nr)
{
	if (nr)
		fprintf(to, ",\"%s\":%llu", key, (unsigned long long)nr);
}

/**
 * feed_put_stack - print a usage as a line that feed_line() takes
 * @to:    the stream
 * @usage: its texts are escaped; the hash of a stack is below 2^63
 */
void feed_put_stack(FILE *to, const struct usage *usage)
{
	const struct usage_key *k = &usage->key;
	unsigned int i, nr = USAGE_SLOTS;

	fprintf(to, "{\"op\":\"%s\",\"how\":\"%s\"", ops[k->op], hows[k->how]);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		put_text(to, texts[i].key, *(const char **)((char *)k + texts[i].offset));
	if (k->uid != UINT32_MAX)
		fprintf(to, ",\"uid\":%u", k->uid);
	put_number(to, "ios", usage->ios);
	put_number(to, "bytes", usage->bytes);
	put_number(to, "ns", usage->ns);
	put_number(to, "errors", usage->errors);
	put_number(to, "stack", k->stack);
	while (nr && !usage->lat[nr - 1])
		nr--;
	for (i = 0; i < nr; i++)
		fprintf(to, "%s%llu", i ? "," : ",\"lat\":[", (unsigned long long)usage->lat[i]);
	fputs(nr ? "]}\n" : "}\n", to);
}

/* The same without the stack. */
void feed_put(FILE *to, const struct usage *usage)
{
	struct usage u = *usage;

	u.key.stack = 0;
	feed_put_stack(to, &u);
}

/**
 * feed_put_interval - print the end of an interval
 * @to:     the stream
 * @list:   its times and what was lost
 * @missed: intervals before it that were not printed
 */
void feed_put_interval(FILE *to, const struct usage_list *list, uint64_t missed)
{
	fprintf(to, "{\"from_ns\":%lld,\"until_ns\":%lld", (long long)list->from_ns,
		(long long)list->until_ns);
	put_number(to, "lost_ios", list->lost_ios);
	put_number(to, "missed", missed);
	fputs("}\n", to);
}

void feed_end(struct feed *feed)
{
	usage_clear(&feed->usage);
	memset(feed, 0, sizeof(*feed));
}

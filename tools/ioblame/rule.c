// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include <linux/ioblame.h>

#include "escape.h"
#include "msg.h"
#include "rule.h"
#include "text.h"

#define SECOND	1000000000.0
#define BLANKS	" \t"

const char *const rule_whats[NR_RULE_WHATS] = {
	[RULE_P99] = "p99", [RULE_MEAN] = "mean", [RULE_UTIL] = "util",
	[RULE_ERRORS] = "errors", [RULE_BYTES] = "bytes/s", [RULE_IOS] = "ios/s",
};

/* What a rule without a name is called: a file cannot have a slash. */
static const char *const names[NR_RULE_WHATS] = {
	[RULE_P99] = "p99", [RULE_MEAN] = "mean", [RULE_UTIL] = "util",
	[RULE_ERRORS] = "errors", [RULE_BYTES] = "bytes", [RULE_IOS] = "ios",
};

static const char *const ops[] = {
#define X(constant, letter, word)	word,
	IOB_OPS(X)
#undef X
};

static const char *const ofs[NR_RULE_OFS] = {
	[RULE_OF_ALL] = "", [RULE_OF_UNIT] = "unit", [RULE_OF_PROGRAM] = "program",
	[RULE_OF_USER] = "user",
};

static int find_word(const char *word, size_t len, const char *const *words, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		if (len && strlen(words[i]) == len && !strncmp(words[i], word, len))
			return i;
	}
	return -1;
}

/*
 * Cut the next word: it ends before a blank or a ">", which is a word of its own; between quotes
 * it has these, too.  Return: NULL if there is none, or a quote has no end.
 */
static const char *next_word(const char **s, char *to)
{
	const char *from = *s + strspn(*s, BLANKS);
	size_t len;
	char quote;

	if (*from == '\'' || *from == '"') {
		quote = *from++;
		len = strcspn(from, (char[]){ quote, '\0' });
		if (!from[len] || !len)
			return NULL;
		*s = from + len + 1;
	} else {
		len = *from == '>' ? 1 : strcspn(from, BLANKS ">'\"");
		*s = from + len;
	}
	memcpy(to, from, len);
	to[len] = '\0';
	return len ? to : NULL;
}

/* It does not begin with the first of these. */
static bool is_name(const char *word, size_t len)
{
	static const char letters[] =
		"-_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	size_t i;

	for (i = 0; i < len; i++) {
		if (!strchr(i ? letters : letters + 1, word[i]))
			return false;
	}
	return len && len < RULE_NAME;
}

static bool take_ops(struct rule *rule, const char *word)
{
	unsigned int found = 0;
	size_t len;
	int op;

	for (;; word += len + 1) {
		len = strcspn(word, "|");
		op = find_word(word, len, ops, ARRAY_SIZE(ops));
		if (op < 0)
			return false;
		found |= 1U << op;
		if (!word[len])
			break;
	}
	rule->ops = found;
	return true;
}

/* A number with one of @units behind it, or none; each is @step times the one before. */
static bool take_number(const char *word, const char *units, uint64_t step, uint64_t *to)
{
	size_t len = strspn(word, "0123456789");
	const char *unit = word[len] ? strchr(units, word[len]) : NULL;
	char digits[RULE_TEXT];
	const char *u;

	if (word[len] && (!unit || word[len + 1]))
		return false;
	memcpy(digits, word, len);
	digits[len] = '\0';
	if (!text_parse_u64(digits, to))
		return false;
	for (u = units; unit && u <= unit; u++) {
		if (__builtin_mul_overflow(*to, step, to))
			return false;
	}
	return true;
}

/* 90% or 99.5% */
static bool take_percent(const char *word, uint64_t *to)
{
	unsigned int whole, part = 0;
	char dot, tail;
	size_t len = strspn(word, "0123456789.");

	if (!len || len > 5 || strcmp(word + len, "%") || !isdigit((unsigned char)*word))
		return false;
	if (sscanf(word, "%u%c", &whole, &dot) == 2 && dot == '.' &&
	    (sscanf(word, "%u.%1u%c", &whole, &part, &tail) != 3 || tail != '%'))
		return false;
	*to = whole * 100 + part * 10;
	return *to < RULE_FULL;
}

static const char *take_value(struct rule *rule, const char *word)
{
	switch (rule->what) {
	case RULE_P99:
	case RULE_MEAN:
		return !isdigit((unsigned char)word[strlen(word) - 1]) &&
		       text_parse_nsecs(word, 1, &rule->limit) ? NULL :
		       "its value is not a time, as 50ms";
	case RULE_UTIL:
		return take_percent(word, &rule->limit) ? NULL :
		       "its value is not a part of the time below 100%, as 90%";
	case RULE_BYTES:
		return take_number(word, "KMGT", 1024, &rule->limit) ? NULL :
		       "its value is not a number of bytes, as 200M";
	default:
		return take_number(word, "kM", 1000, &rule->limit) ? NULL :
		       "its value is not a number, as 5k";
	}
}

/* on DISK, of unit|program|user PATTERN: each once */
static const char *take_tail(struct rule *rule, const char **s)
{
	char word[RULE_TEXT];
	const char *disk;
	int of;

	while ((*s)[strspn(*s, BLANKS)]) {
		if (!next_word(s, word))
			return "a quote has no end";
		if (!strcmp(word, "on") && !*rule->disk) {
			if (!next_word(s, word))
				return "no disk follows \"on\"";
			disk = strncmp(word, "/dev/", 5) ? word : word + 5;
			if (!*disk || strlen(disk) >= sizeof(rule->disk))
				return "the disk after \"on\" is none";
			strcpy(rule->disk, disk);
		} else if (!strcmp(word, "of") && rule->of == RULE_OF_ALL) {
			if (!next_word(s, word))
				return "no unit, program or user follows \"of\"";
			of = find_word(word, strlen(word), ofs, NR_RULE_OFS);
			if (of < 0)
				return "neither unit, program nor user follows \"of\"";
			if (!next_word(s, rule->pattern))
				return "no pattern follows unit, program or user";
			rule->of = of;
		} else {
			return "only \"on DISK\" and \"of unit|program|user PATTERN\" may follow";
		}
	}
	return NULL;
}

static const char *take_name(struct rule *rule, const char **s)
{
	const char *from = *s + strspn(*s, BLANKS);
	size_t len = strcspn(from, BLANKS ":>'\"");

	if (from[len] != ':')
		return NULL;
	if (!is_name(from, len))
		return "its name is too long, or has more than letters, digits, - and _";
	memcpy(rule->name, from, len);
	*s = from + len + 1;
	return NULL;
}

static const char *take_rule(struct rule *rule, const char *s)
{
	const char *wrong = take_name(rule, &s);
	char word[RULE_TEXT];
	int what;

	if (wrong)
		return wrong;
	if (!next_word(&s, word))
		return "it is empty";
	if (take_ops(rule, word) && !next_word(&s, word))
		return "nothing is compared";
	what = find_word(word, strlen(word), rule_whats, NR_RULE_WHATS);
	if (what < 0)
		return "none of p99, mean, util, errors, bytes/s and ios/s is compared";
	rule->what = what;
	if (!next_word(&s, word) || strcmp(word, ">"))
		return "no \">\" follows what is compared";
	if (!next_word(&s, word))
		return "no value follows \">\"";
	wrong = take_value(rule, word);
	if (!wrong)
		wrong = take_tail(rule, &s);
	if (!wrong && what == RULE_UTIL && (rule->ops || rule->of))
		return "util is a disk's: it has no read or write, and no \"of\"";
	return wrong;
}

/**
 * rule_parse - a rule out of its text
 * @rule: the result; undefined after an error
 * @text: may be any bytes
 *
 * Return: NULL, or what is wrong.
 */
const char *rule_parse(struct rule *rule, const char *text)
{
	const char *wrong, *s;

	memset(rule, 0, sizeof(*rule));
	if (strlen(text) >= RULE_TEXT)
		return "it is too long";
	for (s = text; *s; s++) {
		if (iscntrl((unsigned char)*s) && *s != '\t')
			return "it has control characters";
	}
	wrong = take_rule(rule, text);
	if (!wrong && !*rule->name)
		strcpy(rule->name, names[rule->what]);
	return wrong;
}

bool rule_wants_disk(const struct rule *rule, const char *disk)
{
	return !*rule->disk || !fnmatch(rule->disk, disk, FNM_NOESCAPE);
}

/* Whether the pattern of a rule that has one is that of a unit's, program's or user's name. */
bool rule_is_of(const struct rule *rule, const char *text)
{
	char shown[ESCAPE_SIZE(RULE_TEXT)];

	if (!fnmatch(rule->pattern, text, FNM_NOESCAPE))
		return true;
	/* a user is also meant by his name as it is, as -u means him: CORP\ann, not CORP\134ann */
	if (rule->of != RULE_OF_USER || !strchr(text, '\\'))
		return false;
	escape_text(shown, sizeof(shown), rule->pattern, sizeof(rule->pattern));
	return !fnmatch(shown, text, FNM_NOESCAPE);
}

/* Whether the rule is about it. */
bool rule_wants(const struct rule *rule, const struct usage_key *key)
{
	const char *const texts[NR_RULE_OFS] = { NULL, key->unit, key->program, key->user };

	return (!rule->ops || rule->ops & 1U << key->op) && rule_wants_disk(rule, key->disk) &&
	       (rule->of == RULE_OF_ALL || rule_is_of(rule, texts[rule->of]));
}

static uint64_t per_second(uint64_t n, int64_t span_ns)
{
	/* in doubles: the product may be too large */
	return span_ns > 0 ? (uint64_t)((double)n * SECOND / (double)span_ns) : 0;
}

/* What is compared with the limit of a rule. */
uint64_t rule_value(enum rule_what what, const struct rule_sums *sums)
{
	uint64_t part;

	switch (what) {
	case RULE_P99:
		return usage_percentile(sums->lat, 0.99);
	case RULE_MEAN:
		return sums->ios ? sums->ns / sums->ios : 0;
	case RULE_UTIL:
		/* the kernel counts an IO that lasts when it looks, so it may be a bit more */
		part = per_second(sums->busy_ms * (RULE_FULL / 1000), sums->span_ns);
		return part < RULE_FULL ? part : RULE_FULL;
	case RULE_ERRORS:
		return sums->errors;
	case RULE_BYTES:
		return per_second(sums->bytes, sums->span_ns);
	default:
		return per_second(sums->ios, sums->span_ns);
	}
}

/* A value as text; @to has RULE_VALUE bytes.  Example: "97 %". */
const char *rule_text(enum rule_what what, uint64_t value, char *to)
{
	char number[TEXT_NUMBER];

	switch (what) {
	case RULE_P99:
	case RULE_MEAN:
		text_nsecs(to, value);
		break;
	case RULE_UTIL:
		snprintf(to, RULE_VALUE, "%llu %%", (unsigned long long)(value + 50) / 100);
		break;
	case RULE_BYTES:
		snprintf(to, RULE_VALUE, "%s/s", text_bytes(number, value));
		break;
	default:
		snprintf(to, RULE_VALUE, "%llu%s", (unsigned long long)value,
			 what == RULE_IOS ? "/s" : "");
	}
	return to;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Texts: a third valid, half of them nearly valid, the rest random bytes.
 *
 * Some begin with a line of the corpus: an input by which the kernel once ran code that it had
 * not run before.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define BLANKS		" \t\n\v\f\r"
#define MAX_LINES	512

static const char *const numbers[] = {
	"0", "1", "2", "3", "4", "5", "127", "128", "255", "256", "257", "4095", "4096", "65535",
	"65536", "262144", "262145", "786432", "786433", "16777216", "16777217", "315360000",
	"315360001", "2147483647", "2147483648", "4294967295", "4294967296", "4294967297",
	"4294967300", "9223372036854775807", "9223372036854775808", "18446744073709551615",
	"18446744073709551616", "18446744073709551620", "99999999999999999999999", "-1", "-0", "+1",
	"++1", "00", "01", "010", "08", "0x1", "0X10", "0x", "x1", "1e1", "1.0", "1,", "1;", "0b1",
	"0x10000000000000000", "02000000000000000000000", "\xd9\xa3", "\xef\xbc\x91",
};

static const char *const words[] = {
	"R", "A", "W", "D", "F", "RAWDF", "WRRW", "---", "disabled", "offset", "size", "wait_time",
	"io_time", "total_time", "seek_dist", "age", "==", "!=", "<=", ">=", "<", ">", "&", "&&",
	"|", "||", "!", "(", ")", "=", "size > 1", "split", "first", "thread", "process", "cgroup",
	"user", "on", "off", "y", "n", "true", "false", "t", "f", "o", ":", "/", "//", "/dev/",
	"..", "/dev/null", "1:3", "vda", "!vda", "!", "!!", "4095:0", "0:0", "%s%n", "\\n", "\\0",
	"caf\xc3\xa0", "\xc3\xa0", "\xa0", "\xe2\x80\xa8", "\xff\xfe", "\xc0\x80",
};

static const char bytes[] = "\0\1\7\33\177\200\240\377\303\n\t\v\f\r !()&|,:/-+x<>=%\\'\"";

static struct {
	char *line[MAX_LINES];
	size_t len[MAX_LINES];
	unsigned int nr;
} corpus[NR_KINDS];

/* --- a text as a line: bytes that are not printable, and the backslash, are \xNN */

const char *text_escape(const char *data, size_t len)
{
	static char lines[2][4 * 65536 + 8];
	static int nr;
	/* one sentence may have two of them */
	char *line = lines[nr ^= 1], *to = line;
	size_t i;

	for (i = 0; i < len && i < 65536; i++) {
		unsigned char c = data[i];

		if (c < ' ' || c > '~' || c == '\\')
			to += sprintf(to, "\\x%02x", c);
		else
			*to++ = c;
	}
	strcpy(to, i < len ? "..." : "");
	return line;
}

static size_t text_unescape(char *line)
{
	char *from = line, *to = line;
	unsigned int c;

	while (*from && *from != '\n') {
		if (sscanf(from, "\\x%2x", &c) == 1) {
			*to++ = c;
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	return to - line;
}

/* Later texts may begin with this one. */
void text_keep(enum kind kind, const char *data, size_t len)
{
	unsigned int nr = corpus[kind].nr;
	char *copy;

	if (nr == MAX_LINES)
		return;
	copy = malloc(len + 1);
	memcpy(copy, data, len);
	corpus[kind].line[nr] = copy;
	corpus[kind].len[nr] = len;
	corpus[kind].nr++;
}

/* @folder has KIND.txt, a text a line. */
void text_begin(const char *folder)
{
	char path[512], line[65536];
	int kind;
	FILE *f;

	for (kind = 0; kind < NR_KINDS; kind++) {
		snprintf(path, sizeof(path), "%s/%s.txt", folder, kind_names[kind]);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			text_keep(kind, line, text_unescape(line));
		if (f)
			fclose(f);
	}
}

/* --- changes of a text */

static void put(struct text *x, size_t at, const char *data, size_t len)
{
	if (x->len + len > TEXT_MAX - 1)
		return;
	memmove(x->data + at + len, x->data + at, x->len - at);
	memcpy(x->data + at, data, len);
	x->len += len;
}

static void cut(struct text *x, size_t at, size_t len)
{
	memmove(x->data + at, x->data + at + len, x->len - at - len);
	x->len -= len;
}

static void add(struct text *x, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	x->len += vsnprintf(x->data + x->len, TEXT_MAX - x->len, format, args);
	va_end(args);
}

static const char *one_of(struct rng *r, const char *const *list, size_t nr)
{
	return list[rng_below(r, nr)];
}

#define ONE_OF(r, list)	one_of(r, list, sizeof(list) / sizeof((list)[0]))

/* A number of any size, small ones as likely as great ones. */
static uint64_t any_number(struct rng *r)
{
	return rng_next(r) >> rng_below(r, 64);
}

static bool blank(char c)
{
	return c && strchr(BLANKS, c);
}

/* A word of the text; its length is 0 if there is none. */
static size_t word_of(struct rng *r, const struct text *x, size_t *at)
{
	size_t i, n = 0, len = 0;

	for (i = 0; i < x->len; i++) {
		if (blank(x->data[i]) || (i && !blank(x->data[i - 1])))
			continue;
		/* each of them as likely */
		if (rng_one_in(r, ++n))
			*at = i;
	}
	while (n && *at + len < x->len && !blank(x->data[*at + len]))
		len++;
	return len;
}

static void change_word(struct rng *r, struct text *x, int how)
{
	size_t at = 0, to = 0, len = word_of(r, x, &at);
	char word[256], number[32];
	const char *s;

	if (!len || len >= sizeof(word))
		return;
	memcpy(word, x->data + at, len);
	word[len] = '\0';
	switch (how) {
	case 0:
		cut(x, at, len);
		break;
	case 1:
		put(x, at, " ", 1);
		put(x, at, word, len);
		break;
	case 2:
		cut(x, at, len);
		word_of(r, x, &to);
		put(x, to, " ", 1);
		put(x, to, word, len);
		break;
	case 3:
		/* the same number in 32 or 64 bits, but greater */
		if (word[0] < '0' || word[0] > '9')
			return;
		snprintf(number, sizeof(number), "%llu", strtoull(word, NULL, 10) + (1ULL << 32));
		cut(x, at, strspn(word, "0123456789"));
		put(x, at, number, strlen(number));
		break;
	default:
		s = how == 4 ? ONE_OF(r, numbers) : ONE_OF(r, words);
		cut(x, at, len);
		put(x, at, s, strlen(s));
		break;
	}
}

/* To a length at which something ends: the limit of a write, a page, 1 MiB. */
static void grow(struct rng *r, struct text *x)
{
	static const size_t sizes[] = { 64, 255, 256, 4094, 4095, 4096, 4097, 8191, 8192, 8193 };
	size_t size = sizes[rng_below(r, 10)];
	bool inside = x->len && rng_one_in(r, 3);

	if (rng_one_in(r, 60))
		size = rng_one_in(r, 4) ? 1 << 20 : 65535 + rng_below(r, 3);
	for (; inside && 2 * x->len <= size; x->len *= 2)
		memcpy(x->data + x->len, x->data, x->len);
	while (x->len < size) {
		if (rng_one_in(r, 2))
			put(x, x->len, " ", 1);
		else if (x->len + 16 <= size)
			put(x, x->len, "\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n", 16);
		else
			put(x, x->len, "\n", 1);
	}
}

static void change(struct rng *r, struct text *x)
{
	size_t at = rng_below(r, x->len + 1), left = x->len - at;
	int how = rng_below(r, 16);
	const char *s;

	switch (how) {
	case 0 ... 2:
		put(x, at, &bytes[rng_below(r, sizeof(bytes) - 1)], 1);
		break;
	case 3:
		cut(x, at, left ? 1 + rng_below(r, left < 8 ? left : 8) : 0);
		break;
	case 4 ... 11:
		change_word(r, x, how < 10 ? how - 4 : 5);
		break;
	case 12:
		x->len = at;
		break;
	case 13:
		s = rng_one_in(r, 2) ? ONE_OF(r, numbers) : ONE_OF(r, words);
		put(x, at, s, strlen(s));
		break;
	case 14:
		if (left)
			x->data[at] ^= 1 << rng_below(r, 8);
		break;
	default:
		grow(r, x);
		break;
	}
}

/* --- valid texts */

static void make_number(struct rng *r, const struct target *t, struct text *x)
{
	switch (rng_below(r, 6)) {
	case 0:
		add(x, "%lu", t->min);
		break;
	case 1:
		add(x, "%lu", t->max);
		break;
	case 2:
		add(x, "%s%lu", rng_one_in(r, 2) ? "+" : "00", t->min + 1);
		break;
	default:
		add(x, "%lu", t->min + any_number(r) % (t->max - t->min + 1));
		break;
	}
}

static void make_spec(struct rng *r, struct text *x)
{
	uint64_t bound = 0;
	int i, n = 1 + rng_below(r, 6);

	if (rng_one_in(r, 12)) {
		add(x, "%s", rng_one_in(r, 2) ? "" : "--- disabled");
		return;
	}
	for (i = 0; i < n; i++)
		add(x, "%c", "RAWDF"[rng_below(r, 5)]);
	add(x, " %s", words[9 + rng_below(r, 7)]);
	for (i = 0; i < 9; i++) {
		uint64_t step = any_number(r) >> 8;

		bound = step > UINT64_MAX - bound ? UINT64_MAX : bound + step;
		if (i == 8 && rng_one_in(r, 2))
			bound = 0;
		add(x, rng_one_in(r, 4) ? " 0x%lx" : " %lu", bound);
	}
}

static void make_comparison(struct rng *r, struct text *x)
{
	add(x, "%s", words[9 + rng_below(r, 7)]);
	add(x, "%s%s%s", rng_one_in(r, 2) ? " " : "", words[16 + rng_below(r, 7)],
	    rng_one_in(r, 2) ? "\t" : "");
	add(x, rng_one_in(r, 3) ? "0x%lx" : rng_one_in(r, 6) ? "0%lo" : "%lu", any_number(r));
}

static void make_expression(struct rng *r, struct text *x, int depth)
{
	int i, n = 1 + rng_below(r, 3);

	for (i = 0; i < n; i++) {
		if (i)
			add(x, "%s", rng_one_in(r, 2) ? " && " : "||");
		while (rng_one_in(r, 5))
			add(x, "!");
		if (depth && rng_one_in(r, 3)) {
			add(x, "(");
			make_expression(r, x, depth - 1);
			add(x, ")");
		} else if (x->len && x->data[x->len - 1] == '!') {
			add(x, "(");
			make_comparison(r, x);
			add(x, ")");
		} else {
			make_comparison(r, x);
		}
	}
}

/* At the limits: 64 comparisons, 32 levels, or one more. */
static void make_filter(struct rng *r, struct text *x)
{
	int i, n;

	switch (rng_below(r, 14)) {
	case 0:
		add(x, "0");
		break;
	case 1:
		n = 62 + rng_below(r, 5);
		for (i = 0; i < n; i++)
			add(x, "%sage<%d", i ? (rng_one_in(r, 2) ? "&&" : "||") : "", i);
		break;
	case 2:
		n = 30 + rng_below(r, 5);
		for (i = 0; i < n; i++)
			add(x, "%s(", rng_one_in(r, 3) ? "!" : "");
		make_comparison(r, x);
		for (i = 0; i < n; i++)
			add(x, ")");
		break;
	default:
		make_expression(r, x, 4);
		break;
	}
}

static void make_enable(struct rng *r, struct text *x)
{
	static const char *const switches[] = {
		"0", "1", "n", "y", "no", "yes", "off", "on", "f", "t", "false", "true",
	};
	const char *word;

	/* what switches takes a while */
	do {
		word = ONE_OF(r, switches);
	} while (!model_is_current(ENABLE, word) && !rng_one_in(r, 24));
	add(x, "%s", word);
}

static void make_valid(struct rng *r, const struct target *t, struct text *x)
{
	size_t i, n;

	switch (t->kind) {
	case NUMBER:
	case TRUST:
		make_number(r, t, x);
		break;
	case WORD:
		for (n = 0; t->words[n]; n++)
			;
		add(x, "%s", t->words[rng_below(r, n)]);
		break;
	case ENABLE:
		make_enable(r, x);
		break;
	case DEVS:
		for (n = rng_below(r, 4), i = 0; i <= n; i++)
			add(x, "%s%s", i ? " " : "", devs_word(r));
		break;
	case SPEC:
		make_spec(r, x);
		break;
	case FILTER:
		make_filter(r, x);
		break;
	case BOOL:
		add(x, "%c", "yYnN01"[rng_below(r, 6)]);
		break;
	default:
		add(x, "1");
		break;
	}
	for (i = 0; (t->kind == WORD || t->kind == ENABLE) && i < x->len; i++) {
		if (rng_one_in(r, 4) && x->data[i] >= 'a')
			x->data[i] ^= 0x20;
	}
	if (rng_one_in(r, 2))
		add(x, "\n");
	if (t->kind != TRUST && t->kind != BOOL && rng_one_in(r, 30))
		grow(r, x);
}

static void make_random(struct rng *r, struct text *x)
{
	static const size_t most[] = { 4, 16, 64, 256, 4098 };
	size_t i, n = rng_below(r, most[rng_below(r, rng_one_in(r, 10) ? 5 : 4)]);
	int range = rng_below(r, 3);

	for (i = 0; i < n; i++)
		x->data[i] = range == 0 ? (char)rng_next(r) :
			     range == 1 ? (char)(' ' + rng_below(r, 95)) :
			     "0123456789 \n"[rng_below(r, 12)];
	x->len = n;
}

void text_make(struct rng *r, const struct target *t, struct text *x)
{
	unsigned int kind = rng_below(r, 100), n = corpus[t->kind].nr, i;

	x->len = 0;
	if (kind >= 85) {
		make_random(r, x);
		return;
	}
	if (n && rng_one_in(r, 4)) {
		i = rng_below(r, n);
		put(x, 0, corpus[t->kind].line[i], corpus[t->kind].len[i]);
	} else {
		make_valid(r, t, x);
	}
	if (kind < 35)
		return;
	for (i = 1 + rng_below(r, 3); i; i--)
		change(r, x);
}

// SPDX-License-Identifier: GPL-2.0
/*
 * Filters: what they mean, against two oracles, and what is said of a text
 * that is none.
 */
#include "io/filter.h"
#include "filter_oracle.h"
#include "test.h"

#define NR_RANDOM	100000

/* By enum iob_field. */
#define FIELDS(...)	{ .v = { __VA_ARGS__ } }

static bool match(const char *text, const struct iob_fields *v)
{
	struct iob_filter f;
	struct iob_filter_err err;

	memset(&f, 0xaa, sizeof(f));
	if (iob_filter_parse(text, &f, &err)) {
		fail("'%s' refused at %d: %s", text, err.pos, err.msg);
		return false;
	}
	return iob_filter_match(&f, v);
}

static void documented(void)
{
	static const char text[] =
		"offset >= 16384 && size < 131072 && io_time >= 10000";
	static const struct {
		struct iob_fields v;
		bool want;
	} cases[] = {
		{ FIELDS(16384, 131071, 0, 10000), true },
		{ FIELDS(65535, 0, 0, U64_MAX), true },
		{ FIELDS(16383, 131071, 0, 10000), false },
		{ FIELDS(16384, 131072, 0, 10000), false },
		{ FIELDS(16384, 131071, 0, 9999), false },
		{ FIELDS(0, 0, 0, 0), false },
	};
	/* of events.rst, with fields of ours */
	static const char nested[] =
		"((size >= 10 && size < 15) || size == 17) && age != 3";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (match(text, &cases[i].v) != cases[i].want)
			fail("'%s' case %zu", text, i);
	}
	for (i = 0; i < 20; i++) {
		struct iob_fields v = FIELDS(0, i, 0, 0, 0, i & 3);
		bool want = ((i >= 10 && i < 15) || i == 17) && (i & 3) != 3;

		if (match(nested, &v) != want)
			fail("'%s' size %zu", nested, i);
	}
}

/* Every operator and field, with @a in the field and @b for the number. */
static void check_operators(u64 a, u64 b)
{
	static const char * const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", "&"
	};
	const bool want[] = {
		a == b, a != b, a < b, a <= b, a > b, a >= b, (a & b) != 0
	};
	size_t i, op, field;
	char text[64];

	for (i = 0; i < ARRAY_SIZE(ops) * IOB_NR_FIELDS; i++) {
		struct iob_fields v;

		op = i / IOB_NR_FIELDS;
		field = i % IOB_NR_FIELDS;
		memset(&v, 0x55, sizeof(v));
		v.v[field] = a;
		snprintf(text, sizeof(text), "%s%s%llu",
			 iob_field_name(field), ops[op], b);
		if (match(text, &v) != want[op])
			fail("%s for %llu", text, a);
		snprintf(text, sizeof(text), "!%s %s\t0x%llx",
			 iob_field_name(field), ops[op], b);
		if (match(text, &v) == want[op])
			fail("%s for %llu", text, a);
	}
}

static void operators(void)
{
	static const u64 values[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 0x7fffffff, 0x80000000ULL, 0xffffffffULL,
		0x100000000ULL, S64_MAX, 1ULL << 63, U64_MAX - 1, U64_MAX,
	};
	size_t i, j;

	for (i = 0; i < ARRAY_SIZE(values); i++) {
		for (j = 0; j < ARRAY_SIZE(values); j++)
			check_operators(values[i], values[j]);
	}
}

/*
 * Each text over a, b, c, d (bits of the case) against C's own precedence:
 * the letters stand for "FIELD == 1".
 */
static void precedence(void)
{
	static const char * const fields[] = {
		"offset", "size", "wait_time", "io_time"
	};
#define CASES								\
	C(a || b && c) C(a && b || c) C((a || b) && c) C(a && (b || c))	\
	C(!a && b) C(!(a && b)) C(!!a) C(!(!a)) C(!!!(a || b))		\
	C(!a || b && !c) C(!(a || b) && c) C(!(a || !b) || !(c && !d))	\
	C(a && !(!b || (c && d)) || d || a && !c)			\
	C(a || b || c && d) C(a && b && c || d) C(a && b || c && d)	\
	C((a || b) && (c || d)) C(((a))) C((((a) || ((b)))) && (c))	\
	C(!((a && b) || (c && d))) C(!(!(a && b) && !(c && d)))		\
	C(a && (b || c) && d) C(a || b && (c || d) && a || d)		\
	C(a && (b || (c && (d || !a)))) C((((a && b) || c) && d) || !b)	\
	C(!(a && !(b && !(c && !(d)))))
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#define C(e)	#e,
	static const char * const texts[] = { CASES };
#undef C
#define C(e)	e,
	unsigned int bits;

	for (bits = 0; bits < 16; bits++) {
		bool a = bits & 1, b = bits & 2, c = bits & 4, d = bits & 8;
		const bool want[] = { CASES };
		struct iob_fields v = FIELDS(a, b, c, d);
		char text[512];
		size_t i;

		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			const char *s;
			int n = 0;

			for (s = texts[i]; *s; s++) {
				if (*s >= 'a' && *s <= 'd')
					n += sprintf(text + n, "%s == 1",
						     fields[*s - 'a']);
				else
					text[n++] = *s;
			}
			text[n] = '\0';
			if (match(text, &v) != want[i])
				fail("%s for bits %u", texts[i], bits);
		}
	}
#undef C
#pragma GCC diagnostic pop
}

static void spelling(void)
{
	static const char * const yes[] = {
		"size==4096", " size == 4096 ", "\tsize\n==\r4096\v\f",
		"size==0x1000", "size==0X1000", "size==010000",
		"!size!=4096", "! size != 4096", "! ! size == 4096",
		"(size==4096)", "( ( size == 4096 ) )", "!(!(size==4096))",
		"size>=4096&&size<=4096", "size<1||size>1", "size&4096",
		"size & 4096 && size & 0x1000", "size&4096&&!size&1",
		"!(size&4096)||size==4096", "size != 18446744073709551615",
	};
	static const struct iob_fields v = FIELDS(0, 4096);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(yes); i++) {
		if (!match(yes[i], &v))
			fail("'%s' does not match", yes[i]);
	}
}

#define OP	"Expected an operator (== != < <= > >= &)"
#define FIELD	"Expected a field"
#define NUMBER	"Expected a number"
#define JOINT	"Expected && or ||"
#define JOINT_IN "Expected &&, || or )"

static void errors(void)
{
	static const struct {
		const char *text;
		int pos;
		const char *msg;
	} cases[] = {
		{ "", 0, "No filter found" },
		{ "  \n", 0, "No filter found" },
		{ "0", 0, "Field not found" },
		/* fields */
		{ "ofset > 1", 0, "Field not found" },
		{ "size > 1 && SIZE > 1", 12, "Field not found" },
		{ "size > 1 &&  sizes > 1", 13, "Field not found" },
		{ "size.ustring == 1", 4, OP },
		{ "> 1", 0, FIELD },
		{ "!", 1, FIELD },
		{ "!=1", 0, FIELD },
		{ "! = 1", 2, FIELD },
		{ "size > 1 &&", 11, FIELD },
		{ "size > 1 && ", 12, FIELD },
		{ "size > 1 && && age > 1", 12, FIELD },
		{ "|| size > 1", 0, FIELD },
		{ "()", 1, FIELD },
		{ "size > 1 && ()", 13, FIELD },
		{ "(size > 1 &&)", 12, FIELD },
		{ "\xc3\xa4 > 1", 0, FIELD },
		/* operators */
		{ "size", 4, OP },
		{ "size ", 5, OP },
		{ "size 1", 5, OP },
		{ "size = 1", 5, OP },
		{ "size =< 1", 5, OP },
		{ "size ~ 1", 5, OP },
		{ "size ! = 1", 5, OP },
		{ "size | 1", 5, OP },
		{ "size && age > 1", 5, OP },
		{ "(size) > 1", 5, OP },
		{ "1 < size", 0, "Field not found" },
		{ "size size > 1", 5, OP },
		/* numbers */
		{ "size >", 6, NUMBER },
		{ "size > ", 7, NUMBER },
		{ "size > age", 7, NUMBER },
		{ "size >> 1", 6, NUMBER },
		{ "size <> 1", 6, NUMBER },
		{ "size === 1", 7, NUMBER },
		{ "size !== 1", 7, NUMBER },
		{ "size > (1)", 7, NUMBER },
		{ "size > \"1\"", 7, NUMBER },
		{ "size > _1", 7, NUMBER },
		{ "size > && age > 1", 7, NUMBER },
		{ "size > -", 7, NUMBER },
		{ "size > -1", 7, "Number has a sign, fields have none" },
		{ "size > +1", 7, "Number has a sign, fields have none" },
		{ "size > 10k", 7, "Malformed number" },
		{ "size > 0x", 7, "Malformed number" },
		{ "size > 08", 7, "Malformed number" },
		{ "size > 1_000", 7, "Malformed number" },
		{ "size > 1.5", 8, JOINT },
		{ "size > 18446744073709551616", 7,
		  "Number out of range, more than 64 bits" },
		{ "size > 0x10000000000000000", 7,
		  "Number out of range, more than 64 bits" },
		/* what joins */
		{ "size > 1 age > 1", 9, JOINT },
		{ "size > 1 & age > 1", 9, JOINT },
		{ "size > 1 | age > 1", 9, JOINT },
		{ "size > 1 and age > 1", 9, JOINT },
		{ "size & 1 & 2", 9, JOINT },
		{ "size > 1 !", 9, JOINT },
		{ "size > 1 (age > 1)", 9, JOINT },
		{ "size > 1; age > 1", 8, JOINT },
		{ "size > 1 &&& age > 1", 11, FIELD },
		{ "(size > 1 age > 1)", 10, JOINT_IN },
		{ "(size > 1) age > 1", 11, JOINT },
		/* parentheses */
		{ "(size > 1", 0, "'(' without ')'" },
		{ "size > 1 && (age > 1", 12, "'(' without ')'" },
		{ "((size > 1) && age > 1", 0, "'(' without ')'" },
		{ "(size > 1 && ((age > 1)", 13, "'(' without ')'" },
		{ "(", 1, FIELD },
		{ "size > 1)", 8, "')' without '('" },
		{ "(size > 1)) && (age > 1)", 10, "')' without '('" },
		{ ")", 0, FIELD },
		{ "size > 1 && )", 12, FIELD },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct iob_filter f;
		struct iob_filter_err err = { -1, "nothing said" };
		int ret = iob_filter_parse(cases[i].text, &f, &err);

		if (ret != -EINVAL || err.pos != cases[i].pos ||
		    strcmp(err.msg, cases[i].msg))
			fail("'%s' returns %d at %d: %s", cases[i].text, ret,
			     err.pos, err.msg);
	}
}

static char *repeat(char *to, const char *s, int times)
{
	while (times-- > 0)
		to = stpcpy(to, s);
	return to;
}

static void limits(void)
{
	static const struct iob_fields v = FIELDS(0, 2);
	struct iob_filter f;
	struct iob_filter_err err;
	char text[4096], *s;
	int ret;

	/* one more than fits, in breadth and depth; "!" is not limited */
	repeat(stpcpy(text, "size == 2"), " && size > 1", 63);
	if (!match(text, &v))
		fail("64 comparisons do not match");
	repeat(stpcpy(text, "size == 2"), " && size > 1", 64);
	ret = iob_filter_parse(text, &f, &err);
	if (ret != -E2BIG || err.pos != 9 + 63 * 12 + 4 ||
	    strcmp(err.msg, "Too many comparisons, 64 at most"))
		fail("65 comparisons: %d at %d: %s", ret, err.pos, err.msg);

	s = stpcpy(repeat(text, "(", 32), "size == 2");
	repeat(s, ")", 32);
	if (!match(text, &v))
		fail("32 parentheses do not match");
	s = stpcpy(repeat(text, "(", 33), "size == 2");
	repeat(s, ")", 33);
	ret = iob_filter_parse(text, &f, &err);
	if (ret != -E2BIG || err.pos != 32 ||
	    strcmp(err.msg, "Too deeply nested, 32 levels at most"))
		fail("33 parentheses: %d at %d: %s", ret, err.pos, err.msg);

	/* depth is what is open at once */
	s = repeat(text, "(size == 2) && ", 60);
	stpcpy(s, "size == 2");
	if (!match(text, &v))
		fail("60 parentheses side by side do not match");

	stpcpy(repeat(text, "!", 4000), "size == 2");
	if (!match(text, &v))
		fail("4000 times ! does not match");
	stpcpy(repeat(text, "!", 4001), "size == 2");
	if (match(text, &v))
		fail("4001 times ! matches");
}

/* No pointers inside; the source may go. */
static void copies(void)
{
	static const struct iob_fields v = FIELDS(0, 2);
	struct iob_filter *f = malloc(sizeof(*f)), copy;
	struct iob_filter_err err = { -7, NULL };
	char *text = strdup("size == 1 || !(size != 2)");

	if (iob_filter_parse(text, f, &err))
		fail("refused");
	if (err.pos != -7 || err.msg)
		fail("an error was told without one");
	free(text);
	memcpy(&copy, f, sizeof(copy));
	memset(f, 0xaa, sizeof(*f));
	free(f);
	if (!iob_filter_match(&copy, &v))
		fail("the copy does not match");
	if (!iob_filter_uses(&copy, IOB_FIELD_SIZE) ||
	    iob_filter_uses(&copy, IOB_FIELD_AGE) ||
	    iob_filter_uses(&copy, IOB_FIELD_OFFSET))
		fail("uses other fields");
}

static void explanations(void)
{
	static const struct {
		const char *text;
		int pos;
		const char *want;
	} cases[] = {
		{ "size < 4096 && ofset > 3", 15,
		  "size < 4096 && ofset > 3\n"
		  "               ^\n"
		  "parse_error: M" },
		{ "", 0, "\n^\nparse_error: M" },
		{ "x", 0, "x\n^\nparse_error: M" },
		{ "x", 1, "x\n ^\nparse_error: M" },
		/* what does not take one column, or does harm */
		{ "a\tb\nc\rd", 7, "a b c d\n       ^\nparse_error: M" },
		{ "\x1b[31m\x7f\x01", 7,
		  "?[31m??\n       ^\nparse_error: M" },
		{ "\xc3\xa4 > 1\xff", 3, "?? > 1?\n   ^\nparse_error: M" },
		{ "%s%n%d", 2, "%s%n%d\n  ^\nparse_error: M" },
		/* a position that is none */
		{ "abc", 99, "abc\n   ^\nparse_error: M" },
		{ "abc", -1, "abc\n^\nparse_error: M" },
	};
	size_t i, size, len;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct iob_filter_err err = { cases[i].pos, "M" };
		size_t enough = iob_filter_explain_size(strlen(cases[i].text));

		len = strlen(cases[i].want);
		for (size = 0; size <= enough; size++) {
			size_t want = size > len ? len : size ? size - 1 : 0;
			char *buf = malloc(size ? size : 1);
			int got = iob_filter_explain(cases[i].text, &err, buf,
						     size);

			if (got != (int)want ||
			    (size && (memcmp(buf, cases[i].want, want) ||
				      buf[want])))
				fail("case %zu in %zu bytes", i, size);
			free(buf);
		}
	}
}

/* The longest write, wrong at its very end, is explained whole. */
static void long_explanation(void)
{
	char text[4097], *buf;
	struct iob_filter f;
	struct iob_filter_err err;
	size_t size;

	memset(text, ' ', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	memcpy(text, "size >", 6);
	text[sizeof(text) - 2] = '+';
	text[sizeof(text) - 3] = '1';
	if (iob_filter_parse(text, &f, &err) != -EINVAL || err.pos != 4095 ||
	    strcmp(err.msg, JOINT))
		fail("at %d: %s", err.pos, err.msg);
	size = iob_filter_explain_size(strlen(text));
	buf = malloc(size);
	iob_filter_explain(text, &err, buf, size);
	if (strlen(buf) != 4096 + 1 + 4095 + 2 + strlen("parse_error: " JOINT))
		fail("%zu bytes of explanation", strlen(buf));
	free(buf);
}

/* A tree, made at random: written as text, evaluated as a tree. */
struct writer {
	char text[16384];
	int len, terms;
	struct iob_fields fields;
};

__printf(2, 3)
static void put(struct writer *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	w->len += vsnprintf(w->text + w->len, sizeof(w->text) - w->len, fmt,
			    args);
	va_end(args);
}

static void blank(struct writer *w)
{
	static const char * const blanks[] = { "", "", "", " ", "\t", "  \n" };

	put(w, "%s", blanks[rnd(ARRAY_SIZE(blanks))]);
}

static bool random_term(struct writer *w)
{
	static const char * const ops[] = {
		"==", "!=", "<", "<=", ">", ">=", "&"
	};
	static const char * const forms[] = { "%llu", "0x%llx" };
	unsigned int field = rnd(IOB_NR_FIELDS), op = rnd(ARRAY_SIZE(ops));
	u64 v = w->fields.v[field];
	u64 n = rnd(4) ? v + rnd(3) - 1 : rnd_value();
	char number[32];

	w->terms++;
	snprintf(number, sizeof(number), forms[rnd(2)], n);
	blank(w);
	put(w, "%s", iob_field_name(field));
	blank(w);
	put(w, "%s", ops[op]);
	blank(w);
	put(w, "%s", number);
	blank(w);
	switch (op) {
	case 0: return v == n;
	case 1: return v != n;
	case 2: return v < n;
	case 3: return v <= n;
	case 4: return v > n;
	case 5: return v >= n;
	default: return (v & n) != 0;
	}
}

/* @outer: 2 inside "!", 1 inside "&&", 0 inside "||" or nothing. */
static bool random_tree(struct writer *w, int depth, int outer)
{
	unsigned int kind = depth ? rnd(4) : 0, i, n;
	bool value, one, parens;
	int inner;

	if (!kind)
		return random_term(w);
	inner = kind == 1 ? 2 : kind == 2 ? 1 : 0;
	/* needed if it binds less tightly than what is around it */
	parens = inner < outer || !rnd(4);
	if (parens)
		put(w, "(");
	if (kind == 1) {
		blank(w);
		put(w, "!");
		blank(w);
		value = !random_tree(w, depth - 1, inner);
	} else {
		value = random_tree(w, depth - 1, inner);
		n = 1 + rnd(3);
		for (i = 0; i < n; i++) {
			put(w, kind == 2 ? "&&" : "||");
			one = random_tree(w, depth - 1, inner);
			value = kind == 2 ? value & one : value | one;
		}
	}
	blank(w);
	if (parens)
		put(w, ")");
	return value;
}

static struct writer random_writer(void)
{
	struct writer w = { .len = 0 };
	int i;

	for (i = 0; i < IOB_NR_FIELDS; i++)
		w.fields.v[i] = rnd_value();
	return w;
}

static void random_trees(void)
{
	static struct writer w;
	unsigned int i, done = 0, trues = 0;
	int most = 0;

	for (i = 0; done < NR_RANDOM; i++) {
		bool want;

		w = random_writer();
		want = random_tree(&w, rnd(6), 0);
		if (w.terms > IOB_FILTER_MAX_TERMS)
			continue;
		if (match(w.text, &w.fields) != want)
			fail("'%s' is not %d", w.text, want);
		most = max(most, w.terms);
		trues += want;
		done++;
	}
	note("seed %llu, %u filters, %u match, up to %d terms", seed(), done,
	     trues, most);
	if (most < 60)
		fail("no large one");
}

/* Spoil what was written: mostly into something that is no filter. */
static void spoil(struct writer *w)
{
	static const char * const tokens[] = {
		"(", ")", "!", "&&", "||", "&", "|", "=", "==", "<", ">",
		"size", "age", "0", "7", "0x", "08", "-", " ", "\t", "x", "_",
		"99999999999999999999", "size > 1", "&& age < 9", "\xa0", "\x1",
	};
	const char *token = tokens[rnd(ARRAY_SIZE(tokens))];
	int at = rnd(w->len + 1), n = strlen(token);
	int cut = rnd(2) ? 0 : rnd(min(4, w->len - at) + 1);

	if (rnd(4)) {
		memmove(w->text + at + n, w->text + at + cut,
			w->len - at - cut + 1);
		memcpy(w->text + at, token, n);
		w->len += n - cut;
	} else {
		memmove(w->text + at, w->text + at + cut,
			w->len - at - cut + 1);
		w->len -= cut;
	}
}

static void random_texts(void)
{
	static struct writer w;
	unsigned int i, n, filters = 0;

	for (i = 0; i < NR_RANDOM; i++) {
		struct iob_filter f;
		struct iob_filter_err err = { -1, NULL };
		int ret, want;

		w = random_writer();
		random_tree(&w, rnd(5), 0);
		for (n = rnd(4); n; n--)
			spoil(&w);
		want = oracle_eval(w.text, &w.fields);
		ret = iob_filter_parse(w.text, &f, &err);
		if (want < 0 && (!ret || err.pos < 0 || err.pos > w.len ||
				 !err.msg))
			fail("'%s' returns %d at %d", w.text, ret, err.pos);
		else if (want >= 0 && ret)
			fail("'%s' refused at %d: %s", w.text, err.pos,
			     err.msg);
		else if (want >= 0 && iob_filter_match(&f, &w.fields) != want)
			fail("'%s' is not %d", w.text, want);
		filters += want >= 0;
	}
	note("seed %llu, %u filters, %u not", seed(), filters, i - filters);
	if (filters < i / 10 || filters > i - i / 10)
		fail("%u of %u were filters", filters, i);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(documented),
		TEST(operators),
		TEST(precedence),
		TEST(spelling),
		TEST(errors),
		TEST(limits),
		TEST(copies),
		TEST(explanations),
		TEST(long_explanation),
		TEST(random_trees),
		TEST(random_texts),
	};

	return run_tests("filter", tests, ARRAY_SIZE(tests));
}

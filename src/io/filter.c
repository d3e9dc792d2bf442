// SPDX-License-Identifier: GPL-2.0
/*
 * A filter becomes a list of comparisons in the order of the text, each with
 * the two places to go to, by its result: a later comparison, YES or NO.
 *
 *	offset >= 32768 && (size < 4096 || !(age & 1)) && io_time > 10
 *
 *	0: offset < 32768	on true NO,  on false 1
 *	1: size < 4096		on true 3,   on false 2
 *	2: age & 1		on true NO,  on false 3
 *	3: io_time <= 10	on true NO,  on false YES
 *
 * Four kinds of comparison are enough, as the negated ones and "!" only swap
 * the places.  A "!" before a parenthesis goes inwards (De Morgan): it swaps
 * the places of each comparison inside, and "&&" with "||" between them.
 *
 * How "&&" and "||" nest is kept as one number for each, its level: twice the
 * parentheses that are open there, plus one for a written "&&".  The higher
 * level binds tighter, so the levels alone tell where an operand ends; see
 * leads_to().
 *
 * Pure: builds in userspace too.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "filter.h"

enum { OP_EQ, OP_LT, OP_LE, OP_AND };

/* Of two that begin alike the longer comes first. */
static const struct {
	char text[3];
	u8 op;
	bool invert;
} ops[] = {
	{ "==", OP_EQ,	false },
	{ "!=", OP_EQ,	true },
	{ "<=", OP_LE,	false },
	{ "<",	OP_LT,	false },
	{ ">=", OP_LT,	true },
	{ ">",	OP_LE,	true },
	{ "&",	OP_AND, false },
};

struct parser {
	const char *text;
	int pos;
	struct iob_filter *filter;
	struct iob_filter_err *err;
	int depth;			/* open parentheses */
	int open[IOB_FILTER_MAX_DEPTH + 1];	/* where each was opened */
	bool invert[IOB_FILTER_MAX_DEPTH + 1];	/* whether what it holds is negated */
};

static int fail(struct parser *p, int pos, const char *msg)
{
	p->err->pos = pos;
	p->err->msg = msg;
	return -EINVAL;
}

/* The kernel's isspace() takes byte 0xa0 too, which may be half a letter. */
static bool space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(struct parser *p)
{
	while (space(p->text[p->pos]))
		p->pos++;
	return p->text[p->pos];
}

static int word_len(struct parser *p)
{
	int len = 0;

	peek(p);
	while (word_char(p->text[p->pos + len]))
		len++;
	return len;
}

static int parse_field(struct parser *p, struct iob_filter_term *t)
{
	int field, len = word_len(p);

	if (!len)
		return fail(p, p->pos, "Expected a field");
	field = iob_field_parse(p->text + p->pos, len);
	if (field < 0)
		return fail(p, p->pos, "Field not found");
	t->field = field;
	p->pos += len;
	return 0;
}

static int parse_op(struct parser *p, struct iob_filter_term *t)
{
	const char *s;
	size_t i;

	peek(p);
	s = p->text + p->pos;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		if (strncmp(s, ops[i].text, strlen(ops[i].text)))
			continue;
		if (ops[i].op == OP_AND && s[1] == '&')
			break;
		t->op = ops[i].op;
		t->invert ^= ops[i].invert;
		p->pos += strlen(ops[i].text);
		return 0;
	}
	return fail(p, p->pos, "Expected an operator (== != < <= > >= &)");
}

static int parse_number(struct parser *p, struct iob_filter_term *t)
{
	int err, len = word_len(p);
	const char *s = p->text + p->pos;

	/* a sign belongs to the number, if only to say what is wrong with it */
	if (!len && (s[0] == '-' || s[0] == '+') && word_char(s[1]))
		return fail(p, p->pos, "Number has a sign, fields have none");
	if (!len || s[0] < '0' || s[0] > '9')
		return fail(p, p->pos, "Expected a number");
	err = iob_field_parse_value(s, len, &t->number);
	if (err == -ERANGE)
		return fail(p, p->pos, "Number out of range, more than 64 bits");
	if (err)
		return fail(p, p->pos, "Malformed number");
	p->pos += len;
	return 0;
}

static int parse_comparison(struct parser *p, bool invert)
{
	struct iob_filter_term *t;
	int err;

	if (p->filter->nr_terms == IOB_FILTER_MAX_TERMS) {
		fail(p, p->pos,
		     "Too many comparisons, "
		     __stringify(IOB_FILTER_MAX_TERMS) " at most");
		return -E2BIG;
	}
	t = &p->filter->term[p->filter->nr_terms];
	memset(t, 0, sizeof(*t));
	t->invert = invert;
	err = parse_field(p, t);
	if (!err)
		err = parse_op(p, t);
	if (!err)
		err = parse_number(p, t);
	if (!err)
		p->filter->nr_terms++;
	return err;
}

/* A comparison, and whatever "!" and "(" stand before it. */
static int parse_operand(struct parser *p)
{
	bool invert = p->invert[p->depth];
	char c;

	while ((c = peek(p)) == '!' || c == '(') {
		if (c == '!') {
			if (p->text[p->pos + 1] == '=')
				break;
			invert = !invert;
		} else {
			if (p->depth == IOB_FILTER_MAX_DEPTH) {
				fail(p, p->pos, "Too deeply nested, "
				     __stringify(IOB_FILTER_MAX_DEPTH)
				     " levels at most");
				return -E2BIG;
			}
			p->depth++;
			p->open[p->depth] = p->pos;
			p->invert[p->depth] = invert;
		}
		p->pos++;
	}
	return parse_comparison(p, invert);
}

/*
 * The ")" after an operand and what joins it to the next one.
 * Return: 1 if there is a next one, 0 at the end of the text, or an error.
 */
static int parse_joint(struct parser *p)
{
	struct iob_filter_term *t;
	bool and;
	char c;

	while ((c = peek(p)) == ')') {
		if (!p->depth)
			return fail(p, p->pos, "')' without '('");
		p->depth--;
		p->pos++;
	}
	if (!c && p->depth)
		return fail(p, p->open[p->depth], "'(' without ')'");
	if (!c)
		return 0;
	if ((c != '&' && c != '|') || p->text[p->pos + 1] != c)
		return fail(p, p->pos, p->depth ? "Expected &&, || or )" :
						  "Expected && or ||");
	p->pos += 2;
	and = c == '&';
	t = &p->filter->term[p->filter->nr_terms - 1];
	t->level = 2 * p->depth + and;
	t->and = and ^ p->invert[p->depth];
	return 1;
}

/*
 * Where to go when the operand that ends with term @i has the value @value.
 *
 * If what joins it to its right is not decided by the value, the right side
 * has to be looked at.  If it is, the joint as a whole has this value and its
 * right side is left out, up to the first joint that binds no tighter; and
 * there the same question comes again.
 */
static u8 leads_to(const struct iob_filter *f, u32 i, bool value)
{
	u32 next, last = f->nr_terms - 1;

	while (i < last) {
		if (f->term[i].and == value)
			return i + 1;
		for (next = i + 1; next < last; next++) {
			if (f->term[next].level <= f->term[i].level)
				break;
		}
		i = next;
	}
	return value ? IOB_FILTER_YES : IOB_FILTER_NO;
}

/**
 * iob_filter_parse - compile a filter
 * @text: the filter
 * @out:  gets the program; on error it is not to be used
 * @err:  gets the reason of an error, is untouched otherwise
 *
 * Reads the text once; allocates nothing, does not recurse.
 *
 * Any context.  Return: 0; -E2BIG for more than IOB_FILTER_MAX_TERMS
 * comparisons or IOB_FILTER_MAX_DEPTH nested parentheses; -EINVAL for all else
 * that is no filter.
 */
int iob_filter_parse(const char *text, struct iob_filter *out,
		     struct iob_filter_err *err)
{
	struct parser p = { .text = text, .filter = out, .err = err };
	struct iob_filter_term *t;
	int ret;
	u32 i;

	out->nr_terms = 0;
	if (!peek(&p))
		return fail(&p, 0, "No filter found");
	do {
		ret = parse_operand(&p);
		if (!ret)
			ret = parse_joint(&p);
	} while (ret > 0);
	if (ret)
		return ret;
	for (i = 0; i < out->nr_terms; i++) {
		t = &out->term[i];
		t->on[t->invert] = leads_to(out, i, false);
		t->on[!t->invert] = leads_to(out, i, true);
	}
	return 0;
}

static bool holds(const struct iob_filter_term *t, u64 value)
{
	switch (t->op) {
	case OP_EQ:
		return value == t->number;
	case OP_LT:
		return value < t->number;
	case OP_LE:
		return value <= t->number;
	default:
		return value & t->number;
	}
}

/**
 * iob_filter_match - whether an IO passes
 * @f: a filter that was parsed without an error
 * @v: the IO's fields
 *
 * Each comparison is made at most once, and only if the result hangs on it.
 *
 * Any context.
 */
bool iob_filter_match(const struct iob_filter *f, const struct iob_fields *v)
{
	u32 i = 0;

	/* a term leads only to later ones, or to YES or NO beyond them all */
	do {
		const struct iob_filter_term *t = &f->term[i];

		i = t->on[holds(t, v->v[t->field])];
	} while (i < IOB_FILTER_MAX_TERMS);
	return i == IOB_FILTER_YES;
}

/**
 * iob_filter_uses - whether a filter looks at a field
 * @f:	   a filter that was parsed without an error
 * @field: which field
 *
 * Any context.
 */
bool iob_filter_uses(const struct iob_filter *f, enum iob_field field)
{
	u32 i;

	for (i = 0; i < f->nr_terms; i++) {
		if (f->term[i].field == field)
			return true;
	}
	return false;
}

/**
 * iob_filter_explain - a text, where it is wrong, and why
 * @text: what iob_filter_parse() did not take
 * @err:  what it said
 * @buf:  gets three lines, the last without a newline, always ended by NUL
 * @size: of @buf; iob_filter_explain_size() is enough
 *
 * Looks as in the kernel's event filter files:
 *
 *	size < 4096 && ofset > 3
 *	               ^
 *	parse_error: Field not found
 *
 * Each byte of @text takes one column: white space becomes a blank, what else
 * is not printable ASCII a question mark.
 *
 * Any context.  Return: the length of what is in @buf.
 */
int iob_filter_explain(const char *text, const struct iob_filter_err *err,
		       char *buf, size_t size)
{
	size_t i, len = 0, text_len = strlen(text);
	char c;

	if (!size)
		return 0;
	for (i = 0; i < text_len && len < size - 1; i++) {
		c = text[i];
		if (space(c))
			c = ' ';
		else if (c < ' ' || c > '~')
			c = '?';
		buf[len++] = c;
	}
	buf[len] = '\0';
	i = clamp(err->pos, 0, (int)text_len);
	len += scnprintf(buf + len, size - len, "\n%*s^\nparse_error: %s",
			 (int)i, "", err->msg);
	return len;
}

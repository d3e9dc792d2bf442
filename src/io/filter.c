// SPDX-License-Identifier: GPL-2.0
/*
 * A filter is compiled to a list of comparisons in the order of the text.  Each has two
 * targets, one per result: a later comparison, YES or NO.  Example:
 *
 *	offset >= 32768 && (size < 4096 || !(age & 1)) && io_time > 10
 *
 *	0: offset < 32768	on true NO,  on false 1
 *	1: size < 4096		on true 3,   on false 2
 *	2: age & 1		on true NO,  on false 3
 *	3: io_time <= 10	on true NO,  on false YES
 *
 * Four kinds of comparison suffice: a negated one, or "!", swaps the targets.  "!" before a
 * parenthesis moves inwards (De Morgan): it swaps the targets of each comparison inside, and
 * "&&" with "||" between them.
 *
 * How "&&" and "||" nest is one number for each, its level: twice the number of open
 * parentheses, plus one for a written "&&".  A higher level binds tighter, so the levels
 * alone tell where an operand ends; see target_of_term().
 *
 * Pure: builds in userspace too.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/stringify.h>

#include "filter.h"

enum { OP_EQ, OP_LT, OP_LE, OP_AND };

/* Of two with the same beginning the longer one comes first. */
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
	bool invert[IOB_FILTER_MAX_DEPTH + 1];	/* its content is negated */
};

static int parse_failed(struct parser *p, int pos, const char *msg)
{
	p->err->pos = pos;
	p->err->msg = msg;
	return -EINVAL;
}

/* Not isspace(): in the kernel byte 0xa0 is a space, which may be part of a letter. */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek_char(struct parser *p)
{
	while (is_space(p->text[p->pos]))
		p->pos++;
	return p->text[p->pos];
}

static int word_len(struct parser *p)
{
	int len = 0;

	peek_char(p);
	while (word_char(p->text[p->pos + len]))
		len++;
	return len;
}

static int parse_field(struct parser *p, struct iob_filter_term *t)
{
	int field, len = word_len(p);

	if (!len)
		return parse_failed(p, p->pos, "Expected a field");
	field = iob_field_parse(p->text + p->pos, len);
	if (field < 0)
		return parse_failed(p, p->pos, "Field not found");
	t->field = field;
	p->pos += len;
	return 0;
}

static int parse_op(struct parser *p, struct iob_filter_term *t)
{
	const char *s;
	size_t i;

	peek_char(p);
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
	return parse_failed(p, p->pos, "Expected an operator (== != < <= > >= &)");
}

static int parse_number(struct parser *p, struct iob_filter_term *t)
{
	int err, len = word_len(p);
	const char *s = p->text + p->pos;

	/* a sign is taken as part of the number to report it */
	if (!len && (s[0] == '-' || s[0] == '+') && word_char(s[1]))
		return parse_failed(p, p->pos, "Number has a sign, fields have none");
	if (!len || s[0] < '0' || s[0] > '9')
		return parse_failed(p, p->pos, "Expected a number");
	err = iob_field_parse_value(s, len, &t->number);
	if (err == -ERANGE)
		return parse_failed(p, p->pos, "Number out of range, more than 64 bits");
	if (err)
		return parse_failed(p, p->pos, "Malformed number");
	p->pos += len;
	return 0;
}

static int parse_comparison(struct parser *p, bool invert)
{
	struct iob_filter_term *t;
	int err;

	if (p->filter->nr_terms == IOB_FILTER_MAX_TERMS) {
		parse_failed(p, p->pos,
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

/* A comparison with all "!" and "(" before it. */
static int parse_operand(struct parser *p)
{
	bool invert = p->invert[p->depth];
	char c;

	while ((c = peek_char(p)) == '!' || c == '(') {
		if (c == '!') {
			if (p->text[p->pos + 1] == '=')
				break;
			invert = !invert;
		} else {
			if (p->depth == IOB_FILTER_MAX_DEPTH) {
				parse_failed(p, p->pos, "Too deeply nested, "
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
 * The ")" after an operand, and the "&&" or "||" that joins it to the next one.
 * Return: 1 if there is a next one, 0 at the end of the text, or an error.
 */
static int parse_joint(struct parser *p)
{
	struct iob_filter_term *t;
	bool and;
	char c;

	while ((c = peek_char(p)) == ')') {
		if (!p->depth)
			return parse_failed(p, p->pos, "')' without '('");
		p->depth--;
		p->pos++;
	}
	if (!c && p->depth)
		return parse_failed(p, p->open[p->depth], "'(' without ')'");
	if (!c)
		return 0;
	if ((c != '&' && c != '|') || p->text[p->pos + 1] != c)
		return parse_failed(p, p->pos, p->depth ? "Expected &&, || or )" :
						  "Expected && or ||");
	p->pos += 2;
	and = c == '&';
	t = &p->filter->term[p->filter->nr_terms - 1];
	t->level = 2 * p->depth + and;
	t->and = and ^ p->invert[p->depth];
	return 1;
}

/*
 * The target if the operand that ends with term @i has the value @value.
 *
 * If the value does not decide the joint to its right, the right operand is evaluated.  If
 * it does, the whole joint has this value; its right operand, up to the first joint that
 * does not bind tighter, is skipped; then the same question is asked there.
 */
static u8 target_of_term(const struct iob_filter *f, u32 i, bool value)
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
 * @out:  gets the compiled filter; undefined on error
 * @err:  gets the reason of an error; else unchanged
 *
 * Reads the text once, allocates nothing, does not recurse.
 *
 * Any context.  Return: 0; -E2BIG: more than IOB_FILTER_MAX_TERMS comparisons or
 * IOB_FILTER_MAX_DEPTH nested parentheses; -EINVAL: not a filter for another reason.
 */
int iob_filter_parse(const char *text, struct iob_filter *out,
		     struct iob_filter_err *err)
{
	struct parser p = { .text = text, .filter = out, .err = err };
	struct iob_filter_term *t;
	int ret;
	u32 i;

	out->nr_terms = 0;
	if (!peek_char(&p))
		return parse_failed(&p, 0, "No filter found");
	do {
		ret = parse_operand(&p);
		if (!ret)
			ret = parse_joint(&p);
	} while (ret > 0);
	if (ret)
		return ret;
	for (i = 0; i < out->nr_terms; i++) {
		t = &out->term[i];
		t->on[t->invert] = target_of_term(out, i, false);
		t->on[!t->invert] = target_of_term(out, i, true);
	}
	return 0;
}

static bool term_holds(const struct iob_filter_term *t, u64 value)
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
 * Each comparison is made at most once, and only if the result depends on it.
 *
 * Any context.
 */
bool iob_filter_match(const struct iob_filter *f, const struct iob_fields *v)
{
	u32 i = 0;

	/* a target is a later term, or YES or NO, which are beyond all terms */
	do {
		const struct iob_filter_term *t = &f->term[i];

		i = t->on[term_holds(t, v->v[t->field])];
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
 * iob_filter_explain - show a text, where it is wrong, and why
 * @text: refused by iob_filter_parse()
 * @err:  set by it
 * @buf:  gets three lines, the last without a newline, always with NUL
 * @size: of @buf; iob_filter_explain_size() suffices
 *
 * In the format of the kernel's event filter files:
 *
 *	size < 4096 && ofset > 3
 *	               ^
 *	parse_error: Field not found
 *
 * Each byte of @text takes one column: white space becomes a blank, any other byte that is
 * not printable ASCII a question mark.
 *
 * Any context.  Return: the length of the text in @buf.
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
		if (is_space(c))
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

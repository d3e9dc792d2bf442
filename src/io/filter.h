/* SPDX-License-Identifier: GPL-2.0 */
/*
 * filter - which IOs a counter counts: "size < 131072 && !(age >= 0x100)"
 *
 * The grammar is that of the kernel's event filters for numeric fields, see
 * "Event filtering" in Documentation/trace/events.rst:
 *
 *	filter	= and { "||" and }
 *	and	= not { "&&" not }
 *	not	= "!" not | "(" filter ")" | FIELD op NUMBER
 *	op	= "==" | "!=" | "<" | "<=" | ">" | ">=" | "&"
 *
 * FIELD is one of enum iob_field.  NUMBER is unsigned, 64 bits, decimal, 0x hex or 0 octal.
 * "FIELD & NUMBER" is true if they have a bit in common.  "!" negates the whole comparison
 * or parenthesis after it.
 *
 * "0" is malformed here: the caller handles it, as the setting for no filter.
 */
#ifndef IOB_IO_FILTER_H
#define IOB_IO_FILTER_H

#include <linux/types.h>

#include "field.h"

#define IOB_FILTER_MAX_TERMS	64	/* comparisons */
#define IOB_FILTER_MAX_DEPTH	32	/* nested parentheses */

/* where a term leads to, if not to another term */
enum {
	IOB_FILTER_NO		= 254,
	IOB_FILTER_YES		= 255,
};

/* One comparison, and what to do with its result. */
struct iob_filter_term {
	u64 number;
	u8 field;			/* enum iob_field */
	u8 op;				/* enum in filter.c */
	u8 on[2];			/* by result: index of a later term, NO or YES */

	/* used while parsing only */
	u8 level;
	bool and;
	bool invert;
};

/* A compiled filter.  It has no pointers, so it may be copied. */
struct iob_filter {
	u32 nr_terms;
	struct iob_filter_term term[IOB_FILTER_MAX_TERMS];
};

/* Why a text is not a filter. */
struct iob_filter_err {
	int pos;			/* byte offset into the text */
	const char *msg;		/* constant */
};

/* The bytes that iob_filter_explain() needs for a text of this length. */
static inline size_t iob_filter_explain_size(size_t text_len)
{
	return 2 * text_len + 128;
}

int iob_filter_parse(const char *text, struct iob_filter *out,
		     struct iob_filter_err *err);
bool iob_filter_match(const struct iob_filter *f, const struct iob_fields *v);
bool iob_filter_uses(const struct iob_filter *f, enum iob_field field);
int iob_filter_explain(const char *text, const struct iob_filter_err *err,
		       char *buf, size_t size);

#endif

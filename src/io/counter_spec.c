// SPDX-License-Identifier: GPL-2.0
/*
 * A counter's specification from text and back.
 *
 * The text is canonical: the letters in the order of IOB_OPS, each once, and decimal
 * boundaries.  It can be written again, "--- disabled" too.
 *
 * Example: "WR size 0 0x1000 8192 16384 65536 131072 262144 524288 0" reads back as
 * "RW size 0 4096 8192 16384 65536 131072 262144 524288 0".
 *
 * Pure: builds in userspace too.
 */
#include <linux/errno.h>
#include <linux/ioblame.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "counter_spec.h"

#define SPEC_DISABLED	"--- disabled"

/* bit n of dirs is letter n */
#define DIR_LETTER(constant, letter, word)	letter,
static const char dir_letters[] = { IOB_OPS(DIR_LETTER) '\0' };

struct word {
	const char *s;
	size_t len;
};

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Take the next word off *@text; an empty word at the end. */
static struct word next_word(const char **text)
{
	const char *end = *text;
	struct word w;

	while (is_blank(*end))
		end++;
	w.s = end;
	while (*end && !is_blank(*end))
		end++;
	w.len = end - w.s;
	*text = end;
	return w;
}

static bool is_word(struct word w, const char *s)
{
	return strlen(s) == w.len && !memcmp(w.s, s, w.len);
}

/* Return: IOB_DIR_*, or 0 if a letter is unknown. */
static u8 parse_dirs(struct word w)
{
	const char *l;
	u8 dirs = 0;
	size_t i;

	for (i = 0; i < w.len; i++) {
		l = strchr(dir_letters, w.s[i]);
		if (!l)
			return 0;
		dirs |= 1 << (l - dir_letters);
	}
	return dirs;
}

static int parse_bound(struct word w, u64 *bound)
{
	/*
	 * Some read 010 as ten, some as eight: refuse it, as a wrong boundary would spoil
	 * the histogram silently.
	 */
	if (w.len > 1 && w.s[0] == '0' && w.s[1] != 'x' && w.s[1] != 'X')
		return -EINVAL;
	return iob_field_parse_value(w.s, w.len, bound) ? -EINVAL : 0;
}

static int parse_bounds(const char **text, u64 *bound)
{
	int i;

	for (i = 0; i <= IOB_NR_SLOTS; i++) {
		if (parse_bound(next_word(text), &bound[i]))
			return -EINVAL;
		if (i == IOB_NR_SLOTS && !bound[i])
			break;
		if (i && bound[i] < bound[i - 1])
			return -EINVAL;
	}
	return 0;
}

/**
 * iob_counter_spec_parse - parse "DIR FIELD B0 .. B8"
 * @text: words separated by white space; no word, or "--- disabled", disables the
 *	  counter
 * @out:  gets the specification; untouched on error
 *
 * A letter may be repeated.  Boundaries are decimal or 0x hex.
 *
 * Any context.  Return: 0 or -EINVAL.
 */
int iob_counter_spec_parse(const char *text, struct iob_counter_spec *out)
{
	struct iob_counter_spec spec = { 0 };
	struct word w = next_word(&text);
	int field;

	if (w.len && !is_word(w, "---")) {
		spec.dirs = parse_dirs(w);
		w = next_word(&text);
		field = iob_field_parse(w.s, w.len);
		if (!spec.dirs || field < 0 ||
		    parse_bounds(&text, spec.bound))
			return -EINVAL;
		spec.field = field;
	} else if (w.len && !is_word(next_word(&text), "disabled")) {
		return -EINVAL;
	}
	if (next_word(&text).len)
		return -EINVAL;
	*out = spec;
	return 0;
}

/**
 * iob_counter_spec_format - print a specification
 * @s:	  the specification
 * @buf:  gets the text without a newline, always with NUL
 * @size: of @buf; IOB_COUNTER_SPEC_SIZE always suffices
 *
 * Any context.  Return: the length of the text.
 */
int iob_counter_spec_format(const struct iob_counter_spec *s, char *buf,
			    size_t size)
{
	int i, len = 0;

	if (!s->dirs)
		return scnprintf(buf, size, SPEC_DISABLED);
	for (i = 0; dir_letters[i]; i++) {
		if (s->dirs & 1 << i)
			len += scnprintf(buf + len, size - len, "%c",
					 dir_letters[i]);
	}
	len += scnprintf(buf + len, size - len, " %s",
			 iob_field_name(s->field));
	for (i = 0; i <= IOB_NR_SLOTS; i++)
		len += scnprintf(buf + len, size - len, " %llu", s->bound[i]);
	return len;
}

/**
 * iob_simple_counter_make - the simple form of a counter
 * @s:     an enabled specification
 * @first: index of its slot 0 in an act's histograms
 * @p:     gets the counter
 *
 * What no value reaches is cut off: a boundary that is too large becomes the largest number.
 * Any context.  Return: false if no value below IOB_SIMPLE_VALUES counts.
 */
bool iob_simple_counter_make(const struct iob_counter_spec *s, u32 first,
			     struct iob_simple_counter *p)
{
	const u64 most = IOB_SIMPLE_VALUES - 1;
	/* (0 means no end: 0 - 1 is the greatest number) */
	u64 last = s->bound[IOB_NR_SLOTS] - 1;
	u32 i;

	if (last > most)
		last = most;
	if (s->bound[0] > last)
		return false;
	for (i = 0; i < IOB_NR_SLOTS; i++)
		p->bound[i] = s->bound[i] > most ? IOB_SIMPLE_VALUES : s->bound[i];
	p->width = last - s->bound[0];
	p->at = first * sizeof(u32);
	p->size = s->field == IOB_FIELD_SIZE;
	return true;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * A counter's specification as text and back, and the slot of a value.
 *
 * What is shown is always canonical (letters in the order RAWDF, each once,
 * decimal boundaries), and what is shown can be written: also "--- disabled".
 *
 * Pure: builds in userspace too.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "counter_spec.h"

#define DISABLED	"--- disabled"

static const char letters[] = "RAWDF";		/* bit n of dirs is letter n */

struct word {
	const char *s;
	size_t len;
};

static bool space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The next word from *@text on, which moves behind it; empty at the end. */
static struct word next_word(const char **text)
{
	const char *end = *text;
	struct word w;

	while (space(*end))
		end++;
	w.s = end;
	while (*end && !space(*end))
		end++;
	w.len = end - w.s;
	*text = end;
	return w;
}

static bool is(struct word w, const char *s)
{
	return strlen(s) == w.len && !memcmp(w.s, s, w.len);
}

/* Return: IOB_DIR_*, 0 if any letter is none of ours. */
static u8 parse_dirs(struct word w)
{
	const char *l;
	u8 dirs = 0;
	size_t i;

	for (i = 0; i < w.len; i++) {
		l = strchr(letters, w.s[i]);
		if (!l)
			return 0;
		dirs |= 1 << (l - letters);
	}
	return dirs;
}

static int parse_bound(struct word w, u64 *bound)
{
	/*
	 * 010 is ten to one reader and eight to the next; a boundary that is
	 * not the one meant spoils the histogram silently.
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
 * iob_counter_spec_parse - read "DIR FIELD B0 .. B8"
 * @text: words separated by white space; none at all, or "--- disabled", is a
 *	  disabled counter
 * @out:  gets the specification; untouched on error
 *
 * A letter that DIR has twice counts once.  Boundaries are decimal or 0x hex.
 *
 * Any context.  Return: 0, or -EINVAL for everything else.
 */
int iob_counter_spec_parse(const char *text, struct iob_counter_spec *out)
{
	struct iob_counter_spec spec = { 0 };
	struct word w = next_word(&text);
	int field;

	if (w.len && !is(w, "---")) {
		spec.dirs = parse_dirs(w);
		w = next_word(&text);
		field = iob_field_parse(w.s, w.len);
		if (!spec.dirs || field < 0 ||
		    parse_bounds(&text, spec.bound))
			return -EINVAL;
		spec.field = field;
	} else if (w.len && !is(next_word(&text), "disabled")) {
		return -EINVAL;
	}
	if (next_word(&text).len)
		return -EINVAL;
	*out = spec;
	return 0;
}

/**
 * iob_counter_spec_format - the specification as it was written
 * @s:	  the specification
 * @buf:  gets the text, without a newline, always ended by NUL
 * @size: of @buf; IOB_COUNTER_SPEC_SIZE is enough for any
 *
 * Any context.  Return: the length of what is in @buf.
 */
int iob_counter_spec_format(const struct iob_counter_spec *s, char *buf,
			    size_t size)
{
	int i, len = 0;

	if (!s->dirs)
		return scnprintf(buf, size, DISABLED);
	for (i = 0; letters[i]; i++) {
		if (s->dirs & 1 << i)
			len += scnprintf(buf + len, size - len, "%c",
					 letters[i]);
	}
	len += scnprintf(buf + len, size - len, " %s",
			 iob_field_name(s->field));
	for (i = 0; i <= IOB_NR_SLOTS; i++)
		len += scnprintf(buf + len, size - len, " %llu", s->bound[i]);
	return len;
}

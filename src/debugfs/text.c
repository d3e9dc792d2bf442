// SPDX-License-Identifier: GPL-2.0
/*
 * What the module prints of roles, intents and names, once for all files.  The words come
 * from the lists in include/linux/ioblame.h, which the command uses, too.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include <compat/wb.h>

#include "escape.h"
#include "text.h"

const char *const iob_text_charges[IOB_NR_CHARGES] = {
	[IOB_CHARGE_SPLIT] = "split",
	[IOB_CHARGE_FIRST] = "first",
};

/* the lists are in the order of the numbers */
#define ROLE_WORD(constant, word)	word,
const char *const iob_text_role_kinds[] = { IOB_ROLE_KINDS(ROLE_WORD) };

#define HOW_WORD(constant, word)	word,
static const char *const how_words[IOB_NR_HOWS] = { IOB_HOWS(HOW_WORD) };

/* Append as printf() would.  What does not fit is cut.  Any context. */
void iob_text_add(struct iob_text *t, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	t->len += vscnprintf(t->buf + t->len, t->size - t->len, fmt, args);
	va_end(args);
}

static void add_text_char(struct iob_text *t, char c)
{
	if (t->len + 1 < t->size)
		t->buf[t->len++] = c;
}

/**
 * iob_text_add_u32 - iob_text_add() with " %*u", for files with many numbers
 * @t:     gets it
 * @n:     the number
 * @width: columns at least, behind the blank
 *
 * What does not fit is cut.  Any context.
 */
void iob_text_add_u32(struct iob_text *t, u32 n, unsigned int width)
{
	char digit[10];
	unsigned int i, nr = 0;

	do {
		digit[nr++] = '0' + n % 10;
		n /= 10;
	} while (n);
	add_text_char(t, ' ');
	for (i = nr; i < width; i++)
		add_text_char(t, ' ');
	while (nr)
		add_text_char(t, digit[--nr]);
	if (t->size)
		t->buf[t->len] = 0;
}

/**
 * iob_text_escape - a task's name as it is printed
 * @to:     gets it, ended by NUL
 * @size:   of @to; IOB_TEXT_NAME_SIZE is enough for any
 * @comm:   TASK_COMM_LEN bytes; a NUL ends the name earlier
 * @spaces: escape spaces, too
 *
 * Any context.  Return: the length.
 */
size_t iob_text_escape(char *to, size_t size, const char *comm, bool spaces)
{
	return iob_escape(to, size, comm, TASK_COMM_LEN, spaces);
}

/* `pid-12 (dd)`, `user-3`, `cgroup-77`, `pid-0 (lost)`.  Any context. */
void iob_text_role(struct iob_text *t, const struct iob_text_who *who)
{
	char name[IOB_TEXT_NAME_SIZE];

	switch (who->kind) {
	case IOB_ROLE_USER:
		iob_text_add(t, "user-%llu", who->key);
		return;
	case IOB_ROLE_CGROUP:
		iob_text_add(t, "cgroup-%llu", who->key);
		return;
	default:
		iob_text_add(t, "pid-%llu", who->key);
		if (iob_text_escape(name, sizeof(name), who->comm, false))
			iob_text_add(t, " (%s)", name);
	}
}

/* The modifier with its words: the number of a reason differs between kernels. */
static void add_modifier_words(struct iob_text *t, u32 modifier)
{
	u32 val = modifier & IOB_MODIFIER_VAL_MASK;
	const char *name;

	iob_text_add(t, " modifier=0x%x", modifier);
	switch (modifier & IOB_MODIFIER_TYPE_MASK) {
	case IOB_MODIFIER_WB:
		name = iob_wb_reason_name(val);
		if (name)
			iob_text_add(t, " wb=%s", name);
		else
			iob_text_add(t, " wb=%u", val);
		break;
	case IOB_MODIFIER_JOURNAL:
		iob_text_add(t, " journal");
		break;
	case IOB_MODIFIER_RECLAIM:
		iob_text_add(t, " reclaim");
		break;
	case IOB_MODIFIER_DISCARD:
		iob_text_add(t, " discard");
		break;
	}
}

/*
 * True if kptr_restrict hides kernel addresses from the current task.  It is not exported, but
 * makes %pK print zeroes.  (If it is 0, %pK prints a hash, which is something else.)
 */
bool iob_text_hides_addresses(void)
{
	char text[32];

	snprintf(text, sizeof(text), "%pK", iob_text_hides_addresses);
	return !text[strspn(text, "0")];
}

static void add_frame(struct iob_text *t, const char *indent, unsigned long ip, bool hide)
{
	size_t symbol;

	iob_text_add(t, "%s[%0*lx] ", indent, 2 * (int)sizeof(long), hide ? 0 : ip);
	symbol = t->len;
	/* %pB: a return address may lie behind the end of its function */
	iob_text_add(t, "%pB", (void *)ip);
	/* where no function is known that is the address */
	if (hide && t->len > symbol && t->buf[symbol] == '0') {
		t->len = symbol;
		iob_text_add(t, "0x0");
	}
	iob_text_add(t, "\n");
}

/**
 * iob_text_intent - number, modifier and stack of an intent
 * @t:      gets at most IOB_TEXT_INTENT_SIZE
 * @indent: begins each line
 * @nr:     its number
 * @intent: the intent; the caller holds the session
 *
 * For the current task, which reads it.
 */
void iob_text_intent(struct iob_text *t, const char *indent, u32 nr,
		     const struct iob_intent *intent)
{
	bool hide = iob_text_hides_addresses();
	unsigned int i;

	iob_text_add(t, "%s#%u", indent, nr);
	add_modifier_words(t, intent->modifier);
	iob_text_add(t, "\n");
	for (i = 0; i < intent->depth; i++)
		add_frame(t, indent, intent->trace[i], hide);
}

/* How sure the blame is, as a word; "-" for any other number.  Any context. */
const char *iob_text_how(unsigned int how)
{
	return how < IOB_NR_HOWS ? how_words[how] : "-";
}

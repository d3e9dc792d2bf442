// SPDX-License-Identifier: GPL-2.0
/*
 * What a user writes is taken as text of one write(2), whatever the file.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "input.h"

/* Not isspace(): in the kernel byte 0xa0 is a space, which may be part of a letter. */
static bool is_input_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Take the white space around @text off, in place. */
static void trim_text(char *text, size_t len)
{
	size_t from = 0;

	while (len && is_input_blank(text[len - 1]))
		len--;
	while (from < len && is_input_blank(text[from]))
		from++;
	memmove(text, text + from, len - from);
	text[len - from] = '\0';
}

/**
 * iob_input_text - the text of one write(2)
 * @from:  the user's buffer
 * @count: its size
 *
 * The position in the file means nothing: `>` and `>>` are the same.
 *
 * May sleep.  Return: the text without white space around it, to be freed by kfree(); or
 * ERR_PTR of -E2BIG, -EINVAL (a NUL inside), -EFAULT, -ENOMEM.
 */
char *iob_input_text(const char __user *from, size_t count)
{
	char *text;

	if (count > IOB_INPUT_MAX)
		return ERR_PTR(-E2BIG);
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return text;
	if (strlen(text) != count) {
		kfree(text);
		return ERR_PTR(-EINVAL);
	}
	trim_text(text, count);
	return text;
}

// SPDX-License-Identifier: GPL-2.0
/*
 * What a user writes is taken as text of one write(2), whatever the file.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "input.h"

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
	char *text, *trimmed;

	if (count > IOB_INPUT_MAX)
		return ERR_PTR(-E2BIG);
	text = memdup_user_nul(from, count);
	if (IS_ERR(text))
		return text;
	if (strlen(text) != count) {
		kfree(text);
		return ERR_PTR(-EINVAL);
	}
	trimmed = strim(text);
	memmove(text, trimmed, strlen(trimmed) + 1);
	return text;
}

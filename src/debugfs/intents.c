// SPDX-License-Identifier: GPL-2.0
/*
 * `intents` and `intents_bin`: numbers have no gaps and intents are never
 * destroyed while the session lives, so a position stays what it was.
 */
#include <linux/module.h>

#include <compat/rcu.h>

#include "files.h"
#include "reader.h"

static const struct iob_intent *intent_of(u32 nr)
{
	const struct iob_intent *intent;

	/* the index is looked into under RCU, the intent is the session's */
	iob_read_lock();
	intent = iob_intent_nr(nr);
	iob_read_unlock();
	return intent;
}

static size_t text_size(void)
{
	return IOB_TEXT_INTENT_SIZE;
}

static bool text_emit(struct iob_text *t, u32 *nr, u32 arg)
{
	const struct iob_intent *intent = intent_of(*nr);

	if (intent)
		iob_text_intent(t, "", *nr, intent);
	return intent;
}

static size_t bin_size(void)
{
	return sizeof(struct iob_intent_bin_record) +
	       IOB_STACK_DEPTH * sizeof(u64);
}

static bool bin_emit(struct iob_text *t, u32 *nr, u32 arg)
{
	struct iob_intent_bin_record *rec = (void *)t->buf;
	const struct iob_intent *intent = intent_of(*nr);
	unsigned int i;

	if (!intent)
		return false;
	t->len = sizeof(*rec) + intent->depth * sizeof(rec->trace[0]);
	memset(rec, 0, sizeof(*rec));
	rec->len = t->len;
	rec->ver = IOB_INTENTS_BIN_VER;
	rec->nr = *nr;
	rec->modifier = intent->modifier;
	for (i = 0; i < intent->depth; i++)
		rec->trace[i] = intent->trace[i];
	return true;
}

static const struct iob_reader_ops text_ops = {
	.size = text_size,
	.emit = text_emit,
	.end = iob_intents_count,
};

static const struct iob_reader_ops bin_ops = {
	.size = bin_size,
	.emit = bin_emit,
	.end = iob_intents_count,
};

static int text_open(struct inode *inode, struct file *file)
{
	return iob_reader_open(file, &text_ops);
}

static int bin_open(struct inode *inode, struct file *file)
{
	return iob_reader_open(file, &bin_ops);
}

const struct file_operations iob_intents_fops = {
	.owner = THIS_MODULE,
	.open = text_open,
	.read = iob_reader_read,
	.llseek = iob_reader_llseek,
	.release = iob_reader_release,
};

const struct file_operations iob_intents_bin_fops = {
	.owner = THIS_MODULE,
	.open = bin_open,
	.read = iob_reader_read,
	.llseek = iob_reader_llseek,
	.release = iob_reader_release,
};

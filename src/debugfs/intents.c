// SPDX-License-Identifier: GPL-2.0
/*
 * `intents` and `intents_bin`: the stack traces by which IO was caused
 *
 * Numbers have no gaps, and no intent is destroyed while the session lives, so a position
 * always means the same intent.
 */
#include <linux/module.h>

#include <compat/rcu.h>

#include "intents.h"
#include "reader.h"

static const struct iob_intent *session_intent(u32 nr)
{
	const struct iob_intent *intent;

	/* the index needs RCU; the intent lives as long as the session */
	iob_read_lock();
	intent = iob_intent_nr(nr);
	iob_read_unlock();
	return intent;
}

static size_t intents_text_size(void)
{
	return IOB_TEXT_INTENT_SIZE;
}

static bool intents_text_emit(struct iob_text *t, u32 *nr, u32 arg, size_t room)
{
	const struct iob_intent *intent = session_intent(*nr);

	if (intent)
		iob_text_intent(t, "", *nr, intent);
	return intent;
}

static size_t intents_bin_size(void)
{
	return sizeof(struct iob_intent_bin_record) +
	       IOB_STACK_DEPTH * sizeof(u64);
}

static bool intents_bin_emit(struct iob_text *t, u32 *nr, u32 arg, size_t room)
{
	struct iob_intent_bin_record *rec = (void *)t->buf;
	const struct iob_intent *intent = session_intent(*nr);
	bool hide = iob_text_hides_addresses();
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
		rec->trace[i] = hide ? 0 : intent->trace[i];
	return true;
}

static const struct iob_reader_ops intents_text_ops = {
	.size = intents_text_size,
	.emit = intents_text_emit,
	.end = iob_intents_count,
};

static const struct iob_reader_ops intents_bin_ops = {
	.size = intents_bin_size,
	.emit = intents_bin_emit,
	.end = iob_intents_count,
};

static int intents_text_open(struct inode *inode, struct file *file)
{
	return iob_reader_open(file, &intents_text_ops);
}

static int intents_bin_open(struct inode *inode, struct file *file)
{
	return iob_reader_open(file, &intents_bin_ops);
}

const struct file_operations iob_intents_fops =
	IOB_READER_FOPS(intents_text_open, iob_reader_release);

const struct file_operations iob_intents_bin_fops =
	IOB_READER_FOPS(intents_bin_open, iob_reader_release);

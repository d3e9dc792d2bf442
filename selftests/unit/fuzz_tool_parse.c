// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a text file of the module, for the command: the first byte says which.  What is
 * taken can be printed, and is then taken again.
 */
#include "fuzz.h"
#include "intent.h"
#include "rec.h"
#include "status.h"
#include "textlog.h"

static void intents(const char *text)
{
	char name[64], *again, *folded;
	const struct intent *in;
	uint32_t nr;

	if (!intent_parse(text))
		return;
	for (nr = 0; nr < intent_count() && nr < 1000; nr++) {
		in = intent_get(nr);
		if (!in)
			continue;
		again = intent_text(in);
		folded = intent_folded(in, ";", true);
		REQUIRE(again && folded);
		if (in->depth)
			intent_function(in->frame[0], name, sizeof(name));
		free(again);
		free(folded);
	}
}

static void statuses(const char *text, size_t len)
{
	static struct status before, now;
	size_t i;

	/* the first half is the earlier one */
	char *first = fuzz_text((const u8 *)text, len / 2);

	status_parse(&before, first);
	status_parse(&now, text + len / 2);
	status_since(&now, &before);
	REQUIRE(now.nr_losses <= STATUS_LOSSES);
	for (i = 0; i < now.nr_losses; i++)
		REQUIRE(strlen(now.loss[i].name) < STATUS_NAME);
	status_all_bytes(&now);
	free(first);
}

static void text_log(char *text)
{
	char *line, *save = NULL;
	struct textlog t;
	bool open = false;

	memset(&t, 0, sizeof(t));
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (open && *line == ' ') {
			textlog_intent(&t, line);
			continue;
		}
		open = textlog_head(&t, line, strlen(line), 10000000000);
		if (!open)
			continue;
		REQUIRE(strchr(rec_op_letters, t.rec.op) && t.rec.op);
		REQUIRE(t.rec.role_kind < NR_ROLES && t.rec.how < IOB_NR_HOWS);
		REQUIRE(memchr(t.disk, 0, sizeof(t.disk)));
		rec_total_ns(&t.rec);
		rec_age_ns(&t.rec);
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = fuzz_text(data + 1, size - 1);
	if (strlen(text) == size - 1) {
		if (data[0] % 3 == 0)
			intents(text);
		else if (data[0] % 3 == 1)
			statuses(text, size - 1);
		else
			text_log(text);
	}
	free(text);
	return 0;
}

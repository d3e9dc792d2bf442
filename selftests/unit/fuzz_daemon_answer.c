// SPDX-License-Identifier: GPL-2.0
/*
 * Any text that a user may send as a question about the past: it is none, or one that its words
 * say, and that the process which answers reads in the same way.
 */
#include "../../tools/ioblamed/answer.h"
#include "fuzz.h"
#include "past.h"

#define BLANKS	" \t\n\v\f\r"

/* Three numbers with blanks between them, each of which counts as a whole. */
static void check_words(const char *text, const struct answer_question *q)
{
	char *end;

	REQUIRE(strtoll(text, &end, 10) == q->from_ns && strchr(BLANKS, *end) && *end);
	REQUIRE(strtoll(end, &end, 10) == q->until_ns && strchr(BLANKS, *end) && *end);
	REQUIRE(strtoll(end, &end, 10) == q->level && !*end);
}

/* Who sees all does; the other one what is his, by the number in the text. */
static void check_right(const char *text)
{
	uint32_t uid = strtoul(text, NULL, 10);
	const struct viewer_right all = { .all = true }, own = { .uid = uid };
	const struct usage_key his = { .uid = uid }, not_his = { .uid = uid + 1 },
			       nobody = { .uid = UINT32_MAX };

	REQUIRE(viewer_may_see(&all, &his) && viewer_may_see(&all, &nobody));
	REQUIRE(viewer_may_see(&own, &his) == (uid != UINT32_MAX));
	REQUIRE(!viewer_may_see(&own, &not_his) && !viewer_may_see(&own, &nobody));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char *text = fuzz_text(data, size), again[64];
	struct answer_question q, same;

	check_right(text);
	if (!answer_parse(text, &q)) {
		free(text);
		return 0;
	}
	REQUIRE(q.from_ns >= 0 && q.until_ns > q.from_ns);
	REQUIRE(q.level >= PAST_INTERVAL && q.level <= PAST_HOUR);
	check_words(text, &q);
	snprintf(again, sizeof(again), "%lld %lld %d", (long long)q.from_ns,
		 (long long)q.until_ns, q.level);
	REQUIRE(answer_parse(again, &same));
	REQUIRE(same.from_ns == q.from_ns && same.until_ns == q.until_ns &&
		same.level == q.level);
	free(text);
	return 0;
}

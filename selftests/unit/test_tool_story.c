// SPDX-License-Identifier: GPL-2.0
/* Who submitted most for others is told, however many did, and whenever they came. */
#include "agg.h"
#include "fake_names.h"
#include "fake_one_name.h"
#include "opf.h"
#include "story.h"
#include "test.h"

static void submit(struct story *s, const char *comm, u32 bytes)
{
	struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .bytes = bytes, .role_kind = ROLE_THREAD, .id = 100, .pid = 100,
		.tgid = 100, .sub_pid = 9, .comm = "program",
	};

	strcpy(rec.sub_comm, comm);
	story_add(s, &rec);
}

static void expect(const struct story *s, const char *who)
{
	char sentence[STORY_SENTENCES][STORY_TEXT], end[64];
	struct agg agg = { 0 };

	story_tell(s, &agg, 1000000000, sentence);
	snprintf(end, sizeof(end), "most of these by %s.", who);
	if (!strstr(sentence[2], end))
		fail("not %s: %s", who, sentence[2]);
}

static void many_light(struct story *s, unsigned int nr)
{
	char comm[32];

	while (nr--) {
		snprintf(comm, sizeof(comm), "light-%u", nr);
		submit(s, comm, 4096);
	}
}

static void submitters(void)
{
	struct story late = { 0 }, early = { 0 }, among = { 0 }, last = { 0 }, kworkers = { 0 };
	unsigned int i;
	char comm[32];

	many_light(&late, STORY_SUBMITTERS);
	for (i = 0; i < 100; i++)
		submit(&late, "heavy", 4096);
	expect(&late, "heavy");
	/* and keeps its place */
	submit(&early, "heavy", 1 << 20);
	many_light(&early, 10 * STORY_SUBMITTERS);
	expect(&early, "heavy");
	/* he does a bit at a time, and each time others come that were not there */
	for (i = 0; i < 10 * STORY_SUBMITTERS; i++) {
		snprintf(comm, sizeof(comm), "other-%u", i);
		submit(&among, comm, 4096);
		submit(&among, "heavy", 4096);
	}
	expect(&among, "heavy");
	/* what others had submitted in the same place does not count */
	submit(&last, "heavy", 20 * 4096);
	many_light(&last, 1200);
	submit(&last, "last", 3 * 4096);
	expect(&last, "heavy");
	/* all of them are one */
	many_light(&kworkers, STORY_SUBMITTERS);
	for (i = 0; i < 100; i++) {
		snprintf(comm, sizeof(comm), "kworker/u%u:1", i);
		submit(&kworkers, comm, 4096);
	}
	expect(&kworkers, "kworkers");
}

int main(void)
{
	static const struct test tests[] = { TEST(submitters) };

	return run_tests("tool_story", tests, ARRAY_SIZE(tests));
}

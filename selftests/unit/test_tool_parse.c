// SPDX-License-Identifier: GPL-2.0
/* Parsers of the module's text files: intents, status and iolog. */
#include "intent.h"
#include "rec.h"
#include "status.h"
#include "test.h"
#include "textlog.h"

static struct iob_iolog_bin_record record(char op, u32 nr, u32 modifier, u64 ino)
{
	struct iob_iolog_bin_record rec;

	memset(&rec, 0, sizeof(rec));
	rec.op = op;
	rec.intent_nr = nr;
	rec.modifier = modifier;
	rec.ino = ino;
	return rec;
}

static void why_is(const char *want, char op, u32 nr, u32 modifier, u64 ino)
{
	struct iob_iolog_bin_record rec = record(op, nr, modifier, ino);

	if (strcmp(intent_why(&rec), want))
		fail("%c #%u %x is %s, not %s", op, nr, modifier, intent_why(&rec), want);
}

static void intents(void)
{
	static const char text[] =
		"#0 modifier=0x0\n#1 modifier=0x0\n"
		"#6 modifier=0x10000002 wb=sync\n"
		"[ffffffffba08cb74] __folio_mark_dirty+0x1f4/0x2a0\n"
		"[ffffffffc06f3dc4] ext4_buffered_write_iter+0x84/0x130 [ext4]\n"
		"#7 modifier=0x20000000 journal\n"
		"#8 modifier=0x0\n[ffffffffba1f3d17] __iomap_dio_rw+0x4c7/0x7e0\n"
		"#9 modifier=0x10000009 wb=9\n";
	const struct intent *in;
	char name[64], *again;

	if (!intent_parse(text))
		fail("not understood");
	in = intent_get(6);
	if (!in || in->depth != 2 || strcmp(in->why, "sync") || in->modifier != 0x10000002) {
		fail("#6");
		return;
	}
	intent_function(in->frame[1], name, sizeof(name));
	if (strcmp(name, "ext4_buffered_write_iter"))
		fail("function %s", name);
	again = intent_folded(in, ";", true);
	if (strcmp(again, "ext4_buffered_write_iter;__folio_mark_dirty"))
		fail("folded %s", again);
	free(again);
	if (intent_get(5) || intent_get(10) || intent_get(~0U) || intent_count() != 10)
		fail("what is not there");
	why_is("sync", 'W', 6, 0x10000002, 12);
	why_is("journal", 'W', 7, 0x20000000, 0);
	why_is("reclaim", 'W', 0, 0x30000000, 12);
	why_is("direct", 'W', 8, 0, 12);
	why_is("direct", 'R', 8, 0, 12);
	why_is("task", 'W', 99, 0, 12);
	why_is("metadata", 'W', 99, 0, 0);
	why_is("read", 'R', 99, 0, 12);
	why_is("readahead", 'A', 99, 0, 12);
	why_is("discard", 'D', 99, 0, 0);
	why_is("flush", 'F', 99, 0, 0);
	why_is("writeback", 'W', 99, 0x10000005, 12);
	why_is("9", 'W', 9, 0x10000009, 12);
	/* what a recording keeps says the same */
	again = intent_text(in);
	if (!intent_parse(again) || !intent_get(6) || intent_get(6)->depth != 2 ||
	    strcmp(intent_get(6)->why, "sync"))
		fail("again: %s", again);
	free(again);
}

static void bad_intents(void)
{
	static const char * const bad[] = {
		"junk\n", "[0] f\n", "#x\n", "#1\n", "#1 modifier=5\n",
		"#99999999999 modifier=0x0\n", "#-1 modifier=0x0\n", "#1 modifier=0x0\n[",
		"#1 modifier=0x0\n[]", "#1 modifier=0x0\n[0]",
	};
	unsigned int n, i;
	size_t k;

	for (k = 0; k < ARRAY_SIZE(bad); k++) {
		if (intent_parse(bad[k]))
			fail("'%s' is understood", bad[k]);
	}
	/* from a file that any user may have written: nothing breaks */
	for (n = 0; n < 5000; n++) {
		static const char * const parts[] = {
			"#", "1", " modifier=0x", "wb=", "\n", "[", "] ", "x+0x1/0x2", " ",
			"\xff", "journal", "300",
		};
		char text[256] = "";

		for (i = 0; i < 12; i++)
			strcat(text, parts[rnd(ARRAY_SIZE(parts))]);
		intent_parse(text);
	}
}

static void statuses(void)
{
	static const char before[] =
		"enabled 1\nsession 3\ntotal W ios=2 bytes=8192 exact=4096 inherited=4096 submitter=0 lost=0\n"
		"known role+intent+file=8192 role+file=512 role=0 nomem=0 lost=0\n"
		"losses 9\nloss iolog_unread 5 (iolog entries nobody was there to read)\n"
		"loss act_lost 4 (act reclaimed under an IO)\n";
	static const char after[] =
		"enabled 0\nsession 3\ndisk vda W ios=7 bytes=1 exact=1\n"
		"total R ios=1 bytes=512 exact=512 inherited=0 submitter=0 lost=0\n"
		"total W ios=5 bytes=20480 exact=8192 inherited=4096 submitter=4096 lost=4096\n"
		"known role+intent+file=12000 role+file=1536 role=64 nomem=4096 lost=7\n"
		"loss iolog_unread 500 (x)\nloss act_lost 4 (act reclaimed under an IO)\n"
		"loss stack_cut 2 (stack traces deeper than kept)\n"
		"hook kprobe x missing error=-2 lost: something\nhook kprobe y attached\n";
	struct status a, b;

	status_parse(&a, before);
	status_parse(&b, after);
	if (!a.enabled || b.enabled || a.session != 3 || b.missing != 1)
		fail("head");
	status_since(&b, &a);
	if (b.ios != 4 || b.bytes[0] != 4608 || b.bytes[1] || b.bytes[2] != 4096 ||
	    b.bytes[3] != 4096 || status_all_bytes(&b) != 12800)
		fail("sums");
	if (b.less[LESS_INTENT] != 1024 || b.less[LESS_FILE] != 64 || b.less[LESS_ROLE] != 4096)
		fail("less is known of %llu, %llu, %llu", (unsigned long long)b.less[LESS_INTENT],
		     (unsigned long long)b.less[LESS_FILE], (unsigned long long)b.less[LESS_ROLE]);
	if (b.nr_losses != 1 || strcmp(b.loss[0].name, "stack_cut") || b.loss[0].nr != 2 ||
	    strcmp(b.loss[0].what, "stack traces deeper than kept"))
		fail("losses: %u", b.nr_losses);
	/* of another session nothing is taken away */
	status_parse(&b, after);
	a.session = 2;
	status_since(&b, &a);
	if (b.ios != 6)
		fail("another session");
	status_parse(&b, "");
	status_parse(&b, "loss\nloss \nloss a\nloss a (\ntotal\ntotal W ios=");
	if (b.ios)
		fail("nonsense");
}

/* Whether the numbers of one status go on from those of another. */
static void follows(void)
{
	static const struct {
		const char *before, *now;
		bool follows;
	} cases[] = {
		{ "enabled 1\nsession 3\nmodule 5\n", "enabled 0\nsession 3\nmodule 5\n", true },
		{ "enabled 1\nsession 3\nmodule 5\n", "enabled 1\nsession 4\nmodule 5\n", false },
		{ "enabled 1\nsession 3\nmodule 5\n", "enabled 1\nsession 3\nmodule 6\n", false },
		/* it was over, and the next one is all that has begun since */
		{ "enabled 0\nsession 3\nmodule 5\n", "enabled 1\nsession 4\nmodule 5\n", true },
		{ "enabled 0\nsession 3\nmodule 5\n", "enabled 1\nsession 5\nmodule 5\n", false },
		{ "enabled 0\nsession 3\nmodule 5\n", "enabled 1\nsession 4\nmodule 6\n", false },
		{ "enabled 0\nsession 3\n", "enabled 1\nsession 4\n", false },
		/* without the number of the module */
		{ "session 3\ntotal W ios=5 exact=9\n", "session 3\ntotal W ios=5 exact=9\n", true },
		{ "session 3\ntotal W ios=5 exact=9\n", "session 3\ntotal W ios=4 exact=9\n", false },
		{ "session 3\ntotal W ios=5 exact=9\n", "session 3\ntotal W ios=5 exact=8\n", false },
		{ "session 3\nmodule 5\ntotal W ios=5\n", "session 3\ntotal W ios=4\n", false },
		/* one user's has no totals */
		{ "session 3\nown 1\n", "session 3\nown 1\n", true },
	};
	struct status before, now;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		status_parse(&before, cases[i].before);
		status_parse(&now, cases[i].now);
		if (status_follows(&now, &before) != cases[i].follows)
			fail("case %zu", i);
	}
}

#define FILE_OF	" dev=0xfe00000 ino=0xd gen=0xaabe8b22"

/* A time that the log does not know is not known here, either. */
static void unknown_times(void)
{
	static const struct {
		const char *line;
		u64 queue_ns, issue_ns;
	} cases[] = {
		{ "W 1 @ 0 pid-5 (a)" FILE_OF " wait=- io=- age=-", 0, 0 },
		{ "W 1 @ 0 pid-5 (a)" FILE_OF " wait=- io=136 age=-", 0, 9864000 },
		{ "W 1 @ 0 pid-5 (a)" FILE_OF " wait=0 io=0 age=-", 10000000, 10000000 },
	};
	struct textlog t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		textlog_head(&t, cases[i].line, strlen(cases[i].line), 10000000);
		if (t.rec.queue_ns != cases[i].queue_ns || t.rec.issue_ns != cases[i].issue_ns)
			fail("%s: %llu, %llu", cases[i].line, (u64)t.rec.queue_ns,
			     (u64)t.rec.issue_ns);
	}
}

static void text_log(void)
{
	static const char line[] = "W 1024 @ 34818 pid-165 (sh)" FILE_OF
		" disk=vda how=exact sub=25 sub_comm=kworker/u4:1 wait=337 io=136 age=2044";
	static const struct {
		const char *line, *comm;
		int id, kind;
	} whos[] = {
		{ "R 1 @ 0 user-7" FILE_OF " disk=a how=lost", "", -7, ROLE_USER },
		{ "R 1 @ 0 cgroup-23" FILE_OF " disk=a how=lost", "", 0, ROLE_CGROUP },
		{ "R 1 @ 0 pid-0 (lost)" FILE_OF " how=lost", "lost", 0, ROLE_SPECIAL },
		{ "R 1 @ 0 pid-5 (a) dev=0x1 (b)" FILE_OF " how=lost", "a) dev=0x1 (b", 5, ROLE_THREAD },
		{ "R 1 @ 0 pid-5 (\\033[\\134x)" FILE_OF " how=lost", "\033[\\x", 5, ROLE_THREAD },
		{ "R 1 @ 0 pid-5" FILE_OF " how=lost", "", 5, ROLE_THREAD },
	};
	static const char * const bad[] = {
		"", "W", "W 1 @", "X 1 @ 2 pid-1 (x)" FILE_OF, "W x @ 2 pid-1 (x)" FILE_OF,
		"W 1 @ 2 pid-1 (x)", "W 1 @ 2 x-1 (x)" FILE_OF, "W 1 @ 2 pid-1 (x) dev=0x1",
	};
	struct textlog t;
	size_t i;

	if (!textlog_head(&t, line, strlen(line), 10000000)) {
		fail("not understood");
		return;
	}
	textlog_intent(&t, "  #6 modifier=0x10000002 wb=sync");
	if (t.rec.op != 'W' || t.rec.bytes != 1024 || t.rec.sector != 34818 || t.rec.pid != 165 ||
	    t.rec.dev != 0xfe00000 || t.rec.ino != 0xd || t.rec.gen != 0xaabe8b22 ||
	    strcmp(t.disk, "vda") || t.rec.how != IOB_HOW_EXACT || t.rec.sub_pid != 25 ||
	    strcmp(t.rec.sub_comm, "kworker/u4:1") || t.rec.intent_nr != 6 ||
	    t.rec.modifier != 0x10000002)
		fail("fields");
	if (rec_wait_ns(&t.rec) != 337000 || rec_io_ns(&t.rec) != 136000 ||
	    rec_age_ns(&t.rec) != 2044000 || t.rec.complete_ns != 10000000)
		fail("times");
	for (i = 0; i < ARRAY_SIZE(whos); i++) {
		char comm[IOB_COMM_LEN + 1] = "";

		if (!textlog_head(&t, whos[i].line, strlen(whos[i].line), 1)) {
			fail("'%s' is refused", whos[i].line);
			continue;
		}
		memcpy(comm, t.rec.comm, IOB_COMM_LEN);
		if (t.rec.id != whos[i].id || t.rec.role_kind != whos[i].kind ||
		    strcmp(comm, whos[i].comm) || t.rec.how != IOB_HOW_LOST)
			fail("'%s' is %d '%s' %d", whos[i].line, t.rec.id, comm, t.rec.how);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (textlog_head(&t, bad[i], strlen(bad[i]), 1))
			fail("'%s' is taken", bad[i]);
	}
	/* cut and changed anywhere: nothing breaks */
	for (i = 0; i < 20000; i++) {
		size_t len = rnd(sizeof(line));
		char *copy = malloc(len + 1);

		memcpy(copy, line, len);
		copy[len] = '\0';
		if (len)
			copy[rnd(len)] = rnd(256) | 1;
		textlog_head(&t, copy, len, rnd64());
		textlog_intent(&t, copy);
		free(copy);
	}
}

/* The first lines of acts in counters_pipe */
static void acts(void)
{
	static const struct {
		const char *line, *comm;
		int id, kind;
		unsigned int intent;
	} good[] = {
		{ "pid-172 (dd) int=14" FILE_OF, "dd", 172, ROLE_THREAD, 14 },
		{ "pid-1 (a int=3 dev=0x1) int=0" FILE_OF, "a int=3 dev=0x1", 1, ROLE_THREAD, 0 },
		{ "pid-0 (nomem) int=1" FILE_OF, "nomem", 0, ROLE_SPECIAL, 1 },
		{ "user-7 int=99" FILE_OF, "", -7, ROLE_USER, 99 },
		{ "cgroup-23 int=2" FILE_OF, "", 0, ROLE_CGROUP, 2 },
	};
	static const char *const bad[] = {
		"", "pid-172 (dd)", "pid-172 (dd) int=14", "pid-172 (dd)" FILE_OF, "x-1 int=1" FILE_OF,
		"\t0\t0", "pid-172 (dd) int=14 dev=0x1 ino=0x2",
	};
	struct iob_iolog_bin_record rec;
	char comm[IOB_COMM_LEN + 1] = "";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (!textlog_act(&rec, good[i].line, strlen(good[i].line))) {
			fail("'%s' is refused", good[i].line);
			continue;
		}
		memcpy(comm, rec.comm, IOB_COMM_LEN);
		if (rec.id != good[i].id || rec.role_kind != good[i].kind ||
		    rec.intent_nr != good[i].intent || strcmp(comm, good[i].comm) ||
		    rec.dev != 0xfe00000 || rec.ino != 0xd || rec.gen != 0xaabe8b22)
			fail("'%s' is %d '%s' %u", good[i].line, rec.id, comm, rec.intent_nr);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (textlog_act(&rec, bad[i], strlen(bad[i])))
			fail("'%s' is taken", bad[i]);
	}
}

/* A recording has a stack again and again: it takes room once. */
static void repeated_intents(void)
{
	u64 before = intent_no_room();
	u32 i;

	for (i = 0; i < 600000; i++)
		intent_parse("#6 modifier=0x1\n");
	if (intent_no_room() != before || !intent_parse("#5000 modifier=0x0\n"))
		fail("%llu of %u had no room", (unsigned long long)(intent_no_room() - before), i);
}

/* A forged recording has more stacks than there can be: they are counted, and memory is bounded. */
static void forged_intents(void)
{
	u64 before = intent_no_room();
	char text[64];
	u32 nr;

	for (nr = 0; nr < 1 << 20; nr++) {
		snprintf(text, sizeof(text), "#%u modifier=0x0\n", nr);
		intent_parse(text);
	}
	if (intent_no_room() == before)
		fail("a million stacks have room");
	/* those that were there are there still */
	if (!intent_get(6))
		fail("the first ones were dropped");
	note("%llu of %u had no room", (unsigned long long)(intent_no_room() - before), nr);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(intents), TEST(bad_intents), TEST(statuses), TEST(follows), TEST(text_log),
		TEST(unknown_times), TEST(acts),
		TEST(repeated_intents), TEST(forged_intents),
	};

	return run_tests("tool_parse", tests, ARRAY_SIZE(tests));
}

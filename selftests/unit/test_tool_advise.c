// SPDX-License-Identifier: GPL-2.0
/* Each rule of `advise` finds what it is for, and not what only looks like it. */
#include <locale.h>
#include <wchar.h>

#include "advise.h"
#include "fake_names.h"
#include "fake_table.h"
#include "intent.h"
#include "name.h"
#include "opf.h"
#include "options.h"
#include "test.h"
#include "wrap.h"

#include "cmd_advise.c"

#define MS	1000000ULL
#define SECOND	(1000 * MS)

enum {
	WEB = 5, BACKUP = 6, LONG = 7,	/* cgroups */
	HOSTILE = 9,			/* a disk */
	/* intents */
	PLAIN = 2, FAULT, DIRECT, BACKGROUND, PERIODIC,
};

static const char intents[] =
	"#2 modifier=0x0\n[0] vfs_write+0x1/0x2\n"
	"#3 modifier=0x0\n[0] submit_bio+0x1/0x2\n[0] filemap_fault+0x1/0x2\n[0] __do_fault+0x1/0x2\n"
	"#4 modifier=0x0\n[0] iomap_dio_rw+0x1/0x2\n"
	"#5 modifier=0x10000000 wb=background\n[0] vfs_write+0x1/0x2\n"
	"#6 modifier=0x10000003 wb=periodic\n[0] vfs_write+0x1/0x2\n";

static u64 now;
static unsigned int chosen;	/* the cgroup that the options choose, 0: all */
static char long_name[400];	/* of characters of two bytes */

const char *name_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)gen;
	return ino == 77 ? "/data/seventy-seven" : "/data/file";
}

const char *name_cgroup(uint64_t id)
{
	return id == LONG ? long_name : id == WEB ? "/web" : id == BACKUP ? "/backup" : "/";
}

const char *name_unit(uint64_t id)
{
	return name_cgroup(id);
}

const char *name_disk(uint32_t dev)
{
	return dev == HOSTILE ? "sd$(id)" : dev == 8 ? "sdb" : "sda";
}

const char *name_user(uint32_t tgid, const char *comm)
{
	(void)tgid;
	(void)comm;
	return "root";
}

/* What prints is not looked at here */
void table_row(struct table *t, const struct cell *cells)
{
	(void)t;
	(void)cells;
}

void table_end(struct table *t)
{
	(void)t;
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

bool run_took(struct run *run)
{
	(void)run;
	return true;
}

int view_run(const struct opts *o, const struct view *view)
{
	(void)o;
	(void)view;
	return 0;
}

/* An IO of process 100, of one page of file 77, that completes 1 ms after the last one. */
static struct iob_iolog_bin_record io(char op, u64 sector, u32 bytes)
{
	struct iob_iolog_bin_record rec;

	memset(&rec, 0, sizeof(rec));
	rec.op = op;
	rec.disk = 7;
	rec.sector = sector;
	rec.bytes = bytes;
	rec.ino = 77;
	rec.cgroup = WEB;
	rec.role_kind = ROLE_THREAD;
	rec.id = rec.pid = rec.tgid = rec.sub_pid = 100;
	rec.intent_nr = PLAIN;
	strcpy(rec.comm, "program");
	strcpy(rec.sub_comm, "program");
	now += MS;
	rec.complete_ns = now;
	rec.queue_ns = now - MS / 2;
	return rec;
}

static void by_flusher(struct iob_iolog_bin_record *rec)
{
	rec->sub_pid = 9;
	strcpy(rec->sub_comm, "kworker/u4:1");
}

static void add(struct iob_iolog_bin_record rec)
{
	advise_add(&rec, !chosen || rec.cgroup == chosen);
}

/* The rules that have told */
#define X(rule)	#rule,
static const char *const rule_names[] = { ADVISE_RULES(X) };
#undef X
static bool has_told[ARRAY_SIZE(rule_names)];

/* The command that advice names can be typed, by somebody who reads @input; NULL: live. */
static void can_be_typed(const struct advice *a, const char *input)
{
	const struct opts opts = { .input = input };
	const struct run run = { .opts = &opts };
	char see[512], words[512], *args[32], *word, *rest;
	struct opts o;
	int n = 0;

	see_command(&run, a, see, sizeof(see));
	strcpy(words, see);
	for (word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		args[n++] = word;
	args[n] = NULL;
	if (opts_parse(&o, n, args))
		fail("%s: there is no command %s", a->rule, see);
	else if (input && (!o.input || !(REPLAYS & 1U << o.command)))
		fail("%s: %s reads no recording", a->rule, see);
}

static void check_see(const struct advice *a)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rule_names); i++)
		has_told[i] |= !strcmp(a->rule, rule_names[i]);
	can_be_typed(a, NULL);
	can_be_typed(a, "/tmp/file");
	/* one that a shell would not take as it is */
	can_be_typed(a, "/tmp/my file");
}

/* What was added is advice by @rule, once, and by no other; @rule is NULL for none. */
static void expect(const char *what, const char *rule, const char *fact)
{
	struct advices found = { 0 };
	size_t i;

	advise_tell(&found);
	for (i = 0; i < found.nr; i++) {
		if (!rule || strcmp(found.advice[i].rule, rule))
			fail("%s: %s: %s", what, found.advice[i].rule, found.advice[i].fact);
		else if (!strstr(found.advice[i].fact, fact))
			fail("%s: \"%s\" is not in: %s", what, fact, found.advice[i].fact);
		if (!*found.advice[i].what || !*found.advice[i].see)
			fail("%s: half of a piece of advice", what);
		check_see(&found.advice[i]);
	}
	if (found.nr != (rule ? 1 : 0))
		fail("%s: %zu pieces of advice", what, found.nr);
	advise_free(&found);
	/* and the sums are gone */
	advise_tell(&found);
	if (found.nr)
		fail("%s: told twice", what);
	advise_free(&found);
}

static void errors(void)
{
	struct iob_iolog_bin_record rec = io('R', 8, 4096);

	rec.error = -5;
	add(rec);
	rec.part = 1;
	add(rec);
	expect("an error", "errors", "1 IO of program (100) on sda failed");
	add(io('R', 8, 4096));
	expect("an IO", NULL, "");
}

/* @n times: @bytes of data, and a commit of the journal that flushes. */
static void sync_loop(unsigned int n, u32 bytes, bool own_data, bool own_flush)
{
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < n; i++) {
		rec = io('W', 1000 + i * (bytes / 512), bytes);
		if (!own_data)
			by_flusher(&rec);
		add(rec);
		rec = io('W', 900000 + i * 8, 4096);
		rec.ino = 0;
		rec.modifier = IOB_MODIFIER_JOURNAL;
		rec.opf = OPF_PREFLUSH | OPF_FUA;
		if (!own_flush)
			by_flusher(&rec);
		add(rec);
	}
}

static void small_syncs(void)
{
	struct iob_iolog_bin_record rec;
	unsigned int i;

	sync_loop(100, 4096, true, false);
	expect("fsync of a page", "small_sync", "flushed sda 100 times");
	sync_loop(100, 4096, true, false);
	expect("fsync of a page", "small_sync", "4.0K of data each (400K in all, the last to /data/seventy-seven)");
	sync_loop(100, 1 << 20, true, false);
	expect("fsync of a MiB", NULL, "");
	sync_loop(20, 4096, true, false);
	expect("a few fsyncs", NULL, "");
	/* another one syncs, and what this one logged is the most of it */
	sync_loop(100, 4096, false, false);
	expect("commits for others", NULL, "");
	for (i = 0; i < 100; i++) {
		now += SECOND;
		sync_loop(1, 4096, true, false);
	}
	expect("fsync each second", NULL, "");
	/* direct IO, each with FUA */
	for (i = 0; i < 100; i++) {
		rec = io('W', 1000 + i * 8, 4096);
		rec.opf = OPF_FUA;
		rec.intent_nr = DIRECT;
		add(rec);
	}
	expect("O_DSYNC", "small_sync", "flushed sda 100 times");
}

/* Of what was under way before there are no times. */
static void syncs_not_timed(void)
{
	static const struct {
		unsigned int unknown;
		const char *fact;
	} rows[] = {
		{ 0, "); the flushes took 50ms." },
		{ 40, "); 60 of the flushes took 30ms, the others' time is not known." },
		{ 100, "); how long the flushes took is not known." },
	};
	struct iob_iolog_bin_record rec;
	unsigned int k, i;

	for (k = 0; k < ARRAY_SIZE(rows); k++) {
		for (i = 0; i < 100; i++) {
			rec = io('W', 1000 + i * 8, 4096);
			rec.opf = OPF_FUA;
			rec.intent_nr = DIRECT;
			if (i < rows[k].unknown)
				rec.queue_ns = 0;
			add(rec);
		}
		expect("times", "small_sync", rows[k].fact);
	}
}

static void random_writes(void)
{
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < 600; i++)
		add(io('W', i * 7919 % 100000 * 8, 4096));
	expect("at random", "random_writes", "/data/seventy-seven in 600 pieces of 4.0K");
	for (i = 0; i < 600; i++)
		add(io('W', i * 8, 4096));
	expect("in sequence", NULL, "");
	for (i = 0; i < 600; i++)
		add(io('W', i * 7919 % 100000 * 8, 64 << 10));
	expect("large ones", NULL, "");
	for (i = 0; i < 600; i++) {
		rec = io('W', i * 7919 % 100000 * 8, 4096);
		rec.ino = 1000 + i;
		add(rec);
	}
	expect("of many files", NULL, "");
	for (i = 0; i < 600; i++) {
		add(io('W', i * 7919 % 100000 * 8, 4096));
		rec = io('W', 1000000 + i * 64, 32768);
		rec.tgid = rec.id = rec.pid = 200;
		add(rec);
		add(rec);
		add(rec);
		add(rec);
	}
	expect("few beside those of others", NULL, "");
}

static void read_again(void)
{
	struct iob_iolog_bin_record rec;
	unsigned int i, k;

	for (k = 0; k < 3; k++) {
		for (i = 0; i < 80; i++)
			add(io('A', i * 256, 128 << 10));
	}
	expect("three times", "read_again", "at least 20M (67 %)");
	for (i = 0; i < 240; i++)
		add(io('A', i * 256, 128 << 10));
	expect("once", NULL, "");
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 80; i++) {
			rec = io('R', i * 256, 128 << 10);
			rec.intent_nr = DIRECT;
			add(rec);
		}
	}
	expect("direct IO", NULL, "");
	for (k = 0; k < 3; k++) {
		for (i = 0; i < 20; i++)
			add(io('A', i * 256, 128 << 10));
	}
	expect("little", NULL, "");
}

static void faults(void)
{
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < 150; i++) {
		rec = io('A', i * 7919 % 10000 * 256, 64 << 10);
		rec.intent_nr = FAULT;
		add(rec);
	}
	expect("faults at random", "fault_around", "read 64K around each, 150 times; 150 times nothing");
	for (i = 0; i < 150; i++) {
		rec = io('A', i * 128, 64 << 10);
		rec.intent_nr = FAULT;
		add(rec);
	}
	expect("faults in sequence", NULL, "");
	for (i = 0; i < 150; i++)
		add(io('A', i * 7919 % 10000 * 256, 64 << 10));
	expect("read() at random", NULL, "");
	for (i = 0; i < 150; i++) {
		rec = io('R', i * 7919 % 10000 * 256, 4096);
		rec.intent_nr = FAULT;
		add(rec);
	}
	expect("faults of one page", NULL, "");
}

/* Writes of 64 KiB: @n for a reason, @others without. */
static void reasons(u32 modifier, u32 intent, unsigned int n, unsigned int others)
{
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < n + others; i++) {
		rec = io('W', i * 128, 64 << 10);
		by_flusher(&rec);
		if (i < n) {
			rec.modifier = modifier;
			rec.intent_nr = intent;
		}
		add(rec);
	}
}

static void shares(void)
{
	struct iob_iolog_bin_record rec;
	unsigned int i;

	reasons(IOB_MODIFIER_WB, BACKGROUND, 300, 100);
	expect("too much dirty", "background", "19M (75 %) because too much was dirty");
	reasons(IOB_MODIFIER_WB | 3, PERIODIC, 300, 100);
	expect("written in time", NULL, "");
	reasons(IOB_MODIFIER_WB, BACKGROUND, 300, 400);
	expect("less than half", NULL, "");
	reasons(IOB_MODIFIER_JOURNAL, PLAIN, 100, 100);
	expect("a journal", "journal", "(50 %) are the file system's journal; 100 % of it is of /web");
	reasons(IOB_MODIFIER_JOURNAL, PLAIN, 100, 400);
	expect("a journal of a fifth", NULL, "");
	for (i = 0; i < 200; i++) {
		rec = io('W', i * 128, 64 << 10);
		by_flusher(&rec);
		rec.modifier = IOB_MODIFIER_JOURNAL;
		rec.cgroup = i & 1 ? WEB : BACKUP;
		add(rec);
	}
	expect("a journal of two", NULL, "");
	reasons(IOB_MODIFIER_RECLAIM, PLAIN, 100, 1000);
	expect("reclaim", "reclaim", "6.2M of memory");
	reasons(IOB_MODIFIER_RECLAIM, PLAIN, 10, 1000);
	expect("a little of reclaim", NULL, "");
}

/* A second of web's reads, of @ns each; and of a backup, if @busy. */
static void second_of_two(u64 ns, bool busy)
{
	static u64 place = 1000000;
	struct iob_iolog_bin_record rec;
	unsigned int i;

	now += SECOND - now % SECOND;
	for (i = 0; i < 20; i++) {
		rec = io('R', i * 7919 % 10000 * 8, 4096);
		now += 30 * MS;
		rec.complete_ns = now;
		rec.queue_ns = now - ns;
		add(rec);
		if (!busy)
			continue;
		rec = io('R', place += 2048, 1 << 20);
		rec.tgid = rec.pid = rec.id = rec.sub_pid = 200;
		rec.ino = 78;
		rec.cgroup = BACKUP;
		add(rec);
	}
}

static void starved(void)
{
	unsigned int i;

	for (i = 0; i < 12; i++)
		second_of_two(i & 1 ? 40 * MS : MS / 2, i & 1);
	expect("a backup", "starved", "While /backup moved 120M on sda, half of the 120 IOs of /web took more than");
	for (i = 0; i < 12; i++)
		second_of_two(MS / 2, i & 1);
	expect("a backup that hurts nobody", NULL, "");
	for (i = 0; i < 12; i++)
		second_of_two(40 * MS, true);
	expect("no calm to compare with", NULL, "");
	for (i = 0; i < 12; i++)
		second_of_two(i & 1 ? 40 * MS : MS / 2, false);
	expect("slow for another reason", NULL, "");
}

static void drop(void)
{
	struct advices found = { 0 };

	advise_tell(&found);
	advise_free(&found);
}

/* Options choose of whom advice is; what it says is what it says of all IO. */
static void of_chosen(void)
{
	static const unsigned int cgroups[] = { BACKUP, WEB, LONG };
	struct iob_iolog_bin_record rec;
	unsigned int i, k;

	for (k = 0; k < ARRAY_SIZE(cgroups); k++) {
		chosen = cgroups[k];
		for (i = 0; i < 12; i++)
			second_of_two(i & 1 ? 40 * MS : MS / 2, i & 1);
		/* either of the two is told of it */
		expect("the one or the other", chosen == LONG ? NULL : "starved",
		       "While /backup moved 120M on sda, half of the 120 IOs of /web took more");
		reasons(IOB_MODIFIER_JOURNAL, PLAIN, 100, 100);
		expect("a journal", chosen == WEB ? "journal" : NULL, "(50 %)");
		reasons(IOB_MODIFIER_JOURNAL, PLAIN, 100, 0);
		for (i = 0; i < 400; i++) {
			rec = io('W', i * 128, 64 << 10);
			rec.cgroup = BACKUP;
			add(rec);
		}
		expect("a journal of a fifth", NULL, "");
		for (i = 0; i < ADVISE_MOST; i++) {
			rec = io('R', 8, 512);
			rec.error = -5;
			rec.cgroup = BACKUP;
			rec.tgid = rec.pid = rec.id = 1000 + i;
			add(rec);
			add(rec);
		}
		rec = io('R', 8, 512);
		rec.error = -5;
		add(rec);
		/* weightier advice that is not shown takes no room */
		if (chosen == WEB)
			expect("errors", "errors", "1 IO of program (100) on sda failed");
		else if (chosen == LONG)
			expect("errors", NULL, "");
		else
			drop();
	}
	chosen = 0;
}

/* Many of one kind are cut, and counted. */
static void many(void)
{
	struct advices found = { 0 };
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < ADVISE_ROOM + 10; i++) {
		rec = io('R', 8, 512);
		rec.error = -5;
		rec.tgid = rec.pid = rec.id = 1000 + i;
		add(rec);
	}
	advise_tell(&found);
	if (found.nr != ADVISE_MOST || found.more != ADVISE_ROOM - ADVISE_MOST)
		fail("%zu and %zu more", found.nr, found.more);
	if (found.no_room < 10)
		fail("%llu had no room", (u64)found.no_room);
	advise_free(&found);
}

/* A forged recording has any number of disks. */
static void many_disks(void)
{
	struct advices found = { 0 };
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < 2 * ADVISE_ROOM; i++) {
		rec = io('W', 8, 512);
		rec.disk = 1000 + i;
		add(rec);
	}
	advise_tell(&found);
	/* four rules keep sums by disk: starved, and three of shares */
	if (found.no_room < 4 * ADVISE_ROOM)
		fail("%llu had no room", (u64)found.no_room);
	advise_free(&found);
}

/* Of data that has no room nobody knows whether it was read before, which is told, once of each IO. */
static void many_chunks(void)
{
	struct advices found = { 0 };
	unsigned int i;

	for (i = 0; i < 65536; i++)
		add(io('R', i * 256ULL, 128 << 10));
	for (i = 0; i < 1000; i++)
		add(io('R', 65536 * 256ULL, 512 << 10));
	advise_tell(&found);
	if (found.no_room != 1000)
		fail("%llu had no room", (u64)found.no_room);
	advise_free(&found);
}

/* So are the IOs of a unit that has no room beside others. */
static void many_pairs(void)
{
	struct advices found = { 0 };
	struct iob_iolog_bin_record rec;
	unsigned int i;

	for (i = 0; i < ADVISE_ROOM + 10; i++) {
		now += SECOND;
		rec = io('D', 8, 512);
		rec.cgroup = 1000 + i;
		add(rec);
		add(rec);
	}
	advise_tell(&found);
	if (found.no_room != 20)
		fail("%llu had no room", (u64)found.no_room);
	advise_free(&found);
}

/* What is to be copied into a shell has no name that does something there. */
static void hostile_disk(void)
{
	struct advices found = { 0 };
	struct iob_iolog_bin_record rec = io('R', 8, 4096);

	rec.error = -5;
	rec.disk = HOSTILE;
	add(rec);
	advise_tell(&found);
	if (found.nr != 1 || strcmp(found.advice[0].see, "errors -D 0:9"))
		fail("see: %s", found.nr ? found.advice[0].see : "nothing");
	advise_free(&found);
}

/* A long name of a unit is cut between two characters. */
static void cut_names(void)
{
	struct advices found = { 0 };
	struct iob_iolog_bin_record rec;
	wchar_t wide[ADVISE_TEXT];
	unsigned int i, odd;

	for (odd = 0; odd < 2; odd++) {
		strcpy(long_name, odd ? "/" : "");
		for (i = 0; i < 150; i++)
			strcat(long_name, "ä");
		for (i = 0; i < 40; i++) {
			rec = io('W', 2048 * i, 1 << 20);
			rec.cgroup = LONG;
			by_flusher(&rec);
			rec.modifier = IOB_MODIFIER_JOURNAL;
			add(rec);
		}
		advise_tell(&found);
		if (!found.nr || mbstowcs(wide, found.advice[0].fact, ADVISE_TEXT) == (size_t)-1 ||
		    !strstr(found.advice[0].fact, "ää."))
			fail("fact: %s", found.nr ? found.advice[0].fact : "nothing");
		advise_free(&found);
	}
}

/* By now each rule has told something, and so what it names was looked at. */
static void all_told(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rule_names); i++) {
		if (!has_told[i])
			fail("%s has told nothing", rule_names[i]);
	}
}

static void wrapped(void)
{
	static const struct {
		unsigned int width, indent;
		const char *words, *want;
	} rows[] = {
		{ 10, 0, "one two three", "one two\nthree" },
		{ 10, 2, "one  two three", "  one two\n  three" },
		{ 10, 0, "", "" },
		{ 5, 0, "a longerword b", "a\nlongerword\nb" },
		{ 8, 0, "\u5199\u5199 \u5199\u5199", "\u5199\u5199\n\u5199\u5199" },
		{ 7, 0, "at 100 % of it", "at\n100 %\nof it" },
	};
	unsigned int i;
	char *got;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		got = wrap_text(rows[i].words, rows[i].width, rows[i].indent);
		if (strcmp(got, rows[i].want))
			fail("row %u: \"%s\"", i, got);
		free(got);
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(errors), TEST(small_syncs), TEST(syncs_not_timed), TEST(random_writes),
		TEST(read_again), TEST(faults),
		TEST(shares), TEST(starved), TEST(of_chosen), TEST(many), TEST(wrapped),
		TEST(many_disks), TEST(many_chunks), TEST(many_pairs), TEST(hostile_disk), TEST(cut_names),
		TEST(all_told),
	};

	/* any but an earlier boot's first moments */
	now = 1000 * SECOND;
	setlocale(LC_CTYPE, "C.UTF-8");
	if (!intent_parse(intents))
		abort();
	return run_tests("tool_advise", tests, ARRAY_SIZE(tests));
}

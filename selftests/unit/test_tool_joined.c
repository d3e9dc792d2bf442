// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings that are read as one: each record of the time that is asked for once, an intent of
 * several under one number, and nothing of another boot.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_msg.h"
#include "intent.h"
#include "joined.h"
#include "moment_file.h"
#include "name.h"
#include "offline.h"
#include "pack.h"
#include "source.h"
#include "store.h"
#include "test.h"

#define SECOND	1000000000LL
/* 2026-11-26 03:00:00 UTC, and how long the machine had run then */
#define THREE	(1795662000LL * SECOND)
#define RUNS	(5000 * SECOND)
/* When a moment was that is 8 hours behind what is asked for, in seconds */
#define WOKEN	(8 * 3600 + 20)

static char folder[] = "/tmp/kept.XXXXXX";

static const char *path_at(int64_t at_s)
{
	static char path[256];
	char name[MOMENT_NAME];

	moment_file_name(name, THREE + at_s * SECOND, "sda", "p99");
	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* How long the machine was suspended before the second recording, and the third one */
static int64_t suspended_ns;
static bool knows_boot;
/* The boot of the second recording, and of the others; NULL: they do not say */
static const char *boot_id_of[2];
/* When each begins, of its moment */
static int64_t starts_s = -2;
/* Of the module that wrote the second recording, and of the others; 0: they do not say */
static unsigned int module_of[2];
/* That many IOs fewer are in the status before the second one */
static int back_ios;

static void print_status(char *to, unsigned int session, int ios, bool second)
{
	to += sprintf(to, "enabled 1\nsession %u\ntotal 8:0 ios=%d\n", session, ios);
	if (module_of[!second])
		sprintf(to, "module %u\n", module_of[!second]);
}

static FILE *begin(int64_t at_s, int64_t clock_ns, unsigned int session)
{
	int64_t suspended = at_s > 5 ? suspended_ns : 0;
	struct store_head head = {
		.cpus = 1, .wall_ns = THREE - RUNS + clock_ns + suspended,
		.boot_ns = knows_boot ? THREE - RUNS + clock_ns : 0,
		.start_ns = RUNS + (at_s + starts_s) * SECOND,
	};
	FILE *f = fopen(path_at(at_s), "w");
	char status[128];

	if (boot_id_of[at_s != 10])
		strcpy(head.boot_id, boot_id_of[at_s != 10]);
	store_add_device(&head, 8 << 20, 100, "sda", 3);
	print_status(status, session, at_s - (at_s == 10 ? back_ios : 0), at_s == 10);
	if (!f || !store_begin(f) || !store_write_head(f, &head) ||
	    !store_write(f, STORE_STATUS_BEFORE, status, strlen(status)))
		fail("cannot write");
	store_free_head(&head);
	return f;
}

static void put_intent(FILE *f, unsigned int nr, const char *function)
{
	char text[128];

	snprintf(text, sizeof(text), "#%u modifier=0x0\n[ffffffff81000000] %s+0x1/0x2\n", nr, function);
	store_write(f, STORE_INTENT, text, strlen(text));
}

/* @ms after three o'clock; its sector says which it is. */
static void put_record(FILE *f, int64_t ms, unsigned int intent, unsigned int sector)
{
	const struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'W', .disk = 8 << 20,
		.complete_ns = RUNS + ms * 1000000, .intent_nr = intent, .sector = sector,
	};

	store_write(f, STORE_RECORDS, &rec, sizeof(rec));
}

static void end(FILE *f, unsigned int session, unsigned int ios)
{
	char status[128];

	print_status(status, session, ios, ios == 70);
	store_write(f, STORE_STATUS_AFTER, status, strlen(status));
	fclose(f);
}

/* When the recording with a moment was written to its end */
static void set_written(int64_t at_s, int64_t written_s)
{
	const struct timespec times[2] = {
		{ .tv_nsec = UTIME_OMIT }, { .tv_sec = THREE / SECOND + written_s },
	};

	if (utimensat(AT_FDCWD, path_at(at_s), times, 0))
		fail("no time");
}

static void remove_all(void)
{
	static const int at[] = { 5, 6, 10, 20, 1000, WOKEN, WOKEN + 600 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(at); i++)
		unlink(path_at(at[i]));
}

static FILE *begin_first(void)
{
	FILE *f = begin(5, 0, 7);

	put_intent(f, 3, "ext4_write");
	put_intent(f, 4, "xfs_write");
	put_record(f, 3900, 3, 1);
	put_record(f, 4000, 3, 2);
	put_record(f, 9000, 4, 3);
	return f;
}

/* From the fourth to the thirtieth second there are sectors 2 to 6, each once. */
static void write_three(unsigned int session, int64_t clock_ns)
{
	char first[256];
	FILE *f;

	remove_all();
	f = begin_first();
	end(f, 7, 50);
	/* the same moment has another name */
	strcpy(first, path_at(5));
	if (link(first, path_at(6)))
		fail("no link");
	f = begin(10, clock_ns, session);
	put_intent(f, 3, "xfs_write");
	put_intent(f, 9, "btrfs_write");
	put_record(f, 9000, 3, 3);
	put_record(f, 9500, 3, 4);
	put_record(f, 10000, 9, 5);
	end(f, session, 70);
	set_written(6, 10);
	set_written(10, 14);
	f = begin(20, 0, 7);
	put_intent(f, 1, "ext4_write");
	put_record(f, 20000, 1, 6);
	put_record(f, 30000, 1, 7);
	end(f, 7, 90);
	set_written(20, 30);
	/* one that is too far away to be opened */
	f = begin(1000, 0, 7);
	fclose(f);
}

static const char *function_of(const struct iob_iolog_bin_record *rec)
{
	const struct intent *in = intent_get(rec->intent_nr);

	return in ? in->frame[0] : "none";
}

/* Read all.  Return: the last digits of the sectors. */
static u64 read_all(struct source *s, struct joined *k)
{
	static const char *const functions[] = {
		[2] = "ext4", [3] = "xfs", [4] = "xfs", [5] = "btrfs", [6] = "ext4",
	};
	struct iob_iolog_bin_record rec;
	u32 xfs = 0, ext4 = 0;
	u64 got = 0;

	if (source_open_file(s, k->path[0]))
		fail("not opened");
	if (source_join(s, k))
		fail("not joined: %s", said);
	do {
		while (source_next(s, &rec)) {
			got = got * 10 + rec.sector;
			if (rec.sector >= ARRAY_SIZE(functions) || !functions[rec.sector] ||
			    !strstr(function_of(&rec), functions[rec.sector]))
				fail("sector %llu has %s", rec.sector, function_of(&rec));
			if (rec.sector == 3)
				xfs = rec.intent_nr;
			if (rec.sector == 2)
				ext4 = rec.intent_nr;
			if ((rec.sector == 4 && rec.intent_nr != xfs) ||
			    (rec.sector == 6 && rec.intent_nr != ext4))
				fail("sector %llu has another number", rec.sector);
		}
	} while (source_fill(s, false));
	return got;
}

static void find(struct joined *k, size_t nr)
{
	if (joined_find(k, folder, THREE + 4 * SECOND, THREE + 30 * SECOND))
		fail("nothing found: %s", said);
	if (k->nr != nr)
		fail("%zu recordings", k->nr);
}

static void as_one(void)
{
	struct source s;
	struct joined k;
	u64 got;

	write_three(7, SECOND);
	find(&k, 3);
	got = read_all(&s, &k);
	if (got != 23456)
		fail("sectors %llu", got);
	if (s.recording.several || s.recording.torn)
		fail("of several sessions, or torn");
	/* from the beginning of the first one to the end of the last one */
	if (s.recording.before.ios != 5 || s.recording.after.ios != 90)
		fail("%llu to %llu", (u64)s.recording.before.ios, (u64)s.recording.after.ios);
	source_close(&s);
	joined_free(&k);
}

/* The numbers at the end of one session say nothing of another one. */
static void two_sessions(void)
{
	static const struct {
		unsigned int session, other, module;
		int back;
		bool several;
	} cases[] = {
		{ 8, 0, 0, 0, true }, { 8, 5, 5, 0, true }, { 7, 5, 5, 0, false },
		/* a module that is loaded anew counts from 1 again, */
		{ 7, 6, 5, 0, true },
		/* which an ioblamed of before shows by totals that go back */
		{ 7, 0, 0, 6, true }, { 7, 0, 0, 5, false }, { 7, 6, 0, 6, true },
	};
	struct source s;
	struct joined k;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		module_of[0] = cases[i].other;
		module_of[1] = cases[i].module;
		back_ios = cases[i].back;
		write_three(cases[i].session, 0);
		find(&k, 3);
		if (read_all(&s, &k) != 23456 || s.recording.several != cases[i].several)
			fail("case %zu: not told that there are several sessions", i);
		source_close(&s);
		joined_free(&k);
	}
	memset(module_of, 0, sizeof(module_of));
	back_ios = 0;
}

/* Of the first one, the status at its end is another one than was written, or is missing. */
static void spoil_first(bool damaged)
{
	const uint32_t frame = PACK_FRAME;
	FILE *f = begin_first();
	struct pack *pack;
	char status[128];

	if (damaged) {
		store_write(f, STORE_PACKED, &frame, sizeof(frame));
		pack = pack_writer(f);
		print_status(status, 7, 50, false);
		store_write(pack_file(pack), STORE_STATUS_AFTER, status, strlen(status));
		/* the checksum of its frame comes last */
		if (!pack_end(pack, NULL) || fseek(f, -4, SEEK_END) || fputs("none", f) < 0)
			fail("cannot write");
	}
	fclose(f);
	set_written(6, 10);
}

/* The recordings behind it are whole, and what is wrong with it is said at their end. */
static void first_is_bad(void)
{
	struct source s;
	struct joined k;
	int damaged;
	u64 got;

	if (!pack_can())
		note("no zstd: none is damaged");
	for (damaged = 0; damaged <= pack_can(); damaged++) {
		write_three(7, 0);
		spoil_first(damaged);
		find(&k, 3);
		got = read_all(&s, &k);
		if (got != 23456)
			fail("sectors %llu, damaged %d", got, damaged);
		if (!s.recording.torn || s.recording.damaged != damaged)
			fail("torn %d, damaged %d, not %d", s.recording.torn, s.recording.damaged,
			     damaged);
		source_close(&s);
		joined_free(&k);
	}
}

static void other_boot(void)
{
	struct source s;
	struct joined k;

	write_three(7, 60 * SECOND);
	find(&k, 3);
	if (read_all(&s, &k) != 23)
		fail("records of another boot");
	if (!strstr(said, "another boot"))
		fail("said: %s", said);
	source_close(&s);
	joined_free(&k);
}

/* A clock that is set begins no boot, and one that is right is no proof of the same. */
static void boot_ids(void)
{
	static char one[] = "c1b6e26f0d3f4e0a9d0f1f3f6b0a7d11", other[] = "0e62";
	struct source s;
	struct joined k;
	u64 got;

	boot_id_of[0] = one;
	boot_id_of[1] = one;
	write_three(7, 6 * SECOND);
	said[0] = '\0';
	find(&k, 3);
	got = read_all(&s, &k);
	if (got != 23456 || *said)
		fail("sectors %llu, said: %s", got, said);
	source_close(&s);
	joined_free(&k);
	boot_id_of[0] = other;
	write_three(7, 0);
	find(&k, 3);
	if (read_all(&s, &k) != 23 || !strstr(said, "another boot"))
		fail("said: %s", said);
	source_close(&s);
	joined_free(&k);
	/* one of an ioblamed that knows of none */
	boot_id_of[0] = NULL;
	write_three(7, 0);
	find(&k, 3);
	if (read_all(&s, &k) != 23456)
		fail("an old one is not read");
	source_close(&s);
	joined_free(&k);
	boot_id_of[1] = NULL;
}

/* What is written is the kernel's number of this boot, whoever tells it. */
static void own_boot_id(void)
{
	struct store_head read = { .boot_id = "" }, told = { .boot_id = "" }, bad = told;

	unsetenv("IOBLAME_BOOT_ID");
	source_head_now(&read);
	if (strlen(read.boot_id) != 32)
		fail("of this boot: %s", read.boot_id);
	setenv("IOBLAME_BOOT_ID", read.boot_id, 1);
	source_head_now(&told);
	if (strcmp(told.boot_id, read.boot_id))
		fail("told: %s", told.boot_id);
	setenv("IOBLAME_BOOT_ID", "ab\ncpus 7", 1);
	source_head_now(&bad);
	if (strcmp(bad.boot_id, "ab"))
		fail("of two lines: %s", bad.boot_id);
	unsetenv("IOBLAME_BOOT_ID");
}

/* Times of day go on in a suspend, and those of records do not; until_s is of the former. */
static u64 after_suspend(int64_t until_s, int64_t *wall_ns)
{
	struct source s;
	struct joined k;
	u64 got;

	suspended_ns = 10 * SECOND;
	write_three(7, 0);
	if (joined_find(&k, folder, THREE + 4 * SECOND, THREE + until_s * SECOND))
		fail("nothing found: %s", said);
	said[0] = '\0';
	got = read_all(&s, &k);
	*wall_ns = s.head.wall_ns;
	source_close(&s);
	joined_free(&k);
	suspended_ns = 0;
	return got;
}

static void suspended(void)
{
	int64_t wall_ns;
	u64 got;

	knows_boot = true;
	/* the last record of the third one is at 40 s of the day */
	got = after_suspend(40, &wall_ns);
	if (got != 23456 || *said)
		fail("sectors %llu, said: %s", got, said);
	if (wall_ns != THREE - RUNS + 10 * SECOND)
		fail("times of day are those of the first recording");
	/* and the one before it at 30 s */
	got = after_suspend(30, &wall_ns);
	if (got != 2345)
		fail("sectors %llu before 30 s", got);
	/* a boot of its own is still found */
	other_boot();
	knows_boot = false;
}

/*
 * While one was kept the machine slept, from 18.5 s on: each record has its own time of day.
 * Without one @before that, the recording has both heads before its first records.
 */
static void write_slept(bool before, int64_t slept_s)
{
	char line[64];
	FILE *f;

	remove_all();
	f = begin(20, 0, 7);
	put_intent(f, 3, "ext4_write");
	put_intent(f, 4, "xfs_write");
	if (before)
		put_record(f, 18500, 3, 2);
	snprintf(line, sizeof(line), "wall_ns %lld\n", (s64)(THREE - RUNS + slept_s * SECOND));
	store_write(f, STORE_HEAD, line, strlen(line));
	put_record(f, 19000, 4, 3);
	end(f, 7, 90);
	set_written(20, 82);
}

static void slept(void)
{
	static const struct {
		bool before;
		int64_t since_s, until_s;
		u64 got;
	} rows[] = {
		{ true, 4, 30, 2 }, { true, 70, 90, 3 }, { true, 4, 90, 23 }, { true, 30, 70, 0 },
		{ true, 30, 90, 3 }, { false, 30, 90, 3 }, { false, 30, 70, 0 },
		{ false, 70, 90, 3 }, { false, 4, 90, 3 },
	};
	struct source s;
	struct joined k;
	int64_t starts_ns, starts_s;
	unsigned int i;
	u64 got;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		write_slept(rows[i].before, 60);
		if (joined_find(&k, folder, THREE + rows[i].since_s * SECOND,
				THREE + rows[i].until_s * SECOND))
			fail("row %u: nothing found: %s", i, said);
		said[0] = '\0';
		got = read_all(&s, &k);
		if (got != rows[i].got)
			fail("row %u: sectors %llu", i, got);
		/* the recording goes back to before the sleep, but not to the fourth second */
		if (!!strstr(said, "records are kept from") != (rows[i].since_s < 18) ||
		    (*said && rows[i].since_s >= 18))
			fail("row %u: %s", i, said);
		starts_s = rows[i].since_s < 18 ? 18 : rows[i].since_s;
		starts_ns = s.head.start_ns + source_wall_ns(&s, s.head.start_ns) - THREE;
		if (starts_ns != starts_s * SECOND)
			fail("row %u: it begins at %lld ns", i, (s64)starts_ns);
		source_close(&s);
		joined_free(&k);
	}
}

static void rename_moment(int64_t from_s, int64_t to_s)
{
	char from[256];

	strcpy(from, path_at(from_s));
	if (rename(from, path_at(to_s)))
		fail("no other name");
}

/* A moment behind a long sleep has records from before it, and others behind it have not. */
static void slept_long(void)
{
	static const int64_t until_s[] = { 30, 300 };
	struct source s;
	struct joined k;
	unsigned int i;
	u64 got;

	for (i = 0; i < ARRAY_SIZE(until_s); i++) {
		write_slept(true, WOKEN - 20);
		rename_moment(20, WOKEN);
		fclose(begin(WOKEN + 600, 0, 7));
		if (joined_find(&k, folder, THREE + 4 * SECOND, THREE + until_s[i] * SECOND)) {
			fail("until %lld s, nothing found: %s", (s64)until_s[i], said);
			continue;
		}
		if (k.nr != 1)
			fail("until %lld s, %zu recordings", (s64)until_s[i], k.nr);
		got = read_all(&s, &k);
		if (got != 2)
			fail("until %lld s, sectors %llu", (s64)until_s[i], got);
		source_close(&s);
		joined_free(&k);
	}
	/* all that it has is behind this */
	if (!joined_find(&k, folder, THREE + 4 * SECOND, THREE + 17 * SECOND))
		fail("%zu recordings", k.nr);
}

static void write_usual(void)
{
	write_three(7, 0);
}

static void write_other_boot(void)
{
	write_three(7, 60 * SECOND);
}

/* @ms gets when it begins, after three o'clock.  Return: an exit status. */
static int begins(int64_t since_ms, int64_t until_ms, int64_t *ms)
{
	struct source s;
	struct joined k;
	int ret;

	said[0] = '\0';
	if (joined_find(&k, folder, THREE + since_ms * 1000000, THREE + until_ms * 1000000))
		fail("nothing found: %s", said);
	if (source_open_file(&s, k.path[0]))
		fail("not opened");
	ret = source_join(&s, &k);
	*ms = (int64_t)(s.head.start_ns - RUNS) / 1000000;
	source_close(&s);
	joined_free(&k);
	return ret;
}

/* It begins at the time that is asked for; if no recording has that, this is said. */
static void begin_asked(void)
{
	static const struct {
		int64_t since_ms, starts_s, begins_ms;
		bool said;
	} cases[] = {
		{ 4000, -2, 4000, false }, { 3500, -2, 3500, false }, { 9800, -2, 9800, false },
		{ 2500, -2, 3000, false }, { -50000, -2, 3000, true },
		/* the first ones are over by then */
		{ 15000, -2, 18000, true }, { 18500, -2, 18500, false },
		/* records from before it */
		{ -50000, 0, 3900, true }, { 4000, 0, 4000, false },
		/* none */
		{ 29000, -2, 29000, false },
	};
	size_t i;
	int64_t ms;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		starts_s = cases[i].starts_s;
		write_usual();
		if (begins(cases[i].since_ms, 30000, &ms) || ms != cases[i].begins_ms)
			fail("since %lld ms, it begins at %lld ms", (s64)cases[i].since_ms, (s64)ms);
		if (!!strstr(said, "records are kept from 2026-11-2") != cases[i].said)
			fail("since %lld ms, said: %s", (s64)cases[i].since_ms, said);
	}
	starts_s = -2;
}

/* IO stops at 4 s, which is a moment at 5 s and one at 6 s; it is kept for 5 more. */
static void write_one(void)
{
	char first[256];
	FILE *f;

	remove_all();
	f = begin(5, 0, 7);
	put_record(f, 3900, 0, 1);
	put_record(f, 4000, 0, 2);
	end(f, 7, 50);
	strcpy(first, path_at(5));
	if (link(first, path_at(6)))
		fail("no link");
	set_written(6, 11);
}

/* The next IO is at 20 s. */
static void write_stalled(void)
{
	FILE *f;

	write_one();
	f = begin(20, 0, 7);
	put_record(f, 20000, 0, 6);
	end(f, 7, 90);
	set_written(20, 25);
}

/* Its time says nothing: it was copied, or the clock was set. */
static void write_copied(void)
{
	write_one();
	set_written(6, 86400);
}

static void write_copied_back(void)
{
	write_one();
	set_written(6, -86400);
}

/* No IO completes in the time that is asked for: it is kept nevertheless, or it is not. */
static void without_io(void)
{
	static const char none[] = "no records are kept of this time";
	static const struct {
		void (*write)(void);
		int64_t since_ms, until_ms, begins_ms;
		const char *said;
	} cases[] = {
		/* a record from behind it says that the recording has it, */
		{ write_usual, 5000, 8000, 5000, "" }, { write_usual, 2500, 3500, 2500, "" },
		/* or its moment, or the last of its moments, */
		{ write_stalled, 4500, 5000, 4500, "" }, { write_stalled, 5500, 8000, 5500, "" },
		{ write_stalled, 5500, 30000, 5500, "" },
		/* or that it was written for some seconds more, of After= */
		{ write_stalled, 7000, 8000, 7000, "" }, { write_stalled, 7000, 17000, 7000, "" },
		{ write_stalled, 10500, 30000, 10500, "" },
		/* which are no more than a minute, and none are before the moment */
		{ write_copied, 65000, 65500, 65000, "" }, { write_copied, 67000, 68000, 0, none },
		{ write_copied_back, 5500, 8000, 5500, "" },
		{ write_copied_back, 7000, 8000, 0, none },
		/* between two recordings, before them and behind them */
		{ write_usual, 15000, 17000, 0, none }, { write_stalled, 12000, 17000, 0, none },
		{ write_usual, -9000, -8000, 0, none }, { write_usual, 40000, 50000, 0, none },
		/* only the end is kept */
		{ write_stalled, 12000, 30000, 18000, "records are kept from 2026-11-26 0" },
		/* nobody knows what is in one of another boot */
		{ write_other_boot, 12000, 17000, 12000, "another boot" },
	};
	int64_t ms;
	size_t i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		cases[i].write();
		ret = begins(cases[i].since_ms, cases[i].until_ms, &ms);
		if (ret != (cases[i].said == none ? EXIT_FAILED : EXIT_OK))
			fail("case %zu: status %d", i, ret);
		if (!ret && ms != cases[i].begins_ms)
			fail("case %zu: it begins at %lld ms", i, (s64)ms);
		if (!strstr(said, cases[i].said) || (*said && !*cases[i].said))
			fail("case %zu, said: %s", i, said);
	}
}

static void none(void)
{
	struct joined k;

	write_three(7, 0);
	if (!joined_find(&k, folder, THREE + 500 * SECOND, THREE + 510 * SECOND) ||
	    !strstr(said, "ioblame report --since"))
		fail("said: %s", said);
	if (!joined_find(&k, "/nonexistent", THREE, THREE + SECOND) || !strstr(said, "/nonexistent"))
		fail("said: %s", said);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(as_one), TEST(two_sessions), TEST(first_is_bad), TEST(other_boot),
		TEST(boot_ids), TEST(own_boot_id),
		TEST(suspended), TEST(slept), TEST(slept_long), TEST(begin_asked), TEST(without_io),
		TEST(none),
	};
	int ret;

	if (!mkdtemp(folder))
		return 1;
	ret = run_tests("tool_joined", tests, ARRAY_SIZE(tests));
	remove_all();
	rmdir(folder);
	return ret;
}

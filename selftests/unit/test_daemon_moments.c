// SPDX-License-Identifier: GPL-2.0
/*
 * What ioblamed keeps around a moment, by its reads: what completed up to its end, also where a read
 * comes late.
 */
#include "test.h"

#include "../../tools/ioblamed/moments.c"

#include "fake_paths.h"
#include "recording.h"

#define MS	1000000ULL

enum {
	DISK = 8 << 20,
};

static uint64_t now_ns = SECOND;
static struct records_tap *tapped;

uint64_t clock_ns(void)
{
	return now_ns;
}

void records_tap(struct records_tap *tap)
{
	tapped = tap;
}

void records_untap(struct records_tap *tap)
{
	(void)tap;
	tapped = NULL;
}

const char *records_state(void)
{
	return NULL;
}

uint64_t records_session(void)
{
	return 1;
}

uint64_t records_read_ns(void)
{
	return now_ns;
}

int64_t records_wall_ns(void)
{
	return 0;
}

uint64_t device_sectors(uint32_t dev)
{
	(void)dev;
	return 0;
}

void source_head_now(struct store_head *head)
{
	head->cpus = 1;
	strcpy(head->host, "here");
}

char *status_read(void)
{
	return strdup("ios 0\n");
}

bool moment_match_is(struct moment_match *m, const struct rule *rule, unsigned int nr,
		     const struct iob_iolog_bin_record *rec)
{
	(void)m;
	(void)rule;
	(void)nr;
	(void)rec;
	return false;
}

int64_t moment_busy(struct moment_match *m, uint32_t disk)
{
	(void)m;
	(void)disk;
	return -1;
}

void moment_match_turn(struct moment_match *m)
{
	(void)m;
}

void moment_match_forget(struct moment_match *m)
{
	(void)m;
}

static char folder[] = "/tmp/iob-moments-XXXXXX";

static struct moments *begin(void)
{
	struct conf_moments conf = {
		.ring_bytes = 1 << 20, .before_ns = 5 * SECOND, .after_ns = 2 * SECOND,
		.max_moments = 100, .max_bytes = 1 << 30,
	};
	struct moments *m;

	snprintf(conf.folder, sizeof(conf.folder), "%s", folder);
	m = moments_begin(&conf, (gid_t)-1);
	m->own = 0;
	moments_watch(m);
	return m;
}

/* A read at @at_ns brings an IO that completed at @done_ns, or none if that is 0. */
static void reads(uint64_t at_ns, uint64_t done_ns, bool failed)
{
	struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'R', .bytes = 4096,
		.queue_ns = done_ns - MS, .complete_ns = done_ns, .disk = DISK, .dev = DISK,
		.tgid = 100, .pid = 100, .comm = "dd", .error = failed ? 10 : 0,
	};

	now_ns = at_ns;
	if (done_ns)
		tapped->raw(0, &rec, sizeof(rec), tapped->arg);
	tapped->batch(tapped->arg);
}

/* When the records of the only recording completed.  Return: how many there are. */
static unsigned int kept(uint64_t *done_ns, unsigned int most)
{
	struct iob_iolog_bin_record rec;
	struct store_head head = { 0 };
	struct stream stream = { 0 };
	struct moment_files files;
	char path[600], *name;
	struct recording r;
	unsigned int nr = 0;
	bool more;

	if (moment_files_read(&files, folder))
		return 0;
	name = files.nr == 1 ? files.list[0].name : NULL;
	if (name)
		snprintf(path, sizeof(path), "%s/%s", folder, name);
	else
		fail("%zu recordings", files.nr);
	if (name && !recording_open(&r, path, &head, &stream)) {
		do {
			while (nr < most && stream_next(&stream, &rec))
				done_ns[nr++] = rec.complete_ns;
			more = recording_read(&r, &head, &stream);
		} while (more || (nr < most && stream.off < stream.len));
		recording_close(&r);
		unlink(path);
	}
	stream_free(&stream);
	store_free_head(&head);
	moment_files_free(&files);
	return nr;
}

static void expect(const char *what, const uint64_t *want, unsigned int nr)
{
	uint64_t got[16];
	unsigned int i, n = kept(got, ARRAY_SIZE(got));

	if (n != nr)
		fail("%s: %u records, not %u", what, n, nr);
	for (i = 0; i < n && i < nr; i++) {
		if (got[i] != want[i])
			fail("%s: record %u completed at %llu, not %llu", what, i, (u64)got[i],
			     (u64)want[i]);
	}
}

/* IO fails at 10 s, so that it is kept until 13 s: a window ends at 11 s. */
static struct moments *fails(void)
{
	struct moments *m;

	now_ns = 10 * SECOND;
	m = begin();
	reads(now_ns + 10 * MS, now_ns, true);
	reads(11 * SECOND, 0, false);
	if (!m->keeping)
		fail("nothing is kept");
	return m;
}

/* Reads come in time. */
static void in_time(void)
{
	static const uint64_t want[] = { 10 * SECOND, 12 * SECOND, 12950 * MS };
	struct moments *m = fails();

	reads(12 * SECOND + 10 * MS, 12 * SECOND, false);
	reads(12 * SECOND + 900 * MS, 0, false);
	reads(13 * SECOND, 12950 * MS, false);
	reads(14 * SECOND, 13500 * MS, false);
	if (m->keeping)
		fail("it has not ended");
	moments_end(m);
	expect("in time", want, ARRAY_SIZE(want));
}

/* The process stands still until the moment is over: what failed and hung meanwhile is kept. */
static void late(void)
{
	static const uint64_t want[] = { 10 * SECOND, 12 * SECOND };
	struct moments *m = fails();

	reads(20 * SECOND, 12 * SECOND, false);
	reads(21 * SECOND, 20500 * MS, false);
	moments_end(m);
	expect("late", want, ARRAY_SIZE(want));
}

/* The same, where the last read before it brought nothing. */
static void late_after_none(void)
{
	static const uint64_t want[] = { 10 * SECOND, 19 * SECOND };
	struct moments *m = fails();

	reads(12 * SECOND, 0, false);
	reads(20 * SECOND, 19 * SECOND, false);
	moments_end(m);
	expect("late after none", want, ARRAY_SIZE(want));
}

/* It stands still before the moment is noticed: it begins before what failed. */
static void late_to_notice(void)
{
	static const uint64_t want[] = { 17 * SECOND, 20 * SECOND };
	struct moments *m;

	now_ns = 10 * SECOND;
	m = begin();
	reads(11 * SECOND, 10 * SECOND, false);
	reads(18 * SECOND, 17 * SECOND, false);
	reads(60 * SECOND, 20 * SECOND, true);
	reads(63 * SECOND, 0, false);
	moments_end(m);
	expect("late to notice", want, ARRAY_SIZE(want));
}

/*
 * Two moments, one behind the other: what completed within the last read of the first recording,
 * which has other CPUs' records of that time in part, is in the second.
 */
static void one_behind_the_other(void)
{
	static const uint64_t want[] = { 10 * SECOND, 12 * SECOND };
	static const uint64_t next[] = { 12 * SECOND, 13 * SECOND + MS, 14 * SECOND };
	struct moments *m = fails();

	reads(12 * SECOND + 10 * MS, 12 * SECOND, false);
	reads(13 * SECOND, 13 * SECOND + MS, false);
	if (m->keeping)
		fail("the first one has not ended");
	expect("the first", want, ARRAY_SIZE(want));
	/* once a minute for the same reason */
	moment_pace_end(&m->pace);
	reads(14 * SECOND, 14 * SECOND, true);
	reads(15 * SECOND, 0, false);
	reads(18 * SECOND, 0, false);
	moments_end(m);
	expect("the second", next, ARRAY_SIZE(next));
}

/* It ends with the read that began it: what failed is in it. */
static void ends_at_once(void)
{
	static const uint64_t want[] = { 10 * SECOND };
	struct moments *m;

	now_ns = 9 * SECOND;
	m = begin();
	m->conf.after_ns = 0;
	reads(10 * SECOND, 10 * SECOND, true);
	if (m->keeping)
		fail("it has not ended");
	moments_end(m);
	expect("at once", want, ARRAY_SIZE(want));
}

int main(void)
{
	static const struct test tests[] = {
		TEST(in_time), TEST(late), TEST(late_after_none), TEST(late_to_notice),
		TEST(one_behind_the_other), TEST(ends_at_once),
	};
	int failed;

	if (!mkdtemp(folder))
		return 1;
	failed = run_tests("daemon_moments", tests, ARRAY_SIZE(tests));
	rmdir(folder);
	return failed;
}

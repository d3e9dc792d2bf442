// SPDX-License-Identifier: GPL-2.0
/*
 * A recording around a moment: what was read of several CPUs is in it, in the order of completion,
 * and nothing that is too old.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "fake_paths.h"
#include "intent.h"
#include "moment_keep.h"
#include "recording.h"
#include "test.h"

#define SECOND	1000000000ULL
#define MS	1000000ULL

enum {
	CPUS = 3, READS = 400,
};

uint64_t clock_ns(void)
{
	return SECOND;
}

static char folder[] = "/tmp/iob-keep-XXXXXX";

static struct iob_iolog_bin_record one_record(uint64_t ns, uint32_t nr)
{
	return (struct iob_iolog_bin_record){
		.len = sizeof(struct iob_iolog_bin_record), .ver = IOB_IOLOG_BIN_VER, .op = 'W',
		.bytes = nr, .queue_ns = ns - MS, .complete_ns = ns, .disk = 8 << 20,
		.dev = 8 << 20, .ino = 100, .comm = "dd", .part = nr % 10 == 9,
	};
}

/*
 * Reads of some CPUs, a tenth of a second apart: the records of one CPU are in order, and one that
 * completed just before a read may be in the next.  Return: how many records.
 */
static uint32_t read_log(struct reel *reel, unsigned int reads)
{
	uint64_t read_ns, until_ns, next_ns[CPUS] = { 0 };
	struct iob_iolog_bin_record rec[256];
	unsigned int i, cpu, n;
	uint32_t nr = 0;

	for (cpu = 0; cpu < CPUS; cpu++)
		next_ns[cpu] = SECOND - 100 * MS;
	for (i = 0; i < reads; i++) {
		read_ns = (10 + i) * SECOND / 10;
		for (cpu = 0; cpu < CPUS; cpu++) {
			until_ns = read_ns - rnd(8) * MS;
			for (n = 0; next_ns[cpu] < until_ns && n < ARRAY_SIZE(rec); n++) {
				rec[n] = one_record(next_ns[cpu], nr++);
				next_ns[cpu] += MS / 2 + rnd(2 * MS);
			}
			reel_add(reel, read_ns, rec, n * sizeof(*rec));
		}
	}
	return nr;
}

struct seen {
	uint32_t records;
	uint64_t first_ns, last_ns;
	bool ordered, complete;
};

static struct seen look(const char *path)
{
	struct seen s = { .ordered = true, .first_ns = UINT64_MAX };
	struct iob_iolog_bin_record rec;
	struct store_head head = { 0 };
	struct stream stream = { 0 };
	struct recording r;
	bool more;

	if (recording_open(&r, path, &head, &stream)) {
		fail("%s cannot be opened", path);
		return s;
	}
	do {
		while (stream_next(&stream, &rec)) {
			s.ordered &= rec.complete_ns >= s.last_ns;
			s.last_ns = rec.complete_ns;
			if (s.first_ns > rec.complete_ns)
				s.first_ns = rec.complete_ns;
			s.records++;
		}
		more = recording_read(&r, &head, &stream);
	} while (more || stream.off < stream.len);
	s.complete = !r.torn;
	recording_close(&r);
	stream_free(&stream);
	store_free_head(&head);
	return s;
}

static void path_to(char *to, const char *name)
{
	sprintf(to, "%s/%s", folder, name);
}

static void begin(struct keep *k, size_t ring)
{
	static const struct store_head head = { .cpus = CPUS, .host = "here" };
	int err;

	memset(k, 0, sizeof(*k));
	reel_begin(&k->reel, ring);
	k->folder = folder;
	moment_file_name(k->name[0], 1795662245LL * SECOND, "sda", "p99");
	k->nr_names = 1;
	err = keep_begin(k, &head, "ios 0\n");
	if (err)
		fail("keep_begin: %s", strerror(err));
}

static void written(void)
{
	char path[256], other[256];
	struct moment_files files;
	struct stat st, same;
	struct keep k;
	struct seen s;
	uint32_t nr;

	begin(&k, 16 << 20);
	nr = read_log(&k.reel, READS);
	path_to(path, k.name[0]);
	if (!access(path, F_OK))
		fail("it can be read before it is complete");
	/* a bit at a time */
	while (!keep_write(&k, 100))
		;
	moment_file_name(k.name[k.nr_names++], 1795662246LL * SECOND, "sdb", "errors");
	path_to(other, k.name[1]);
	if (keep_end(&k, "ios 5\n"))
		fail("keep_end");
	s = look(path);
	if (s.records != nr || !s.ordered || !s.complete)
		fail("%u records of %u, %sin order", s.records, nr, s.ordered ? "" : "not ");
	if (stat(path, &st) || stat(other, &same) || st.st_ino != same.st_ino ||
	    (st.st_mode & 0777) != 0640)
		fail("two moments do not share it, or its mode is %o", st.st_mode);
	if (moment_files_read(&files, folder) || files.nr != 2)
		fail("%zu names", files.nr);
	moment_files_age(&files, 1795662300LL * SECOND, k.name[0]);
	if (moment_files_old(&files, 1, st.st_size))
		fail("two names count for two recordings");
	if (moment_files_old(&files, 1, st.st_size - 1) != 2)
		fail("of two names one goes");
	moment_files_free(&files);
	note("%u records, seed %llu", nr, seed());
}

/* What is older than asked for is left out; a ring that was too small has the latest. */
static void cut(void)
{
	char path[256];
	struct keep k;
	struct seen s;
	uint32_t nr;

	begin(&k, 1 << 20);
	k.from_ns = 40 * SECOND;
	nr = read_log(&k.reel, READS);
	if (!k.reel.dropped)
		fail("the ring is not too small");
	path_to(path, k.name[0]);
	if (keep_end(&k, NULL))
		fail("keep_end");
	s = look(path);
	if (!s.records || s.records > nr / 4 || s.first_ns < 40 * SECOND || !s.ordered)
		fail("%u records of %u, from %llu ns", s.records, nr, (u64)s.first_ns);
	/* it says that it ends early, as there is no status */
	if (s.complete)
		fail("it is complete");
	unlink(path);
	/* nothing at all */
	begin(&k, 1 << 20);
	path_to(path, k.name[0]);
	if (keep_end(&k, ""))
		fail("keep_end of nothing");
	s = look(path);
	if (s.records || !s.complete)
		fail("nothing has %u records", s.records);
}

static void count_intents(const char *path, uint32_t *first, uint32_t *second, uint32_t *unknown)
{
	struct iob_iolog_bin_record rec;
	struct store_head head = { 0 };
	struct stream stream = { 0 };
	const struct intent *in;
	struct recording r;
	bool more;

	*first = 0;
	*second = 0;
	*unknown = 0;
	intent_note_session(0, 0);
	if (recording_open(&r, path, &head, &stream)) {
		fail("%s cannot be opened", path);
		return;
	}
	do {
		while (stream_next(&stream, &rec)) {
			in = intent_get(rec.intent_nr);
			*first += in && !strncmp(in->frame[0], "first+", 6);
			*second += in && !strncmp(in->frame[0], "second+", 7);
			*unknown += !in;
		}
		more = recording_read(&r, &head, &stream);
	} while (more || stream.off < stream.len);
	recording_close(&r);
	stream_free(&stream);
	store_free_head(&head);
}

/*
 * The session ends while a moment is kept, and somebody reads the intents of the next: what was
 * written before has its stacks, what is written later has none, and nothing has the next one's.
 */
static void over(void)
{
	uint32_t nr, first, second, unknown;
	char path[256];
	struct keep k;

	intent_note_session(7, 1);
	intent_parse("#0 modifier=0x0\n[ffffffff00000000] first+0x1/0x2\n\n");
	begin(&k, 16 << 20);
	k.session = intent_session();
	nr = read_log(&k.reel, READS);
	path_to(path, k.name[0]);
	keep_write(&k, 100);
	intent_note_session(7, 2);
	intent_parse("#0 modifier=0x0\n[ffffffff00000000] second+0x1/0x2\n\n");
	if (keep_end(&k, NULL))
		fail("keep_end");
	count_intents(path, &first, &second, &unknown);
	if (!first || second || !unknown || first + unknown != nr)
		fail("of %u: %u of this session's, %u of the next one's, %u unknown", nr, first,
		     second, unknown);
	unlink(path);
}

/* The machine sleeps: what completed before keeps its time of day, and what comes has another. */
static void slept(void)
{
	const uint64_t step_ns = 20 * SECOND;
	const int64_t before_ns = 1000 * SECOND, after_ns = 29800 * SECOND;
	struct keep_clock clock = { 0 };
	struct iob_iolog_bin_record rec;
	struct store_head head = { 0 };
	struct stream stream = { 0 };
	unsigned int nr[2] = { 0 }, wrong = 0;
	char path[256];
	struct recording r;
	struct keep k;
	bool more;

	keep_clock_note(&clock, 0, before_ns);
	/* that is no step */
	keep_clock_note(&clock, SECOND, before_ns + SECOND / 2);
	begin(&k, 16 << 20);
	k.clock = &clock;
	read_log(&k.reel, READS);
	path_to(path, k.name[0]);
	keep_clock_note(&clock, step_ns, after_ns);
	if (keep_end(&k, "ios 5\n") || recording_open(&r, path, &head, &stream)) {
		fail("%s cannot be opened", path);
		return;
	}
	do {
		while (stream_next(&stream, &rec)) {
			nr[rec.complete_ns >= step_ns]++;
			wrong += head.wall_ns !=
				 (rec.complete_ns < step_ns ? before_ns : after_ns);
		}
		more = recording_read(&r, &head, &stream);
	} while (more || stream.off < stream.len);
	if (!nr[0] || !nr[1] || wrong)
		fail("%u before, %u after, %u of them at another time", nr[0], nr[1], wrong);
	recording_close(&r);
	stream_free(&stream);
	store_free_head(&head);
	unlink(path);
}

/* It sleeps more often than is kept: the latest are known. */
static void slept_often(void)
{
	struct keep_clock clock = { 0 };
	int64_t i;

	for (i = 0; i < 20; i++)
		keep_clock_note(&clock, i * 10, i * 100 * SECOND);
	for (i = 20 - KEEP_WALLS; i < 20; i++) {
		if (keep_clock_at(&clock, i * 10) != i * 100 * (int64_t)SECOND ||
		    keep_clock_at(&clock, i * 10 + 9) != i * 100 * (int64_t)SECOND)
			fail("sleep %lld", (s64)i);
	}
}

/* Bytes that are no record are counted, and so is what follows them in what one read gave. */
static void damaged(void)
{
	struct iob_iolog_bin_record rec[3] = {
		one_record(2 * SECOND, 1), one_record(2 * SECOND, 2), one_record(2 * SECOND, 3),
	};
	char path[256];
	struct keep k;

	begin(&k, 1 << 20);
	path_to(path, k.name[0]);
	reel_add(&k.reel, 3 * SECOND, rec, sizeof(rec) - 60);
	rec[0].len = 1;
	reel_add(&k.reel, 3 * SECOND, rec, sizeof(rec));
	if (keep_end(&k, ""))
		fail("keep_end");
	if (look(path).records != 2 || k.broken != sizeof(rec[0]) - 60 + sizeof(rec))
		fail("%u records, %llu bytes are broken", look(path).records, (u64)k.broken);
	unlink(path);
}

/* Without a folder, or with a full disk, there is an error and nothing is left. */
static void trouble(void)
{
	struct store_head head = { 0 };
	struct keep k = { 0 };
	char command[128];

	reel_begin(&k.reel, REEL_LEAST);
	k.folder = "/nowhere";
	strcpy(k.name[0], "x.iob");
	k.nr_names = 1;
	if (keep_begin(&k, &head, NULL) != ENOENT)
		fail("a folder that is not there");
	reel_end(&k.reel);
	begin(&k, 16 << 20);
	read_log(&k.reel, READS);
	/* its folder goes */
	k.folder = "/nowhere/else";
	if (!keep_end(&k, ""))
		fail("what cannot be renamed is good");
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command))
		fail("%s", command);
}

/* It begins with the records from before; where these had no room, with the oldest that is there. */
static void start(void)
{
	unsigned char bytes[REEL_LEAST / 16] = { 0 };
	struct reel ring;
	u64 ns;

	reel_begin(&ring, REEL_LEAST);
	if (keep_start(&ring, 50) != 50)
		fail("an empty ring");
	for (ns = 100; ns <= 500; ns += 100)
		reel_add(&ring, ns, bytes, sizeof(bytes));
	if (keep_start(&ring, 50) != 50)
		fail("a ring that has all: %llu", (u64)keep_start(&ring, 50));
	for (; ns <= 3000; ns += 100)
		reel_add(&ring, ns, bytes, sizeof(bytes));
	if (keep_start(&ring, 50) <= 1000 || keep_start(&ring, 50) > 2000)
		fail("a ring that is full: %llu", (u64)keep_start(&ring, 50));
	if (keep_start(&ring, 2500) != 2500)
		fail("it has more than is to be kept: %llu", (u64)keep_start(&ring, 2500));
	reel_end(&ring);
}

int main(void)
{
	static const struct test tests[] = {
		TEST(written), TEST(cut), TEST(over), TEST(start), TEST(slept), TEST(slept_often),
		TEST(damaged), TEST(trouble),
	};

	if (!mkdtemp(folder))
		return 1;
	return run_tests("daemon_keep", tests, ARRAY_SIZE(tests));
}

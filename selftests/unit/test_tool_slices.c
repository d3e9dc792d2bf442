// SPDX-License-Identifier: GPL-2.0
/*
 * The module's log of many CPUs, which is read in slices: in order, with little memory, and few
 * comparisons.  The module is a fake: what its logs have is made when it is read.
 */
#include <dirent.h>
#include <sys/stat.h>

#include "fake_module.h"
#include "merge.h"
#include "recording.h"
#include "test.h"

static u64 compared;
static u64 now_ns;
static ssize_t ring_read(int fd, void *to, size_t size);

/* (a macro does not expand its own name) */
#define merge_is_before(a, b)	(compared++, merge_is_before(a, b))
#include "../../tools/ioblame/merge.c"
#undef merge_is_before
#define read		ring_read
#define clock_ns()	now_ns
#include "../../tools/ioblame/source.c"
#undef clock_ns
#undef read

enum {
	CPUS = 256,
	ROOM = LOG_BYTES / sizeof(struct iob_iolog_bin_record),	/* of a CPU */
	RECORD = sizeof(struct iob_iolog_bin_record),
	FDS = 1024,
};

/* A CPU's log in the module */
static struct ring {
	u64 at[ROOM];
	u64 made, taken;	/* ever */
	u64 given, raw;		/* what came of it */
	const unsigned char *bytes;	/* before the records */
	size_t len;
} ring[CPUS];

static struct source source;
static unsigned int cpu_of[FDS], nr_cpus, skew;
static u64 nr_made, nr_given, nr_raw, last_ns, most_held;
static void (*meanwhile)(void);

static bool put(unsigned int cpu, u64 at)
{
	struct ring *r = &ring[cpu];

	if (r->made - r->taken == ROOM)
		return false;
	r->at[r->made++ % ROOM] = at;
	nr_made++;
	return true;
}

static u64 held(void)
{
	unsigned int i;
	u64 sum = 0;

	for (i = 0; i < source.nr_cpus; i++)
		sum += source.cpu[i].stream.size;
	return sum;
}

static size_t take_bytes(struct ring *r, void *to, size_t size)
{
	size_t n = min(size, r->len);

	memcpy(to, r->bytes, n);
	r->bytes += n;
	r->len -= n;
	return n;
}

static ssize_t ring_read(int fd, void *to, size_t size)
{
	struct ring *r = &ring[cpu_of[fd]];
	struct iob_iolog_bin_record *rec = to;
	size_t n = 0;

	if (meanwhile)
		meanwhile();
	most_held = max(most_held, held());
	if (r->len)
		return take_bytes(r, to, size);
	for (; r->taken < r->made && (n + 1) * RECORD <= size; n++, r->taken++)
		rec[n] = (struct iob_iolog_bin_record){
			.len = RECORD, .ver = IOB_IOLOG_BIN_VER, .op = 'R',
			.complete_ns = r->at[r->taken % ROOM],
			.disk = cpu_of[fd], .sector = r->taken,
		};
	if (n)
		return n * RECORD;
	errno = EAGAIN;
	return -1;
}

static void path_of(unsigned int cpu, char *path)
{
	sprintf(path, "%s/iolog_bin%u", folder, cpu);
}

static void begin(unsigned int cpus)
{
	char path[96];
	unsigned int i;

	strcpy(folder, "/tmp/iob-slices-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	for (i = 0; i < cpus; i++) {
		path_of(i, path);
		close(open(path, O_CREAT | O_WRONLY, 0600));
	}
	memset(ring, 0, sizeof(ring));
	if (source_open_log(&source) || source.nr_cpus != cpus)
		abort();
	for (i = 0; i < cpus; i++)
		cpu_of[source.cpu[i].fd % FDS] = source.cpu[i].nr;
	nr_cpus = cpus;
	now_ns = 1;
	nr_made = 0;
	nr_given = 0;
	nr_raw = 0;
	last_ns = 0;
	compared = 0;
	most_held = 0;
}

static void end(void)
{
	char path[96];
	unsigned int i;

	source_close(&source);
	for (i = 0; i < nr_cpus; i++) {
		path_of(i, path);
		unlink(path);
	}
	rmdir(folder);
	meanwhile = NULL;
}

/* All logs are full.  What a CPU has is of any time of theirs. */
static void make_full(void)
{
	unsigned int cpu;
	u64 at;

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		for (at = 1 + rnd(1000); put(cpu, at);)
			at += rnd(2000);
		now_ns = max(now_ns, at);
	}
}

/* Take what is given out until now; @ordered: by time.  The CPU's own order is kept always. */
static void take(bool ordered)
{
	struct iob_iolog_bin_record rec;

	for (; source_next(&source, &rec); nr_given++) {
		if (rec.sector != ring[rec.disk].given++)
			fail("record %llu of CPU %u is %llu", (u64)rec.sector, rec.disk,
			     ring[rec.disk].given - 1);
		if (ordered && rec.complete_ns < last_ns)
			fail("%llu comes after %llu", (u64)rec.complete_ns, last_ns);
		if (rec.complete_ns > source.limit_ns)
			fail("%llu comes, it is %llu", (u64)rec.complete_ns,
			     (u64)source.limit_ns);
		last_ns = rec.complete_ns;
		if (meanwhile)
			meanwhile();
	}
}

static void check_memory(u64 most)
{
	unsigned int i;

	if (most_held > most)
		fail("%llu bytes are held", most_held);
	for (i = 0; i < source.nr_cpus; i++) {
		if (source.cpu[i].stream.buf)
			fail("what CPU %u had is not given back", source.cpu[i].nr);
	}
}

/* 256 full logs have 256 MiB. */
static void full(void)
{
	begin(CPUS);
	make_full();
	if (!source_fill(&source, false))
		fail("the log has ended");
	take(true);
	if (nr_given != CPUS * ROOM || nr_given != nr_made)
		fail("%llu records of %llu", nr_given, nr_made);
	check_memory(SOURCE_BYTES);
	/* log2(256) is 8, and each level has two children */
	if (compared < nr_given || compared > nr_given * 2 * 8)
		fail("%llu comparisons for %llu records", compared, nr_given);
	note("%llu bytes held, %.1f comparisons a record", most_held,
	     (double)compared / nr_given);
	end();
}

static void unordered(void)
{
	begin(CPUS);
	source.unordered = true;
	make_full();
	source_fill(&source, false);
	take(false);
	if (nr_given != nr_made)
		fail("%llu records of %llu", nr_given, nr_made);
	check_memory(SOURCE_BYTES);
	end();
}

/* Some IO completes on some CPU, mostly on the first ones. */
static void some_io(void)
{
	unsigned int n = rnd(3);

	while (n--)
		put(rnd(skew ? 1 + rnd(nr_cpus) : nr_cpus), ++now_ns);
}

/* Many read and give out what others go on to write. */
static void others_write(void)
{
	static const unsigned int cpus[] = { 1, 2, 7, 40, CPUS };
	unsigned int i, turn;
	u64 until;

	for (i = 0; i < 2 * ARRAY_SIZE(cpus); i++) {
		begin(cpus[i / 2]);
		source.unordered = false;
		skew = i % 2;
		while (nr_made < min(150000ULL, nr_cpus * (ROOM - 200ULL)) &&
		       now_ns < 500000)
			some_io();
		meanwhile = some_io;
		for (turn = 0; turn < 4; turn++) {
			until = nr_made;
			source_fill(&source, false);
			take(true);
			/* all that had completed when it began, and nothing else */
			if (nr_given != until)
				fail("%llu records, %llu had completed", nr_given, until);
		}
		meanwhile = NULL;
		source_fill(&source, true);
		take(true);
		if (nr_given != nr_made)
			fail("%llu records of %llu", nr_given, nr_made);
		check_memory(SOURCE_BYTES);
		end();
	}
	note("seed %llu", seed());
}

static void take_raw(unsigned int cpu, const void *bytes, size_t len, void *arg)
{
	const struct iob_iolog_bin_record *rec = bytes;

	(void)arg;
	for (; len >= RECORD; rec++, len -= RECORD, nr_raw++) {
		if (rec->disk != cpu || rec->sector != ring[cpu].raw++)
			fail("as it is, record %llu of CPU %u", (u64)rec->sector, cpu);
	}
}

/* Who wants the bytes gets all, also while they are merged; if nobody else does, none is kept. */
static void raw(void)
{
	unsigned int raw_only;

	for (raw_only = 0; raw_only < 2; raw_only++) {
		begin(CPUS);
		source.unordered = false;
		source.raw = take_raw;
		source.raw_only = raw_only;
		make_full();
		source_fill(&source, false);
		take(true);
		if (nr_raw != nr_made || nr_given != (raw_only ? 0 : nr_made))
			fail("%llu as they are, %llu records of %llu", nr_raw, nr_given, nr_made);
		check_memory(raw_only ? SOURCE_BYTES / CPUS : SOURCE_BYTES);
		end();
	}
}

/* A record of another version may be longer than what a CPU may have. */
static void longer(void)
{
	static unsigned char bytes[60000];
	const u16 len = sizeof(bytes), ver = IOB_IOLOG_BIN_VER + 1;

	begin(CPUS);
	memcpy(bytes, &len, sizeof(len));
	memcpy(bytes + sizeof(len), &ver, sizeof(ver));
	ring[3].bytes = bytes;
	ring[3].len = sizeof(bytes);
	put(3, 1);
	source_fill(&source, false);
	take(true);
	if (nr_given != 1 || source_dropped(&source) != 1)
		fail("%llu records, %llu dropped", nr_given, (u64)source_dropped(&source));
	check_memory(SOURCE_BYTES);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(full), TEST(unordered), TEST(others_write), TEST(raw), TEST(longer),
	};

	return run_tests("tool_slices", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/*
 * The module's log, as who reads it gets it: whole records, however they arrive.  The file of the log
 * is a pipe.
 */
#include <sys/stat.h>

#include "fake_module.h"
#include "source.h"
#include "test.h"

enum {
	MANY = 2000,
	RECORD = sizeof(struct iob_iolog_bin_record),
};

static struct iob_iolog_bin_record record[MANY];
static struct source source;
static int log_fd;

/* What the callback got */
static unsigned int nr_raw, nr_cut, nr_others;

static void take_raw(unsigned int cpu, const void *bytes, size_t len, void *arg)
{
	const unsigned char *at = bytes;

	(void)cpu;
	(void)arg;
	nr_cut += len % RECORD || !len;
	for (; len >= RECORD; at += RECORD, len -= RECORD, nr_raw++)
		nr_others += !!memcmp(at, &record[nr_raw % MANY], RECORD);
}

static void begin(bool raw, bool raw_only)
{
	char path[96];
	unsigned int i;

	strcpy(folder, "/tmp/iob-source-XXXXXX");
	if (!mkdtemp(folder))
		abort();
	snprintf(path, sizeof(path), "%s/iolog_bin0", folder);
	log_fd = mkfifo(path, 0600) ? -1 : open(path, O_RDWR | O_CLOEXEC);
	if (log_fd < 0 || fcntl(log_fd, F_SETPIPE_SZ, MANY * RECORD) < MANY * RECORD)
		abort();
	if (source_open_log(&source))
		abort();
	source.raw = raw ? take_raw : NULL;
	source.raw_only = raw_only;
	for (i = 0; i < MANY; i++)
		record[i] = (struct iob_iolog_bin_record){
			.len = RECORD, .ver = IOB_IOLOG_BIN_VER, .op = 'R', .sector = i,
			.complete_ns = i + 1,
		};
	nr_raw = 0;
	nr_cut = 0;
	nr_others = 0;
}

static void end(void)
{
	char path[96];

	source_close(&source);
	close(log_fd);
	snprintf(path, sizeof(path), "%s/iolog_bin0", folder);
	unlink(path);
	rmdir(folder);
}

static void put(const void *bytes, size_t len)
{
	if (write(log_fd, bytes, len) != (ssize_t)len)
		fail("no room in the log");
}

/* Read what is there.  Return: how many records source_next() gives, of which @from is the first. */
static unsigned int fill(unsigned int from)
{
	struct iob_iolog_bin_record rec;
	unsigned int nr = 0;

	if (!source_fill(&source, false))
		fail("the log has ended");
	for (; source_next(&source, &rec); nr++) {
		if (rec.sector != from + nr)
			fail("%llu is read as record %u", (u64)rec.sector, from + nr);
	}
	return nr;
}

/* More at once than one read takes. */
static void burst(void)
{
	int raw_only;
	unsigned int nr;

	for (raw_only = 0; raw_only < 2; raw_only++) {
		begin(true, raw_only);
		put(record, sizeof(record));
		nr = fill(0);
		if (nr != (raw_only ? 0 : MANY) || nr_raw != MANY || nr_cut || nr_others)
			fail("%u records, and %u as they are, %u others; %u times cut", nr, nr_raw,
			     nr_others, nr_cut);
		end();
		if (source_dropped(&source))
			fail("%llu are dropped", (u64)source_dropped(&source));
	}
}

/* Pieces of any size, of a log that cuts records; who wants what changes meanwhile. */
static void pieces(void)
{
	const unsigned char *bytes = (const unsigned char *)record;
	unsigned int turn, nr;
	size_t at, n;

	for (turn = 0; turn < 40; turn++) {
		begin(true, false);
		nr = 0;
		for (at = 0; at < sizeof(record); at += n) {
			n = 1 + rnd(1 << (1 + rnd(14)));
			if (n > sizeof(record) - at)
				n = sizeof(record) - at;
			put(bytes + at, n);
			source.raw_only = turn % 2 && rnd(2);
			nr += source.raw_only ? 0 : fill(turn % 2 ? at / RECORD : nr);
			if (source.raw_only)
				source_fill(&source, false);
		}
		if (turn % 2 == 0 && nr != MANY)
			fail("%u records", nr);
		if (nr_raw != MANY || nr_cut || nr_others)
			fail("%u as they are, %u others; %u times cut", nr_raw, nr_others, nr_cut);
		end();
		if (source_dropped(&source))
			fail("%llu are dropped", (u64)source_dropped(&source));
	}
	note("seed %llu", seed());
}

/* Who wants the bytes later gets them from the beginning of a record on. */
static void later(void)
{
	begin(false, false);
	put(record, RECORD + 7);
	if (fill(0) != 1)
		fail("the first record");
	source.raw = take_raw;
	nr_raw = 1;
	put((const char *)record + RECORD + 7, 2 * RECORD - 7);
	if (fill(1) != 2 || nr_raw != 3 || nr_cut || nr_others)
		fail("%u as they are, %u others; %u times cut", nr_raw, nr_others, nr_cut);
	end();
}

/* What is no record is counted, and the next read begins anew. */
static void broken(void)
{
	static const char nothing[RECORD];
	int raw_only;
	unsigned int nr;

	for (raw_only = 0; raw_only < 2; raw_only++) {
		begin(true, raw_only);
		put(record, 2 * RECORD);
		put(nothing, sizeof(nothing));
		nr = fill(0);
		put(record + 2, RECORD);
		nr += fill(2);
		if (nr != (raw_only ? 0 : 3) || nr_raw != 3 || nr_cut || nr_others)
			fail("%u records, and %u as they are, %u others; %u times cut", nr, nr_raw,
			     nr_others, nr_cut);
		end();
		if (source_dropped(&source) != 1)
			fail("%llu are dropped", (u64)source_dropped(&source));
	}
}

static unsigned int looks, stops_at;

static bool stops(void)
{
	return ++looks >= stops_at;
}

/* What nobody wants is read until somebody interrupts that.  (A log has no end.) */
static void skipped(void)
{
	begin(false, false);
	put(record, sizeof(record));
	looks = 0;
	stops_at = 3;
	if (!source_skip(&source, stops) || looks != 3)
		fail("it is asked %u times whether to stop", looks);
	end();
}

int main(void)
{
	static const struct test tests[] = {
		TEST(burst), TEST(pieces), TEST(later), TEST(broken), TEST(skipped),
	};

	return run_tests("tool_source", tests, ARRAY_SIZE(tests));
}

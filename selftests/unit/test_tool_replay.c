// SPDX-License-Identifier: GPL-2.0
/*
 * Recordings that are damaged, or made to do harm: whatever is in the file, no
 * sanitizer complains, it ends, and names come out as text.
 */
#include <stddef.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "intent.h"
#include "msg.h"
#include "name.h"
#include "offline.h"
#include "pack.h"
#include "source.h"
#include "store.h"
#include "test.h"

static unsigned int said;

void msg(const char *fmt, ...)
{
	(void)fmt;
	said++;
}

void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* The recording of the test */
static unsigned char image[1 << 16];
static size_t length;

static void put(const void *data, size_t len)
{
	memcpy(image + length, data, len);
	length += len;
}

static void put_chunk(uint32_t type, const void *data, size_t len)
{
	const struct store_chunk chunk = { .type = type, .len = len };

	put(&chunk, sizeof(chunk));
	put(data, len);
}

static void put_text(uint32_t type, const char *text)
{
	put_chunk(type, text, strlen(text));
}

static void put_name(uint32_t kind, uint64_t nr, const char *text)
{
	const struct name_key key = { .kind = kind, .dev = 8 << 20, .nr = nr, .gen = 1 };
	unsigned char data[sizeof(key) + 256];

	memcpy(data, &key, sizeof(key));
	strcpy((char *)data + sizeof(key), text);
	put_chunk(STORE_NAME, data, sizeof(key) + strlen(text) + 1);
}

static void put_records(unsigned int nr)
{
	struct iob_iolog_bin_record rec[20];
	unsigned int i;

	memset(rec, 0, sizeof(rec));
	for (i = 0; i < nr; i++) {
		rec[i].len = sizeof(rec[i]);
		rec[i].ver = IOB_IOLOG_BIN_VER;
		rec[i].op = 'W';
		rec[i].disk = 8 << 20;
		rec[i].dev = 8 << 20;
		rec[i].ino = 10 + i;
		rec[i].gen = 1;
		rec[i].bytes = 4096;
		rec[i].intent_nr = i;
		rec[i].complete_ns = 1000 + i;
		strcpy(rec[i].comm, "dd");
	}
	put_chunk(STORE_RECORDS, rec, nr * sizeof(rec[0]));
}

static void make_empty(void)
{
	const struct { char magic[8]; uint32_t mark, zero; } start = { STORE_MAGIC, STORE_MARK, 0 };

	length = 0;
	put(&start, sizeof(start));
}

static void make_good(void)
{
	make_empty();
	put_text(STORE_HEAD, "version 1\nkernel 6.1\nwall_ns 1700000000000000000\nstart_ns 5\n");
	put_text(STORE_STATUS_BEFORE, "enabled 1\nsession 1\ntotal W ios=1 exact=5\nloss x 1 (y)\n");
	put_text(STORE_INTENT, "#2 modifier=0x10000002 wb=sync\n[0] vfs_write+0x1/0x2 [ext4]\n[0] x+0x1/0x2\n");
	put_name(NAME_FILE, 10, "/mnt/a");
	put_name(NAME_FILE, 11, "/mnt/\033[2J\n\377");
	put_name(NAME_DISK, 0, "sda");
	put_name(NAME_CGROUP, 7, "/a/b");
	put_records(20);
	put_text(99, "of a version to come");
	put_name(NAME_MOUNT, 0, "/mnt");
	put_records(3);
	put_text(STORE_STATUS_AFTER, "enabled 0\nsession 1\ntotal W ios=2 exact=5\nloss x 2 (y)\n");
}

static void check_text(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			fail("control character %d in a name", *text);
	}
}

static u64 dropped;	/* source_dropped() before replay() closed it */

/* Read the whole recording, as views do.  Return: the number of records. */
static unsigned int replay(struct source *s)
{
	struct iob_iolog_bin_record rec;
	unsigned int nr = 0, i;
	char path[64];
	int fd = memfd_create("recording", 0), ret;

	if (fd < 0 || write(fd, image, length) != (ssize_t)length)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = source_open_file(s, path);
	while (!ret && source_fill(s, false)) {
		while (source_next(s, &rec)) {
			const struct intent *in = intent_get(rec.intent_nr);

			nr++;
			check_text(name_file(rec.dev, rec.ino, rec.gen));
			check_text(name_disk(rec.disk));
			check_text(name_unit(rec.cgroup));
			check_text(intent_why(&rec));
			for (i = 0; in && i < in->depth; i++)
				check_text(in->frame[i]);
		}
		name_tidy();
	}
	check_text(s->head.kernel);
	check_text(s->head.host);
	check_text(s->head.version);
	for (i = 0; i < s->head.nr_devices; i++)
		check_text(s->head.device[i].name);
	for (i = 0; i < s->recording.after.nr_losses; i++) {
		check_text(s->recording.after.loss[i].name);
		check_text(s->recording.after.loss[i].what);
	}
	dropped = source_dropped(s);
	source_close(s);
	close(fd);
	return nr;
}

static void good(void)
{
	struct source s;
	unsigned int nr;

	make_good();
	said = 0;
	nr = replay(&s);
	if (nr != 23 || s.recording.torn || said || s.dropped || !s.recording.has_status || s.head.start_ns != 5)
		fail("%u records, torn %d", nr, s.recording.torn);
	if (strcmp(name_file(8 << 20, 10, 1), "/mnt/a") ||
	    strcmp(name_file(8 << 20, 11, 1), "/mnt/\\033[2J\\012\\377"))
		fail("names");
}

/* Cut at each byte: whole records are read, and the cut is noticed. */
static void cut(void)
{
	struct source s;
	size_t whole, at;
	unsigned int nr, before = 0;

	make_good();
	whole = length;
	for (at = 0; at < whole; at++) {
		length = at;
		nr = replay(&s);
		if (nr < before || nr > 23 || (at >= 16 && !s.recording.torn))
			fail("cut at %zu: %u records, torn %d", at, nr, s.recording.torn);
		before = nr;
	}
}

static void damaged(void)
{
	unsigned int round, i, n;
	struct source s;
	size_t at, len;

	note("seed %llu", seed());
	for (round = 0; round < 20000; round++) {
		make_good();
		n = 1 + rnd(1 << rnd(7));
		for (i = 0; i < n; i++) {
			at = 16 + rnd(length - 16);
			switch (rnd(6)) {
			case 0:
				image[at] = rnd(256);
				break;
			case 1:
				image[at] ^= 1 << rnd(8);
				break;
			case 2:
				len = length - at < 8 ? length - at : 8;
				memset(image + at, rnd(2) ? 0xff : 0, len);
				break;
			case 3:
				/* a length that is near to good */
				image[at & ~3UL] += rnd(3) - 1;
				break;
			case 4:
				len = rnd(length - at);
				memmove(image + at, image + at + len, length - at - len);
				length -= rnd(2) ? len : 0;
				break;
			default:
				image[at] = "#[]=\n (+x-0"[rnd(11)];
			}
			if (length <= 16)
				break;
		}
		replay(&s);
	}
}

/* Where chunk @nr of records is in the image */
static struct iob_iolog_bin_record *records_at(unsigned int nr)
{
	struct store_chunk chunk;
	size_t at;

	for (at = 16; at < length; at += sizeof(chunk) + chunk.len) {
		memcpy(&chunk, image + at, sizeof(chunk));
		if (chunk.type == STORE_RECORDS && !nr--)
			return (void *)(image + at + sizeof(chunk));
	}
	abort();
}

/*
 * What is no record is counted while the recording is open, when a view prints its end, and the
 * chunk behind it is read: no record crosses its chunk.
 */
static void not_understood(void)
{
	static const struct {
		unsigned int chunk, record, len, ver, read, dropped;
	} want[] = {
		{ 0, 3, 160, 2, 22, 1 }, { 0, 3, 0xffff, 1, 6, 17 }, { 0, 19, 161, 1, 22, 1 },
		{ 0, 0, 0, 1, 3, 20 }, { 0, 18, 159, 1, 21, 2 }, { 1, 2, 0xffff, 1, 22, 1 },
		{ 0, 3, 320, 2, 21, 1 }, { 1, 0, 3, 7, 20, 3 },
	};
	struct iob_iolog_bin_record *rec;
	struct source s;
	unsigned int i, nr;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		make_good();
		rec = records_at(want[i].chunk) + want[i].record;
		rec->len = want[i].len;
		rec->ver = want[i].ver;
		nr = replay(&s);
		if (nr != want[i].read || dropped != want[i].dropped ||
		    source_dropped(&s) != want[i].dropped || s.recording.torn)
			fail("%u: %u records, %llu not understood, %llu when it is closed", i, nr,
			     dropped, (u64)source_dropped(&s));
	}
}

#ifdef HAVE_ZSTD
static unsigned char plain[sizeof(image)];	/* what is packed */
static size_t packed_at;			/* where in the image */

/* Put all that is behind the head into a packed frame, flushed after each of @parts. */
static void make_packed(unsigned int parts)
{
	const size_t head = sizeof(struct store_chunk) + 16 +
			    strlen("version 1\nkernel 6.1\nwall_ns 1700000000000000000\nstart_ns 5\n");
	const uint32_t frame = PACK_FRAME;
	size_t len, at, part;
	struct pack *pack;
	FILE *to;

	make_good();
	len = length - head;
	memcpy(plain, image + head, len);
	length = head;
	put_chunk(STORE_PACKED, &frame, sizeof(frame));
	packed_at = length;
	to = fmemopen(image + length, sizeof(image) - length, "w");
	setvbuf(to, NULL, _IONBF, 0);
	pack = pack_writer(to);
	for (at = 0; at < len; at += part) {
		part = len / parts + 1 < len - at ? len / parts + 1 : len - at;
		if (fwrite(plain + at, part, 1, pack_file(pack)) != 1 || !pack_flush(pack))
			fail("cannot pack");
	}
	if (!pack_end(pack, NULL))
		fail("cannot end");
	length += ftell(to);
	fclose(to);
}

/* All records, and the smaller of two files */
static void packed(void)
{
	unsigned int parts, nr;
	struct source s;
	size_t good;

	make_good();
	good = length;
	for (parts = 1; parts < 40; parts++) {
		make_packed(parts);
		nr = replay(&s);
		if (nr != 23 || s.recording.torn || s.head.start_ns != 5 || length > good)
			fail("%u parts: %u records of 23, torn %d, %zu bytes of %zu", parts, nr,
			     s.recording.torn, length, good);
	}
}

/* Cut at each byte: what was flushed before is read. */
static void packed_cut(void)
{
	unsigned int nr, before = 0, parts = 0;
	struct source s;
	size_t whole, at;

	make_packed(30);
	whole = length;
	for (at = 16; at < whole; at++) {
		length = at;
		nr = replay(&s);
		if (nr < before || nr > 23 || !s.recording.torn)
			fail("cut at %zu: %u records, torn %d", at, nr, s.recording.torn);
		parts += nr != before;
		before = nr;
	}
	if (before != 23 || parts < 2)
		fail("%u records of 23 are read, in %u parts", before, parts);
}

/* True if the frame holds what was packed, although a bit of it is another. */
static bool holds_plain(void)
{
	static unsigned char now[sizeof(image)];
	FILE *from = fmemopen(image + packed_at, length - packed_at, "r");
	struct pack *pack = pack_reader(from, PACK_FRAME);
	size_t len = fread(now, 1, sizeof(now), pack_file(pack));

	pack_end(pack, NULL);
	fclose(from);
	return !memcmp(now, plain, len);
}

/* What was changed is noticed: the frame has a checksum. */
static void packed_damaged(void)
{
	unsigned int round, unnoticed = 0;
	struct source s;
	size_t at;

	note("seed %llu", seed());
	make_packed(3);
	for (round = 0; round < 5000; round++) {
		make_packed(3);
		at = length - 1 - rnd(length / 2);
		image[at] ^= 1 << rnd(8);
		unnoticed += replay(&s) != 23 ? !s.recording.torn :
			     !s.recording.torn && !holds_plain();
	}
	if (unnoticed)
		fail("%u of 5000 are damaged, and said to be whole", unnoticed);
}
#endif

/* Forged chunks: extreme lengths, numbers and texts */
static void hostile(void)
{
	static const char * const texts[] = {
		"", "\n\n\n", "#", "#4294967295 modifier=0x0\n[0] x\n", "#16777216 modifier=0x0\n[0] x\n",
		"#1 modifier=0x\n", "#1 modifier=0x1 \n[0]\n[0] \n[]\n", "[0] x\n", "wall_ns -9223372036854775808\n",
		"device 8:1 99 \033[2J\ndevice 4096:1 1 x\ndevice 8:1 1\ndevice 8\ndevice \n",
		"host \033[2J\ncpus -1\nversion \377\n",
		"start_ns 18446744073709551615\n", "kernel \n", "kernel \033[2J\n", "loss ", "loss x",
		"loss x 1 (", "loss x 1 ()", "loss \377 99999999999999999999999 (\033)\n", "total ", "total W exact=\n",
		"hook \n", "hook x missing \n", "session", "enabled ",
	};
	unsigned int type, i;
	struct source s;
	char name[32] = { 0 };

	for (type = 0; type < 10; type++) {
		for (i = 0; i < ARRAY_SIZE(texts); i++) {
			make_good();
			put_text(type, texts[i]);
			put_records(2);
			replay(&s);
		}
		/* shorter than what it should hold */
		for (i = 0; i < sizeof(name); i++) {
			make_good();
			put_chunk(type, name, i);
			put_records(2);
			replay(&s);
		}
	}
	/* records that say they are shorter or longer than they are, with nothing behind */
	for (i = 0; i < 200; i++) {
		struct iob_iolog_bin_record rec = { .len = i, .ver = IOB_IOLOG_BIN_VER };
		size_t len = i < sizeof(rec) ? i : sizeof(rec);

		make_empty();
		put_chunk(STORE_RECORDS, &rec, len < 4 ? 4 : len);
		replay(&s);
	}
	/* longer than any */
	for (i = 0; i < 3; i++) {
		static const uint32_t lengths[] = { STORE_CHUNK_MAX, STORE_CHUNK_MAX + 1, 0xffffffff };
		const struct store_chunk chunk = { .type = STORE_RECORDS, .len = lengths[i] };

		make_good();
		put(&chunk, sizeof(chunk));
		put_records(1);
		replay(&s);
		if (!s.recording.torn)
			fail("a chunk of %u bytes is taken", lengths[i]);
	}
}

/* Take what ioblamed sends: all of it may have come before the first record is looked at. */
static void take(struct recording *r, struct stream *to, u32 type, const void *data, size_t len)
{
	const struct store_chunk chunk = { .type = type, .len = len };
	struct store_head head = { 0 };
	char *text = calloc(1, len + 1);

	memcpy(text, data, len);
	recording_take(r, &head, to, &chunk, text);
	free(text);
}

static void take_session(struct recording *r, struct stream *to, const char *status,
			 const char *intent, u32 nr)
{
	const struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'W', .intent_nr = nr,
	};

	take(r, to, STORE_STATUS_BEFORE, status, strlen(status));
	take(r, to, STORE_INTENT, intent, strlen(intent));
	take(r, to, STORE_RECORDS, &rec, sizeof(rec));
}

/* A view goes on when another session begins: a record keeps the stack of its own. */
static void sessions(void)
{
	static const char *const want[] = { "one+0x1/0x2", "two+0x1/0x2", "three+0x1/0x2", NULL };
	struct iob_iolog_bin_record rec;
	struct recording r = { 0 };
	const struct intent *in;
	struct stream to = { 0 };
	size_t i;

	take_session(&r, &to, "session 1\n", "#12 modifier=0x0\n[0] one+0x1/0x2\n", 12);
	take_session(&r, &to, "session 2\n", "#12 modifier=0x0\n[0] two+0x1/0x2\n", 12);
	/* the module was loaded anew, and counts from 1 again */
	take_session(&r, &to, "session 2\n", "#12 modifier=0x0\n[0] three+0x1/0x2\n", 12);
	/* one that has no stack */
	take_session(&r, &to, "session 3\n", "#1 modifier=0x0\n[0] four+0x1/0x2\n", 12);
	for (i = 0; i < ARRAY_SIZE(want) && stream_next(&to, &rec); i++) {
		in = intent_get(rec.intent_nr);
		if (!in != !want[i] || (in && strcmp(in->frame[0], want[i])))
			fail("record %zu has the stack %s", i, in ? in->frame[0] : "of none");
	}
	if (i < ARRAY_SIZE(want))
		fail("%zu records", i);
	if (!r.several)
		fail("what was lost is said of the last one");
	stream_free(&to);
}

/* One that was over when ioblamed was asked, or had no IO yet, is none of several. */
static void one_session(void)
{
	static const struct {
		const char *before;
		bool records, several;
	} cases[] = {
		{ "enabled 0\nsession 1\n", false, false }, { "enabled 0\nsession 1\n", true, true },
		{ "enabled 1\nsession 1\n", false, true }, { NULL, false, false },
	};
	const struct iob_iolog_bin_record rec = { .len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER };
	static const char status[] = "enabled 1\nsession 2\n";
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct recording r = { 0 };
		struct stream to = { 0 };

		if (cases[i].before)
			take(&r, &to, STORE_STATUS_BEFORE, cases[i].before, strlen(cases[i].before));
		if (cases[i].records)
			take(&r, &to, STORE_RECORDS, &rec, sizeof(rec));
		take(&r, &to, STORE_STATUS_BEFORE, status, strlen(status));
		take(&r, &to, STORE_RECORDS, &rec, sizeof(rec));
		if (r.several != cases[i].several || r.before.session != 2)
			fail("case %zu: several %d", i, r.several);
		stream_free(&to);
	}
}

/* A record that completed @ns after the machine began to run. */
static void put_record(uint64_t ns)
{
	const struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'W', .complete_ns = ns,
	};

	put_chunk(STORE_RECORDS, &rec, sizeof(rec));
}

/* The clock was set, or the machine slept, while it was recorded: each time has its own offset. */
static void clock_steps(void)
{
	static const struct {
		uint64_t ns;
		int64_t wall_ns;
	} want[] = {
		/* the beginning, and records */
		{ 5, 1000 }, { 100, 1000 }, { 200, 5001000 }, { 250, 5001000 }, { 300, 900 },
		{ 400, 900 },
	};
	struct source s;
	char line[64];
	size_t i;

	make_empty();
	put_text(STORE_HEAD, "wall_ns 1000\nstart_ns 5\ndevice 8:0 100 sda\n");
	put_record(100);
	put_text(STORE_HEAD, "wall_ns 5001000\n");
	put_record(200);
	put_record(250);
	put_text(STORE_HEAD, "wall_ns 900\n");
	put_record(300);
	if (replay(&s) != 4 || s.head.start_ns != 5)
		fail("not read");
	for (i = 0; i < ARRAY_SIZE(want); i++) {
		if (source_wall_ns(&s, want[i].ns) != want[i].wall_ns)
			fail("at %llu: %lld", (u64)want[i].ns, (s64)source_wall_ns(&s, want[i].ns));
	}
	/* more steps than are kept: the first one is, and the last ones */
	make_empty();
	for (i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "wall_ns %zu\n", 1000 + i);
		put_text(STORE_HEAD, line);
		put_record(10 * (1 + i));
	}
	if (replay(&s) != 100 || source_wall_ns(&s, 5) != 1000 || source_wall_ns(&s, 1000) != 1099 ||
	    source_wall_ns(&s, 990) != 1098 || source_wall_ns(&s, 900) != 1089)
		fail("%lld, %lld, %lld, %lld", (s64)source_wall_ns(&s, 5),
		     (s64)source_wall_ns(&s, 1000), (s64)source_wall_ns(&s, 990),
		     (s64)source_wall_ns(&s, 900));
}

/* The machine slept before the first record, maybe twice: it begins when it did. */
static void slept_first(void)
{
	struct source s;
	unsigned int nr;

	for (nr = 1; nr < 3; nr++) {
		make_empty();
		put_text(STORE_HEAD, "wall_ns 1000\nstart_ns 5\ndevice 8:0 100 sda\n");
		put_text(STORE_HEAD, nr == 1 ? "wall_ns 5001000\n" : "wall_ns 9000\n");
		if (nr == 2)
			put_text(STORE_HEAD, "wall_ns 5001000\n");
		put_record(100);
		put_text(STORE_HEAD, "wall_ns 900\n");
		put_record(300);
		if (replay(&s) != 2 || s.head.start_ns != 5)
			fail("not read");
		if (source_wall_ns(&s, 5) != 1000 || source_wall_ns(&s, 100) != 5001000 ||
		    source_wall_ns(&s, 300) != 900)
			fail("slept %u times: %lld, %lld, %lld", nr, (s64)source_wall_ns(&s, 5),
			     (s64)source_wall_ns(&s, 100), (s64)source_wall_ns(&s, 300));
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(good), TEST(cut), TEST(damaged), TEST(hostile),
					     TEST(not_understood),
#ifdef HAVE_ZSTD
					     TEST(packed), TEST(packed_cut), TEST(packed_damaged),
#endif
					     TEST(sessions), TEST(one_session), TEST(clock_steps),
					     TEST(slept_first),
	};

	return run_tests("tool_replay", tests, ARRAY_SIZE(tests));
}

// SPDX-License-Identifier: GPL-2.0
/* Which disks stat shows, and what it calls IO without a record.  The numbers are fakes. */
#include "fake_acts.h"
#include "fake_names.h"
#include "intent.h"
#include "name.h"
#include "test.h"

#include "cmd_stat.c"

enum {
	SDA = 8 << 20, SDB = 8 << 20 | 16, DM = 253 << 20,
};

static const struct device sda = { .dev = SDA, .disk = SDA };
static const struct device sda1 = { .dev = SDA | 1, .disk = SDA, .start = 8, .end = 1000 };
static const struct device sda2 = { .dev = SDA | 2, .disk = SDA, .start = 1000, .end = 2000 };
static const struct device sdb = { .dev = SDB, .disk = SDB };

/* What was printed: "sda+" with what was not blamed, "sda-" with what was not shown */
static char printed[64];
static unsigned int looks, missing = 1;
/* How long the 200 requests of sda are under way at each look */
static u64 under_way_ms;
static struct diskstats told;
/* How long the disk was busy, and with what each one did */
static u64 disk_busy, sums_busy[2];
static unsigned int nr_sums, nr_more;

char *file_read(const char *path)
{
	static char text[192];

	if (!strcmp(path, "/sys/dev/block/253:0/queue/write_cache"))
		return strdup("write back\n");
	if (strcmp(path, "/proc/diskstats"))
		return NULL;
	looks++;
	snprintf(text, sizeof(text),
		 "8 0 sda 1 0 8 1 %u 0 80 %u 0 %u %u\n8 16 sdb 1 0 8 1 %u 0 80 1 0 1 1\n",
		 looks, (u32)(200 * under_way_ms), (u32)under_way_ms, (u32)(200 * under_way_ms),
		 looks);
	return strdup(text);
}

/* all but DM have requests */
char *file_first_entry(const char *path)
{
	return strcmp(path, "/sys/dev/block/253:0/mq") ? strdup("0") : NULL;
}

bool source_is_live(const struct source *s)
{
	return s->kind != SOURCE_RECORDING;
}

const char *name_disk(uint32_t dev)
{
	return dev == SDA ? "sda" : dev == SDB ? "sdb" : "?";
}

/* One interval of 13 hours, with a batch each second */
int view_run(const struct opts *opts, const struct view *view)
{
	static struct run run = {
		.source.kind = SOURCE_BINARY,
		.session = { .device = { { SDA, SDA } }, .nr_devices = 1 },
	};
	const u64 second = 1000000000;
	unsigned int i, begun = looks;

	run.opts = opts;
	run.since_ns = 5 * second;
	view->begin(&run);
	for (i = 0; i <= 13 * 3600; i++) {
		under_way_ms = i * 1000ULL;
		run.now_ns = run.since_ns + i * second;
		view->filled(&run);
	}
	missing = looks - begun;
	if (missing < 13 * 6 || missing > 13 * 60)
		fail("it looks %u times", missing);
	view->interval(&run, run.since_ns, run.now_ns, true);
	missing = 1;
	return EXIT_OK;
}

void stat_print_begin(struct stat_look *look)
{
	(void)look;
	*printed = '\0';
}

void stat_print_disk(struct stat_look *look, const char *name, const struct diskstats *st,
		     const struct blamed *total)
{
	(void)look;
	if (st)
		told = *st;
	disk_busy = spans_covered(&total->busy);
	nr_sums = nr_more = 0;
	strcat(printed, name);
}

void stat_print_sum(struct stat_look *look, const struct blamed *b)
{
	(void)look;
	if (nr_sums < ARRAY_SIZE(sums_busy))
		sums_busy[nr_sums] = spans_covered(&b->busy);
	nr_sums++;
}

void stat_print_more(struct stat_look *look, struct blamed **list, unsigned int nr)
{
	(void)look;
	(void)list;
	nr_more = nr;
}

void stat_print_rest(struct stat_look *look, const struct blamed *rest)
{
	if (rest->ios[STAT_WRITE] != missing)
		fail("%llu writes are in no record", (unsigned long long)rest->ios[STAT_WRITE]);
	strcat(printed, look->filtered ? "-" : "+");
}

void stat_print_disk_end(struct stat_look *look)
{
	(void)look;
}

void stat_print_end(struct stat_look *look)
{
	(void)look;
}

static void forget_disks(void)
{
	end_stat(NULL);
	nr_disks = 0;
	disks = NULL;
}

/* One interval, in which each disk has one write that no record has */
static void shows(const struct run *run, const char *want)
{
	struct run *r = must(malloc(sizeof(*r)));
	struct opts none = { .by = BY_PROCESS };

	*r = *run;
	r->opts = run->opts ? run->opts : &none;
	begin_stat(r);
	print_stat(r, 1, 1000000001, true);
	forget_disks();
	free(r);
	if (strcmp(printed, want))
		fail("it shows %s, not %s", printed, want);
}

/* Others watch more than this command asks for. */
static void asked_for(void)
{
	static struct run run = {
		.source.kind = SOURCE_SERVED,
		.session = { .device = { { SDA, SDA }, { SDB, SDB } }, .nr_devices = 2 },
	};

	shows(&run, "sda+sdb+");
	run.device[0] = sdb;
	run.nr_devices = 1;
	shows(&run, "sdb+");
	run.source.kind = SOURCE_BINARY;
	shows(&run, "sdb+");
}

/* The kernel's numbers are those of the disk. */
static void partitions(void)
{
	static struct run run = { .source.kind = SOURCE_BINARY };

	/* named, and watched for that */
	run.session.device[0] = sda1;
	run.session.device[1] = sdb;
	run.session.nr_devices = 2;
	memcpy(run.device, run.session.device, sizeof(run.device));
	run.nr_devices = 2;
	shows(&run, "sda-sdb+");
	run.session.device[1] = sda2;
	run.device[1] = sda2;
	shows(&run, "sda-");
	run.session.device[1] = sda;
	run.device[1] = sda;
	shows(&run, "sda+");
	/* named, while others watch the disk */
	run.device[1] = sda1;
	shows(&run, "sda-");
	/* the disk is named, and others watch a partition */
	run.device[0] = sda;
	run.session.device[1] = sda1;
	shows(&run, "sda-");
	run.nr_devices = 0;
	shows(&run, "sda-");
}

/* ioblamed shows a user his own, and the options what passes them. */
static void others_io(void)
{
	static struct opts opts = { .by = BY_PROCESS };
	static struct run run = {
		.opts = &opts, .source.kind = SOURCE_SERVED,
		.session = { .device = { { SDA, SDA } }, .nr_devices = 1 },
	};

	shows(&run, "sda+");
	run.source.recording.before.own = true;
	shows(&run, "sda-");
	run.source.recording.before.own = false;
	opts.nr_comms = 1;
	shows(&run, "sda-");
}

/* IO that was under way before has no time: what is summed up is the others'. */
static void not_timed(void)
{
	struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .disk = SDA, .bytes = 512, .tgid = 7, .id = 7, .complete_ns = 5000,
	};
	struct blamed_sums s;
	struct blamed total;
	unsigned int i;

	blamed_init(&s, BY_PROCESS);
	for (i = 0; i < 10; i++) {
		rec.queue_ns = i < 4 ? 0 : 3000;
		blamed_add(&s, &rec, true, 0);
	}
	blamed_total(&s, SDA, &total);
	if (total.ios[STAT_WRITE] != 10 || total.timed[STAT_WRITE] != 6 ||
	    total.ns[STAT_WRITE] != 12000)
		fail("%llu of %llu IOs took %llu ns", (u64)total.timed[STAT_WRITE],
		     (u64)total.ios[STAT_WRITE], (u64)total.ns[STAT_WRITE]);
	blamed_clear(&s);
}

/* A flush of a second beside reads of 0.1 ms, one each 10 ms, all of one process */
static void add_second(struct run *run, u64 begin_ns)
{
	struct iob_iolog_bin_record rec = { .disk = SDA, .tgid = 7, .id = 7 };
	unsigned int i;

	run->since_ns = begin_ns;
	for (i = 0; i < 100; i++) {
		rec.op = OP_READ;
		rec.bytes = 512;
		rec.queue_ns = begin_ns + i * 10000000ULL;
		rec.complete_ns = rec.queue_ns + 100000;
		add_record(run, &rec);
	}
	rec.op = OP_FLUSH;
	rec.bytes = 0;
	rec.queue_ns = begin_ns;
	rec.complete_ns = begin_ns + 1000000000;
	add_record(run, &rec);
}

/* An IO that outlasts many others was under way for all of its time; and that in each interval. */
static void outlasts(void)
{
	static struct opts opts = { .by = BY_PROCESS };
	static struct run run = { .opts = &opts, .source.kind = SOURCE_RECORDING };
	u64 i, begin_ns;

	begin_stat(&run);
	for (i = 1; i <= 3; i++) {
		begin_ns = i * 1000000000;
		add_second(&run, begin_ns);
		print_stat(&run, begin_ns, begin_ns + 1000000000, i == 3);
		if (disk_busy != 1000000000 || nr_sums != 1 || sums_busy[0] != 1000000000)
			fail("the disk was busy for %llu ns, with what its process did %llu",
			     disk_busy, sums_busy[0]);
	}
	/* the end comes within an interval */
	add_second(&run, 4000000000);
	forget_disks();
}

static void misses(bool pieces, u64 log_bytes, u64 want_ios, u64 want_bytes)
{
	static const struct run run = { .source.kind = SOURCE_BINARY };
	/* 100 writes of 1 MiB, of 8 pieces each */
	static const struct diskstats st = {
		.ios[STAT_WRITE] = 800, .sectors[STAT_WRITE] = 100 * 2048,
	};
	struct blamed total = { .ios[STAT_WRITE] = 100, .bytes[STAT_WRITE] = log_bytes }, rest;
	struct disk *d = find_disk(&run, pieces ? DM : SDA);

	find_rest(d, &st, &total, &rest);
	if (rest.ios[STAT_WRITE] != want_ios || rest.bytes[STAT_WRITE] != want_bytes)
		fail("%llu writes of %llu bytes are missing, not %llu",
		     (u64)rest.ios[STAT_WRITE], (u64)rest.bytes[STAT_WRITE], want_ios);
	forget_disks();
}

/* The kernel counts each piece of an IO that dm or md splits. */
static void split(void)
{
	misses(false, 100 << 20, 700, 0);
	misses(true, 100 << 20, 0, 0);
	/* the log is ahead */
	misses(true, 101 << 20, 0, 0);
	misses(true, 99 << 20, 8, 1 << 20);
	misses(true, (100 << 20) - 512, 1, 512);
	misses(true, 0, 700, 100 << 20);
}

/* Nothing of that is known of a recording. */
static void recorded(void)
{
	static const struct run run = { .source.kind = SOURCE_RECORDING };

	if (find_disk(&run, DM)->counts_pieces || !find_disk(&run, DM)->cached)
		fail("it knows what disk it was");
	forget_disks();
}

/* The kernel's sums of milliseconds wrap twice in an interval. */
static void long_interval(void)
{
	static const struct opts opts = { .by = BY_PROCESS, .duration_ns = 13 * 3600 * 1000000000ULL };
	const u64 ms = 13 * 3600 * 1000;

	cmd_stat(&opts);
	forget_disks();
	if (strcmp(printed, "sda+"))
		fail("it shows %s", printed);
	if (told.busy_ms != ms || told.queue_ms != 200 * ms || told.ms[STAT_WRITE] != 200 * ms)
		fail("it was busy for %llu ms; IOs took %llu ms and %llu ms", (u64)told.busy_ms,
		     (u64)told.queue_ms, (u64)told.ms[STAT_WRITE]);
}

/* A table is cut without -r, what programs read is not; with -r each is.  12 processes write. */
static void cut(void)
{
	static const struct {
		enum format format;
		unsigned int rows, shown, more;
	} cases[] = {
		{ FORMAT_TABLE, 0, 10, 2 }, { FORMAT_JSON, 0, 12, 0 }, { FORMAT_CSV, 0, 12, 0 },
		{ FORMAT_TABLE, 3, 3, 9 }, { FORMAT_JSON, 3, 3, 0 }, { FORMAT_CSV, 3, 3, 0 },
		{ FORMAT_TABLE, 20, 12, 0 }, { FORMAT_JSON, 20, 12, 0 },
	};
	static struct run run = { .source.kind = SOURCE_RECORDING };
	struct iob_iolog_bin_record rec = {
		.op = OP_WRITE, .disk = SDA, .bytes = 512, .queue_ns = 3000, .complete_ns = 5000,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct opts opts = {
			.by = BY_PROCESS, .format = cases[i].format, .rows = cases[i].rows,
		};

		run.opts = &opts;
		begin_stat(&run);
		for (rec.tgid = 1; rec.tgid <= 12; rec.tgid++) {
			rec.id = rec.tgid;
			add_record(&run, &rec);
		}
		print_stat(&run, 1, 1000000001, true);
		if (nr_sums != cases[i].shown || nr_more != cases[i].more)
			fail("case %u: %u lines, and %u more", i, nr_sums, nr_more);
		forget_disks();
	}
}

int main(void)
{
	static const struct test tests[] = {
		TEST(asked_for), TEST(partitions), TEST(others_io), TEST(not_timed),
		TEST(outlasts), TEST(split), TEST(recorded), TEST(long_interval),
		TEST(cut),
	};

	return run_tests("tool_stat_rest", tests, ARRAY_SIZE(tests));
}

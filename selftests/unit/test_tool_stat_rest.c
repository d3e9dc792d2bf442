// SPDX-License-Identifier: GPL-2.0
/* Which disks stat shows, and what it calls IO without a record.  The numbers are fakes. */
#include "fake_names.h"
#include "intent.h"
#include "name.h"
#include "test.h"

#include "cmd_stat.c"

enum {
	SDA = 8 << 20, SDB = 8 << 20 | 16,
};

static const struct device sda = { .dev = SDA, .disk = SDA };
static const struct device sda1 = { .dev = SDA | 1, .disk = SDA, .start = 8, .end = 1000 };
static const struct device sda2 = { .dev = SDA | 2, .disk = SDA, .start = 1000, .end = 2000 };
static const struct device sdb = { .dev = SDB, .disk = SDB };

/* What was printed: "sda+" with what was not blamed, "sda-" with what was not shown */
static char printed[64];
static unsigned int looks;

char *file_read(const char *path)
{
	static char text[128];

	if (strcmp(path, "/proc/diskstats"))
		return NULL;
	looks++;
	snprintf(text, sizeof(text), "8 0 sda 1 0 8 1 %u 0 80 1 0 1 1\n8 16 sdb 1 0 8 1 %u 0 80 1 0 1 1\n",
		 looks, looks);
	return strdup(text);
}

bool source_is_live(const struct source *s)
{
	return s->kind != SOURCE_RECORDING;
}

const char *name_disk(uint32_t dev)
{
	return dev == SDA ? "sda" : dev == SDB ? "sdb" : "?";
}

void name_note_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
}

const char *name_cgroup(uint64_t id)
{
	(void)id;
	return "-";
}

const char *name_user(uint32_t tgid, const char *comm)
{
	(void)tgid;
	(void)comm;
	return "-";
}

const char *intent_why(const struct iob_iolog_bin_record *rec)
{
	(void)rec;
	return "task";
}

int view_run(const struct opts *opts, const struct view *view)
{
	(void)opts;
	(void)view;
	return 0;
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
	(void)st;
	(void)total;
	strcat(printed, name);
}

void stat_print_sum(struct stat_look *look, const struct blamed *b)
{
	(void)look;
	(void)b;
}

void stat_print_more(struct stat_look *look, struct blamed **list, unsigned int nr)
{
	(void)look;
	(void)list;
	(void)nr;
}

void stat_print_rest(struct stat_look *look, const struct blamed *rest)
{
	if (rest->ios[STAT_WRITE] != 1)
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

/* One interval, in which each disk has one write that no record has */
static void shows(const struct run *run, const char *want)
{
	struct run *r = must(malloc(sizeof(*r)));
	struct opts none = { .by = BY_PROCESS };

	*r = *run;
	r->opts = run->opts ? run->opts : &none;
	begin_stat(r);
	print_stat(r, 1, 1000000001, true);
	end_stat(r);
	nr_disks = 0;
	disks = NULL;
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

int main(void)
{
	static const struct test tests[] = {
		TEST(asked_for), TEST(partitions), TEST(others_io), TEST(not_timed),
	};

	return run_tests("tool_stat_rest", tests, ARRAY_SIZE(tests));
}

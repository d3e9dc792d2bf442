// SPDX-License-Identifier: GPL-2.0
/*
 * Whose the commands of a driver are: lines of the kernel's trace beside records of the log.  The
 * trace, the disks, the table and what calls the view are this file's.
 */
#include "fake_table.h"
#include "test.h"

#include "cmd_driver.c"

#define US	1000ULL
#define MS	1000000ULL
#define DISK	(259U << 20)

static const char *lines[64];
static unsigned int nr_lines;
static const struct view *driver;
static struct run run;
static char rows[4096];		/* "COMMAND COMM COUNT" of each row, with " PASS" if it was */

int view_run(const struct opts *opts, const struct view *view)
{
	(void)opts;
	driver = view;
	return EXIT_OK;
}

int drvtrace_open(enum drvtrace what)
{
	(void)what;
	return EXIT_OK;
}

void drvtrace_read(void (*one)(const struct drvevent *e))
{
	struct drvevent e;
	unsigned int i;

	for (i = 0; i < nr_lines; i++) {
		if (!drvevent_parse(lines[i], &e))
			fail("refuses: %s", lines[i]);
		one(&e);
	}
	nr_lines = 0;
}

uint64_t drvtrace_lost(void)
{
	return 0;
}

uint64_t drvtrace_unknown(void)
{
	return 0;
}

void drvtrace_close(void)
{
}

bool drvdisk_find(const char *device, uint32_t *dev, unsigned int *sectors)
{
	(void)device;
	*dev = DISK;
	*sectors = 1;
	return true;
}

const char *name_disk(uint32_t dev)
{
	(void)dev;
	return "nvme0n1";
}

char *file_read(const char *path)
{
	(void)path;
	return NULL;
}

uint64_t run_wall_ns(const struct run *r, uint64_t ns)
{
	(void)r;
	return ns;
}

void out_puts(const char *text)
{
	(void)text;
}

void out_printf(const char *fmt, ...)
{
	(void)fmt;
}

void table_row(struct table *t, const struct cell *c)
{
	size_t n = strlen(rows);

	(void)t;
	snprintf(rows + n, sizeof(rows) - n, "%s %s %llu%s\n", c[COMMAND].text, c[COMM].text,
		 (unsigned long long)c[COUNT].n, c[PASSED].n ? " PASS" : "");
}

void table_end(struct table *t)
{
	(void)t;
}

static void line(const char *task, u64 ns, const char *fmt, ...)
{
	char text[512];
	va_list args;
	int n = snprintf(text, sizeof(text), "%16s-%-7u [000] ..... %llu.%06llu: ", task, 77,
			 ns / 1000000000, ns / US % 1000000);

	va_start(args, fmt);
	vsnprintf(text + n, sizeof(text) - n, fmt, args);
	va_end(args);
	free((void *)lines[nr_lines]);
	lines[nr_lines++] = strdup(text);
}

/* A command of NVMe, from its sending to its end */
static void command(unsigned int id, const char *what, u64 sent_ns, u64 done_ns)
{
	line("kworker/0:1H", sent_ns, "nvme_setup_cmd: nvme0: disk=nvme0n1, qid=1, cmdid=%u, "
	     "nsid=1, flags=0x0, meta=0x0, cmd=(%s)", id, what);
	line("<idle>", done_ns, "nvme_complete_rq: nvme0: disk=nvme0n1, qid=1, cmdid=%u, "
	     "res=0x0, retries=0, flags=0x0, status=0x0", id);
}

/* The same of SCSI */
static void scsi_command(const char *what, u64 sent_ns, u64 done_ns)
{
	static const char event[] = "host_no=0 channel=0 id=0 lun=0 data_sgl=1 prot_sgl=0 "
		"prot_op=SCSI_PROT_NORMAL driver_tag=3 scheduler_tag=-1";

	line("kworker/0:1H", sent_ns, "scsi_dispatch_cmd_start: %s cmnd=(%s raw=42 00)", event,
	     what);
	line("<idle>", done_ns, "scsi_dispatch_cmd_done: %s cmnd=(%s raw=42 00) result=("
	     "driver=DRIVER_OK host=DID_OK message=COMMAND_COMPLETE status=SAM_STAT_GOOD)", event,
	     what);
}

/* Its record: issued @off_ns after the sending, ended a little after the command */
static void record(char op, const char *comm, u64 sent_ns, s64 off_ns, u64 done_ns)
{
	struct iob_iolog_bin_record rec = {
		.op = op, .disk = DISK, .sector = 4096, .bytes = 65536, .role_kind = ROLE_THREAD,
		.id = 100, .tgid = 100, .queue_ns = sent_ns - 300 * US,
		.issue_ns = sent_ns + off_ns, .complete_ns = done_ns + 20 * US,
	};

	snprintf(rec.comm, sizeof(rec.comm), "%s", comm);
	driver->record(&run, &rec);
}

static void pass_batch(u64 now_ns)
{
	run.now_ns = now_ns;
	driver->filled(&run);
}

static void begin_view(bool is_nvme)
{
	static const struct opts opts = { .format = FORMAT_JSON };

	run = (struct run){ .opts = &opts };
	*rows = '\0';
	if (is_nvme)
		cmd_nvme(&opts);
	else
		cmd_scsi(&opts);
	driver->begin(&run);
}

static void end_view(const char *what, u64 now_ns, const char *wanted)
{
	driver->interval(&run, 0, now_ns, true);
	driver->end(&run);
	if (strcmp(rows, wanted))
		fail("%s: %s", what, rows);
}

/* UNMAP and DSM say no sector: the record of a discard that was under way is theirs. */
static void discards(void)
{
	const char *dsm = "nvme_cmd_dsm nr=1, attributes=4";

	begin_view(true);
	command(1, dsm, 1000 * MS, 1002 * MS);
	record('D', "rm", 1000 * MS, 3 * US, 1002 * MS);
	pass_batch(2000 * MS);
	end_view("DSM", 2000 * MS, "nvme_cmd_dsm rm 1\n");

	begin_view(false);
	scsi_command("UNMAP regions=1", 1000 * MS, 1003 * MS);
	record('D', "fstrim", 1000 * MS, -(3LL * US), 1003 * MS);
	pass_batch(1100 * MS);
	/* this one names its sectors */
	scsi_command("WRITE_SAME_16 lba=4096 txlen=128 protect=0 unmap=1", 1200 * MS, 1202 * MS);
	record('D', "rm", 1200 * MS, -(3LL * US), 1202 * MS);
	pass_batch(2000 * MS);
	end_view("SCSI", 2000 * MS, "UNMAP fstrim 1\nWRITE_SAME_16 rm 1\n");

	/* the record comes a batch later, or with the end */
	begin_view(true);
	command(1, dsm, 1000 * MS, 1002 * MS);
	pass_batch(1010 * MS);
	record('D', "rm", 1000 * MS, 3 * US, 1002 * MS);
	pass_batch(1200 * MS);
	command(1, dsm, 1300 * MS, 1302 * MS);
	record('D', "rm", 1300 * MS, 3 * US, 1302 * MS);
	end_view("later", 1303 * MS, "nvme_cmd_dsm rm 2\n");
}

/* What was passed through has no record; a write, or a discard at another time, is none. */
static void passed(void)
{
	const char *dsm = "nvme_cmd_dsm nr=1, attributes=4";

	begin_view(true);
	record('D', "rm", 900 * MS, 3 * US, 950 * MS);
	command(1, dsm, 1000 * MS, 1002 * MS);
	record('W', "dd", 1000 * MS, 3 * US, 1002 * MS);
	/* it ends before the command does */
	record('D', "rm", 1000 * MS, 3 * US, 1001 * MS);
	/* it begins after the command was sent */
	record('D', "rm", 1001 * MS, 3 * US, 1003 * MS);
	pass_batch(1100 * MS);
	if (!nr_pending)
		fail("a record could come until half a second later");
	pass_batch(1600 * MS);
	if (nr_pending)
		fail("a record could come more than half a second later");
	end_view("passed through", 2000 * MS, "nvme_cmd_dsm kworker/0:1H 1 PASS\n");
}

/* Of several discards under way, a command's is the one that was issued when it was sent. */
static void in_flight(void)
{
	static const char *const comms[] = { "a", "b", "c", "d" };
	const char *dsm = "nvme_cmd_dsm nr=1, attributes=4";
	unsigned int i;

	begin_view(true);
	/* each is sent 50 us after the one before, and done before it */
	for (i = 0; i < 4; i++)
		command(i, dsm, 1000 * MS + i * 50 * US, 1009 * MS - i * MS);
	for (i = 4; i--;) {
		record('D', comms[i], 1000 * MS + i * 50 * US, 4 * US, 1009 * MS - i * MS);
		/* another's record is there first */
		pass_batch(1010 * MS);
	}
	pass_batch(1200 * MS);
	end_view("in flight", 1200 * MS,
		 "nvme_cmd_dsm a 1\nnvme_cmd_dsm b 1\nnvme_cmd_dsm c 1\nnvme_cmd_dsm d 1\n");
}

/* Other commands, as ever: by sector, a flush by its time, admin commands by none */
static void others(void)
{
	begin_view(true);
	command(1, "nvme_cmd_write slba=4096, len=127, ctrl=0x0, dsmgmt=0, reftag=0", 1000 * MS,
		1009 * MS);
	command(2, "nvme_cmd_read slba=4097, len=127, ctrl=0x0, dsmgmt=0, reftag=0", 1000 * MS,
		1008 * MS);
	command(3, "nvme_cmd_flush cdw10=00", 1000 * MS, 1007 * MS);
	command(4, "nvme_admin_identify cns=1, ctrlid=0", 1000 * MS, 1006 * MS);
	record('F', "sync", 1000 * MS, 3 * US, 1007 * MS);
	record('W', "dd", 1000 * MS, 3 * US, 1009 * MS);
	pass_batch(2000 * MS);
	end_view("others", 2000 * MS, "nvme_cmd_write dd 1\nnvme_cmd_read kworker/0:1H 1 PASS\n"
		 "nvme_cmd_flush sync 1\nnvme_admin_identify kworker/0:1H 1 PASS\n");
}

int main(void)
{
	static const struct test tests[] = {
		TEST(discards), TEST(passed), TEST(in_flight), TEST(others),
	};

	return run_tests("tool_driver", tests, ARRAY_SIZE(tests));
}

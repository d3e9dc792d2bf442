// SPDX-License-Identifier: GPL-2.0
/*
 * Files in blktrace's format: what blkparse asks of their order, the events of an IO with several
 * originators, and names that try to leave the folder.  selftests/cases/command/export holds them
 * against blktrace itself.
 */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blkfile.h"
#include "export.h"
#include "run.h"
#include "test.h"

static const char *disk_name = "sda";
static char folder[64];
static struct run run;
static struct opts opts;

const char *name_disk(uint32_t dev)
{
	(void)dev;
	return disk_name;
}

const char *name_unit(uint64_t id)
{
	(void)id;
	return "a.service.of-a-long-name";
}

uint64_t run_wall_ns(const struct run *r, uint64_t ns)
{
	(void)r;
	return ns + 1700000000000000000ULL;
}

void msg(const char *fmt, ...)
{
	(void)fmt;
}

void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

/* The number of files whose names begin like this */
static unsigned int files_in_folder(const char *prefix)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	unsigned int nr = 0;

	while (dir && (e = readdir(dir)) != NULL)
		nr += !strncmp(e->d_name, prefix, strlen(prefix)) && e->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return nr;
}

static void empty_folder(void)
{
	DIR *dir = opendir(folder);
	struct dirent *e;
	char path[512];

	while (dir && (e = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "%s/%s", folder, e->d_name);
		unlink(path);
	}
	if (dir)
		closedir(dir);
	rmdir(folder);
}

static void begin(void)
{
	strcpy(folder, "/tmp/ioblame-export.XXXXXX");
	if (!mkdtemp(folder))
		abort();
	opts.output = folder;
	run.opts = &opts;
	run.source.head.start_ns = 1000;
	if (export_blktrace.begin(&run))
		fail("it does not begin");
}

static void end(void)
{
	if (export_blktrace.end(&run))
		fail("it does not end");
}

/* A write of 4 KiB */
static struct iob_iolog_bin_record write_at(uint64_t sector, uint64_t queue_ns, uint64_t complete_ns)
{
	struct iob_iolog_bin_record rec = {
		.len = sizeof(rec), .ver = IOB_IOLOG_BIN_VER, .op = 'W', .opf = 1 | 1 << 11,
		.nr_bios = 1, .disk = 8 << 20, .bytes = 4096, .sector = sector, .id = 77, .pid = 77,
		.tgid = 77, .queue_ns = queue_ns, .issue_ns = queue_ns + 10,
		.complete_ns = complete_ns, .comm = "dd",
	};

	return rec;
}

struct said {
	char what[512];			/* letters of the actions, in their order */
	unsigned int events, notes;
	struct blkfile_event last;
	uint32_t pid[512];
};

/* Read a file as blkparse does. */
static struct said read_file(const char *name, uint32_t cpu)
{
	static const char letters[] = { [TA_QUEUE] = 'Q', [TA_BACKMERGE] = 'M', [TA_GETRQ] = 'G',
					[TA_ISSUE] = 'D', [TA_COMPLETE] = 'C', [TA_INSERT] = 'I' };
	char path[512], data[64];
	bool known[512] = { false };
	struct said said = { 0 };
	struct blkfile_event e;
	uint32_t sequence = 0;
	uint64_t time = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "r");
	if (!f)
		fail("no file %s", name);
	while (f && fread(&e, sizeof(e), 1, f) == 1) {
		if (e.magic != BLKFILE_MAGIC || e.sequence != ++sequence || e.cpu != cpu)
			fail("event %u of %s: magic %x, sequence %u, CPU %u", sequence, name, e.magic,
			     e.sequence, e.cpu);
		if (e.pdu_len > sizeof(data) || (e.pdu_len && fread(data, e.pdu_len, 1, f) != 1))
			fail("%u bytes of data", e.pdu_len);
		if (e.action == (TN_PROCESS | TC(TC_NOTIFY)))
			known[e.pid % 512] = true;
		if (e.action & TC(TC_NOTIFY)) {
			said.notes++;
			continue;
		}
		if (e.time < time)
			fail("event %u of %s is older than the one before", sequence, name);
		if (!known[e.pid % 512])
			fail("no name before event %u of %s", sequence, name);
		time = e.time;
		if (said.events < 511) {
			said.what[said.events] = letters[e.action & 0xff];
			said.pid[said.events] = e.pid;
		}
		said.events++;
		said.last = e;
	}
	if (f)
		fclose(f);
	return said;
}

static void one_io(void)
{
	struct iob_iolog_bin_record rec = write_at(100, 2000, 3000);
	struct said said;

	rec.error = -5;
	begin();
	export_blktrace.record(&run, &rec);
	end();
	said = read_file("sda.blktrace.0", 0);
	if (strcmp(said.what, "QGIDC") || said.notes != 2)
		fail("events %s, %u notes", said.what, said.notes);
	if (said.last.error != (uint16_t)-5 || said.last.bytes != 4096 || said.last.sector != 100 ||
	    said.last.time != 3000 || said.last.device != 8 << 20)
		fail("the completion has another error, size, place, time or disk");
	empty_folder();
}

/* Two originators of one request: a merge.  The third run is elsewhere: a request of its own. */
static void runs(void)
{
	struct iob_iolog_bin_record rec = write_at(100, 2000, 3000);
	struct said said;
	unsigned int i;

	begin();
	export_blktrace.record(&run, &rec);
	rec = write_at(108, 2000, 3000);
	rec.part = 1;
	rec.id = 88;
	export_blktrace.record(&run, &rec);
	rec = write_at(300, 2000, 3000);
	rec.part = 2;
	export_blktrace.record(&run, &rec);
	/* a disk that takes no requests, and an IO that began before */
	rec = write_at(300, 5000, 6000);
	rec.issue_ns = 0;
	export_blktrace.record(&run, &rec);
	rec = write_at(300, 0, 7000);
	rec.issue_ns = 6500;
	export_blktrace.record(&run, &rec);
	end();
	said = read_file("sda.blktrace.0", 0);
	if (strcmp(said.what, "QGIQMQGIDDCCQCDC"))
		fail("events %s", said.what);
	for (i = 0; i < said.events; i++) {
		if (said.pid[i] != (i == 3 || i == 4 ? 88 : 77))
			fail("event %u is by %u", i, said.pid[i]);
	}
	empty_folder();
}

/* Files of all queues from 0 on; what is no task has a pid above all pids. */
static void queues(void)
{
	static const uint8_t kinds[] = { ROLE_USER, ROLE_CGROUP, ROLE_SPECIAL };
	struct iob_iolog_bin_record rec = write_at(100, 2000, 3000);
	struct said said;
	unsigned int i;

	begin();
	rec.hwq = 3;
	export_blktrace.record(&run, &rec);
	rec.hwq = 0xffff;
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		rec.sector += 8;
		rec.id = -7;
		rec.cgroup = 5;
		rec.role_kind = kinds[i];
		export_blktrace.record(&run, &rec);
	}
	end();
	if (files_in_folder("sda.blktrace.") != 4)
		fail("%u files, not 4", files_in_folder("sda.blktrace."));
	if (read_file("sda.blktrace.3", 3).events != 5 || read_file("sda.blktrace.1", 1).events)
		fail("events in other queues");
	said = read_file("sda.blktrace.0", 0);
	if (said.events != 15)
		fail("%u events, not 15", said.events);
	for (i = 0; i < said.events; i++) {
		if (said.pid[i] <= 4 << 20)
			fail("pid %u of what is no task", said.pid[i]);
	}
	empty_folder();
}

static void export_on_queue(uint16_t hwq)
{
	struct iob_iolog_bin_record rec = write_at(100, 2000, 3000);

	rec.hwq = hwq;
	export_blktrace.record(&run, &rec);
	end();
}

/*
 * A folder that has an older trace: of its files blkparse would take those behind the last new one
 * for a part of the new trace.  Those of a disk that has no IO now stay.
 */
static void again(void)
{
	begin();
	export_on_queue(7);
	disk_name = "sdb";
	if (export_blktrace.begin(&run))
		fail("it does not begin");
	export_on_queue(2);
	disk_name = "sda";
	if (export_blktrace.begin(&run))
		fail("it does not begin in a folder that has a trace");
	export_on_queue(1);
	if (files_in_folder("sda.blktrace.") != 2 || read_file("sda.blktrace.1", 1).events != 5)
		fail("%u files, not 2", files_in_folder("sda.blktrace."));
	if (files_in_folder("sdb.blktrace.") != 3)
		fail("the trace of another disk is gone");
	empty_folder();
}

/* More events than are kept at once, of IOs that end in any order */
static void many(void)
{
	size_t usual = export_blktrace_most;
	struct said said;
	unsigned int i;

	note("seed %llu", seed());
	export_blktrace_most = 1000;
	begin();
	for (i = 0; i < 3000; i++) {
		struct iob_iolog_bin_record rec = write_at(i * 8, 10000 + i * 100 - rnd(5000),
							   10000 + i * 100);
		if (rec.issue_ns > rec.complete_ns)
			rec.issue_ns = rec.complete_ns;
		export_blktrace.record(&run, &rec);
	}
	end();
	said = read_file("sda.blktrace.0", 0);
	if (said.events != 3000 * 5)
		fail("%u events", said.events);
	export_blktrace_most = usual;
	empty_folder();
}

/* Names of a forged recording */
static void names(void)
{
	static const char *const forged[] = { "../x", "/etc/passwd", ".", "..", "", "a/../../b" };
	char outside[600];
	struct stat st;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(forged); i++) {
		struct iob_iolog_bin_record rec = write_at(100, 2000, 3000);

		disk_name = forged[i];
		begin();
		export_blktrace.record(&run, &rec);
		/* another disk of that name */
		rec.disk++;
		export_blktrace.record(&run, &rec);
		end();
		snprintf(outside, sizeof(outside), "%s/../x.blktrace.0", folder);
		if (!stat(outside, &st))
			fail("'%s' leaves the folder", forged[i]);
		if (files_in_folder("") != 2)
			fail("%u files of two disks '%s'", files_in_folder(""), forged[i]);
		empty_folder();
	}
	disk_name = "sda";
}

int main(void)
{
	static const struct test tests[] = { TEST(one_io), TEST(runs), TEST(queues), TEST(again),
					     TEST(many), TEST(names) };

	return run_tests("tool_export", tests, ARRAY_SIZE(tests));
}

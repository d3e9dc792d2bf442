// SPDX-License-Identifier: GPL-2.0
/* Lines of the kernel's trace of several releases, and lines that only look like them. */
#include "drvevent.h"
#include "test.h"

static const struct {
	const char *line;
	enum drvevent_kind kind;
	const char *device, *command, *result, *comm;
	u64 ns, block;
	u32 pid;
	int pair;		/* lines of one command have one number */
} good[] = {
	/* 5.10 */
	{ "    kworker/1:1H-85      [001] ....    12.345678: scsi_dispatch_cmd_start: host_no=2 "
	  "channel=0 id=0 lun=0 data_sgl=1 prot_sgl=0 prot_op=SCSI_PROT_NORMAL cmnd=(READ_10 "
	  "lba=2104 txlen=8 protect=0 raw=28 00 00 00 08 38 00 00 08 00)",
	  DRV_SENT, "2:0:0:0", "READ_10", "", "kworker/1:1H", 12345678000, 2104, 85, 1 },
	{ "          <idle>-0       [000] ..s.    12.345999: scsi_dispatch_cmd_done: host_no=2 "
	  "channel=0 id=0 lun=0 data_sgl=1 prot_sgl=0 prot_op=SCSI_PROT_NORMAL cmnd=(READ_10 "
	  "lba=2104 txlen=8 protect=0 raw=28 00 00 00 08 38 00 00 08 00) result=(driver=DRIVER_OK"
	  " host=DID_OK message=COMMAND_COMPLETE status=SAM_STAT_GOOD)",
	  DRV_DONE, "2:0:0:0", "READ_10", "", "<idle>", 12345999000, 2104, 0, 1 },
	/* now: tags, and sense */
	{ "              dd-301     [001] .....     7.000001: scsi_dispatch_cmd_done: host_no=0 "
	  "channel=0 id=1 lun=3 data_sgl=1 prot_sgl=0 prot_op=SCSI_PROT_NORMAL driver_tag=17 "
	  "scheduler_tag=-1 cmnd=(WRITE_16 lba=5000000000 txlen=8 protect=0 raw=8a 00) "
	  "result=(driver=DRIVER_OK host=DID_OK message=COMMAND_COMPLETE "
	  "status=SAM_STAT_CHECK_CONDITION) sense=(key=0x3 asc=0x11 ascq=0)",
	  DRV_DONE, "0:0:1:3", "WRITE_16", "CHECK_CONDITION key=0x3 asc=0x11 ascq=0", "dd",
	  7000001000, 5000000000, 301, 2 },
	/* another tag is another command */
	{ "              dd-301     [001] .....     7.000001: scsi_dispatch_cmd_start: host_no=0 "
	  "channel=0 id=1 lun=3 data_sgl=1 prot_sgl=0 prot_op=SCSI_PROT_NORMAL driver_tag=18 "
	  "scheduler_tag=-1 cmnd=(WRITE_16 lba=5000000000 txlen=8 protect=0 raw=8a 00)",
	  DRV_SENT, "0:0:1:3", "WRITE_16", "", "dd", 7000001000, 5000000000, 301, 3 },
	{ "         sg_turs-77      [000] .....     7.100000: scsi_dispatch_cmd_start: host_no=0 "
	  "channel=0 id=1 lun=3 data_sgl=0 prot_sgl=0 prot_op=SCSI_PROT_NORMAL driver_tag=18 "
	  "scheduler_tag=-1 cmnd=(TEST_UNIT_READY - raw=00 00 00 00 00 00)",
	  DRV_SENT, "0:0:1:3", "TEST_UNIT_READY", "", "sg_turs", 7100000000, 0, 77, 4 },
	/* NVMe */
	{ "             fio-4711    [001] ..... 12345.000009: nvme_setup_cmd: nvme0: disk=nvme0n1, "
	  "qid=2, cmdid=12297, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_write slba=1024, len=7, "
	  "ctrl=0x0, dsmgmt=0, reftag=0)",
	  DRV_SENT, "nvme0n1", "nvme_cmd_write", "", "fio", 12345000009000, 1024, 4711, 5 },
	{ "          <idle>-0       [001] d.h.. 12345.000109: nvme_complete_rq: nvme0: disk=nvme0n1, "
	  "qid=2, cmdid=12297, res=0x0, retries=0, flags=0x0, status=0x0",
	  DRV_DONE, "nvme0n1", "", "", "<idle>", 12345000109000, 0, 0, 5 },
	/* 5.10: the second line has the tag only, without how often it was used */
	{ "             fio-4711    [001] .... 12345.000019: nvme_setup_cmd: nvme0: disk=nvme0n1, "
	  "qid=2, cmdid=4672, nsid=1, flags=0x0, meta=0x0, cmd=(nvme_cmd_read slba=0, len=7, "
	  "ctrl=0x0, dsmgmt=0, reftag=0)",
	  DRV_SENT, "nvme0n1", "nvme_cmd_read", "", "fio", 12345000019000, 0, 4711, 7 },
	{ "          <idle>-0       [001] d.h. 12345.000119: nvme_complete_rq: nvme0: disk=nvme0n1, "
	  "qid=2, cmdid=576, res=0x0, retries=0, flags=0x0, status=0x0",
	  DRV_DONE, "nvme0n1", "", "", "<idle>", 12345000119000, 0, 0, 7 },
	{ "     nvme-cli: x-99      [000] ..... 12345.000200: nvme_setup_cmd: nvme0: qid=0, cmdid=5, "
	  "nsid=0, flags=0x0, meta=0x0, cmd=(nvme_admin_identify cns=1, ctrlid=0)",
	  DRV_SENT, "nvme0", "nvme_admin_identify", "", "nvme-cli: x", 12345000200000, 0, 99, 6 },
	{ "          <idle>-0       [000] d.h.. 12345.000300: nvme_complete_rq: nvme0: qid=0, cmdid=5, "
	  "res=0x0, retries=0, flags=0x0, status=0x4002",
	  DRV_DONE, "nvme0", "", "status 0x4002", "<idle>", 12345000300000, 0, 0, 6 },
};

static void parses(void)
{
	struct drvevent e, other;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		if (!drvevent_parse(good[i].line, &e)) {
			fail("refuses: %s", good[i].line);
			continue;
		}
		if (e.kind != good[i].kind || strcmp(e.device, good[i].device) ||
		    strcmp(e.command, good[i].command) || strcmp(e.result, good[i].result) ||
		    strcmp(e.comm, good[i].comm) || e.ns != good[i].ns || e.pid != good[i].pid ||
		    (e.has_block ? e.block : 0) != good[i].block ||
		    (!e.nvme && e.has_block ? e.blocks != 8 : e.blocks))
			fail("%s: %u %s %s '%s' %s %llu %llu", good[i].line, e.kind, e.device,
			     e.command, e.result, e.comm, (u64)e.ns, (u64)e.block);
		for (k = 0; k < i; k++) {
			if (drvevent_parse(good[k].line, &other) &&
			    (e.match == other.match) != (good[i].pair == good[k].pair))
				fail("lines %zu and %zu", k, i);
		}
	}
}

/* What a task's name, or a torn line, can look like; each beginning of a good line, too. */
static void refuses(void)
{
	static const char *const bad[] = {
		"", " ", "CPU:1 [LOST 17 EVENTS]", "                -",
		"scsi_dispatch_cmd_start: host_no=2 channel=0 id=0 lun=0 cmnd=(READ_10 - raw=00)",
		"    kworker/1:1H-85      [001] ....    12.345678: block_rq_issue: 8,0 R 4096",
		"    kworker/1:1H-85      [001] ....    12.345678: scsi_dispatch_cmd_start: host_no=x",
		"    kworker/1:1H-85      [001] ....    12.345678: nvme_setup_cmd: nvme: qid=0",
		"    kworker/1:1H-85      scsi_dispatch_cmd_start: host_no=2 channel=0 id=0 lun=0",
	};
	char part[600];
	struct drvevent e;
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		if (drvevent_parse(bad[i], &e))
			fail("takes: %s", bad[i]);
	}
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		for (n = 0; n < strlen(good[i].line); n++) {
			snprintf(part, sizeof(part), "%.*s", (int)n, good[i].line);
			if (drvevent_parse(part, &e) && (!*e.device || strlen(e.command) > 39))
				fail("takes: %s", part);
		}
	}
}

int main(void)
{
	static const struct test tests[] = { TEST(parses), TEST(refuses) };

	return run_tests("tool_drvevent", tests, ARRAY_SIZE(tests));
}

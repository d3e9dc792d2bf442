/* SPDX-License-Identifier: GPL-2.0 */
/*
 * blkfile - files as blktrace writes them: FOLDER/DISK.blktrace.CPU
 *
 * blkparse wants the files of a disk numbered from 0 without a gap, and the events of each file
 * with growing sequence numbers.  A name of a process stands before its first event in each file.
 */
#ifndef IOBLAME_BLKFILE_H
#define IOBLAME_BLKFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "origin.h"

/*
 * The format, version 7.  <linux/blktrace_api.h> has it, too, but that of newer kernels has the
 * version after it and does not compile in userspace.
 */
#define BLKFILE_MAGIC	0x65617407U

struct blkfile_event {
	uint32_t magic, sequence;
	uint64_t time;		/* in nanoseconds */
	uint64_t sector;
	uint32_t bytes;
	uint32_t action;	/* enum blkfile_action, and from bit 16 on enum blkfile_category */
	uint32_t pid, device, cpu;
	uint16_t error, pdu_len;	/* bytes that follow */
};

enum blkfile_category {
	TC_READ = 1 << 0,
	TC_WRITE = 1 << 1,
	TC_FLUSH = 1 << 2,
	TC_SYNC = 1 << 3,
	TC_QUEUE = 1 << 4,
	TC_ISSUE = 1 << 6,
	TC_COMPLETE = 1 << 7,
	TC_FS = 1 << 8,		/* of a request */
	TC_NOTIFY = 1 << 10,
	TC_AHEAD = 1 << 11,
	TC_META = 1 << 12,
	TC_DISCARD = 1 << 13,
	TC_FUA = 1 << 15,
};

#define TC(categories)	((uint32_t)(categories) << 16)

enum blkfile_action {
	TA_QUEUE = 1,
	TA_BACKMERGE = 2,
	TA_GETRQ = 4,
	TA_ISSUE = 7,
	TA_COMPLETE = 8,
	TA_INSERT = 12,
	TN_PROCESS = 0,
	TN_TIMESTAMP = 1,
};

enum {
	BLKFILE_CPUS = 1024,	/* what comes from others, goes to the first file */
};

int blkfile_begin(const char *folder, uint64_t start_ns, uint64_t wall_ns);
void blkfile_event(struct blkfile_event *event, const struct origin *who);
const char *blkfile_disk(void);
unsigned int blkfile_disks(void);
int blkfile_end(void);

#endif

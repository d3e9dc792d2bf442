/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ioblame: the binary interface
 *
 * What the binary files under /sys/kernel/debug/ioblame/ hold.  Every record
 * begins with its own length and a version: a reader steps by the length, and
 * takes only versions that it knows.  Numbers are in the machine's byte order.
 * Layouts of version 1 never change; what is new gets a new file or version.
 */
#ifndef _LINUX_IOBLAME_H
#define _LINUX_IOBLAME_H

#include <linux/types.h>

#ifndef __packed
#define __packed __attribute__((packed))
#endif

/* Histograms have eight slots between nine boundaries. */
#define IOB_HIST_SLOTS		8

/* ids of the two intents that are always there */
#define IOB_INTENT_NOMEM	0	/* could not be created: memory or limit */
#define IOB_INTENT_LOST		1	/* tracking was reclaimed under the IO */

/*
 * Intent modifier: the upper four bits say what kind of value the lower 28
 * hold.  A modifier of 0 means that nothing modifies the stack trace.
 */
#define IOB_MODIFIER_TYPE_SHIFT	28
#define IOB_MODIFIER_TYPE_MASK	0xf0000000U
#define IOB_MODIFIER_VAL_MASK	(~IOB_MODIFIER_TYPE_MASK)

/* val is the running kernel's enum wb_reason; `intents` gives its name */
#define IOB_MODIFIER_WB		0x10000000U
/* written by a journal or log commit; val is 0 */
#define IOB_MODIFIER_JOURNAL	0x20000000U
/* written to get memory back: swap or page-out; val is 0 */
#define IOB_MODIFIER_RECLAIM	0x30000000U
/* discarded for whoever freed it before; val is 0 */
#define IOB_MODIFIER_DISCARD	0x40000000U

#define IOB_INTENTS_BIN_VER	1

/**
 * struct iob_intent_bin_record - one record of intents_bin
 * @len:	bytes of this record, trace included
 * @ver:	IOB_INTENTS_BIN_VER
 * @nr:		number of the intent
 * @modifier:	see IOB_MODIFIER_*
 * @__pad:	0
 * @trace:	(@len - 16) / 8 return addresses, innermost first
 */
struct iob_intent_bin_record {
	__u16	len;
	__u16	ver;
	__u32	nr;
	__u32	modifier;
	__u32	__pad;
	__u64	trace[];
} __packed;

#define IOBC_PIPE_BIN_VER	1

/**
 * struct iobc_pipe_bin_record - one record of counters_pipe_bin
 * @len:	bytes of this record, counters included
 * @ver:	IOBC_PIPE_BIN_VER
 * @id:		> 0 a pid, < 0 a negated user role, 0 neither
 * @intent_nr:	the act's intent
 * @dev:	dev_t of the file's superblock, major << 20 | minor
 * @ino:	inode number, 0 without a file
 * @gen:	inode generation
 * @__pad:	0
 * @cnts:	(@len - 32) / 32 histograms of eight slots, never reset
 */
struct iobc_pipe_bin_record {
	__u16	len;
	__u16	ver;
	__s32	id;
	__u32	intent_nr;
	__u32	dev;
	__u64	ino;
	__u32	gen;
	__u32	__pad;
	__u32	cnts[];
} __packed;

#define IOB_IOLOG_BIN_VER	1

/* how sure the blame is: iob_iolog_bin_record.how and the sums of `status` */
enum iob_how {
	IOB_HOW_EXACT,		/* the dirtier, or the task that asked itself */
	IOB_HOW_INHERITED,	/* from the inode, the upper bio, the journal */
	IOB_HOW_SUBMITTER,	/* no more than a kernel thread or the submitter */
	IOB_HOW_LOST,		/* nobody: see stats/ for what was lost */
	IOB_NR_HOWS,
};

#define IOB_COMM_LEN		16

/**
 * struct iob_iolog_bin_record - one record of iolog_bin*
 * @len:	bytes of this record
 * @ver:	IOB_IOLOG_BIN_VER
 * @op:		'R' read, 'A' readahead, 'W' write, 'D' discard or write
 *		zeroes, 'F' flush
 * @how:	enum iob_how
 * @part:	0 for the first run of sectors of an IO, then 1, 2, ...
 * @nr_bios:	bios that the IO is made of
 * @disk:	dev_t of the disk, major << 20 | minor
 * @opf:	the running kernel's bi_opf, operation and flags
 * @sector:	first sector on the disk, in 512 bytes
 * @bytes:	bytes of this run
 * @error:	0 or a negative errno
 * @dirty_ns:	when its first page was dirtied, 0 if not known
 * @queue_ns:	when it was queued (this and the next two CLOCK_MONOTONIC)
 * @issue_ns:	when it was last issued to the device, 0 if it never was or
 *		the device has no requests
 * @complete_ns: when it completed
 * @id:		> 0 a pid, < 0 a negated user role, 0 neither
 * @pid:	the originator's thread, 0 if the role is not a thread
 * @tgid:	the originator's process, 0 if the role is no task
 * @intent_nr:	see intents_bin
 * @modifier:	the intent's
 * @dev:	dev_t of the file's superblock, or of the block device
 * @ino:	inode number, 0 without a file
 * @gen:	inode generation
 * @sub_pid:	who submitted it
 * @cgroup:	id of the originator's cgroup
 * @comm:	the originator's name, NUL padded
 * @sub_comm:	the submitter's name, NUL padded
 * @hwq:	hardware queue, 0xffff if not known
 * @segments:	physical segments, 0 if not known
 * @role_kind:	what @id and @cgroup name: 0 a thread, 1 a process, 2 a cgroup,
 *		3 a user role, 4 neither (lost or out of memory)
 * @__pad:	0
 */
struct iob_iolog_bin_record {
	__u16	len;
	__u16	ver;
	__u8	op;
	__u8	how;
	__u16	part;
	__u32	nr_bios;
	__u32	disk;
	__u32	opf;
	__u32	bytes;
	__u64	sector;
	__s32	error;
	__s32	id;
	__u64	dirty_ns;
	__u64	queue_ns;
	__u64	issue_ns;
	__u64	complete_ns;
	__u32	pid;
	__u32	tgid;
	__u32	intent_nr;
	__u32	modifier;
	__u32	dev;
	__u32	gen;
	__u64	ino;
	__u64	cgroup;
	__u32	sub_pid;
	__u16	hwq;
	__u16	segments;
	char	comm[IOB_COMM_LEN];
	char	sub_comm[IOB_COMM_LEN];
	__u8	role_kind;
	__u8	__pad[7];
} __packed;

#endif /* _LINUX_IOBLAME_H */

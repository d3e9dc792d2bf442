/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ioblame: the binary interface
 *
 * The layout of the binary files under /sys/kernel/debug/ioblame/.  Every record
 * begins with its length and a version: a reader steps by the length and skips
 * versions that it does not know.  Numbers are in the machine's byte order.
 * Version 1 never changes; additions get a new file or a new version.
 */
#ifndef _LINUX_IOBLAME_H
#define _LINUX_IOBLAME_H

#include <linux/types.h>

#ifndef __packed
#define __packed __attribute__((packed))
#endif

/* Histograms have eight slots between nine boundaries. */
#define IOB_HIST_SLOTS		8

/* numbers of the two intents that always exist */
#define IOB_INTENT_NOMEM	0	/* not created: out of memory, or at the limit */
#define IOB_INTENT_LOST		1	/* reclaimed while the IO was in flight */

/*
 * Intent modifier: the upper four bits are a type, the lower 28 a value of that
 * type.  0 means that the intent is its stack trace alone.  Example: 0x10000002
 * is type IOB_MODIFIER_WB with value 2, WB_REASON_SYNC.
 */
#define IOB_MODIFIER_TYPE_SHIFT	28
#define IOB_MODIFIER_TYPE_MASK	0xf0000000U
#define IOB_MODIFIER_VAL_MASK	(~IOB_MODIFIER_TYPE_MASK)

/* writeback; val is the running kernel's enum wb_reason, which `intents` names */
#define IOB_MODIFIER_WB		0x10000000U
/* written by a journal or log commit; val is 0 */
#define IOB_MODIFIER_JOURNAL	0x20000000U
/* written to reclaim memory: swap or page-out; val is 0 */
#define IOB_MODIFIER_RECLAIM	0x30000000U
/* discard of extents that a task freed before; val is 0 */
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

#define IOBC_PIPE_BIN_VER	2

/**
 * struct iobc_pipe_bin_record - one record of counters_pipe_bin
 * @len:	bytes of this record, counters included
 * @ver:	IOBC_PIPE_BIN_VER
 * @id:		> 0 a pid, < 0 a negated user role, 0 neither
 * @intent_nr:	the act's intent
 * @dev:	dev_t of the file's superblock, major << 20 | minor
 * @ino:	inode number, 0 without a file
 * @gen:	inode generation
 * @role_kind:	what @id and @cgroup name: the place in IOB_ROLE_KINDS, from 0
 * @__pad:	0
 * @cgroup:	id of the role's cgroup, 0 if it has none
 * @start_ns:	when the role's task began, in nanoseconds from boot: a pid that is
 *		used again has another; 0 if the role is no task
 * @cnts:	(@len - 48) / 32 histograms of eight slots, never reset
 *
 * Version 1 had no @role_kind, @cgroup and @start_ns: @__pad took four bytes, and
 * @cnts began at 32.
 */
struct iobc_pipe_bin_record {
	__u16	len;
	__u16	ver;
	__s32	id;
	__u32	intent_nr;
	__u32	dev;
	__u64	ino;
	__u32	gen;
	__u8	role_kind;
	__u8	__pad[3];
	__u64	cgroup;
	__u64	start_ns;
	__u32	cnts[];
} __packed;

#define IOB_IOLOG_BIN_VER	1

/*
 * Names that the module and its readers share, each list in one place.  A list
 * calls X(CONSTANT, ...) once for each entry, in the order of the numbers.  The
 * user defines X, and makes an enum, a switch or an array of words of the list:
 *
 *	#define WORD(constant, word)	[IOB_HOW_##constant] = word,
 *	static const char *const words[] = { IOB_HOWS(WORD) };
 */

/* How sure the blame is, and its word in text files: X(CONSTANT, word) */
#define IOB_HOWS(X)							\
	/* the dirtier, or the task that asked for the IO itself */	\
	X(EXACT, "exact")						\
	/* from the inode, the parent of a clone or the journal */	\
	X(INHERITED, "inherited")					\
	/* only the submitter or a kernel thread is known */		\
	X(SUBMITTER, "submitter")					\
	/* no one is known: stats/ counts the reasons */		\
	X(LOST, "lost")

#define __IOB_HOW_ENUM(constant, word)	IOB_HOW_##constant,

/* iob_iolog_bin_record.how, and the sums in `status` */
enum iob_how {
	IOB_HOWS(__IOB_HOW_ENUM)
	IOB_NR_HOWS,
};

#undef __IOB_HOW_ENUM

/* Operations, by iob_iolog_bin_record.op: X(CONSTANT, letter, word) */
#define IOB_OPS(X)							\
	X(READ, 'R', "read")						\
	X(AHEAD, 'A', "readahead")					\
	X(WRITE, 'W', "write")						\
	/* write zeroes and secure erase, too */			\
	X(DISCARD, 'D', "discard")					\
	X(FLUSH, 'F', "flush")

/* Roles, by iob_iolog_bin_record.role_kind: X(CONSTANT, word) */
#define IOB_ROLE_KINDS(X)						\
	X(THREAD, "thread")						\
	X(PROCESS, "process")						\
	X(CGROUP, "cgroup")						\
	/* a number that the task wrote to role_id */			\
	X(USER, "user")							\
	/* no role: lost, or out of memory */				\
	X(SPECIAL, "nobody")

#define IOB_COMM_LEN		16

/**
 * struct iob_iolog_bin_record - one record of iolog_bin*
 * @len:	bytes of this record
 * @ver:	IOB_IOLOG_BIN_VER
 * @op:		a letter of IOB_OPS
 * @how:	enum iob_how
 * @part:	0 for the first run of sectors of an IO, then 1, 2, ...
 * @nr_bios:	number of bios in the IO
 * @disk:	dev_t of the disk, major << 20 | minor
 * @opf:	bi_opf of the running kernel: operation and flags
 * @sector:	first sector on the disk, in units of 512 bytes
 * @bytes:	bytes of this run
 * @error:	0 or a negative errno
 * @dirty_ns:	when its first page was dirtied, 0 if not known (all four times
 *		are CLOCK_MONOTONIC in nanoseconds)
 * @queue_ns:	when it was queued, 0 if not known
 * @issue_ns:	when it was last issued to the device; 0 if it was not, as a flush, if
 *		the device has no requests (then @hwq is 0xffff), or if not known
 * @complete_ns: when it completed
 * @id:		> 0 a pid, < 0 a negated user role, 0 neither
 * @pid:	the originator's thread, 0 if the role is not a thread
 * @tgid:	the originator's process, 0 if the role is not a task
 * @intent_nr:	see intents_bin
 * @modifier:	the intent's
 * @dev:	dev_t of the file's superblock, or of the block device
 * @ino:	inode number, 0 without a file
 * @gen:	inode generation
 * @sub_pid:	the thread that submitted it
 * @cgroup:	id of the originator's cgroup
 * @comm:	the originator's name, NUL padded
 * @sub_comm:	the submitter's name, NUL padded
 * @hwq:	hardware queue, 0xffff if not known
 * @segments:	physical segments, 0 if not known
 * @role_kind:	what @id and @cgroup name: the place in IOB_ROLE_KINDS, from 0
 * @__pad:	0
 * @uid1:	1 + iob_sum_bin_record.uid of the originator; 0 if it is no task, and from modules
 *		for which this was padding
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
	__u8	__pad[3];
	__u32	uid1;
} __packed;

#define IOB_SUMS_BIN_VER	1

/*
 * Latencies are counted in slots of powers of two.  Slot 0: below 1 us; slot N: below
 * 2^N us, and not in the slot before; the last one: all longer ones.
 */
#define IOB_SUM_SLOTS		28

/* iob_sum_bin_record.flags */
#define IOB_SUM_GONE	1	/* the last record of this id: its act was reclaimed */
#define IOB_SUM_REST	2	/* what has no act of its own, of one disk */
#define IOB_SUM_PAST	4	/* all sums together that went before the file was opened */

#define IOB_UID_NONE	4294967295U	/* iob_sum_bin_record.uid: the role is no task */

/**
 * struct iob_sum_bin_record - one record of sums_bin
 * @len:	bytes of this record
 * @ver:	IOB_SUMS_BIN_VER
 * @op:		a letter of IOB_OPS
 * @how:	enum iob_how
 * @role_kind:	what @role_id and @cgroup name: the place in IOB_ROLE_KINDS, from 0
 * @flags:	IOB_SUM_*
 * @id:		of the sum: no other one has it as long as the module is loaded
 * @role_id:	> 0 a pid, < 0 a negated user role, 0 neither
 * @pid:	the originator's thread, 0 if the role is not a thread
 * @tgid:	the originator's process, 0 if the role is not a task
 * @intent_nr:	see intents_bin
 * @modifier:	the intent's
 * @disk:	dev_t of the disk, major << 20 | minor
 * @dev:	dev_t of the file's superblock, or of the block device
 * @gen:	inode generation
 * @ino:	inode number, 0 without a file
 * @cgroup:	id of the originator's cgroup
 * @start_ns:	when the role's task began, in nanoseconds from boot; 0 if it is no task
 * @comm:	the originator's name, NUL padded
 * @ios:	IOs; one that several originators share is the first one's
 * @bytes:	bytes of IOs, and of parts of IOs
 * @total_ns:	the time of @ios from queueing to completion, in nanoseconds
 * @errors:	IOs, and parts of IOs, that failed
 * @lat:	@ios by that time; each modulo 2^32
 * @uid:	the user of the originator's task when it first did IO or changed a page, as the
 *		initial user namespace numbers users; IOB_UID_NONE
 * @__pad:	0
 *
 * One record tells of one originator (a role with an intent on a file), disk, operation and
 * certainty.  The five numbers are counted since the sum was made, and never go back.
 */
struct iob_sum_bin_record {
	__u16	len;
	__u16	ver;
	__u8	op;
	__u8	how;
	__u8	role_kind;
	__u8	flags;
	__u64	id;
	__s32	role_id;
	__u32	pid;
	__u32	tgid;
	__u32	intent_nr;
	__u32	modifier;
	__u32	disk;
	__u32	dev;
	__u32	gen;
	__u64	ino;
	__u64	cgroup;
	__u64	start_ns;
	char	comm[IOB_COMM_LEN];
	__u64	ios;
	__u64	bytes;
	__u64	total_ns;
	__u64	errors;
	__u32	lat[IOB_SUM_SLOTS];
	__u32	uid;
	__u32	__pad;
} __packed;

#endif /* _LINUX_IOBLAME_H */

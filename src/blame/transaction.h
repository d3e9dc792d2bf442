/* SPDX-License-Identifier: GPL-2.0 */
/*
 * transaction - which acts took part in a transaction of a journal or log
 *
 * Descriptors, commit records and the log's superblock serve a transaction as a whole.
 * Its participants pay for them, each for as many sectors as its part of the buffers that
 * were logged.
 *
 * Example: in transaction 81 of a journal, tar logged 30 buffers and dd 10.  A descriptor
 * block of 4096 bytes is 8 sectors: tar pays for 6 of them, dd for 2.  Of a hundred participants
 * with the same number of buffers eight pay for such a block, and eight others for the next.
 */
#ifndef IOB_BLAME_TRANSACTION_H
#define IOB_BLAME_TRANSACTION_H

#include <linux/types.h>

#include "association.h"
#include "core/task.h"

struct gendisk;
struct iob_file;
struct iob_origin;

/* The transactions that a task writes to a log, or whose discards it submits. */
struct iob_transaction_write {
	const void *key;	/* the log; NULL: none */
	u32 first, last;	/* the transactions */
	u32 modifier;		/* of what the participants pay; 0: a journal's */
	bool always;		/* all that the task writes is log, whatever its stack is */
	u8 shift;		/* log2 of a block's sectors */
	const void *log_id;	/* of iob_transaction_log_id(), NULL without memory */
	const struct gendisk *gd; /* the disk with the blocks of iob_assoc_log_block */
	u64 start;		/* the sector of block 0 there */
};

/*
 * A block of a log that holds the copy of one buffer: the log by iob_transaction_log_id(), the
 * block by iob_transaction_block().
 */
extern struct iob_assoc_kind iob_assoc_log_block;
extern struct iob_task_part iob_transaction_part;

/* What the task writes.  Any context that may look at @t. */
static inline struct iob_transaction_write *
iob_transaction_writes(const struct iob_task *t)
{
	return iob_task_part_of(t, &iob_transaction_part);
}

/* The number of block @nr in iob_assoc_log_block: blocks are reused by transactions. */
static inline u64 iob_transaction_block(u32 tid, u64 nr)
{
	return nr ^ ((u64)tid << 32);
}

/* The key for the participants that freed what the transactions of @key free. */
static inline const void *iob_transaction_freed_key(const void *key)
{
	return (const char *)key + 1;
}

int iob_transactions_init(void);
void iob_transactions_exit(void);
int iob_transactions_start(void);
void iob_transactions_stop(void);
bool iob_transactions_mark(unsigned long *causes, const bool *stop);
void iob_transaction_begin_write(struct iob_task *t, const void *key, u32 first, u32 last);
void iob_transaction_share(const void *key, u32 tid, u64 act, u32 weight);
void iob_transaction_share_more(const void *key, u32 tid, u64 act, u32 weight);
const void *iob_transaction_log_id(const void *key, u32 tid);
void iob_transaction_log_end(const void *key);
bool iob_transaction_key_is_known(const void *key);
u32 iob_transaction_now(const void *key);
u64 iob_transaction_unique(const void *key, u32 tid);
u32 iob_transaction_next(const void *key);
u64 iob_transaction_most(const void *key, u32 tid);
bool iob_transaction_split(struct iob_origin *o,
			   const struct iob_transaction_write *what,
			   const struct iob_file *file, u32 bytes);

/* An act logged a buffer: see iob_transaction_share(). */
static inline void iob_transaction_join(const void *key, u32 tid, u64 act)
{
	iob_transaction_share(key, tid, act, 1);
}

#endif

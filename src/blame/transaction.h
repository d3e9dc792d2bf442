/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log - who takes part in a transaction of a file system's journal or log
 */
#ifndef IOB_BLAME_TRANSACTION_H
#define IOB_BLAME_TRANSACTION_H

#include <linux/types.h>

struct iob_file;
struct iob_origin;

struct gendisk;

/* What a task that writes a log is about. */
struct iob_transaction_write {
	const void *key;	/* which log, NULL: none */
	u32 first, last;	/* the transactions that it writes */
	u32 modifier;		/* of what its participants pay, 0: a journal's */
	bool always;		/* all it writes is log, whatever its stack says */
	u8 shift;		/* log2 of a block's sectors */
	const struct gendisk *gd; /* where IOB_ASSOC_LOG_BLOCKs are: */
	u64 start;		/* the first one's sector */
};

/* How IOB_ASSOC_LOG_BLOCKs are numbered: a transaction's, by their number. */
static inline u64 iob_transaction_block(u32 tid, u64 nr)
{
	return nr ^ ((u64)tid << 32);
}

/* Those who freed what a log's transactions free are noted beside it. */
static inline const void *iob_transaction_freed_key(const void *key)
{
	return (const char *)key + 1;
}

int iob_transactions_init(void);
void iob_transactions_exit(void);
void iob_transaction_share(const void *key, u32 tid, u64 act, u32 weight);
u32 iob_transaction_now(const void *key);
u32 iob_transaction_next(const void *key);
u64 iob_transaction_most(const void *key, u32 tid);
bool iob_transaction_split(struct iob_origin *o, const struct iob_transaction_write *what,
		   const struct iob_file *file, u32 bytes);

/* A buffer is logged: see iob_transaction_share(). */
static inline void iob_transaction_join(const void *key, u32 tid, u64 act)
{
	iob_transaction_share(key, tid, act, 1);
}

#endif

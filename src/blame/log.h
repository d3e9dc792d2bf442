/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log - who takes part in a transaction of a file system's journal or log
 */
#ifndef IOB_BLAME_LOG_H
#define IOB_BLAME_LOG_H

#include <linux/types.h>

struct iob_file;
struct iob_origin;

struct gendisk;

/* What a task that writes a log is about. */
struct iob_log {
	const void *key;	/* which log, NULL: none */
	u32 first, last;	/* the transactions that it writes */
	u32 modifier;		/* of what its participants pay, 0: a journal's */
	bool always;		/* all it writes is log, whatever its stack says */
	u8 shift;		/* log2 of a block's sectors */
	const struct gendisk *gd; /* where IOB_OWNER_LOG_BLOCKs are: */
	u64 start;		/* the first one's sector */
};

/* How IOB_OWNER_LOG_BLOCKs are numbered: a transaction's, by their number. */
static inline u64 iob_log_block(u32 tid, u64 nr)
{
	return nr ^ ((u64)tid << 32);
}

/* Those who freed what a log's transactions free are noted beside it. */
static inline const void *iob_log_of_freed(const void *key)
{
	return (const char *)key + 1;
}

int iob_logs_init(void);
void iob_logs_exit(void);
void iob_log_share(const void *key, u32 tid, u64 act, u32 weight);
u32 iob_log_now(const void *key);
u32 iob_log_turn(const void *key);
u64 iob_log_most(const void *key, u32 tid);
bool iob_log_split(struct iob_origin *o, const struct iob_log *what,
		   const struct iob_file *file, u32 bytes);

/* A buffer is logged: see iob_log_share(). */
static inline void iob_log_join(const void *key, u32 tid, u64 act)
{
	iob_log_share(key, tid, act, 1);
}

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drvorigin - whose IO a command of a driver is: the records of the log by disk, sector and time
 *
 * Records are kept until there are DRVORIGIN_MOST; then all are forgotten.  A command that was sent
 * before the newest forgotten record ended may be anybody's.
 */
#ifndef IOBLAME_DRVORIGIN_H
#define IOBLAME_DRVORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/ioblame.h>

enum {
	DRVORIGIN_MOST = 65536,
};

/* The sectors under which the flushes and the discards of a disk are noted */
#define DRVORIGIN_FLUSH		UINT64_MAX
#define DRVORIGIN_DISCARD	(UINT64_MAX - 1)

struct drvorigin {
	char who[32], comm[IOB_COMM_LEN + 1];
	uint64_t begin_ns, issue_ns, end_ns;
	uint32_t before;	/* the number of the one before at this sector; 0: none */
};

void drvorigin_note(const struct iob_iolog_bin_record *rec, uint64_t sector);
const struct drvorigin *drvorigin_find(uint32_t disk, uint64_t sector, uint64_t ns);
const struct drvorigin *drvorigin_find_discard(uint32_t disk, uint64_t sent_ns, uint64_t done_ns);
bool drvorigin_forgotten(uint64_t ns);
void drvorigin_clear(void);

#endif

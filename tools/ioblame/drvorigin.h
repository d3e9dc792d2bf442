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

/* The sector under which the flushes of a disk are noted */
#define DRVORIGIN_FLUSH		UINT64_MAX

struct drvorigin {
	char who[32], comm[IOB_COMM_LEN + 1];
	uint64_t begin_ns, end_ns;
	uint32_t before;	/* the number of the one before at this sector; 0: none */
};

void drvorigin_note(const struct iob_iolog_bin_record *rec, uint64_t sector);
const struct drvorigin *drvorigin_find(uint32_t disk, uint64_t sector, uint64_t ns);
bool drvorigin_forgotten(uint64_t ns);
void drvorigin_clear(void);

#endif

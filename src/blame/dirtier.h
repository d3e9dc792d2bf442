/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dirtier - page frame number -> the act that dirtied the page
 */
#ifndef IOB_BLAME_DIRTIER_H
#define IOB_BLAME_DIRTIER_H

#include <linux/types.h>

int iob_dirtier_init(u32 max_acts);
void iob_dirtier_exit(void);
void iob_dirtier_want_age(bool want);
void iob_dirtier_set(unsigned long pfn, unsigned long count, u32 act_nr);
void iob_dirtier_clear(unsigned long pfn, unsigned long count);
void iob_dirtier_move(unsigned long to, unsigned long from, unsigned long count);
u32 iob_dirtier_get(unsigned long pfn);
u64 iob_dirtier_time(unsigned long pfn);
void iob_dirtier_owners(unsigned long *acts);
void iob_dirtier_drop(const unsigned long *acts);
unsigned long iob_dirtier_bytes(void);

#endif

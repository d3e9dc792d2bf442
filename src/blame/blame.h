/* SPDX-License-Identifier: GPL-2.0 */
/*
 * blame - what the units of this folder want at module load
 */
#ifndef IOB_BLAME_BLAME_H
#define IOB_BLAME_BLAME_H

int iob_blame_init(void);
void iob_blame_exit(void);

#endif

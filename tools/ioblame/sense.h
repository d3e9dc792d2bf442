/* SPDX-License-Identifier: GPL-2.0 */
/*
 * sense - what SCSI devices said of the commands that failed
 *
 * The block layer makes one errno of status and sense, and the log has no more.  The kernel's
 * events of SCSI have both: a failed command belongs to the record whose sectors and time it
 * shares.  Each text has a number, so that it can be part of a key.
 */
#ifndef IOBLAME_SENSE_H
#define IOBLAME_SENSE_H

#include <stdint.h>

#include <linux/ioblame.h>

void sense_begin(void);
void sense_read(void);
unsigned int sense_of(const struct iob_iolog_bin_record *rec);
const char *sense_text(unsigned int nr);
void sense_end(void);

#endif

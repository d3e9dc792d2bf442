/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_text - the records that the file `iolog` prints
 *
 * A ring for each CPU.  The log begins when a program opens iolog, before or after
 * enabling, and ends when the last one closes it: what is unread then is forgotten, and the
 * memory is freed.  With the setting log_at_enable it begins with the session and lasts
 * until the next one.  Until iolog is opened, the log may be full then: this is counted.
 */
#ifndef IOB_IO_LOG_TEXT_H
#define IOB_IO_LOG_TEXT_H

#include <linux/fs.h>
#include <linux/ioblame.h>
#include <linux/poll.h>

struct poll_table_struct;

/* the writers */
void iob_log_text_add(const struct iob_iolog_bin_record *rec);

/* the session, and CPUs that come */
int iob_log_text_start(bool keep);
void iob_log_text_stop(void);
void iob_log_text_cpu(unsigned int cpu);

/* the file */
int iob_iolog_open(void);
void iob_iolog_close(void);
bool iob_iolog_next(struct iob_iolog_bin_record *rec);
int iob_iolog_wait(void);
__poll_t iob_iolog_poll(struct file *file, struct poll_table_struct *pt);
unsigned long iob_log_text_bytes(void);

#endif

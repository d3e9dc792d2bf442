/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log - iolog: each IO as it completes, for its readers
 *
 * Two streams of the same record: log_text has what the text file `iolog` prints, log_bin
 * what the per-CPU files iolog_bin* hand out.  Neither costs anything, nor has any memory,
 * until a program opens its file; but see log_text for a log of the beginning.  The files
 * themselves are debugfs/'s.
 */
#ifndef IOB_IO_LOG_H
#define IOB_IO_LOG_H

#include <linux/fs.h>

#include "log_readers.h"
#include "run.h"

struct iob_log_bin_files;

void iob_iolog_add(struct iob_io *io);

int iob_iolog_start(bool keep);
void iob_iolog_stop(void);
int iob_iolog_init(const struct iob_log_bin_files *files);
void iob_iolog_exit(void);
unsigned long iob_iolog_bytes(void);

#endif

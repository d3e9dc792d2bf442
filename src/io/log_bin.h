/* SPDX-License-Identifier: GPL-2.0 */
/*
 * log_bin - the records of each CPU as they are: the files iolog_bin0, iolog_bin1 ...
 *
 * Each session makes new files, one for each CPU that is online or comes online.  A CPU's
 * records are kept while its file is open: the first opener makes the ring, the last one
 * frees it with what is unread.  Readers of one file take records from each other.
 */
#ifndef IOB_IO_LOG_BIN_H
#define IOB_IO_LOG_BIN_H

#include <linux/fs.h>
#include <linux/ioblame.h>
#include <linux/poll.h>

struct iob_log_bin;
struct iob_log_bin_reader;
struct poll_table_struct;

/* the writers */
void iob_log_bin_add(const struct iob_iolog_bin_record *rec);

/* Who makes the files.  May sleep. */
struct iob_log_bin_files {
	/* @log goes to the functions below.  Return: the file, or an error. */
	void *(*create)(const char *name, void *log);
	/* Waits for the file's handlers.  None but release runs later. */
	void (*remove)(void *file);
};

/* the session, and CPUs that come */
void iob_log_bin_init(const struct iob_log_bin_files *files);
int iob_log_bin_start(void);
void iob_log_bin_stop(void);
void iob_log_bin_cpu(unsigned int cpu);

/* a file; a running handler keeps the log, and an open file does */
struct iob_log_bin_reader *iob_log_bin_open(struct iob_log_bin *log);
void iob_log_bin_close(struct iob_log_bin_reader *reader);
ssize_t iob_log_bin_read(struct iob_log_bin_reader *reader, char __user *to, size_t size);
int iob_log_bin_wait(struct iob_log_bin_reader *reader);
__poll_t iob_log_bin_poll(struct iob_log_bin_reader *reader, struct file *file,
			  struct poll_table_struct *pt);
unsigned long iob_log_bin_bytes(void);

#endif

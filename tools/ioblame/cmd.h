/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd - the commands; each returns the exit status
 */
#ifndef IOBLAME_CMD_H
#define IOBLAME_CMD_H

#include "agg.h"
#include "opts.h"
#include "run.h"

int cmd_top(const struct opts *o);
int cmd_snoop(const struct opts *o);
int cmd_report(const struct opts *o);
int cmd_hist(const struct opts *o);
int cmd_stacks(const struct opts *o);
int cmd_record(const struct opts *o);
int cmd_config(const struct opts *o);
int cmd_status(const struct opts *o);
int cmd_doctor(const struct opts *o);

/* live.c, where there is ncurses */
int live_top(const struct opts *o);

/* bars of a histogram, for hist and the live view */
void hist_lines(const struct hist *h, enum field field, unsigned int width,
		void (*line)(const char *text, void *arg), void *arg);

#endif

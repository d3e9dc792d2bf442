/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cmd - the commands; each returns the exit status
 */
#ifndef IOBLAME_CMD_H
#define IOBLAME_CMD_H

#include "agg.h"
#include "opts.h"
#include "run.h"

bool top_is_live(const struct opts *o);
int cmd_top(const struct opts *o);
int cmd_snoop(const struct opts *o);
int cmd_report(const struct opts *o);
int cmd_hist(const struct opts *o);
int cmd_stacks(const struct opts *o);
int cmd_sched(const struct opts *o);
int cmd_trace(const struct opts *o);
int cmd_dirty(const struct opts *o);
int cmd_scsi(const struct opts *o);
int cmd_nvme(const struct opts *o);
int cmd_stat(const struct opts *o);
int cmd_sums(const struct opts *o);
int cmd_errors(const struct opts *o);
int cmd_flush(const struct opts *o);
int cmd_files(const struct opts *o);
int cmd_pattern(const struct opts *o);
int cmd_advise(const struct opts *o);
int cmd_wear(const struct opts *o);
int cmd_when(const struct opts *o);
int cmd_export(const struct opts *o);
int cmd_record(const struct opts *o);
int cmd_config(const struct opts *o);
int cmd_status(const struct opts *o);
int cmd_doctor(const struct opts *o);

#endif

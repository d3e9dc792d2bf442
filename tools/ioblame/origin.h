/* SPDX-License-Identifier: GPL-2.0 */
/*
 * origin - an originator as tools of others show one: a pid and a name of 15 bytes
 *
 * A thread or process has its own pid.  A user role, a cgroup or nobody is no task: it gets a
 * number above all pids, PID_MAX_LIMIT.  Example: the first user role is 4194305, "user-7".
 */
#ifndef IOBLAME_ORIGIN_H
#define IOBLAME_ORIGIN_H

#include <stdint.h>

#include "rec.h"

struct origin_key {
	uint64_t cgroup;
	int32_t id;
	uint32_t kind;
	char comm[IOB_COMM_LEN];
};

struct origin {
	struct origin_key key;
	uint32_t pid;
	char name[IOB_COMM_LEN];	/* escaped */
};

const struct origin *origin_of(const struct iob_iolog_bin_record *rec);

#endif

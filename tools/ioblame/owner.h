/* SPDX-License-Identifier: GPL-2.0 */
/*
 * owner - the user who runs a process
 */
#ifndef IOBLAME_OWNER_H
#define IOBLAME_OWNER_H

#include <stdint.h>

#include <linux/ioblame.h>

#include "user.h"

/* No user is known */
#define OWNER_NONE	USER_NONE
/* No user, but the kernel itself */
#define OWNER_KERNEL	(USER_NONE - 1)

uint32_t owner_uid(uint32_t tgid, uint64_t start_ns);
uint32_t owner_uid_since(uint32_t tgid, uint64_t start_ns, uint32_t first, uint64_t since_ns);
uint32_t owner_of_record(const struct iob_iolog_bin_record *rec);
uint32_t owner_of_submitter(const struct iob_iolog_bin_record *rec);
const char *owner_name(uint32_t uid);

#endif

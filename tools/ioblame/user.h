/* SPDX-License-Identifier: GPL-2.0 */
/*
 * user - who runs a process now, and what that user is called
 */
#ifndef IOBLAME_USER_H
#define IOBLAME_USER_H

#include <stdbool.h>
#include <stdint.h>

/* No user is known */
#define USER_NONE	UINT32_MAX

uint32_t user_of_process(uint32_t tgid);
uint32_t user_of_folder(uint32_t tgid);
char *user_name(uint32_t uid);
char *user_name_in_time(uint32_t uid, bool *asked);

#endif

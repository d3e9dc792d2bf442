/* SPDX-License-Identifier: GPL-2.0 */
/*
 * usage_print - which usages the command line asks for, and how they are printed
 */
#ifndef IOBLAME_USAGE_PRINT_H
#define IOBLAME_USAGE_PRINT_H

#include <stdbool.h>

#include "opts.h"
#include "usage.h"

bool usage_is_of_user(const struct usage_key *key, const char *word);
bool usage_wanted(const struct opts *o, const struct usage_key *key);
void usage_print(const struct opts *o, const struct usage_list *rows, enum pivot by);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * help - what --help prints, examples first
 */
#ifndef IOBLAME_HELP_H
#define IOBLAME_HELP_H

void help_print(int command);

#endif

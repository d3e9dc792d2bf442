/* SPDX-License-Identifier: GPL-2.0 */
/*
 * help - what the tables of options and commands say, examples first
 */
#ifndef IOBLAME_HELP_H
#define IOBLAME_HELP_H

void help_print(int command);
void help_manual(void);
void help_words(void);

#endif

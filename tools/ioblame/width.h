/* SPDX-License-Identifier: GPL-2.0 */
/*
 * width - text in cells of a terminal
 *
 * A cell is what one column of the terminal shows: 写 takes two, a combining mark none.
 */
#ifndef IOBLAME_WIDTH_H
#define IOBLAME_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

unsigned int width_of(const char *text);
unsigned int width_cut(char *to, size_t size, const char *text, unsigned int width, bool left);
unsigned int width_terminal(void);

#endif

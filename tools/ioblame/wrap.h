/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wrap - words in lines that are not too wide
 *
 * Pure.
 */
#ifndef IOBLAME_WRAP_H
#define IOBLAME_WRAP_H

char *wrap_text(const char *words, unsigned int width, unsigned int indent);

#endif

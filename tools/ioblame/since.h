/* SPDX-License-Identifier: GPL-2.0 */
/*
 * since - moments in the past, as --since and --until take them
 *
 * Pure, but for the time zone.  Example: at 12:00 on 2026-11-25, "03:00" is that morning,
 * "13:00" the afternoon before, "yesterday" 2026-11-24 00:00, "30d" 2026-10-26 12:00.  Where clocks
 * are set back, a time comes twice:  --since has the earlier one, --until the later one.
 */
#ifndef IOBLAME_SINCE_H
#define IOBLAME_SINCE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SINCE_WORD = 40,	/* bytes of a moment to the nanosecond, with its zone */
};

bool since_parse(const char *text, int64_t now_ns, int64_t *ns);
bool since_parse_until(const char *text, int64_t now_ns, int64_t *ns);
bool since_time_behind(const char *text, int64_t since_ns, int64_t *ns);
const char *since_text(int64_t ns, char *to, unsigned int size);
const char *since_word(int64_t ns, char *to, unsigned int size);

#endif

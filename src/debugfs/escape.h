/* SPDX-License-Identifier: GPL-2.0 */
/*
 * escape - make a name harmless that a user chose
 *
 * Pure.  A task names itself, so a name may hold any bytes.  Control characters and the
 * backslash become \ooo, as in /proc/mounts: an entry stays on its line and a terminal is
 * safe.  So do bytes that are no UTF-8, and the control characters from U+0080 to U+009F, of
 * which U+009B begins commands to a terminal.  So do characters that are not seen but deceive
 * the reader: U+202E turns the rest of a line around, U+2028 ends one, U+3164 is a blank letter.
 * Where words are parted by blanks, so does all white space of Unicode.  All others are kept.
 *
 * Example: "a b\n" becomes "a\040b\012".
 */
#ifndef IOB_DEBUGFS_ESCAPE_H
#define IOB_DEBUGFS_ESCAPE_H

#include <linux/types.h>

size_t iob_escape(char *to, size_t size, const char *name, size_t len, bool spaces);

#endif

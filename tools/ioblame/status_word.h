/* SPDX-License-Identifier: GPL-2.0 */
/*
 * status_word - what the error of an IO means
 *
 * Pure.  The block layer has a status of its own, which it hands to file systems as an errno.
 * These words are those that the kernel's log has for them.
 */
#ifndef IOBLAME_STATUS_WORD_H
#define IOBLAME_STATUS_WORD_H

const char *status_word(int error);
const char *status_errno(int error);

#endif

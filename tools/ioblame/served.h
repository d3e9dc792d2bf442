/* SPDX-License-Identifier: GPL-2.0 */
/*
 * served - records as ioblamed sends them
 *
 * The answer to "records" is a recording without an end.  Its chunks arrive in pieces.
 */
#ifndef IOBLAME_SERVED_H
#define IOBLAME_SERVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERVED_SOCKET	"/run/ioblame/query"

#endif

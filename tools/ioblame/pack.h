/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pack - a file that is compressed as it is written, and expanded as it is read
 *
 * The bytes are one zstd frame with a checksum.  What was flushed can be read, although the file
 * ends early.
 */
#ifndef IOBLAME_PACK_H
#define IOBLAME_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct pack;

bool pack_can(void);
struct pack *pack_writer(FILE *to);
struct pack *pack_reader(FILE *from);
FILE *pack_file(struct pack *p);
bool pack_flush(struct pack *p);
bool pack_damaged(const struct pack *p);
bool pack_end(struct pack *p, uint64_t *written);

#endif

/* SPDX-License-Identifier: GPL-2.0 */
/*
 * along - records out of the text log, while another process reads the binary one
 *
 * An entry of a log goes to one reader only, so two readers cannot share a log.
 */
#ifndef IOBLAME_ALONG_H
#define IOBLAME_ALONG_H

#include <stdbool.h>
#include <stdint.h>

#include "device.h"
#include "stream.h"
#include "textlog.h"

struct along {
	int fd;
	struct stream raw;		/* text */
	struct textlog entry;
	struct device disk;		/* of the last entry */
	uint64_t dropped;		/* lines that were not understood */
};

void along_add_role(struct iob_iolog_bin_record *rec);
int along_open(struct along *a);
bool along_read(struct along *a, struct stream *to, uint64_t *got);
void along_close(struct along *a);

#endif

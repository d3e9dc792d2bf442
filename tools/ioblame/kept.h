/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kept - the recordings that ioblamed has kept, as when lists them
 *
 * They are in a folder "moments" beside the database that is asked.  Those that were deleted to
 * make room are not there.
 */
#ifndef IOBLAME_KEPT_H
#define IOBLAME_KEPT_H

#include "moment_file.h"
#include "opts.h"

struct kept {
	char *folder;		/* as it is, and escaped */
	char *shown;
	struct moment_files files;	/* of the time and the disks that are asked for */
	const struct moment_file **by_disk;	/* the same, by disk, and by time again */
};

char *kept_folder(const struct opts *o);
void kept_read(struct kept *k, const struct opts *o);
const char *kept_of(const struct kept *k, const char *disk, int64_t from_ns, int64_t until_ns,
		    char *to, size_t size);
void kept_print(const struct kept *k, const struct opts *o);
void kept_free(struct kept *k);

#endif

// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>

#include "status_word.h"

/* As blk_errors of the kernel's block/blk-core.c */
static const struct {
	int error;
	const char *word;
} words[] = {
	{ EIO, "I/O" },
	{ ENODATA, "critical medium" },
	{ EREMOTEIO, "critical target" },
	{ ETIMEDOUT, "timeout" },
	{ ENOLINK, "recoverable transport" },
	{ ENOSPC, "critical space allocation" },
	{ EBADE, "reservation conflict" },
	{ EILSEQ, "protection" },
	{ EOPNOTSUPP, "operation not supported" },
	{ ENOMEM, "kernel resource" },
	{ EBUSY, "device resource" },
	{ EAGAIN, "nonblocking retry" },
	{ ENODEV, "device offline" },
	{ EREMCHG, "dm internal retry" },
	{ EOVERFLOW, "zone open resource" },
	{ ETOOMANYREFS, "zone active resource" },
	{ ETIME, "command duration limit" },
	{ EINVAL, "invalid" },
};

/* The words for 0 or a negative errno. */
const char *status_word(int error)
{
	size_t i;

	if (!error)
		return "-";
	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (words[i].error == -error)
			return words[i].word;
	}
	return "other";
}

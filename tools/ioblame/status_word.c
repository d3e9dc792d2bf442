// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stddef.h>

#include "status_word.h"

/* As blk_errors of the kernel's block/blk-core.c */
static const struct {
	int error;
	const char *name, *word;
} words[] = {
	{ EIO, "EIO", "I/O" },
	{ ENODATA, "ENODATA", "critical medium" },
	{ EREMOTEIO, "EREMOTEIO", "critical target" },
	{ ETIMEDOUT, "ETIMEDOUT", "timeout" },
	{ ENOLINK, "ENOLINK", "recoverable transport" },
	{ ENOSPC, "ENOSPC", "critical space allocation" },
	{ EBADE, "EBADE", "reservation conflict" },
	{ EILSEQ, "EILSEQ", "protection" },
	{ EOPNOTSUPP, "EOPNOTSUPP", "operation not supported" },
	{ ENOMEM, "ENOMEM", "kernel resource" },
	{ EBUSY, "EBUSY", "device resource" },
	{ EAGAIN, "EAGAIN", "nonblocking retry" },
	{ ENODEV, "ENODEV", "device offline" },
	{ EREMCHG, "EREMCHG", "dm internal retry" },
	{ EOVERFLOW, "EOVERFLOW", "zone open resource" },
	{ ETOOMANYREFS, "ETOOMANYREFS", "zone active resource" },
	{ ETIME, "ETIME", "command duration limit" },
	{ EINVAL, "EINVAL", "invalid" },
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

/* The name of a negative errno, "EIO"; NULL if it is none that disks give. */
const char *status_errno(int error)
{
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (words[i].error == -error)
			return words[i].name;
	}
	return NULL;
}

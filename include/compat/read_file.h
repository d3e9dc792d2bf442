/* SPDX-License-Identifier: GPL-2.0 */
/*
 * compat/read_file - read all of a small file
 *
 * Hides: kernel_read_file_from_path_initns() has had an offset since 5.10 (Kbuild need not
 * look: older kernels are not supported), and READING_UNKNOWN is the only purpose that has
 * no security policy of its own.
 */
#ifndef IOB_COMPAT_READ_FILE_H
#define IOB_COMPAT_READ_FILE_H

#include <linux/kernel_read_file.h>
#include <linux/limits.h>

/*
 * Read the file at @path, as the first process sees it, and not the one that happens to ask.
 * May sleep.  Return: 0, and *@data is to be freed by vfree(); or a negative errno.
 */
static inline int iob_read_file(const char *path, void **data, size_t *size)
{
	ssize_t got;

	*data = NULL;
	got = kernel_read_file_from_path_initns(path, 0, data, INT_MAX, NULL, READING_UNKNOWN);
	if (got < 0)
		return got;
	*size = got;
	return 0;
}

#endif

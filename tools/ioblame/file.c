// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "file.h"
#include "msg.h"

/**
 * file_read - read a whole file
 * @path: its path
 *
 * Return: its text, allocated, or NULL with errno.
 */
char *file_read(const char *path)
{
	size_t len = 0, size = 4096;
	char *buf = must(malloc(size));
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	ssize_t n;

	if (fd < 0) {
		free(buf);
		return NULL;
	}
	for (;;) {
		n = read(fd, buf + len, size - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += n;
		if (size - len < 1024) {
			size *= 2;
			buf = must(realloc(buf, size));
		}
	}
	err = errno;
	close(fd);
	if (n < 0) {
		free(buf);
		errno = err;
		return NULL;
	}
	buf[len] = '\0';
	return buf;
}

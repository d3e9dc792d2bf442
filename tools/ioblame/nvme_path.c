// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "nvme_path.h"

/* The name of the namespace that a path leads to.  Return: false if it is no path's name. */
bool nvme_path_head(const char *path, char *head, size_t size)
{
	unsigned int subsystem, controller, namespace;
	int used;

	if (sscanf(path, "nvme%uc%un%u%n", &subsystem, &controller, &namespace, &used) != 3 ||
	    path[used])
		return false;
	snprintf(head, size, "nvme%un%u", subsystem, namespace);
	return true;
}

/**
 * nvme_path_find - find the namespace of the path that has a number
 * @dev:  as block events have it, major << 20 | minor
 * @head: gets the name of the namespace
 * @size: of @head
 *
 * Only /proc/diskstats says which path has which number.  Older kernels, as 5.10, have 0:0 there
 * for all of them.
 * Return: false if no path is known to have it.
 */
bool nvme_path_find(uint32_t dev, char *head, size_t size)
{
	char *text = file_read("/proc/diskstats"), *at = text, name[32];
	unsigned int major, minor;
	bool found = false;

	while (dev && at && *at && !found) {
		found = sscanf(at, " %u %u %31s", &major, &minor, name) == 3 &&
			(major << 20 | minor) == dev && nvme_path_head(name, head, size);
		at = strchr(at, '\n');
		if (at)
			at++;
	}
	free(text);
	return found;
}

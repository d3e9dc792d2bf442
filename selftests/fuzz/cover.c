// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel runs for this thread, by KCOV: Documentation/dev-tools/kcov of the kernel.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "fuzz.h"

#define KCOV_INIT_TRACE	_IOR('c', 1, unsigned long)
#define KCOV_ENABLE	_IO('c', 100)
#define AREA		(256 << 10)	/* addresses of one write */
#define SEEN		(1 << 17)	/* addresses of all */

static unsigned long *area;
static unsigned long seen[SEEN];

void cover_begin(void)
{
	int fd = open("/sys/kernel/debug/kcov", O_RDWR);

	if (fd < 0 || ioctl(fd, KCOV_INIT_TRACE, AREA))
		err(2, "kcov");
	area = mmap(NULL, AREA * sizeof(*area), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	/* 0: program counters */
	if (area == MAP_FAILED || ioctl(fd, KCOV_ENABLE, 0))
		err(2, "kcov");
}

void cover_start(void)
{
	if (area)
		__atomic_store_n(&area[0], 0, __ATOMIC_RELAXED);
}

static bool see(unsigned long address)
{
	unsigned long at = address * 0x9e3779b97f4a7c15 >> 47;

	for (; seen[at]; at = (at + 1) % SEEN) {
		if (seen[at] == address)
			return false;
	}
	seen[at] = address;
	return true;
}

/* True if there was something new since cover_start(). */
bool cover_stop(void)
{
	unsigned long i, n;
	bool new = false;

	if (!area)
		return false;
	n = __atomic_load_n(&area[0], __ATOMIC_RELAXED);
	for (i = 1; i <= n && i < AREA; i++)
		new |= see(area[i]);
	return new;
}

/* Add them to a file: other programs may have added theirs. */
void cover_save(const char *file)
{
	FILE *f = fopen(file, "a");
	int i;

	if (!f)
		err(2, "%s", file);
	for (i = 0; i < SEEN; i++) {
		if (seen[i])
			fprintf(f, "%lx\n", seen[i]);
	}
	if (fclose(f))
		err(2, "%s", file);
}

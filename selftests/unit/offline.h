/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a test links in the place of files of the command that look at this machine: a replay must
 * not call them.
 */
#ifndef UNIT_OFFLINE_H
#define UNIT_OFFLINE_H

#include <stdlib.h>

#include "clock.h"
#include "container.h"
#include "device.h"
#include "dir.h"
#include "path.h"
#include "stop.h"

char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
	abort();
}

char *path_of_mount(uint32_t dev)
{
	(void)dev;
	abort();
}

/* no container has a name here */
char *container_name(const struct container *c)
{
	(void)c;
	return NULL;
}

char *path_of_cgroup(uint64_t id)
{
	(void)id;
	abort();
}

void path_close(void) {}

const char *dir_path(void)
{
	abort();
}

int dir_open(const char *name, int flags)
{
	(void)name;
	(void)flags;
	abort();
}

char *dir_read(const char *name)
{
	(void)name;
	abort();
}

int dir_refused(int err, const char *name)
{
	(void)err;
	(void)name;
	abort();
}

bool device_lookup(const char *word, struct device *d)
{
	(void)word;
	(void)d;
	abort();
}

bool stop_asked(void)
{
	return false;
}

uint64_t clock_ns(void)
{
	static uint64_t now;

	return ++now;
}

#endif

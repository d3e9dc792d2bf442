/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fake_module - the module's files in a folder of a test, a disk, and files that have names
 */
#ifndef FAKE_MODULE_H
#define FAKE_MODULE_H

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "container.h"
#include "device.h"
#include "dir.h"
#include "kernel.h"
#include "path.h"
#include "test.h"

static char folder[64];
static bool loaded = true;

static char status[] =
	"enabled 1\nsession 7\ntotal write ios=10 exact=4096\nloss io_nomem 3 (a loss)\n";

const char *dir_path(void)
{
	return folder;
}

int dir_open(const char *name, int flags)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!strcmp(name, "intents") && access(path, F_OK))
		strcpy(path, "/dev/null");
	return open(path, flags | O_CLOEXEC);
}

char *dir_read(const char *name)
{
	if (!strcmp(name, "status"))
		return strdup(status);
	return !strcmp(name, "devs") ? strdup("8:0 sda\n") : NULL;
}

int dir_refused(int err, const char *name)
{
	(void)name;
	return err;
}

bool kernel_is_open(void)
{
	return loaded;
}

uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

uint64_t clock_boot_ns(void)
{
	return clock_ns();
}

bool device_lookup(const char *word, struct device *d)
{
	(void)word;
	memset(d, 0, sizeof(*d));
	d->dev = 8 << 20;
	strcpy(d->name, "sda");
	return true;
}

uint64_t device_sectors(uint32_t dev)
{
	(void)dev;
	return 1000;
}

char *path_of_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	char text[64];

	(void)dev;
	(void)gen;
	snprintf(text, sizeof(text), "/secret/file-%llu", (u64)ino);
	return strdup(text);
}

char *path_of_mount(uint32_t dev)
{
	(void)dev;
	return NULL;
}

char *path_of_cgroup(uint64_t id)
{
	(void)id;
	return NULL;
}

char *container_name(const struct container *c)
{
	(void)c;
	return NULL;
}

void path_close(void) {}

#endif

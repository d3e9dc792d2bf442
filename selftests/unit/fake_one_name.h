/* SPDX-License-Identifier: GPL-2.0 */
/* What a test links in the place of name.c, where each number has the same name, or this one. */
#ifndef UNIT_FAKE_ONE_NAME_H
#define UNIT_FAKE_ONE_NAME_H

#include "name.h"

static const char *user_named = "root";

const char *name_disk(uint32_t dev)
{
	(void)dev;
	return "sda";
}

const char *name_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
	return "/file";
}

const char *name_cgroup(uint64_t id)
{
	(void)id;
	return "/";
}

const char *name_unit(uint64_t id)
{
	return name_cgroup(id);
}

const char *name_user(uint32_t tgid, const char *comm)
{
	(void)tgid;
	(void)comm;
	return user_named;
}

#endif

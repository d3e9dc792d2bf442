/* SPDX-License-Identifier: GPL-2.0 */
/* What a test links in the place of name.c, where no name is ever dropped. */
#ifndef UNIT_FAKE_HELD_H
#define UNIT_FAKE_HELD_H

#include "name.h"

void name_held_by(void (*hold)(const void *arg), const void *arg)
{
	(void)hold;
	(void)arg;
}

void name_hold_process(uint32_t tgid, const char *comm)
{
	(void)tgid;
	(void)comm;
}

void name_hold_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
}

void name_hold_cgroup(uint64_t id)
{
	(void)id;
}

#endif

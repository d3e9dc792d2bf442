/* SPDX-License-Identifier: GPL-2.0 */
/* What a test links in the place of name.c, where all tasks and disks are alike. */
#ifndef UNIT_FAKE_NAMES_H
#define UNIT_FAKE_NAMES_H

#include "fake_held.h"
#include "name.h"

void name_note_file(uint32_t dev, uint64_t ino, uint32_t gen)
{
	(void)dev;
	(void)ino;
	(void)gen;
}

const char *name_sched(uint32_t dev)
{
	(void)dev;
	return "none";
}

const char *name_command(uint32_t tgid, const char *comm)
{
	(void)tgid;
	(void)comm;
	return NULL;
}

#endif

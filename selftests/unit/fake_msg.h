/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fake_msg - in place of the command's msg.c: the last message is kept, for a test to look at
 */
#ifndef FAKE_MSG_H
#define FAKE_MSG_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "msg.h"

static char said[512];

void msg(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(said, sizeof(said), fmt, args);
	va_end(args);
}

void *must(void *memory)
{
	if (!memory)
		abort();
	return memory;
}

#endif

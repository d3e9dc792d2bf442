// SPDX-License-Identifier: GPL-2.0
#include "cmd.h"

int live_top(const struct opts *o)
{
	(void)o;
	return 0;
}
